// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// terrain of the section `environment`: a plane, steps, or a grid of heights, from rows in the model or from a file beside it.

#include <filesystem>

#include <fmt/format.h>

#include "readers/load_file.hpp"
#include "readers/terrain_files.hpp"
#include "readers/yaml_contacts.hpp"
#include "readers/yaml_geometry.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {
namespace {

using At = std::size_t;

// at and a rotation: the frame T in the world.
bool read_own_frame(Reading& r, const Fields& fields, Terrain& terrain) {
  if (const Node* at = fields.find("at")) {
    const auto place = read_place(r, *at, fields.what("at"));
    if (!place) return false;
    terrain.X_WT.p = place->p;
  }
  const auto R = read_rotation_keys(r, fields);
  if (R) terrain.X_WT.R = *R;
  return R.has_value();
}

bool read_steps(Reading& r, const Node& node, const std::string& what, Terrain& terrain) {
  if (!node.is_list() || node.children.empty()) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a list of [x, height], not {}", what, describe(node)),
                     "write steps: [[1, 0.2], [1.3, 0.4]]: from x = 1 on the height is 0.2");
    return false;
  }
  for (const Node::Child& child : node.children) {
    const auto step = read_numbers(r, *child.value, fmt::format("step {} of {}", terrain.steps.size() + 1, what),
                                   {dimension::length, dimension::length});
    if (!step) return false;
    if (!terrain.steps.empty() && !((*step)[0] > terrain.steps.back().x)) {
      r.messages.error(child.value->where, "terrain-wrong",
                       fmt::format("step {} of {} begins before the one before it", terrain.steps.size() + 1, what),
                       "write steps in the order of their x");
      return false;
    }
    terrain.steps.push_back({(*step)[0], (*step)[1]});
  }
  return true;
}

bool read_heights(Reading& r, const Node& node, const std::string& what, Terrain& terrain) {
  const auto wrong = [&](const Node& at, const std::string& text) {
    r.messages.error(at.where, "terrain-wrong", text,
                     "write rows along x, each with the heights along y: [[0, 0.1], [0.2, 0]]");
    return false;
  };
  if (!node.is_list() || node.children.size() < 2) {
    return wrong(node, fmt::format("{} must be 2 or more rows of heights, not {}", what, describe(node)));
  }
  for (const Node::Child& child : node.children) {
    const Node& row = *child.value;
    const std::string which = fmt::format("row {} of {}", terrain.nx + 1, what);
    if (!row.is_list() || row.children.size() < 2)
      return wrong(row, fmt::format("{} must be 2 or more heights, not {}", which, describe(row)));
    if (terrain.nx > 0 && row.children.size() != static_cast<At>(terrain.ny)) {
      return wrong(
          row, fmt::format("{} has {}, the first has {}", which, count_of(row.children.size(), "height"), terrain.ny));
    }
    terrain.ny = static_cast<int>(row.children.size());
    ++terrain.nx;
    for (const Node::Child& item : row.children) {
      const auto height = read_number(r, *item.value, "a height in " + which, dimension::length);
      if (!height) return false;
      terrain.heights.push_back(*height);
    }
  }
  return true;
}

bool read_spacing(Reading& r, const Fields& fields, Terrain& terrain) {
  const Node* node = fields.find("spacing");
  if (node == nullptr) {
    fields.report_missing(r, "spacing", "add spacing: followed by a length, or by [along x, along y]");
    return false;
  }
  const bool both = node->is_list() && node->children.size() == 2;
  const auto x = read_positive(r, both ? *node->children[0].value : *node, fields.what("spacing"), dimension::length);
  const auto y = both ? read_positive(r, *node->children[1].value, fields.what("spacing"), dimension::length) : x;
  terrain.spacing_x = x.value_or(1), terrain.spacing_y = y.value_or(1);
  return x && y;
}

bool read_file(Reading& r, const Node& node, const std::string& what, std::size_t max_bytes, Terrain& terrain) {
  const auto name = read_text(r, node, what);
  if (!name) return false;
  namespace fs = std::filesystem;
  const fs::path path = fs::path(*name).is_absolute() ? fs::path(*name) : fs::path(r.model.file).parent_path() / *name;
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension != ".dat" && extension != ".asc") {
    r.messages.error(node.where, "terrain-file",
                     fmt::format("the terrain file {} is neither .dat nor .asc", quote(*name)),
                     "name a grid as DynaMechs writes it (.dat) or an ESRI ASCII grid (.asc)");
    return false;
  }
  std::string text;
  Messages of_file;
  if (!load_file(path.string(), 4 * max_bytes, text, of_file)) {
    const Diagnostic why = of_file.finish({}).all().front();
    r.messages.error(node.where, "terrain-file",
                     fmt::format("the terrain file {} cannot be read: {}", quote(*name), why.what), why.fix);
    return false;
  }
  TerrainGrid grid;
  const TerrainFileError trouble =
      extension == ".asc" ? parse_esri_terrain(text, grid) : parse_dynamechs_terrain(text, grid);
  if (!trouble.id.empty()) {
    r.messages.error(node.where, trouble.id, fmt::format("the terrain file {} {}", quote(*name), trouble.what),
                     trouble.fix);
    return false;
  }
  terrain.file = *name;
  terrain.nx = grid.nx, terrain.ny = grid.ny;
  terrain.spacing_x = terrain.spacing_y = grid.spacing;
  terrain.heights = std::move(grid.heights);
  terrain.X_WT.p += terrain.X_WT.R * Vec3d{grid.x0, grid.y0, 0};
  return true;
}

bool read_grid(Reading& r, const Node& node, const std::string& what, std::size_t max_bytes, Terrain& terrain) {
  const Fields fields(r, node, "grid", what);
  if (!fields.usable()) return false;
  const Node* file = fields.find("file");
  const Node* heights = fields.find("heights");
  if (file != nullptr) {
    for (const char* key : {"heights", "spacing"}) {
      if (const Node* other = fields.find(key)) {
        r.messages.error(other->where, "key-conflict", fmt::format("{} has both 'file' and '{}'", what, key),
                         fmt::format("delete '{}': the file has its own", key));
        return false;
      }
    }
    return read_file(r, *file, fields.what("file"), max_bytes, terrain);
  }
  const bool spaced = read_spacing(r, fields, terrain);
  if (heights == nullptr) {
    fields.report_missing(r, "heights", "add heights: rows of numbers, or file: NAME.dat or NAME.asc");
    return false;
  }
  return read_heights(r, *heights, fields.what("heights"), terrain) && spaced;
}

// clamp, hole, or {plane: height}
bool read_edge(Reading& r, const Node& node, const std::string& what, Terrain& terrain) {
  if (node.is_map()) {
    const Fields fields(r, node, "edge", what);
    const Node* height = fields.find("plane");
    if (height == nullptr) {
      fields.report_missing(r, "plane", "write edge: {plane: height}, clamp or hole");
      return false;
    }
    const auto number = read_number(r, *height, fields.what("plane"), dimension::length);
    terrain.edge = Terrain::Edge::plane;
    terrain.edge_height = number.value_or(0);
    return number.has_value();
  }
  if (node.is_scalar() && node.text == "plane") {
    terrain.edge = Terrain::Edge::plane;
    return true;
  }
  const auto word = read_word(r, node, what, {"clamp", "hole", "plane"});
  if (word) terrain.edge = *word == "hole" ? Terrain::Edge::hole : Terrain::Edge::clamp;
  return word.has_value();
}

// Rows along x of the names of materials along y, one for each cell.
bool read_cells(Reading& r, const Node& node, const std::string& what, Terrain& terrain) {
  const auto rows = static_cast<At>(terrain.nx - 1), columns = static_cast<At>(terrain.ny - 1);
  const auto wrong = [&](const Node& at) {
    r.messages.error(at.where, "terrain-wrong",
                     fmt::format("{} must be {} rows of {}, one for each cell between the nodes, not {}", what, rows,
                                 count_of(columns, "material"), describe(at)),
                     "write cells: [[rock, mud], …], rows along x");
    return false;
  };
  if (!node.is_list() || node.children.size() != rows) return wrong(node);
  for (const Node::Child& child : node.children) {
    if (!child.value->is_list() || child.value->children.size() != columns) return wrong(*child.value);
    for (const Node::Child& item : child.value->children) {
      if (item.value->is_null()) {
        terrain.cells.push_back(-1);
        continue;
      }
      const auto name = read_text(r, *item.value, "a material in " + what);
      if (!name) return false;
      auto& names = terrain.cell_materials;
      const auto found = std::find(names.begin(), names.end(), *name);
      terrain.cells.push_back(static_cast<int>(found - names.begin()));
      if (found == names.end()) names.push_back(*name);
    }
  }
  return true;
}

}  // namespace

void read_terrain(Reading& r, const Node& node, std::size_t max_bytes) {
  if (node.is_null()) return;
  const std::string subject = "the terrain";
  const std::string kind = read_kind(r, node, node, subject, {"plane", "steps", "grid"}, "terrain: {plane: z}");
  if (kind.empty()) return;
  const Fields fields(r, node, "terrain " + kind, subject);
  Terrain terrain;
  terrain.where = node.where;
  bool complete = fields.usable();
  const Node& given = *fields.find(kind);
  if (kind == "plane") {
    terrain.kind = Terrain::Kind::plane;
    const auto plane = read_plane(r, given, fields.what("plane"));
    complete = complete && plane;
    if (plane) {
      terrain.X_WT = frame_of(*plane);
      terrain.X_WT.R.ez = plane->normal;  // to the last bit as written
    }
  } else {
    complete = read_own_frame(r, fields, terrain) && complete;
    terrain.kind = kind == "steps" ? Terrain::Kind::steps : Terrain::Kind::grid;
    const bool read = kind == "steps" ? read_steps(r, given, fields.what("steps"), terrain)
                                      : read_grid(r, given, fields.what("grid"), max_bytes, terrain);
    complete = read && complete;
    if (const Node* edge = fields.find("edge"))
      complete = read_edge(r, *edge, fields.what("edge"), terrain) && complete;
    if (const Node* cells = fields.find("cells"); cells != nullptr && read) {
      complete = read_cells(r, *cells, fields.what("cells"), terrain) && complete;
    }
  }
  if (const Node* material = fields.find("material")) {
    const auto name = read_text(r, *material, fields.what("material"));
    complete = complete && name;
    terrain.material = name.value_or("");
  }
  if (complete) r.model.terrain = std::move(terrain);
}

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// An environment file: gravity, the ground's shape and how it bears, the density of a fluid. Ground that DynaMechs has by a spring and a
// damper, upright and along it, is one material here; points of the newer, "dynamic" contact slip at the kinetic coefficient only and have
// a material of their own.

#include <filesystem>

#include <fmt/format.h>

#include "readers/dm_reading.hpp"
#include "readers/terrain_files.hpp"
#include "readers/yaml_text.hpp"

namespace trammel::readers::dm {
namespace {

constexpr const char* ground_material = "ground";

void read_terrain(Shared& shared, Fields& fields, Source& source) {
  const auto name = fields.text("Terrain_Data_Filename");
  if (!name || name->empty()) return;
  const SourceLocation where = fields.find("Terrain_Data_Filename")->where;
  std::string path, text;
  if (!source.get(*name, "terrain", where, 16 * source.max_bytes, path, text, fields.messages())) return;
  TerrainGrid grid;
  const TerrainFileError wrong = parse_dynamechs_terrain(text, grid);
  if (!wrong.id.empty()) {
    fields.messages().error(where, wrong.id, fmt::format("the terrain file {} {}", quote(*name), wrong.what),
                            wrong.fix);
    return;
  }
  Terrain& terrain = shared.model.terrain;
  terrain.kind = Terrain::Kind::grid;
  terrain.nx = grid.nx, terrain.ny = grid.ny;
  terrain.spacing_x = terrain.spacing_y = grid.spacing;
  terrain.heights = std::move(grid.heights);
  terrain.edge = Terrain::Edge::clamp;
}

// The constants of the ground; false where it bears nothing or something was wrong.
bool read_ground(Fields& fields, ContactMaterial& material) {
  const auto normal = fields.not_negative("Ground_Normal_Spring_Constant"),
             damper = fields.not_negative("Ground_Normal_Damper_Constant");
  const auto along = fields.not_negative("Ground_Planar_Spring_Constant"),
             along_damper = fields.not_negative("Ground_Planar_Damper_Constant");
  const auto at_rest = fields.not_negative("Ground_Static_Friction_Coeff"),
             moving = fields.not_negative("Ground_Kinetic_Friction_Coeff");
  if (!normal) {
    fields.require("Ground_Normal_Spring_Constant", "a number, in N/m");
    return false;
  }
  if (*normal == 0) {
    fields.messages().warning(fields.find("Ground_Normal_Spring_Constant")->where, "dm-no-effect",
                              "ground with a normal spring of 0 bears nothing: it is left out",
                              "give a constant above 0, in N/m");
    return false;
  }
  material.stiffness = *normal;
  material.damping = damper.value_or(0);
  material.friction_static = at_rest.value_or(0);
  material.friction_kinetic = moving.value_or(material.friction_static);
  if (material.friction_kinetic > material.friction_static) {
    fields.messages().error(fields.find("Ground_Kinetic_Friction_Coeff")->where, "material-wrong",
                            fmt::format("the ground has more kinetic than static friction: {} > {}",
                                        shortest(material.friction_kinetic), shortest(material.friction_static)),
                            "what slips is not held better than what rests: exchange them");
    return false;
  }
  if (along && *along > 0) material.tangential_stiffness = *along;
  if (along_damper && *along_damper > 0) material.tangential_damping = *along_damper;
  for (const char* key : {"Ground_Planar_Spring_Constant", "Ground_Planar_Damper_Constant"}) {
    if (material.friction_static == 0 || fields.find(key) == nullptr || fields.number(key).value_or(1) > 0) continue;
    fields.messages().warning(fields.find(key)->where, "dm-ground",
                              fmt::format("{} is 0, which friction here cannot be: {} is taken", key,
                                          key[14] == 'S' ? "the normal constant" : "that of critical damping"),
                              "give a constant above 0");
  }
  return true;
}

void use_ground(Shared& shared, const ContactMaterial& ground) {
  Model& model = shared.model;
  model.terrain.material = ground_material;
  model.materials.push_back(ground);
  if (shared.dynamic_contacts.empty()) return;
  ContactMaterial slips = ground;
  slips.friction_static = slips.friction_kinetic;
  slips.name = "dynamic points";
  model.materials.push_back(slips);
  slips.name = "dynamic points on ground";
  slips.between = {{"dynamic points", ground_material}};
  model.materials.push_back(slips);
  const std::unordered_set<std::string> dynamic(shared.dynamic_contacts.begin(), shared.dynamic_contacts.end());
  for (ContactShape& shape : model.contacts) {
    if (dynamic.contains(shape.name)) shape.material = "dynamic points";
  }
}

}  // namespace

bool Source::get(const std::string& name, std::string_view kind, SourceLocation named_at, std::size_t most,
                 std::string& path, std::string& text, Messages& messages) {
  namespace fs = std::filesystem;
  path = fs::path(name).is_absolute() ? name : (fs::path(folder) / name).string();
  Messages of_file;
  if (load(path, most, text, of_file) && check_encoding(text, most, of_file)) {
    included.push_back(path);
    return true;
  }
  const Diagnostic why = of_file.finish({}).all().front();
  const std::string what = fmt::format("the {} file {} cannot be read: {}", kind, quote(name), why.what);
  if (kind == "terrain") {
    messages.error(named_at, "terrain-file", what, why.fix);
  } else {
    messages.error(named_at, "dm-file", what, why.fix);
  }
  return false;
}

void read_environment(Shared& shared, std::string_view text, Source& source, Messages& messages) {
  const Document document = parse(text, messages, [](const Block&) { return false; });
  if (!document.is_whole) return;
  Fields fields(document.top, "the environment", messages);
  for (const Block& block : document.top.blocks) {
    messages.error(block.where, "dm-block", fmt::format("{} does not stand in an environment file", quote(block.name)),
                   "it has parameters only, no blocks");
  }
  fields.require("Gravity_Vector", "3 numbers, in m/s²");
  if (const auto gravity = fields.vector("Gravity_Vector")) shared.model.gravity = *gravity;
  ContactMaterial ground;
  ground.name = ground_material;
  if (fields.find("Terrain_Data_Filename") != nullptr) {
    read_terrain(shared, fields, source);
    const bool bears = read_ground(fields, ground);
    if (bears && shared.model.terrain.kind != Terrain::Kind::none) {
      use_ground(shared, ground);
    } else {
      shared.model.terrain = {};
    }
  }
  if (const auto density = fields.not_negative("Fluid_Density"); density && *density > 0) {
    Medium water;
    water.density = *density;
    shared.model.fluid.media.push_back(water);
  }
  fields.tell_unread();
}

}  // namespace trammel::readers::dm

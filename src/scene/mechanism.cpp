// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "scene/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/version.hpp>

#include "scene/series.hpp"

namespace trammel::scene {
namespace {

using At = std::size_t;
using scene::json_of;
namespace fs = std::filesystem;

std::string hex(const Colour& c) {
  const auto byte = [](double x) { return static_cast<int>(std::lround(255 * std::clamp(x, 0.0, 1.0))); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

// --- meshes -------------------------------------------------------------------------------------------------------------------

std::string path_of(const Model& model, const SceneTexts& texts, const std::string& address) {
  if (const auto found = texts.found_meshes.find(address); found != texts.found_meshes.end()) return found->second;
  constexpr std::string_view local = "file://";
  if (address.starts_with(local)) return address.substr(local.size());
  if (address.find("://") != std::string::npos) return {};
  const fs::path path(address);
  return path.is_absolute() ? address : (fs::path(model.file).parent_path() / path).string();
}

Mesh read_mesh(const std::string& address, const std::string& path, std::size_t most_bytes) {
  Mesh mesh{.name = fs::path(address).filename().string()};
  std::string extension = fs::path(address).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".stl" && extension != ".obj" && extension != ".dae") {
    mesh.missing = fmt::format("{}: meshes are shown from STL, OBJ and DAE files", address);
    return mesh;
  }
  mesh.format = extension.substr(1);
  std::error_code error;
  const auto size = path.empty() ? 0 : fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || error || !file) {
    mesh.missing = fmt::format("{}: the file is not there", address);
  } else if (size > most_bytes) {
    mesh.missing = fmt::format("{}: {:.1f} MB are too many for one page", address, static_cast<double>(size) * 1e-6);
  } else {
    mesh.bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return mesh;
}

// --- bodies ---------------------------------------------------------------------------------------------------------------------

class Bodies {
 public:
  Bodies(const Model& model, const SceneTexts& texts, Meshes& meshes) : model_(model), texts_(texts), meshes_(meshes) {}

  Json json_of(const Body& body, const BodyInfo& info, const Transformd& X_WB) {
    Json out{{"name", body.name}, {"pose", scene::json_of(X_WB)}, {"shapes", Json::array()}};
    for (const std::vector<Shape>* list : {&body.visuals, &body.shapes, &body.collisions}) {
      if (list->empty()) continue;
      for (const Shape& shape : *list) out["shapes"].push_back(json_of(shape));
      break;
    }
    if (body.mass > 0) out["mass"] = body.mass, out["com"] = scene::json_of(body.com);
    out["parent"] = info.parent;
    return out;
  }

 private:
  Json json_of(const Shape& shape) {
    Json out{{"kind", keyword(shape.kind)}, {"pose", scene::json_of(shape.X_BS)}};
    switch (shape.kind) {
      case Shape::Kind::rod:
      case Shape::Kind::cylinder:
      case Shape::Kind::capsule:
        out["length"] = shape.length, out["radius"] = shape.radius;
        break;
      case Shape::Kind::sphere:
        out["radius"] = shape.radius;
        break;
      case Shape::Kind::box:
      case Shape::Kind::ellipsoid:
        out["size"] = scene::json_of(shape.size);
        break;
      case Shape::Kind::plate:
        out["length"] = shape.length;
        out["outline"] = Json::array();
        for (const Vec3d& p : shape.outline) out["outline"].push_back({p.x, p.y});
        break;
      case Shape::Kind::mesh:
        out["mesh"] = mesh_of(shape.mesh);
        if (!(shape.scale == Vec3d{1, 1, 1})) out["scale"] = scene::json_of(shape.scale);
        break;
    }
    if (shape.colour) {
      out["color"] = hex(*shape.colour);
      if (shape.colour->alpha < 1) out["opacity"] = shape.colour->alpha;
    }
    return out;
  }

  int mesh_of(const std::string& address) {
    const auto known = index_.find(address);
    if (known != index_.end()) return known->second;
    std::size_t used = 0;
    for (const Mesh& mesh : meshes_.list) used += mesh.bytes.size();
    meshes_.list.push_back(read_mesh(address, path_of(model_, texts_, address),
                                     texts_.most_mesh_bytes - std::min(used, texts_.most_mesh_bytes)));
    return index_[address] = static_cast<int>(meshes_.list.size()) - 1;
  }

  const Model& model_;
  const SceneTexts& texts_;
  Meshes& meshes_;
  std::map<std::string, int> index_;
};

void add_bodies(const Model& model, const Mechanism& mech, const DrawnPosition& position, const SceneTexts& texts,
                Json& head, Meshes& meshes) {
  Bodies bodies(model, texts, meshes);
  head["bodies"] = Json::array();
  for (At b = 0; b < mech.bodies.size(); ++b) {
    head["bodies"].push_back(bodies.json_of(model.bodies[b], mech.bodies[b], position.X_WB[b]));
  }
  if (mech.fluid.empty()) return;
  for (const WetBodyReport& wet : report_fluid(mech, design_state(mech).q).bodies) {
    const int b = mech.find_body(wet.body);
    if (b >= 0 && wet.volume > 0) head["bodies"][static_cast<At>(b)]["buoyancy"] = json_of(wet.centre_of_hull_B);
  }
}

// --- what connects them -----------------------------------------------------------------------------------------------------------

const char* role_word(JointRole role) {
  return role == JointRole::tree ? "tree" : role == JointRole::weld ? "weld" : "closure";
}

Json json_of(const JointInfo& joint) {
  const bool is_custom = std::holds_alternative<Custom>(joint.type);
  Json out{{"name", joint.name},
           {"kind", is_custom ? std::string_view("custom") : keyword(joint.type)},
           {"first", joint.first},
           {"second", joint.second},
           {"pose_first", json_of(joint.X_AF)},
           {"pose_second", json_of(joint.X_BM)},
           {"role", role_word(joint.role)}};
  if (const auto* helical = std::get_if<Helical>(&joint.type)) out["pitch"] = helical->h;
  return out;
}

Json curve_points(const Curve& curve) {
  constexpr int parts = 240;
  Json points = Json::array();
  const int last = curve.closed() ? parts - 1 : parts;
  for (int k = 0; k <= last; ++k) {
    const CurvePoint<double> c = curve.at(curve.begin() + (curve.end() - curve.begin()) * k / parts);
    points.push_back({c.x, c.y});
  }
  return points;
}

Json json_of(const ConstraintInfo& c) {
  Json out{{"name", c.name},     {"kind", keyword(c.type)},       {"first", c.first},
           {"second", c.second}, {"pose_first", json_of(c.X_AP)}, {"pose_second", json_of(c.X_BQ)}};
  const auto add_curve = [&](const std::shared_ptr<const Curve>& curve) {
    if (!curve) return;
    out["curve"] = curve_points(*curve);
    if (curve->closed()) out["closed"] = true;
  };
  if (const auto* point = std::get_if<PointOnCurve>(&c.type)) add_curve(point->curve);
  if (const auto* face = std::get_if<FaceOnCurve>(&c.type)) add_curve(face->curve);
  if (const auto* circles = std::get_if<RollingCircles>(&c.type)) {
    out["radii"] = {circles->first_radius, circles->second_radius};
    if (circles->inside) out["inside"] = true;
  }
  if (const auto* circle = std::get_if<RollingOnLine>(&c.type)) out["radii"] = {circle->radius};
  return out;
}

// Pitch radii of two wheels on parallel axes that one body carries, where the model gives none: with θ₂ = ratio · θ₁ as seen from the carrier,
// r₁ = |ratio| r₂, and the axes are r₁ + r₂ apart where they turn against each other, |r₁ − r₂| otherwise.
std::optional<std::pair<double, double>> pitch_radii(const Mechanism& mech, const DrawnPosition& position,
                                                     const CouplingInfo& c) {
  const JointInfo &a = mech.joints[static_cast<At>(c.first)], &b = mech.joints[static_cast<At>(c.second)];
  const bool shares_first = a.first == b.first || a.first == b.second,
             shares_second = a.second == b.first || a.second == b.second;
  if (!shares_first && !shares_second) return std::nullopt;
  const int carrier = shares_first ? a.first : a.second;
  const auto in_world = [&](const JointInfo& joint) {
    return (joint.first == ground ? Transformd{} : position.X_WB[static_cast<At>(joint.first)]) * joint.X_AF;
  };
  const Transformd X_a = in_world(a), X_b = in_world(b);
  const double alike = dot(X_a.R.ez, X_b.R.ez) * (a.first == carrier ? 1 : -1) * (b.first == carrier ? 1 : -1);
  if (std::abs(alike) < 0.999) return std::nullopt;
  const Vec3d between = X_b.p - X_a.p;
  const double apart = norm(between - X_a.R.ez * dot(between, X_a.R.ez)), ratio = std::abs(c.ratio);
  const double sum = c.ratio * alike > 0 ? std::abs(1 - ratio) : 1 + ratio;
  if (!(apart > 0 && sum > 1e-9)) return std::nullopt;
  return std::pair{apart * ratio / sum, apart / sum};
}

Json json_of(const Mechanism& mech, const DrawnPosition& position, const CouplingInfo& c) {
  Json out{{"name", c.name}, {"kind", keyword(c.kind)}, {"first", c.first}, {"second", c.second}, {"ratio", c.ratio}};
  const auto radii = c.radii || c.kind != Coupling::Kind::gear ? c.radii : pitch_radii(mech, position, c);
  if (radii) out["radii"] = {radii->first, radii->second};
  return out;
}

void add_springs(const Mechanism& mech, Json& head) {
  Json springs = Json::array();
  for (const SpringInfo& info : mech.springs) {
    if (info.joint >= 0) continue;
    const Spring& s = info.settings;
    const bool is_damper = s.stiffness == 0 && s.table_at.empty() && !s.gas && s.damping > 0;
    springs.push_back({{"name", s.name},
                       {"kind", is_damper ? "damper" : "spring"},
                       {"first", info.first},
                       {"second", info.second},
                       {"p_first", json_of(s.first.p_B)},
                       {"p_second", json_of(s.second.p_B)}});
  }
  for (const BushingInfo& info : mech.bushings) {
    springs.push_back({{"name", info.settings.name},
                       {"kind", "bushing"},
                       {"first", info.first},
                       {"second", info.second},
                       {"p_first", json_of(info.settings.X_AP.p)},
                       {"p_second", json_of(info.settings.X_BQ.p)}});
  }
  if (!springs.empty()) head["springs"] = springs;
}

Json json_of(const Mechanism& mech, const ContactShape& shape) {
  Json out{{"name", shape.name}, {"body", mech.find_body(shape.body)}, {"kind", keyword(shape.kind)}};
  switch (shape.kind) {
    case ContactShape::Kind::points:
      out["points"] = Json::array();
      for (const Vec3d& p : shape.points) out["points"].push_back(json_of(p));
      return out;
    case ContactShape::Kind::sphere:
    case ContactShape::Kind::wheel:
      out["radius"] = shape.radius;
      break;
    case ContactShape::Kind::box:
      out["size"] = json_of(shape.size);
      break;
    case ContactShape::Kind::capsule:
      out["radius"] = shape.radius, out["length"] = shape.length;
      break;
  }
  out["pose"] = json_of(shape.X_BG);
  return out;
}

template <class List, class F>
void add_list(Json& head, const char* key, const List& list, F&& of) {
  if (list.empty()) return;
  head[key] = Json::array();
  for (const auto& entry : list) head[key].push_back(of(entry));
}

}  // namespace

void add_mechanism(const Model& model, const Mechanism& mech, const DrawnPosition& position, const SceneTexts& texts,
                   Json& head, Meshes& meshes) {
  add_bodies(model, mech, position, texts, head, meshes);
  add_list(head, "joints", mech.joints, [](const JointInfo& j) { return json_of(j); });
  add_list(head, "constraints", mech.constraints, [](const ConstraintInfo& c) { return json_of(c); });
  add_list(head, "couplings", mech.couplings, [&](const CouplingInfo& c) { return json_of(mech, position, c); });
  add_springs(mech, head);
  add_list(head, "points", mech.outputs, [](const OutputInfo& o) {
    return Json{{"name", o.name}, {"body", o.body}, {"p", json_of(o.p_B)}};
  });
  add_list(head, "contacts", mech.contacts.shapes, [&](const ContactShape& c) { return json_of(mech, c); });
}

void add_texts(const Mechanism& mech, const DrawnPosition& position, const SceneTexts& texts, Json& head) {
  head["name"] = mech.name;
  head["generator"] = fmt::format("trammel {}", version());
  if (!texts.file.empty()) head["file"] = texts.file;
  if (!texts.mobility.empty()) {
    head["mobility"] = {{"text", texts.mobility}};
    if (!texts.mobility_detail.empty()) head["mobility"]["detail"] = texts.mobility_detail;
  }
  if (!texts.warnings.empty()) head["warnings"] = texts.warnings;
  const auto unit = [&](const Dimension& d) {
    return Json{{"name", mech.units.name(d)}, {"per_si", mech.units.from_si(1, d)}};
  };
  head["units"] = {{"length", unit(dimension::length)}, {"angle", unit(dimension::angle)}};
  const Vec3d g = mech.parameters.gravity;
  const std::optional<Plane> plane = plane_of_motion(mech, position);
  if (norm(g) > 0) {
    head["up"] = json_of(g * (-1 / norm(g)));
  } else if (plane) {
    head["up"] = json_of(cross(plane->normal * (1 / norm(plane->normal)), plane->x * (1 / norm(plane->x))));
  }
  if (plane) head["plane"] = {{"point", json_of(plane->point)}, {"normal", json_of(plane->normal)}};
}

void add_surroundings(const Model& model, Bundle& bundle, Json& head) {
  const Terrain& terrain = model.terrain;
  if (terrain.kind != Terrain::Kind::none) {
    Json out{{"kind", keyword(terrain.kind)}, {"pose", json_of(terrain.X_WT)}};
    if (terrain.kind == Terrain::Kind::steps) {
      out["steps"] = Json::array();
      for (const Terrain::Step& step : terrain.steps) out["steps"].push_back({step.x, step.height});
    }
    if (terrain.kind == Terrain::Kind::grid) {
      out["nx"] = terrain.nx, out["ny"] = terrain.ny;
      out["spacing"] = {terrain.spacing_x, terrain.spacing_y};
      const std::vector<float> heights(terrain.heights.begin(), terrain.heights.end());
      out["heights"] = bundle.numbers(std::span<const float>(heights));
      out["edge"] = keyword(terrain.edge);
      if (terrain.edge == Terrain::Edge::plane) out["edge_height"] = terrain.edge_height;
      if (!terrain.cells.empty()) {
        out["cells"] = bundle.integers(terrain.cells);
        out["materials"] = terrain.cell_materials;
      }
    }
    head["terrain"] = out;
  }
  constexpr double thin = 100;  // kg/m³: air is not drawn
  if (model.fluid.empty() || model.fluid.media.front().density < thin) return;
  const Medium& medium = model.fluid.media.front();
  Json water{{"name", medium.name}};
  if (std::isfinite(medium.surface)) water["surface"] = medium.surface;
  if (std::isfinite(model.fluid.depth)) water["depth"] = model.fluid.depth;
  const Flow flow(model.fluid, model.gravity);
  for (At k = 0; k < model.fluid.waves.size(); ++k) {
    const Wave& wave = model.fluid.waves[k];
    const Vec3d level = wave.direction - flow.up() * dot(flow.up(), wave.direction);
    water["waves"].push_back({{"amplitude", wave.height / 2},
                              {"wave_number", flow.wave_number(k)},
                              {"omega", 2 * std::numbers::pi / wave.period},
                              {"direction", json_of(level * (1 / norm(level)))},
                              {"phase", wave.phase}});
  }
  head["water"] = water;
}

void add_meshes(const Meshes& meshes, Bundle& bundle, Json& head) {
  for (const Mesh& mesh : meshes.list) {
    Json out{{"name", mesh.name}};
    if (mesh.missing.empty()) {
      out["format"] = mesh.format;
      out["bytes"] = bundle.bytes(mesh.bytes);
    } else {
      out["missing"] = mesh.missing;
    }
    head["meshes"].push_back(out);
  }
}

}  // namespace trammel::scene

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mjcf_geoms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trammel::readers::mjcf {

namespace {

const std::vector<std::string> types{"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                     "cylinder", "box",    "mesh",   "sdf"};
enum Type : std::size_t { plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf };

constexpr double default_density = 1000;
// MuJoCo's viewer draws the groups up to this one; by its convention those above are for what is only touched.
constexpr int last_drawn_group = 2;

bool has_two_ends(std::size_t type) { return type == capsule || type == cylinder || type == ellipsoid || type == box; }

// Half sizes as MJCF has them.
struct Measures {
  Transformd X_FG;
  std::vector<double> size;
};

// fromto: z runs from the second point to the first, half their distance is the half length, and the other sizes of a
// box or ellipsoid are both the first.
bool read_from_to(Reading& r, const Item& item, std::size_t type, Measures& measures) {
  const Attribute* given = item.find("fromto");
  if (given == nullptr) return true;
  const auto n = read_numbers(r.report, item, "fromto", 6);
  if (!n) return false;
  if (!has_two_ends(type)) {
    r.report.error(given->place, "attribute-conflict",
                   fmt::format("{} is a {} and cannot have 'fromto'", item.subject(), types[type]),
                   "fromto is for capsule, cylinder, box and ellipsoid; give pos instead");
    return false;
  }
  if (item.has("pos")) {
    r.report.error(given->place, "attribute-conflict", fmt::format("{} has both 'pos' and 'fromto'", item.subject()),
                   "keep one of them");
    return false;
  }
  const Vec3d from{(*n)[0], (*n)[1], (*n)[2]}, to{(*n)[3], (*n)[4], (*n)[5]};
  const double length = norm(from - to);
  if (!(length > 1e-14)) {
    r.report.error(given->place, "direction-zero", fmt::format("{} has two equal points", item.what("fromto")),
                   "give two different points");
    return false;
  }
  measures.X_FG = {turn_z_to(from - to), (from + to) * 0.5};
  auto& size = measures.size;
  if (type == box || type == ellipsoid) {
    size[1] = size[0];
    size[2] = length / 2;
  } else {
    size[1] = length / 2;
  }
  return true;
}

std::size_t sizes_needed(std::size_t type) {
  return type == sphere ? 1 : type == capsule || type == cylinder ? 2 : type == ellipsoid || type == box ? 3 : 0;
}

bool check_sizes(Reading& r, const Item& item, std::size_t type, const Measures& measures) {
  for (std::size_t i = 0; i < sizes_needed(type); ++i) {
    if (measures.size[i] > 0) continue;
    const Attribute* given = item.find("size");
    r.report.error(given == nullptr ? item.place() : given->place, "number-not-positive",
                   fmt::format("{} is a {} and needs {} above 0", item.subject(), types[type],
                               count_of(sizes_needed(type), "size")),
                   type == sphere                        ? "give the radius"
                   : type == capsule || type == cylinder ? "give the radius and half the length"
                                                         : "give half the length of each side");
    return false;
  }
  return true;
}

void tell_no_effects(Reading& r, const Item& item, std::size_t type) {
  if (item.has("fromto")) {
    for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
      tell_no_effect(r.report, item, name, "a geom with fromto");
    }
  }
  if (type == mesh || item.has("mesh")) {
    tell_no_effect(r.report, item, "size", "a geom with a mesh");
    return;
  }
  const std::size_t needed = item.has("fromto") ? 1 : sizes_needed(type);
  const Attribute* size = item.element().find("size");
  if (size != nullptr && count_words(size->value) > needed) {
    r.report.leave_out(size->place, fmt::format("a size too many of a {}", types[type]),
                       "it has no effect in MuJoCo either");
  }
}

Shape shape_of(std::size_t type, const Measures& measures) {
  Shape shape;
  shape.X_BS = measures.X_FG;
  const auto& s = measures.size;
  switch (type) {
    case sphere:
      shape.kind = Shape::Kind::sphere;
      shape.radius = s[0];
      break;
    case capsule:
    case cylinder:
      shape.kind = type == capsule ? Shape::Kind::capsule : Shape::Kind::cylinder;
      shape.radius = s[0];
      shape.length = 2 * s[1];
      break;
    case ellipsoid:
      shape.kind = Shape::Kind::ellipsoid;
      shape.size = {s[0], s[1], s[2]};
      break;
    default:
      shape.kind = Shape::Kind::box;
      shape.size = {2 * s[0], 2 * s[1], 2 * s[2]};
      break;
  }
  return shape;
}

std::optional<Shape> mesh_shape(Reading& r, const Item& item, const Measures& measures) {
  const Attribute* name = item.find("mesh");
  if (name == nullptr) {
    report_missing(r.report, item, "mesh", "add mesh=\"name\", the name of a <mesh> in <asset>");
    return std::nullopt;
  }
  const auto asset = r.meshes.find(name->value);
  if (asset == r.meshes.end()) {
    r.report.error(name->place, "mesh-unknown",
                   fmt::format("{} names a mesh {} that is not there", item.subject(), quote(name->value)),
                   r.report.guess_or(name->value, r.names_of(r.meshes), "add a <mesh> of that name to <asset>"));
    return std::nullopt;
  }
  if (!asset->second.usable) return std::nullopt;
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.mesh = asset->second.file;
  shape.scale = asset->second.scale;
  // MuJoCo's vertices are S Rᵀ (v − p), scaled last; ours X (S v). With R = 1 or S a number they can be the same.
  const Transformd& X_ref = asset->second.X_ref;
  const Vec3d &scale = shape.scale, &p = X_ref.p;
  const bool even = scale.x == scale.y && scale.y == scale.z,
             turned = norm(X_ref.R.ex - Vec3d{1, 0, 0}) + norm(X_ref.R.ey - Vec3d{0, 1, 0}) > 1e-12;
  if (!even && turned) {
    r.report.leave_out(item.place(), "a mesh that is turned by refquat and scaled unevenly",
                       "it cannot be placed here");
    return std::nullopt;
  }
  shape.X_BS = measures.X_FG * inverse(Transformd{X_ref.R, {scale.x * p.x, scale.y * p.y, scale.z * p.z}});
  return shape;
}

std::optional<Colour> colour_of(Reading& r, const Item& item) {
  std::optional<Colour> colour;
  if (const auto c = read_numbers(r.report, item, "rgba", 4)) {
    colour = Colour{(*c)[0], (*c)[1], (*c)[2], (*c)[3]};
  } else if (const Attribute* material = item.find("material")) {
    const auto known = r.materials.find(material->value);
    if (known != r.materials.end()) {
      colour = known->second;
    } else {
      r.report.leave_out(material->place,
                         fmt::format("the material {}, which is not in the file,", quote(material->value)),
                         "MuJoCo refuses such a file");
    }
  }
  if (!colour) return colour;
  bool outside = false;
  for (double* part : {&colour->red, &colour->green, &colour->blue, &colour->alpha}) {
    outside = outside || *part != std::clamp(*part, 0.0, 1.0);
    *part = std::clamp(*part, 0.0, 1.0);
  }
  if (outside) r.report.leave_out(item.place(), "what is outside 0 to 1 in a colour", "the nearest of the two is used");
  return colour;
}

std::optional<double> read_weight(Reading& r, const Item& item, const char* name) {
  const auto number = read_number(r.report, item, name);
  if (!number || *number >= 0) return number;
  r.report.error(item.find(name)->place, "mass-negative",
                 fmt::format("{} is negative: {}", item.what(name), rounded(*number)), "give 0 or more");
  return std::nullopt;
}

int read_integer(Reading& r, const Item& item, const char* name, int otherwise) {
  const auto number = read_number(r.report, item, name);
  return number ? static_cast<int>(std::clamp(*number, -2e9, 2e9)) : otherwise;
}

void weigh(Reading& r, const Item& item, std::size_t type, Geom& geom) {
  const auto mass = read_weight(r, item, "mass");
  const double density = read_weight(r, item, "density").value_or(default_density);
  if (type == mesh || item.has("mesh")) {
    // Unless the mesh was not found, of which was told.
    const auto asset = r.meshes.find(read_text(item, "mesh"));
    geom.weighs_unknown = asset != r.meshes.end() && (mass ? *mass > 0 : density > 0);
  } else if (geom.shape) {
    geom.mass = mass ? *mass : density * volume(*geom.shape);
  }
  geom.hollow = read_bool(r.report, item, "shellinertia").value_or(false);
}

}  // namespace

Geom read_geom(Reading& r, const Item& item, const Transformd& X_BF) {
  Geom geom;
  geom.place = item.place();
  std::size_t type = sphere;
  if (item.has("type")) {
    const auto word = read_word(r.report, item, "type", types);
    if (!word) return geom;
    type = *word;
  }
  if (const Attribute* name = item.find("name"); name != nullptr && !name->value.empty())
    r.report.leave_out(name->place, "the name of a geom", "shapes have no names here");
  for (const char* mask : {"contype", "conaffinity"}) {
    const int bits = read_integer(r, item, mask, 1);
    if (bits != 0 && bits != 1)
      r.report.leave_out(item.place(), fmt::format("{} other than 0 and 1", mask), "shapes collide or do not, here");
  }
  geom.group = read_integer(r, item, "group", 0);
  geom.collides = read_integer(r, item, "contype", 1) != 0 || read_integer(r, item, "conaffinity", 1) != 0;
  geom.drawn = !geom.collides || geom.group <= last_drawn_group;
  if (type == plane || type == hfield || type == sdf) {
    r.report.leave_out(item.place(), fmt::format("a geom of type {}", types[type]),
                       "there is no such shape here; it has no mass");
    return geom;
  }
  Measures measures;
  const auto size = read_over(r.report, item, "size", {0, 0, 0});
  if (!size) return geom;
  measures.size = *size;
  if (!item.has("fromto")) measures.X_FG = read_pose(r, item);
  if (!read_from_to(r, item, type, measures)) return geom;
  if (type == mesh || item.has("mesh")) {
    geom.shape = mesh_shape(r, item, measures);
    if (type != mesh) r.report.leave_out(item.place(), "a geom fitted to a mesh", "the mesh itself is kept");
    tell_no_effects(r, item, type);
  } else if (check_sizes(r, item, type, measures)) {
    geom.shape = shape_of(type, measures);
    tell_no_effects(r, item, type);
  }
  if (geom.shape) {
    geom.shape->X_BS = X_BF * geom.shape->X_BS;
    geom.shape->colour = colour_of(r, item);
    geom.shape->where = r.report.in_main(item.place());
  }
  weigh(r, item, type, geom);
  return geom;
}

void tell_weightless(Reading& r, const Item& item) {
  for (const char* name : {"mass", "density"}) {
    const auto number = item.element().find(name) == nullptr ? std::nullopt : read_number(r.report, item, name);
    if (number && *number != 0) {
      tell_no_effect(r.report, item, name, "a geom from which its body does not take its mass");
    }
  }
}

std::optional<MassProperties> mass_of_geoms(Reading& r, const std::vector<Geom>& geoms, const std::string& body,
                                            bool moves) {
  std::vector<Shape> solids;
  std::vector<const Geom*> weighed;
  for (const Geom& geom : geoms) {
    if (geom.group < r.compiler.first_group || geom.group > r.compiler.last_group) continue;
    weighed.push_back(&geom);
    if (geom.weighs_unknown && moves) {
      r.report.error(geom.place, "mesh-inertia",
                     fmt::format("the mass of {} would come from a mesh, whose volume is not known here", body),
                     "give the body an <inertial>, or the geom mass=\"0\"");
    }
    if (!geom.shape || geom.mass <= 0) continue;
    if (geom.hollow && moves) {
      r.report.error(
          geom.place, "not-yet",
          fmt::format("a geom of {} has its mass on its surface (shellinertia), which cannot be read yet", body),
          "delete the attribute, or give the body an <inertial>");
    }
    solids.push_back(*geom.shape);
    solids.back().mass = geom.mass;
  }
  if (weighed.empty()) return std::nullopt;
  MassProperties mass = mass_of_shapes(solids, std::nullopt);
  if (solids.empty() && weighed.size() == 1 && weighed.front()->shape) mass.com = weighed.front()->shape->X_BS.p;
  return mass;
}

}  // namespace trammel::readers::mjcf

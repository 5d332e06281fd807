// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sections `materials` and `contacts`. Whether names of materials and of what is touched are there is judged by compile().

#include "readers/yaml_contacts.hpp"

#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_geometry.hpp"
#include "readers/yaml_linkage.hpp"
#include "readers/yaml_shapes.hpp"

namespace trammel::readers {
namespace {

using Kind = ContactShape::Kind;

// --- materials ---------------------------------------------------------------------------------------------------------------------

// One number for both, or {static, kinetic}.
bool read_friction(Reading& r, const Node& node, const std::string& what, ContactMaterial& material) {
  if (!node.is_map()) {
    const auto both = read_not_negative(r, node, what, dimension::none);
    material.friction_static = material.friction_kinetic = both.value_or(0);
    return both.has_value();
  }
  const Fields fields(r, node, "friction of a contact", what);
  if (!fields.usable()) return false;
  const Node* at_rest = fields.find("static");
  const Node* moving = fields.find("kinetic");
  if (at_rest == nullptr || moving == nullptr) {
    fields.report_missing(r, at_rest == nullptr ? "static" : "kinetic",
                          "write {static: 0.6, kinetic: 0.5}, or one number for both");
    return false;
  }
  const auto s = read_not_negative(r, *at_rest, fields.what("static"), dimension::none);
  const auto k = read_not_negative(r, *moving, fields.what("kinetic"), dimension::none);
  if (!s || !k) return false;
  if (*k > *s) {
    r.messages.error(
        moving->where, "material-wrong",
        fmt::format("{} is larger than the static one: {} > {}", fields.what("kinetic"), rounded(*k), rounded(*s)),
        "what slips is not held better than what rests: exchange them");
    return false;
  }
  material.friction_static = *s, material.friction_kinetic = *k;
  return true;
}

bool read_tangential(Reading& r, const Node& node, const std::string& what, ContactMaterial& material) {
  const Fields fields(r, node, "tangential", what);
  bool complete = fields.usable();
  const auto read = [&](std::string_view key, const Dimension& dimension, std::optional<double>& to) {
    const Node* given = fields.find(key);
    if (given == nullptr) return;
    to = read_positive(r, *given, fields.what(key), dimension);
    complete = complete && to;
  };
  read("stiffness", spring_dimension::stiffness, material.tangential_stiffness);
  read("damping", spring_dimension::damping, material.tangential_damping);
  return complete;
}

bool read_material(Reading& r, const Fields& fields, ContactMaterial& material) {
  bool complete = true;
  if (const Node* between = fields.find("between")) {
    material.between = read_two_names(r, *between, "the materials of " + fields.subject(), "between: [rubber, rock]");
    complete = material.between.has_value();
  }
  if (const Node* exponent = fields.find("exponent")) {
    const auto n = read_positive(r, *exponent, fields.what("exponent"), dimension::none);
    complete = complete && n;
    material.exponent = n.value_or(1);
  }
  if (const Node* stiffness = fields.find("stiffness")) {
    const Dimension plain = material.exponent == 1 ? spring_dimension::stiffness : dimension::none;
    const auto k = read_positive(r, *stiffness, fields.what("stiffness"), plain);
    complete = complete && k;
    material.stiffness = k.value_or(1);
    if (material.exponent != 1) material.stiffness *= stiffness_in_si(r.model.units, material.exponent);
  } else {
    fields.report_missing(r, "stiffness", "add stiffness: force per depth");
    complete = false;
  }
  const auto not_negative = [&](std::string_view key, const Dimension& dimension, double& to) {
    const Node* given = fields.find(key);
    if (given == nullptr) return;
    const auto x = read_not_negative(r, *given, fields.what(key), dimension);
    complete = complete && x;
    to = x.value_or(0);
  };
  not_negative("dissipation", contact_dimension::dissipation, material.dissipation);
  not_negative("damping", spring_dimension::damping, material.damping);
  if (const Node* friction = fields.find("friction")) {
    complete = read_friction(r, *friction, fields.what("friction"), material) && complete;
  }
  if (const Node* tangential = fields.find("tangential")) {
    complete = read_tangential(r, *tangential, fields.what("tangential"), material) && complete;
  }
  return complete;
}

// --- contacts ----------------------------------------------------------------------------------------------------------------------

// One contact while it is read. Numbers are in the frame L that `in` names, the world's otherwise, at the design position.
struct ContactReader {
  Reading& r;
  const Fields& fields;
  ContactShape& shape;
  BodyRef on = {}, in = {.is_ground = true};
  bool ok = true;

  bool is_own() const { return in.is_ground == on.is_ground && in.index == on.index; }
  Transformd X_WL() const { return design_pose(r, in); }
  Vec3d to_body(const Place& place) const {
    if (is_own() && !place.in_world) return place.p;
    return inverse(design_pose(r, on)) * (place.in_world ? place.p : X_WL() * place.p);
  }

  void read_bodies() {
    if (const Node* given = fields.find("on")) {
      const auto body = read_body(r, *given, fields.subject());
      ok = body.has_value();
      if (body) on = *body;
    } else {
      fields.report_missing(r, "on", "add on: followed by a body");
      ok = false;
    }
    if (const Node* given = fields.find("in")) {
      const auto body = read_body(r, *given, fields.what("in"));
      ok = ok && body;
      if (body) in = *body;
    }
    if (ok) shape.body = name_of(r, on);
  }

  double positive(std::string_view key, std::string_view called) {
    const Node* node = fields.find(key);
    if (node == nullptr) {
      fields.report_missing(r, key, fmt::format("add {}: followed by a length", key));
      ok = false;
      return 1;
    }
    const auto x = read_positive(r, *node, fields.what(called), dimension::length);
    ok = ok && x;
    return x.value_or(1);
  }

  // The centre; left out, the body's origin.
  void read_at() {
    const Node* at = fields.find("at");
    if (at == nullptr) return;
    const auto place = read_place(r, *at, fields.what("at"));
    ok = ok && place;
    if (place && ok) shape.X_BG.p = to_body(*place);
  }

  void read_points() {
    const Node* one = fields.find("point");
    const Node& node = one != nullptr ? *one : *fields.find("points");
    if (one == nullptr && (!node.is_list() || node.children.empty())) {
      r.messages.error(node.where, "wrong-type",
                       fmt::format("{} must be a list of points, not {}", fields.what("points"), describe(node)),
                       "write points: [P, [x, y, z]], or point: P for one");
      ok = false;
      return;
    }
    const auto add = [&](const Node& given, const std::string& what) {
      const auto place = read_place(r, given, what);
      ok = ok && place;
      if (place && ok) shape.points.push_back(to_body(*place));
    };
    if (one != nullptr) return add(node, fields.what("point"));
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      add(*node.children[i].value, fmt::format("point {} of {}", i + 1, fields.subject()));
    }
  }

  void read_wheel() {
    shape.radius = positive("wheel", "radius");
    if (const Node* tyre = fields.find("tyre")) {
      const auto x = read_not_negative(r, *tyre, fields.what("tyre"), dimension::length);
      ok = ok && x;
      shape.tyre = x.value_or(0);
      if (x && shape.tyre > shape.radius) {
        r.messages.error(tyre->where, "contact-size", fmt::format("{} is larger than the wheel", fields.what("tyre")),
                         "give the radius of its rounding: at most that of the wheel");
        ok = false;
      }
    }
    read_at();
    const Node* axis = fields.find("axis");
    if (axis != nullptr && fields.has("rotation")) {
      r.messages.error(axis->where, "key-conflict", fmt::format("{} has both 'axis' and 'rotation'", fields.subject()),
                       "keep one of them");
      ok = false;
      return;
    }
    if (fields.has("rotation")) return read_own_rotation();
    if (axis == nullptr) {
      fields.report_missing(r, "axis", "add axis: the direction of its axle");
      ok = false;
      return;
    }
    const auto direction = read_direction(r, *axis, fields.what("axis"), X_WL());
    ok = ok && direction;
    if (!ok) return;
    const Vec3d axis_B = is_own() ? *direction : transpose_times(design_pose(r, on).R, X_WL().R * *direction);
    shape.X_BG = frame_at(shape.X_BG.p, axis_B);
  }

  void read_box() {
    const Node& node = *fields.find("box");
    const auto size = read_vector(r, node, fields.what("edges"), dimension::length);
    ok = ok && size;
    shape.size = size.value_or(Vec3d{1, 1, 1});
    if (size && !(size->x > 0 && size->y > 0 && size->z > 0)) {
      r.messages.error(node.where, "contact-size",
                       fmt::format("one of the {} is not more than 0", fields.what("edges")),
                       "give three lengths above 0");
      ok = false;
    }
    read_at();
    read_own_rotation();
  }

  void read_own_rotation() {
    Mat3d R_LG = Mat3d::identity();
    if (const Node* rotation = fields.find("rotation")) {
      const auto R = read_rotation(r, *rotation, fields.what("rotation"));
      ok = ok && R;
      if (R) R_LG = *R;
    }
    if (ok) shape.X_BG.R = is_own() ? R_LG : transpose(design_pose(r, on).R) * (X_WL().R * R_LG);
  }

  void read_capsule() {
    shape.radius = positive("radius", "radius");
    const Node& node = *fields.find("capsule");
    if (node.is_scalar()) {
      shape.length = positive("capsule", "length");
      read_at();
      return read_own_rotation();
    }
    for (const char* key : {"at", "rotation"}) {
      if (const Node* other = fields.find(key)) {
        r.messages.error(other->where, "key-conflict",
                         fmt::format("{} is drawn by its points and cannot have '{}'", fields.subject(), key),
                         fmt::format("delete '{}', or move the points", key));
        ok = false;
      }
    }
    if (!node.is_list() || node.children.size() != 2) {
      r.messages.error(node.where, "wrong-type",
                       fmt::format("{} must be two points, not {}", fields.what("ends"), describe(node)),
                       "write capsule: [P, Q], with names of points or [x, y, z]");
      ok = false;
      return;
    }
    const auto P = read_place(r, *node.children[0].value, "the first end of " + fields.subject());
    const auto Q = read_place(r, *node.children[1].value, "the second end of " + fields.subject());
    ok = ok && P && Q;
    if (!ok) return;
    const Vec3d p = to_body(*P), q = to_body(*Q);
    if (!(norm(q - p) > 0) || !std::isfinite(norm(q - p))) {
      r.messages.error(node.where, "contact-size", fields.subject() + " has both ends in one place",
                       "move one end, or make it a sphere");
      ok = false;
      return;
    }
    const Shape bar = bar_between(Shape::Kind::capsule, p, q, shape.radius);
    shape.X_BG = bar.X_BS;
    shape.length = bar.length;
  }

  void read_rest() {
    if (const Node* material = fields.find("material")) {
      const auto name = read_text(r, *material, fields.what("material"));
      ok = ok && name;
      shape.material = name.value_or("");
    }
    if (const Node* terrain = fields.find("terrain")) {
      const auto touches = read_bool(r, *terrain, fields.what("terrain"));
      ok = ok && touches;
      shape.touches_terrain = touches.value_or(true);
    }
    const Node* against = fields.find("against");
    if (against == nullptr) return;
    if (against->is_scalar()) {
      const auto name = read_text(r, *against, fields.what("against"));
      ok = ok && name;
      if (name) shape.against.push_back(*name);
      return;
    }
    if (!against->is_list()) {
      r.messages.error(against->where, "wrong-type",
                       fmt::format("{} must be names of contacts, not {}", fields.what("against"), describe(*against)),
                       "write against: [kerb, crate]");
      ok = false;
      return;
    }
    for (const Node::Child& child : against->children) {
      const auto name = read_text(r, *child.value, "a name in " + fields.what("against"));
      ok = ok && name;
      if (name) shape.against.push_back(*name);
    }
  }
};

}  // namespace

double stiffness_in_si(const Units& units, double exponent) {
  return units.force_si / std::pow(units.length_si, exponent);
}

void read_materials(Reading& r, const Node& section) {
  if (!check_section(r, section, "materials", "{rubber: {stiffness: 1e5, dissipation: 0.3, friction: 0.8}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "material")) continue;
    ContactMaterial material;
    material.name = child.key->text;
    material.where = child.key->where;
    const Fields fields(r, *child.value, "material", "material " + quote(material.name));
    if (fields.usable() && read_material(r, fields, material)) r.model.materials.push_back(std::move(material));
  }
}

void read_contacts(Reading& r, const Node& section) {
  if (!check_section(r, section, "contacts", "{foot: {point: P, on: leg, material: rubber}, …}")) return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "contact")) continue;
    ContactShape shape;
    shape.name = child.key->text;
    shape.where = child.key->where;
    const std::string subject = "contact " + quote(shape.name);
    const std::string kind =
        read_kind(r, *child.key, *child.value, subject, {"point", "points", "sphere", "wheel", "box", "capsule"},
                  "{sphere: 0.1, on: ball, material: rubber}");
    if (kind.empty()) continue;
    const Fields fields(r, *child.value, "contact " + kind, subject);
    if (!fields.usable()) continue;
    ContactReader reader{r, fields, shape};
    reader.read_bodies();
    if (kind == "point" || kind == "points") {
      reader.read_points();
    } else if (kind == "sphere") {
      shape.kind = Kind::sphere;
      shape.radius = reader.positive("sphere", "radius");
      reader.read_at();
    } else if (kind == "wheel") {
      shape.kind = Kind::wheel;
      reader.read_wheel();
    } else if (kind == "box") {
      shape.kind = Kind::box;
      reader.read_box();
    } else {
      shape.kind = Kind::capsule;
      reader.read_capsule();
    }
    reader.read_rest();
    if (reader.ok) r.model.contacts.push_back(std::move(shape));
  }
}

}  // namespace trammel::readers

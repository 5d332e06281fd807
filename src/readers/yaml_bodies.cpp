// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_bodies.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/inertia_check.hpp"
#include "readers/mass_properties.hpp"
#include "readers/yaml_fluid.hpp"
#include "readers/yaml_shapes.hpp"

namespace trammel::readers {

namespace {

std::optional<PoseDraft> read_pose(Reading& r, const Node& node, const std::string& what) {
  PoseDraft pose;
  if (!node.is_map()) {
    const auto at = read_place(r, node, what);
    if (!at) return std::nullopt;
    pose.at = *at;
    return pose;
  }
  const Fields fields(r, node, "pose", what);
  if (const Node* at = fields.find("at")) {
    const auto place = read_place(r, *at, fields.what("at"));
    if (!place) return std::nullopt;
    pose.at = *place;
  }
  if (const Node* in = fields.find("in")) {
    pose.in = read_body(r, *in, fields.what("in"));
    if (!pose.in) return std::nullopt;
  }
  const auto R = read_rotation_keys(r, fields);
  if (!R) return std::nullopt;
  pose.R = *R;
  return pose;
}

// [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]
std::optional<Sym3d> read_moments(Reading& r, const Node& node, const std::string& what) {
  const std::size_t count = node.children.size();
  if (!node.is_list() || (count != 3 && count != 6)) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a list of 3 or 6 numbers, not {}", what, describe(node)),
                     "write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    return std::nullopt;
  }
  const auto n = read_numbers(r, node, what, std::vector<Dimension>(count, dimension::inertia));
  if (!n) return std::nullopt;
  const auto& a = *n;
  return count == 3 ? Sym3d{a[0], a[1], a[2], 0, 0, 0} : Sym3d{a[0], a[1], a[2], a[3], a[4], a[5]};
}

std::optional<Sym3d> read_inertia(Reading& r, const Node& node, const std::string& subject, const Body& body,
                                  const Transformd& X_WL) {
  const std::string what = "inertia of " + subject;
  if (!node.is_map()) return read_moments(r, node, what);
  const Fields fields(r, node, "inertia", what);
  const Node* matrix = fields.find("matrix");
  if (matrix == nullptr) {
    fields.report_missing(r, "matrix", "add matrix: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    return std::nullopt;
  }
  auto inertia = read_moments(r, *matrix, fields.what("matrix"));
  if (!inertia) return std::nullopt;
  if (const Node* axes = fields.find("axes")) {
    const auto R = read_rotation(r, *axes, fields.what("axes"));
    if (!R) return std::nullopt;
    inertia = rotate(*R, *inertia);
  }
  if (const Node* about = fields.find("about")) {
    const auto place = read_place(r, *about, fields.what("about"));
    if (!place) return std::nullopt;
    // Steiner: I_C = I_P − m (|d|² 1 − d dᵀ), d from P to C
    *inertia -= RigidInertia<double>::point_inertia(body.mass, body.com - place->in(X_WL));
  }
  return inertia;
}

void check_inertia(Reading& r, const Body& body, SourceLocation where) {
  const std::string overflow = find_overflow(body.shapes, {body.mass, body.com, body.inertia});
  if (!overflow.empty()) {
    r.messages.error(where, "number-not-finite",
                     fmt::format("{} of body {} is beyond what a double holds", overflow, quote(body.name)),
                     "check the sizes and units");
    return;
  }
  const InertiaJudgement judgement = judge_inertia(body.inertia);
  if (!judgement.negative && !judgement.triangle) return;
  const auto shown = [&](double x) { return rounded(r.model.units.from_si(x, dimension::inertia)); };
  const std::string moments = fmt::format("{}, {}, {} {}", shown(judgement.principal.x), shown(judgement.principal.y),
                                          shown(judgement.principal.z), r.model.units.name(dimension::inertia));
  if (judgement.negative) {
    r.messages.error(where, "inertia-negative",
                     fmt::format("body {} has a negative principal moment of inertia: {}", quote(body.name), moments),
                     "give the inertia at the centre of mass; check the signs of xy, xz, yz");
  } else {
    r.messages.warning(body.where, "inertia-triangle",
                       fmt::format("body {} has principal moments {}: the largest exceeds the sum of the others, "
                                   "which no real body's does",
                                   quote(body.name), moments),
                       "check the inertia; it is used as given");
  }
}

// What the shapes weigh against what the body says.
void check_mass_of_shapes(Reading& r, const Body& body, double total, const Node& mass) {
  const OwnMass own = own_mass(body.shapes);
  const auto shown = [&](double x) {
    return fmt::format("{} {}", rounded(r.model.units.from_si(x, dimension::mass)), r.model.units.mass);
  };
  if (!own.complete && own.sum > total) {
    r.messages.error(mass.where, "mass-mismatch",
                     fmt::format("body {} has mass {}, but some of its shapes weigh {} already", quote(body.name),
                                 shown(total), shown(own.sum)),
                     "raise the mass of the body, or lower that of the shapes");
  } else if (own.complete && std::abs(own.sum - total) > 1e-9 * total) {
    r.messages.warning(
        mass.where, "mass-mismatch",
        fmt::format("body {} has mass {}, but its shapes weigh {}", quote(body.name), shown(total), shown(own.sum)),
        "leave out one of the two; the mass of the body is used");
  }
}

// Numbers of one body while they are read.
struct ContentsReader {
  Reading& r;
  const Fields& fields;
  Body& body;
  const Transformd& X_WL;
  std::optional<double> mass;

  void read_mass() {
    const Node* node = fields.find("mass");
    if (node == nullptr) return;
    mass = read_number(r, *node, fields.what("mass"), dimension::mass);
    if (mass && *mass < 0) {
      r.messages.error(node->where, "mass-negative",
                       fmt::format("{} has a negative mass: {} {}", fields.subject(), node->text, r.model.units.mass),
                       "give a mass of 0 or more");
      mass = 0;
    }
  }

  void read_solids() {
    const auto read = [&](std::string_view key, ShapeUse use) {
      const Node* shape = fields.find(key);
      return shape == nullptr ? std::vector<Shape>{} : read_shapes(r, *shape, fields.subject(), X_WL, use);
    };
    body.shapes = read("shape", ShapeUse::solid);
    body.visuals = read("visual", ShapeUse::visual);
    body.collisions = read("collision", ShapeUse::collision);
    const Node* node = fields.find("density");
    if (node == nullptr) return;
    if (fields.has("mass")) {
      r.messages.error(node->where, "key-conflict", fields.subject() + " has both 'mass' and 'density'",
                       "keep one of them");
      return;
    }
    if (!fields.has("shape")) {
      r.messages.error(node->where, "key-conflict", fields.subject() + " has a density but no shape to fill",
                       "add a shape, or give the mass instead");
      return;
    }
    const auto density = read_positive(r, *node, fields.what("density"), dimension::density);
    if (!density) return;
    for (Shape& s : body.shapes) {
      if (!s.mass && !s.density) s.density = density;
    }
  }

  void combine() {
    if (mass && !body.shapes.empty()) check_mass_of_shapes(r, body, *mass, *fields.find("mass"));
    const MassProperties solid = mass_of_shapes(body.shapes, mass);
    body.mass = mass.value_or(solid.mass);
    body.com = solid.com;
    body.inertia = solid.inertia;
    if (const Node* com = fields.find("com")) {
      if (const auto place = read_place(r, *com, fields.what("com"))) body.com = place->in(X_WL);
    }
    const Node* inertia = fields.find("inertia");
    if (inertia != nullptr) {
      const auto given = read_inertia(r, *inertia, fields.subject(), body, X_WL);
      if (!given) return;
      body.inertia = *given;
      if (body.mass == 0 && !mass) {
        r.messages.warning(inertia->where, "mass-missing",
                           fmt::format("{} has moments of inertia, but no mass", fields.subject()),
                           "give its mass, or the density of its shapes; 'mass: 0' says that it has none");
      }
    }
    check_inertia(r, body, inertia != nullptr ? inertia->where : body.where);
  }
};

}  // namespace

std::vector<BodyDraft> declare_bodies(Reading& r, const Node& section) {
  std::vector<BodyDraft> drafts;
  if (section.is_null()) return drafts;
  if (!section.is_map()) {
    r.messages.error(section.where, "wrong-type",
                     fmt::format("bodies must be a mapping from names to bodies, not {}", describe(section)),
                     "write bodies: {name: {mass: …}, …}");
    return drafts;
  }
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "body")) continue;
    if (child.key->text == ground_name) {
      r.messages.error(child.key->where, "name-reserved", "a body is called 'ground', which means the world",
                       "choose another name; what is fixed to the world needs no body");
      continue;
    }
    Body& body = r.model.bodies.emplace_back();
    body.name = child.key->text;
    body.where = child.key->where;
    r.bodies.add(body.name);
    drafts.push_back({child.value, std::nullopt, nullptr});
  }
  return drafts;
}

void read_poses_as_written(Reading& r, std::vector<BodyDraft>& drafts) {
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Node& node = *drafts[i].node;
    if (!node.is_map()) continue;
    drafts[i].pose_node = node.find("pose");
    if (drafts[i].pose_node == nullptr) continue;
    drafts[i].pose = read_pose(r, *drafts[i].pose_node, "pose of body " + quote(r.model.bodies[i].name));
  }
}

void read_body_contents(Reading& r, const BodyDraft& draft, Body& body, const Transformd& X_WL) {
  if (draft.node->is_null()) return;  // "crank:" alone is a body without mass
  const Fields fields(r, *draft.node, "body", "body " + quote(body.name));
  ContentsReader reader{r, fields, body, X_WL, std::nullopt};
  reader.read_mass();
  reader.read_solids();
  reader.combine();
  if (const Node* fluid = fields.find("fluid")) read_hydrodynamics(r, *fluid, body, X_WL);
}

void move_frame(Body& body, Vec3d p_LB) {
  body.X_WB.p += body.X_WB.R * p_LB;
  body.com -= p_LB;
  for (auto* shapes : {&body.shapes, &body.visuals, &body.collisions}) {
    for (Shape& s : *shapes) s.X_BS.p -= p_LB;
  }
  if (!body.in_fluid.is_usual()) move_hydrodynamics(*body.in_fluid, p_LB);
}

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Looking names up in a model, and building one in C++. A joint is drawn once, at its place in the world at the design
// position; each of the two bodies then carries its own copy of that frame:
//   X_AF = X_WA⁻¹ X_WJ,   X_BM = X_WB⁻¹ X_WJ          (the ground's pose is the identity)

#include <cassert>
#include <stdexcept>
#include <utility>

#include <trammel/model.hpp>

namespace trammel {

namespace {

template <class Named>
const Named* find_by_name(const std::vector<Named>& list, std::string_view name) {
  for (const Named& item : list) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

Transformd design_pose(const Model& model, const std::string& joint_name, const std::string& body_name) {
  if (body_name == ground_name) return {};
  if (const Body* body = model.find_body(body_name)) return body->X_WB;
  throw std::invalid_argument("joint '" + joint_name + "' names body '" + body_name + "', which is not in the model");
}

Vec3d unit(const Vec3d& a) {
  const double length = norm(a);
  assert(length > 0);
  return {a.x / length, a.y / length, a.z / length};
}

// The frame at p with z given (a unit vector) and x along the part of `towards` that is perpendicular to z.
Transformd frame_with_z(const Vec3d& p, const Vec3d& z, const Vec3d& towards) {
  const Vec3d x = unit(towards - z * dot(z, towards));
  return {{x, cross(z, x), z}, p};
}

}  // namespace

Model::Model() = default;
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const Body* Model::find_body(std::string_view body_name) const { return find_by_name(bodies, body_name); }
const Joint* Model::find_joint(std::string_view joint_name) const { return find_by_name(joints, joint_name); }
const Point* Model::find_point(std::string_view point_name) const { return find_by_name(points, point_name); }

std::string_view keyword(Actuator::Kind kind) {
  switch (kind) {
    case Actuator::Kind::torque:
      return "torque";
    case Actuator::Kind::position:
      return "position";
    case Actuator::Kind::velocity:
      return "velocity";
    case Actuator::Kind::dc_motor:
      return "dc_motor";
    case Actuator::Kind::thruster:
      return "thruster";
  }
  return {};
}
std::string_view keyword(Drive::Kind kind) { return kind == Drive::Kind::position ? "position" : "velocity"; }

std::string_view keyword(Measure::Kind kind) {
  using Kind = Measure::Kind;
  switch (kind) {
    case Kind::angle:
      return "angle";
    case Kind::length:
      return "length";
    case Kind::distance_to_line:
      return "distance_to_line";
    case Kind::distance_to_plane:
      return "distance_to_plane";
    case Kind::plane_angle:
      return "plane_angle";
    case Kind::projected_angle:
      return "projected_angle";
    case Kind::polar:
      return "polar";
    case Kind::azimuth:
      return "azimuth";
    case Kind::locus:
      return "locus";
    case Kind::camber:
      return "camber";
    case Kind::caster:
      return "caster";
    case Kind::steer:
      return "steer";
    case Kind::transmission_angle:
      return "transmission_angle";
    case Kind::mechanical_advantage:
      return "mechanical_advantage";
    case Kind::instant_centre_x:
      return "instant_centre_x";
    case Kind::instant_centre_y:
      return "instant_centre_y";
    case Kind::instant_centre_z:
      return "instant_centre_z";
    case Kind::expression:
      return "expression";
  }
  return "";
}

std::string_view keyword(Coupling::Kind kind) {
  switch (kind) {
    case Coupling::Kind::gear:
      return "gear";
    case Coupling::Kind::belt:
      return "belt";
    case Coupling::Kind::rack:
      return "rack";
    case Coupling::Kind::screw:
      return "screw";
    case Coupling::Kind::mimic:
      return "mimic";
  }
  return {};
}

Body& add_body(Model& model, std::string name, double mass, Vec3d com, Sym3d inertia, Transformd X_WB) {
  Body& body = model.bodies.emplace_back();
  body.name = std::move(name);
  body.X_WB = X_WB;
  body.mass = mass;
  body.com = com;
  body.inertia = inertia;
  return body;
}

Joint& add_joint(Model& model, std::string name, AnyJoint type, std::string first, std::string second,
                 const Transformd& X_WJ) {
  const Transformd X_AF = inverse(design_pose(model, name, first)) * X_WJ;
  const Transformd X_BM = inverse(design_pose(model, name, second)) * X_WJ;
  Joint& joint = model.joints.emplace_back();
  joint.name = std::move(name);
  joint.type = std::move(type);
  joint.first = std::move(first);
  joint.second = std::move(second);
  joint.X_AF = X_AF;
  joint.X_BM = X_BM;
  return joint;
}

Constraint& add_constraint(Model& model, std::string name, AnyConstraint type, std::string first, std::string second,
                           const Transformd& X_WP, const Transformd& X_WQ) {
  const Transformd X_AP = inverse(design_pose(model, name, first)) * X_WP;
  const Transformd X_BQ = inverse(design_pose(model, name, second)) * X_WQ;
  return model.constraints.emplace_back(
      Constraint{std::move(name), std::move(type), std::move(first), std::move(second), X_AP, X_BQ, {}});
}

Transformd frame_at(const Vec3d& p_W, const Vec3d& axis_W) {
  // Compared before the axis is made a unit vector: an axis at exactly 45°, like [1, 0, 1], is then decided exactly.
  const bool near_x = 2 * axis_W.x * axis_W.x > dot(axis_W, axis_W);
  return frame_with_z(p_W, unit(axis_W), near_x ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0});
}

Transformd frame_at(const Vec3d& p_W, const Vec3d& first_axis_W, const Vec3d& second_axis_W) {
  const Vec3d x = unit(first_axis_W);
  const Vec3d z = unit(cross(x, unit(second_axis_W)));
  return {{x, cross(z, x), z}, p_W};
}

}  // namespace trammel

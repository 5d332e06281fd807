// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What measures are, without their values: dimensions and the names that expressions of them may use.

#include <cmath>

#include <trammel/model.hpp>

namespace trammel {

double Measure::unit(const Dimension& d) const {
  double factor = 1;
  for (int i = 0; i < std::abs(d.length); ++i) factor = d.length > 0 ? factor * length_unit : factor / length_unit;
  for (int i = 0; i < std::abs(d.angle); ++i) factor = d.angle > 0 ? factor * angle_unit : factor / angle_unit;
  return factor;
}

Dimension dimension_of(const Model& model, const Measure& measure) {
  using Kind = Measure::Kind;
  const auto of_coordinate = [&](std::size_t i) {
    const Joint* joint = i < measure.joints.size() ? model.find_joint(measure.joints[i]) : nullptr;
    const std::size_t dof = i < measure.dofs.size() ? static_cast<std::size_t>(measure.dofs[i]) : 0;
    if (joint == nullptr) return dimension::none;
    const std::vector<Freedom> all = freedoms(joint->type);
    return dof < all.size() ? all[dof].dimension : dimension::none;
  };
  switch (measure.kind) {
    case Kind::angle:
    case Kind::plane_angle:
    case Kind::projected_angle:
    case Kind::polar:
    case Kind::azimuth:
    case Kind::camber:
    case Kind::caster:
    case Kind::steer:
    case Kind::transmission_angle:
      return dimension::angle;
    case Kind::length:
    case Kind::distance_to_line:
    case Kind::distance_to_plane:
    case Kind::locus:
    case Kind::instant_centre_x:
    case Kind::instant_centre_y:
    case Kind::instant_centre_z:
      return dimension::length;
    case Kind::mechanical_advantage: {
      const Dimension in = of_coordinate(0), out = of_coordinate(1);
      return {.length = in.length - out.length, .angle = in.angle - out.angle};
    }
    case Kind::expression:
      return measure.gives;
  }
  return dimension::none;
}

std::vector<MeasureVariable> measure_variables(const Model& model) {
  std::vector<MeasureVariable> variables;
  for (const Measure& measure : model.measures) variables.push_back({measure.name, dimension_of(model, measure)});
  for (const Output& output : model.outputs) {
    for (const char* part : {".x", ".y", ".z"}) variables.push_back({output.name + part, dimension::length});
  }
  return variables;
}

}  // namespace trammel

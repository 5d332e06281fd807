// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The section `actuators`: drives on one freedom each, which follow a control input u.
//   {torque: j, gear: g}                             τ = g u
//   {position: j, stiffness: k, damping: d, gear: g} τ = g (k (u − g q) − d g v)
//   {velocity: j, damping: d, gear: g}               τ = g d (u − g v)

#include <vector>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

// Units of an actuator's numbers; the gear is a pure number.
struct ActuatorUnits {
  Dimension control, effort, stiffness, damping;

  ActuatorUnits(Actuator::Kind kind, const Freedom& freedom);
};

void read_actuators(Reading& r, const Node& section, const std::vector<JointDraft>& joints);

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The section `actuators`: drives that follow a control input u, each on one freedom, on all of a ball joint, or on a body.
//   {torque: j, gear: g}                             τ = g u
//   {position: j, stiffness: k, damping: d, gear: g} τ = g (k (u − g q) − d g v)
//   {velocity: j, damping: d, gear: g}               τ = g d (u − g v)
//   {dc_motor: j, …}, {thruster: body, …}            yaml_motors.cpp
// `target` is u over time.

#include <string>
#include <string_view>
#include <vector>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

// Units of an actuator's numbers; the gear is a pure number.
struct ActuatorUnits {
  Dimension control, effort, stiffness, damping;

  ActuatorUnits(Actuator::Kind kind, const Freedom& freedom);
};

// Units of a motor's numbers. Volts, amperes, ohms and henries are what they are; forces, angles and times are the file's.
struct MotorUnits {
  static constexpr Dimension torque_constant = dimension::torque;  // per ampere
  static constexpr Dimension back_emf{.angle = -1, .time = 1};     // volts per speed of the rotor
  static constexpr Dimension viscous{.length = 1, .angle = -1, .time = 1, .force = 1};
  static constexpr Dimension dry = dimension::torque;
  Dimension gear;                // of a travel: angle of the rotor per travel
  Dimension target;              // volts, or the coordinate that a servo follows
  Dimension stiffness, damping;  // of a servo: volts per coordinate, and per its rate

  MotorUnits(bool is_servo, const Freedom& freedom);
};

void read_actuators(Reading& r, const Node& section, const std::vector<JointDraft>& joints);

// What its kinds share. False if there was a message that leaves the actuator without meaning.
bool read_motor(Reading& r, const Fields& fields, Actuator& actuator, const Freedom& freedom);  // yaml_motors.cpp
bool read_thruster(Reading& r, const Fields& fields, Actuator& actuator);                       // yaml_motors.cpp
double read_gear(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);
void read_range(Reading& r, const Fields& fields, std::string_view key, const Dimension& dimension, double& lower,
                double& upper);
bool read_target(Reading& r, const Fields& fields, const Dimension& dimension, Actuator& actuator);

}  // namespace trammel::readers

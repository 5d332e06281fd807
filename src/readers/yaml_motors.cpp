// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motors behind a gear, and thrusters: what Actuator::Motor and Actuator::Thruster in actuation.hpp describe.

#include <fmt/format.h>

#include "readers/yaml_actuators.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

// Numbers of one mapping into their places.
struct NumberReader {
  Reading& r;
  const Fields& fields;

  void not_negative(std::string_view key, double& to, const Dimension& dimension = {}) const {
    if (const Node* node = fields.find(key)) to = read_not_negative(r, *node, fields.what(key), dimension).value_or(to);
  }
  void positive(std::string_view key, double& to, const Dimension& dimension = {}) const {
    if (const Node* node = fields.find(key)) to = read_positive(r, *node, fields.what(key), dimension).value_or(to);
  }
  void require(std::string_view key, std::string_view unit) const {
    if (!fields.has(key)) fields.report_missing(r, key, fmt::format("add {}: followed by a number, {}", key, unit));
  }
};

void read_servo(Reading& r, const Node& node, const std::string& what, const MotorUnits& units, Actuator& actuator) {
  const Fields fields(r, node, "servo", what);
  const NumberReader numbers{r, fields};
  numbers.require("stiffness", "in volts per coordinate");
  numbers.not_negative("stiffness", actuator.stiffness, units.stiffness);
  numbers.not_negative("damping", actuator.damping, units.damping);
}

}  // namespace

MotorUnits::MotorUnits(bool is_servo, const Freedom& freedom) {
  const Dimension q = freedom.dimension;
  gear = {.length = -q.length, .angle = 1 - q.angle};
  if (is_servo) target = q;
  stiffness = {.length = -q.length, .angle = -q.angle};
  damping = {.length = -q.length, .angle = -q.angle, .time = 1};
}

bool read_motor(Reading& r, const Fields& fields, Actuator& actuator, const Freedom& freedom) {
  Actuator::Motor& motor = actuator.motor;
  const NumberReader numbers{r, fields};
  const Node* servo = fields.find("servo");
  motor.is_servo = servo != nullptr;
  const MotorUnits units(motor.is_servo, freedom);
  if (servo != nullptr) read_servo(r, *servo, fields.what("servo"), units, actuator);
  if (const Node* gear = fields.find("gear")) {
    actuator.gear = read_gear(r, *gear, fields.what("gear"), units.gear);
  } else if (units.gear != dimension::none) {
    fields.report_missing(r, "gear", "add gear: the angle of the rotor per travel of the joint");
  }
  numbers.require("resistance", "in ohms");
  numbers.require("torque_constant", "in torque per ampere");
  numbers.positive("resistance", motor.resistance);
  numbers.not_negative("inductance", motor.inductance);
  numbers.not_negative("torque_constant", motor.torque_constant, MotorUnits::torque_constant);
  motor.back_emf = motor.torque_constant;  // no loss between electricity and motion
  numbers.not_negative("back_emf", motor.back_emf, MotorUnits::back_emf);
  numbers.positive("current", motor.current_limit);
  numbers.not_negative("rotor_inertia", motor.rotor_inertia, dimension::inertia);
  if (const Node* friction = fields.find("friction")) {
    const Fields keys(r, *friction, "friction of a rotor", fields.what("friction"));
    NumberReader{r, keys}.not_negative("viscous", motor.viscous, MotorUnits::viscous);
    NumberReader{r, keys}.not_negative("dry", motor.dry, MotorUnits::dry);
  }
  if (const Node* brush = fields.find("brush")) {
    const Fields keys(r, *brush, "brush", fields.what("brush"));
    NumberReader{r, keys}.require("drop", "in volts");
    NumberReader{r, keys}.not_negative("drop", motor.brush_drop);
    NumberReader{r, keys}.positive("half", motor.brush_half);
  }
  read_range(r, fields, "control", dimension::none, actuator.control_lower, actuator.control_upper);
  read_range(r, fields, "effort", dimension::torque, actuator.effort_lower, actuator.effort_upper);
  return read_target(r, fields, units.target, actuator);
}

bool read_thruster(Reading& r, const Fields& fields, Actuator& actuator) {
  Actuator::Thruster& thruster = actuator.thruster;
  const NumberReader numbers{r, fields};
  numbers.require("gain", "in force per square of the control");
  numbers.positive("gain", thruster.gain, dimension::force);
  numbers.not_negative("dead_band", thruster.dead_band);
  numbers.not_negative("lag", thruster.lag, {.time = 1});
  numbers.not_negative("advance", thruster.advance, {.length = -1, .time = 1, .force = 1});
  if (const Node* node = fields.find("reaction")) {
    thruster.torque = read_number(r, *node, fields.what("reaction"), dimension::length).value_or(0);
  }
  read_range(r, fields, "control", dimension::none, actuator.control_lower, actuator.control_upper);
  read_range(r, fields, "effort", dimension::force, actuator.effort_lower, actuator.effort_upper);
  const bool has_target = read_target(r, fields, dimension::none, actuator);

  const Node& on = *fields.find("thruster");
  const auto body = read_body(r, on, fields.subject());
  if (body && body->is_ground) {
    r.messages.error(on.where, "load-on-ground",
                     fmt::format("{} pushes the ground, which nothing moves", fields.subject()),
                     "name the body that it is mounted on");
    return false;
  }
  std::optional<BodyRef> in;
  if (const Node* given = fields.find("in")) {
    in = read_body(r, *given, fields.what("in"));
    if (!in) return false;
  }
  const Transformd X_WL = in ? design_pose(r, *in) : Transformd{};
  std::optional<Place> place;
  std::optional<Vec3d> along;
  if (const Node* at = fields.find("at")) {
    place = read_place(r, *at, fields.what("at"));
  } else {
    fields.report_missing(r, "at", "add at: the point of the body where it pushes");
  }
  if (const Node* given = fields.find("along")) {
    along = read_unit(r, *given, fields.what("along"), X_WL);
  } else {
    fields.report_missing(r, "along", "add along: followed by a direction");
  }
  if (!body || !place || !along) return false;
  const bool own = in && !in->is_ground && in->index == body->index;
  const Transformd X_BW = inverse(design_pose(r, *body));
  thruster.at.body = name_of(r, *body);
  thruster.at.p_B = own && !place->in_world ? place->p : X_BW * (X_WL * place->in(X_WL));
  thruster.direction = own ? *along : unit_kept(X_BW.R * (X_WL.R * *along));
  return has_target;
}

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/freedom_forces.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/servo.hpp"

namespace trammel {
namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// What is left of the voltage behind the brushes.                                          [DynaMechs' dmRevDCMotor]
double behind_brushes(const Actuator::Motor& m, double volts) {
  if (m.brush_drop == 0) return volts;
  return volts - sign(volts) * m.brush_drop * (1 - std::exp2(-std::abs(volts) / m.brush_half));
}

FreedomForce behind_gear(const Actuator& a, double effort, double by_q, double by_v) {
  const ServoForce<double> f = geared<double>(a.gear, a.effort_lower, a.effort_upper, effort, by_q, by_v);
  return {f.force, f.by_q, f.by_v};
}

FreedomForce force_of_motor(const Actuator& a, double u, double q, double v, double x, int held, double h,
                            double& xdot) {
  const Actuator::Motor& m = a.motor;
  const double wanted = m.is_servo ? a.stiffness * (u - q) - a.damping * v : u;
  const double volts = std::clamp(wanted, a.control_lower, a.control_upper);
  const bool steered = m.is_servo && volts == wanted;
  const double driving = behind_brushes(m, volts) - m.back_emf * a.gear * v;
  const double limit = m.current_limit;
  if (m.inductance > 0 && h > 0) {  // L (i' − i) = h (driving − R i')
    const double inertia = m.inductance + h * m.resistance;
    const double free = (m.inductance * x + h * driving) / inertia, current = std::clamp(free, -limit, limit);
    const double answers = current == free ? m.torque_constant * h / inertia : 0;
    xdot = (current - x) / h;
    FreedomForce f = behind_gear(a, m.torque_constant * current, steered ? -answers * a.stiffness : 0,
                                 -answers * (m.back_emf * a.gear + (steered ? a.damping : 0)));
    f.by_x = a.gear * m.torque_constant;
    f.motor = {volts, current};
    return f;
  }
  if (m.inductance > 0) {
    const double current = held != 0 ? held * limit : x, rate = (driving - m.resistance * current) / m.inductance;
    xdot = held != 0 ? 0 : rate;
    FreedomForce f = behind_gear(a, m.torque_constant * current, 0, 0);
    f.motor = {volts, current};
    f.beyond = held * rate;
    return f;
  }
  const double free = driving / m.resistance, current = std::clamp(free, -limit, limit);
  const double answers = current == free ? m.torque_constant / m.resistance : 0;
  FreedomForce f = behind_gear(a, m.torque_constant * current, steered ? -answers * a.stiffness : 0,
                               -answers * (m.back_emf * a.gear + (steered ? a.damping : 0)));
  f.motor = {volts, current};
  return f;
}

}  // namespace

StopForce push_of(const Stop& stop, double q, double v) {
  const double depth = stop.depth(q);
  if (!stop.pushes && !(depth > 0)) return {};
  const double inwards = stop.is_upper ? -1 : 1, rate = -inwards * v;
  const double elastic = stop.stiffness * depth, push = stop.pushes ? elastic + stop.damping * rate : 0;
  FreedomForce on_freedom{inwards * push};
  if (stop.pushes) on_freedom.by_q = -stop.stiffness, on_freedom.by_v = -stop.damping;
  return {on_freedom, elastic * depth / 2, (push - elastic) * rate};
}

FreedomForce force_of(const Actuator& a, double u, double q, double v, double x, int held, double h, double& xdot) {
  if (a.kind == Actuator::Kind::dc_motor) return force_of_motor(a, u, q, v, x, held, h, xdot);
  const ServoForce<double> f = force_of(servo_of(a), u, q, v);
  return {f.force, f.by_q, f.by_v};
}

double thrust_of(const Actuator& a, double u, double x, double h, double& xdot, double& turns) {
  const Actuator::Thruster& thruster = a.thruster;
  u = std::clamp(u, a.control_lower, a.control_upper);
  const double beyond = std::max(0.0, std::abs(u) - thruster.dead_band) * sign(u);
  if (thruster.lag > 0) xdot = (beyond - x) / (thruster.lag + h);  // at the step's end: lag (x' − x) = h (beyond − x')
  const double acts = thruster.lag > 0 ? x + h * xdot : beyond;
  turns = acts;
  return std::clamp(thruster.gain * acts * std::abs(acts), a.effort_lower, a.effort_upper);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forces of actuators without a memory along one freedom: torque, position and velocity servos, for one state or for several in lanes.

#include <trammel/actuation.hpp>

#include "kernels/masks.hpp"

namespace trammel {

// The plain numbers of an Actuator, which may cross into the kernel library.
struct Servo {
  enum class Kind { torque, position, velocity };
  Kind kind = Kind::torque;
  double gear = 1, stiffness = 0, damping = 0;
  double control_lower = 0, control_upper = 0, effort_lower = 0, effort_upper = 0;
};
inline Servo servo_of(const Actuator& a) {
  const Servo::Kind kind = a.kind == Actuator::Kind::position   ? Servo::Kind::position
                           : a.kind == Actuator::Kind::velocity ? Servo::Kind::velocity
                                                                : Servo::Kind::torque;
  return {kind, a.gear, a.stiffness, a.damping, a.control_lower, a.control_upper, a.effort_lower, a.effort_upper};
}

template <class T>
struct ServoForce {
  T force{}, by_q{}, by_v{};  // ∂force/∂q, ∂force/∂v; 0 where a limit holds the force
};

// An effort before the gear within its limits; beyond them it does not answer any more.
template <class T>
ServoForce<T> geared(double gear, double lower, double upper, const T& effort, const T& by_q, const T& by_v) {
  const auto held = effort < T(lower) || effort > T(upper);
  return {T(gear) * within(effort, T(lower), T(upper)), select(held, T(0), T(gear) * by_q),
          select(held, T(0), T(gear) * by_v)};
}

template <class T>
ServoForce<T> force_of(const Servo& s, const T& control, const T& q, const T& v) {
  const T u = within(control, T(s.control_lower), T(s.control_upper)), k(s.stiffness), d(s.damping), g(s.gear);
  switch (s.kind) {
    case Servo::Kind::position:
      return geared(s.gear, s.effort_lower, s.effort_upper, k * (u - g * q) - d * g * v, -(k * g), -(d * g));
    case Servo::Kind::velocity:
      return geared(s.gear, s.effort_lower, s.effort_upper, d * (u - g * v), T(0), -(d * g));
    default:
      return geared(s.gear, s.effort_lower, s.effort_upper, u, T(0), T(0));
  }
}

}  // namespace trammel

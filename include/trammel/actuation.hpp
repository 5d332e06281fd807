// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What moves a mechanism over time, part of the Model: prescribed motions, actuators, events, and how to simulate. All numbers are SI
// and radians.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/linkage.hpp>
#include <trammel/profile.hpp>

namespace trammel {

// A coordinate that moves as prescribed, whatever force that takes. Either its position over time, or its velocity: then it starts
// where the initial state has it.
struct Drive {
  enum class Kind { position, velocity };
  std::string name;  // that of the coordinate: "crank", "slide.travel"
  Kind kind = Kind::position;
  std::string joint;
  int dof = 0;
  Profile motion;
  SourceLocation where;
};
std::string_view keyword(Drive::Kind kind);

// What makes a force follow a control input u(t).
//   torque    τ = gear · u
//   position  τ = gear · (stiffness (u − gear q) − damping gear v)
//   velocity  τ = gear · damping (u − gear v)
//   dc_motor  τ = gear · K_t i,  current i from the voltage u: see Motor
//   thruster  a force along an axis of a body: see Thruster
// On a ball joint `dof` may be −1: a position actuator then turns it towards the rotation vector u (three controls), by
// stiffness · log(R_FMᵀ R(u)) − damping · ω, in M; a torque actuator exerts u in M.
struct Actuator {
  enum class Kind { torque, position, velocity, dc_motor, thruster };
  static constexpr int all_of_ball = -1;
  static constexpr double none = std::numeric_limits<double>::infinity();

  // A motor behind a gear of ratio `gear` (motor turns per joint turn). With the brushes' drop taken off the voltage,
  //   u' = u − sign(u) drop (1 − 2^(−|u|/half)),    L di/dt = u' − R i − K_b gear v,   |i| ≤ current_limit
  // L = 0: the current follows at once. The rotor's inertia, reflected, is gear² J; so is friction of its bearings: gear² viscous, gear dry.
  struct Motor {
    double resistance = 1;                  // Ω
    double inductance = 0;                  // H
    double torque_constant = 0;             // N m/A
    double back_emf = 0;                    // V s/rad
    double current_limit = none;            // A
    double rotor_inertia = 0;               // kg m²
    double viscous = 0, dry = 0;            // of the rotor: N m s/rad, N m
    double brush_drop = 0, brush_half = 1;  // V
    // With a servo the control is a position of the joint: u = stiffness (target − q) − damping v, in volts, within the control range.
    bool is_servo = false;
  };
  // F = gain · w |w| along `direction`, w the control beyond the dead band (0 within), behind a lag:  lag · ẇ' = w − w'.
  // Moving at speed u through the water the way it pushes, it pushes less: by advance · |w| u. The propeller's torque turns the body by
  // torque · F about `direction`.
  struct Thruster {
    BodyPoint at;
    Vec3d direction{1, 0, 0};  // unit vector in the body's frame
    double gain = 1;           // N per square of the control
    double dead_band = 0;      // of the control
    double lag = 0;            // s; 0: none
    double advance = 0;        // N per control and m/s
    double torque = 0;         // N m per N
  };

  std::string name;
  Kind kind = Kind::torque;
  std::string joint;  // empty for a thruster
  int dof = 0;
  double gear = 1, stiffness = 0, damping = 0;
  double control_lower = -none, control_upper = none;
  double effort_lower = -none, effort_upper = none;  // of the force before the gear
  std::vector<Profile> target =
      {};  // u over time: one, or three with all_of_ball; empty: 0 unless a controller sets it
  Motor motor = {};
  Thruster thruster = {};
  SourceLocation where = {};
};
std::string_view keyword(Actuator::Kind kind);

// Something that happens when an expression of time and state changes its sign.
struct Event {
  enum class Direction { rising, falling, both };
  // open, close: the joint, coupling or constraint `target` that closes a loop. capture: the joint takes hold of its second body where that
  // is: its frame M moves so that the joint is closed, velocities jump. It is open before.
  enum class Action { note, stop, open, close, capture };
  std::string name;
  StateFunction when;
  Direction direction = Direction::both;
  Action action = Action::note;
  std::string target = {};
  SourceLocation where = {};
};

// The section `simulate`: what the command line takes unless its options say otherwise. Left out: unset.
struct SimulateSettings {
  std::optional<double> until, step, tolerance, record_every;
  std::optional<std::string> integrator, stabilisation;
  SourceLocation where = {};
};

}  // namespace trammel

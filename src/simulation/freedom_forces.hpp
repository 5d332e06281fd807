// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forces along one freedom of a joint, each with how it answers to the coordinate and its rate: actuators and stops. Pure functions.

#include <cstddef>
#include <string>

#include <trammel/simulation.hpp>

namespace trammel {

struct FreedomForce {
  double force = 0;
  double by_q = 0, by_v = 0;  // ∂force/∂q, ∂force/∂v; 0 where a limit holds the force
  double by_x = 0;            // by the current that an implicit step is about to find
  MotorState motor = {};      // of a motor
  double beyond = 0;          // of a coil at its limit: the rate with which its current would go on beyond it, A/s
};

// A limit of a coordinate, as a spring and damper that only push:  depth > 0:  max(0, stiffness depth + damping d(depth)/dt)
// The force of a damper begins with a jump. So that the right side stays smooth within a step, whether the stop pushes is a mode, which
// changes at events only: stages that reach beyond the moment of touch do not feel it yet.
struct Stop {
  int joint = 0, dof = 0;
  bool in_tree = true;
  std::size_t q = 0, v = 0;  // places of coordinate and freedom, of joints of the tree
  bool is_upper = false;
  double limit = 0, stiffness = 0, damping = 0;
  std::string name = {};  // "upper limit of 'elbow'"
  bool pushes = false;
  // Of a hard one: in Mechanism::impacts; and how deep it was when the coordinate last flew off. It is met again only beyond that.
  int impact = -1;
  double slack = 0;

  double depth(double at) const { return is_upper ? at - limit : limit - at; }
};
struct StopForce {
  FreedomForce on_freedom;
  double energy = 0, dissipated = 0;  // J, W
};
StopForce push_of(const Stop& stop, double q, double v);

// An actuator and where it stands in the vectors of a simulation.
struct ActingActuator {
  std::size_t index = 0;  // in Mechanism::actuators
  bool in_tree = true;
  std::size_t q = 0, v = 0;
  std::size_t control = 0;  // first of its controls
  int x =
      -1;  // what it remembers: the current of a motor with inductance, the lagging control of a thruster; −1: nothing
  // Of such a current: the limit that holds it, −1 or 1; 0: none does. So that its rate stays smooth within a step this is a mode, which
  // changes at events only. (Implicit steps, which find the current at their end, have it within them.)
  int held = 0;
  double beyond = 0;  // FreedomForce::beyond, as found last
};
// Of an actuator on one freedom, with control u; `x` is what it remembers, `xdot` gets its rate. With h > 0, for implicit steps of h: x is
// taken at the step's end, with q and v of its beginning; by_v and by_q tell how it answers to these.
FreedomForce force_of(const Actuator& actuator, double u, double q, double v, double x, int held, double h,
                      double& xdot);
// Of a thruster: the force along its direction in still water; `turns` gets what its propeller turns by.
double thrust_of(const Actuator& actuator, double u, double x, double h, double& xdot, double& turns);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many motions of one mechanism, each from its own state, under its own controls and, where wished, with its own masses, lengths and friction:
// to try controls before one is applied, to learn, to see what uncertain parameters do.
//
//   Rollouts rollouts(mechanism, {.duration = 0.5, .step = 1e-3});
//   std::vector<RolloutCase> cases(1000);
//   cases[17].controls = {0.3, -0.1};                                          // held all the while
//   const std::vector<Rollout> ends = rollouts.run(cases);
//   ends[17].end.q …
//
// Each is what a Simulation with the same integrator and step gives, bit by bit, with all that acts there: loops, contacts, fluid, springs,
// actuators, stops. They run on several threads, and results do not depend on their number. A motion that fails stops where it was, says why,
// and disturbs no other.
//
// With `lanes` they run side by side in the CPU's SIMD registers where they can, several times as fast, and equal simulations to round-off
// only (which contacts that bounce and slip let grow). Cases that begin at the same time share a block of lanes; each may have parameters of its own.

#include <memory>

#include <trammel/simulation.hpp>

namespace trammel {

struct RolloutOptions {
  double duration = 1;                           // s
  double step = 1e-3;                            // s
  Integrator integrator = Integrator::implicit;  // one of fixed steps: rk4, midpoint, semi_implicit, implicit
  double control_period = 0;                     // s: controls change no more often than this; 0: every step
  double sample_every = 0;                       // s: how often Rollout::samples gets a row; 0: never
  int threads = 0;                               // 0: as many as the machine has for us
  bool friction = true, fluid = true;
  bool lanes = false;  // side by side where they can: see Rollouts::why_no_lanes()
};

struct RolloutCase {
  // Where it begins: here, or where another simulation stands, with all that is remembered there (bristles of contacts, currents of motors,
  // what sticks): Simulation::checkpoint() of one with the same mechanism and integrator. Neither: the model's initial state.
  std::optional<State> start = {};
  std::shared_ptr<const Checkpoint> fork = {};
  // Instead of the mechanism's own; lengths of all its arrays must be the same. Null: the mechanism's. They are masses (`inertia`, per link),
  // lengths, friction and gravity of the tree: frames of joints that close loops, materials of contacts and gains of actuators are the mechanism's;
  // variants of these are mechanisms with rollouts of their own.
  std::shared_ptr<const Parameters<double>> parameters = {};
  // What actuators are told, in the order of the model (three numbers for one on a ball joint): rows of control_count() numbers, one for each
  // control period; the last one holds until the end. Empty: the targets of the model.
  std::vector<double> controls = {};
  // Or by a function, called once a control period in the thread that runs the case; it may change what `controls` or the targets give.
  std::function<void(const Moment&, std::span<double> controls)> controller = {};
};

struct Rollout {
  SimulationStatus status = SimulationStatus::done;
  std::string text, fix;  // what happened in words, where it did not end as wished: when, and at which joint
  State end;              // the last state that was sound
  std::uint64_t steps = 0;
  std::vector<double> samples;  // rows of 1 + nq + nv numbers: t, q, v
  bool in_lanes = false;        // it ran side by side with others; otherwise as a simulation by itself

  bool ok() const { return status == SimulationStatus::done; }
};

class Rollouts {
 public:
  // Keeps a copy of the mechanism. Throws std::invalid_argument where options cannot be.
  Rollouts(const Mechanism& mechanism, RolloutOptions options);
  ~Rollouts();
  Rollouts(Rollouts&&) noexcept;
  Rollouts& operator=(Rollouts&&) noexcept;

  int control_count() const;  // numbers in a row of controls
  int threads() const;
  // Why no motion of this mechanism runs in lanes, though options ask for it; empty: they do. What lanes have: trees under torques, position and
  // velocity servos, with viscous friction, whose points and spheres touch a plane; implicit steps, without contacts semi_implicit ones too.
  // A motion that diverges, meets a stop, or forks from a simulation runs by itself.
  std::string why_no_lanes() const;

  // One result a case, in their order. Throws std::invalid_argument, before anything runs, for a case whose arrays have the wrong length or that
  // begins at a time that is no number. What its controller throws, or a fork from other parts or options, stops that case, with the reason as text.
  std::vector<Rollout> run(std::span<const RolloutCase> cases) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel

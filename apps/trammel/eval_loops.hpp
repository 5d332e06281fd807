// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `eval` does beside a tree's dynamics where the mechanism has loops, couplings or constraints.

#include <string>

#include <nlohmann/json.hpp>

#include <trammel/loop_dynamics.hpp>

#include "eval_state.hpp"

namespace trammel::tool {

// A negative answer: status, reason and fix. Empty status: all is well.
struct Refusal {
  std::string status, reason, fix;

  bool refuses() const { return !status.empty(); }
};

// Brings a state onto the constraints: coordinates and rates that the state names are kept, the others follow. A state that names too
// many and closes but for its last digits is projected. `how` says what was done: "given", "completed" or "projected".
Refusal close_state(LoopDynamics& dynamics, EvalState& state, std::string& how);
// The same for a mechanism that may be a tree, or have joints that are to be closed later: these are left as they are.
Refusal close_loops_of(const Mechanism& mechanism, EvalState& state);
// Prints it, as JSON too on request; returns the exit code of a negative answer.
int answer_no(const Refusal& refusal, bool json);
// Accelerations that the state names are kept, the others follow.
Refusal complete_accelerations(LoopDynamics& dynamics, EvalState& state);

Refusal solve_forward(LoopDynamics& dynamics, EvalState& state, const Loads& loads, LoopMethod method,
                      LoopVerdict& verdict);
// Of the accelerations, at the state's tau.
Refusal solve_derivatives(LoopDynamics& dynamics, const EvalState& state, const Loads& loads,
                          const ForwardDerivatives<double>& derivatives);
// What actuates: the joints that the state names under "actuated", else the model's inputs, else all joints of the tree. The forces go
// into state.tau, those of closing joints into `closing`.
Refusal solve_inverse(LoopDynamics& dynamics, EvalState& state, const Loads& loads, nlohmann::ordered_json& closing,
                      nlohmann::ordered_json& loops);
// Of these forces, at the state's accelerations; a row for each freedom that actuates, by name.
struct ActuationDerivatives {
  std::vector<std::string> dofs;
  std::vector<double> by_q, by_v, by_a;
};
Refusal solve_inverse_derivatives(LoopDynamics& dynamics, const EvalState& state, const Loads& loads,
                                  ActuationDerivatives& derivatives);

// {residual, rows, rank, freedoms, redundant, conditioning, state}
nlohmann::ordered_json describe_loops(LoopDynamics& dynamics, const EvalState& state, const std::string& how);

// Of a star, after Lilly and Orin's method: [angular, linear] in world axes, acceleration and inertia at the body's origin, forces of the
// chains on it at the tip joints. {body, acceleration, effective_inertia, tip_forces: {joint: [moment, force]}}
nlohmann::ordered_json describe_reference_member(LoopDynamics& dynamics);
// As --solver has it.
std::string solver_name(LoopMethod method);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rollouts side by side in the lanes of SIMD registers: steps are lane_step.hpp's, beginnings and controls those of a Simulation.

#include <span>
#include <string>

#include <trammel/rollout.hpp>

namespace trammel {

// What lanes cannot do of this mechanism with these options; empty: nothing.
std::string why_no_lanes(const Mechanism& mechanism, const RolloutOptions& options);
// Whether a freedom has dry friction that may stick, which lanes have not.
bool has_sticking(const Mechanism& mechanism, const Parameters<double>& parameters);

// When a case begins, and how often its controls change.
double begin_of(const Mechanism& mechanism, const RolloutCase& one);
double control_period(const RolloutOptions& options);
// What a case tells the actuators at a moment; `controls` holds what the targets of the model give.
void set_controls(const RolloutCase& one, const RolloutOptions& options, double begin, const Moment& moment,
                  std::span<double> controls);

// Runs at most lane_count() cases that take the same steps: they begin at the same time; all of them are controlled, or none; all have parameters
// of their own, or none. Results have in_lanes set where lanes came to the end; the others are for a Simulation.
void run_in_lanes(const Mechanism& mechanism, const RolloutOptions& options, std::span<const RolloutCase* const> cases,
                  std::span<Rollout* const> results);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stars for the tests of Lilly and Orin's algorithm: random ones, and a state of any closed mechanism that the kernels and the oracle
// both understand. The design position is closed.

#include <trammel/lilly_orin.hpp>
#include <trammel/loops.hpp>

#include "support/prepared.hpp"

namespace trammel::test {

// Joint coordinates and velocities of all joints, those that close loops included, from those of the tree.
JointStates all_joint_states(const Model& model, const Mechanism& mechanism, const std::vector<double>& q,
                             const std::vector<double>& v, const std::vector<double>& tau);

// The part of v that the closures allow, at q.
std::vector<double> allowed_velocity(const Mechanism& mechanism, const std::vector<double>& q,
                                     const std::vector<double>& v);

struct ClosedCase {
  Model model;
  Mechanism mechanism;
  std::vector<double> q, v, tau;
  JointStates states;

  // At the design position moved along its free motions, if it has any, and closed again.
  ClosedCase(Model the_model, std::uint64_t seed, double speed = 1);
};

struct RandomStarOptions {
  int chains = 3;
  int links = 4;         // at most, in a chain
  bool trees = true;     // some hang on chains, reference member and ground
  bool anywhere = true;  // loops are cut at any joint of a chain; else where compile() likes
  bool rotors = false, friction = false;
  double floating = 0.5;  // chance that the reference member has a free joint to the ground as well
  bool ample = false;     // at least six freedoms in each chain: no direction is held
  double loops = 0;       // chance at each link of a chain that a second way leads to it, from one or two links before
  double branches = 0;    // chance of a chain that one leaves it, with a tip of its own
};
Model random_star(std::uint64_t seed, const RandomStarOptions& options);

}  // namespace trammel::test

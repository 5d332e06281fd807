// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A random mechanism with loops in a random state of motion that its constraints allow.

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>

#include "support/generators.hpp"
#include "support/oracle.hpp"
#include "support/prepared.hpp"
#include "support/random.hpp"

namespace trammel::test {

struct ClosedOptions {
  bool oracle = false;     // joints only: what the dense oracle knows
  bool friction = true;    // and rotors, at closing joints too
  bool couplings = false;  // between joint coordinates, some of them of closing joints
  bool floating = true;    // now and then nothing touches the ground
};

struct ClosedCase {
  Model model;
  Mechanism mech;
  std::vector<double> q, v, tau;

  ClosedCase(LinkageCase c, const ClosedOptions& options);
  ClosedCase(Model the_model, std::uint64_t seed);

  std::size_t nv() const { return static_cast<std::size_t>(mech.nv); }
  // For the oracle: coordinates and rates of all joints, those of closing joints read off their frames; tau on tree joints.
  JointStates states() const;
};

// q̈ of all joints of the model when the tree has accelerations a.
PerJoint accelerations_of_joints(const ClosedCase& c, const std::vector<double>& a);

}  // namespace trammel::test

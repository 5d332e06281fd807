// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random mechanisms with loops: a random tree whose bodies are joined further, by every joint type and constraint, where they stand at the
// design position. So the design position is closed, and nothing about it is special. At least one freedom is left by count.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include <trammel/loops.hpp>

#include "support/random_model.hpp"

namespace trammel::test {

struct RandomLinkageOptions {
  int bodies = 4;
  int loops = 1;             // at most
  bool planar = false;       // all axes along z
  bool constraints = false;  // some of the loops are closed by rods, points on lines and planes, … instead of joints
};
Model random_linkage(std::uint64_t seed, const RandomLinkageOptions& options);

// Freedoms of the tree that determine the motion when driven, as many as the mechanism has; empty where single coordinates
// cannot (ball joints have none).
std::vector<Driver> independent_drivers(const Mechanism& mechanism);

// What RapidCheck draws: 2 … 8 bodies, 1 … 5 loops.
struct LinkageCase {
  int bodies = 2, loops = 1;
  std::uint64_t seed = 0;

  Model model() const;
};
std::ostream& operator<<(std::ostream& out, const LinkageCase& c);

}  // namespace trammel::test

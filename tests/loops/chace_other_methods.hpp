// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two other ways to solve Chace's equation, which share nothing with the closed forms: Newton's method on the loop from a random start,
// and a scan of one angle for changes of sign of what is left over.

#include <optional>

#include "chace_instances.hpp"

namespace trammel::test {

// A solution far from dead points, if Newton's method finds one from here.
std::optional<chace::Solution> newton_from_anywhere(const Instance& instance, Random& random);

// Cases 3, 8 and 9: solutions found along the azimuth of s (case 9: of r) in that many steps. Not all: two in one step are missed.
std::vector<chace::Solution> scan(const Instance& instance, int steps);

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values that a sweep goes to, in their order: inputs by time move together and are the innermost loop, others are nested in theirs.

#include <vector>

#include <trammel/analysis.hpp>

namespace trammel {

struct SweepValue {
  std::vector<Target> targets;
  double t = 0;
  std::size_t row_start = 0;  // first value of this row of a nested sweep
  bool between = false;       // nobody asked for it: inputs by time go from value to value as their motion does

  std::vector<double> inputs() const;
};

// Of one input, ends included where the step meets them.
std::vector<double> values_of(const SweepInput& input);
std::vector<SweepValue> sweep_values(const std::vector<SweepInput>& inputs);

}  // namespace trammel

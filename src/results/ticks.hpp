// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an axis has numbers: at multiples of 1, 2 or 5 times a power of ten; of 15, 30, 45, 90, … for degrees.

#include <string>
#include <vector>

namespace trammel::results {

struct Ticks {
  double step = 1;
  std::vector<double> at;     // within the axis, rising
  std::vector<double> minor;  // the ones between and beside them
  int decimals = 0;           // that tell the ticks apart

  std::string label(double tick) const;
};

// The most ticks, but not more than `most` (5 … 12), on an axis from `from` to `to`; there are at least two. The ends must
// be finite, and differ by more than round-off.
Ticks choose_ticks(double from, double to, int most, bool degrees);

// The same with a given step, for axes that share their grid.
Ticks ticks_with_step(double from, double to, double step);

}  // namespace trammel::results

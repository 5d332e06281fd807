// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers beside an axis. Values of any size become numbers of one to four digits:
//   number = (value − offset) / 10^exponent
// and the label says so: as a prefix of the unit (N → kN), as a power of ten, or as "position − 1000000 m".

#include <limits>
#include <string>

namespace trammel::results {

// The smallest and largest of the finite values taken.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();

  void take(double value);
  bool empty() const { return least > most; }
};

struct AxisNumbers {
  double offset = 0;
  int exponent = 0;

  double operator()(double value) const;
};

// The power of ten for numbers up to `largest`. 0.01 … 9999 stay as they are; angles in degrees longer, since nobody counts
// in kilodegrees.
int common_exponent(double largest, const std::string& unit);

// Numbers for values from `least` to `most` on an axis that is `span` long; span = most − least but for axes that share
// a scale. An offset is taken where the values differ in the fifth digit or later.
AxisNumbers numbers_for(double least, double most, double span, const std::string& unit);

// Values that differ by less than this part of them are round-off about a constant.
constexpr double round_off = 1e-12;

// "force [kN]", "torque [10³ N mm]", "position − 1000000 m [mm]".
std::string axis_label(const std::string& label, const std::string& unit, const AxisNumbers& numbers);

}  // namespace trammel::results

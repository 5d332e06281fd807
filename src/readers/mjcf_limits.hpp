// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Limits on one side only, for which MJCF has no word: the other side is written as a number that is far away, and that
// number alone is read as no limit. A limit that happens to be it is written one bit further away, and so kept.

#include <cmath>

#include <trammel/model.hpp>

namespace trammel::readers::mjcf {

constexpr double no_limit = 1e10;

inline bool is_no_lower_limit(double in_file) { return in_file == -no_limit; }
inline bool is_no_upper_limit(double in_file) { return in_file == no_limit; }

inline double limit_in_file(double limit) {
  if (std::isinf(limit)) return std::copysign(no_limit, limit);
  return std::abs(limit) == no_limit ? std::nextafter(limit, std::copysign(infinity, limit)) : limit;
}

}  // namespace trammel::readers::mjcf

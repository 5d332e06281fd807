// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 1: length and direction of r are unknown, all else is known. r = −C.
//
// Limit: C = 0 leaves the direction free.                                                                      zero_vector

#include "loops/chace/common.hpp"

namespace trammel::chace {

Solutions<1> case1(const Vec3d& C) {
  if (!is_finite(C)) return invalid<1>();
  const double length = norm(C);
  auto result = verdict<1>(Status::none, length > 0 ? Limit::regular : Limit::zero_vector, length > 0 ? 1 : 0);
  add(result, {{-C, length}, {}, {}});
  return result;
}

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Distance: a rod of given length, with a ball at each end, from P's origin to Q's.
//   Φ = |p| − L. A length of zero has no direction: join the points by a spherical joint instead.

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct Distance {
  double length = 1;  // more than zero

  static constexpr std::string_view keyword = "distance";

  std::vector<Dimension> dimensions() const { return {dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    out[0] = norm(X_PQ.p) - T(length);
  }
};

}  // namespace trammel

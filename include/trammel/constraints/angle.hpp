// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Angle: the z axes of P and Q enclose a given angle, strictly between 0 and π. (For 0 use Parallel: two conditions.)
//   Φ = atan2(|z × z'|, z · z') − angle

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct Angle {
  double angle = 0;

  static constexpr std::string_view keyword = "angle";

  std::vector<Dimension> dimensions() const { return {dimension::angle}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    const Vec3<T>& z = X_PQ.R.ez;
    out[0] = atan2(sqrt(z.x * z.x + z.y * z.y), z.z) - T(angle);
  }
};

// Parallel: the z axes of P and Q have the same direction.
struct Parallel {
  static constexpr std::string_view keyword = "parallel";

  std::vector<Dimension> dimensions() const { return {dimension::angle, dimension::angle}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    out[0] = -X_PQ.R.ez.y * T(2) / (T(1) + X_PQ.R.ez.z);
    out[1] = X_PQ.R.ez.x * T(2) / (T(1) + X_PQ.R.ez.z);
  }
};

}  // namespace trammel

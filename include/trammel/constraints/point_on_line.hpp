// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Point on line: Q's origin stays on P's z axis.

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct PointOnLine {
  static constexpr std::string_view keyword = "point_on_line";

  std::vector<Dimension> dimensions() const { return {dimension::length, dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    out[0] = X_PQ.p.x;
    out[1] = X_PQ.p.y;
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Point on plane: Q's origin stays in P's xy plane, or at a given distance from it, on the side of +z.

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct PointOnPlane {
  double height = 0;

  static constexpr std::string_view keyword = "point_on_plane";

  std::vector<Dimension> dimensions() const { return {dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    out[0] = X_PQ.p.z - T(height);
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hold: chosen components of the pose of Q in P stay as they are when Q lies on P: travels along P's axes, and turns about them (as
// 2 tan(θ/2) times the axis of the turn). With P on the ground this holds a body at world values.

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct Hold {
  std::array<bool, 6> held{};  // turns about x, y, z; travels along x, y, z

  static constexpr std::string_view keyword = "hold";

  std::vector<Dimension> dimensions() const {
    std::vector<Dimension> list;
    for (int i = 0; i < 6; ++i) {
      if (held[i]) list.push_back(i < 3 ? dimension::angle : dimension::length);
    }
    return list;
  }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    const Mat3<T>& R = X_PQ.R;
    const T scale = T(2) / (T(1) + R.ex.x + R.ey.y + R.ez.z);
    const T all[6] = {
        (R.ey.z - R.ez.y) * scale, (R.ez.x - R.ex.z) * scale, (R.ex.y - R.ey.x) * scale, X_PQ.p.x, X_PQ.p.y, X_PQ.p.z};
    for (int i = 0; i < 6; ++i) {
      if (held[i]) *out++ = all[i];
    }
  }
};

}  // namespace trammel

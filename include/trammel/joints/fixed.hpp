// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fixed: M stays on F. A weld; compile() merges the two bodies.

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Fixed {
  static constexpr std::string_view keyword = "fixed";
  static constexpr int nq = 0, nv = 0;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 0> freedoms{};

  template <class T>
  Transform<T> X_FM(const T*) const {
    return {};
  }
  template <class T>
  MotionColumns<T, 0> H_FM(const T*) const {
    return {};
  }
  template <class T>
  MotionColumns<T, 0> Hdot_FM(const T*, const T*) const {
    return {};
  }
  static constexpr std::array<Dimension, 6> closure_dimensions{dimension::length, dimension::length, dimension::length,
                                                               dimension::angle,  dimension::angle,  dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z;
    align_axes(X.R, out + 3);
  }
  template <class T>
  void q_zero(T*) const {}
  template <class T>
  void q_step(const T*, const T*, T*) const {}
  template <class T>
  void q_fit(const Transform<T>&, T*) const {}
};

}  // namespace trammel

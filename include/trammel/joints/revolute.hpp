// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Revolute: a turn by θ about the common z axis of F and M.

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Revolute {
  static constexpr std::string_view keyword = "revolute";
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 1> freedoms{{{"angle", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_z(q[0]), {}};
  }
  template <class T>
  MotionColumns<T, 1> H_FM(const T*) const {
    return {{{{T(0), T(0), T(1)}, {}}}};
  }
  template <class T>
  MotionColumns<T, 1> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {turned_about_z(X_WF.R, q[0]), X_WF.p};
  }
  template <class T>
  MotionColumns<T, 1> columns_at(const Transform<T>& X_OM, const T*) const {
    return {{turn_about(X_OM.R.ez, X_OM.p)}};
  }
  static constexpr std::array<Dimension, 5> closure_dimensions{dimension::length, dimension::length, dimension::length,
                                                               dimension::angle, dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z;
    align_z(X.R, out + 3);
  }
  template <class T>
  void q_zero(T* q) const {
    set_zero<nq>(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    add_step<nq>(q, dq, out);
  }
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    q[0] = fit_angle_z(X.R);
  }
};

}  // namespace trammel

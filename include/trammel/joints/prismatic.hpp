// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prismatic: a travel z along the common z axis of F and M.

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Prismatic {
  static constexpr std::string_view keyword = "prismatic";
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 1> freedoms{{{"travel", dimension::length}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return Transform<T>::translation({T(0), T(0), q[0]});
  }
  template <class T>
  MotionColumns<T, 1> H_FM(const T*) const {
    return {{{{}, {T(0), T(0), T(1)}}}};
  }
  template <class T>
  MotionColumns<T, 1> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {X_WF.R, X_WF.p + X_WF.R.ez * q[0]};
  }
  template <class T>
  MotionColumns<T, 1> columns_at(const Transform<T>& X_OM, const T*) const {
    return {{travel_along(X_OM.R.ez)}};
  }
  static constexpr std::array<Dimension, 5> closure_dimensions{dimension::length, dimension::length, dimension::angle,
                                                               dimension::angle, dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y;
    align_axes(X.R, out + 2);
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
    q[0] = X.p.z;
  }
};

}  // namespace trammel

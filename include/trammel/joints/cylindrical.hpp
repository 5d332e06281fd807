// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cylindrical: coordinates (θ, z), a turn about z and a travel along it, independent of each other.

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Cylindrical {
  static constexpr std::string_view keyword = "cylindrical";
  static constexpr int nq = 2, nv = 2;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 2> freedoms{{{"angle", dimension::angle}, {"travel", dimension::length}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_z(q[0]), {T(0), T(0), q[1]}};
  }
  template <class T>
  MotionColumns<T, 2> H_FM(const T*) const {
    return {{{{T(0), T(0), T(1)}, {}}, {{}, {T(0), T(0), T(1)}}}};
  }
  template <class T>
  MotionColumns<T, 2> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {turned_about_z(X_WF.R, q[0]), X_WF.p + X_WF.R.ez * q[1]};
  }
  template <class T>
  MotionColumns<T, 2> columns_at(const Transform<T>& X_OM, const T*) const {
    return {{turn_about(X_OM.R.ez, X_OM.p), travel_along(X_OM.R.ez)}};
  }
  static constexpr std::array<Dimension, 4> closure_dimensions{dimension::length, dimension::length, dimension::angle,
                                                               dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y;
    align_z(X.R, out + 2);
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
    q[1] = X.p.z;
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spherical (ball): q is a unit quaternion (w, x, y, z), R_FM = R(q); v = ω_FM expressed in M. v is not q̇:
//   q̇ = ½ q ∘ (0, v)

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Spherical {
  static constexpr std::string_view keyword = "spherical";
  static constexpr int nq = 4, nv = 3;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 3> freedoms{
      {{"wx", dimension::angle}, {"wy", dimension::angle}, {"wz", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_of(Quaternion<T>::load(q)), {}};
  }
  template <class T>
  MotionColumns<T, 3> H_FM(const T*) const {
    return {{{{T(1), T(0), T(0)}, {}}, {{T(0), T(1), T(0)}, {}}, {{T(0), T(0), T(1)}, {}}}};
  }
  template <class T>
  MotionColumns<T, 3> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {X_WF.R * rotation_of(Quaternion<T>::load(q)), X_WF.p};
  }
  template <class T>
  MotionColumns<T, 3> columns_at(const Transform<T>& X_OM, const T*) const {
    const auto& [R, p] = X_OM;
    return {{turn_about(R.ex, p), turn_about(R.ey, p), turn_about(R.ez, p)}};
  }
  static constexpr std::array<Dimension, 3> closure_dimensions{dimension::length, dimension::length, dimension::length};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z;
  }
  template <class T>
  void q_zero(T* q) const {
    Quaternion<T>{}.store(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    normalized(Quaternion<T>::load(q) * exp_quaternion(Vec3<T>{dq[0], dq[1], dq[2]})).store(out);
  }
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    quaternion_of(X.R).store(q);
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Planar: coordinates (x, y, θ), a travel in the plane z = 0 of F and a turn about its normal.
//   p_FM = (x, y, 0), R_FM = Rz(θ);   in M: v = Rz(θ)ᵀ (ẋ, ẏ, 0), ω = (0, 0, θ̇)

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Planar {
  static constexpr std::string_view keyword = "planar";
  static constexpr int nq = 3, nv = 3;
  static constexpr bool constant_H = false;
  static constexpr std::array<Freedom, 3> freedoms{
      {{"x", dimension::length}, {"y", dimension::length}, {"angle", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_z(q[2]), {q[0], q[1], T(0)}};
  }
  template <class T>
  MotionColumns<T, 3> H_FM(const T* q) const {
    const auto [s, c] = sin_cos(q[2]);
    return {{{{}, {c, -s, T(0)}}, {{}, {s, c, T(0)}}, {{T(0), T(0), T(1)}, {}}}};
  }
  template <class T>
  MotionColumns<T, 3> Hdot_FM(const T* q, const T* v) const {
    const auto [s, c] = sin_cos(q[2]);
    return {{{{}, {-s * v[2], -c * v[2], T(0)}}, {{}, {c * v[2], -s * v[2], T(0)}}, {}}};
  }
  template <class T>
  MotionColumns<T, 3> Hdot_along(const T* q, const T* v, const T* u) const {
    const auto [s, c] = sin_cos(q[2]);
    const T scale = v[2] * u[2];
    return {{{{}, {-c * scale, s * scale, T(0)}}, {{}, {-s * scale, -c * scale, T(0)}}, {}}};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {turned_about_z(X_WF.R, q[2]), X_WF.p + X_WF.R.ex * q[0] + X_WF.R.ey * q[1]};
  }
  template <class T>
  MotionColumns<T, 3> columns_at(const Transform<T>& X_OM, const T* q) const {
    const auto [s, c] = sin_cos(q[2]);
    const auto& [R, p] = X_OM;
    return {{travel_along(R.ex * c - R.ey * s), travel_along(R.ex * s + R.ey * c), turn_about(R.ez, p)}};
  }
  static constexpr std::array<Dimension, 3> closure_dimensions{dimension::length, dimension::angle, dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.z;
    align_z(X.R, out + 1);
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
    q[0] = X.p.x;
    q[1] = X.p.y;
    q[2] = fit_angle_z(X.R);
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rolling: a wheel of radius r rolls along x of F without slipping; z of F is its axle. M sits in the hub.
//   p_FM = (r θ, 0, 0),  R_FM = Rz(−θ);   in M: ω = (0, 0, −θ̇),  v = Rz(θ) (r θ̇, 0, 0)

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Rolling {
  double radius = 1;  // m, not zero

  static constexpr std::string_view keyword = "rolling";
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_H = false;
  static constexpr std::array<Freedom, 1> freedoms{{{"angle", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_z(-q[0]), {T(radius) * q[0], T(0), T(0)}};
  }
  template <class T>
  MotionColumns<T, 1> H_FM(const T* q) const {
    const auto [s, c] = sin_cos(q[0]);
    return {{{{T(0), T(0), T(-1)}, {T(radius) * c, T(radius) * s, T(0)}}}};
  }
  template <class T>
  MotionColumns<T, 1> Hdot_FM(const T* q, const T* v) const {
    const auto [s, c] = sin_cos(q[0]);
    const T rv = T(radius) * v[0];
    return {{{{}, {-s * rv, c * rv, T(0)}}}};
  }
  template <class T>
  MotionColumns<T, 1> Hdot_along(const T* q, const T* v, const T* u) const {
    const auto [s, c] = sin_cos(q[0]);
    const T rvu = T(radius) * v[0] * u[0];
    return {{{{}, {-c * rvu, -s * rvu, T(0)}}}};
  }
  template <class T>
  void q_zero(T* q) const {
    set_zero<nq>(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    add_step<nq>(q, dq, out);
  }
  // The way travelled tells the number of turns, the rotation the angle within the turn.
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    constexpr double turn = 6.283185307179586476925286766559;
    const T angle = -fit_angle_z(X.R);
    const T error = X.p.x / T(radius) - angle;
    q[0] = angle + T(turn) * T(std::round(value_of(error) / turn));
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Universal (Hooke, Cardan): coordinates (θ₁, θ₂), a turn by θ₁ about x, fixed in F, then by θ₂ about y, fixed in M.
//   R_FM = Rx(θ₁) Ry(θ₂);   ω_FM in M = θ̇₁ (cos θ₂, 0, sin θ₂) + θ̇₂ (0, 1, 0)

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Universal {
  static constexpr std::string_view keyword = "universal";
  static constexpr int nq = 2, nv = 2;
  static constexpr bool constant_H = false;
  static constexpr std::array<Freedom, 2> freedoms{{{"angle1", dimension::angle}, {"angle2", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_x(q[0]) * rotation_y(q[1]), {}};
  }
  template <class T>
  MotionColumns<T, 2> H_FM(const T* q) const {
    const auto [s, c] = sin_cos(q[1]);
    return {{{{c, T(0), s}, {}}, {{T(0), T(1), T(0)}, {}}}};
  }
  template <class T>
  MotionColumns<T, 2> Hdot_FM(const T* q, const T* v) const {
    const auto [s, c] = sin_cos(q[1]);
    return {{{{-s * v[1], T(0), c * v[1]}, {}}, {}}};
  }
  template <class T>
  MotionColumns<T, 2> Hdot_along(const T* q, const T* v, const T* u) const {
    const auto [s, c] = sin_cos(q[1]);
    const T scale = v[1] * u[1];
    return {{{{-c * scale, T(0), -s * scale}, {}}, {}}};
  }
  static constexpr std::array<Dimension, 4> closure_dimensions{dimension::length, dimension::length, dimension::length,
                                                               dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z;
    out[3] = -X.R.ey.x;  // sine of what the two axes miss a right angle by
  }
  template <class T>
  void q_zero(T* q) const {
    set_zero<nq>(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    add_step<nq>(q, dq, out);
  }
  // Column y of R_FM is (0, cos θ₁, sin θ₁); row x is (cos θ₂, 0, sin θ₂).
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    q[0] = atan2(X.R.ey.z, X.R.ey.y);
    q[1] = atan2(X.R.ez.x, X.R.ex.x);
  }
};

}  // namespace trammel

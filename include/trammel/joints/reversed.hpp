// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reversed<J>: joint J walked from its second body to its first, with J's own coordinates. Needed when the spanning
// tree runs against the direction the file names. With X, H of J itself:
//   X_FM = X⁻¹;   H_FM = −X·H  (the motion of J's F relative to its M, seen in J's F)
//   Ḣ_FM = −X·(V × H + Ḣ),  V = H v                                                     since d/dt(X·m) = X·(V × m + ṁ)
// and while q moves with u, U = H u, H changes by Ḣ(u), V by Ḣ(u) v, and what stands behind X by U × it besides:
//   slope of Ḣ_FM = −X·(U × (V × H + Ḣ(v)) + Ḣ(u) v × H + V × Ḣ(u) + slope of Ḣ(v))

#include <trammel/joints/joint.hpp>

namespace trammel {

template <class J>
struct Reversed {
  J joint;

  static constexpr std::string_view keyword = J::keyword;
  static constexpr int nq = J::nq, nv = J::nv;
  static constexpr bool constant_H = false;
  static constexpr auto freedoms = J::freedoms;

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return inverse(joint.template X_FM<T>(q));
  }
  template <class T>
  MotionColumns<T, nv> H_FM(const T* q) const {
    const Transform<T> X = joint.template X_FM<T>(q);
    MotionColumns<T, nv> H = joint.template H_FM<T>(q);
    for (Motion<T>& column : H) column = -(X * column);
    return H;
  }
  template <class T>
  MotionColumns<T, nv> Hdot_FM(const T* q, const T* v) const {
    const Transform<T> X = joint.template X_FM<T>(q);
    const MotionColumns<T, nv> H = joint.template H_FM<T>(q);
    MotionColumns<T, nv> Hdot = joint.template Hdot_FM<T>(q, v);
    Motion<T> V{};
    for (int k = 0; k < nv; ++k) V += H[k] * v[k];
    for (int k = 0; k < nv; ++k) Hdot[k] = -(X * (cross_motion(V, H[k]) + Hdot[k]));
    return Hdot;
  }
  template <class T>
  MotionColumns<T, nv> Hdot_along(const T* q, const T* v, const T* u) const {
    const Transform<T> X = joint.template X_FM<T>(q);
    const MotionColumns<T, nv> H = joint.template H_FM<T>(q);
    const MotionColumns<T, nv> Hdot = joint.template Hdot_FM<T>(q, v), H_along = joint.template Hdot_FM<T>(q, u);
    MotionColumns<T, nv> slope{};
    if constexpr (!J::constant_H) slope = joint.template Hdot_along<T>(q, v, u);
    Motion<T> V{}, U{}, V_along{};
    for (int k = 0; k < nv; ++k) V += H[k] * v[k], U += H[k] * u[k], V_along += H_along[k] * v[k];
    for (int k = 0; k < nv; ++k) {
      slope[k] +=
          cross_motion(U, cross_motion(V, H[k]) + Hdot[k]) + cross_motion(V_along, H[k]) + cross_motion(V, H_along[k]);
      slope[k] = -(X * slope[k]);
    }
    return slope;
  }
  template <class T>
  void q_zero(T* q) const {
    joint.template q_zero<T>(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    joint.template q_step<T>(q, dq, out);
  }
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    joint.template q_fit<T>(inverse(X), q);
  }
};

}  // namespace trammel

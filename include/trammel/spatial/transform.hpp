// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poses of frames: X_AB is the pose of B in A, R_AB its axes and p_AB_A its origin. Adjacent letters match:
//   X_AC = X_AB * X_BC,   p_AQ_A = X_AB * p_BQ_B
// and the exponential of a twist held constant for unit time, with its inverse and left Jacobian.

#include <trammel/spatial/motion.hpp>
#include <trammel/spatial/rotation.hpp>

namespace trammel {

template <class T>
struct Transform {
  Mat3<T> R = Mat3<T>::identity();
  Vec3<T> p;

  template <class S>
  static Transform from(const Transform<S>& o) {
    return {Mat3<T>::from(o.R), Vec3<T>::from(o.p)};
  }
  static Transform translation(const Vec3<T>& p) { return {Mat3<T>::identity(), p}; }

  friend Transform operator*(const Transform& X_AB, const Transform& X_BC) {
    return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
  }
  friend Vec3<T> operator*(const Transform& X_AB, const Vec3<T>& p_BQ) { return X_AB.p + X_AB.R * p_BQ; }
  friend bool operator==(const Transform&, const Transform&) = default;
};
using Transformd = Transform<double>;

template <class T>
Transform<T> inverse(const Transform<T>& X) {
  const Mat3<T> Rt = transpose(X.R);
  return {Rt, -(Rt * X.p)};
}

// A motion known at B's origin in B's axes, seen at A's origin in A's axes.
template <class T>
Motion<T> operator*(const Transform<T>& X_AB, const Motion<T>& V_B) {
  const Vec3<T> w = X_AB.R * V_B.w;
  return {w, X_AB.R * V_B.v + cross(X_AB.p, w)};
}
// A force known at B's origin in B's axes, seen at A's origin in A's axes.
template <class T>
Force<T> operator*(const Transform<T>& X_AB, const Force<T>& F_B) {
  const Vec3<T> f = X_AB.R * F_B.f;
  return {X_AB.R * F_B.n + cross(X_AB.p, f), f};
}

// exp([φ; ρ]): R = exp(φ), p = J_l(φ) ρ.
template <class T>
Transform<T> exp(const Motion<T>& twist) {
  return {exp_rotation(twist.w), left_jacobian(twist.w) * twist.v};
}
template <class T>
Motion<T> log(const Transform<T>& X) {
  const Vec3<T> phi = log(X.R);
  return {phi, inverse_left_jacobian(phi) * X.p};
}

// The left Jacobian of SE(3) on [φ; ρ]:  d/dt exp(ξ) = (J ξ̇)^ exp(ξ),  J = [J_l 0; Q J_l]   [Barfoot 2017, 7.86].
template <class T>
struct TwistJacobian {
  Mat3<T> angular, coupling;  // J_l and Q

  friend Motion<T> operator*(const TwistJacobian& J, const Motion<T>& rate) {
    return {J.angular * rate.w, J.coupling * rate.w + J.angular * rate.v};
  }
};
// (θ² + 2 cos θ − 2)/(2 θ⁴) and (2θ − 3 sin θ + θ cos θ)/(2 θ⁵), the two coefficients Q adds to those of J_l.
template <class T>
T twist_coefficient_4(const T& theta2) {
  const auto small = theta2 < T(cancelling_angle_squared);
  const T t2 = select(small, T(1), theta2);
  constexpr auto c = inverse_factorials<12>(4);
  return select(small, alternating_series(theta2, c), (T(0.5) - one_minus_cos_over_square(t2)) / t2);
}
template <class T>
T twist_coefficient_5(const T& theta2) {
  const auto small = theta2 < T(cancelling_angle_squared);
  const T t2 = select(small, T(1), theta2);
  constexpr auto c = inverse_factorials<12>(5, true);
  return select(small, alternating_series(theta2, c),
                (T(3) * theta_minus_sin_over_cube(t2) - one_minus_cos_over_square(t2)) / (T(2) * t2));
}
template <class T>
TwistJacobian<T> left_jacobian(const Motion<T>& twist) {
  const T theta2 = dot(twist.w, twist.w);
  const Mat3<T> W = skew(twist.w), P = skew(twist.v);
  const Mat3<T> WP = W * P, PW = P * W, WPW = WP * W;
  const Mat3<T> Q = P * T(0.5) + (WP + PW + WPW) * theta_minus_sin_over_cube(theta2) +
                    (W * WP + PW * W - WPW * T(3)) * twist_coefficient_4(theta2) +
                    (WPW * W + W * WPW) * twist_coefficient_5(theta2);
  return {left_jacobian(twist.w), Q};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rotations: matrices about axes, unit quaternions (w, x, y, z), the exponential map and its inverse.
//
//   exp(φ) turns by |φ| about φ;  log(exp(φ)) = φ for |φ| < π
//   Left Jacobian:  d/dt exp(φ(t)) = skew(J_l(φ) φ̇) exp(φ)
//   J_l = 1 + (1 − cos θ)/θ² skew(φ) + (θ − sin θ)/θ³ skew(φ)²,   θ = |φ|       [Barfoot 2017, ch. 7]
//
// The quotients lose all digits at θ → 0; there the named helpers below take their Taylor series. Both sides are
// computed and one is selected, so that nothing here branches on a scalar.

#include <array>
#include <cstddef>

#include <trammel/spatial/vector.hpp>

namespace trammel {

template <class T>
Mat3<T> rotation_x(const T& angle) {
  const auto [s, c] = sin_cos(angle);
  return {{T(1), T(0), T(0)}, {T(0), c, s}, {T(0), -s, c}};
}
template <class T>
Mat3<T> rotation_y(const T& angle) {
  const auto [s, c] = sin_cos(angle);
  return {{c, T(0), -s}, {T(0), T(1), T(0)}, {s, T(0), c}};
}
template <class T>
Mat3<T> rotation_z(const T& angle) {
  const auto [s, c] = sin_cos(angle);
  return {{c, s, T(0)}, {-s, c, T(0)}, {T(0), T(0), T(1)}};
}

// R Rz(θ), without multiplying by the zeros and the one of Rz.
template <class T>
Mat3<T> turned_about_z(const Mat3<T>& R, const T& angle) {
  const auto [s, c] = sin_cos(angle);
  return {R.ex * c + R.ey * s, R.ey * c - R.ex * s, R.ez};
}

// Σ_k (−1)^k c_k x^k, by Horner.
template <class T, std::size_t n>
T alternating_series(const T& x, const std::array<double, n>& c) {
  T sum(c[n - 1]);
  for (std::size_t k = n - 1; k-- > 0;) sum = T(c[k]) - x * sum;
  return sum;
}
// n coefficients 1/(2k + first)!, or (k + 1)/(2k + first)!, for the series below.
template <std::size_t n>
constexpr std::array<double, n> inverse_factorials(int first, bool times_k_plus_one = false) {
  std::array<double, n> c{};
  double factorial = 1;  // exact up to 22!; beyond, its error is far below what the terms add
  for (int i = 2; i <= first; ++i) factorial *= i;
  for (std::size_t k = 0; k < n; ++k) {
    c[k] = (times_k_plus_one ? static_cast<double>(k + 1) : 1.0) / factorial;
    const double next = static_cast<double>(2 * k) + first;
    factorial *= (next + 1) * (next + 2);
  }
  return c;
}

// Below these θ² the series are exact to round-off: the first term left out is below 1e-17 of the first. sinc needs its
// series only against 0/0; the others also because their closed forms cancel, by 6/θ², 24/θ² or 60/θ² round-offs.
inline constexpr double small_angle_squared = 0.01;
inline constexpr double cancelling_angle_squared = 4;

// sin θ / θ
template <class T>
T sinc(const T& theta2) {
  const auto small = theta2 < T(small_angle_squared);
  const T theta = sqrt(select(small, T(1), theta2));
  constexpr auto c = inverse_factorials<5>(1);
  return select(small, alternating_series(theta2, c), sin_cos(theta).sin / theta);
}
// (1 − cos θ)/θ², as ½ sinc²(θ/2): no cancellation at any θ
template <class T>
T one_minus_cos_over_square(const T& theta2) {
  const T half_sinc = sinc(theta2 * T(0.25));
  return T(0.5) * half_sinc * half_sinc;
}
// (θ − sin θ)/θ³
template <class T>
T theta_minus_sin_over_cube(const T& theta2) {
  const auto small = theta2 < T(cancelling_angle_squared);
  const T t2 = select(small, T(1), theta2);
  const T theta = sqrt(t2);
  constexpr auto c = inverse_factorials<12>(3);
  return select(small, alternating_series(theta2, c), (theta - sin_cos(theta).sin) / (t2 * theta));
}
// (1 − (θ/2) cot(θ/2))/θ², the coefficient of J_l⁻¹; with h = θ/2 it is [(1 − cos h)/h² − (h − sin h)/h³] / (4 sin h/h)
template <class T>
T one_minus_half_cot_over_square(const T& theta2) {
  const T h2 = theta2 * T(0.25);
  return (one_minus_cos_over_square(h2) - theta_minus_sin_over_cube(h2)) / (T(4) * sinc(h2));
}

template <class T>
struct Quaternion {
  T w{1}, x{0}, y{0}, z{0};

  // Numbers kept in a coordinate vector as (w, x, y, z).
  static Quaternion load(const T* q) { return {q[0], q[1], q[2], q[3]}; }
  void store(T* q) const { q[0] = w, q[1] = x, q[2] = y, q[3] = z; }

  friend Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
};

template <class T>
T squared_norm(const Quaternion<T>& q) {
  return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}
template <class T>
Quaternion<T> normalized(const Quaternion<T>& q) {
  const T s = T(1) / sqrt(squared_norm(q));
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
// The matrix of q/|q|: a quaternion that has drifted off unit length still gives a rotation.
template <class T>
Mat3<T> rotation_of(const Quaternion<T>& q) {
  const T s = T(2) / squared_norm(q);
  const T xs = q.x * s, ys = q.y * s, zs = q.z * s;
  const T wx = q.w * xs, wy = q.w * ys, wz = q.w * zs;
  const T xx = q.x * xs, xy = q.x * ys, xz = q.x * zs, yy = q.y * ys, yz = q.y * zs, zz = q.z * zs;
  return {
      {T(1) - (yy + zz), xy + wz, xz - wy}, {xy - wz, T(1) - (xx + zz), yz + wx}, {xz + wy, yz - wx, T(1) - (xx + yy)}};
}
// The unit quaternion of R with w ≥ 0. Of the four candidate formulas (Shepperd 1978) each divides by one of its
// components; the largest component is taken, so no digits are lost.
template <class T>
Quaternion<T> quaternion_of(const Mat3<T>& R) {
  const T one(1), xx = R.ex.x, yy = R.ey.y, zz = R.ez.z;
  const T w2 = one + xx + yy + zz, x2 = one + xx - yy - zz, y2 = one - xx + yy - zz, z2 = one - xx - yy + zz;
  const T yz_zy = R.ey.z - R.ez.y, zx_xz = R.ez.x - R.ex.z, xy_yx = R.ex.y - R.ey.x;
  const T xy = R.ex.y + R.ey.x, xz = R.ex.z + R.ez.x, yz = R.ey.z + R.ez.y;
  Quaternion<T> q{w2, yz_zy, zx_xz, xy_yx};
  T largest = w2;
  const auto prefer = [&](const T& candidate, const Quaternion<T>& other) {
    const auto better = candidate > largest;
    largest = select(better, candidate, largest);
    q = {select(better, other.w, q.w), select(better, other.x, q.x), select(better, other.y, q.y),
         select(better, other.z, q.z)};
  };
  prefer(x2, {yz_zy, x2, xy, xz});
  prefer(y2, {zx_xz, xy, y2, yz});
  prefer(z2, {xy_yx, xz, yz, z2});
  q = normalized(q);
  const T sign = select(q.w < T(0), T(-1), T(1));
  return {q.w * sign, q.x * sign, q.y * sign, q.z * sign};
}

template <class T>
Quaternion<T> exp_quaternion(const Vec3<T>& phi) {
  const T quarter_theta2 = dot(phi, phi) * T(0.25);
  const T half_sinc = T(0.5) * sinc(quarter_theta2);
  const T s2 = half_sinc * half_sinc * dot(phi, phi);  // sin²(θ/2)
  // cos(θ/2) from the angle itself away from zero; near zero 1 − s²/(1 + √(1 − s²)) keeps the unit length.
  const auto small = quarter_theta2 < T(small_angle_squared);
  const T near_zero = T(1) - s2 / (T(1) + sqrt(select(small, T(1) - s2, T(1))));
  const T away = sin_cos(sqrt(select(small, T(1), quarter_theta2))).cos;
  return {select(small, near_zero, away), half_sinc * phi.x, half_sinc * phi.y, half_sinc * phi.z};
}
template <class T>
Mat3<T> exp_rotation(const Vec3<T>& phi) {
  return rotation_of(exp_quaternion(phi));
}
// φ with exp(φ) = q and |φ| ≤ π.
template <class T>
Vec3<T> log(const Quaternion<T>& q) {
  const T sign = select(q.w < T(0), T(-1), T(1));
  const T w = q.w * sign;
  const Vec3<T> v = Vec3<T>{q.x, q.y, q.z} * sign;
  const T s2 = dot(v, v);
  const auto small = s2 < T(1e-6) * w * w;
  const T s = sqrt(select(small, T(1), s2));
  const T r2 = s2 / select(small, w * w, T(1));  // tan²(θ/2)
  const T series = (T(2) - r2 * (T(2. / 3) - r2 * (T(2. / 5) - r2 * T(2. / 7)))) / select(small, w, T(1));
  return v * select(small, series, T(2) * atan2(s, w) / s);
}
template <class T>
Vec3<T> log(const Mat3<T>& R) {
  return log(quaternion_of(R));
}

template <class T>
Mat3<T> left_jacobian(const Vec3<T>& phi) {
  const T theta2 = dot(phi, phi);
  const Mat3<T> S = skew(phi);
  return Mat3<T>::identity() + S * one_minus_cos_over_square(theta2) + (S * S) * theta_minus_sin_over_cube(theta2);
}
template <class T>
Mat3<T> inverse_left_jacobian(const Vec3<T>& phi) {
  const Mat3<T> S = skew(phi);
  return Mat3<T>::identity() - S * T(0.5) + (S * S) * one_minus_half_cot_over_square(dot(phi, phi));
}

}  // namespace trammel

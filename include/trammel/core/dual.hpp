// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dual numbers: a value and its derivative along one direction, exact to round-off.
//   f(a + b ε) = f(a) + f'(a) b ε,   ε² = 0
// Seed the direction of interest (ε parts of q, v or τ), run any kernel, read the derivative off the ε parts.

#include <trammel/core/scalar.hpp>

namespace trammel {

struct Dual {
  double value = 0;
  double eps = 0;

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a dual with ε = 0
  constexpr Dual(double v, double e) : value(v), eps(e) {}

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.eps}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.eps + b.eps}; }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.eps - b.eps}; }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.eps + a.eps * b.value};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const double quotient = a.value / b.value;
    return {quotient, (a.eps - quotient * b.eps) / b.value};
  }
  // Order is that of the values: branches are taken as the plain number would take them.
  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
};

inline Dual select(bool condition, const Dual& if_true, const Dual& if_false) { return condition ? if_true : if_false; }
inline double value_of(const Dual& x) { return x.value; }
inline bool is_zero(const Dual& x) { return x.value == 0 && x.eps == 0; }

inline Dual sqrt(const Dual& x) {
  const double root = std::sqrt(x.value);
  return {root, x.eps / (2 * root)};
}
inline Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
inline Dual sin(const Dual& x) { return {std::sin(x.value), std::cos(x.value) * x.eps}; }
inline Dual cos(const Dual& x) { return {std::cos(x.value), -std::sin(x.value) * x.eps}; }
inline SinCos<Dual> sin_cos(const Dual& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return {{s, c * x.eps}, {c, -s * x.eps}};
}
inline Dual atan2(const Dual& y, const Dual& x) {
  const double squared = x.value * x.value + y.value * y.value;
  return {std::atan2(y.value, x.value), (x.value * y.eps - y.value * x.eps) / squared};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dual numbers: a value and its derivative along one direction, exact to round-off.
//   f(a + b ε) = f(a) + f'(a) b ε,   ε² = 0
// Seed the direction of interest (ε parts of q, v or τ), run any kernel, read the derivative off the ε parts.

#include <trammel/core/functions.hpp>

namespace trammel {

struct Dual {
  static constexpr int derivatives = 1;

  double value = 0;
  double eps = 0;

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant is a dual with ε = 0
  constexpr Dual(double v, double e) : value(v), eps(e) {}

  // A function of this number, by its value and slope here. Its functions are in core/functions.hpp.
  constexpr Dual mapped(double f, double slope) const { return {f, slope * eps}; }

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

inline double value_of(const Dual& x) { return x.value; }
inline bool is_zero(const Dual& x) { return x.value == 0 && x.eps == 0; }

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A number with its partial derivatives in N directions, so that one evaluation of a small function gives its whole
// Jacobian. Where Dual (core/dual.hpp) runs a function once per direction, Gradient shares the values between them:
//   f(x) = f,   ∂f = f'(x) ∂x,   ∂(x y) = y ∂x + x ∂y,   ∂(x/y) = (∂x − (x/y) ∂y)/y
//
//   const auto [x, y] = Gradient<2>::variables({3, 4});
//   hypot(x, y).d      // (0.6, 0.8)

#include <array>
#include <cstddef>

#include <trammel/core/functions.hpp>

namespace trammel {

template <int N>
struct Gradient {
  static_assert(N >= 1);
  static constexpr int derivatives = N;

  double value = 0;
  std::array<double, N> d{};  // ∂/∂x₁ … ∂/∂x_N

  constexpr Gradient() = default;
  constexpr Gradient(double v) : value(v) {}  // NOLINT(google-explicit-constructor): a constant has no derivatives
  constexpr Gradient(double v, const std::array<double, N>& derivatives_of_it) : value(v), d(derivatives_of_it) {}

  // The i-th of the variables that derivatives are taken by.
  static constexpr Gradient variable(int i, double v) {
    Gradient x(v);
    x.d[static_cast<std::size_t>(i)] = 1;
    return x;
  }
  static constexpr std::array<Gradient, N> variables(const std::array<double, N>& values) {
    std::array<Gradient, N> x;
    for (int i = 0; i < N; ++i) x[static_cast<std::size_t>(i)] = variable(i, values[static_cast<std::size_t>(i)]);
    return x;
  }

  // A function of this number, by its value and slope here. Its functions are in core/functions.hpp.
  constexpr Gradient mapped(double f, double slope) const {
    Gradient result(f);
    for (std::size_t i = 0; i < N; ++i) result.d[i] = slope * d[i];
    return result;
  }

  constexpr Gradient& operator+=(const Gradient& b) { return *this = *this + b; }
  constexpr Gradient& operator-=(const Gradient& b) { return *this = *this - b; }
  constexpr Gradient& operator*=(const Gradient& b) { return *this = *this * b; }
  constexpr Gradient& operator/=(const Gradient& b) { return *this = *this / b; }

  friend constexpr Gradient operator+(const Gradient& a) { return a; }
  friend constexpr Gradient operator-(const Gradient& a) { return a.mapped(-a.value, -1); }
  friend constexpr Gradient operator+(const Gradient& a, const Gradient& b) {
    return combined(a.value + b.value, 1, a, 1, b);
  }
  friend constexpr Gradient operator-(const Gradient& a, const Gradient& b) {
    return combined(a.value - b.value, 1, a, -1, b);
  }
  friend constexpr Gradient operator*(const Gradient& a, const Gradient& b) {
    return combined(a.value * b.value, b.value, a, a.value, b);
  }
  friend constexpr Gradient operator/(const Gradient& a, const Gradient& b) {
    const double quotient = a.value / b.value;
    Gradient result(quotient);
    for (std::size_t i = 0; i < N; ++i) result.d[i] = (a.d[i] - quotient * b.d[i]) / b.value;
    return result;
  }
  // Constants keep out of the derivatives.
  friend constexpr Gradient operator*(const Gradient& a, double s) { return a.mapped(a.value * s, s); }
  friend constexpr Gradient operator*(double s, const Gradient& a) { return a.mapped(s * a.value, s); }

  // Order is that of the values: branches are taken as the plain number would take them.
  friend constexpr bool operator<(const Gradient& a, const Gradient& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Gradient& a, const Gradient& b) { return a.value > b.value; }
  friend constexpr bool operator<=(const Gradient& a, const Gradient& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Gradient& a, const Gradient& b) { return a.value >= b.value; }

 private:
  // The number f with the derivatives s ∂a + t ∂b.
  static constexpr Gradient combined(double f, double s, const Gradient& a, double t, const Gradient& b) {
    Gradient result(f);
    for (std::size_t i = 0; i < N; ++i) result.d[i] = s * a.d[i] + t * b.d[i];
    return result;
  }
};

template <int N>
double value_of(const Gradient<N>& x) {
  return x.value;
}
template <int N>
bool is_zero(const Gradient<N>& x) {
  bool zero = x.value == 0;
  for (const double derivative : x.d) zero = zero && derivative == 0;
  return zero;
}

}  // namespace trammel

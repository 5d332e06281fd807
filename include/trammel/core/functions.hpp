// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elementary functions beyond those that kernels need (core/scalar.hpp), by one name for every scalar: for double
// those of the C library; for Dual and Gradient written here once, each as its value and its slope,
//   f(x + ẋ ε) = f(x) + f'(x) ẋ ε
// core/series.hpp has those of Series. The value is always the one that the C library gives for the plain number.
// Where a derivative does not exist, as that of sqrt at 0, it comes out as inf or NaN.

#include <cmath>
#include <concepts>
#include <numbers>

#include <trammel/core/scalar.hpp>

namespace trammel {

using std::acos;
using std::asin;
using std::atan;
using std::cbrt;
using std::ceil;
using std::cos;
using std::cosh;
using std::exp;
using std::floor;
using std::hypot;
using std::log;
using std::log10;
using std::log2;
using std::pow;
using std::round;
using std::sin;
using std::sinh;
using std::tan;
using std::tanh;

// Numbers that carry derivatives: Dual, Gradient, Series.
template <class T>
concept Differentiated = requires {
  { T::derivatives } -> std::convertible_to<int>;  // how many
};
// Those whose derivatives are first ones: x.mapped(f, slope) is f, with the derivatives of x times the slope.
template <class T>
concept FirstOrder = Differentiated<T> && requires(const T& x, double number) {
  { x.mapped(number, number) } -> std::same_as<T>;
};

// No derivative is other than zero.
template <Differentiated T>
bool is_constant(const T& x) {
  return is_zero(x - T(value_of(x)));
}

// --- functions in pieces: of each piece its derivatives, and nothing of the jumps ---------------------------------

template <Differentiated T>
T select(bool condition, const T& if_true, const T& if_false) {
  return condition ? if_true : if_false;
}
template <Differentiated T>
T abs(const T& x) {
  return value_of(x) < 0 ? -x : x;
}
template <Differentiated T>
T floor(const T& x) {
  return T(std::floor(value_of(x)));
}
template <Differentiated T>
T ceil(const T& x) {
  return T(std::ceil(value_of(x)));
}
template <Differentiated T>
T round(const T& x) {
  return T(std::round(value_of(x)));
}

// --- first order: value and slope -----------------------------------------------------------------------------------

template <FirstOrder T>
T sqrt(const T& x) {
  const double root = std::sqrt(x.value);
  return x.mapped(root, 1 / (2 * root));
}
template <FirstOrder T>
T cbrt(const T& x) {
  const double root = std::cbrt(x.value);
  return x.mapped(root, 1 / (3 * root * root));
}
template <FirstOrder T>
T exp(const T& x) {
  const double power = std::exp(x.value);
  return x.mapped(power, power);
}
template <FirstOrder T>
T log(const T& x) {
  return x.mapped(std::log(x.value), 1 / x.value);
}
template <FirstOrder T>
T log2(const T& x) {
  return x.mapped(std::log2(x.value), std::numbers::log2e / x.value);
}
template <FirstOrder T>
T log10(const T& x) {
  return x.mapped(std::log10(x.value), std::numbers::log10e / x.value);
}
template <FirstOrder T>
SinCos<T> sin_cos(const T& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return {x.mapped(s, c), x.mapped(c, -s)};
}
template <FirstOrder T>
T sin(const T& x) {
  return sin_cos(x).sin;
}
template <FirstOrder T>
T cos(const T& x) {
  return sin_cos(x).cos;
}
template <FirstOrder T>
T tan(const T& x) {
  const double t = std::tan(x.value);
  return x.mapped(t, 1 + t * t);
}
template <FirstOrder T>
T asin(const T& x) {
  return x.mapped(std::asin(x.value), 1 / std::sqrt((1 - x.value) * (1 + x.value)));
}
template <FirstOrder T>
T acos(const T& x) {
  return x.mapped(std::acos(x.value), -1 / std::sqrt((1 - x.value) * (1 + x.value)));
}
template <FirstOrder T>
T atan(const T& x) {
  return x.mapped(std::atan(x.value), 1 / (1 + x.value * x.value));
}
template <FirstOrder T>
T atan2(const T& y, const T& x) {
  const double squared = x.value * x.value + y.value * y.value;
  return y.mapped(std::atan2(y.value, x.value), x.value / squared) + x.mapped(0, -y.value / squared);
}
template <FirstOrder T>
T hypot(const T& x, const T& y) {
  const double h = std::hypot(x.value, y.value);
  return x.mapped(h, x.value / h) + y.mapped(0, y.value / h);
}
template <FirstOrder T>
T sinh(const T& x) {
  return x.mapped(std::sinh(x.value), std::cosh(x.value));
}
template <FirstOrder T>
T cosh(const T& x) {
  return x.mapped(std::cosh(x.value), std::sinh(x.value));
}
template <FirstOrder T>
T tanh(const T& x) {
  const double t = std::tanh(x.value);
  return x.mapped(t, 1 - t * t);
}
// Negative bases are fine where the exponent is a whole number, and so is zero where it is not negative.
template <FirstOrder T>
T pow(const T& x, double exponent) {
  if (exponent == 0) return T(1);  // the slope below would be 0 · ∞ at x = 0
  return x.mapped(std::pow(x.value, exponent), exponent * std::pow(x.value, exponent - 1));
}
template <FirstOrder T>
T pow(const T& x, const T& y) {
  const T at_fixed_y = pow(x, y.value);
  if (is_constant(y)) return at_fixed_y;
  const double power = at_fixed_y.value;
  return at_fixed_y + y.mapped(0, power == 0 ? 0 : power * std::log(x.value));  // xʸ log x → 0 at x → 0
}

}  // namespace trammel

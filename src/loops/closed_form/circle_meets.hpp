// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Angles at which something that turns meets a line, a plane, a circle or a cylinder: trigonometric equations of first and second order.

#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "loops/chace/trig_polynomial.hpp"
#include "loops/closed_form/real_root.hpp"

namespace trammel::closed_form {

template <class T>
struct OnCircle {
  T c, s;  // cos and sin of the angle
};

// a cos q + b sin q = k; side ±1 chooses one of the two solutions.
template <class T>
std::optional<OnCircle<T>> meet_first_order(const T& a, const T& b, const T& k, double side) {
  const T D = a * a + b * b;
  const auto found = real_root(D - k * k, value_of(D));
  if (!(D > T(0)) || !found) return std::nullopt;
  const T root = *found * side;
  return OnCircle<T>{(a * k - b * root) / D, (b * k + a * root) / D};
}

// ± x² of a form x = x0 + x1 cos q + x2 sin q.
template <class T>
struct Square {
  std::array<T, 3> x;
  double sign = 1;
};

// Σ ± x² = k: a quartic; all roots in double, then Newton's steps on T, of which each gives one more derivative. Modes are numbered in the
// order of angles.
template <class T, std::size_t count>
std::optional<OnCircle<T>> meet_second_order(const std::array<Square<T>, count>& squares, double k_right, int mode) {
  chace::Trig<2> F = chace::Trig<2>{} + (-k_right);
  for (const Square<T>& s : squares) {
    const chace::Trig<1> x = chace::first_order(value_of(s.x[0]), value_of(s.x[1]), value_of(s.x[2]));
    F = F + s.sign * (x * x);
  }
  chace::CircleRoots<2> roots = chace::find_roots(F, 1e-14 * F.size());
  if (roots.vanishes) return std::nullopt;
  for (int k = 1; k < roots.count; ++k) {
    for (int i = k; i > 0; --i) {
      chace::CircleRoot &one = roots.root[static_cast<std::size_t>(i - 1)],
                        &two = roots.root[static_cast<std::size_t>(i)];
      if (std::atan2(two.y, two.x) < std::atan2(one.y, one.x)) std::swap(one, two);
    }
  }
  if (mode >= roots.count) return std::nullopt;
  const chace::CircleRoot& root = roots.root[static_cast<std::size_t>(mode)];
  // The forms themselves know the root better than the coefficients of their squares.
  double q = std::atan2(root.y, root.x), slope = 0;
  for (int k = 0; k < 3; ++k) {
    const double c = std::cos(q), n = std::sin(q);
    double sum = -k_right;
    slope = 0;
    for (const Square<T>& s : squares) {
      const double x1 = value_of(s.x[1]), x2 = value_of(s.x[2]), x = value_of(s.x[0]) + x1 * c + x2 * n;
      sum += s.sign * x * x;
      slope += 2 * s.sign * x * (x2 * c - x1 * n);
    }
    const double step = sum / slope;
    if (!(std::abs(step) < 1e-4)) break;  // a double root, or nearly: it is as good as it gets
    q -= step;
  }
  OnCircle<T> at{T(std::cos(q)), T(std::sin(q))};
  if constexpr (!std::is_same_v<T, double>) {
    T angle(q);
    for (int k = 0; k < 2; ++k) {
      T sum(-k_right);
      for (const Square<T>& s : squares) {
        const T x = s.x[0] + s.x[1] * at.c + s.x[2] * at.s;
        sum = sum + x * x * s.sign;
      }
      angle = angle - sum / slope;
      const auto turned = sin_cos(angle);
      at = {turned.cos, turned.sin};
    }
  }
  return at;
}

// x² + y² = ρ².
template <class T>
std::optional<OnCircle<T>> meet_second_order(const std::array<T, 3>& x, const std::array<T, 3>& y, double radius,
                                             int mode) {
  return meet_second_order(std::array<Square<T>, 2>{{{x, 1}, {y, 1}}}, radius * radius, mode);
}

}  // namespace trammel::closed_form

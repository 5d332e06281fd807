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

// x² + y² = ρ², both of the form x0 + x1 cos q + x2 sin q: a quartic; all roots in double, then Newton's steps on T, of which each gives
// one more derivative. Modes are numbered in the order of angles.
template <class T>
std::optional<OnCircle<T>> meet_second_order(const std::array<T, 3>& x, const std::array<T, 3>& y, double radius,
                                             int mode) {
  const chace::Trig<1> x0 = chace::first_order(value_of(x[0]), value_of(x[1]), value_of(x[2]));
  const chace::Trig<1> y0 = chace::first_order(value_of(y[0]), value_of(y[1]), value_of(y[2]));
  const chace::Trig<2> F = x0 * x0 + y0 * y0 + (-radius * radius);
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
  OnCircle<T> at{T(root.x), T(root.y)};
  if constexpr (!std::is_same_v<T, double>) {
    const double slope = F.derivative().at(root.x, root.y);
    T angle(std::atan2(root.y, root.x));
    for (int k = 0; k < 2; ++k) {
      const T px = x[0] + x[1] * at.c + x[2] * at.s, py = y[0] + y[1] * at.c + y[2] * at.s;
      angle = angle - (px * px + py * py - T(radius * radius)) / slope;
      const auto turned = sin_cos(angle);
      at = {turned.cos, turned.sin};
    }
  }
  return at;
}

}  // namespace trammel::closed_form

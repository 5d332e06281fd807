// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the nine cases share: tolerances, and small helpers to fill in their answers.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <trammel/chace.hpp>

namespace trammel::chace {

inline constexpr double eps = std::numeric_limits<double>::epsilon();
// Below this, relative to the numbers that it was made of, a result is taken for round-off: parallel axes, no radius.
inline constexpr double round_off = 64 * eps;
// Where the data are one equation too many, they agree if they do so to this part of the largest length. A cone that is flat, or a
// needle, to this angle is taken for one.
inline constexpr double agreement = 1e-12;

// What may go in: finite numbers, unit vectors, angles φ from 0 to π, lengths that are not negative. False for NaN.
inline bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline bool is_unit(const Vec3d& v) { return std::abs(dot(v, v) - 1) < 1e-9; }
inline bool is_length(double x) { return x >= 0 && x < std::numeric_limits<double>::infinity(); }
inline bool is_valid(const Cone& cone) {
  const double c = cone.cos_polar, s = cone.sin_polar;
  return is_unit(cone.axes.w) && s >= 0 && std::abs(c * c + s * s - 1) < 1e-9;
}
inline bool is_valid(const Arm& arm) { return is_valid(arm.cone) && is_length(arm.length); }
inline bool is_right_handed(const Axes& axes) {
  const Vec3d error = cross(axes.w, axes.l) - axes.m;
  return is_unit(axes.l) && std::abs(dot(axes.l, axes.w)) < 1e-9 && dot(error, error) < 1e-18;
}

// Twice, because what is left of a nearly parallel vector is not square any more.
inline Vec3d part_square_to(const Vec3d& unit, const Vec3d& v) {
  const Vec3d once = v - unit * dot(unit, v);
  return once - unit * dot(unit, once);
}

// a b − c d and the cross product without cancellation (Kahan): as good for nearly parallel vectors as for others.
inline double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d, error = std::fma(c, d, -cd);
  return std::fma(a, b, -cd) - error;
}
inline Vec3d precise_cross(const Vec3d& a, const Vec3d& b) {
  return {difference_of_products(a.y, b.z, a.z, b.y), difference_of_products(a.z, b.x, a.x, b.z),
          difference_of_products(a.x, b.y, a.y, b.x)};
}

inline bool is_flat(const Cone& cone) { return std::abs(cone.cos_polar) <= agreement; }
inline bool is_needle(const Cone& cone) { return cone.sin_polar <= agreement; }
inline bool has_no_radius(const Arm& arm, double size) { return arm.radial() <= 0.1 * agreement * size; }

// A vector that lies on a cone, with the sign of its half. On a flat cone, where both halves coincide, lengths are positive.
inline Vector on_cone(const Cone& cone, const Vec3d& v) {
  const bool other_half = !is_flat(cone) && dot(v, cone.axes.w) * cone.cos_polar < 0;
  return {v, other_half ? -norm(v) : norm(v)};
}
inline Vector along(const Vec3d& direction, double length) { return {direction * length, length}; }

template <int capacity>
Solutions<capacity> verdict(Status status, Limit limit, double margin) {
  Solutions<capacity> result;
  result.status = std::isfinite(margin) ? status : Status::invalid;
  result.limit = limit;
  result.margin = std::isfinite(margin) ? margin : 0;
  return result;
}
template <int capacity>
Solutions<capacity> invalid() {
  return verdict<capacity>(Status::invalid, Limit::regular, 0);
}

template <int capacity>
Solution& add(Solutions<capacity>& result, const Solution& solution) {
  assert(result.count < capacity);
  result.status = Status::solved;
  return result.solution[static_cast<std::size_t>(result.count++)] = solution;
}

// difference / larger of the two, between −1 and 1: for a − b where both are squares.
inline double relative_difference(double a, double b) {
  const double larger = std::max(std::abs(a), std::abs(b));
  return larger > 0 ? (a - b) / larger : a - b;
}

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a constraint is. It ties frame Q, carried by a second body, to frame P, carried by a first body (or by the ground): a
// function Φ of the pose of Q as seen from P that the mechanism must keep at zero.
//
//   keyword        as files call it
//   dimensions()   one entry per row of Φ: dimension::length (Φ is in m) or dimension::angle (rad)
//   residual<T>(X_PQ, out)   the rows of Φ
//
// That is all: velocities, accelerations and Jacobians follow from `residual` itself, run on numbers that carry their
// derivatives (Gradient, Series). A new constraint is one file that meets this concept and one line in all_constraints.hpp;
// library users give theirs at run time, see custom.hpp.                                  docs/add_a_constraint.md
//
// A constraint that counts turns, such as circles rolling on each other, says how many angles it reads off X_PQ, each
// within one turn, and gets back how often each has gone round:
//   angles                               their number
//   read_angles<T>(X_PQ, angles)         each in (−π, π]
//   residual<T>(X_PQ, full_turns, out)   full_turns[i] is a multiple of 2π, to be added to angle i

#include <array>
#include <concepts>
#include <string_view>
#include <vector>

#include <trammel/spatial/transform.hpp>
#include <trammel/units.hpp>

namespace trammel {

template <class C>
concept CountsTurns = requires(const C& c, const Transform<double>& X_PQ, const double* turns, double* out) {
  { C::angles } -> std::convertible_to<int>;
  c.template read_angles<double>(X_PQ, out);
  c.template residual<double>(X_PQ, turns, out);
};

template <class C>
concept ConstraintType = requires(const C& c, const Transform<double>& X_PQ, double* out) {
  { C::keyword } -> std::convertible_to<std::string_view>;
  { c.dimensions() } -> std::same_as<std::vector<Dimension>>;
}
&&(CountsTurns<C> ||
   requires(const C& c, const Transform<double>& X_PQ, double* out) { c.template residual<double>(X_PQ, out); });

inline constexpr int max_constraint_rows = 6;
inline constexpr int max_constraint_angles = 2;

}  // namespace trammel

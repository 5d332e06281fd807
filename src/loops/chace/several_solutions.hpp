// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How cases 3, 8 and 9, of degree 4 and 8, collect their solutions: in units near the size of the loop, each once, in a fixed order.

#include "loops/chace/loop_newton.hpp"
#include "loops/chace/trig_polynomial.hpp"

namespace trammel::chace {

// A length near the largest of the loop: the power of two below it, so that dividing by it changes no digit.
inline double unit_of(const Vec3d& C, double first_length, double second_length = 0, double third_length = 0) {
  const double largest = std::max({norm(C), first_length, second_length, third_length});
  return largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1;
}
inline Arm divided(Arm arm, double unit) {
  arm.length /= unit;
  return arm;
}
inline Vector times(const Vector& v, double unit) { return {v.v * unit, v.length * unit}; }

// Two solutions closer than this are one that was found twice: 1e-7 rad of the smallest circle.
inline double same_solution(double smallest_radius) { return std::max(1e-7 * smallest_radius, round_off); }
inline double distance(const Solution& a, const Solution& b) {
  const Vec3d r = a.r.v - b.r.v, s = a.s.v - b.s.v, t = a.t.v - b.t.v;
  return std::sqrt(dot(r, r) + dot(s, s) + dot(t, t));
}

// How far to both sides of a double root of F to look for two that F does not tell apart, if F has no roots there.
inline constexpr double beside = 1e-6;

// Adds a solution that is not there yet. Close to a double root there are no others: the gap grows with the square of the distance.
template <int capacity>
void add_if_new(Solutions<capacity>& result, const Solution& solution, double smallest_radius) {
  for (const Solution& known : result) {
    const bool dead_point = known.double_root || solution.double_root;
    const bool other_half_of_cone = known.r.length * solution.r.length < 0;
    const double tolerance = dead_point ? 10 * beside : same_solution(smallest_radius);
    if (distance(known, solution) <= tolerance && !other_half_of_cone) return;
  }
  if (result.count < capacity) add(result, solution);
}

// What a root of the eliminated equation may stand for, before the loop is closed exactly.
struct Candidates {
  int count = 0;
  std::array<ThreeMembers, 2> loop;
  double margin = 1;  // between the two

  void add(const ThreeMembers& candidate) { loop[static_cast<std::size_t>(count++)] = candidate; }
};

// Adds the solutions at a root. Where F has a double root these may be two that F does not tell apart, which Newton's method reaches from
// beside it, or one at which the loop's own equations are singular: a dead point.
template <int capacity, class CandidatesAt>
void add_from_root(Solutions<capacity>& result, const CircleRoot& root, double size, double smallest_radius,
                   CandidatesAt candidates_at) {
  for (const double aside : {0.0, std::min(root.before, -beside), std::max(root.after, beside)}) {
    const CircleRoot start = root.turned(aside);
    Candidates candidates = candidates_at(start.x, start.y);
    for (int i = 0; i < candidates.count; ++i) {
      ThreeMembers& loop = candidates.loop[static_cast<std::size_t>(i)];
      const Closed closed = close_loop(loop);
      if (!(closed.gap <= agreement * size)) continue;
      Solution solution{loop.member[0].vector(), loop.member[1].vector(), loop.member[2].vector()};
      solution.double_root = root.multiple && closed.determinant <= 1e-6;
      add_if_new(result, solution, smallest_radius);
    }
    if (!root.multiple) break;
    if (aside == 0) result.margin = std::min(result.margin, candidates.margin);
  }
}

// The margin gets its sign, and is zero where there is a dead point.
template <int capacity>
void finish_margin(Solutions<capacity>& result) {
  if (result.count == 0) result.margin = -result.margin;
  for (const Solution& solution : result) {
    if (solution.double_root) result.margin = 0;
  }
}

// Angles are put in order from −π to π; those closer than this are one, and −π is π.
inline constexpr double same_angle = 1e-9;
inline double counted_from_minus_pi(double angle) {
  constexpr double pi = 3.14159265358979323846;
  return angle < -pi + same_angle ? angle + 2 * pi : angle;
}
inline bool comes_first(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return std::abs(a[0] - b[0]) > same_angle ? a[0] < b[0] : a[1] < b[1];
}

// Back from units to lengths; ordered by a first angle, then by a second; numbered.
template <int capacity, class Angles>
void finish(Solutions<capacity>& result, double unit, Angles angles) {
  std::array<std::array<double, 2>, capacity> key{};
  const auto at = [](int k) { return static_cast<std::size_t>(k); };
  for (int i = 0; i < result.count; ++i) {
    const Solution next = result.solution[at(i)];
    const auto [first, second] = angles(next);
    const std::array<double, 2> next_key = {counted_from_minus_pi(first), counted_from_minus_pi(second)};
    int place = i;
    for (; place > 0 && comes_first(next_key, key[at(place - 1)]); --place) {
      result.solution[at(place)] = result.solution[at(place - 1)], key[at(place)] = key[at(place - 1)];
    }
    result.solution[at(place)] = next, key[at(place)] = next_key;
  }
  for (int i = 0; i < result.count; ++i) {
    Solution& solution = result.solution[at(i)];
    solution.mode = i;
    solution.r = times(solution.r, unit), solution.s = times(solution.s, unit), solution.t = times(solution.t, unit);
  }
}

}  // namespace trammel::chace

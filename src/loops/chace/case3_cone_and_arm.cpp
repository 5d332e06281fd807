// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 3: length and azimuth of r and the azimuth of s are unknown. A circle meets a cone: r = −(C + s) with (r·w_r)² = c² |r|²,
// c = cos φr.
//
// With s(θ) = α w_s + ρ (l cos θ + m sin θ), both of these are of first order in θ = θs:
//   f = (C + s)·w_r,    g = |C + s|² = |C|² + s² + 2 C·s                                                                   (1)
//   F = f² − c² g = 0                                          of second order: at most four roots                        (2)
// A root is then improved on f ∓ c√g = 0, the half of the cone that it lies on:                                           (3)
//   d/dθ (f ∓ c√g) = s'·w_r ∓ c (C + s)·s'/√g
//
// Limits: c = 0: f = 0 is of first order, two roots                                                                flat_cone
//         w_r ∥ w_s: f does not depend on θ, F is of first order, two roots                                    parallel_axes
//         ρ = 0: s is known, and C + s lies on the cone or not                                                   needle_cone
//         sin φr = 0: a line meets a circle or not                                                               needle_cone
//         F vanishes identically: the circle lies on the cone                                       parallel_axes or movable
//         r = 0: the circle runs through the apex                                                                zero_vector
// Where c is small, roots come in pairs, one on each half of the cone. Where they cannot be told apart in F they can in (3).

#include "loops/chace/overdetermined.hpp"
#include "loops/chace/several_solutions.hpp"
#include "loops/chace/trig_polynomial.hpp"

namespace trammel::chace {
namespace {

// All lengths in units of the loop.
struct ConeAndCircle {
  const Cone& cone;
  Arm arm;
  Vec3d C;
  double size = 0;

  Vec3d s(double x, double y) const {
    const Axes& axes = arm.cone.axes;
    return axes.w * arm.axial() + (axes.l * x + axes.m * y) * arm.radial();
  }
  Solution at(double x, double y, bool double_root) const {
    const Vec3d v = s(x, y), rest = -(C + v);
    const bool apex = norm(rest) <= 1e-9 * size;
    return {apex ? Vector{} : on_cone(cone, rest), {v, arm.length}, {}, 0, double_root || apex};
  }
};

struct Improved {
  double x = 1, y = 0, slope = 0;
  bool converged = false;
};

// Newton's method on (3), f − c√g = 0 with c of either sign.
Improved improve(const ConeAndCircle& problem, double c, const CircleRoot& start) {
  const Axes& axes = problem.arm.cone.axes;
  const Vec3d& w = problem.cone.axes.w;
  Improved best;
  double x = start.x, y = start.y;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const Vec3d d = problem.C + problem.s(x, y), rate = (axes.m * x - axes.l * y) * problem.arm.radial();
    const double root_g = norm(d), value = dot(d, w) - c * root_g;
    if (!(std::abs(value) < least)) break;
    least = std::abs(value);
    const double slope = dot(rate, w) - (root_g > 0 ? c * dot(d, rate) / root_g : 0), step = -value / slope;
    best = {x, y, slope, least <= agreement * problem.size};
    if (value == 0 || !(std::abs(step) < 0.1)) break;
    const double turned_x = x - y * step, turned_y = y + x * step,
                 scale = 1 / std::sqrt(turned_x * turned_x + turned_y * turned_y);
    x = turned_x * scale, y = turned_y * scale;
  }
  return best;
}

// Of a double root of F: what lies on each half of the cone, one root or two or one that is double there.
void add_from_double_root(Solutions<4>& result, const ConeAndCircle& problem, const CircleRoot& root) {
  const double c = std::abs(problem.cone.cos_polar);
  for (const double c_signed : {c, -c}) {
    for (const double aside : {std::min(root.before, -beside), std::max(root.after, beside)}) {
      const Improved found = improve(problem, c_signed, root.turned(aside));
      if (!found.converged) continue;
      const bool dead_point = std::abs(found.slope) <= beside * problem.size;
      const Solution solution = dead_point ? problem.at(root.x, root.y, true) : problem.at(found.x, found.y, false);
      add_if_new(result, solution, problem.arm.radial());
    }
  }
}

Solutions<4> with_flat_cone(const ConeAndCircle& problem, const Trig<1>& f, bool parallel) {
  if (parallel) {  // the circle lies in the plane, or beside it
    const double height = std::abs(f.c[0]) / problem.size;
    return verdict<4>(height <= agreement ? Status::undetermined : Status::none, Limit::parallel_axes,
                      height <= agreement ? 0 : -height);
  }
  const CircleRoots<1> roots = find_roots(f, 8 * eps * problem.size);
  if (roots.vanishes) return verdict<4>(Status::undetermined, Limit::flat_cone, 0);
  auto result = verdict<4>(Status::none, Limit::flat_cone, roots.margin);
  for (const CircleRoot& root : roots) {
    const Improved better = root.multiple ? Improved{root.x, root.y} : improve(problem, 0, root);
    add_if_new(result, problem.at(better.x, better.y, root.multiple), problem.arm.radial());
  }
  finish_margin(result);
  return result;
}

Solutions<4> with_known_s(const ConeAndCircle& problem) {
  const Solution solution = problem.at(1, 0, false);
  const Vec3d& r = solution.r.v;
  const double c = problem.cone.cos_polar, along = dot(r, problem.cone.axes.w),
               across = norm(cross(problem.cone.axes.w, r));
  // Distance from the nearer half of the cone.
  const double misfit = std::abs(std::abs(along) * problem.cone.sin_polar - across * std::abs(c)) / problem.size;
  auto result = verdict<4>(Status::none, Limit::needle_cone, misfit <= agreement ? 0 : -misfit);
  if (misfit <= agreement) add(result, solution).double_root = false;
  return result;
}

Solutions<4> with_known_direction_of_r(const ConeAndCircle& problem) {
  const double sign = problem.cone.cos_polar < 0 ? -1 : 1;
  const LineMeetsCircle found = line_meets_circle(problem.cone.axes.w * sign, problem.arm, problem.C);
  auto result = verdict<4>(Status::none, Limit::needle_cone, found.margin);
  for (std::size_t i = 0; i < static_cast<std::size_t>(found.count); ++i) {
    add(result,
        {along(problem.cone.axes.w * sign, found.x[i]), {found.v[i], problem.arm.length}, {}, 0, found.double_root});
  }
  return result;
}

Solutions<4> solve(const ConeAndCircle& problem) {
  const Axes& axes = problem.arm.cone.axes;
  const Vec3d &C = problem.C, &w = problem.cone.axes.w;
  const double c = problem.cone.cos_polar, axial = problem.arm.axial(), rho = problem.arm.radial();
  if (has_no_radius(problem.arm, problem.size)) return with_known_s(problem);
  if (is_needle(problem.cone)) return with_known_direction_of_r(problem);

  const bool parallel = norm(cross(w, axes.w)) <= round_off;
  const Trig<1> f = first_order(dot(C, w) + axial * dot(axes.w, w), rho * dot(axes.l, w), rho * dot(axes.m, w));
  if (is_flat(problem.cone)) return with_flat_cone(problem, f, parallel);
  const Trig<1> g = first_order(dot(C, C) + problem.arm.length * problem.arm.length + 2 * axial * dot(C, axes.w),
                                2 * rho * dot(C, axes.l), 2 * rho * dot(C, axes.m));  // (1)
  const Trig<2> F = f * f - (c * c) * raised<2>(g);                                   // (2)
  // f is known to the round-off of the size; where F is zero, f is no larger than c times the size.
  const double noise = 8 * eps * (std::abs(c) * problem.size * problem.size + f.size() * f.size());
  const CircleRoots<2> roots = find_roots(F, noise);

  if (roots.vanishes) return verdict<4>(Status::undetermined, parallel ? Limit::parallel_axes : Limit::movable, 0);
  auto result = verdict<4>(Status::none, parallel ? Limit::parallel_axes : Limit::regular, roots.margin);
  for (const CircleRoot& root : roots) {
    if (root.multiple) {
      add_from_double_root(result, problem, root);
      continue;
    }
    const Improved better = improve(problem, f.at(root.x, root.y) < 0 ? -std::abs(c) : std::abs(c), root);  // (3)
    add_if_new(result, problem.at(better.x, better.y, false), problem.arm.radial());
  }
  finish_margin(result);
  for (const Solution& solution : result) {
    if (solution.r.length == 0) result.limit = Limit::zero_vector;
  }
  return result;
}

}  // namespace

Solutions<4> case3(const Cone& r, const Arm& s, const Vec3d& C) {
  if (!is_valid(r) || !is_valid(s) || !is_right_handed(s.cone.axes) || !is_finite(C)) return invalid<4>();
  const double unit = unit_of(C, s.length);
  const ConeAndCircle problem{r, divided(s, unit), C * (1 / unit), (norm(C) + s.length) / unit};
  Solutions<4> result = solve(problem);
  finish(result, unit, [&](const Solution& solution) {
    return std::array{azimuth(s.cone.axes, solution.s), azimuth(r.axes, solution.r)};
  });
  return result;
}

}  // namespace trammel::chace

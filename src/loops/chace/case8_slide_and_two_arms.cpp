// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 8: the length of r and the azimuths of s and t are unknown. Seen along r̂, two circles are ellipses; they meet in up to four points.
//
// Keep one arm, of azimuth θ, called s here; with d = C + s(θ), the other is t = −(d + r r̂), and
//   t·w_t = τ:      k r = −λ,    λ = τ + d·w_t,    k = r̂·w_t,   τ = t cos φt                                              (1)
//   |t| known:      r² + 2 h r + g = 0,    h = d·r̂,    g = |d|² − t²                                                      (2)
// λ, h and g are of first order in θ. Put r from (1) into k² times (2):
//   F = λ² − 2 k λ h + k² g = 0                                of second order: at most four roots                        (3)
// r comes from (1) or, where k is small, from (2): r = −h ± √(h² − g). Newton's method on the loop does the rest.
// The arm whose ellipse is wider, |k| times its radius, is eliminated, the other is kept.
//
// Limits: k = 0 for both arms: (3) is λ² = 0, whose double roots hold two solutions each, by (2)         slide_square_to_axes
//         all parallel: λ and h do not depend on θ; r by itself, the rest is a planar four-bar                 parallel_axes
//         w_s ∥ w_t square to r̂: a planar loop with one freedom too many, or none                              parallel_axes
//         no radius: a line meets a circle or not                                                                needle_cone
//         F vanishes identically: both ellipses are the same                                        parallel_axes or movable

#include "loops/chace/loop_newton.hpp"
#include "loops/chace/overdetermined.hpp"
#include "loops/chace/several_solutions.hpp"
#include "loops/chace/trig_polynomial.hpp"

namespace trammel::chace {
namespace {

// All lengths in units of the loop.
struct Problem {
  Vec3d u;  // r̂
  Arm s, t;
  Vec3d C;
  double size = 0;
};

Solutions<4> without_radius(const Problem& p, bool s_is_known, bool t_is_known) {
  if (s_is_known && t_is_known) {
    const Vec3d s = axis_part(p.s), t = axis_part(p.t), rest = p.C + s + t;
    const double misfit = p.size > 0 ? norm(part_square_to(p.u, rest)) / p.size : 0;
    auto result = verdict<4>(Status::none, Limit::needle_cone, misfit <= agreement ? 0 : -misfit);
    if (misfit <= agreement) add(result, {along(p.u, -dot(rest, p.u)), {s, p.s.length}, {t, p.t.length}});
    return result;
  }
  const Vec3d known = axis_part(s_is_known ? p.s : p.t);
  const LineMeetsCircle found = line_meets_circle(p.u, s_is_known ? p.t : p.s, p.C + known);
  auto result = verdict<4>(Status::none, Limit::needle_cone, found.margin);
  for (std::size_t i = 0; i < static_cast<std::size_t>(found.count); ++i) {
    add(result, {along(p.u, found.x[i]),
                 {s_is_known ? known : found.v[i], p.s.length},
                 {s_is_known ? found.v[i] : known, p.t.length},
                 0,
                 found.double_root});
  }
  return result;
}

// w_s ∥ w_t square to r̂. The heights along w agree or not; across slide and axis the radii must reach.
Solutions<4> in_a_plane_along_the_slide(const Problem& p) {
  const Vec3d& w = p.s.cone.axes.w;
  const double t_axial = dot(p.t.cone.axes.w, w) < 0 ? -p.t.axial() : p.t.axial();
  const double height = std::abs(dot(p.C, w) + p.s.axial() + t_axial) / p.size;
  const double reach = (p.s.radial() + p.t.radial() - std::abs(dot(p.C, cross(w, p.u)))) / p.size;
  const bool closes = height <= agreement && reach >= -agreement;
  return verdict<4>(closes ? Status::undetermined : Status::none, Limit::parallel_axes,
                    closes ? 0 : std::min(-height, reach));
}

constexpr double small_k = 1e-3;

// (1), (2), (3) for a kept and an eliminated arm.
struct Elimination {
  const Problem& p;
  const Arm &kept, &other;
  bool s_is_kept;
  double k;
  Trig<1> lambda, h, g;

  Elimination(const Problem& problem, bool keep_s)
      : p(problem),
        kept(keep_s ? problem.s : problem.t),
        other(keep_s ? problem.t : problem.s),
        s_is_kept(keep_s),
        k(dot(problem.u, other.cone.axes.w)) {
    const Axes& axes = kept.cone.axes;
    const Vec3d centre = p.C + axis_part(kept), x = axes.l * kept.radial(), y = axes.m * kept.radial();
    const Vec3d& w = other.cone.axes.w;
    lambda = first_order(other.axial() + dot(centre, w), dot(x, w), dot(y, w));
    h = first_order(dot(centre, p.u), dot(x, p.u), dot(y, p.u));
    g = first_order(dot(centre, centre) + kept.radial() * kept.radial() - other.length * other.length,
                    2 * dot(centre, x), 2 * dot(centre, y));
  }

  Trig<2> F() const { return lambda * lambda - (2 * k) * (lambda * h) + (k * k) * raised<2>(g); }  // (3)
  // λ is known to the round-off of the size; where F is zero, λ is no larger than k times the size.
  double noise() const { return 8 * eps * (std::abs(k) * p.size * p.size + lambda.size() * lambda.size()); }

  Candidates at(double x, double y) const {
    Candidates found;
    const auto add = [&](double r) {
      ThreeMembers loop{{Member::slide(p.u), Member::turn(p.s), Member::turn(p.t)}, p.C};
      Member &first = loop.member[s_is_kept ? 1 : 2], &second = loop.member[s_is_kept ? 2 : 1];
      loop.member[0].x = r;
      first.x = x, first.y = y;
      second.turn_towards(-(p.C + first.value() + p.u * r));
      found.add(loop);
    };
    if (std::abs(k) > small_k) {
      add(-lambda.at(x, y) / k);  // (1)
    } else {
      const double H = h.at(x, y), G = g.at(x, y), root2 = H * H - G;  // (2)
      found.margin = std::min(std::abs(relative_difference(H * H, G)), 1.0);
      if (root2 < -beside * p.size * p.size) return found;
      const double root = std::sqrt(std::max(root2, 0.0));
      add(-H + root);
      add(-H - root);
    }
    return found;
  }
};

Solutions<4> solve(const Problem& p) {
  const Vec3d &w_s = p.s.cone.axes.w, &w_t = p.t.cone.axes.w;
  const bool s_is_known = has_no_radius(p.s, p.size), t_is_known = has_no_radius(p.t, p.size);
  if (s_is_known || t_is_known) return without_radius(p, s_is_known, t_is_known);

  const double k_s = std::abs(dot(p.u, w_s)), k_t = std::abs(dot(p.u, w_t));
  const bool parallel = norm(cross(w_s, w_t)) <= agreement, square = k_s <= agreement && k_t <= agreement;
  if (parallel && square) return in_a_plane_along_the_slide(p);
  const Limit limit = parallel && norm(cross(p.u, w_s)) <= round_off ? Limit::parallel_axes
                      : square                                       ? Limit::slide_square_to_axes
                                                                     : Limit::regular;
  const bool keep_s = k_t * p.t.radial() >= k_s * p.s.radial();
  const Elimination elimination(p, keep_s);
  const CircleRoots<2> roots = find_roots(elimination.F(), elimination.noise());
  if (roots.vanishes) {
    return verdict<4>(Status::undetermined, limit == Limit::regular ? Limit::movable : limit, 0);
  }
  auto result = verdict<4>(Status::none, limit, roots.margin);
  const double smallest_radius = std::min(p.s.radial(), p.t.radial());
  for (const CircleRoot& root : roots) {
    add_from_root(result, root, p.size, smallest_radius, [&](double x, double y) { return elimination.at(x, y); });
  }
  finish_margin(result);
  return result;
}

}  // namespace

Solutions<4> case8(const Vec3d& r_direction, const Arm& s, const Arm& t, const Vec3d& C) {
  if (!is_unit(r_direction) || !is_valid(s) || !is_valid(t) || !is_finite(C)) return invalid<4>();
  if (!is_right_handed(s.cone.axes) || !is_right_handed(t.cone.axes)) return invalid<4>();
  const double unit = unit_of(C, s.length, t.length);
  const Problem problem{r_direction, divided(s, unit), divided(t, unit), C * (1 / unit),
                        (norm(C) + s.length + t.length) / unit};
  Solutions<4> result = solve(problem);
  finish(result, unit, [&](const Solution& solution) {
    return std::array{azimuth(s.cone.axes, solution.s), azimuth(t.cone.axes, solution.t)};
  });
  return result;
}

}  // namespace trammel::chace

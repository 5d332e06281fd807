// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 9: the azimuths of r, s and t are unknown. Carried by the first, a circle meets a circle.
//
// Keep one arm, of azimuth θ, called r here; with d = C + r(θ) the other two close s + t + d = 0. Three products of t are known,
//   t·w_t = τ,    t·w_s = −d·w_s − σ,    t·d = ½ (s² − t² − |d|²)        τ = t cos φt, σ = s cos φs                       (1)
// the last from |s|² = |d + t|². Along e₁ = w_t, e₂ in the plane of w_s and w_t, and e₃ = e₁ × e₂, with ω the angle from w_t to w_s,
//   t = τ e₁ + β e₂ + μ e₃,    β = (−d·w_s − σ − τ cos ω)/sin ω                                                            (2)
//   β² + μ² = ρ²,    ρ = t sin φt                                                                                          (3)
//   μ δ = M,    δ = d·e₃,    M = ½ (s² − t² − |d|²) − τ d·e₁ − β d·e₂                                                      (4)
// β, δ and |d|² are of first order in θ, M of second. Put μ from (4) into δ² times (3):
//   F = (ρ² − β²) δ² − M² = 0                                   of fourth order: at most eight roots                       (5)
// μ comes from (4) or, where δ is small, from (3): μ = ±√(ρ² − β²). Newton's method on the loop does the rest. Of the three arms that one
// is kept whose partners have the largest ρ_s ρ_t sin ω.
//
// Limits: two parallel axes: one of them is kept; four roots at most                                           parallel_axes
//         three: a planar loop with one freedom too many, or none                                              parallel_axes
//         δ = 0 at a root: it is double and holds two solutions, mirrored in the plane of w_s and w_t; by (3)
//         no radius: a circle meets a circle, or a point, or not                                                 needle_cone
//         F vanishes identically                                                                                     movable

#include "loops/chace/loop_newton.hpp"
#include "loops/chace/overdetermined.hpp"
#include "loops/chace/several_solutions.hpp"
#include "loops/chace/trig_polynomial.hpp"

namespace trammel::chace {
namespace {

constexpr double small_delta = 1e-3;

// All lengths in units of the loop.
struct Problem {
  std::array<Arm, 3> arm;
  Vec3d C;
  double size = 0;

  const Vec3d& w(std::size_t i) const { return arm[i].cone.axes.w; }
};

Solution solution_of(const std::array<Vector, 3>& v) { return {v[0], v[1], v[2]}; }

// One, two or three arms are known vectors.
Solutions<8> without_radius(const Problem& p, const std::array<bool, 3>& is_known) {
  std::array<Vector, 3> v;
  std::array<std::size_t, 3> unknown{};
  std::size_t count = 0;
  Vec3d rest = p.C;
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] = {axis_part(p.arm[i]), p.arm[i].length};
    if (is_known[i]) {
      rest += v[i].v;
    } else {
      unknown[count++] = i;
    }
  }
  if (count == 2) {
    const CircleMeetsCircle found = circle_meets_circle(p.arm[unknown[0]], p.arm[unknown[1]], rest);
    auto result = verdict<8>(found.status, Limit::needle_cone, found.margin);
    for (std::size_t i = 0; i < static_cast<std::size_t>(found.count); ++i) {
      v[unknown[0]].v = found.first[i], v[unknown[1]].v = found.second[i];
      add(result, solution_of(v)).double_root = found.double_root;
    }
    return result;
  }
  if (count == 1) v[unknown[0]].v = -rest;
  const double gap = count == 1 ? misfit_of(p.arm[unknown[0]], -rest, p.size) : norm(rest);
  const double misfit = p.size > 0 && count == 0 ? gap / p.size : gap;
  auto result = verdict<8>(Status::none, Limit::needle_cone, misfit <= agreement ? 0 : -misfit);
  if (misfit <= agreement) add(result, solution_of(v));
  return result;
}

// All axes parallel: heights agree or not, and the radii with the part of C across them are sides of a quadrilateral or not.
Solutions<8> in_a_plane(const Problem& p) {
  const Vec3d& w = p.w(0);
  double height = dot(p.C, w), sum = norm(part_square_to(w, p.C)), longest = sum;
  for (std::size_t i = 0; i < 3; ++i) {
    height += dot(p.w(i), w) < 0 ? -p.arm[i].axial() : p.arm[i].axial();
    sum += p.arm[i].radial(), longest = std::max(longest, p.arm[i].radial());
  }
  const double gap = std::abs(height) / p.size, reach = (sum - 2 * longest) / p.size;
  const bool closes = gap <= agreement && reach >= -agreement;
  return verdict<8>(closes ? Status::undetermined : Status::none, Limit::parallel_axes,
                    closes ? 0 : std::min(-gap, reach));
}

// (1) to (5) for one choice of the kept arm.
struct Elimination {
  const Problem& p;
  std::size_t kept, second, third;  // r, s, t of the derivation
  double sine, cosine;
  Vec3d e1, e2, e3;
  Trig<1> beta, delta;
  Trig<2> M;

  Elimination(const Problem& problem, std::size_t keep)
      : p(problem), kept(keep), second((keep + 1) % 3), third((keep + 2) % 3) {
    const Vec3d &w_s = p.w(second), &w_t = p.w(third);
    const Vec3d across = part_square_to(w_t, w_s);
    sine = norm(across), cosine = dot(w_s, w_t);
    e1 = w_t, e2 = across * (1 / sine), e3 = cross(e1, e2);
    const Arm &r = p.arm[kept], &s = p.arm[second], &t = p.arm[third];
    const Vec3d centre = p.C + axis_part(r), x = r.cone.axes.l * r.radial(), y = r.cone.axes.m * r.radial();
    const auto d_along = [&](const Vec3d& e) { return first_order(dot(centre, e), dot(x, e), dot(y, e)); };
    const Trig<1> d2 =
        first_order(dot(centre, centre) + r.radial() * r.radial(), 2 * dot(centre, x), 2 * dot(centre, y));
    beta = (-1 / sine) * (d_along(w_s) + (s.axial() + t.axial() * cosine));  // (2)
    delta = d_along(e3);                                                     // (4)
    const Trig<1> half = (-0.5) * d2 + 0.5 * (s.length * s.length - t.length * t.length);
    M = raised<2>(half - t.axial() * d_along(e1)) - beta * d_along(e2);
  }

  double rho() const { return p.arm[third].radial(); }
  Trig<4> F() const {  // (5)
    const Trig<2> under_root = (-1.0) * (beta * beta) + rho() * rho();
    return under_root * (delta * delta) - M * M;
  }
  // β is known to the round-off of the size over sin ω, M to that of its square.
  double noise() const {
    const double b = beta.size(), D = delta.size(), m = M.size(), per_sine = p.size / sine;
    return 16 * eps * ((rho() * rho() + b * b) * D * D + m * m + per_sine * (b * D * D + m * p.size));
  }

  Candidates at(double x, double y) const {
    Candidates found;
    const double b = beta.at(x, y), D = delta.at(x, y), mu2 = (rho() - b) * (rho() + b);
    const auto add = [&](double mu) {
      ThreeMembers loop{{Member::turn(p.arm[0]), Member::turn(p.arm[1]), Member::turn(p.arm[2])}, p.C};
      Member& first = loop.member[kept];
      first.x = x, first.y = y;
      loop.member[third].turn_towards(e1 * p.arm[third].axial() + e2 * b + e3 * mu);  // (2)
      loop.member[second].turn_towards(-(p.C + first.value() + loop.member[third].value()));
      found.add(loop);
    };
    if (std::abs(D) > small_delta) {
      add(M.at(x, y) / D);  // (4)
    } else {
      found.margin = std::min(std::abs(relative_difference(rho() * rho(), b * b)), 1.0);
      if (mu2 < -beside * p.size * p.size) return found;
      add(std::sqrt(std::max(mu2, 0.0)));  // (3)
      add(-std::sqrt(std::max(mu2, 0.0)));
    }
    return found;
  }
};

Solutions<8> solve(const Problem& p) {
  std::array<bool, 3> is_known{};
  for (std::size_t i = 0; i < 3; ++i) is_known[i] = has_no_radius(p.arm[i], p.size);
  if (is_known[0] || is_known[1] || is_known[2]) return without_radius(p, is_known);

  std::size_t keep = 0;
  double best = -1, largest_sine = 0, smallest_sine = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const double sine = norm(cross(p.w(j), p.w(k))), quality = sine * p.arm[j].radial() * p.arm[k].radial();
    largest_sine = std::max(largest_sine, sine), smallest_sine = std::min(smallest_sine, sine);
    if (quality > best) best = quality, keep = i;
  }
  if (largest_sine <= round_off) return in_a_plane(p);

  const Limit limit = smallest_sine <= round_off ? Limit::parallel_axes : Limit::regular;
  const Elimination elimination(p, keep);
  const CircleRoots<4> roots = find_roots(elimination.F(), elimination.noise());
  if (roots.vanishes) return verdict<8>(Status::undetermined, limit == Limit::regular ? Limit::movable : limit, 0);
  auto result = verdict<8>(Status::none, limit, roots.margin);
  const double smallest_radius = std::min({p.arm[0].radial(), p.arm[1].radial(), p.arm[2].radial()});
  for (const CircleRoot& root : roots) {
    add_from_root(result, root, p.size, smallest_radius, [&](double x, double y) { return elimination.at(x, y); });
  }
  finish_margin(result);
  return result;
}

}  // namespace

Solutions<8> case9(const Arm& r, const Arm& s, const Arm& t, const Vec3d& C) {
  if (!is_finite(C)) return invalid<8>();
  for (const Arm* arm : {&r, &s, &t}) {
    if (!is_valid(*arm) || !is_right_handed(arm->cone.axes)) return invalid<8>();
  }
  const double unit = unit_of(C, r.length, s.length, t.length);
  const Problem problem{{divided(r, unit), divided(s, unit), divided(t, unit)},
                        C * (1 / unit),
                        (norm(C) + r.length + s.length + t.length) / unit};
  Solutions<8> result = solve(problem);
  finish(result, unit, [&](const Solution& solution) {
    return std::array{azimuth(r.cone.axes, solution.r), azimuth(s.cone.axes, solution.s)};
  });
  return result;
}

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 2: length and azimuth of r and the length of s are unknown. A line meets a cone: r = −(C + s ŝ) with (r·w)² = c² |r|²,
// c = cos φ.
//
// Count the travel from where the line comes closest to the apex: s = x − C·ŝ, so that r = −(C⊥ + x ŝ) with C⊥ square to ŝ. With
// σ = ŝ·w, κ = C⊥·w, d = |C⊥|
//   (σ² − c²) x² + 2 κσ x + (κ² − c²d²) = 0                                                                               (1)
// whose discriminant is c² d² M, where
//   M = (κ/d)² + σ² − c²                                                                                                  (2)
// (κ/d)² + σ² is the squared cosine of the angle between w and the plane through apex and line: real if that plane cuts the cone. For
// narrow cones the same differences are taken of squared sines: σ² − c² = sin²φ − |w × ŝ|², M = sin²φ − ((w × ŝ)·C⊥/d)²,
// κ²/d² − c² = M − σ².
//   q = −(κσ + sgn(κσ) |c| d √M),    x = q/(σ² − c²)  and  x = (κ² − c²d²)/q                                              (3)
// mode 0 has the root of (1) with +√M.
//
// Limits: c = 0: (1) is the square of σx + κ = 0; one root, or with σ = 0 all x or none                          flat_cone
//         σ² = c²: the line is parallel to a generator; one root of (3) is left                      slide_along_generator
//         d = 0: the line runs through the apex, r = 0; all of it on the cone where σ² = c², too               zero_vector
//         sin φ = 0: two lines that meet or pass each other                                                    needle_cone

#include "loops/chace/common.hpp"

namespace trammel::chace {
namespace {

struct LineAndCone {
  const Cone& cone;
  const Vec3d& direction;
  double travel = 0;  // C·ŝ
  Vec3d across;       // C⊥
  double d = 0, sigma = 0, kappa = 0;
  double C_size = 0;

  Solution at(double x, int mode = 0, bool double_root = false) const {
    return {on_cone(cone, -(across + direction * x)), along(direction, x - travel), {}, mode, double_root};
  }
};

// σ² − c² and (2), with few digits lost.
struct Differences {
  double leading = 0, M = 0;
  double constant = 0;    // (κ² − c²d²)/d²
  double noise = 0;       // in M; no more than what turns the cone by `agreement`
  bool parallel = false;  // the line is parallel to a generator
};
Differences differences_of(const LineAndCone& line) {
  const double c = std::abs(line.cone.cos_polar), s = line.cone.sin_polar, per_d = line.d > 0 ? 1 / line.d : 0;
  const double spread = 1 + line.C_size * per_d;  // how much larger the round-off of directions across the line is
  if (c < s) {
    const double sigma = std::abs(line.sigma), tilt = line.kappa * per_d;
    const double leading = (sigma - c) * (sigma + c);
    const double noise = 8 * eps * (std::abs(tilt) * spread + sigma + c);
    return {leading, tilt * tilt + leading, (tilt - c) * (tilt + c), std::min(noise, agreement * c),
            std::abs(sigma - c) <= round_off};
  }
  const Vec3d normal = cross(line.cone.axes.w, line.direction);
  const double sine = norm(normal), out_of_plane = std::abs(dot(normal, line.across)) * per_d;
  const double M = (s - out_of_plane) * (s + out_of_plane), noise = 8 * eps * (s + out_of_plane) * spread;
  return {(s - sine) * (s + sine), M, M - line.sigma * line.sigma, std::min(noise, agreement * s),
          std::abs(s - sine) <= round_off};
}

Solutions<2> through_the_apex(const LineAndCone& line, bool on_the_cone) {
  auto result = verdict<2>(on_the_cone ? Status::undetermined : Status::none, Limit::zero_vector, 0);
  if (!on_the_cone) {
    Solution solution = line.at(0);
    solution.r = {};  // exactly: what is left of C⊥ is round-off
    add(result, solution).double_root = !is_flat(line.cone);
  }
  return result;
}

Solutions<2> on_a_plane(const LineAndCone& line) {
  const bool parallel = std::abs(line.sigma) <= round_off;
  const double height = std::abs(line.kappa) / line.C_size;
  if (!parallel) {
    auto result = verdict<2>(Status::none, Limit::flat_cone, line.sigma * line.sigma);
    add(result, line.at(-line.kappa / line.sigma));
    return result;
  }
  return verdict<2>(height <= agreement ? Status::undetermined : Status::none, Limit::flat_cone,
                    height <= agreement ? 0 : -height);
}

// r along w: x ŝ + y w + C⊥ = 0 has a solution where C⊥ lies in the plane of both.
Solutions<2> along_a_needle(const LineAndCone& line) {
  const Vec3d& w = line.cone.axes.w;
  const Vec3d normal = cross(line.direction, w);
  const double sine = norm(normal);
  const bool parallel = sine <= round_off;
  const double misfit = parallel ? line.d / line.C_size : std::abs(dot(line.across, normal)) / (sine * line.C_size);
  if (misfit > agreement) return verdict<2>(Status::none, Limit::needle_cone, -misfit);
  if (parallel) return verdict<2>(Status::undetermined, Limit::needle_cone, 0);
  auto result = verdict<2>(Status::none, Limit::needle_cone, 0);
  add(result, line.at(line.kappa * line.sigma / (sine * sine)));
  return result;
}

}  // namespace

Solutions<2> case2(const Cone& r, const Vec3d& s_direction, const Vec3d& C) {
  if (!is_valid(r) || !is_unit(s_direction) || !is_finite(C)) return invalid<2>();
  const double c = r.cos_polar, c2 = c * c, sigma = dot(s_direction, r.axes.w), travel = dot(C, s_direction);
  const Vec3d across = part_square_to(s_direction, C);
  const double d = norm(across), kappa = dot(across, r.axes.w);
  const LineAndCone line{r, s_direction, travel, across, d, sigma, kappa, norm(C)};
  const Differences differences = differences_of(line);
  if (d <= round_off * line.C_size) return through_the_apex(line, differences.parallel);
  if (is_flat(r)) return on_a_plane(line);
  if (is_needle(r)) return along_a_needle(line);

  const auto& [leading, M, constant_over_d2, noise, linear] = differences;
  auto result = verdict<2>(Status::none, linear ? Limit::slide_along_generator : Limit::regular, M);
  if (M < -noise) return result;
  if (linear && M <= noise) {  // a generator moved aside: it comes no closer to the cone than its parallel
    result.margin = -c2;
    return result;
  }

  const double ks = kappa * sigma, root = std::abs(c) * d * (M <= noise ? 0 : std::sqrt(M));
  const double q = -(ks + std::copysign(root, ks)), constant = constant_over_d2 * d * d;  // (3)
  const int mode_of_q = std::signbit(ks) ? 0 : 1;  // q has −√M where κσ ≥ 0
  if (M <= noise) {
    result.margin = 0;
    add(result, line.at(-ks / leading, 0, true));
  } else if (linear) {
    add(result, line.at(constant / q, 1 - mode_of_q));
  } else {
    const double x[2] = {mode_of_q == 0 ? q / leading : constant / q, mode_of_q == 0 ? constant / q : q / leading};
    add(result, line.at(x[0], 0));
    add(result, line.at(x[1], 1));
  }
  return result;
}

}  // namespace trammel::chace

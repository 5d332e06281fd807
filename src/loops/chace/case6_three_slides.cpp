// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 6: the lengths of r, s and t are unknown. Three linear equations, by Cramer's rule:
//   V = r̂·(ŝ × t̂),    r = −C·(ŝ × t̂)/V,    s = −C·(t̂ × r̂)/V,    t = −C·(r̂ × ŝ)/V
// The gap that round-off leaves, which grows with 1/V, is closed by the same rule again.
//
// Limits: V = 0: all three in a plane, C in it: a continuum, or not: none                                     coplanar_slides
//         all three parallel, likewise                                                                        parallel_slides

#include "loops/chace/common.hpp"

namespace trammel::chace {
namespace {

// The part of C that the slides do not reach, relative to C.
Solutions<1> in_a_plane(const std::array<Vec3d, 3>& normals, const Vec3d& direction, const Vec3d& C) {
  const Vec3d* normal = &normals[0];
  for (const Vec3d& candidate : normals) {
    if (dot(candidate, candidate) > dot(*normal, *normal)) normal = &candidate;
  }
  const double sine = norm(*normal), C_size = norm(C);
  const bool parallel = sine <= round_off;
  const double beyond = parallel ? norm(part_square_to(direction, C)) : std::abs(dot(C, *normal)) / sine;
  const double misfit = C_size > 0 ? beyond / C_size : 0;
  return verdict<1>(misfit <= agreement ? Status::undetermined : Status::none,
                    parallel ? Limit::parallel_slides : Limit::coplanar_slides, misfit <= agreement ? 0 : -misfit);
}

}  // namespace

Solutions<1> case6(const Vec3d& r_direction, const Vec3d& s_direction, const Vec3d& t_direction, const Vec3d& C) {
  if (!is_unit(r_direction) || !is_unit(s_direction) || !is_unit(t_direction) || !is_finite(C)) return invalid<1>();
  const Vec3d st = cross(s_direction, t_direction), tr = cross(t_direction, r_direction),
              rs = cross(r_direction, s_direction);
  const double V = dot(r_direction, st);
  if (std::abs(V) <= round_off) return in_a_plane({st, tr, rs}, r_direction, C);

  auto result = verdict<1>(Status::none, Limit::regular, std::abs(V));
  const double per_V = -1 / V;
  double r = 0, s = 0, t = 0;
  Vec3d gap = C;
  for (int i = 0; i < 6; ++i) {
    if (dot(gap, gap) <= 4 * eps * eps * (r * r + s * s + t * t)) break;
    r += dot(gap, st) * per_V, s += dot(gap, tr) * per_V, t += dot(gap, rs) * per_V;
    gap = C + r_direction * r + s_direction * s + t_direction * t;
  }
  add(result, {along(r_direction, r), along(s_direction, s), along(t_direction, t)});
  return result;
}

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 7: the lengths of r and s and the azimuth of t are unknown. A plane meets a circle: along its normal n = r̂ × ŝ/|r̂ × ŝ| only t
// can balance C,
//   t·n = −C·n,    t·w = t cos φ                                                    two dot products, two_dots.cpp          (1)
// Then r r̂ + s ŝ = −(C + t) in the plane, by the directions in it that are square to ŝ and to r̂:
//   r = −(C + t)·(ŝ × n)/|r̂ × ŝ|,    s = −(C + t)·(n × r̂)/|r̂ × ŝ|                                                       (2)
// and again for the gap that round-off leaves.
// mode 0 has t·(w × n) > 0.
//
// Limits: r̂ ∥ ŝ: a line meets a circle or not; where it does, r and s may trade lengths                     parallel_slides
//         n ∥ w: the circle lies in the plane, or beside it                                            circle_in_slide_plane
//         no radius: t is known, and C + t lies in the plane or not                                              needle_cone

#include "loops/chace/overdetermined.hpp"
#include "loops/chace/two_dots.hpp"

namespace trammel::chace {

Solutions<2> case7(const Vec3d& r_direction, const Vec3d& s_direction, const Arm& t, const Vec3d& C) {
  if (!is_unit(r_direction) || !is_unit(s_direction) || !is_valid(t) || !is_finite(C)) return invalid<2>();
  const Vec3d normal = precise_cross(r_direction, s_direction);
  const double sine = norm(normal), C_size = norm(C);
  if (sine <= agreement) {
    const LineMeetsCircle found = line_meets_circle(r_direction, t, C);
    return verdict<2>(found.count > 0 ? Status::undetermined : Status::none, Limit::parallel_slides,
                      found.count > 0 ? 0 : found.margin);
  }

  const Vec3d n = normal * (1 / sine);
  const TwoDots dots = circle_meets_plane(t.cone.axes.w, t.axial(), t.radial(), n, -dot(C, n), C_size);  // (1)
  auto result = verdict<2>(dots.status, dots.limit == Limit::parallel_axes ? Limit::circle_in_slide_plane : dots.limit,
                           dots.margin);
  const Vec3d for_r = cross(s_direction, n) * (-1 / sine), for_s = cross(n, r_direction) * (-1 / sine);
  for (int i = 0; i < dots.count; ++i) {
    const Vec3d& found = dots.x[static_cast<std::size_t>(i)];
    double r = 0, s = 0;
    Vec3d gap = C + found;
    for (int again = 0; again < 3; ++again) {  // (2)
      r += dot(gap, for_r), s += dot(gap, for_s);
      gap = C + found + r_direction * r + s_direction * s;
    }
    add(result, {along(r_direction, r), along(s_direction, s), {found, t.length}, i, dots.double_root});
  }
  return result;
}

}  // namespace trammel::chace

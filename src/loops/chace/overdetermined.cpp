// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A line meets a circle, a circle meets a circle.
//
// Line and circle: x u + v + C = 0 with v·w = α, |v| = length.
//   k = u·w ≠ 0: the line crosses the plane of the circle at k x = −(α + C·w), and there v has its length or not           (1)
//   k small:     the line may lie in that plane; case 4 gives x, and the least squares of both conditions improve it        (2)
// Circle and circle: v + v' + C = 0. v has three known products, with w, with w' and, from |v + C|² = |v'|², with C. Of the last two, the
// one that is more independent of the first gives v by two dot products; then v' = −(C + v) fits its arm or not.            (3)

#include "loops/chace/overdetermined.hpp"

#include "loops/chace/two_dots.hpp"

namespace trammel::chace {

LineMeetsCircle line_meets_circle(const Vec3d& u, const Arm& arm, const Vec3d& C) {
  const Vec3d& w = arm.cone.axes.w;
  const double k = dot(u, w), size = std::max(norm(C), arm.length), height = arm.axial() + dot(C, w);
  LineMeetsCircle result;
  double least_misfit = 1;
  const auto take = [&](double x) {
    const Vec3d v = -(C + u * x);
    const double misfit = misfit_of(arm, v, size);
    least_misfit = std::min(least_misfit, misfit);
    if (misfit > agreement) return;
    const auto i = static_cast<std::size_t>(result.count++);
    result.x[i] = x, result.v[i] = v;
  };
  if (std::abs(k) > 0.01) {  // (1)
    take(-height / k);
  } else {  // (2)
    const Solutions<2> crossings = case4(arm.length, u, C);
    result.margin = crossings.margin;
    for (const Solution& crossing : crossings) {
      double x = crossing.s.length;
      for (int i = 0; i < 3; ++i) {
        const Vec3d v = C + u * x;
        const double length = norm(v), slope = length > 0 ? dot(u, v) / length : 0, squares = k * k + slope * slope;
        if (squares > 0) x -= (k * (height + k * x) + slope * (length - arm.length)) / squares;
      }
      take(x);
      result.double_root = crossing.double_root;
    }
  }
  if (result.count == 0 && result.margin >= 0) result.margin = -least_misfit;
  return result;
}

CircleMeetsCircle circle_meets_circle(const Arm& first, const Arm& second, const Vec3d& C) {
  const Vec3d &w = first.cone.axes.w, &w2 = second.cone.axes.w;
  const double C_size = norm(C), size = std::max({C_size, first.length, second.length});
  const double by_C = C_size > 0 ? norm(cross(w, C)) / C_size : 0, by_axis = norm(cross(w, w2));
  CircleMeetsCircle result;
  if (has_no_radius(first, size) || (by_C <= round_off && by_axis <= round_off)) {  // all about one axis
    const Vec3d v = vector_at(first, 0).v;
    const double misfit = misfit_of(second, -(C + v), size);
    result.margin = misfit <= agreement ? 0 : -misfit;
    if (misfit > agreement) return result;
    const bool point = has_no_radius(first, size);
    result.status = point ? Status::solved : Status::undetermined;
    if (point) result.count = 1, result.first[0] = v, result.second[0] = -(C + v);
    return result;
  }
  const double with_C =
      0.5 * (second.length * second.length - C_size * C_size - first.length * first.length);  // |v + C|² = |v'|²
  const double with_axis = -dot(C, w2) - second.axial();
  const TwoDots dots = by_C > by_axis
                           ? circle_meets_plane(w, first.axial(), first.radial(), C, with_C, size * size / C_size)
                           : circle_meets_plane(w, first.axial(), first.radial(), w2, with_axis, size);  // (3)
  result.margin = dots.margin;
  double least_misfit = 1;
  for (int i = 0; i < dots.count; ++i) {
    const Vec3d& v = dots.x[static_cast<std::size_t>(i)];
    const double misfit = misfit_of(second, -(C + v), size);
    least_misfit = std::min(least_misfit, misfit);
    if (misfit > agreement) continue;
    const auto n = static_cast<std::size_t>(result.count++);
    result.first[n] = v, result.second[n] = -(C + v);
    result.double_root = dots.double_root;
  }
  if (result.count > 0) result.status = Status::solved;
  if (result.count == 0 && result.margin >= 0) result.margin = -least_misfit;
  return result;
}

}  // namespace trammel::chace

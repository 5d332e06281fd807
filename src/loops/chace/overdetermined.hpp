// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops with one equation too many, to which cases 3, 7, 8 and 9 come down where a circle has no radius or a cone no width. They have
// solutions where the data agree, to `agreement` of the largest length.

#include "loops/chace/common.hpp"

namespace trammel::chace {

// x u + v + C = 0 for a length x along u and a vector v of the arm: a line meets a circle.
struct LineMeetsCircle {
  int count = 0;
  bool double_root = false;
  double margin = 0;  // as in Solutions; the misfit, negative, where nothing is found
  std::array<double, 2> x{};
  std::array<Vec3d, 2> v{};
};
LineMeetsCircle line_meets_circle(const Vec3d& u, const Arm& arm, const Vec3d& C);

// v + v' + C = 0 for vectors of two arms: a circle meets a circle.
struct CircleMeetsCircle {
  Status status = Status::none;  // undetermined: the circles coincide
  int count = 0;
  bool double_root = false;
  double margin = 0;
  std::array<Vec3d, 2> first{}, second{};
};
CircleMeetsCircle circle_meets_circle(const Arm& first, const Arm& second, const Vec3d& C);

// How far a vector is from being one of the arm's, as part of `size`.
inline double misfit_of(const Arm& arm, const Vec3d& v, double size) {
  const double along = dot(v, arm.cone.axes.w), across = norm(v - arm.cone.axes.w * along);
  const double gap = std::abs(along - arm.axial()) + std::abs(across - arm.radial());
  return size > 0 ? gap / size : gap;
}
inline Vec3d axis_part(const Arm& arm) { return arm.cone.axes.w * arm.axial(); }

}  // namespace trammel::chace

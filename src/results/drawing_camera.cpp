// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_camera.hpp"

#include <cmath>

namespace trammel::results {

Vec3d unit(const Vec3d& v) { return v * (1 / std::hypot(v.x, v.y, v.z)); }

Vec3d square_to(const Vec3d& v, const Vec3d& axis) { return v - axis * dot(v, axis); }

Projected Camera::project(const Vec3d& p_W) const {
  const Vec3d d = p_W - origin;
  const double x = dot(R.ex, d), y = dot(R.ey, d), depth = -dot(R.ez, d);
  if (is_parallel()) return {x, y, depth};                     // (1)
  return {distance * x / depth, distance * y / depth, depth};  // (2)
}

Vec3d Camera::towards_viewer(const Vec3d& p_W) const { return is_parallel() ? R.ez : unit(origin - p_W); }

Mat3d view_axes(const Vec3d& towards_viewer, const Vec3d& up) {
  const Vec3d ez = unit(towards_viewer);
  const Vec3d ey = unit(square_to(up, ez));
  return {cross(ey, ez), ey, ez};
}

}  // namespace trammel::results

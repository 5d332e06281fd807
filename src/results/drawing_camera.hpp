// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a view sees points of the world: parallel, as plan views do, or through a pinhole. With the axes of the view ex to the right, ey up
// and ez towards the viewer, and d = p − origin:
//   parallel      x = ex·d,                y = ey·d                                                                  (1)
//   perspective   x = D ex·d / depth,      y = D ey·d / depth,       depth = −ez·d                                   (2)
// In a perspective the origin is the eye, and D its distance from the picture's plane, in which lengths keep their size.

#include <trammel/spatial/transform.hpp>

namespace trammel::results {

struct Projected {
  double x = 0, y = 0;
  double depth = 0;  // away from the viewer
};

struct Camera {
  Mat3d R = Mat3d::identity();  // columns: right, up, towards the viewer
  Vec3d origin;                 // what is drawn at (0, 0); in a perspective: the eye
  double distance = 0;          // D of a perspective; 0: parallel

  bool is_parallel() const { return distance == 0; }
  Projected project(const Vec3d& p_W) const;
  // The unit vector from a point to the viewer.
  Vec3d towards_viewer(const Vec3d& p_W) const;
};

// With x to the right as far as up allows. The vectors need not be unit vectors, nor quite square to each other.
Mat3d view_axes(const Vec3d& towards_viewer, const Vec3d& up);

Vec3d unit(const Vec3d& v);
// The part of v square to a unit vector.
Vec3d square_to(const Vec3d& v, const Vec3d& axis);

}  // namespace trammel::results

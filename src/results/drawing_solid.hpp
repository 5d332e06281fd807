// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The solids that bodies are drawn as. Most are convex: what one sees of such a solid is the convex hull of what one sees of its corners, rims
// and balls, in a parallel view and in a perspective alike.

#include <optional>
#include <vector>

#include <trammel/model.hpp>

#include "results/drawing_camera.hpp"

namespace trammel::results {

// A ball or ellipsoid: centre + axes u for all |u| ≤ 1.
struct Ball {
  Vec3d centre;
  Mat3d axes;
};
// A circle about the centre in the plane of two unit vectors at right angles. As the rim of a solid it is seen from the side of ex × ey.
struct Ring {
  Vec3d centre, ex, ey;
  double radius = 0;

  Vec3d normal() const { return cross(ex, ey); }
  Vec3d at(double angle) const;
};
std::vector<Vec3d> points_of(const Ring& ring);

struct Solid {
  std::vector<Vec3d> corners;
  std::vector<Ball> balls;
  std::vector<Ring> rims;                 // flat ends
  std::vector<std::vector<Vec3d>> faces;  // counterclockwise as seen from outside
  bool convex = true;                     // otherwise it is all faces
};

Ball ball_at(const Vec3d& centre, const Mat3d& R, double radius);
// Bars and plates: all that is within the radius of a segment, or of the hull of several points.
Solid rounded(const std::vector<Vec3d>& points, const Mat3d& R, double radius);
// z of X_WC is its axis, the origin its centre.
Solid cylinder(const Transformd& X_WC, double length, double radius);
Solid box(const Transformd& X_WC, const Vec3d& edges);

// A shape of a body at X_WB; nothing for meshes. Rods get round ends, so that their pins are within them. Radii of rods and capsules are
// at least `least_radius`: thinner ones would not be seen.
std::optional<Solid> solid_of(const Shape& shape, const Transformd& X_WB, double least_radius);

// The point of a shape's core (the line of a rod, the plate, the box, the centre of a ball) that is nearest to a point, both in the
// body's frame, and how far away the shape is; 0 inside it.
struct Nearest {
  Vec3d p_B;
  double distance = 0;
};
Nearest nearest_of(const Shape& shape, const Vec3d& p_B);

// The farthest that a solid reaches in a direction: max of n · p.
double reach(const Solid& solid, const Vec3d& n);
Vec3d centre_of(const Solid& solid);
// Points that no other of the solid's points lies outside of: its extent.
void add_extent(const Solid& solid, std::vector<Vec3d>& points);

// Where lines of sight touch a ball: a circle in the ball's own space, in which it is a unit sphere. Seen from e (there), it lies at
// e/|e|² with radius √(1 − 1/|e|²), square to e; seen from infinitely far, it is a great circle. The eye must be outside the ball.
std::vector<Vec3d> contour_of(const Ball& ball, const Camera& camera);

inline constexpr int circle_points = 72;

}  // namespace trammel::results

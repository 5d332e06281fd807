// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What designers read off a drawing: KAM's LOCUS, ANGLE, XLGTH, PANGLE and DIRECN as plain functions of points and directions, and the
// measures of a model at one step of an analysis. Directions may have any length but zero, for which the answer is NaN.

#include <limits>
#include <vector>

#include <trammel/analysis.hpp>

namespace trammel {

// ANGLE: between two directions, 0 to π. Exact for small angles too.
double angle_between(const Vec3d& u, const Vec3d& w);
// From u to w, counted about the axis by the right-hand rule, both as they are: −π to π.
double signed_angle(const Vec3d& u, const Vec3d& w, const Vec3d& axis);
// The same between their projections onto the plane square to the axis.
double projected_angle(const Vec3d& u, const Vec3d& w, const Vec3d& axis);
// PANGLE: between a direction and the plane with this normal; positive on the side of the normal, −π/2 to π/2.
double angle_to_plane(const Vec3d& u, const Vec3d& normal);
// XLGTH: distance of a point from a plane (signed) and from a line.
double distance_to_plane(const Vec3d& p, const Vec3d& point_of_plane, const Vec3d& normal);
double distance_to_line(const Vec3d& p, const Vec3d& a, const Vec3d& b);
// DIRECN: polar angle of a direction from an axis, and azimuth about it, counted from the reference.
double polar_angle(const Vec3d& u, const Vec3d& axis);
double azimuth(const Vec3d& u, const Vec3d& axis, const Vec3d& reference);
// LOCUS: the point turned about the axis through a and b by an angle.
Vec3d locus_point(const Vec3d& p, const Vec3d& a, const Vec3d& b, double angle);

// Where a body of a planar linkage is: its frame's origin along x and y of the plane, from the plane's point, and its turn about the
// normal relative to the world, −π to π.
struct PlanarState {
  double x = 0, y = 0, theta = 0;
};
PlanarState planar_state(const Plane& plane, const Transformd& X_WB);

// The model's measures at steps of an analysis.
class MeasureReader {
 public:
  explicit MeasureReader(const Mechanism& mechanism);
  // In their order, in SI units; NaN where one is not defined. Ratios of speeds and instant centres depend on the position only: where
  // the step stands still they are read off `per_input`, if given, the same position with the velocities per unit of its input.
  std::vector<double> read(const AnalysisStep& step, const AnalysisStep* per_input = nullptr) const;
  // Whether a measure is of that kind.
  bool reads_rates() const;

 private:
  const Mechanism& mechanism_;
  std::optional<Vec3d> normal_;                         // of the plane that a planar linkage moves in
  std::vector<std::optional<Expression>> expressions_;  // per measure
};

// The range that a measure goes through over an analysis, such as the jounce–rebound envelope of a suspension's camber, and the steps
// at which it has its ends. −1 and NaN where it is defined at no step.
struct Envelope {
  double least = std::numeric_limits<double>::quiet_NaN(), most = least;
  int at_least = -1, at_most = -1;
};
Envelope envelope_of(const Analysis& analysis, int measure);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Axes, angles and names; choosing one of several solutions.

#include "loops/chace/common.hpp"

namespace trammel::chace {
namespace {

Axes axes_of(const Vec3d& w, const Vec3d& square_to_w) {
  const Vec3d l = square_to_w * (1 / norm(square_to_w));
  return {l, cross(w, l), w};
}

double without_round_off(double x) { return std::abs(x) < 1e-15 ? 0 : x; }

double squared_distance(const Vec3d& a, const Vec3d& b) { return dot(a - b, a - b); }

}  // namespace

Axes axes_about(const Vec3d& w) {
  const double x = std::abs(w.x), y = std::abs(w.y), z = std::abs(w.z);
  const Vec3d most_square = x <= y && x <= z ? Vec3d{1, 0, 0} : y <= z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  return axes_of(w, part_square_to(w, most_square));
}

Axes axes_about(const Vec3d& w, const Vec3d& reference) {
  const Vec3d square = part_square_to(w, reference);
  return norm(square) > round_off * norm(reference) ? axes_of(w, square) : axes_about(w);
}

Cone cone_about(const Axes& axes, double polar) {
  return {axes, without_round_off(std::cos(polar)), without_round_off(std::sin(polar))};
}

double azimuth(const Axes& axes, const Vector& vector) {
  const double sign = vector.length < 0 ? -1 : 1;
  const double x = sign * dot(vector.v, axes.l), y = sign * dot(vector.v, axes.m);
  return x == 0 && y == 0 ? 0 : std::atan2(y, x);
}

double polar_angle(const Axes& axes, const Vector& vector) {
  const double sign = vector.length < 0 ? -1 : 1;
  const double along = sign * dot(vector.v, axes.w), across = norm(cross(axes.w, vector.v));
  return along == 0 && across == 0 ? 0 : std::atan2(across, along);
}

Vector vector_at(const Cone& cone, double length, double azimuth) {
  const Vec3d across = cone.axes.l * std::cos(azimuth) + cone.axes.m * std::sin(azimuth);
  return along(cone.axes.w * cone.cos_polar + across * cone.sin_polar, length);
}
Vector vector_at(const Arm& arm, double azimuth) { return vector_at(arm.cone, arm.length, azimuth); }

int find_mode(std::span<const Solution> solutions, int mode) {
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    if (solutions[k].mode == mode || (solutions[k].double_root && solutions.size() == 1)) return static_cast<int>(k);
  }
  return -1;
}

int find_nearest(std::span<const Solution> solutions, const Solution& previous) {
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    const Solution& candidate = solutions[k];
    const double distance = squared_distance(candidate.r.v, previous.r.v) +
                            squared_distance(candidate.s.v, previous.s.v) +
                            squared_distance(candidate.t.v, previous.t.v);
    if (distance < least) least = distance, nearest = static_cast<int>(k);
  }
  return nearest;
}

const char* name_of(Status status) {
  switch (status) {
    case Status::solved:
      return "solved";
    case Status::none:
      return "none";
    case Status::undetermined:
      return "undetermined";
    case Status::invalid:
      return "invalid";
  }
  return "";
}

const char* name_of(Limit limit) {
  switch (limit) {
    case Limit::regular:
      return "regular";
    case Limit::zero_vector:
      return "zero vector";
    case Limit::flat_cone:
      return "flat cone";
    case Limit::needle_cone:
      return "needle cone";
    case Limit::slide_along_generator:
      return "slide along a generator";
    case Limit::parallel_axes:
      return "parallel axes";
    case Limit::parallel_slides:
      return "parallel slides";
    case Limit::coplanar_slides:
      return "coplanar slides";
    case Limit::circle_in_slide_plane:
      return "circle in the plane of the slides";
    case Limit::slide_square_to_axes:
      return "slide square to both axes";
    case Limit::movable:
      return "movable";
  }
  return "";
}

}  // namespace trammel::chace

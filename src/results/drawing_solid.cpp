// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_solid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace trammel::results {
namespace {

double angle_of(int k) { return 2 * std::numbers::pi * k / circle_points; }

// In the shape's own frame: the nearest point of a segment along z.
Vec3d on_axis(const Vec3d& p, double length) { return {0, 0, std::clamp(p.z, -length / 2, length / 2)}; }

Vec3d on_segment(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const Vec3d d = b - a;
  const double l2 = dot(d, d);
  return l2 == 0 ? a : a + d * std::clamp(dot(p - a, d) / l2, 0.0, 1.0);
}

// Crossing number, in the xy plane.
bool is_inside(const Vec3d& p, const std::vector<Vec3d>& outline) {
  bool inside = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
  }
  return inside;
}

Vec3d on_plate(const Vec3d& p, const std::vector<Vec3d>& outline) {
  const Vec3d flat{p.x, p.y, 0};
  if (is_inside(flat, outline)) return flat;
  Vec3d best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3d q = on_segment(flat, outline[i], outline[(i + 1) % outline.size()]);
    if (norm(flat - q) < least) least = norm(flat - q), best = q;
  }
  return best;
}

double area_of(const std::vector<Vec3d>& outline) {
  double twice = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return twice / 2;
}

bool is_convex(const std::vector<Vec3d>& outline) {
  bool left = false, right = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()], &c = outline[(i + 2) % outline.size()];
    const double turn = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
    left = left || turn > 0;
    right = right || turn < 0;
  }
  return !(left && right);
}

Solid prism(const Transformd& X_WS, std::vector<Vec3d> outline, double thickness) {
  if (area_of(outline) < 0) std::reverse(outline.begin(), outline.end());
  const Vec3d half{0, 0, thickness / 2};
  Solid solid;
  solid.convex = is_convex(outline);
  std::vector<Vec3d> top, bottom;
  for (const Vec3d& p : outline) {
    top.push_back(X_WS * (p + half));
    bottom.push_back(X_WS * (p - half));
  }
  solid.corners = top;
  solid.corners.insert(solid.corners.end(), bottom.begin(), bottom.end());
  solid.faces.push_back(top);
  solid.faces.emplace_back(bottom.rbegin(), bottom.rend());
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const std::size_t next = (i + 1) % outline.size();
    solid.faces.push_back({bottom[i], bottom[next], top[next], top[i]});
  }
  return solid;
}

}  // namespace

Vec3d Ring::at(double angle) const { return centre + (ex * std::cos(angle) + ey * std::sin(angle)) * radius; }

std::vector<Vec3d> points_of(const Ring& ring) {
  std::vector<Vec3d> points;
  points.reserve(circle_points);
  for (int k = 0; k < circle_points; ++k) points.push_back(ring.at(angle_of(k)));
  return points;
}

Ball ball_at(const Vec3d& centre, const Mat3d& R, double radius) { return {centre, R * radius}; }

Solid rounded(const std::vector<Vec3d>& points, const Mat3d& R, double radius) {
  Solid solid;
  for (const Vec3d& p : points) solid.balls.push_back(ball_at(p, R, radius));
  return solid;
}

Solid cylinder(const Transformd& X_WC, double length, double radius) {
  const Vec3d half = X_WC.R.ez * (length / 2);
  Solid solid;
  solid.rims = {{X_WC.p + half, X_WC.R.ex, X_WC.R.ey, radius}, {X_WC.p - half, X_WC.R.ey, X_WC.R.ex, radius}};
  return solid;
}

Solid box(const Transformd& X_WC, const Vec3d& edges) {
  const double x = edges.x / 2, y = edges.y / 2;
  return prism(X_WC, {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}}, edges.z);
}

std::optional<Solid> solid_of(const Shape& shape, const Transformd& X_WB, double least_radius) {
  const Transformd X_WS = X_WB * shape.X_BS;
  const double half = shape.length / 2, radius = std::max(shape.radius, least_radius);
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::capsule:
      return rounded({X_WS * Vec3d{0, 0, -half}, X_WS * Vec3d{0, 0, half}}, X_WS.R, radius);
    case Shape::Kind::cylinder:
      return cylinder(X_WS, shape.length, shape.radius);
    case Shape::Kind::box:
      return box(X_WS, shape.size);
    case Shape::Kind::sphere:
      return rounded({X_WS.p}, X_WS.R, shape.radius);
    case Shape::Kind::ellipsoid: {
      Solid solid;
      solid.balls = {{X_WS.p, {X_WS.R.ex * shape.size.x, X_WS.R.ey * shape.size.y, X_WS.R.ez * shape.size.z}}};
      return solid;
    }
    case Shape::Kind::plate:
      return prism(X_WS, shape.outline, shape.length);
    case Shape::Kind::mesh:
      break;
  }
  return std::nullopt;
}

Nearest nearest_of(const Shape& shape, const Vec3d& p_B) {
  const Vec3d p = inverse(shape.X_BS) * p_B;
  Vec3d core;
  double radius = shape.radius;
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::capsule:
    case Shape::Kind::cylinder:
      core = on_axis(p, shape.length);
      break;
    case Shape::Kind::box: {
      const Vec3d h = shape.size * 0.5;
      core = {std::clamp(p.x, -h.x, h.x), std::clamp(p.y, -h.y, h.y), std::clamp(p.z, -h.z, h.z)};
      radius = 0;
      break;
    }
    case Shape::Kind::ellipsoid: {
      // As far as along the line to the centre: near enough for a line that joins them.
      const Vec3d &a = shape.size, u{p.x / a.x, p.y / a.y, p.z / a.z};
      const double r = norm(u);
      return {shape.X_BS.p, r > 1 ? norm(p) * (1 - 1 / r) : 0};
    }
    case Shape::Kind::plate:
      core = on_plate(p, shape.outline);
      radius = shape.length / 2;
      break;
    case Shape::Kind::sphere:
    case Shape::Kind::mesh:
      break;
  }
  return {shape.X_BS * core, std::max(0.0, norm(p - core) - radius)};
}

double reach(const Solid& solid, const Vec3d& n) {
  double farthest = -std::numeric_limits<double>::infinity();
  for (const Vec3d& p : solid.corners) farthest = std::max(farthest, dot(n, p));
  for (const Ball& ball : solid.balls)
    farthest = std::max(farthest, dot(n, ball.centre) + norm(transpose_times(ball.axes, n)));
  for (const Ring& rim : solid.rims)
    farthest = std::max(farthest, dot(n, rim.centre) + rim.radius * std::hypot(dot(n, rim.ex), dot(n, rim.ey)));
  return farthest;
}

Vec3d centre_of(const Solid& solid) {
  Vec3d sum;
  double count = 0;
  const auto take = [&](const Vec3d& p) { sum += p, ++count; };
  for (const Vec3d& p : solid.corners) take(p);
  for (const Ball& ball : solid.balls) take(ball.centre);
  for (const Ring& rim : solid.rims) take(rim.centre);
  return sum * (1 / std::max(count, 1.0));
}

void add_extent(const Solid& solid, std::vector<Vec3d>& points) {
  points.insert(points.end(), solid.corners.begin(), solid.corners.end());
  for (const Ball& ball : solid.balls) {
    for (const Vec3d& a : {ball.axes.ex, ball.axes.ey, ball.axes.ez}) {
      points.push_back(ball.centre + a);
      points.push_back(ball.centre - a);
    }
  }
  for (const Ring& rim : solid.rims) {
    for (const double quarter : {0.0, 0.5, 1.0, 1.5}) points.push_back(rim.at(quarter * std::numbers::pi));
  }
}

std::vector<Vec3d> contour_of(const Ball& ball, const Camera& camera) {
  for (const Vec3d& a : {ball.axes.ex, ball.axes.ey, ball.axes.ez}) {
    if (dot(a, a) == 0) return {ball.centre};
  }
  const auto own = [&](const Vec3d& v) {  // v in the ball's own space: axes⁻¹ v, the axes being square to each other
    const auto part = [&](const Vec3d& a) { return dot(a, v) / dot(a, a); };
    return Vec3d{part(ball.axes.ex), part(ball.axes.ey), part(ball.axes.ez)};
  };
  const Vec3d e = own(camera.is_parallel() ? camera.R.ez : camera.origin - ball.centre);
  const double distance = norm(e);
  const Vec3d n = e * (1 / distance);
  const Vec3d aside = std::abs(n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  const Vec3d a = unit(square_to(aside, n)), b = cross(n, a);
  Ring touch{{}, a, b, 1};
  if (!camera.is_parallel()) {
    touch.centre = n * (1 / distance);
    touch.radius = std::sqrt(std::max(0.0, 1 - 1 / (distance * distance)));
  }
  std::vector<Vec3d> points = points_of(touch);
  for (Vec3d& p : points) p = ball.centre + ball.axes * p;
  return points;
}

}  // namespace trammel::results

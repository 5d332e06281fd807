// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Outlines in the plane of a picture: straight pieces and arcs, hulls, extents. y goes up, as in the world.

#include <limits>
#include <vector>

namespace trammel::results {

struct Point2 {
  double x = 0, y = 0;

  friend Point2 operator+(const Point2& a, const Point2& b) { return {a.x + b.x, a.y + b.y}; }
  friend Point2 operator-(const Point2& a, const Point2& b) { return {a.x - b.x, a.y - b.y}; }
  friend Point2 operator*(const Point2& a, double s) { return {a.x * s, a.y * s}; }
  friend bool operator==(const Point2&, const Point2&) = default;
};
double cross(const Point2& a, const Point2& b);
double length_of(const Point2& a);

// The piece from this corner to the next is straight, or an arc with bulge = tan(angle/4), positive to the left (counterclockwise), as
// CAD files have it.
struct Corner {
  Point2 p;
  double bulge = 0;
};
struct Outline {
  std::vector<Corner> corners;
  bool closed = false;
  double radius = 0;  // more than 0: a full circle about the one corner

  bool is_circle() const { return radius > 0; }
};
Outline circle_outline(const Point2& centre, double radius);
Outline polygon_outline(const std::vector<Point2>& points, bool closed);

// The centre of an arc between two corners, and its radius.
struct Arc {
  Point2 centre;
  double radius = 0;
};
Arc arc_between(const Point2& a, const Point2& b, double bulge);

// Counterclockwise, without points on its edges (to round-off); one or two points where all lie on a point or line.
std::vector<Point2> hull_of(std::vector<Point2> points);
// What is within a radius of the hull: straight pieces and arcs.
Outline rounded_hull(const std::vector<Point2>& points, double radius);
double area_of(const std::vector<Point2>& polygon);

// Points along an outline, not farther apart than `step`, arcs included.
std::vector<Point2> samples_of(const Outline& outline, double step);

struct Extent2 {
  double left = std::numeric_limits<double>::infinity(), right = -std::numeric_limits<double>::infinity();
  double bottom = std::numeric_limits<double>::infinity(), top = -std::numeric_limits<double>::infinity();

  void take(const Point2& p);
  void take(const Outline& outline);
  void take(const Extent2& other);
  bool empty() const { return left > right; }
  double width() const { return empty() ? 0 : right - left; }
  double height() const { return empty() ? 0 : top - bottom; }
};

}  // namespace trammel::results

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_outline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel::results {

double cross(const Point2& a, const Point2& b) { return a.x * b.y - a.y * b.x; }
double length_of(const Point2& a) { return std::hypot(a.x, a.y); }

Outline circle_outline(const Point2& centre, double radius) { return {{{centre}}, true, radius}; }

Outline polygon_outline(const std::vector<Point2>& points, bool closed) {
  Outline outline;
  outline.closed = closed;
  for (const Point2& p : points) outline.corners.push_back({p});
  return outline;
}

// With the chord c = b − a and bulge t = tan(φ/4): the sagitta is t |c|/2, the radius |c| (1 + t²)/(4 t), and the centre lies
// |c| (1 − t²)/(4 t) to the left of the chord's middle.
Arc arc_between(const Point2& a, const Point2& b, double bulge) {
  const Point2 c = b - a;
  const double left = (1 - bulge * bulge) / (4 * bulge);
  return {(a + b) * 0.5 + Point2{-c.y, c.x} * left, std::abs(length_of(c) * (1 + bulge * bulge) / (4 * bulge))};
}

// The monotone chain of A. M. Andrew (1979).
std::vector<Point2> hull_of(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(),
            [](const Point2& a, const Point2& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  Extent2 extent;
  for (const Point2& p : points) extent.take(p);
  const double size = std::max(extent.width(), extent.height()), round_off = 1e-12 * size;
  std::vector<Point2> hull;
  const auto add = [&](const Point2& p, std::size_t least) {
    while (hull.size() > least) {
      const Point2 &a = hull[hull.size() - 2], &b = hull.back();
      if (cross(b - a, p - b) > round_off * length_of(p - a)) break;
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const Point2& p : points) add(p, 1);
  const std::size_t lower = hull.size();
  for (std::size_t i = points.size() - 1; i-- > 0;) add(points[i], lower);
  hull.pop_back();
  return hull;
}

Outline rounded_hull(const std::vector<Point2>& points, double radius) {
  std::vector<Point2> hull = hull_of(points);
  // Points that differ by round-off only would leave arcs of no length.
  const auto is_same = [&](const Point2& a, const Point2& b) { return length_of(a - b) < 1e-9 * radius; };
  hull.erase(std::unique(hull.begin(), hull.end(), is_same), hull.end());
  if (hull.size() > 1 && is_same(hull.front(), hull.back())) hull.pop_back();
  if (hull.size() == 1) return circle_outline(hull.front(), radius);
  Outline outline;
  outline.closed = true;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point2 before = hull[(i + hull.size() - 1) % hull.size()], here = hull[i],
                 after = hull[(i + 1) % hull.size()];
    const auto outward = [&](const Point2& d) { return Point2{d.y, -d.x} * (radius / length_of(d)); };
    const Point2 from = outward(here - before), to = outward(after - here);
    double turn = std::atan2(cross(from, to), from.x * to.x + from.y * to.y);
    if (turn <= 0) turn += 2 * std::numbers::pi;  // the half turn at the end of a bar
    outline.corners.push_back({here + from, std::tan(turn / 4)});
    outline.corners.push_back({here + to});
  }
  return outline;
}

double area_of(const std::vector<Point2>& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) twice += cross(polygon[i], polygon[(i + 1) % polygon.size()]);
  return twice / 2;
}

std::vector<Point2> samples_of(const Outline& outline, double step) {
  std::vector<Point2> samples;
  const auto arc = [&](const Point2& centre, const Point2& start, double angle) {
    const Point2 r = start - centre;
    const int pieces = std::clamp(static_cast<int>(std::ceil(length_of(r) * std::abs(angle) / step)), 4, 2000);
    for (int k = 0; k <= pieces; ++k) {
      const double a = angle * k / pieces, c = std::cos(a), s = std::sin(a);
      samples.push_back(centre + Point2{c * r.x - s * r.y, s * r.x + c * r.y});
    }
  };
  if (outline.is_circle()) {
    const Point2 centre = outline.corners.front().p;
    arc(centre, centre + Point2{outline.radius, 0}, 2 * std::numbers::pi);
    return samples;
  }
  const std::size_t count = outline.corners.size(),
                    pieces = outline.closed ? count : count - std::min<std::size_t>(count, 1);
  if (pieces == 0 && count > 0) samples.push_back(outline.corners.front().p);
  for (std::size_t i = 0; i < pieces; ++i) {
    const Corner& a = outline.corners[i];
    const Point2 b = outline.corners[(i + 1) % count].p;
    if (a.bulge != 0) {
      arc(arc_between(a.p, b, a.bulge).centre, a.p, 4 * std::atan(a.bulge));
      continue;
    }
    const int parts = std::clamp(static_cast<int>(std::ceil(length_of(b - a.p) / step)), 1, 2000);
    for (int k = 0; k <= parts; ++k) samples.push_back(a.p + (b - a.p) * (static_cast<double>(k) / parts));
  }
  return samples;
}

void Extent2::take(const Point2& p) {
  left = std::min(left, p.x);
  right = std::max(right, p.x);
  bottom = std::min(bottom, p.y);
  top = std::max(top, p.y);
}

void Extent2::take(const Outline& outline) {
  if (outline.is_circle()) {
    const Point2 c = outline.corners.front().p, r{outline.radius, outline.radius};
    take(c - r);
    take(c + r);
    return;
  }
  const std::size_t count = outline.corners.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Corner& a = outline.corners[i];
    take(a.p);
    if (a.bulge == 0) continue;
    // An arc reaches out where its tangent is along an axis.
    const Point2 b = outline.corners[(i + 1) % count].p;
    const Arc arc = arc_between(a.p, b, a.bulge);
    const Point2 from = a.p - arc.centre;
    const double sweep = 4 * std::atan(a.bulge), start = std::atan2(from.y, from.x);
    for (int k = -8; k <= 8; ++k) {
      const double angle = k * std::numbers::pi / 2, on = sweep > 0 ? angle - start : start - angle;
      if (0 < on && on < std::abs(sweep)) take(arc.centre + Point2{std::cos(angle), std::sin(angle)} * arc.radius);
    }
  }
}

void Extent2::take(const Extent2& other) {
  if (other.empty()) return;
  take(Point2{other.left, other.bottom});
  take(Point2{other.right, other.top});
}

}  // namespace trammel::results

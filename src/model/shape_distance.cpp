// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How far a point is from a solid, in the solid's own frame S.

#include <algorithm>
#include <cmath>
#include <limits>

#include <trammel/model.hpp>

namespace trammel {
namespace {

double beyond(double x, double half) { return std::max(0.0, std::abs(x) - half); }

// Distance to a segment in the plane.
double to_edge(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
  const Vec3d ab = b - a, ap{p.x - a.x, p.y - a.y, 0};
  const double size = dot(ab, ab), s = size > 0 ? std::clamp(dot(ap, ab) / size, 0.0, 1.0) : 0;
  return norm(ap - ab * s);
}

// Of the outline of a plate: 0 within. A ray from the point crosses the edges an odd number of times where it starts inside.
double to_outline(const Vec3d& p, const std::vector<Vec3d>& outline) {
  bool inside = false;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec3d &a = outline[i], &b = outline[(i + 1) % outline.size()];
    nearest = std::min(nearest, to_edge(p, a, b));
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
  }
  return inside ? 0 : nearest;
}

// The nearest point of the surface Σ (x_i/a_i)² = 1 is x_i = a_i² p_i/(t + a_i²), t ≥ 0 where p is outside: halving finds t.
double to_ellipsoid(const Vec3d& p, const Vec3d& half) {
  const auto a = components(half), x = components(p);
  const auto excess = [&](double t) {
    double sum = -1;
    for (std::size_t i = 0; i < 3; ++i) sum += std::pow(a[i] * x[i] / (t + a[i] * a[i]), 2);
    return sum;
  };
  if (!(excess(0) > 0)) return 0;
  double low = 0, high = norm(p) * std::max({a[0], a[1], a[2]});
  for (int k = 0; k < 200 && high - low > 1e-15 * high; ++k) {
    const double t = low + (high - low) / 2;
    (excess(t) > 0 ? low : high) = t;
  }
  double square = 0;
  for (std::size_t i = 0; i < 3; ++i) square += std::pow(x[i] * high / (high + a[i] * a[i]), 2);
  return std::sqrt(square);
}

}  // namespace

double distance_to(const Shape& shape, const Vec3d& p_B) {
  const Vec3d p = inverse(shape.X_BS) * p_B;
  const double from_axis = std::hypot(p.x, p.y);
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::cylinder:
      return std::hypot(beyond(p.z, shape.length / 2), std::max(0.0, from_axis - shape.radius));
    case Shape::Kind::capsule:
      return std::max(0.0, std::hypot(beyond(p.z, shape.length / 2), from_axis) - shape.radius);
    case Shape::Kind::sphere:
      return std::max(0.0, norm(p) - shape.radius);
    case Shape::Kind::box:
      return norm(Vec3d{beyond(p.x, shape.size.x / 2), beyond(p.y, shape.size.y / 2), beyond(p.z, shape.size.z / 2)});
    case Shape::Kind::ellipsoid:
      return to_ellipsoid(p, shape.size);
    case Shape::Kind::plate:
      return std::hypot(beyond(p.z, shape.length / 2), to_outline(p, shape.outline));
    case Shape::Kind::mesh:
      return std::numeric_limits<double>::quiet_NaN();
  }
  return 0;
}

}  // namespace trammel

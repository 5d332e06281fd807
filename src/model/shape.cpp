// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Volumes and inertias of homogeneous solids. Each is worked out in the shape's own frame S as the second moments of
// its mass,
//   S_ij = ∫ x_i x_j dm,      I = (tr S) 1 − S,
// which for symmetric shapes are three numbers; only a plate also has a product S_xy and a centre away from S's origin.

#include <cmath>
#include <numbers>

#include <trammel/model.hpp>

namespace trammel {

namespace {

constexpr double pi = std::numbers::pi;

// A mass m with ∫ x_i² dm = m (xx, yy, zz) and no products, centred at S's origin.
RigidInertia<double> centred(double mass, double xx, double yy, double zz) {
  return {mass, {}, {mass * (yy + zz), mass * (xx + zz), mass * (xx + yy), 0, 0, 0}};
}

RigidInertia<double> round_bar(double mass, double length, double radius) {
  const double across = radius * radius / 4;
  return centred(mass, across, across, length * length / 12);
}

// A bar of length L between the centres of two half spheres, which together are one ball cut at its equator and pulled
// apart. Across the axis nothing changes for the ball; along it each half moves by L/2, and the centre of a half
// sphere lies 3r/8 from its flat side:
//   ∫ z² dm = m_ball (r²/5 + 2 (L/2)(3r/8) + (L/2)²) + m_bar L²/12
// Masses are as the volumes, π r² L and 4/3 π r³; π r² is left out so that r = 0 gives a thin bar.
RigidInertia<double> capsule(double mass, double length, double radius) {
  const double bar_share = length / (length + radius * 4 / 3);
  const double ball_share = 1 - bar_share;
  const double r2 = radius * radius, half = length / 2;
  const double across = bar_share * r2 / 4 + ball_share * r2 / 5;
  const double along = bar_share * length * length / 12 + ball_share * (r2 / 5 + half * radius * 3 / 4 + half * half);
  return centred(mass, across, across, along);
}

// Moments of a polygon's area, summed over the triangles from one reference corner to each edge; going round the other
// way flips the sign of all of them, so their ratios do not depend on it.
//   triangle (0, a, b), c = a × b:   A = c/2,   ∫ p dA = c (a + b)/6,   ∫ p pᵀ dA = c (a aᵀ + b bᵀ + (a + b)(a + b)ᵀ)/24
struct AreaMoments {
  double area = 0;
  Vec3d first;  // ∫ p dA
  double xx = 0, yy = 0, xy = 0;
};

AreaMoments area_moments(const std::vector<Vec3d>& outline) {
  AreaMoments sum;
  for (std::size_t i = 1; i + 1 < outline.size(); ++i) {
    const Vec3d a = outline[i] - outline[0], b = outline[i + 1] - outline[0], s = a + b;
    const double c = a.x * b.y - a.y * b.x;
    sum.area += c / 2;
    sum.first += s * (c / 6);
    sum.xx += c * (a.x * a.x + b.x * b.x + s.x * s.x) / 24;
    sum.yy += c * (a.y * a.y + b.y * b.y + s.y * s.y) / 24;
    sum.xy += c * (a.x * a.y + b.x * b.y + s.x * s.y) / 24;
  }
  return sum;
}

RigidInertia<double> plate(double mass, const std::vector<Vec3d>& outline, double thickness) {
  const AreaMoments moments = area_moments(outline);
  const double share = mass / moments.area;
  const double xx = share * moments.xx, yy = share * moments.yy, xy = share * moments.xy;
  const double zz = mass * thickness * thickness / 12;
  const RigidInertia<double> at_corner{mass, moments.first * share, {yy + zz, xx + zz, xx + yy, -xy, 0, 0}};
  return Transformd::translation(outline[0]) * at_corner;
}

// At S's origin, in S's axes.
RigidInertia<double> inertia_in_own_frame(const Shape& shape, double mass) {
  const double r2 = shape.radius * shape.radius;
  const Vec3d& s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::cylinder:
      return round_bar(mass, shape.length, shape.radius);
    case Shape::Kind::box:
      return centred(mass, s.x * s.x / 12, s.y * s.y / 12, s.z * s.z / 12);
    case Shape::Kind::sphere:
      return centred(mass, r2 / 5, r2 / 5, r2 / 5);
    case Shape::Kind::capsule:
      return capsule(mass, shape.length, shape.radius);
    case Shape::Kind::ellipsoid:
      return centred(mass, s.x * s.x / 5, s.y * s.y / 5, s.z * s.z / 5);
    case Shape::Kind::plate:
      return plate(mass, shape.outline, shape.length);
    case Shape::Kind::mesh:  // its file is not looked into: a mass point
      return centred(mass, 0, 0, 0);
  }
  return {};
}

}  // namespace

std::string_view keyword(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::rod:
      return "rod";
    case Shape::Kind::cylinder:
      return "cylinder";
    case Shape::Kind::box:
      return "box";
    case Shape::Kind::sphere:
      return "sphere";
    case Shape::Kind::capsule:
      return "capsule";
    case Shape::Kind::ellipsoid:
      return "ellipsoid";
    case Shape::Kind::plate:
      return "plate";
    case Shape::Kind::mesh:
      return "mesh";
  }
  return {};
}

double volume(const Shape& shape) {
  const double r = shape.radius;
  const Vec3d& s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::cylinder:
      return pi * r * r * shape.length;
    case Shape::Kind::box:
      return s.x * s.y * s.z;
    case Shape::Kind::sphere:
      return 4 * pi / 3 * r * r * r;
    case Shape::Kind::capsule:
      return pi * r * r * (shape.length + 4 * r / 3);
    case Shape::Kind::ellipsoid:
      return 4 * pi / 3 * s.x * s.y * s.z;
    case Shape::Kind::plate:
      return std::abs(area_moments(shape.outline).area) * shape.length;
    case Shape::Kind::mesh:
      return 0;
  }
  return 0;
}

RigidInertia<double> inertia_of(const Shape& shape, double mass) {
  return shape.X_BS * inertia_in_own_frame(shape, mass);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Volumes and inertias of shapes: by hand, and against a quadrature that knows nothing but which points are inside. The
// quadrature cuts each solid into slices and fills them with Gauss points; the slices are bounded where the outline has
// corners, so it is exact to round-off for these shapes.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <trammel/model.hpp>

namespace trammel {
namespace {

constexpr double pi = std::numbers::pi;

struct Random {
  std::mt19937 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double between(double low, double high) { return low + (high - low) * (engine() / 4294967296.0); }
  Transformd pose() {
    const Vec3d turn{between(-2, 2), between(-2, 2), between(-2, 2)};
    return {exp_rotation(turn), {between(-3, 3), between(-3, 3), between(-3, 3)}};
  }
};

// Mass, first and second moments at B's origin, summed over small pieces at points of B.
struct Sum {
  Transformd X_BS;
  double volume = 0;
  Vec3d first;
  Sym3d second;  // ∫ p pᵀ dV

  void add(const Vec3d& p_S, double dV) {
    const Vec3d p = X_BS * p_S;
    volume += dV;
    first += p * dV;
    second += outer(p) * dV;
  }
  RigidInertia<double> filled_with(double mass) const {
    const double density = mass / volume;
    const Sym3d s = second * density;
    return {mass, first * density, {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz}};
  }
};

// Five-point Gauss–Legendre: exact for polynomials up to degree 9.
void gauss(double low, double high, const std::function<void(double x, double weight)>& visit) {
  constexpr std::array<double, 5> nodes{0, 0.5384693101056830910, -0.5384693101056830910, 0.9061798459386639928,
                                        -0.9061798459386639928};
  constexpr std::array<double, 5> weights{0.5688888888888888889, 0.4786286704993664680, 0.4786286704993664680,
                                          0.2369268850561890875, 0.2369268850561890875};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    visit((low + high) / 2 + (high - low) / 2 * nodes[i], (high - low) / 2 * weights[i]);
  }
}

// Slices z = constant that are ellipses with half axes a(z), b(z), between neighbouring breaks.
using HalfAxes = std::function<std::pair<double, double>(double z)>;
void fill_ellipses(Sum& sum, const std::vector<double>& breaks, const HalfAxes& half_axes) {
  constexpr int spokes = 8;
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    gauss(breaks[k], breaks[k + 1], [&](double z, double dz) {
      const auto [a, b] = half_axes(z);
      gauss(0, 1, [&, a = a, b = b](double r, double dr) {
        for (int i = 0; i < spokes; ++i) {
          const double angle = 2 * pi * i / spokes;
          sum.add({a * r * std::cos(angle), b * r * std::sin(angle), z}, a * b * r * dr * dz * 2 * pi / spokes);
        }
      });
    });
  }
}

// Slices x = constant of a plate: between neighbouring corners' x the outline is crossed by the same edges; sorted by
// height, the first and second, third and fourth … crossings bound the inside.
void fill_plate(Sum& sum, const std::vector<Vec3d>& outline, double thickness) {
  std::vector<double> breaks;
  for (const Vec3d& corner : outline) breaks.push_back(corner.x);
  std::sort(breaks.begin(), breaks.end());
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    if (breaks[k] == breaks[k + 1]) continue;
    gauss(breaks[k], breaks[k + 1], [&](double x, double dx) {
      std::vector<double> heights;
      for (std::size_t i = 0; i < outline.size(); ++i) {
        const Vec3d &p = outline[i], &q = outline[(i + 1) % outline.size()];
        if ((p.x < x) != (q.x < x)) heights.push_back(p.y + (q.y - p.y) * (x - p.x) / (q.x - p.x));
      }
      std::sort(heights.begin(), heights.end());
      for (std::size_t i = 0; i + 1 < heights.size(); i += 2) {
        gauss(heights[i], heights[i + 1], [&](double y, double dy) {
          gauss(-thickness / 2, thickness / 2, [&](double z, double dz) { sum.add({x, y, z}, dx * dy * dz); });
        });
      }
    });
  }
}

Sum integrate(const Shape& shape) {
  Sum sum;
  sum.X_BS = shape.X_BS;
  const double r = shape.radius, half = shape.length / 2;
  const Vec3d& s = shape.size;
  switch (shape.kind) {
    case Shape::Kind::rod:
    case Shape::Kind::cylinder:
      fill_ellipses(sum, {-half, half}, [&](double) { return std::pair{r, r}; });
      break;
    case Shape::Kind::sphere:
      fill_ellipses(sum, {-r, r}, [&](double z) {
        return std::pair{std::sqrt(r * r - z * z), std::sqrt(r * r - z * z)};
      });
      break;
    case Shape::Kind::capsule:
      fill_ellipses(sum, {-half - r, -half, half, half + r}, [&](double z) {
        const double beyond = std::max(0.0, std::abs(z) - half), across = std::sqrt(r * r - beyond * beyond);
        return std::pair{across, across};
      });
      break;
    case Shape::Kind::ellipsoid:
      fill_ellipses(sum, {-s.z, s.z}, [&](double z) {
        const double scale = std::sqrt(1 - z * z / (s.z * s.z));
        return std::pair{s.x * scale, s.y * scale};
      });
      break;
    case Shape::Kind::box:
      fill_plate(sum, {{-s.x / 2, -s.y / 2, 0}, {s.x / 2, -s.y / 2, 0}, {s.x / 2, s.y / 2, 0}, {-s.x / 2, s.y / 2, 0}},
                 s.z);
      break;
    case Shape::Kind::plate:
      fill_plate(sum, shape.outline, shape.length);
      break;
    case Shape::Kind::mesh:
      break;
  }
  return sum;
}

void expect_near(const RigidInertia<double>& actual, const RigidInertia<double>& expected, double tolerance) {
  EXPECT_NEAR(actual.mass, expected.mass, tolerance);
  EXPECT_NEAR(norm(actual.h - expected.h), 0, tolerance);
  EXPECT_NEAR(actual.I.xx, expected.I.xx, tolerance);
  EXPECT_NEAR(actual.I.yy, expected.I.yy, tolerance);
  EXPECT_NEAR(actual.I.zz, expected.I.zz, tolerance);
  EXPECT_NEAR(actual.I.xy, expected.I.xy, tolerance);
  EXPECT_NEAR(actual.I.xz, expected.I.xz, tolerance);
  EXPECT_NEAR(actual.I.yz, expected.I.yz, tolerance);
}

// Round-off of sums of a few thousand terms, relative to the largest moment.
constexpr double round_off = 2e-13;

void expect_equals_quadrature(const Shape& shape, double mass) {
  const Sum sum = integrate(shape);
  EXPECT_NEAR(volume(shape) / sum.volume, 1, round_off);
  const RigidInertia<double> expected = sum.filled_with(mass);
  const double scale = mass + norm(expected.h) + expected.I.xx + expected.I.yy + expected.I.zz;
  expect_near(inertia_of(shape, mass), expected, round_off * scale);
}

Shape random_shape(Random& random, Shape::Kind kind) {
  Shape shape;
  shape.kind = kind;
  shape.X_BS = random.pose();
  shape.size = {random.between(0.1, 2), random.between(0.1, 2), random.between(0.1, 2)};
  shape.length = random.between(0.05, 3);
  shape.radius = random.between(0.05, 1);
  return shape;
}

// Corners at growing angles around a centre, at random distances: simple, and nearly always not convex.
std::vector<Vec3d> random_star(Random& random) {
  const int corners = 3 + static_cast<int>(random.between(0, 9));
  const Vec3d centre{random.between(-2, 2), random.between(-2, 2), 0};
  std::vector<Vec3d> outline;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * pi * (i + random.between(0.1, 0.9)) / corners, distance = random.between(0.2, 1.5);
    outline.push_back(centre + Vec3d{distance * std::cos(angle), distance * std::sin(angle), 0});
  }
  return outline;
}

Shape plate_with(std::vector<Vec3d> outline, double thickness) {
  Shape shape;
  shape.kind = Shape::Kind::plate;
  shape.outline = std::move(outline);
  shape.length = thickness;
  return shape;
}

TEST(Shape, keywords_are_those_of_files) {
  EXPECT_EQ(keyword(Shape::Kind::rod), "rod");
  EXPECT_EQ(keyword(Shape::Kind::cylinder), "cylinder");
  EXPECT_EQ(keyword(Shape::Kind::box), "box");
  EXPECT_EQ(keyword(Shape::Kind::sphere), "sphere");
  EXPECT_EQ(keyword(Shape::Kind::capsule), "capsule");
  EXPECT_EQ(keyword(Shape::Kind::ellipsoid), "ellipsoid");
  EXPECT_EQ(keyword(Shape::Kind::plate), "plate");
  EXPECT_EQ(keyword(Shape::Kind::mesh), "mesh");
}

TEST(Shape, round_bar_by_hand) {
  Shape bar;
  bar.length = 2;
  bar.radius = 0.5;
  EXPECT_DOUBLE_EQ(volume(bar), pi / 2);
  // m (3 r² + l²)/12 across, m r²/2 along
  expect_near(inertia_of(bar, 3), {3, {}, {1.1875, 1.1875, 0.375, 0, 0, 0}}, 1e-15);
  bar.kind = Shape::Kind::cylinder;
  expect_near(inertia_of(bar, 3), {3, {}, {1.1875, 1.1875, 0.375, 0, 0, 0}}, 1e-15);
}

TEST(Shape, thin_bar_about_its_end_has_a_third_of_m_l_squared) {
  Shape bar;
  bar.length = 2;
  bar.X_BS = Transformd::translation({0, 0, 1});
  expect_near(inertia_of(bar, 3), {3, {0, 0, 3}, {4, 4, 0, 0, 0, 0}}, 1e-15);
}

TEST(Shape, box_by_hand) {
  Shape box;
  box.kind = Shape::Kind::box;
  box.size = {1, 2, 3};
  EXPECT_DOUBLE_EQ(volume(box), 6);
  expect_near(inertia_of(box, 12), {12, {}, {13, 10, 5, 0, 0, 0}}, 1e-14);
}

TEST(Shape, sphere_and_ellipsoid_by_hand) {
  Shape sphere;
  sphere.kind = Shape::Kind::sphere;
  sphere.radius = 2;
  EXPECT_DOUBLE_EQ(volume(sphere), 32 * pi / 3);
  expect_near(inertia_of(sphere, 5), {5, {}, {8, 8, 8, 0, 0, 0}}, 1e-14);

  Shape ellipsoid;
  ellipsoid.kind = Shape::Kind::ellipsoid;
  ellipsoid.size = {1, 2, 3};
  EXPECT_DOUBLE_EQ(volume(ellipsoid), 8 * pi);
  expect_near(inertia_of(ellipsoid, 5), {5, {}, {13, 10, 5, 0, 0, 0}}, 1e-14);
}

TEST(Shape, capsule_is_a_ball_at_no_length_and_a_thin_bar_at_no_radius) {
  Shape capsule;
  capsule.kind = Shape::Kind::capsule;
  capsule.radius = 2;
  EXPECT_DOUBLE_EQ(volume(capsule), 32 * pi / 3);
  expect_near(inertia_of(capsule, 5), {5, {}, {8, 8, 8, 0, 0, 0}}, 1e-14);
  capsule.radius = 0;
  capsule.length = 2;
  expect_near(inertia_of(capsule, 3), {3, {}, {1, 1, 0, 0, 0, 0}}, 1e-15);
}

TEST(Shape, capsule_by_hand) {
  // r = 3, l = 4: bar and ball have the same volume 36 π, so half of the mass each. Per unit mass of the whole:
  //   along the axis   ½ 9/2 + ½ 2·9/5                       = 4.05
  //   across           ½ (16/12 + 9/4) + ½ (18/5 + 4 + 4.5)  = 7.841666…      (4.5 = 3 l r/8)
  Shape capsule;
  capsule.kind = Shape::Kind::capsule;
  capsule.radius = 3;
  capsule.length = 4;
  EXPECT_DOUBLE_EQ(volume(capsule), 72 * pi);
  const double across = (16. / 12 + 9. / 4 + 18. / 5 + 4 + 4.5) / 2;
  expect_near(inertia_of(capsule, 1), {1, {}, {across, across, 4.05, 0, 0, 0}}, 1e-14);
}

TEST(Shape, right_triangle_plate_by_hand) {
  // Legs 3 and 6 on the x and y axes: centre at (1, 2), ∫x² = m 9/6, ∫y² = m 36/6, ∫xy = m 18/12
  const Shape plate = plate_with({{0, 0, 0}, {3, 0, 0}, {0, 6, 0}}, 0);
  expect_near(inertia_of(plate, 2), {2, {2, 4, 0}, {12, 3, 15, -3, 0, 0}}, 1e-14);
}

TEST(Shape, rectangular_plate_is_a_box) {
  const Shape plate = plate_with({{-1, -2, 0}, {1, -2, 0}, {1, 2, 0}, {-1, 2, 0}}, 0.5);
  Shape box;
  box.kind = Shape::Kind::box;
  box.size = {2, 4, 0.5};
  EXPECT_DOUBLE_EQ(volume(plate), volume(box));
  expect_near(inertia_of(plate, 7), inertia_of(box, 7), 1e-14);
}

TEST(Shape, all_kinds_equal_quadrature_at_random_sizes_and_poses) {
  Random random(1);
  for (const Shape::Kind kind : {Shape::Kind::rod, Shape::Kind::cylinder, Shape::Kind::box, Shape::Kind::sphere,
                                 Shape::Kind::capsule, Shape::Kind::ellipsoid, Shape::Kind::plate}) {
    for (int i = 0; i < 25; ++i) {
      SCOPED_TRACE(std::string(keyword(kind)) + " " + std::to_string(i));
      Shape shape = random_shape(random, kind);
      shape.outline = random_star(random);
      expect_equals_quadrature(shape, random.between(0.1, 10));
    }
  }
}

TEST(Shape, plates_with_notches_equal_quadrature) {
  // A U, whose centre lies outside of it, and a spiral: no point inside sees all corners.
  const std::vector<Vec3d> u{{0, 0, 0}, {4, 0, 0}, {4, 5, 0}, {3, 5, 0}, {3, 1, 0}, {1, 1, 0}, {1, 5, 0}, {0, 5, 0}};
  const std::vector<Vec3d> spiral{{0, 0, 0}, {6, 0, 0}, {6, 5, 0}, {1, 5, 0}, {1, 2, 0}, {4, 2, 0},
                                  {4, 3, 0}, {2, 3, 0}, {2, 4, 0}, {5, 4, 0}, {5, 1, 0}, {0, 1, 0}};
  Random random(2);
  for (const auto& outline : {u, spiral}) {
    Shape shape = plate_with(outline, 0.3);
    shape.X_BS = random.pose();
    expect_equals_quadrature(shape, 2.5);
  }
  EXPECT_DOUBLE_EQ(volume(plate_with(u, 1)), 12);
}

TEST(Shape, either_way_round_and_any_first_corner_give_the_same_plate) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    Shape shape = plate_with(random_star(random), random.between(0.01, 1));
    shape.X_BS = random.pose();
    const RigidInertia<double> expected = inertia_of(shape, 2);
    const double expected_volume = volume(shape);
    EXPECT_GT(expected_volume, 0);

    std::rotate(shape.outline.begin(), shape.outline.begin() + 1, shape.outline.end());
    expect_near(inertia_of(shape, 2), expected, 1e-12);
    std::reverse(shape.outline.begin(), shape.outline.end());
    expect_near(inertia_of(shape, 2), expected, 1e-12);
    EXPECT_NEAR(volume(shape), expected_volume, 1e-13);
  }
}

}  // namespace
}  // namespace trammel

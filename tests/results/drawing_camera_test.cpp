// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Cameras see as a pinhole does, or in parallel; and what is seen of solids is what their surfaces show.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "results/drawing_marks.hpp"
#include "results/drawing_views.hpp"
#include "support/random.hpp"

namespace trammel::results {
namespace {

using test::Random;

Camera random_perspective(Random& random) {
  const Vec3d eye = random.direction() * random.uniform(6, 20);
  return {view_axes(eye, random.direction()), eye, norm(eye)};
}
Camera random_parallel(Random& random) { return {random.rotation(), random.vector(), 0}; }

Point2 flat(const Camera& camera, const Vec3d& p) {
  const Projected q = camera.project(p);
  return {q.x, q.y};
}

// The formula of a pinhole, written with similar triangles: the point where the line from the eye to p pierces the picture's plane.
RC_GTEST_PROP(Perspective, is_where_lines_of_sight_pierce_the_picture, (std::uint64_t seed)) {
  Random random(seed);
  const Camera camera = random_perspective(random);
  const Vec3d p = random.vector(), eye = camera.origin, n = camera.R.ez;
  const Vec3d middle = eye - n * camera.distance;  // of the picture
  const double share = dot(middle - eye, n) / dot(p - eye, n);
  const Vec3d pierced = eye + (p - eye) * share - middle;
  const Projected seen = camera.project(p);
  RC_ASSERT(std::abs(seen.x - dot(pierced, camera.R.ex)) < 1e-12 * norm(eye));
  RC_ASSERT(std::abs(seen.y - dot(pierced, camera.R.ey)) < 1e-12 * norm(eye));
  RC_ASSERT(std::abs(dot(pierced, n)) < 1e-12 * norm(eye));
  RC_ASSERT(std::abs(seen.depth + dot(p - eye, n)) < 1e-12 * norm(eye));
}

TEST(Perspective, halves_what_is_twice_as_far) {
  const Camera camera{Mat3d::identity(), {0, 0, 10}, 10};  // at z = 10, looking down
  EXPECT_DOUBLE_EQ(camera.project({3, 4, 0}).x, 3);        // in the picture's plane: as it is
  EXPECT_DOUBLE_EQ(camera.project({3, 4, -10}).x, 1.5);
  EXPECT_DOUBLE_EQ(camera.project({3, 4, -10}).y, 2);
  EXPECT_DOUBLE_EQ(camera.project({3, 4, 5}).y, 8);
  EXPECT_DOUBLE_EQ(camera.project({3, 4, 5}).depth, 5);
}

RC_GTEST_PROP(Perspective, of_a_line_is_a_line_and_keeps_cross_ratios, (std::uint64_t seed)) {
  Random random(seed);
  const Camera camera = random_perspective(random);
  const Vec3d a = random.vector(), d = random.direction();
  std::vector<Point2> seen;
  for (const double t : {-1.0, -0.3, 0.4, 1.2}) seen.push_back(flat(camera, a + d * t));
  const double size = length_of(seen[3] - seen[0]);
  RC_PRE(size > 1e-3);
  for (const Point2& p : seen) RC_ASSERT(std::abs(cross(seen[3] - seen[0], p - seen[0])) < 1e-11 * size);
  const auto along = [&](int i) {
    const Point2 e = (seen[3] - seen[0]) * (1 / size), r = seen[static_cast<std::size_t>(i)] - seen[0];
    return e.x * r.x + e.y * r.y;
  };
  const double ratio = (along(2) - along(0)) * (along(3) - along(1)) / ((along(2) - along(1)) * (along(3) - along(0)));
  const double true_ratio = (0.4 + 1.0) * (1.2 + 0.3) / ((0.4 + 0.3) * (1.2 + 1.0));
  RC_ASSERT(std::abs(ratio - true_ratio) < 1e-8);
}

RC_GTEST_PROP(Perspective, from_far_away_is_parallel, (std::uint64_t seed)) {
  Random random(seed);
  const Mat3d R = random.rotation();
  const Camera far{R, R.ez * 1e7, 1e7}, parallel{R, {}, 0};
  const Vec3d p = random.vector();
  RC_ASSERT(length_of(flat(far, p) - flat(parallel, p)) < 1e-5);
}

RC_GTEST_PROP(PlanViews, agree_with_each_other, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3d p = random.vector();
  const auto view = [](DrawingView which) { return camera_of(which, Mechanism{}, {}, {}, {}); };
  const Point2 xy = flat(view(DrawingView::xy), p), xz = flat(view(DrawingView::xz), p),
               yz = flat(view(DrawingView::yz), p);
  RC_ASSERT(xy.x == p.x && xy.y == p.y);
  RC_ASSERT(xz.x == xy.x);
  RC_ASSERT(xz.y == p.z);
  RC_ASSERT(yz.x == xy.y);
  RC_ASSERT(yz.y == xz.y);
}

TEST(PlanViews, look_from_above_from_the_front_and_from_the_right) {
  const auto towards_viewer = [](DrawingView which) { return camera_of(which, Mechanism{}, {}, {}, {}).R.ez; };
  EXPECT_EQ(towards_viewer(DrawingView::xy), (Vec3d{0, 0, 1}));
  EXPECT_EQ(towards_viewer(DrawingView::xz), (Vec3d{0, -1, 0}));
  EXPECT_EQ(towards_viewer(DrawingView::yz), (Vec3d{1, 0, 0}));
  for (const DrawingView which : {DrawingView::xy, DrawingView::xz, DrawingView::yz}) {
    const Mat3d R = camera_of(which, Mechanism{}, {}, {}, {}).R;
    EXPECT_EQ(cross(R.ex, R.ey), R.ez);  // no mirror
  }
}

// --- contours ---------------------------------------------------------------------------------------------------------

Ball random_ball(Random& random) {
  const Mat3d R = random.rotation();
  return {random.vector(0.3),
          {R.ex * random.uniform(0.1, 0.8), R.ey * random.uniform(0.1, 0.8), R.ez * random.uniform(0.1, 0.8)}};
}

RC_GTEST_PROP(Contour, is_where_lines_of_sight_touch_the_ball, (std::uint64_t seed)) {
  Random random(seed);
  const bool parallel = random.chance(0.5);
  const Camera camera = parallel ? random_parallel(random) : random_perspective(random);
  const Ball ball = random_ball(random);
  for (const Vec3d& p : contour_of(ball, camera)) {
    const Vec3d r = p - ball.centre;
    Vec3d gradient;  // of Σ (a·r)²/|a|⁴, which is 1 on the surface
    double value = 0;
    for (const Vec3d& a : {ball.axes.ex, ball.axes.ey, ball.axes.ez}) {
      const double k = 1 / dot(a, a);
      value += dot(a, r) * dot(a, r) * k * k;
      gradient += a * (2 * dot(a, r) * k * k);
    }
    RC_ASSERT(std::abs(value - 1) < 1e-9);
    RC_ASSERT(std::abs(dot(gradient, camera.towards_viewer(p))) < 1e-9 * norm(gradient));
  }
}

// Second method: the surface itself, seen point by point.
RC_GTEST_PROP(Contour, surrounds_all_that_is_seen_of_the_ball, (std::uint64_t seed)) {
  Random random(seed);
  const Camera camera = random.chance(0.5) ? random_parallel(random) : random_perspective(random);
  const Ball ball = random_ball(random);
  std::vector<Point2> contour;
  for (const Vec3d& p : contour_of(ball, camera)) contour.push_back(flat(camera, p));
  const std::vector<Point2> hull = hull_of(contour);
  Extent2 of_contour, of_surface;
  for (const Point2& p : hull) of_contour.take(p);
  double most_outside = -1;
  for (int k = 0; k < 4000; ++k) {
    const Point2 p = flat(camera, ball.centre + ball.axes * random.direction());
    of_surface.take(p);
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Point2 d = hull[(i + 1) % hull.size()] - hull[i];
      most_outside = std::max(most_outside, -cross(d, p - hull[i]) / length_of(d));
    }
  }
  const double size = std::max(of_contour.width(), of_contour.height());
  RC_ASSERT(most_outside < 0.002 * size);  // the sagitta of a polygon of 72 corners is 0.001 of its radius
  RC_ASSERT(of_surface.width() > 0.97 * of_contour.width());
  RC_ASSERT(of_surface.height() > 0.97 * of_contour.height());
}

// --- solids -----------------------------------------------------------------------------------------------------------

Mark outline_of(const Solid& solid, const Camera& camera, Scene& scene) {
  scene = {};
  scene.unit = 0.01;
  Thing thing;
  thing.parts.emplace_back(DrawnSolid{solid});
  scene.things.push_back(thing);
  return see(scene, camera).front().marks.front();
}

TEST(DrawnSolid, cylinder_is_a_circle_along_its_axis_and_a_rectangle_from_the_side) {
  const Solid solid = cylinder({Mat3d::identity(), {1, 2, 3}}, 4, 0.5);
  Scene scene;
  const Mark top = outline_of(solid, {Mat3d::identity(), {}, 0}, scene);
  EXPECT_TRUE(top.outline.is_circle());
  EXPECT_EQ(top.outline.radius, 0.5);
  EXPECT_EQ(top.outline.corners.front().p, (Point2{1, 2}));
  const Mark side = outline_of(solid, camera_of(DrawingView::xz, Mechanism{}, {}, {}, {}), scene);
  Extent2 extent;
  extent.take(side.outline);
  EXPECT_EQ(side.outline.corners.size(), 4u);
  EXPECT_NEAR(extent.width(), 1, 1e-12);
  EXPECT_NEAR(extent.height(), 4, 1e-12);
}

RC_GTEST_PROP(DrawnSolid, box_has_six_corners_or_four_and_its_true_shadow, (std::uint64_t seed)) {
  Random random(seed);
  const Transformd X{random.rotation(), random.vector()};
  const Vec3d edges{random.uniform(0.2, 2), random.uniform(0.2, 2), random.uniform(0.2, 2)};
  const Camera camera = random_parallel(random);
  Scene scene;
  const Mark mark = outline_of(box(X, edges), camera, scene);
  RC_ASSERT(mark.outline.corners.size() == 6u);
  std::vector<Point2> corners;
  for (const Corner& corner : mark.outline.corners) corners.push_back(corner.p);
  // A convex body's shadow: half the sum over its faces of area times |cosine|.
  const Vec3d v = camera.R.ez;
  const double shadow = edges.y * edges.z * std::abs(dot(X.R.ex, v)) + edges.x * edges.z * std::abs(dot(X.R.ey, v)) +
                        edges.x * edges.y * std::abs(dot(X.R.ez, v));
  RC_ASSERT(std::abs(area_of(corners) - shadow) < 1e-12);
}

TEST(DrawnSolid, plate_that_is_not_convex_keeps_its_notch) {
  Shape shape;
  shape.kind = Shape::Kind::plate;
  shape.outline = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.5, 0}, {0, 2, 0}};
  shape.length = 0.1;
  const auto solid = solid_of(shape, {}, 0);
  ASSERT_TRUE(solid);
  EXPECT_FALSE(solid->convex);
  Scene scene;
  const Mark mark = outline_of(*solid, {Mat3d::identity(), {}, 0}, scene);
  std::vector<Point2> corners;
  for (const Corner& corner : mark.outline.corners) corners.push_back(corner.p);
  EXPECT_EQ(corners.size(), 5u);
  EXPECT_NEAR(std::abs(area_of(corners)), 4 - 1.5, 1e-12);
}

TEST(NearestPoint, is_on_the_core_of_the_shape) {
  Shape rod;
  rod.kind = Shape::Kind::rod;
  rod.length = 4;
  rod.radius = 0.5;
  EXPECT_EQ(nearest_of(rod, {3, 0, 1}).p_B, (Vec3d{0, 0, 1}));
  EXPECT_EQ(nearest_of(rod, {3, 0, 1}).distance, 2.5);
  EXPECT_EQ(nearest_of(rod, {0, 0, 5}).distance, 2.5);
  EXPECT_EQ(nearest_of(rod, {0.2, 0, 1}).distance, 0);
  Shape plate;
  plate.kind = Shape::Kind::plate;
  plate.outline = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
  plate.length = 0.2;
  EXPECT_EQ(nearest_of(plate, {0.5, 0.5, 1}).distance, 0.9);
  EXPECT_NEAR(nearest_of(plate, {2, 2, 0}).distance, std::sqrt(2.0) - 0.1, 1e-12);
  EXPECT_NEAR(norm(nearest_of(plate, {2, 2, 0}).p_B - Vec3d{1, 1, 0}), 0, 1e-12);
  Shape block;
  block.kind = Shape::Kind::box;
  block.size = {2, 2, 2};
  EXPECT_EQ(nearest_of(block, {4, 0, 0}).distance, 3);
  EXPECT_EQ(nearest_of(block, {0.5, 0.9, -0.9}).distance, 0);
}

}  // namespace
}  // namespace trammel::results

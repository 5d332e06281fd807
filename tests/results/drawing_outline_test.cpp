// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Outlines in the plane of a picture: hulls hold their points and no more, arcs are what their bulge says.

#include "results/drawing_outline.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random.hpp"

namespace trammel::results {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Point2> random_points(std::uint64_t seed, int count) {
  test::Random random(seed);
  std::vector<Point2> points;
  for (int k = 0; k < count; ++k) points.push_back({random.normal(), random.normal()});
  return points;
}

// How far a point is outside a convex polygon that runs counterclockwise; negative inside.
double outside(const std::vector<Point2>& hull, const Point2& p) {
  double most = -1e300;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point2 d = hull[(i + 1) % hull.size()] - hull[i];
    most = std::max(most, -cross(d, p - hull[i]) / length_of(d));
  }
  return most;
}

RC_GTEST_PROP(Hull, holds_all_points_and_has_corners_only_at_them, (std::uint64_t seed)) {
  const int count = *rc::gen::inRange(3, 60);
  const std::vector<Point2> points = random_points(seed, count);
  const std::vector<Point2> hull = hull_of(points);
  RC_ASSERT(hull.size() >= 3u);
  RC_ASSERT(area_of(hull) > 0);
  for (const Point2& p : points) RC_ASSERT(outside(hull, p) < 1e-12);
  for (const Point2& corner : hull) RC_ASSERT(std::count(points.begin(), points.end(), corner) == 1);
  for (std::size_t i = 0; i < hull.size(); ++i) {  // each corner is needed: it turns left
    const Point2 &a = hull[i], &b = hull[(i + 1) % hull.size()], &c = hull[(i + 2) % hull.size()];
    RC_ASSERT(cross(b - a, c - b) > 0);
  }
}

TEST(Hull, of_points_on_a_line_is_its_ends) {
  EXPECT_EQ(hull_of({{0, 0}, {1, 2}, {3, 6}, {2, 4}}), (std::vector<Point2>{{0, 0}, {3, 6}}));
  EXPECT_EQ(hull_of({{1, 1}, {1, 1}}), (std::vector<Point2>{{1, 1}}));
  EXPECT_TRUE(hull_of({}).empty());
}

// Second method: a rounded hull is the hull of circles.
RC_GTEST_PROP(RoundedHull, is_the_hull_of_circles_about_its_points, (std::uint64_t seed)) {
  const int count = *rc::gen::inRange(1, 8);
  const std::vector<Point2> centres = random_points(seed, count);
  const double radius = test::Random(seed + 1).uniform(0.05, 0.5);
  const Outline outline = rounded_hull(centres, radius);
  std::vector<Point2> on_circles;
  for (const Point2& c : centres) {
    for (int k = 0; k < 720; ++k)
      on_circles.push_back(c + Point2{std::cos(k * pi / 360), std::sin(k * pi / 360)} * radius);
  }
  const std::vector<Point2> hull = hull_of(on_circles);
  const double sagitta = radius * (1 - std::cos(pi / 720));
  for (const Point2& p : samples_of(outline, 0.01)) {
    RC_ASSERT(outside(hull, p) > -1e-9);           // on its edge …
    RC_ASSERT(outside(hull, p) < sagitta + 1e-9);  // … or as far out as the circles' polygons miss
  }
  Extent2 ours, theirs;
  ours.take(outline);
  for (const Point2& p : hull) theirs.take(p);
  RC_ASSERT(std::abs(ours.width() - theirs.width()) < 1e-4);
  RC_ASSERT(std::abs(ours.height() - theirs.height()) < 1e-4);
}

TEST(RoundedHull, of_a_bar_is_two_lines_and_two_half_circles) {
  const Outline bar = rounded_hull({{0, 0}, {10, 0}}, 2);
  ASSERT_EQ(bar.corners.size(), 4u);
  EXPECT_TRUE(bar.closed);
  double straight = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point2 d = bar.corners[(i + 1) % 4].p - bar.corners[i].p;
    if (bar.corners[i].bulge == 0) {
      EXPECT_NEAR(length_of(d), 10, 1e-12);
      straight += 1;
    } else {
      EXPECT_NEAR(bar.corners[i].bulge, 1, 1e-12);  // tan(180°/4)
      EXPECT_NEAR(length_of(d), 4, 1e-12);
    }
  }
  EXPECT_EQ(straight, 2);
  Extent2 extent;
  extent.take(bar);
  EXPECT_NEAR(extent.left, -2, 1e-12);
  EXPECT_NEAR(extent.right, 12, 1e-12);
  EXPECT_NEAR(extent.bottom, -2, 1e-12);
  EXPECT_NEAR(extent.top, 2, 1e-12);
}

TEST(RoundedHull, of_one_place_is_a_circle) {
  const Outline circle = rounded_hull({{3, 4}, {3, 4}}, 2);
  EXPECT_TRUE(circle.is_circle());
  EXPECT_EQ(circle.radius, 2);
}

RC_GTEST_PROP(Arc, has_its_angle_from_its_bulge, (std::uint64_t seed)) {
  test::Random random(seed);
  const Point2 centre{random.normal(), random.normal()};
  const double radius = random.uniform(0.1, 3), start = random.uniform(-pi, pi), angle = random.uniform(-6, 6);
  RC_PRE(std::abs(angle) > 0.01);
  const auto at = [&](double a) { return centre + Point2{std::cos(a), std::sin(a)} * radius; };
  Outline outline;
  outline.corners = {{at(start), std::tan(angle / 4)}, {at(start + angle)}};
  const Arc arc = arc_between(outline.corners[0].p, outline.corners[1].p, outline.corners[0].bulge);
  RC_ASSERT(length_of(arc.centre - centre) < 1e-9 * radius / std::abs(angle));
  RC_ASSERT(std::abs(arc.radius - radius) < 1e-9 * radius / std::abs(angle));
  double length = 0;
  const std::vector<Point2> samples = samples_of(outline, radius / 500);
  for (std::size_t i = 1; i < samples.size(); ++i) length += length_of(samples[i] - samples[i - 1]);
  RC_ASSERT(std::abs(length - radius * std::abs(angle)) < 1e-4 * radius);
  Extent2 extent, of_samples;
  extent.take(outline);
  for (const Point2& p : samples) of_samples.take(p);
  RC_ASSERT(std::abs(extent.left - of_samples.left) < 1e-4 * radius);
  RC_ASSERT(std::abs(extent.right - of_samples.right) < 1e-4 * radius);
  RC_ASSERT(std::abs(extent.bottom - of_samples.bottom) < 1e-4 * radius);
  RC_ASSERT(std::abs(extent.top - of_samples.top) < 1e-4 * radius);
}

}  // namespace
}  // namespace trammel::results

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Distances from points to curves.

#include "study/path_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace trammel::study {
namespace {

SampledCurve ellipse(double a, double b, int n, double from = 0, double to = 2 * M_PI) {
  SampledCurve curve;
  for (int k = 0; k <= n; ++k) {
    const double s = from + (to - from) * k / n;
    curve.s.push_back(s);
    curve.p.push_back({a * std::cos(s), b * std::sin(s), 0});
  }
  return curve;
}

// From p to a circle: ||p| − r|, along p.
TEST(PathFit, finds_the_distance_to_a_circle) {
  const SampledCurve circle = ellipse(2, 2, 72);
  const std::vector<Vec3d> points{{3, 0, 0}, {0, 1, 0}, {-1.3, 0.4, 0}, {1.2, -2.5, 0.7}};
  const std::vector<Vec3d> offsets = offsets_to_nearest(circle, points);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double radius = std::hypot(points[k].x, points[k].y);
    EXPECT_NEAR(norm(offsets[k]), std::hypot(radius - 2, points[k].z), 1e-6) << k;
  }
}

// The curve between samples is of fourth order: twice the samples, a sixteenth of the error.
TEST(PathFit, is_of_fourth_order_in_the_step) {
  const auto error = [](int n) {
    double worst = 0;
    const SampledCurve curve = ellipse(3, 1, n);
    for (double s = 0.01; s < 6.2; s += 0.0731) {
      const std::vector<Vec3d> point{{3 * std::cos(s), std::sin(s), 0}};
      worst = std::max(worst, norm(offsets_to_nearest(curve, point)[0]));
    }
    return worst;
  };
  const double coarse = error(36), fine = error(72);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.5);
}

RC_GTEST_PROP(PathFit, is_nearest_and_at_a_right_angle, ()) {
  const auto number = [](int range) { return *rc::gen::inRange(-range, range + 1) / 100.0; };
  const SampledCurve curve = ellipse(2, 1, 90);
  const std::vector<Vec3d> point{{number(400), number(300), 0}};
  const Vec3d offset = offsets_to_nearest(curve, point)[0];
  double least = 1e9;
  for (int k = 0; k < 5000; ++k) {
    const double s = 2 * M_PI * k / 5000;
    least = std::min(least, std::hypot(2 * std::cos(s) - point[0].x, std::sin(s) - point[0].y));
  }
  RC_ASSERT(norm(offset) <= least + 1e-6);
  const Vec3d place = point[0] + offset;  // on the ellipse, where its normal (x/4, y) points to the point
  RC_ASSERT(std::abs(place.x * place.x / 4 + place.y * place.y - 1) < 1e-5);
  RC_ASSERT(std::abs(place.x / 4 * offset.y - place.y * offset.x) < 1e-4 * (1 + norm(offset)));
}

// A closed curve has no beginning.
TEST(PathFit, does_not_depend_on_where_a_closed_curve_begins) {
  const double step = 2 * M_PI / 24;
  const SampledCurve here = ellipse(3, 1, 24), there = ellipse(3, 1, 24, 7 * step, 7 * step + 2 * M_PI);
  for (double s = -0.3; s < 3; s += 0.07) {
    const std::vector<Vec3d> point{{3.2 * std::cos(s), 1.1 * std::sin(s), 0}};
    EXPECT_LT(norm(offsets_to_nearest(here, point)[0] - offsets_to_nearest(there, point)[0]), 1e-12) << s;
  }
}

TEST(PathFit, leaves_gaps_open) {
  SampledCurve line;
  for (int k = 0; k <= 10; ++k) line.s.push_back(k), line.p.push_back({static_cast<double>(k), 0, 0});
  line.p[5].x = std::nan("");
  const std::vector<Vec3d> point{{5, 1, 0}};
  EXPECT_NEAR(norm(offsets_to_nearest(line, point)[0]), std::sqrt(2.0), 1e-12);
  line.p.assign(11, {std::nan(""), 0, 0});
  EXPECT_TRUE(offsets_to_nearest(line, point).empty());
  EXPECT_TRUE(std::isinf(root_mean_square(offsets_to_nearest(line, point))));
}

TEST(PathFit, in_order_takes_point_by_point) {
  const SampledCurve curve{{0, 1}, {{1, 0, 0}, {2, 0, 0}}};
  const std::vector<Vec3d> points{{1, 3, 0}, {2, 4, 0}};
  EXPECT_NEAR(root_mean_square(offsets_in_order(curve, points)), std::sqrt((9.0 + 16) / 2), 1e-15);
  EXPECT_TRUE(offsets_in_order(curve, std::vector<Vec3d>{{0, 0, 0}}).empty());
}

}  // namespace
}  // namespace trammel::study

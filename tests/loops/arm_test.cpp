// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Arms over random instances: the position they were made from is found, and every position found is one. All orders of turns and slides,
// with axes that are askew, parallel, square, in line or meeting.

#include "loops/closed_form/arm.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/random.hpp"

namespace trammel::closed_form {
namespace {

using test::Random;

Vec3d any_point(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
  return {x, y, z};
}
Vec3d unit(const Vec3d& v) { return v * (1 / norm(v)); }

enum class Lie { askew, parallel, square, in_line, meeting };
constexpr Lie lies[] = {Lie::askew, Lie::parallel, Lie::square, Lie::in_line, Lie::meeting};
const char* word(Lie lie) {
  constexpr const char* words[] = {"askew", "parallel", "square", "in line", "meeting"};
  return words[static_cast<int>(lie)];
}

ArmAxis beside(const ArmAxis& before, Lie lie, bool slides, Random& random) {
  const Vec3d O = any_point(random), w = unit(any_point(random));
  switch (lie) {
    case Lie::askew:
      return {slides, O, w};
    case Lie::parallel:
      return {slides, O, before.w};
    case Lie::square:
      return {slides, O, unit(cross(before.w, w))};
    case Lie::in_line:
      return {slides, before.O, before.w};
    case Lie::meeting:
      return {slides, before.O, w};
  }
  return {};
}

template <std::size_t count>
Transformd pose_at(const std::array<ArmAxis, count>& arm, const std::array<double, count>& q) {
  Transformd X;
  for (std::size_t i = 0; i < count; ++i) X = X * motion_of(arm[i], q[i]);
  return X;
}

template <std::size_t count>
double apart(const std::array<ArmAxis, count>& arm, const std::array<double, count>& one,
             const std::array<double, count>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double by = one[i] - other[i];
    largest = std::max(largest, arm[i].slides ? std::abs(by) : 2 * std::abs(std::sin(by / 2)));
  }
  return largest;
}

// |det| of how the point moves with the three coordinates.
double conditioning(const std::array<ArmAxis, 3>& arm, const std::array<double, 3>& q, const Vec3d& x) {
  std::array<Vec3d, 3> rate;
  Transformd X;
  const Vec3d end = pose_at(arm, q) * x;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3d w = X.R * arm[i].w;
    rate[i] = arm[i].slides ? w : cross(w, end - X * arm[i].O);
    X = X * motion_of(arm[i], q[i]);
  }
  return std::abs(dot(rate[0], cross(rate[1], rate[2])));
}

class ArmThatReachesAPoint : public testing::TestWithParam<const char*> {};
TEST_P(ArmThatReachesAPoint, finds_what_it_was_made_from_and_nothing_false) {
  const std::string kinds = GetParam();
  for (const Lie second : lies) {
    for (const Lie third : lies) {
      SCOPED_TRACE(fmt::format("second {}, third {}", word(second), word(third)));
      Random random(7);
      int regular = 0, most = 0;
      for (int k = 0; k < 200; ++k) {
        std::array<ArmAxis, 3> arm;
        arm[0] = beside({}, Lie::askew, kinds[0] == 'P', random);
        arm[1] = beside(arm[0], second, kinds[1] == 'P', random);
        arm[2] = beside(arm[1], third, kinds[2] == 'P', random);
        const Vec3d x = any_point(random);
        std::array<double, 3> made;
        for (double& q : made) q = random.uniform(-2, 2);
        const Vec3d A = pose_at(arm, made) * x;
        if (conditioning(arm, made, x) < 1e-3) continue;  // an arm that cannot, or a dead point
        ++regular;
        const auto found = reach_point(arm, x, A, 1.3);
        most = std::max(most, found.count);
        double nearest = 1e9;
        for (int i = 0; i < found.count; ++i) {
          const std::array<double, 3>& q = found.q[static_cast<std::size_t>(i)];
          EXPECT_LT(norm(pose_at(arm, q) * x - A) * std::min(1.0, conditioning(arm, q, x)), 1e-8) << kinds << k;
          nearest = std::min(nearest, apart(arm, q, made));
        }
        EXPECT_LT(nearest, 1e-6) << kinds << k << " of " << found.count;
      }
      if (second == Lie::askew && third == Lie::askew) {
        EXPECT_GT(regular, 150);
        EXPECT_EQ(most, kinds == "PPP" ? 1 : kinds == "PPR" || kinds == "PRP" || kinds == "RPP" ? 2 : 4);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Arms, ArmThatReachesAPoint,
                         testing::Values("RRR", "RRP", "RPR", "RPP", "PRR", "PRP", "PPR", "PPP"),
                         [](const auto& with) { return std::string(with.param); });

TEST(ArmThatReachesAPose, finds_what_it_was_made_from_and_nothing_false_in_all_orders) {
  std::string order = "PPPRRR";
  int orders = 0;
  do {
    ++orders;
    Random random(static_cast<std::uint64_t>(orders));
    for (int k = 0; k < 100; ++k) {
      std::array<ArmAxis, 6> arm;
      std::array<double, 6> made;
      for (std::size_t i = 0; i < 6; ++i) {
        arm[i] = beside({}, Lie::askew, order[i] == 'P', random);
        made[i] = random.uniform(-2, 2);
      }
      const Transformd G = pose_at(arm, made);
      const auto found = reach_pose(arm, G);
      double nearest = 1e9;
      for (int i = 0; i < found.count; ++i) {
        const std::array<double, 6>& q = found.q[static_cast<std::size_t>(i)];
        const Transformd X = pose_at(arm, q);
        double size = 1;
        for (const double each : q) size = std::max(size, std::abs(each));
        EXPECT_LT(norm(X.p - G.p) + norm(X.R.ex - G.R.ex) + norm(X.R.ey - G.R.ey), 1e-6 * size) << order << k;
        nearest = std::min(nearest, apart(arm, q, made));
      }
      EXPECT_LT(nearest, 1e-5) << order << k;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 20);
}

TEST(ArmThatReachesAPose, needs_three_turns) {
  std::array<ArmAxis, 6> arm;
  for (ArmAxis& axis : arm) axis = {true, {}, {0, 0, 1}};
  EXPECT_EQ(reach_pose(arm, {}).count, 0);
}

// An elbow arm as robots have it: shoulder on a vertical axis, two parallel axes; four ways to a point in reach, none beyond it.
TEST(ArmThatReachesAPoint, is_a_robots_elbow) {
  const std::array<ArmAxis, 3> arm{
      {{false, {}, {0, 0, 1}}, {false, {0, 0, 1}, {0, 1, 0}}, {false, {1, 0, 1}, {0, 1, 0}}}};
  const auto found = reach_point(arm, {2, 0, 1}, {1, 0.5, 1.2}, 1);
  EXPECT_EQ(found.count, 4);
  for (int i = 0; i < found.count; ++i) {
    EXPECT_LT(norm(pose_at(arm, found.q[static_cast<std::size_t>(i)]) * Vec3d{2, 0, 1} - Vec3d{1, 0.5, 1.2}), 1e-12);
  }
  EXPECT_EQ(reach_point(arm, {2, 0, 1}, {2.1, 0, 1}, 1).count, 0);
}

}  // namespace
}  // namespace trammel::closed_form

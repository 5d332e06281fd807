// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Dead points of Chace's cases: where two solutions meet they are given once and marked; on one side of it there are both, on the other none.
// Following a branch: by its mode, or by what is nearest.

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "chace_instances.hpp"

namespace trammel {
namespace {

using chace::Solution;
using chace::Status;
using test::Answer;
using test::Instance;
using test::Random;

constexpr int with_pairs[] = {2, 3, 4, 5, 7, 8, 9};  // cases 1 and 6 have one solution, which meets none
constexpr bool is_quadratic(int number) { return number == 2 || number == 4 || number == 5 || number == 7; }

int count_near(const Instance& instance, const Answer& answer, double distance) {
  return static_cast<int>(std::count_if(answer.solutions.begin(), answer.solutions.end(), [&](const Solution& s) {
    return difference(instance, s, instance.made_from) < distance;
  }));
}

TEST(ChaceDeadPoints, are_double_roots_given_once) {
  for (const int number : with_pairs) {
    Random random(static_cast<std::uint64_t>(number));
    for (int i = 0; i < 500; ++i) {
      const Instance instance = test::random_dead_point(number, random);
      const Answer answer = solve(instance);
      ASSERT_EQ(answer.status, Status::solved) << text_of(instance);
      ASSERT_EQ(count_near(instance, answer, 1e-5), 1) << text_of(instance);
      for (const Solution& s : answer.solutions) {
        EXPECT_EQ(s.double_root, difference(instance, s, instance.made_from) < 1e-5) << text_of(instance);
        EXPECT_LT(error_of(instance, s), 2e-12) << text_of(instance);
      }
      EXPECT_EQ(answer.margin, 0) << text_of(instance);
    }
  }
}

// Beside a dead point, by ε: two solutions that are √ε apart, or none of the two.
TEST(ChaceDeadPoints, have_both_solutions_on_one_side_and_none_on_the_other) {
  for (const int number : with_pairs) {
    int cusps = 0;
    for (const double by : {1e-8, 1e-10}) {
      Random random(static_cast<std::uint64_t>(number));
      for (int i = 0; i < 500; ++i) {
        const Instance instance = test::random_dead_point(number, random);
        const Instance one = beside_dead_point(instance, by), other = beside_dead_point(instance, -by);
        const Answer here = solve(one), there = solve(other);
        const bool more_here = here.solutions.size() > there.solutions.size();
        const Answer &more = more_here ? here : there, &less = more_here ? there : here;
        const bool cusp = more.solutions.size() == less.solutions.size();  // three solutions meet nearby: one stays
        if (cusp) {
          EXPECT_GE(count_near(instance, solve(instance), 0.1), 2) << by << "\n" << text_of(instance);
        } else {
          EXPECT_EQ(more.solutions.size(), less.solutions.size() + 2) << by << "\n" << text_of(instance);
          EXPECT_GE(count_near(instance, more, 1000 * std::sqrt(by)), 2) << by << "\n" << text_of(instance);
        }
        cusps += cusp ? 1 : 0;
        for (const Solution& s : here.solutions) EXPECT_TRUE(!s.double_root && error_of(one, s) < 2e-12);
        for (const Solution& s : there.solutions) EXPECT_TRUE(!s.double_root && error_of(other, s) < 2e-12);
        if (is_quadratic(number)) {
          EXPECT_LT(here.margin * there.margin, 0) << text_of(instance);
        }
      }
    }
    EXPECT_LT(cusps, 10) << number;  // of 1000
  }
}

// |margin| runs like the distance from the dead point, that is like the square of the distance between the two solutions.
TEST(ChaceDeadPoints, are_announced_by_the_margin) {
  for (const int number : with_pairs) {
    Random random(static_cast<std::uint64_t>(number));
    int proportional = 0;
    for (int i = 0; i < 100; ++i) {
      const Instance instance = test::random_dead_point(number, random);
      const double far = std::abs(solve(beside_dead_point(instance, 1e-5)).margin),
                   near = std::abs(solve(beside_dead_point(instance, 1e-6)).margin);
      proportional += std::abs(far / near - 10) < 0.5 ? 1 : 0;
    }
    EXPECT_GT(proportional, 90) << number;  // the rest is closer to another dead point, or has a sharp one
  }
}

TEST(ChaceDeadPoints, planar_four_bar_folded_flat) {
  // Ground 3 along x, crank 1 along x: coupler 4 and rocker 2 lie on the same line.
  const chace::Axes z = chace::axes_about({0, 0, 1}, {1, 0, 0});
  const chace::Arm rocker{chace::cone_about(z, Random::pi / 2), 2};
  const auto dead = chace::case5(4, rocker, {2, 0, 0});  // from the crank's tip to the rocker's pivot
  ASSERT_EQ(dead.count, 1);
  EXPECT_TRUE(dead[0].double_root);
  EXPECT_EQ(dead.margin, 0);
  EXPECT_NEAR(azimuth(z, dead[0].s), 0, 1e-15);
  EXPECT_EQ(find_mode(dead, 0), 0);
  EXPECT_EQ(find_mode(dead, 1), 0);

  const auto beyond = chace::case5(4, rocker, {1.9, 0, 0});
  EXPECT_EQ(beyond.status, Status::none);
  EXPECT_LT(beyond.margin, 0);
  EXPECT_EQ(find_mode(beyond, 0), -1);

  const auto before = chace::case5(4, rocker, {2.1, 0, 0});
  ASSERT_EQ(before.count, 2);
  EXPECT_GT(before.margin, 0);
  EXPECT_GT(azimuth(z, before[find_mode(before, 0)].s), 0);  // s·(w × C) > 0
  EXPECT_LT(azimuth(z, before[find_mode(before, 1)].s), 0);
}

// --- following a branch -----------------------------------------------------------------------------------------------

// C moves along a line in small steps until the branch ends: the nearest solution never jumps.
TEST(ChaceBranches, are_followed_by_the_nearest_solution) {
  for (const int number : {3, 8, 9}) {
    Random random(static_cast<std::uint64_t>(number));
    int followed = 0;
    for (int i = 0; i < 50; ++i) {
      Instance instance = test::random_instance(number, random);
      const Vec3d step = random.direction() * (1e-4 * instance.size);
      Solution branch = instance.made_from;
      for (int k = 0; k < 200; ++k) {
        instance.C += step;
        const Answer answer = solve(instance);
        const int nearest = chace::find_nearest(answer.solutions, branch);
        if (std::abs(determinant(instance, branch)) < 0.1) break;  // the end of the branch is near
        ASSERT_GE(nearest, 0) << text_of(instance);
        const Solution& next = answer.solutions[static_cast<std::size_t>(nearest)];
        ASSERT_LT(difference(instance, next, branch) * std::abs(determinant(instance, next)), 0.001)
            << text_of(instance);
        branch = next;
        ++followed;
      }
    }
    EXPECT_GT(followed, 2000) << number;
  }
}

// Modes of cases with two solutions are branches: the sign changes nowhere but at dead points.
TEST(ChaceBranches, of_two_solutions_are_their_modes) {
  for (const int number : {4, 5, 7}) {
    Random random(static_cast<std::uint64_t>(number));
    int followed = 0;
    for (int i = 0; i < 100; ++i) {
      Instance instance = test::random_instance(number, random);
      const Vec3d step = random.direction() * (1e-3 * instance.size);
      Answer before = solve(instance);
      if (before.margin < 1e-4) continue;  // at a dead point already
      for (int k = 0; k < 300; ++k) {
        instance.C += step;
        const Answer answer = solve(instance);
        if (answer.solutions.size() < 2 || answer.margin < 1e-4) break;
        for (const int mode : {0, 1}) {
          const std::size_t was = static_cast<std::size_t>(chace::find_mode(before.solutions, mode));
          ASSERT_EQ(chace::find_nearest(answer.solutions, before.solutions[was]),
                    chace::find_mode(answer.solutions, mode))
              << text_of(instance);
          ++followed;
        }
        before = answer;
      }
    }
    EXPECT_GT(followed, 10000) << number;
  }
}

TEST(ChaceBranches, of_nothing_are_nothing) {
  EXPECT_EQ(chace::find_nearest({}, {}), -1);
  EXPECT_EQ(chace::find_mode({}, 0), -1);
}

}  // namespace
}  // namespace trammel

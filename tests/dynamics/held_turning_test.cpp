// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The reference member whose turning three null rows hold: what is found fulfils the rows and the equation of motion, also where rows hold
// some shift too; and nothing is found where rows or inertia are not clear.

#include "dynamics/lilly_orin/held_turning.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/dense.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::Random;

struct Case {
  std::array<TurningRow<double>, 3> rows;
  ArticulatedInertia<double> inertia;
  Force<double> force;
  double length = 0.5;
  HeldTurning<double> found;

  explicit Case(Random& random, double shift) : force(random.force()) {
    for (TurningRow<double>& row : rows) {
      row.W = {random.vector(1), random.vector(shift)};
      row.y = random.uniform(-3, 3);
      row.whole = squared_size(row.W, length);
    }
    for (int k = 0; k < 3; ++k) {  // some bodies, and rods that pull
      inertia = inertia + RigidInertia<double>::at_com(1, random.vector(0.4), random.inertia_at_com(1));
      const Force<double> rod{random.vector(1), random.vector(2)};
      inertia.subtract_outer(-rod, rod);
    }
  }
  bool solve() { return solve_held_turning(rows, length, inertia, force, found); }
};

RC_GTEST_PROP(HeldTurning, fulfils_rows_and_motion, ()) {
  Random random(*rc::gen::inRange<std::uint64_t>(1, 1000000));
  Case c(random, random.chance(0.5) ? 0.5 : 0);
  RC_PRE(c.solve());
  Force<double> left = c.inertia * c.found.acceleration - c.force;
  double size = test::dense(c.force).norm();
  for (std::size_t j = 0; j < 3; ++j) {
    const TurningRow<double>& row = c.rows[j];
    RC_ASSERT(std::abs(dot(c.found.acceleration, row.W) - row.y) <
              1e-10 * (1 + test::dense(c.found.acceleration).norm()));
    left -= row.W * c.found.mu[j];
    size += test::dense(row.W).norm() * std::abs(c.found.mu[j]);
  }
  RC_ASSERT(test::dense(left).norm() < 1e-10 * size);
  RC_ASSERT(c.found.least > 0);
  RC_ASSERT(c.found.least <= 1 + 1e-12);
}

TEST(HeldTurning, is_found_of_most_rows_of_moments) {
  Random random(3);
  int found = 0;
  for (int k = 0; k < 100; ++k) found += Case(random, 0).solve() ? 1 : 0;
  EXPECT_GT(found, 80);
}

TEST(HeldTurning, is_left_to_others_where_rows_are_nearly_dependent_or_hold_shifts) {
  Random random(5);
  Case c(random, 0);
  ASSERT_TRUE(c.solve());
  Case dependent = c;
  dependent.rows[2].W = c.rows[0].W + c.rows[1].W * 0.5 + c.rows[2].W * 1e-3;
  EXPECT_FALSE(dependent.solve());
  Case shifting = c;
  shifting.rows[1].W = {c.rows[1].W.n * 1e-3, {1, 0, 0}};
  EXPECT_FALSE(shifting.solve());
  Case small_rest = c;  // what others left of a row is round-off, perhaps
  small_rest.rows[0].whole *= 1e12;
  EXPECT_FALSE(small_rest.solve());
}

TEST(HeldTurning, is_left_to_others_where_a_shift_meets_no_inertia) {
  Random random(7);
  Case c(random, 0);
  ASSERT_TRUE(c.solve());
  c.inertia.H = {};
  c.inertia.M = {1, 1, 1e-7, 0, 0, 0};
  EXPECT_FALSE(c.solve());
}

}  // namespace
}  // namespace trammel

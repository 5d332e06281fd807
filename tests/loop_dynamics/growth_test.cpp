// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How the work of elimination grows with the size of a mechanism: operations with 6×6 blocks, counted, not timed. The factorisation is
// exactly linear in n; the number of turns must not grow.

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>

#include "support/growing_loops.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

struct Family {
  const char* name;
  Model (*make)(int n);
};

struct Work {
  long factorisation = 0, forward = 0, velocity = 0, position = 0;  // 6×6 operations
};

Work work_of(const Family& family, int n) {
  const Mechanism mech = test::compiled(family.make(n));
  LoopDynamics dynamics(mech);
  Work work;
  work.factorisation = dynamics.elimination().operations;
  const auto counted = [&](const auto& action) {
    const long before = dynamics.elimination().done;
    action();
    return dynamics.elimination().done - before;
  };
  std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv)), tau(v.size()), a(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.1 * std::sin(1.0 + static_cast<double>(k));
  for (std::size_t k = 0; k < v.size(); ++k) tau[k] = 0.1 * std::cos(3.0 * static_cast<double>(k));
  work.velocity = counted([&] {
    const LoopVerdict verdict = dynamics.project_velocity(q, v, {}, LoopMethod::elimination);
    EXPECT_TRUE(verdict.ok()) << family.name << " " << n;
    EXPECT_LT(verdict.residual, 1e-12) << family.name << " " << n;
  });
  work.forward = counted([&] {
    const LoopVerdict verdict = dynamics.forward(q, v, tau, a, {}, LoopMethod::elimination);
    EXPECT_TRUE(verdict.ok()) << family.name << " " << n;
    EXPECT_LE(verdict.iterations, 5) << family.name << " " << n;
  });
  if (dynamics.star() != nullptr) {
    std::vector<double> by_star(a.size());
    EXPECT_TRUE(dynamics.forward(q, v, tau, by_star, {}, LoopMethod::star).ok()) << family.name << " " << n;
    EXPECT_LT(test::error_of(a, by_star), 1e-8) << family.name << " " << n;
  }
  std::vector<double> step(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) step[k] = 1e-6 * std::sin(2.0 + static_cast<double>(k));
  const std::vector<double> closed = q;
  step_coordinates(mech, closed, step, q);
  work.position = counted([&] {
    const ProjectionVerdict verdict = dynamics.project_position(q, 1e-12, 20, {}, LoopMethod::elimination);
    EXPECT_TRUE(verdict.closed) << family.name << " " << n << " open by " << verdict.gap_m;
    EXPECT_LE(verdict.iterations, 3) << family.name << " " << n;
  });
  return work;
}

class Growth : public testing::TestWithParam<Family> {};

TEST_P(Growth, of_accelerations_and_projections_is_linear) {
  const Work at_10 = work_of(GetParam(), 10), at_11 = work_of(GetParam(), 11);
  const long each = at_11.factorisation - at_10.factorisation;
  for (const int n : {30, 100, 300, 1000}) {
    const Work work = work_of(GetParam(), n);
    EXPECT_EQ(work.factorisation, at_10.factorisation + (n - 10) * each) << n;
    // Turns are two to four, whatever n: one or two more than at 10 would be half as much again.
    const double parts = n / 10.0, most = 1.6;
    EXPECT_LT(work.forward, most * parts * at_10.forward) << n;
    EXPECT_LT(work.velocity, most * parts * at_10.velocity) << n;
    EXPECT_LT(work.position, most * parts * at_10.position) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, Growth,
                         testing::Values(Family{"ladder", test::ladder}, Family{"ring", test::ring},
                                         Family{"chain_of_four_bars", test::chain_of_four_bars},
                                         Family{"star", test::star}),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How the work of elimination grows with the size of a mechanism: counted, not timed.

#include <gtest/gtest.h>
#include <iostream>

#include <trammel/loop_dynamics.hpp>

#include "support/growing_loops.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

struct Family {
  const char* name;
  Model (*make)(int n);
};

class Growth : public testing::TestWithParam<Family> {};

TEST_P(Growth, of_accelerations_is_linear) {
  for (const int n : {10, 11, 30, 100, 300, 1000}) {
    const Mechanism mech = test::compiled(GetParam().make(n));
    LoopDynamics dynamics(mech);
    std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv), 0.1), tau(v.size()), a(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.1 * std::sin(1.0 + static_cast<double>(k));
    long before = dynamics.elimination().done;
    const LoopVerdict projected = dynamics.project_velocity(q, v, {}, LoopMethod::elimination);
    std::cout << GetParam().name << " " << n << " links " << mech.link_count() << " projected " << static_cast<int>(projected.status) << " " << projected.iterations << " res " << projected.residual << " ops " << dynamics.elimination().done - before;
    before = dynamics.elimination().done;
    const LoopVerdict verdict = dynamics.forward(q, v, tau, a, {}, LoopMethod::elimination);
    std::cout << " forward " << static_cast<int>(verdict.status) << " " << verdict.iterations << " res " << verdict.residual << " ops " << dynamics.elimination().done - before;
    std::vector<double> off(q.size()), step(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) step[k] = 1e-6 * std::sin(2.0 + static_cast<double>(k));
    step_coordinates(mech, q, step, off);
    before = dynamics.elimination().done;
    const ProjectionVerdict p = dynamics.project_position(off, 1e-12, 20, {}, LoopMethod::elimination);
    std::cout << " position " << static_cast<int>(p.status) << " " << p.iterations << " gap " << p.gap_m << " ops " << dynamics.elimination().done - before << " length " << dynamics.characteristic_length() << std::endl;
  }
}

INSTANTIATE_TEST_SUITE_P(Loops, Growth,
                         testing::Values(Family{"ladder", test::ladder}, Family{"ring", test::ring},
                                         Family{"chain_of_four_bars", test::chain_of_four_bars},
                                         Family{"star", test::star}),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace trammel

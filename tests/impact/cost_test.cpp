// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What mobility costs, in counted operations: at most twice those of forward dynamics for an arm of seven joints on a floating base,
// and the same for every further link.

#include <gtest/gtest.h>

#include <trammel/core/counted.hpp>
#include <trammel/mobility.hpp>

#include "support/floating_arm.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

struct Costs {
  std::int64_t mobility = 0, forward = 0;
};
Costs costs(int joints) {
  const Mechanism mech = compiled(floating_arm(joints));
  BasicWorkspace<Counted> ws(mech);
  std::vector<Counted> q, v(static_cast<std::size_t>(mech.nv), Counted(0.3)), a(v), G(36);
  for (const double x : design_state(mech).q) q.emplace_back(x);
  const auto counted = [] {
    const OperationCount n = Counted::operations();
    return static_cast<std::int64_t>(n.multiplications + n.additions);
  };
  Costs out;
  Counted::reset_operations();
  compute_mobility<Counted>(mech, ws, q, mech.body_count() - 1, {}, G);
  out.mobility = counted();
  Counted::reset_operations();
  forward_dynamics<Counted>(mech, ws, q, v, v, a);
  out.forward = counted();
  return out;
}

TEST(MobilityCost, of_a_floating_arm_is_less_than_twice_its_forward_dynamics) {
  const Costs seven = costs(7);
  RecordProperty("operations of mobility", static_cast<int>(seven.mobility));
  RecordProperty("operations of forward dynamics", static_cast<int>(seven.forward));
  EXPECT_LT(seven.mobility, 2 * seven.forward);
}

TEST(MobilityCost, grows_by_the_same_with_every_link) {
  const Costs one = costs(32), two = costs(64), three = costs(96);  // a new point every 16 links
  EXPECT_EQ(three.mobility - two.mobility, two.mobility - one.mobility);
}

}  // namespace
}  // namespace trammel::test

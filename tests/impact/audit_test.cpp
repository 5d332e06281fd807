// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The books of an impact: impulses of constraints to the ground, energy that rotors and drives give, and what counts as created.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <trammel/impact.hpp>

#include "support/prepared.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;

Mechanism from_yaml(const std::string& text) {
  const ReadResult read = read_yaml(text, "test.yaml");
  EXPECT_TRUE(read.ok()) << read.diagnostics.to_string();
  return compiled(read.model);
}

ImpactResult hit(const Mechanism& mech, double along_x, double speed, double at, double restitution,
                 double friction = 0) {
  State state = design_state(mech);
  const auto first = static_cast<At>(mech.joints[static_cast<At>(mech.find_joint("ball"))].v);
  state.v[first + 3] = along_x, state.v[first + 4] = speed;
  return compute_impact(mech, state,
                        {{.first = mech.find_body("bar"),
                          .second = mech.find_body("ball"),
                          .p_W = {at, 0, 0},
                          .normal_W = {0, 1, 0},
                          .restitution = restitution,
                          .friction = friction}});
}

constexpr const char* bar_and_ball = R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  bar: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  ball: {mass: 1, com: [0.5, -1, 0], inertia: [0.1, 0.1, 0.1]}
  puck: {mass: 0.5, com: [1, 2, 0], inertia: [0.01, 0.01, 0.01]}
joints:
  bar: {planar: [ground, bar], at: [0, 0, 0], axis: z}
  ball: {free: [ground, ball]}
  puck: {planar: [ground, puck], at: [1, 2, 0], axis: z}
)";

// The bar, the ball and more sections of the file. (Not by operator+, of which g++ 12 warns in vain.)
Mechanism bar_and_ball_with(const std::string& sections) {
  std::string text = bar_and_ball;
  text += sections;
  return from_yaml(text);
}

// A rod from the ground holds one end of a bar of mass m and inertia I that is hit in its middle, at d from there. With p of the ball and r of the rod:
//   the end stays: p/m + r (1/m + d²/I) = 0;    the ball is thrown back: p (1/m + 1/m_ball) + r/m = (1 + e) v
TEST(ImpactAudit, counts_what_a_rod_from_the_ground_takes) {
  const Mechanism mech =
      bar_and_ball_with("constraints: {rod: {distance: [ground, bar], at: [[0, 2, 0], [0, 0, 0]]}}\n");
  const ImpactResult result = hit(mech, 0, 2, 0.5, 1);
  ASSERT_TRUE(result.ok());
  const double at_end = 1 + 0.25 / 0.1, p = 4 / (1 - 1 / at_end + 1), r = -p / at_end;
  EXPECT_NEAR(result.contacts[0].impulse_W.f.y, p, 1e-12);
  ASSERT_EQ(result.constraint_impulses.size(), 1u);
  EXPECT_NEAR(result.constraint_impulses[0].F_W.f.y, r, 1e-12);
  EXPECT_NEAR(result.audit.linear_external.y, r, 1e-12);
  EXPECT_NEAR(norm(result.audit.linear_external), std::abs(r), 1e-12);
  EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-12);
  EXPECT_LT(std::abs(result.audit.energy_error), 1e-12);
}

// What a bar that may neither rise nor turn is given goes to the ground.
TEST(ImpactAudit, counts_what_a_held_bar_hands_on) {
  const Mechanism mech = bar_and_ball_with("constraints: {h: {hold: bar, components: [y, rz], at: [0, 0, 0]}}\n");
  const ImpactResult result = hit(mech, 0, 2, 0.5, 1);
  ASSERT_TRUE(result.ok());
  EXPECT_NEAR(result.contacts[0].impulse_W.f.y, 4, 1e-12);
  EXPECT_NEAR(result.audit.linear_external.y, -4, 1e-12);
  EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-12);
}

// To the ground and between bodies, in either order, with friction at the contact.
TEST(ImpactAudit, closes_with_constraints_of_many_kinds) {
  for (const char* line : {"[ground, puck], at: [1, 2, 0]", "[puck, ground], at: [1, 2, 0]"}) {
    std::string sections = R"(
constraints:
  rod: {distance: [bar, ground], at: [[0, 0, 0], [0, 2, 0]]}
  link: {distance: [bar, puck], at: [[1, 0, 0], [1, 2, 0]]}
  line: {line: {through: [1, 2, 0], along: [1, 1, 0]}, point_on_line: )";
    sections += line;
    sections += "}\n";
    const Mechanism mech = bar_and_ball_with(sections);
    for (const double friction : {0.0, 0.3}) {
      const ImpactResult result = hit(mech, 0.3, 2, 0.8, 0.5, friction);
      ASSERT_TRUE(result.ok());
      EXPECT_EQ(result.constraint_impulses.size(), 3u);
      EXPECT_GT(norm(result.audit.linear_external), 0.1);
      EXPECT_LT(result.audit.linear_error + result.audit.angular_error, 1e-12);
      EXPECT_LT(std::abs(result.audit.energy_error), 1e-12);
    }
  }
}

// A cart of 2 kg at 3 m/s, with a rotor of D = 1 kg that turns with it, meets a ball of 1 kg: as a cart of 3 kg would. The rotor gives
// ½ D (v² − v'²) to the two, which is no energy out of nothing. What holds the cart at its speed by a share of resistance does create some.
TEST(ImpactAudit, energy_of_rotors_that_turn_is_not_created) {
  Model model;
  model.gravity = {};
  add_body(model, "cart", 2, {}, {1, 1, 1, 0, 0, 0}, {});
  add_body(model, "ball", 1, {}, {1, 1, 1, 0, 0, 0}, {});
  for (const char* name : {"cart", "ball"}) add_joint(model, name, Prismatic{}, "ground", name, {});  // along z
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {3, 0};
  const std::vector<ImpactContact> blow{{.first = 0, .second = 1, .normal_W = {0, 0, -1}, .restitution = 1}};
  const ImpactResult rotor = compute_impact(mech, state, blow, {.damper = {1, 0}});
  ASSERT_TRUE(rotor.ok());
  EXPECT_NEAR(rotor.v[0], 1.5, 1e-12);
  EXPECT_NEAR(rotor.v[1], 4.5, 1e-12);
  EXPECT_NEAR(rotor.audit.resistance_work, 0.5 * (9 - 2.25), 1e-12);
  EXPECT_NEAR(rotor.audit.energy_error, 0, 1e-12);
  EXPECT_TRUE(rotor.warnings.empty());

  constexpr double infinity = std::numeric_limits<double>::infinity();
  const ImpactResult lock = compute_impact(mech, state, blow, {.damper = {infinity, 0}});
  const ImpactResult drive = compute_impact(mech, state, blow, {.driven = {1, 0}});
  for (const ImpactResult& held : {lock, drive}) {
    ASSERT_TRUE(held.ok());
    EXPECT_NEAR(held.v[1], 6, 1e-12);
    EXPECT_NEAR(held.audit.resistance_work, 18, 1e-12);
    EXPECT_TRUE(held.warnings.empty());
  }
  const ImpactResult share = compute_impact(mech, state, blow, {.share_of_each = {1, 0}});
  ASSERT_TRUE(share.ok());
  EXPECT_NEAR(share.v[1], 6, 1e-12);
  ASSERT_EQ(share.warnings.size(), 1u);
  EXPECT_TRUE(share.warnings[0].starts_with("the impact creates 18 J: ")) << share.warnings[0];
}

}  // namespace
}  // namespace trammel::test

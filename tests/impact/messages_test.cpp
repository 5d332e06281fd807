// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What compute_impact refuses, by its text, and its verdicts.

#include <functional>

#include <gtest/gtest.h>

#include "impact/space_robots.hpp"

namespace trammel::test {
namespace {

std::string refusal(const std::function<void(std::vector<ImpactContact>&, JointResistance&)>& spoil) {
  const Mechanism mech = compiled(three_rods(Free{}));
  std::vector<ImpactContact> contacts{{.first = 0, .normal_W = {0, 1, 0}}};
  JointResistance resistance;
  spoil(contacts, resistance);
  try {
    compute_impact(mech, design_state(mech), contacts, resistance);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ImpactMessages, say_what_is_wrong) {
  using Contacts = std::vector<ImpactContact>;
  EXPECT_EQ(refusal([](Contacts&, JointResistance&) {}), "");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c.clear(); }), "an impact needs a contact");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].restitution = 1.2; }),
            "the contact: its restitution is 1.2, which is not between 0 and 1");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].name = "tip", c[0].restitution = -0.1; }),
            "contact 'tip': its restitution is -0.1, which is not between 0 and 1");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].friction = -1; }),
            "the contact: its friction is -1, which is negative or not finite");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].normal_W = {}; }),
            "the contact: its normal has no direction");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].second = 0; }), "the contact: a body cannot meet itself");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c[0].first = 7; }), "the contact: there is no such body");
  EXPECT_EQ(refusal([](Contacts&, JointResistance& r) { r.share = 2; }),
            "the share of resistance is 2, which is not between 0 (free) and 1 (locked)");
  EXPECT_EQ(refusal([](Contacts&, JointResistance& r) { r.damper.assign(8, -1.0); }),
            "the damper of a joint is -1, which is negative");
  EXPECT_EQ(refusal([](Contacts&, JointResistance& r) { r.damper = {1}; }),
            "resistances are given per freedom of the mechanism");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c.push_back(c[0]), c[0].friction = 0.3; }),
            "several contacts at once are solved without friction only");
  EXPECT_EQ(refusal([](Contacts& c, JointResistance&) { c.push_back(c[0]), c[0].kind = ImpactContact::Kind::rigid; }),
            "rigid contacts and captures cannot be mixed with points and limits in one impact");
  EXPECT_EQ(
      refusal([](Contacts& c, JointResistance&) { c[0].kind = ImpactContact::Kind::limit, c[0].limit_joint = 9; }),
      "the contact: there is no such joint");
}

TEST(ImpactVerdicts, bodies_that_part_are_told) {
  const Mechanism mech = compiled(three_rods(Free{}));
  State state = design_state(mech);
  state.v[3] = 1;  // along x
  const ImpactResult result = compute_impact(mech, state, {{.first = 0, .normal_W = {1, 0, 0}}});
  EXPECT_EQ(result.status, ImpactStatus::separating);
  EXPECT_EQ(result.text, "the bodies do not approach each other");
  const ImpactResult stop = compute_impact(mech, state, {{.kind = ImpactContact::Kind::limit, .limit_joint = 0}});
  EXPECT_EQ(stop.status, ImpactStatus::separating);
  EXPECT_EQ(stop.text, "the coordinate does not approach its stop");
  EXPECT_EQ(stop.fix, "give it a velocity towards the stop, or name the other side");
  EXPECT_EQ(result.v, state.v);
}

// Newton's law has no answer there; Stronge's, the default, lets it come to rest.
TEST(ImpactVerdicts, body_squeezed_between_two_cannot_bounce) {
  Model model;
  model.gravity = {};
  add_body(model, "ball", 1, {}, {1, 1, 1, 0, 0, 0}, {});
  add_joint(model, "ball", Free{}, "ground", "ball", {});
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {0, 0, 0, 0, 0, -1};
  std::vector<ImpactContact> both{{.first = 0, .normal_W = {0, 0, 1}, .restitution = 0.5},
                                  {.first = 0, .normal_W = {0, 0, -1}}};
  const ImpactResult stops = compute_impact(mech, state, both);
  ASSERT_TRUE(stops.ok());
  EXPECT_NEAR(stops.v[5], 0, 1e-15);
  for (ImpactContact& contact : both) contact.law = ImpactLaw::newton;
  const ImpactResult result = compute_impact(mech, state, both);
  EXPECT_EQ(result.status, ImpactStatus::inconsistent);
  EXPECT_EQ(result.text, "Newton's law asks for what cannot be at once, as of a body squeezed between two others");
  EXPECT_EQ(result.fix, "let one of the contacts go, or leave out law: newton");
}

// A hinge that is locked stops nothing that turns about it: without friction too.
TEST(ImpactVerdicts, what_no_impulse_can_stop_is_told) {
  Model model;
  model.gravity = {};
  add_body(model, "rod", 1, {1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}, {});
  add_joint(model, "hinge", Revolute{}, "ground", "rod", {});
  const Mechanism mech = compiled(model);
  State state = design_state(mech);
  state.v = {1};
  const ImpactContact point{.first = 0, .p_W = {1, 0, 0}, .normal_W = {0, -1, 0}, .restitution = 0.5};
  const ImpactContact stop{.kind = ImpactContact::Kind::limit, .limit_joint = 0};
  for (const ImpactContact& contact : {point, stop}) {
    EXPECT_TRUE(compute_impact(mech, state, {contact}).ok());
    const ImpactResult result = compute_impact(mech, state, {contact}, {.share = 1});
    EXPECT_EQ(result.status, ImpactStatus::inconsistent);
    EXPECT_EQ(result.text, "no impulse can change how the bodies meet: what moves them is prescribed or locked");
  }
}

TEST(ImpactVerdicts, states_off_the_loops_are_refused) {
  Model model;
  model.gravity = {};
  for (const char* name : {"one", "two"}) {
    add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0}, {});
    add_joint(model, name, Revolute{}, "ground", name, {});
  }
  add_joint(model, "ball", Spherical{}, "one", "two", Transformd::translation({1, 0, 0}));
  const Mechanism mech = compiled(model);
  ASSERT_FALSE(mech.is_tree());
  const std::vector<ImpactContact> stop{{.kind = ImpactContact::Kind::limit, .limit_joint = 0}};
  State state = design_state(mech);
  state.v = {1, 1};
  EXPECT_TRUE(compute_impact(mech, state, stop).ok());
  state.v = {1, 0};
  EXPECT_EQ(compute_impact(mech, state, stop).text,
            "the velocities before the impact tear the loops apart, at 1 m/s and 0 rad/s");
  state.q = {0.5, 0}, state.v = {1, 1};
  EXPECT_EQ(compute_impact(mech, state, stop).status, ImpactStatus::inconsistent);
  EXPECT_TRUE(compute_impact(mech, state, stop).text.starts_with("the loops are open before the impact, by 0.4"));
}

}  // namespace
}  // namespace trammel::test

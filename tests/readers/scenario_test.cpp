// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Impact scenarios: what they say, and messages by their text.

#include <gtest/gtest.h>

#include <trammel/impact_scenario.hpp>

namespace trammel {
namespace {

Model a_model() {
  const ReadResult read = read_yaml(R"(trammel: 1
units: {length: mm, angle: deg}
points: {A: [100, 0, 0]}
bodies: {arm: {mass: 1, com: [50, 0, 0], inertia: [1, 1, 1], pose: {at: [10, 0, 0]}}, ball: {mass: 1, inertia: [1, 1, 1]}}
joints:
  elbow: {revolute: [ground, arm], at: [10, 0, 0], axis: z}
  ball: {free: [ground, ball]}
outputs: {tip: {point: A, on: arm}, middle: {point: [0, 0, 0], on: ball}}
)",
                                    "model.yaml");
  EXPECT_TRUE(read.ok());
  return read.model;
}

std::string messages_of(const std::string& text) {
  std::string out;
  const ScenarioResult read = read_impact_scenario(text, "s.yaml", a_model());
  for (const Diagnostic& d : read.diagnostics.all()) {
    out += std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.what + " / " + d.fix + " [" +
           d.id + "]\n";
  }
  return out;
}

TEST(Scenario, is_read_in_the_units_of_the_model) {
  const ScenarioResult s = read_impact_scenario(R"(impact: 1
initial: {elbow: {q: 90, v: 180}, ball: {v: [0, 0, 0, 1000, 0, 0]}}
contacts:
  blow: {point: [arm, ball], at: tip, normal: -y, restitution: 0.5, friction: 0.3, law: poisson}
resistance: {share: 0.25, dampers: {elbow: 4e6}}
)",
                                                "s.yaml", a_model());
  ASSERT_TRUE(s.ok()) << messages_of("");
  ASSERT_EQ(s.scenario.contacts.size(), 1U);
  const ImpactScenario::Contact& c = s.scenario.contacts[0];
  EXPECT_EQ(c.first, "arm");
  EXPECT_EQ(c.second, "ball");
  EXPECT_NEAR(c.p_A.x, 0.09, 1e-15);  // of the body's own frame, 10 mm along x
  EXPECT_EQ(c.normal_W.y, -1);
  EXPECT_EQ(c.restitution, 0.5);
  EXPECT_EQ(c.friction, 0.3);
  EXPECT_EQ(c.law, "poisson");
  EXPECT_EQ(s.scenario.share, 0.25);
  ASSERT_EQ(s.scenario.dampers.size(), 1U);
  EXPECT_NEAR(s.scenario.dampers[0].size, 4, 1e-12);
  EXPECT_NEAR(s.model.joints[0].v_initial.at(0), 3.14159265358979, 1e-12);
  EXPECT_NEAR(s.model.joints[1].v_initial.at(3), 1, 1e-15);
}

TEST(Scenario, captures_and_limits) {
  const ScenarioResult s = read_impact_scenario(
      "impact: 1\ncontacts:\n  a: {capture: [arm, ball], at: A, joint: revolute, axis: x}\n  b: {limit: elbow, side: "
      "lower, restitution: 1}\n",
      "s.yaml", a_model());
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s.scenario.contacts[0].joint, "revolute");
  EXPECT_EQ(s.scenario.contacts[0].axis_W.x, 1);
  EXPECT_NEAR(s.scenario.contacts[0].p_A.x, 0.09, 1e-15);
  EXPECT_EQ(s.scenario.contacts[1].limit_joint, "elbow");
  EXPECT_FALSE(s.scenario.contacts[1].is_upper);
}

TEST(Scenario, says_what_is_wrong) {
  EXPECT_EQ(messages_of(""), "1:1: the file is empty / begin it with the line 'impact: 1' [file-empty]\n");
  EXPECT_EQ(messages_of("[1]"),
            "1:1: an impact must be a mapping, not a list of 1 value / write it as 'key: value' lines, the first of "
            "them 'impact: "
            "1' [wrong-type]\n");
  EXPECT_EQ(messages_of("contacts: {a: {limit: elbow, side: upper}}"),
            "1:1: the file does not say that it is an impact / begin it with the line 'impact: 1' [format-missing]\n");
  EXPECT_EQ(
      messages_of("impact: 1\ncontacts: {}"),
      "2:11: an impact needs a contact, and 'contacts' has none / add contacts: {tip: {point: [hand, target], at: "
      "tip, normal: y}} [missing-key]\n");
  EXPECT_NE(messages_of("impact: 1").find("[missing-key]"), std::string::npos) << messages_of("impact: 1");
  const auto of = [](const std::string& contact) { return messages_of("impact: 1\ncontacts: {a: {" + contact + "}}"); };
  EXPECT_EQ(of("point: [arm, ball], at: tip, normal: y, restitution: 1.5"),
            "2:69: restitution of contact 'a' is 1.5, which is not between 0 and 1 / 0 is plastic, 1 is elastic "
            "[share-range]\n");
  EXPECT_EQ(of("point: [arm, arm], at: tip, normal: y"),
            "2:23: contact 'a' joins 'arm' to itself / name two bodies [impact-itself]\n");
  EXPECT_EQ(of("point: [ball, arm], at: tip, normal: y"),
            "2:40: contact 'a' touches at output 'tip', which is on 'arm', not on its first body 'ball' / name 'arm' "
            "first, or give another point [impact-point]\n");
  EXPECT_EQ(of("capture: [arm, ball], at: tip, restitution: 0.5"),
            "2:60: contact 'a' is a capture, which gives nothing back / leave restitution out [key-conflict]\n");
  EXPECT_EQ(of("rigid: [arm, ball], at: tip, friction: 0.5"),
            "2:55: contact 'a' has 'friction', which belongs to a point / leave it out [key-conflict]\n");
  EXPECT_EQ(of("point: [arm, ball], rigid: [arm, ball], at: tip, normal: y"),
            "2:43: contact 'a' has both 'point' and 'rigid' / write two contacts [key-conflict]\n");
  EXPECT_NE(of("point: [arm, bal], at: tip, normal: y").find("did you mean 'ball'?"), std::string::npos);
  EXPECT_NE(of("limit: elbw, side: upper").find("did you mean 'elbow'?"), std::string::npos);
  EXPECT_NE(of("limit: elbow").find("add side: upper or lower"), std::string::npos);
  EXPECT_NE(of("point: [arm, ball], at: tip").find("add normal"), std::string::npos);
  EXPECT_NE(of("point: [arm, ball], normal: y").find("add at"), std::string::npos);
  EXPECT_NE(of("point: [arm, ball], at: tip, normal: [0, 0, 0]").find("normal of contact 'a'"), std::string::npos);
  EXPECT_NE(of("point: [arm, ball], at: tip, normal: y, friction: -1").find("friction of contact 'a'"),
            std::string::npos);
  EXPECT_NE(of("point: [arm, ball], at: tip, normal: y, lav: newton").find("did you mean 'law'?"), std::string::npos);
  const std::string held = "capture: [arm, ball], at: tip, joint: ";
  EXPECT_NE(of(held + "free").find("contact 'a' holds nothing by a free joint"), std::string::npos);
  EXPECT_NE(of(held + "fixed, axis: x").find("has 'axis', which a fixed joint has not"), std::string::npos);
  EXPECT_NE(of(held + "universal, axis: x").find("has 'axis', which a universal joint has not"), std::string::npos);
  EXPECT_NE(of(held + "universal").find("add axes"), std::string::npos);
  EXPECT_NE(of(held + "universal, axes: [x, [1, 1, 0]]").find("meet at 45°, not at 90°"), std::string::npos);
  EXPECT_NE(of(held + "helical").find("add pitch"), std::string::npos);
  EXPECT_NE(of(held + "revolute, pitch: 1").find("has 'pitch', which a revolute joint has not"), std::string::npos);
  EXPECT_NE(of("rigid: [arm, ball], at: tip, pitch: 1").find("which belongs to a capture"), std::string::npos);
  EXPECT_NE(messages_of("impact: 1\nresistance: 2\ncontacts: {a: {limit: elbow, side: upper}}")
                .find("resistance is 2, which is not between 0 and 1"),
            std::string::npos);
  EXPECT_NE(messages_of("impact: 1\nresistance: {dampers: {elbow: -1}}\ncontacts: {a: {limit: elbow, side: upper}}")
                .find("dampers of joint 'elbow'"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `impacts`, captures among the events, and what is said about mistakes in them.

#include <trammel/mechanism.hpp>

#include "readers/reading.hpp"

namespace trammel::test {
namespace {

const std::string scene = R"(
units: {length: mm, angle: deg}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  slide: {prismatic: [ground, a], at: [0, 0, 0], axis: x, limits: {upper: 200}}
  turn:  {revolute: [a, b], at: [0, 0, 0], axis: z, limits: {lower: -30, upper: 30}}
environment: {terrain: {plane: z, material: rock}}
materials: {rock: {stiffness: 1000}}
contacts: {ball: {sphere: 100, on: b}}
)";

TEST(ReadsImpacts, of_contacts_and_limits) {
  const Model model = read(scene + R"(
impacts:
  bounce: {contact: ball, restitution: 0.8, friction: 0.3, law: poisson, rest: 5}
  buffer: {limit: slide, side: upper, restitution: 0.5, rest: 2}
  ends:   {limit: turn, rest: 90}
)");
  ASSERT_EQ(model.impacts.size(), 3u);
  const Impact &bounce = model.impacts[0], &buffer = model.impacts[1], &ends = model.impacts[2];
  EXPECT_EQ(bounce.name, "bounce");
  EXPECT_EQ(bounce.contact, "ball");
  EXPECT_EQ(bounce.restitution, 0.8);
  EXPECT_EQ(bounce.friction, 0.3);
  EXPECT_EQ(bounce.law, "poisson");
  EXPECT_DOUBLE_EQ(bounce.rest, 0.005);
  EXPECT_EQ(buffer.joint, "slide");
  EXPECT_EQ(buffer.side, Impact::Side::upper);
  EXPECT_DOUBLE_EQ(buffer.rest, 0.002);
  EXPECT_EQ(ends.side, Impact::Side::both);
  EXPECT_EQ(ends.restitution, 0);
  EXPECT_DOUBLE_EQ(ends.rest, 3.14159265358979323846 / 2);
  const CompileResult compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  ASSERT_EQ(compiled.mechanism.contacts.pairs.size(), 1u);
  EXPECT_EQ(compiled.mechanism.contacts.pairs[0].impact, 0);
  EXPECT_EQ(compiled.mechanism.impacts[2].joint, compiled.mechanism.find_joint("turn"));
}

TEST(ReadsImpacts, and_says_what_is_wrong) {
  EXPECT_EQ(messages(scene + "impacts: {a: {contact: ball, restitution: 1.5}}"),
            "test.yaml:11:43: error: restitution of impact 'a' is 1.5, which is not between 0 and 1\n"
            "  fix: 0 is plastic, 1 is elastic      [share-range]\n");
  EXPECT_EQ(
      messages(scene + "impacts: {a: {contact: ball, friction: -1}}"),
      "test.yaml:11:40: error: friction of impact 'a' is negative\n  fix: give 0 or more      [number-negative]\n");
  EXPECT_NE(messages(scene + "impacts: {a: {contact: ball, law: stonge}}").find("did you mean 'stronge'?"),
            std::string::npos);
  EXPECT_NE(messages(scene + "impacts: {a: {limit: slide, side: top}}").find("side of impact 'a'"), std::string::npos);
  EXPECT_NE(messages(scene + "impacts: {a: {limit: slide, friction: 1}}").find("unknown-key"), std::string::npos);
  EXPECT_NE(messages(scene + "impacts: {a: {contact: ball, rest: 0}}").find("rest of impact 'a'"), std::string::npos);
  EXPECT_NE(messages(scene + "impacts: {a: {restitution: 1}}").find("impact 'a'"), std::string::npos);
}

std::string compile_messages(const std::string& more) { return compile(read(scene + more)).diagnostics.to_string(); }

TEST(ReadsImpacts, and_compile_says_what_is_not_there) {
  EXPECT_EQ(compile_messages("impacts: {a: {contact: bal}}"),
            "test.yaml:11:11: error: impact 'a' is of contact 'bal', which is not there\n"
            "  fix: did you mean 'ball'?      [impact-contact]\n");
  EXPECT_EQ(compile_messages("impacts: {a: {contact: ball}, b: {contact: ball}}"),
            "test.yaml:11:31: error: impacts 'a' and 'b' are both of contact 'ball'\n"
            "  fix: keep one of them      [impact-twice]\n");
  EXPECT_EQ(compile_messages("impacts: {a: {contact: ball}, b: {limit: slide, side: lower}}"),
            "test.yaml:11:31: error: impact 'b' is at the lower limit of joint 'slide', which has none\n"
            "  fix: give the joint limits: {lower: …, upper: …}      [impact-no-limit]\n");
  Model model = read(scene + "impacts: {a: {contact: ball}}");
  model.impacts[0].rest = -1;
  EXPECT_EQ(
      compile(model).diagnostics.to_string(),
      "test.yaml:11:11: error: impact 'a' has a friction that is negative or a speed of rest that is not positive\n"
      "  fix: mend its numbers      [impact-wrong]\n");
}

TEST(ReadsCaptures, of_joints_that_are_open_at_first) {
  const std::string two = R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {a: {free: [ground, a]}, b: {free: [ground, b]}, grip: {revolute: [a, b], at: [0, 0, 0], axis: z}}
)";
  const Model model = read(two + "events: {catch: {when: \"t - 1\", do: {capture: grip}}}");
  ASSERT_EQ(model.events.size(), 1u);
  EXPECT_EQ(model.events[0].action, Event::Action::capture);
  EXPECT_EQ(model.events[0].target, "grip");
  const CompileResult compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  const JointInfo& grip = compiled.mechanism.joints[static_cast<std::size_t>(compiled.mechanism.find_joint("grip"))];
  EXPECT_EQ(grip.role, JointRole::closure);
  EXPECT_TRUE(grip.starts_open);

  EXPECT_EQ(messages(two + "events: {catch: {when: \"t - 1\", do: {capture: gripp}}}"),
            "test.yaml:5:47: error: event 'catch' captures by 'gripp', which is not there\n"
            "  fix: did you mean 'grip'?      [event-target]\n");
  EXPECT_NE(messages(two + "events: {catch: {when: \"t - 1\", do: {capture: grip, open: grip}}}")
                .find("has both 'open' and 'capture'"),
            std::string::npos);
  const Model only = read(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {a: {free: [ground, a]}, grip: {revolute: [a, b], at: [0, 0, 0], axis: z}}
events: {catch: {when: "t - 1", do: {capture: grip}}}
)");
  EXPECT_NE(compile(only).diagnostics.to_string().find("let the grasped body have another joint too"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel::test

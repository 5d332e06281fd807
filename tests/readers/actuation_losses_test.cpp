// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// URDF and MJCF have no words for most of what acts and happens over time: they tell each thing once, by name.

#include <string_view>

#include "readers/reading.hpp"

namespace trammel {
namespace {

Model machine() {
  return test::read(
      R"yaml(bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  turn:  {revolute: [ground, a], at: [0, 0, 0], axis: z, limits: {lower: -1, upper: 1, velocity: 3, effort: 4, stiffness: 5}}
  slide: {prismatic: [a, b], at: [1, 0, 0], axis: x}
  ball:  {spherical: [b, c], at: [2, 0, 0]}
actuators:
  follow: {position: turn, stiffness: 5, target: "sin(t)"}
  motor:  {dc_motor: slide, resistance: 1, torque_constant: 0.1, gear: 5}
  head:   {torque: ball, target: [0, 0, 1]}
  jet:    {thruster: c, at: [3, 0, 0], along: x, gain: 1}
drives: {slide: {velocity: 1}}
springs: {gas: {joint: slide, gas: {force: 1, column: 1}}}
bushings: {mount: {between: [ground, c], at: [2, 0, 0], stiffness: {turn: 1}}}
loads: {drag: {on: c, along: z, torque: "-turn.rate"}}
events: {done: {when: "turn - 1", do: stop}}
simulate: {until: 3}
)yaml");
}

// How often each stands among the messages.
int count(const std::string& messages, std::string_view text) {
  int found = 0;
  for (std::size_t at = messages.find(text); at != std::string::npos; at = messages.find(text, at + 1)) ++found;
  return found;
}

TEST(ActuationLosses, are_told_once_by_MJCF) {
  const WriteResult written = write_mjcf(machine());
  ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
  const std::string messages = written.diagnostics.to_string();
  for (const char* line :
       {"drives are lost: coordinates move freely: 'slide'\n", "springs are lost: answers change: 'gas'\n",
        "bushings are lost: answers change: 'mount'\n", "loads are lost: answers change: 'drag'\n",
        "events are lost: 'done'\n", "stiffness and damping of stops are lost: 'turn'\n",
        "settings of simulations are lost\n", "targets of actuators are lost: 'follow'\n",
        "motors, thrusters and drives of whole ball joints are lost: 'motor', 'head', 'jet'\n"}) {
    EXPECT_EQ(count(messages, line), 1) << line << messages;
  }
  EXPECT_EQ(read_mjcf(written.text, "m.xml").model.actuators.size(), 1u);
}

TEST(ActuationLosses, are_told_once_by_URDF) {
  Model model = machine();  // without its ball joint, for which URDF has no word
  model.bodies.pop_back();
  model.joints.pop_back();
  model.actuators = {model.actuators[0], model.actuators[1]};
  model.bushings[0].second = "b";
  model.loads[0].at.body = "b";
  const WriteResult written = write_urdf(model);
  ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
  const std::string messages = written.diagnostics.to_string();
  for (const char* line :
       {"drives are lost: coordinates move freely: 'slide'\n", "bushings are lost: answers change: 'mount'\n",
        "events are lost: 'done'\n", "stiffness and damping of stops are lost: 'turn'\n",
        "settings of simulations are lost\n", "actuators are lost\n"}) {
    EXPECT_EQ(count(messages, line), 1) << line << messages;
  }
}

}  // namespace
}  // namespace trammel

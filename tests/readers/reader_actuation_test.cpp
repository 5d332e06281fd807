// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The sections of what acts and happens over time: what each form means, in the file's units.

#include <cmath>
#include <map>
#include <numbers>

#include "readers/reading.hpp"

namespace trammel {
namespace {

using test::distance;
using test::messages;
using test::read;

constexpr double degree = std::numbers::pi / 180;

const std::string machine = R"yaml(units: {length: mm, angle: deg, time: ms, force: kN, mass: g}
points: {O: [0, 0, 0], A: [30, 40, 0]}
bodies:
  crank: {mass: 1, inertia: [1, 1, 1]}
  head:  {mass: 1, inertia: [1, 1, 1]}
  block: {pose: {at: [10, 0, 0], rpy: [0, 0, 90]}, mass: 1, inertia: [1, 1, 1]}
joints:
  turn:      {revolute: [ground, crank], at: O, axis: z}
  ball:      {spherical: [crank, head], at: A}
  my slide:  {prismatic: [ground, block], at: O, axis: x}
  bolt:      {cylindrical: [crank, block], at: O, axis: x}
outputs: {tip: {point: A, on: crank}}
)yaml";

Actuator actuator(const std::string& text) { return read(machine + "actuators: {a: " + text + "}\n").actuators.at(0); }

TEST(Drives, are_positions_or_velocities_in_the_units_of_the_file) {
  const Model model = read(machine + R"yaml(drives:
  turn: {position: "90*t"}
  my slide: {velocity: 2}
  bolt.1: {position: {table: [[0, 0], [1000, 5]]}}
)yaml");
  ASSERT_EQ(model.drives.size(), 3u);
  EXPECT_EQ(model.drives[0].kind, Drive::Kind::position);
  EXPECT_DOUBLE_EQ(model.drives[0].motion.at(2e-3), 180 * degree);
  EXPECT_EQ(model.drives[1].kind, Drive::Kind::velocity);
  EXPECT_DOUBLE_EQ(model.drives[1].motion.at(0.0), 2);  // 2 mm/ms
  EXPECT_EQ(model.drives[2].name, "bolt.travel");
  EXPECT_EQ(model.drives[2].joint, "bolt");
  EXPECT_EQ(model.drives[2].dof, 1);
  EXPECT_DOUBLE_EQ(model.drives[2].motion.at(0.5), 2.5e-3);
  EXPECT_DOUBLE_EQ(model.drives[2].motion.at(7.0), 5e-3);
}

TEST(Drives, may_be_inputs_too) {
  EXPECT_EQ(messages(machine + "drives: {turn: {position: 1}}\ninputs: {turn: {motion: \"t\", to: 1, step: 1}}\n"), "");
}

TEST(Actuators, have_a_target_over_time) {
  EXPECT_TRUE(actuator("{torque: turn}").target.empty());
  EXPECT_DOUBLE_EQ(actuator("{torque: turn, target: 2}").target.at(0).at(0.0), 2.0);  // 2 kN mm
  EXPECT_DOUBLE_EQ(actuator("{position: turn, stiffness: 1, target: \"t\"}").target.at(0).at(3e-3), 3 * degree);
  EXPECT_DOUBLE_EQ(actuator("{velocity: turn, damping: 1, target: {table: [[0, 1], [1, 1]]}}").target.at(0).at(0.0),
                   1000 * degree);
}

TEST(Actuators, drive_one_freedom_or_all_of_a_ball_joint) {
  const Actuator whole =
      actuator("{position: ball, stiffness: 2, damping: 3, target: [0, \"t\", {table: [[0, 0], [1, 1]]}]}");
  EXPECT_EQ(whole.dof, Actuator::all_of_ball);
  ASSERT_EQ(whole.target.size(), 3u);
  EXPECT_DOUBLE_EQ(whole.target[1].at(2e-3), 2 * degree);
  EXPECT_DOUBLE_EQ(whole.target[2].at(1.0), degree);
  EXPECT_DOUBLE_EQ(whole.stiffness, 2 / degree);
  EXPECT_DOUBLE_EQ(whole.damping, 3 / degree / 1000);
  EXPECT_EQ(actuator("{torque: ball}").dof, Actuator::all_of_ball);
  EXPECT_TRUE(actuator("{torque: ball}").target.empty());
  EXPECT_EQ(actuator("{torque: ball.wy, target: 1}").dof, 1);
  EXPECT_EQ(actuator("{velocity: ball.wz, damping: 1}").dof, 2);
}

TEST(Motors, have_forces_angles_and_masses_in_the_units_of_the_file) {
  const Actuator a = actuator(
      "{dc_motor: turn, target: 24, resistance: 1.2, inductance: 0.1, torque_constant: 5, back_emf: 7, gear: 50, "
      "rotor_inertia: 3, current: 10, friction: {viscous: 2, dry: 4}, brush: {drop: 1, half: 3}, control: [-24, "
      "none]}");
  EXPECT_EQ(a.kind, Actuator::Kind::dc_motor);
  EXPECT_FALSE(a.motor.is_servo);
  EXPECT_EQ(a.target.at(0).at(0.0), 24);
  EXPECT_EQ(a.motor.resistance, 1.2);
  EXPECT_EQ(a.motor.inductance, 0.1);
  EXPECT_DOUBLE_EQ(a.motor.torque_constant, 5);             // kN mm/A
  EXPECT_DOUBLE_EQ(a.motor.back_emf, 7 / (degree / 1e-3));  // V per deg/ms
  EXPECT_EQ(a.gear, 50);
  EXPECT_DOUBLE_EQ(a.motor.rotor_inertia, 3e-9);  // g mm²
  EXPECT_EQ(a.motor.current_limit, 10);
  EXPECT_DOUBLE_EQ(a.motor.viscous, 2 / (degree / 1e-3));
  EXPECT_DOUBLE_EQ(a.motor.dry, 4);
  EXPECT_EQ(a.motor.brush_drop, 1);
  EXPECT_EQ(a.motor.brush_half, 3);
  EXPECT_EQ(a.control_lower, -24);
  EXPECT_EQ(a.control_upper, infinity);
}

TEST(Motors, lose_nothing_between_electricity_and_motion_unless_told) {
  const Actuator a = actuator("{dc_motor: turn, resistance: 1, torque_constant: 5}");
  EXPECT_EQ(a.motor.back_emf, a.motor.torque_constant);
  EXPECT_EQ(a.gear, 1);
  EXPECT_EQ(a.motor.current_limit, Actuator::none);
}

TEST(Motors, follow_a_position_as_servos) {
  const Actuator a =
      actuator("{dc_motor: turn, servo: {stiffness: 1500, damping: 2}, target: 3, resistance: 1, torque_constant: 5}");
  EXPECT_TRUE(a.motor.is_servo);
  EXPECT_DOUBLE_EQ(a.stiffness, 1500 / degree);
  EXPECT_DOUBLE_EQ(a.damping, 2 / (degree / 1e-3));
  EXPECT_DOUBLE_EQ(a.target.at(0).at(0.0), 3 * degree);
}

TEST(Motors, of_travels_have_gears_of_angle_per_length) {
  const Actuator a = actuator("{dc_motor: my slide, resistance: 1, torque_constant: 5, gear: 360}");
  EXPECT_DOUBLE_EQ(a.gear, 2 * std::numbers::pi * 1000);  // a turn per mm
}

TEST(Thrusters, are_drawn_in_the_world_or_in_a_body) {
  const Actuator drawn =
      actuator("{thruster: block, at: [10, 5, 0], along: y, gain: 0.5, dead_band: 0.1, lag: 200, target: \"10\"}");
  EXPECT_EQ(drawn.kind, Actuator::Kind::thruster);
  EXPECT_EQ(drawn.thruster.at.body, "block");
  EXPECT_LT(distance(drawn.thruster.at.p_B, {0.005, 0, 0}), 1e-15);
  EXPECT_LT(distance(drawn.thruster.direction, {1, 0, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(drawn.thruster.gain, 500);
  EXPECT_EQ(drawn.thruster.dead_band, 0.1);
  EXPECT_DOUBLE_EQ(drawn.thruster.lag, 0.2);
  EXPECT_EQ(drawn.target.at(0).at(0.0), 10);
  const Actuator own = actuator("{thruster: block, at: [5, 0, 0], along: [2, 0, 0], in: block, gain: 1}");
  EXPECT_EQ(own.thruster.at.p_B, (Vec3d{0.005, 0, 0}));
  EXPECT_EQ(own.thruster.direction, (Vec3d{1, 0, 0}));
}

TEST(Springs, have_tables_and_gas) {
  const Model model = read(machine + R"yaml(springs:
  t: {joint: turn, table: [[0, 1], [90, 2]]}
  g: {joint: my slide, gas: {force: 2, column: 50, exponent: 1.2}}
  i: {between: [crank, block], at: [A, O], gas: {force: 2, column: 50}}
)yaml");
  ASSERT_EQ(model.springs.size(), 3u);
  EXPECT_DOUBLE_EQ(model.springs[0].table_at.at(1), 90 * degree);
  EXPECT_DOUBLE_EQ(model.springs[0].table_force.at(1), 2);
  EXPECT_DOUBLE_EQ(model.springs[1].gas->force, 2000);
  EXPECT_DOUBLE_EQ(model.springs[1].gas->column, 0.05);
  EXPECT_EQ(model.springs[1].gas->exponent, 1.2);
  EXPECT_EQ(model.springs[2].gas->exponent, 1);
}

TEST(Bushings, are_stiff_by_axis_or_by_matrix) {
  const Model model = read(machine + R"yaml(bushings:
  mount: {between: [crank, block], at: A, axes: [y, -x], stiffness: {turn: 2, travel: [1, 2, 3]}, damping: {travel: 5}}
  whole:
    between: [ground, block]
    in: block
    stiffness: {matrix: [[9, 0, 0, 0, 2, 0], [0, 9, 0, 0, 0, 0], [0, 0, 9, 0, 0, 0], [0, 0, 0, 9, 0, 0], [0.034906585039886591, 0, 0, 0, 9, 0], [0, 0, 0, 0, 0, 9]]}
)yaml");
  ASSERT_EQ(model.bushings.size(), 2u);
  const Bushing& b = model.bushings[0];
  EXPECT_EQ(b.first, "crank");
  EXPECT_LT(distance(b.X_AP.p, {0.03, 0.04, 0}), 1e-15);
  EXPECT_LT(distance(b.X_AP.R.ex, {0, 1, 0}), 1e-15);
  EXPECT_LT(distance(b.X_BQ.R.ex, {1, 0, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(b.stiffness[0], 2 / degree);  // kN mm/deg
  EXPECT_DOUBLE_EQ(b.stiffness[28], 2e6);        // kN/mm
  EXPECT_DOUBLE_EQ(b.damping[35], 5e3);          // kN ms/mm
  EXPECT_EQ(b.damping[0], 0);
  // A moment per travel is a force; a force per angle the same number in radians.
  EXPECT_DOUBLE_EQ(model.bushings[1].stiffness[4], 2000);
  EXPECT_EQ(model.bushings[1].stiffness[4], model.bushings[1].stiffness[24]);
}

TEST(Limits, have_stops) {
  const Model model = read(
      "units: {angle: deg}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {revolute: [ground, a], at: [0, 0, 0], limits: {upper: 90, stiffness: 5, damping: [2]}}}\n");
  EXPECT_DOUBLE_EQ(model.joints[0].properties.limit_stiffness.at(0), 5 / degree);
  EXPECT_DOUBLE_EQ(model.joints[0].properties.limit_damping.at(0), 2 / degree);
}

// Values of the state in SI, by name.
double value(const StateFunction& f, double t, const Model& model, const std::map<std::string, double>& values) {
  StateFunction indexed = f;
  std::vector<double> all;
  for (const StateVariable& variable : state_variables(model)) {
    for (StateFunction::Use& use : indexed.uses) {
      if (use.name == variable.name) use.index = static_cast<int>(all.size());
    }
    const auto given = values.find(variable.name);
    all.push_back(given == values.end() ? std::nan("") : given->second);
  }
  return indexed.at(t, all);
}

TEST(Loads, depend_on_time_and_state_in_the_units_of_the_file) {
  const Model model = read(machine + R"yaml(loads:
  l: {on: crank, at: A, force: ["3*'my slide.rate'", "2*turn + t", "tip.x*ball.wy.rate"]}
  s: {on: crank, along: z, torque: "bolt.travel"}
  c: {on: crank, along: z, torque: "2"}
)yaml");
  const auto& c = *model.loads.at(0).components;
  EXPECT_DOUBLE_EQ(value(c[0], 0, model, {{"my slide.rate", 2}}), 6e3);  // 2 m/s = 2 mm/ms
  EXPECT_DOUBLE_EQ(value(c[1], 5e-3, model, {{"turn", 10 * degree}}), 25e3);
  EXPECT_NEAR(value(c[2], 0, model, {{"tip.x", 0.03}, {"ball.wy.rate", degree / 1e-3}}), 30e3, 1e-9);
  EXPECT_EQ(c[1].uses.size(), 1u);
  EXPECT_EQ(c[2].uses.size(), 2u);
  EXPECT_DOUBLE_EQ(value(*model.loads.at(1).size, 0, model, {{"bolt.travel", 0.004}}), 4);
  EXPECT_TRUE(model.loads.at(2).size->is_of_time());
}

TEST(Loads, prefer_the_time_to_a_joint_called_t) {
  const Model model = read(
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {t: {revolute: [ground, a], at: [0, 0, 0]}}\n"
      "loads: {l: {on: a, along: z, torque: \"t\"}}\n");
  EXPECT_TRUE(model.loads.at(0).size->is_of_time());
}

TEST(Events, say_when_and_what) {
  const Model model = read(machine + R"yaml(events:
  landed: {when: "tip.y - 100", direction: falling, do: stop}
  seen: {when: "t - 5"}
  apart: {when: "turn", direction: rising, do: {open: bolt}}
  again: {when: "turn", direction: both, do: {close: bolt}}
)yaml");
  ASSERT_EQ(model.events.size(), 4u);
  EXPECT_EQ(model.events[0].direction, Event::Direction::falling);
  EXPECT_EQ(model.events[0].action, Event::Action::stop);
  EXPECT_DOUBLE_EQ(value(model.events[0].when, 0, model, {{"tip.y", 0.15}}), 50);
  EXPECT_EQ(model.events[1].action, Event::Action::note);
  EXPECT_EQ(model.events[1].direction, Event::Direction::both);
  EXPECT_EQ(model.events[2].action, Event::Action::open);
  EXPECT_EQ(model.events[2].target, "bolt");
  EXPECT_EQ(model.events[3].action, Event::Action::close);
}

TEST(Simulate, has_times_in_the_unit_of_the_file) {
  const Model model = read(machine +
                           "simulate: {until: 10, step: 1, tolerance: 1e-8, integrator: rk4, "
                           "record_every: 2, stabilisation: none}\n");
  EXPECT_DOUBLE_EQ(model.simulate.until.value(), 0.01);
  EXPECT_DOUBLE_EQ(model.simulate.step.value(), 0.001);
  EXPECT_EQ(model.simulate.tolerance.value(), 1e-8);
  EXPECT_DOUBLE_EQ(model.simulate.record_every.value(), 0.002);
  EXPECT_EQ(model.simulate.integrator.value(), "rk4");
  EXPECT_EQ(model.simulate.stabilisation.value(), "none");
  EXPECT_FALSE(read(machine).simulate.until.has_value());
}

// A file as people write it comes back as it was written.
TEST(Writer, keeps_the_words_of_what_moves) {
  const std::string text = R"yaml(trammel: 1
name: arm
units: {length: mm, angle: deg}
gravity: [0, 0, -9810]
bodies:
  arm: {mass: 1, inertia: [100, 100, 100]}
joints:
  turn: {revolute: [ground, arm], at: [0, 0, 0], axis: z, limits: {upper: 90, stiffness: 5}}
outputs:
  tip: {point: [30, 40, 0], on: arm}
actuators:
  motor: {torque: turn, target: "2*sin(t)"}
drives:
  turn: {position: {table: [[0, 0], [1, 90]]}}
bushings:
  mount: {between: [ground, arm], at: [5, 0, 0], stiffness: {turn: 1, travel: [2, 2, 3]}}
loads:
  drag: {on: arm, torque: "-3*turn.rate", along: z}
events:
  landed: {when: tip.y - 100, direction: falling, do: stop}
simulate: {until: 10, integrator: semi-implicit}
)yaml";
  EXPECT_EQ(write_yaml(read_yaml(text, "arm.yaml").model), text);
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Somebody who interferes between two runs: a hand that pulls, drives and targets that change.

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

// A mass on a slide without weight.
Mechanism slide(const std::string& more = "") {
  return from_yaml(R"(
trammel: 1
name: slide
gravity: [0, 0, 0]
bodies: {block: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {guide: {prismatic: [ground, block], at: [0, 0, 0], axis: x}}
)" + more);
}

//   m ẍ = k (x₁ − x) − c ẋ, critically damped:  x = x₁ (1 − (1 + ω t) e^(−ω t))
TEST(Interference, a_pulled_mass_moves_as_a_spring_and_damper_make_it) {
  const Mechanism mech = slide();
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-11});
  simulation.run(0.5);  // at rest
  const double m = 2, w = 3, k = m * w * w, c = 2 * m * w, target = 0.7, t = 0.9;
  simulation.set_pull(Pull{0, {0, 0, 0}, {target, 5, 0}, k, c});
  const SimulationReport report = simulation.run(0.5 + t);
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_NEAR(simulation.state().q[0], target * (1 - (1 + w * t) * std::exp(-w * t)), 1e-9);
  EXPECT_NEAR(report.energy.error, 0, 1e-8);
  EXPECT_GT(report.energy.input, 0);
  // Let go, it keeps its speed.
  simulation.set_pull(std::nullopt);
  const double x = simulation.state().q[0], v = simulation.state().v[0];
  simulation.run(0.5 + t + 1);
  EXPECT_NEAR(simulation.state().q[0], x + v, 1e-9);
}

TEST(Interference, a_pull_moves_closed_chains_and_keeps_them_closed) {
  const Mechanism mech = shipped("crank_rocker");
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-8});
  const int body = mech.find_body("coupler");
  simulation.set_pull(Pull{body, {0.06, 0.11, 0}, {0.1, 0.3, 0}, 20, 1});
  const SimulationReport report = simulation.run(0.3);
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_LT(simulation.gaps().position, 1e-10);
  EXPECT_LT(std::abs(report.energy.error), 1e-6 * std::max(1.0, std::abs(report.energy.input)));
}

TEST(Interference, nothing_changed_changes_next_to_nothing) {
  const Mechanism mech = shipped("double_pendulum");
  const SimulationOptions options{.until = 2, .tolerance = 1e-10};
  Simulation whole(mech, options), broken(mech, options);
  whole.run();
  broken.run(0.7);
  broken.set_pull(std::nullopt);
  broken.run();
  for (std::size_t i = 0; i < whole.state().q.size(); ++i) {
    EXPECT_NEAR(whole.state().q[i], broken.state().q[i], 1e-7);
  }
}

TEST(Interference, a_drive_takes_another_motion_without_a_jump) {
  const Mechanism mech = slide("drives: {guide: {position: \"0.1*t\"}}\n");
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-10});
  simulation.run(1);
  EXPECT_NEAR(simulation.state().q[0], 0.1, 1e-9);
  const std::vector<std::string> variables{"t"};
  const auto parsed = Expression::parse("0.1*t + 0.2*(t-1)^2", variables);
  simulation.set_drive(0, TimeFunction(std::get<Expression>(parsed)));
  const SimulationReport report = simulation.run(2);
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_NEAR(simulation.state().q[0], 0.4, 1e-9);
  EXPECT_NEAR(simulation.state().v[0], 0.5, 1e-9);
  EXPECT_NEAR(report.energy.error, 0, 1e-8);
}

TEST(Interference, a_servo_goes_to_its_new_target) {
  const Mechanism mech = slide("actuators: {servo: {position: guide, stiffness: 50, damping: 20}}\n");
  Simulation simulation(mech, {.until = 20, .tolerance = 1e-8});
  simulation.run(1);
  EXPECT_NEAR(simulation.state().q[0], 0, 1e-12);
  simulation.set_target(0, {Profile(0.3)});
  simulation.run(12);
  EXPECT_NEAR(simulation.state().q[0], 0.3, 1e-4);
}

TEST(Interference, what_is_not_there_cannot_be_interfered_with) {
  const Mechanism mech = slide();
  Simulation simulation(mech, {.until = 1});
  EXPECT_THROW(simulation.set_pull(Pull{3, {}, {}, 1, 1}), std::invalid_argument);
  EXPECT_THROW(simulation.set_pull(Pull{ground, {}, {}, 1, 1}), std::invalid_argument);
  EXPECT_THROW(simulation.set_drive(0, Profile(1.0)), std::invalid_argument);
  EXPECT_THROW(simulation.set_target(0, {Profile(1.0)}), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::test

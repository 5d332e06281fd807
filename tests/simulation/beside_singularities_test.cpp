// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Loops make much of round-off: in the accelerations beside their singular positions, and in coordinates that are projected at events.

#include <fmt/format.h>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

// Three bars of length 1, upright; the outer two turn by φ alike, 1.7 φ̈ = 2 g sin φ.
constexpr const char* parallelogram = R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.02, 0.1]}
  b: {mass: 1, com: [0.5, 1, 0], inertia: [0.02, 0.1, 0.1]}
  c: {mass: 1, com: [1, 0.5, 0], inertia: [0.1, 0.02, 0.1]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [0, 1, 0], axis: z}
  C: {revolute: [b, c], at: [1, 1, 0], axis: z}
  D: {revolute: [ground, c], at: [1, 0, 0], axis: z}
initial: {A: {v: -1}, B: {v: 1}, C: {v: -1}, D: {v: -1}}
)";

double angle_of_parallelogram(double t) {
  constexpr int steps = 20000;
  const double h = t / steps;
  const auto a = [](double phi) { return 2 * g * std::sin(phi) / 1.7; };
  double x = 0, v = -1;
  for (int i = 0; i < steps; ++i) {
    const double k1 = a(x), k2 = a(x + h / 2 * v), k3 = a(x + h / 2 * v + h * h / 4 * k1),
                 k4 = a(x + h * v + h * h / 2 * k2);
    x += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

// At a quarter turn all bars lie on one line. Rounds of the midpoint rule cannot come nearer to each other there than accelerations are
// known, which for many steps was more than what was allowed them.
TEST(SimulationMidpoint, passes_positions_in_which_all_bars_lie_on_a_line) {
  const Mechanism mech = from_yaml(parallelogram);
  const double exact = angle_of_parallelogram(0.8);
  EXPECT_LT(exact, -std::numbers::pi / 2);
  for (const double step : {0.000132203, 3e-4, 0.000325424, 6e-4, 0.000937288, 0.0010339}) {
    Simulation simulation(mech, {.until = 0.8, .step = step, .integrator = Integrator::midpoint});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << step << ": " << report.text;
    const JointInfo& A = mech.joints[static_cast<std::size_t>(mech.find_joint("A"))];
    EXPECT_NEAR(simulation.state().q[static_cast<std::size_t>(A.q)], exact, 20 * step * step) << step;
  }
}

// What is not known to the last digit for a stiff spring is still no excuse: such rounds grow.
TEST(SimulationMidpoint, does_not_take_a_stiff_spring_for_round_off) {
  Model model = point_pendulum();
  model.springs.push_back({.name = "stiff", .joint = "pivot", .stiffness = 1e9, .rest = 0.1});
  Simulation simulation(compiled(model), {.until = 1, .step = 1e-3, .integrator = Integrator::midpoint});
  EXPECT_EQ(simulation.run().status, SimulationStatus::diverged);
}

// A four-bar whose motor swings it to and fro: its rocker turns back ten times.
constexpr const char* swung_fourbar = R"yaml(
trammel: 1
units: {length: mm, angle: deg}
gravity: [0, -9810, 0]
points: {O2: [0, 0, 0], A: [0, 40, 0], B: [120, 80, 0], O4: [100, 0, 0], P: [60, 110, 0]}
bodies:
  crank:   {mass: 0.2, shape: {rod: [O2, A], radius: 4}}
  coupler: {mass: 0.5, com: [60, 70, 0], inertia: [900, 900, 1500]}
  rocker:  {mass: 0.3, shape: {rod: [O4, B], radius: 4}}
joints:
  O2: {revolute: [ground, crank],   at: O2, axis: z}
  A:  {revolute: [crank, coupler],  at: A,  axis: z, limits: {lower: -60, upper: 70, stiffness: 30, damping: 0.2}}
  B:  {revolute: [coupler, rocker], at: B,  axis: z, cut: true, friction: {viscous: 0.02}}
  O4: {revolute: [rocker, ground],  at: O4, axis: z, armature: 300}
springs: {s: {joint: B, stiffness: 1, rest: 20, damping: 0.03, table: [[-30, -5], [0, 1], [30, 9]]}}
actuators:
  m: {dc_motor: O4, resistance: 2, inductance: 0.01, torque_constant: 40, gear: 20, rotor_inertia: 2, current: 0.8, target: "14*sin(9*t)", friction: {viscous: 1e-3}}
  p: {position: B, stiffness: 3, damping: 0.05, target: "10*sin(5*t)", effort: [-60, 45]}
loads: {l: {on: coupler, at: P, force: ["0.4*B", "-0.02*O4.rate", 0]}}
events: {turns: {when: "O4.rate"}}
)yaml";

TEST(SimulationEvents, on_loops_happen_once) {
  const Mechanism mech = from_yaml(swung_fourbar);
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    for (const double step : {7e-4, 5e-4}) {
      std::vector<double> turns;
      SimulationOptions options{.until = 0.3, .step = step, .tolerance = 1e-10, .integrator = integrator};
      options.on_event = [&](const RecordedEvent& event) {
        if (event.name == "turns") turns.push_back(event.t);
      };
      Simulation simulation(mech, options);
      ASSERT_TRUE(simulation.run().ok());
      EXPECT_GE(turns.size(), 5u);
      for (std::size_t i = 1; i < turns.size(); ++i) {
        EXPECT_GT(turns[i] - turns[i - 1], 1e-6) << fmt::format("{}, step {}", keyword(integrator), step);
      }
    }
  }
}

// A mass that bounces between two walls, whose velocity turns just where the expression has met its zero.
TEST(SimulationEvents, are_seen_again_when_the_motion_turns_back_there) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: z}}
initial: {slide: {v: 1}}
)");
  int seen = 0;
  SimulationOptions options{.until = 1};
  options.events.push_back({.name = "back",
                            .direction = Event::Direction::rising,
                            .when = [](const Moment& m) { return m.q[0] - 0.1; },
                            .then = [&](double, std::span<const double>, std::span<double>) { return ++seen > 0; }});
  options.events.push_back({.name = "turn",
                            .direction = Event::Direction::rising,
                            .when = [](const Moment& m) { return std::abs(m.q[0]) - 0.1; },
                            .then =
                                [](double, std::span<const double>, std::span<double> v) {
                                  v[0] = -v[0];
                                  return true;
                                }});
  Simulation simulation(mech, options);
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_EQ(seen, 3);  // at 0.1, 0.5 and 0.9 s
}

}  // namespace
}  // namespace trammel::test

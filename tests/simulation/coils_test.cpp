// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Motors whose coil meets its current limit and leaves it: switches that every integrator but the implicit one locates.

#include <fmt/format.h>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

// A rotor that a motor spins up from rest at a constant voltage. With s₁, s₂ the roots of L s² + R s + k²/J, three phases:
//   free        i = V/L (e^{s₁t} − e^{s₂t})/(s₁ − s₂)                                              until i = I
//   held        ω grows by k I/J                                                                   until V − R I − k ω = 0
//   free again  i = I (s₁ e^{s₂t} − s₂ e^{s₁t})/(s₁ − s₂)
// and while it is free  k ω = V − R i − L di/dt,   k Δθ = V Δt − L Δi − R J/k Δω.
constexpr double R = 1, L = 0.01, k = 0.1, J = 1e-3, V = 12, limit = 5, end_time = 0.3;

struct SpinUp {
  double meets = 0, leaves = 0, angle = 0, speed = 0, current = 0;
};
SpinUp closed_form() {
  const double root = std::sqrt(R * R - 4 * L * k * k / J), s1 = (-R + root) / (2 * L), s2 = (-R - root) / (2 * L);
  const auto first = [&](double t) { return V / L * (std::exp(s1 * t) - std::exp(s2 * t)) / (s1 - s2); };
  const auto first_rate = [&](double t) { return V / L * (s1 * std::exp(s1 * t) - s2 * std::exp(s2 * t)) / (s1 - s2); };
  double a = 0, b = std::log(s2 / s1) / (s1 - s2);  // where it would be largest
  for (int i = 0; i < 200; ++i) (first(a + (b - a) / 2) < limit ? a : b) = a + (b - a) / 2;
  SpinUp out{.meets = b};
  const double w1 = (V - R * limit - L * first_rate(b)) / k, angle1 = (V * b - L * limit - R * J / k * w1) / k;
  const double w2 = (V - R * limit) / k, held = (w2 - w1) * J / (k * limit);
  out.leaves = out.meets + held;
  const double angle2 = angle1 + (w1 + w2) / 2 * held, t = end_time - out.leaves;
  out.current = limit * (s1 * std::exp(s2 * t) - s2 * std::exp(s1 * t)) / (s1 - s2);
  const double rate = limit * s1 * s2 * (std::exp(s2 * t) - std::exp(s1 * t)) / (s1 - s2);
  out.speed = (V - R * out.current - L * rate) / k;
  out.angle = angle2 + (V * t - L * (out.current - limit) - R * J / k * (out.speed - w2)) / k;
  return out;
}

Mechanism rotor(const std::string& volts) {
  return from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {{wheel: {{mass: 1, inertia: [{0}, {0}, {0}]}}}}
joints: {{axle: {{revolute: [ground, wheel], at: [0, 0, 0], axis: z}}}}
actuators:
  motor: {{dc_motor: axle, target: '{1}', torque_constant: {2}, back_emf: {2}, resistance: {3}, inductance: {4}, current: {5}}}
)",
                               J, volts, k, R, L, limit));
}

TEST(SimulationCoil, meets_and_leaves_its_limit_when_the_closed_form_does) {
  const SpinUp exact = closed_form();
  ASSERT_GT(exact.leaves, exact.meets + 0.1);
  ASSERT_LT(exact.leaves, end_time);
  const Mechanism mech = rotor(fmt::format("{}", V));
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
    std::vector<double> times;
    SimulationOptions options{.until = end_time, .tolerance = 1e-10, .integrator = integrator};
    options.on_event = [&](const RecordedEvent& event) {
      EXPECT_EQ(event.name, "motor");
      EXPECT_EQ(event.kind, "limit");
      EXPECT_EQ(event.text, times.empty() ? "its current meets its limit" : "its current leaves its limit");
      times.push_back(event.t);
    };
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run().ok());
    ASSERT_EQ(times.size(), 2U);
    EXPECT_NEAR(times[0], exact.meets, 1e-9);
    EXPECT_NEAR(times[1], exact.leaves, 1e-7);  // 70 rad/s are met at 500 rad/s²
    EXPECT_NEAR(simulation.state().q[0], exact.angle, 1e-7) << keyword(integrator);
    EXPECT_NEAR(simulation.state().v[0], exact.speed, 1e-7) << keyword(integrator);
    EXPECT_NEAR(simulation.motors()[0].amperes, exact.current, 1e-7);
  }
}

// Orders of fixed steps, with the limit met and left off the grid.
TEST(SimulationCoil, keeps_the_order_of_fixed_steps_over_its_limit) {
  const SpinUp exact = closed_form();
  const Mechanism mech = rotor(fmt::format("{}", V));
  struct Case {
    Integrator integrator;
    double order, first;
  };
  for (const Case& c :
       {Case{Integrator::rk4, 4, 1e-5}, {Integrator::midpoint, 2, 3e-3}, {Integrator::semi_implicit, 1, 0.2}}) {
    std::vector<double> errors;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      Simulation simulation(mech, {.until = end_time, .step = h, .integrator = c.integrator});
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << report.text;
      errors.push_back(std::abs(simulation.state().q[0] - exact.angle));
    }
    EXPECT_LT(errors[0], c.first) << keyword(c.integrator);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), c.order, 0.25) << keyword(c.integrator) << " " << errors[i];
    }
  }
}

// The voltage turns around while the limit holds the current: it leaves at once, and meets the other limit. All integrators agree, and
// the audit closes.
TEST(SimulationCoil, leaves_its_limit_at_once_where_the_voltage_jumps) {
  const Mechanism mech = rotor("12*sign(0.0503 - t)");
  const SimulationOptions fine{.until = 0.1, .tolerance = 1e-12};
  std::vector<std::string> texts;
  SimulationOptions noted = fine;
  noted.on_event = [&](const RecordedEvent& event) { texts.push_back(event.text); };
  const std::vector<double> end = end_of(mech, noted);
  EXPECT_EQ(texts, (std::vector<std::string>{"its current meets its limit", "its current leaves its limit",
                                             "its current meets its limit"}));
  std::vector<double> errors, audits;
  for (const double h : {1e-3, 5e-4}) {
    Simulation simulation(mech, {.until = 0.1, .step = h, .integrator = Integrator::rk4});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    audits.push_back(std::abs(report.energy.error));
    errors.push_back(distance(simulation.state().q, end));
  }
  EXPECT_LT(errors[0], 1e-6);
  EXPECT_LT(errors[1], errors[0] / 10);
  EXPECT_LT(audits[0], 1e-6);  // of 1.2 J that the rotor had
  EXPECT_LT(audits[1], audits[0] / 10);
  for (const Integrator integrator : {Integrator::bdf, Integrator::midpoint, Integrator::implicit}) {
    const double allowed = integrator == Integrator::bdf ? 1e-7 : integrator == Integrator::midpoint ? 1e-4 : 0.02;
    EXPECT_LT(distance(end_of(mech, {.until = 0.1, .step = 1e-4, .tolerance = 1e-10, .integrator = integrator}), end),
              allowed)
        << keyword(integrator);
  }
}

// Whether the limit holds is a part of checkpoints.
TEST(SimulationCoil, goes_on_from_a_checkpoint_bit_by_bit) {
  const Mechanism mech = rotor(fmt::format("{}", V));
  for (const Integrator integrator : {Integrator::rk4, Integrator::midpoint, Integrator::semi_implicit}) {
    const SimulationOptions options{.until = end_time, .step = 1e-3, .integrator = integrator};
    Simulation whole(mech, options), first(mech, options), second(mech, options);
    ASSERT_TRUE(whole.run().ok());
    ASSERT_TRUE(first.run(0.08).ok());  // held there
    second.restore(first.checkpoint());
    ASSERT_TRUE(second.run().ok());
    EXPECT_EQ(whole.state().q, second.state().q);
    EXPECT_EQ(whole.state().v, second.state().v);
  }
}

}  // namespace
}  // namespace trammel::test

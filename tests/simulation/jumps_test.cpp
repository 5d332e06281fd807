// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Jumps and kinks in time: blows of drives whose velocity jumps, work of tables, rows at jumps; and what powered balls and bushings do.

#include <fmt/format.h>

#include <trammel/dynamics.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

constexpr Integrator every_integrator[] = {Integrator::erk,      Integrator::bdf,           Integrator::rk4,
                                           Integrator::midpoint, Integrator::semi_implicit, Integrator::implicit};

// A driven bar with a free one at its end, no weight.
Mechanism two_bars(const std::string& drive) {
  return from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {{mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  b: {{mass: 2, com: [1.5, 0, 0], inertia: [0.2, 0.2, 0.2]}}
joints:
  A: {{revolute: [ground, a], at: [0, 0, 0], axis: z}}
  B: {{revolute: [a, b], at: [1, 0, 0], axis: z}}
drives: {{A: {}}}
)",
                               drive));
}

// From rest the driven bar has 2 rad/s at once. With both in line, M = [[a, c], [c, b]] of double pendulums: the free one gets
// −c/b of that, c = I_b + m l (1 + l), b = I_b + m l² with l = 0.5: −(0.2 + 1.5)/(0.2 + 0.5). Half of p · 2 rad/s is put in.
TEST(SimulationDrives, that_jump_in_velocity_strike_what_moves_with_them) {
  for (const std::string drive : {"{velocity: \"2*step(t - 0.25)\"}", "{position: \"2*max(0, t - 0.25)\"}"}) {
    const Mechanism mech = two_bars(drive);
    for (const Integrator integrator : every_integrator) {
      std::vector<RecordedEvent> events;
      SimulationOptions options{.until = 0.3, .step = 1e-3, .tolerance = 1e-10, .integrator = integrator};
      options.on_event = [&](const RecordedEvent& event) { events.push_back(event); };
      Simulation simulation(mech, options);
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << report.text;
      ASSERT_EQ(events.size(), 1U) << keyword(integrator);
      EXPECT_EQ(events[0].name, "A");
      EXPECT_EQ(events[0].kind, "blow");
      EXPECT_EQ(events[0].text, "the drive's velocity jumps from 0 to 2 in SI units");
      EXPECT_NEAR(events[0].t, 0.25, 1e-15);
      EXPECT_NEAR(events[0].v_after[1], -2 * 1.7 / 0.7, 1e-12) << keyword(integrator);
      const bool first_order = integrator == Integrator::semi_implicit || integrator == Integrator::implicit;
      const double T = report.energy.kinetic;
      EXPECT_NEAR(report.energy.error, 0, (first_order ? 0.02 : 1e-6) * T) << keyword(integrator);
      EXPECT_GT(report.energy.input, 0.1);
    }
  }
}

// In a loop with a freedom left beside the driven one: no admissible velocity w that leaves the drive alone feels the blow, wᵀ M Δv = 0,
// and the loop stays closed.
TEST(SimulationDrives, strike_loops_so_that_what_is_free_gets_no_impulse) {
  const Mechanism mech = from_yaml(R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0.2, 0.5, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 2, com: [1.0, 1.2, 0], inertia: [0.2, 0.2, 0.2]}
  c: {mass: 1.5, com: [2.0, 1.3, 0], inertia: [0.3, 0.3, 0.3]}
  d: {mass: 0.7, com: [2.6, 0.5, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [0.3, 1, 0], axis: z}
  C: {revolute: [b, c], at: [1.5, 1.5, 0], axis: z}
  D: {revolute: [c, d], at: [2.5, 1, 0], axis: z}
  E: {revolute: [d, ground], at: [3, 0, 0], axis: z, cut: true}
drives: {A: {velocity: "0.3 + 0.7*step(t - 0.1)"
}
}
)yaml");
  for (const Integrator integrator : every_integrator) {
    RecordedEvent blow;
    SimulationOptions options{.until = 0.12, .step = 1e-3, .integrator = integrator};
    options.on_event = [&](const RecordedEvent& event) { blow = event; };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    ASSERT_EQ(blow.kind, "blow") << keyword(integrator);
    const auto n = static_cast<std::size_t>(mech.nv);
    Workspace ws(mech);
    std::vector<double> M(n * n), w{0, 1, -0.4, 0.3};
    mass_matrix(mech, ws, blow.q_before, M);
    LoopDynamics loops(mech);
    const std::vector<char> held{1, 0, 0, 0};
    loops.project_velocity(blow.q_before, w, held);
    ASSERT_NEAR(w[0], 0, 1e-12);
    double impulse = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const double term = w[i] * M[i * n + k] * (blow.v_after[k] - blow.v_before[k]);
        impulse += term, size += std::abs(term);
      }
    }
    EXPECT_LT(std::abs(impulse), 1e-9 * size) << keyword(integrator);
    EXPECT_GT(size, 0.1);
    EXPECT_NEAR(blow.v_after[0], 1, 1e-12);
    EXPECT_LT(std::max(loops.diagnose(blow.q_after, blow.v_after).rate_m, report.drift.position), 1e-9);
  }
}

// Also in a run that goes on beyond the end that was named first, and from a checkpoint.
TEST(SimulationDrives, strike_in_later_parts_of_a_run_too) {
  const Mechanism mech = two_bars("{velocity: \"2*step(t - 0.25)\"}");
  for (const Integrator integrator : every_integrator) {
    const SimulationOptions first_part{.until = 0.2, .step = 1e-2, .integrator = integrator};
    SimulationOptions all = first_part;
    all.until = 0.5;
    Simulation whole(mech, all), parts(mech, first_part), later(mech, all);
    ASSERT_TRUE(whole.run().ok() && parts.run(0.2).ok());
    later.restore(parts.checkpoint());
    ASSERT_TRUE(parts.run(0.5).ok() && later.run().ok());
    EXPECT_NEAR(parts.state().v[1], whole.state().v[1], 1e-6) << keyword(integrator);
    EXPECT_NEAR(later.state().v[1], whole.state().v[1], 1e-6) << keyword(integrator);
    if (!has_error_control(integrator)) {
      EXPECT_EQ(later.state().v, whole.state().v) << keyword(integrator);
    }
  }
}

TEST(SimulationDrives, that_jump_in_position_book_the_energy_of_the_leap) {
  Simulation simulation(two_bars("{position: \"0.5*step(t - 0.25)\"}"), {.until = 0.3});
  const SimulationReport report = simulation.run();
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].find("drive 'A' jumps in position at t = 0.25 s: bodies leap there"), 0U);
  EXPECT_NEAR(report.energy.error, 0, 1e-12);
}

// Where all is driven, work is all that error control has to look at. Knots of a table are kinks of the force, which its estimate of high
// order does not see: steps end there.
TEST(SimulationDrives, put_in_work_within_the_tolerance) {
  for (const char* motion : {"{table: [[0, 0], [0.3, 0.1], [0.5, 0.6], [1.1, 0.2], [2, 0]]}",
                             "\"0.3*max(0, t - 0.7)^3\"", "\"0.5*ramp(t, 0.3, 0.6)\""}) {
    const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
bodies: {{rod: {{mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}}}
joints: {{J: {{revolute: [ground, rod], at: [0, 0, 0], axis: y}}}}
drives: {{J: {{position: {}}}}}
)",
                                                 motion));
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      Simulation simulation(mech, {.until = 2, .tolerance = tolerance});
      EXPECT_LT(std::abs(simulation.run().energy.error), tolerance) << motion << ", " << tolerance;
    }
    std::vector<double> errors;
    for (const double step : {0.04, 0.02}) {
      Simulation simulation(mech, {.until = 2, .step = step, .integrator = Integrator::rk4});
      errors.push_back(std::abs(simulation.run().energy.error));
    }
    EXPECT_LT(errors[1], errors[0] / 10) << motion;
  }
}

// Rows at a jump have the time of the jump, not of the last number before it, every step or on a grid.
TEST(SimulationRows, at_jumps_are_on_the_grid) {
  const std::string bar = R"(
trammel: 1
bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {J: {revolute: [ground, rod], at: [0, 0, 0], axis: z}}
)";
  for (const std::string what : {"actuators: {m: {torque: J, target: 'step(t - 0.5)'}}\n",
                                 "actuators: {m: {torque: J, target: 'sign(t - 0.5)'}}\n",
                                 "drives: {J: {position: {table: [[0.5, 0], [0.75, 0.2], [2, 0]]}}}\n"}) {
    const Mechanism mech = from_yaml(bar + what);
    for (const Integrator integrator : every_integrator) {
      for (const double every : {0.0, 0.125}) {
        std::vector<double> times;
        SimulationOptions options{.until = 1, .step = 0.125, .integrator = integrator, .record_every = every};
        options.record = [&](const Moment& moment) { times.push_back(moment.t); };
        ASSERT_TRUE(Simulation(mech, options).run().ok());
        EXPECT_EQ(std::count(times.begin(), times.end(), 0.5), 1) << what << keyword(integrator) << ", " << every;
        for (const double t : times) EXPECT_TRUE(t >= 0.5 || 0.5 - t > 1e-9) << fmt::format("{}", t);
        for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GT(times[i], times[i - 1]);
        if (every > 0) {
          EXPECT_EQ(times.size(), 9U);
        }
      }
    }
  }
}

// A part that ends at the jump itself, and goes on from there, has the rows and steps of the whole.
TEST(SimulationRows, at_jumps_are_the_same_in_parts) {
  const Mechanism mech = two_bars("{velocity: \"2*step(t - 0.375)\"}");
  for (const Integrator integrator : {Integrator::rk4, Integrator::midpoint, Integrator::semi_implicit}) {
    for (const double every : {0.0, 0.125}) {
      std::vector<double> times[2];
      std::uint64_t steps[2] = {};
      for (const bool in_parts : {false, true}) {
        SimulationOptions options{.until = 0.75, .step = 0.125, .integrator = integrator, .record_every = every};
        options.record = [&](const Moment& moment) { times[in_parts].push_back(moment.t); };
        Simulation simulation(mech, options);
        if (in_parts) {
          ASSERT_TRUE(simulation.run(0.375).ok());
        }
        const SimulationReport report = simulation.run();
        ASSERT_TRUE(report.ok());
        steps[in_parts] = report.steps;
        EXPECT_GT(report.smallest_step, 1e-6);
      }
      EXPECT_EQ(times[0], times[1]) << keyword(integrator) << ", " << every;
      EXPECT_EQ(steps[0], steps[1]) << keyword(integrator) << ", " << every;
    }
  }
}

// Rows without end within one step: the run stops among them, and goes on from there.
TEST(SimulationRows, without_end_within_a_step_can_be_stopped) {
  std::size_t rows = 0;
  bool stops = true;
  SimulationOptions options{.until = 1, .record_every = 1e-12};
  options.record = [&](const Moment&) { ++rows; };
  options.go_on = [&](double) { return !stops || rows < 5000; };
  const Mechanism mech = compiled(point_pendulum());
  Simulation simulation(mech, options);
  const SimulationReport report = simulation.run();
  EXPECT_EQ(report.status, SimulationStatus::stopped);
  EXPECT_GE(rows, 5000U);
  EXPECT_LE(rows, 6001U);
  EXPECT_NEAR(report.t, 1e-12 * static_cast<double>(rows - 1), 1e-18);
  const Checkpoint checkpoint = simulation.checkpoint();
  EXPECT_EQ(checkpoint.t, report.t);
  EXPECT_EQ(checkpoint.rows, rows);
}

// u of a torque on a ball joint is in M, which turns with the second body: the body is pushed by u, the first by −u. A body that is turned
// by R gets I⁻¹ u in its own axes.
TEST(SimulationBall, is_powered_in_the_frame_of_its_second_body) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  base: {mass: 3, inertia: [5, 6, 7]}
  head: {mass: 1, inertia: [1, 2, 3]}
joints:
  float: {free: [ground, base], at: [0, 0, 0]}
  ball: {spherical: [base, head], at: [0, 0, 0]}
actuators: {m: {torque: ball, target: [0.1, 0.2, -0.4]}}
)");
  State start = initial_state(mech);
  const double half = 0.5 * 1.1;  // about (1, 2, 2)/3
  start.q[7] = std::cos(half), start.q[8] = std::sin(half) / 3, start.q[9] = start.q[10] = 2 * std::sin(half) / 3;
  Simulation simulation(mech, {.until = 1}, start);
  const std::span<const double> a = simulation.accelerations();
  const Mat3d R = rotation_of(Quaternion<double>::load(&start.q[7]));
  const Vec3d u{0.1, 0.2, -0.4}, on_base = -(R * u);
  const Vec3d of_base{on_base.x / 5, on_base.y / 6, on_base.z / 7}, of_head{u.x / 1, u.y / 2, u.z / 3};
  const Vec3d relative = of_head - transpose(R) * of_base;
  const double expected[] = {of_base.x, of_base.y, of_base.z, relative.x, relative.y, relative.z};
  const std::size_t at[] = {0, 1, 2, 6, 7, 8};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a[at[i]], expected[i], 1e-13) << i;
  EXPECT_NEAR(simulation.actuator_forces()[0], std::sqrt(0.01 + 0.04 + 0.16), 1e-15);
}

TEST(SimulationBushing, that_is_turned_by_nearly_half_a_turn_is_told) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {wheel: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {J: {revolute: [ground, wheel], at: [0, 0, 0], axis: z}}
bushings: {mount: {between: [ground, wheel], at: [0, 0, 0], stiffness: {turn: [0, 0, 0.01]}}}
initial: {J: {v: 2}}
)");
  for (const double until : {1.3, 1.6}) {
    Simulation simulation(mech, {.until = until});
    const SimulationReport report = simulation.run();
    ASSERT_EQ(report.notes.size(), until > 1.5 ? 1U : 0U);
    if (until > 1.5) {
      EXPECT_EQ(report.notes[0].find("bushing 'mount' is turned by 1"), 0U) << report.notes[0];
    }
  }
}

}  // namespace
}  // namespace trammel::test

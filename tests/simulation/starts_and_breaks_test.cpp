// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Runs that begin exactly where something switches, and functions of time that jump.

#include <fmt/format.h>

#include "simulation/scenes.hpp"
#include "simulation/time_breaks.hpp"

namespace trammel::test {
namespace {

const Integrator all_integrators[] = {Integrator::erk,      Integrator::bdf,           Integrator::rk4,
                                      Integrator::midpoint, Integrator::semi_implicit, Integrator::implicit};

// It sinks in until the spring of the stop carries the weight: by m g / k.
TEST(SimulationStops, hold_what_starts_exactly_on_them) {
  for (const char* limits : {"lower: 0", "lower: 0, upper: 0", "lower: 0, upper: 1"}) {
    const Mechanism mech = from_yaml(std::string(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: z, limits: {)") +
                                     limits + ", stiffness: 1e4, damping: 100}}}\n");
    for (const Integrator integrator : all_integrators) {
      Simulation simulation(mech, {.until = 1, .integrator = integrator});
      const SimulationReport report = simulation.run();
      EXPECT_TRUE(report.ok()) << report.text;
      EXPECT_NEAR(simulation.state().q[0], -g / 1e4, 1e-7) << keyword(integrator) << ", " << limits;
    }
  }
}

// 1 kg that slides under a force along x.
Mechanism pushed(const std::string& force) {
  return from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x}}
loads: {push: {on: mass, at: [0, 0, 0], force: [")" +
                   force + "\", 0, 0]}}\n");
}

// A force of 100 N on 1 kg for a second of a hundred; nothing else happens.
TEST(SimulationBreaks, pulses_are_not_stepped_over) {
  for (const char* force : {"100*pulse(t, 3, 4)", "if(t > 3 && t < 4, 100, 0)", "100*step(t - 3) - 100*step(t - 4)",
                            "if(t > 3 && t < 4, 100 + 0*slide, 0)"}) {
    const Mechanism mech = pushed(force);
    for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
      Simulation simulation(mech, {.until = 100, .integrator = integrator});
      ASSERT_TRUE(simulation.run().ok());
      EXPECT_NEAR(simulation.state().v[0], 100, 1e-5) << force << ", " << keyword(integrator);
      EXPECT_NEAR(simulation.state().q[0], 100 * 0.5 + 100 * 96, 1e-3) << force << ", " << keyword(integrator);
    }
  }
}

// Smooth ones neither: 100 N s of 1/25 to 1/20000 of the run.
TEST(SimulationBreaks, smooth_pulses_are_not_stepped_over) {
  const std::pair<const char*, double> forces[] = {{"1000*(ramp(t, 7.2, 7.3) - ramp(t, 7.3, 7.4))", 1e-4},
                                                   {"10000*(ramp(t, 3.3, 3.31) - ramp(t, 3.31, 3.32))", 1e-4},
                                                   {"if(t > 5 && t < 5.02, 100*pi/0.04*sin(pi*(t - 5)/0.02), 0)", 1e-4},
                                                   {"10000*max(0, 1 - abs(t - 4)/0.01)", 1e-4},
                                                   {"100/sqrt(pi)/0.001*exp(-((t - 2.3456)/0.001)^2)", 1e-4},
                                                   {"sin(t) + 10000*(ramp(t, 3.3, 3.31) - ramp(t, 3.31, 3.32))", 1e-4}};
  for (const auto& [force, tolerance] : forces) {
    const Mechanism mech = pushed(force);
    const double more = std::string_view(force).starts_with("sin(t)") ? 1 - std::cos(10.0) : 0;
    for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
      Simulation simulation(mech, {.until = 10, .integrator = integrator});
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << report.text;
      EXPECT_NEAR(simulation.state().v[0], 100 + more, 100 * tolerance) << force << ", " << keyword(integrator);
      EXPECT_LT(report.steps, 3000U) << force << ", " << keyword(integrator);
    }
  }
}

// Two bars that hang one from the other, and what acts on them.
Mechanism two_bars(const std::string& what) {
  return from_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [0, -1.5, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [0, -1, 0], axis: z}
)" + what);
}

// A table's motion begins and ends with a jump of its acceleration: error control halts there.
TEST(SimulationBreaks, of_the_rates_of_drives_are_found) {
  const Mechanism mech =
      two_bars("drives: {A: {position: {table: [[0.2, 0], [0.6, 0.8], [1.1, -0.3], [1.5, 0.5]]}}}\n");
  std::vector<double> ends;
  for (const double tolerance : {1e-9, 1e-11, 1e-13}) {
    Simulation simulation(mech, {.until = 2, .tolerance = tolerance});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_LT(std::abs(report.energy.error), 1e3 * tolerance + 1e-11) << tolerance;
    ends.push_back(simulation.state().q[1]);
  }
  EXPECT_NEAR(ends[0], ends[2], 1e-6);
  EXPECT_NEAR(ends[1], ends[2], 1e-8);
}

// Two bars under a load or a drive that jumps, on the grid of steps and between its times.
TEST(SimulationBreaks, fixed_steps_keep_their_order_over_jumps) {
  const char* const cases[] = {"loads: {push: {on: b, at: [0, -2, 0], force: [\"if(t >= 0.5, 20, 0)\", 0, 0]}}\n",
                               "loads: {push: {on: b, at: [0, -2, 0], force: [\"20*pulse(t, 0.3, 0.7)\", 0, 0]}}\n",
                               "loads: {push: {on: b, at: [0, -2, 0], force: [\"if(t > 0.5037, 20, 0)\", 0, 0]}}\n",
                               "loads: {push: {on: b, at: [0, -2, 0], force: [\"20*sign(t - 0.5)\", 0, 0]}}\n",
                               "loads: {push: {on: b, at: [0, -2, 0], force: [\"20*sign(t - 0.337)\", 0, 0]}}\n",
                               "actuators: {pull: {torque: B, target: \"5*step(t - 0.5)\"}}\n",
                               "drives: {A: {position: {table: [[0.2, 0], [0.5, 0.8], [0.8, -0.3]]}}}\n"};
  for (const char* what : cases) {
    const Mechanism mech = two_bars(what);
    const std::vector<double> exact = end_of(mech, {.until = 1, .tolerance = 1e-13});
    for (const Integrator integrator : {Integrator::rk4, Integrator::midpoint}) {
      const int order = integrator == Integrator::rk4 ? 4 : 2;
      const auto error = [&](double step) {
        return distance(end_of(mech, {.until = 1, .step = step, .integrator = integrator}), exact);
      };
      const double coarse = error(0.01), fine = error(0.005);
      EXPECT_GT(std::log2(coarse / fine), order - 0.4) << keyword(integrator) << ", " << what << coarse << ' ' << fine;
    }
  }
}

// Rows of a run that goes on stand on the new grid, whatever the old one was.
TEST(SimulationRows, go_on_with_another_distance) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies: {a: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
initial: {A: 0.5}
)");
  for (const auto& [first, second] : {std::pair(0.02, 0.01), std::pair(0.01, 0.02), std::pair(0.01, 0.01)}) {
    std::vector<double> rows;
    SimulationOptions options{.until = 0.1, .step = 1e-3, .integrator = Integrator::rk4};
    options.record = [&](const Moment& m) { rows.push_back(m.t); };
    options.record_every = first;
    Simulation whole(mech, options);
    ASSERT_TRUE(whole.run().ok());
    const Checkpoint saved = whole.checkpoint();
    rows.clear();
    options.until = 0.2, options.record_every = second;
    Simulation again(mech, options);
    again.restore(saved);
    ASSERT_TRUE(again.run().ok());
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(std::lround(0.1 / second)));
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(rows[i], 0.1 + second * static_cast<double>(i + 1), 1e-12);
  }
}

TEST(SimulationBreaks, are_the_last_numbers_before_jumps_and_nothing_else) {
  const auto steps = [](double t) { return std::sin(t) + (t >= 1 ? 3 : 0) - (t > 2.5 ? 0.1 : 0); };
  EXPECT_EQ(find_jumps(steps, 0, 10, 1000), (std::vector<double>{std::nextafter(1.0, 0.0), 2.5}));
  // With a value of its own where it jumps.
  const auto sign = [](double t) { return t > 0.7 ? 1.0 : t < 0.7 ? -1.0 : 0.0; };
  EXPECT_EQ(find_jumps(sign, 0, 10, 1000), (std::vector<double>{std::nextafter(0.7, 0.0), 0.7}));
  EXPECT_TRUE(find_jumps([](double t) { return std::exp(t) * std::sin(20 * t); }, 0, 10, 1000).empty());
  EXPECT_TRUE(find_jumps([](double t) { return std::abs(t - 5); }, 0, 10, 999).empty());
}

// Opened and closed again far apart, the bodies leap together: what that takes or brings is booked.
TEST(SimulationEvents, that_close_a_loop_across_a_gap_keep_the_balance_of_energy) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {O2: [0, 0, 0], A: [0, 0.04, 0], B: [0.12, 0.08, 0], O4: [0.1, 0, 0]}
bodies:
  crank: {mass: 0.2, shape: {rod: [O2, A], radius: 0.004}}
  coupler: {mass: 0.5, shape: {rod: [A, B], radius: 0.004}}
  rocker: {mass: 0.3, shape: {rod: [O4, B], radius: 0.004}}
joints:
  O2: {revolute: [ground, crank], at: O2, axis: z}
  A: {revolute: [crank, coupler], at: A, axis: z}
  B: {revolute: [coupler, rocker], at: B, axis: z}
  O4: {revolute: [rocker, ground], at: O4, axis: z}
events:
  apart: {when: "t - 0.05", do: {open: B}}
  together: {when: "t - 0.1", do: {close: B}}
)");
  Simulation simulation(mech, {.until = 0.2, .tolerance = 1e-10});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(report.event_count, 2u);
  EXPECT_GT(std::abs(report.energy.dissipated) + std::abs(report.energy.input), 1e-3);
  EXPECT_NEAR(report.energy.error, 0, 1e-8);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].find("event 'together' closes 'B' across a gap of "), 0U) << report.notes[0];
}

// Wheels that are geared 1 to −2 turn at 1 and −2 rad/s, and not at 1 and 1.
std::string geared(const std::string& first, const std::string& second) {
  return R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [ground, b], at: [1, 0, 0], axis: z}
couplings: {g: {gear: [A, B], ratio: -2}}
drives:
  A: )" + first +
         "\n  B: " + second + "\n";
}

TEST(SimulationDrives, that_contradict_each_other_through_a_gear_are_told) {
  const Mechanism agreeing = from_yaml(geared("{velocity: 1}", "{velocity: -2}"));
  const Mechanism contrary = from_yaml(geared("{velocity: 1}", "{velocity: 1}"));
  for (const Integrator integrator : all_integrators) {
    Simulation good(agreeing, {.until = 1, .step = 0.01, .integrator = integrator});
    EXPECT_TRUE(good.run().ok()) << keyword(integrator);
    EXPECT_NEAR(good.state().q[1], -2, 1e-9) << keyword(integrator);
    Simulation bad(contrary, {.until = 1, .step = 0.01, .integrator = integrator});
    const SimulationReport report = bad.run();
    EXPECT_EQ(report.status, SimulationStatus::inconsistent) << keyword(integrator);
    EXPECT_EQ(report.text,
              "at t = 0 s the drives 'A', 'B' contradict each other through the loops: not all can move as prescribed");
  }
}

TEST(SimulationDrives, that_come_to_contradict_each_other_end_the_run) {
  const Mechanism mech = from_yaml(geared("{position: t}", "{position: '-2*t - 0.1*t^3'}"));
  for (const Integrator integrator : all_integrators) {
    Simulation simulation(mech, {.until = 1, .step = 0.01, .integrator = integrator});
    const SimulationReport report = simulation.run();
    EXPECT_FALSE(report.ok()) << keyword(integrator);
    EXPECT_LT(simulation.state().t, 0.1) << keyword(integrator);
    EXPECT_NE(report.text.find("the drives 'A', 'B' contradict each other"), std::string::npos)
        << keyword(integrator) << ": " << report.text;
  }
}

// A spring of 1 kHz under steps of 10 ms: the implicit rule takes its energy away, and says so; under steps of 1 µs it keeps most of it.
TEST(SimulationVerdicts, the_implicit_rule_tells_what_it_damps) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
springs: {s: {joint: A, stiffness: 4e7, rest: 0.1}}
)");
  for (const double step : {1e-2, 1e-6}) {
    Simulation simulation(mech, {.until = 1.2e-3 + step, .step = step, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    ASSERT_EQ(report.notes.size(), step > 1e-3 ? 1U : 0U) << step;
    for (const std::string& note : report.notes) EXPECT_EQ(note.find("the implicit rule damps"), 0U) << note;
  }
}

// A force against the motion, as large whichever way it goes: nothing can come to rest under it.
TEST(SimulationVerdicts, name_the_load_over_whose_jump_a_motion_goes_back_and_forth) {
  const auto braked = [](const char* force) {
    return from_yaml(std::string(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x}}
initial: {slide: {v: 0.01}}
loads: {brake: {on: mass, at: [0, 0, 0], along: x, force: ")") +
                     force + "\"}}\n");
  };
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
    std::vector<std::string> told;
    SimulationOptions options{.until = 1, .integrator = integrator, .most_steps = 6000};
    options.on_note = [&](const std::string& note) { told.push_back(note); };
    Simulation simulation(braked("-2*sign(slide.rate)"), options);
    const SimulationReport report = simulation.run();
    ASSERT_EQ(told.size(), 1U) << keyword(integrator);
    EXPECT_EQ(told[0].find("load 'brake' jumps with the state, and at t = 0.005"), 0U) << told[0];
    EXPECT_EQ(report.notes, told);
  }
  Simulation smooth(braked("-2*tanh(slide.rate/0.01)"), {.until = 1});
  const SimulationReport report = smooth.run();
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(report.notes.empty());
}

// 1 kg that a force of 2 N draws back to 0 from either side: parabolas, v0 s each.
TEST(SimulationBreaks, of_forces_with_the_state_keep_the_tolerance) {
  const Mechanism mech = pushed("-2*sign(slide)");
  for (const double v0 : {1.0, 0.83, 0.61, 1.37}) {
    State start = initial_state(mech);
    start.v[0] = v0;
    for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
      Simulation simulation(mech, {.until = 3, .tolerance = 1e-8, .integrator = integrator}, start);
      ASSERT_TRUE(simulation.run().ok());
      const int crossings = static_cast<int>(std::floor(3 / v0));
      const double since = 3 - crossings * v0, side = crossings % 2 == 0 ? 1 : -1;
      const bool at_crossing = std::abs(since) < 1e-9;
      EXPECT_NEAR(simulation.state().q[0], at_crossing ? 0 : side * (v0 * since - since * since), 2e-6)
          << v0 << ' ' << keyword(integrator);
      EXPECT_NEAR(simulation.state().v[0], side * (v0 - 2 * since), 2e-6) << v0 << ' ' << keyword(integrator);
    }
  }
}

// What the state lets through is found as if there were no gate.
TEST(SimulationBreaks, of_functions_that_the_state_gates_are_found) {
  const auto pendulum = [](const char* torque) {
    return from_yaml(std::string(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {P: {revolute: [ground, arm], at: [0, 0, 0], axis: z}}
loads: {L: {on: arm, torque: [0, 0, ")") +
                     torque + "\"]}}\n");
  };
  const double expected = end_of(pendulum("500*pulse(t, 0.3, 0.302)"), {.until = 1, .tolerance = 1e-12})[0];
  EXPECT_NEAR(expected, -2.524693, 1e-6);  // by scipy's DOP853, halted at the jumps
  for (const char* gated : {"500*pulse(t, 0.3, 0.302)*(P < 0.5)", "if(P.rate < 0.5, 500*pulse(t, 0.3, 0.302), 0)"}) {
    const Mechanism mech = pendulum(gated);
    for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4}) {
      EXPECT_NEAR(end_of(mech, {.until = 1, .integrator = integrator})[0], expected, 1e-5)
          << gated << ' ' << keyword(integrator);
    }
  }
}

// A current that rushes past for 2 ms.
TEST(SimulationBreaks, of_currents_are_found) {
  const Mechanism mech = from_yaml(R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies: {ball: {mass: 10, shape: {sphere: 0.1}}}
joints: {X: {prismatic: [ground, ball], at: [0, 0, 0], axis: x}}
environment: {fluid: {density: 1000, current: ["1000*pulse(t, 3.3, 3.302)", 0, 0]}}
)yaml");
  const double fine = end_of(mech, {.until = 10, .step = 1e-4, .integrator = Integrator::rk4})[0];
  EXPECT_GT(fine, 10);
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf}) {
    EXPECT_NEAR(end_of(mech, {.until = 10, .integrator = integrator})[0], fine, 1e-3) << keyword(integrator);
  }
}

TEST(SimulationDrives, that_jump_in_velocity_are_told) {
  const auto bars = [](const char* drive) {
    return from_yaml(std::string(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 2, com: [1.5, 0, 0], inertia: [0.2, 0.2, 0.2]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [1, 0, 0], axis: z}
initial: {A: {v: 10}}
drives: {A: )") + drive +
                     "}\n");
  };
  for (const Integrator integrator : all_integrators) {
    for (const char* jerked :
         {"{velocity: \"10 + 0.1*step(t - 0.5)\"}", "{position: \"10*t + 0.1*max(0, t - 0.5)\"}"}) {
      Simulation simulation(bars(jerked), {.until = 0.51, .integrator = integrator});
      const SimulationReport report = simulation.run();
      ASSERT_GE(report.notes.size(), 1U) << keyword(integrator);
      EXPECT_EQ(report.notes[0].find("drive 'A' jumps in velocity at t = 0.5 s: it strikes"), 0U) << report.notes[0];
    }
    Simulation smooth(bars("{velocity: \"10 + 0.1*ramp(t, 0.4, 0.5) + max(0, t - 0.3)\"}"),
                      {.until = 0.51, .integrator = integrator});
    EXPECT_TRUE(smooth.run().notes.empty()) << keyword(integrator);
  }
}

TEST(SimulationDrives, without_a_finite_value_at_the_start_are_refused) {
  const Mechanism mech = from_yaml(R"yaml(
trammel: 1
bodies: {a: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
drives: {A: {position: "sqrt(t)"}}
)yaml");
  for (const Integrator integrator : all_integrators) {
    Simulation simulation(mech, {.until = 0.02, .step = 0.01, .integrator = integrator});
    const SimulationReport report = simulation.run();
    EXPECT_EQ(report.status, SimulationStatus::diverged) << keyword(integrator);
    EXPECT_EQ(report.text.find("at t = 0 s drive 'A' has no finite value"), 0U)
        << keyword(integrator) << ": " << report.text;
  }
}

// In the very last moment: nothing is left to step over.
TEST(SimulationBreaks, at_the_end_of_a_run_do_not_end_it_badly) {
  const Mechanism mech = from_yaml(R"yaml(
trammel: 1
bodies: {a: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
loads: {L: {on: a, torque: [0, 0, "5*step(t - 1)"]}}
events: {whole: {when: "floor(t) - 0.5"}}
)yaml");
  for (const Integrator integrator : all_integrators) {
    int events = 0;
    SimulationOptions options{.until = 1, .integrator = integrator};
    options.on_event = [&](const RecordedEvent&) { ++events; };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    EXPECT_TRUE(report.ok()) << keyword(integrator) << ": " << report.text;
    EXPECT_EQ(events, 1) << keyword(integrator);
  }
}

// Ends that stand on the grid of steps but for round-off (57 · 0.01 = 0.5700000000000001), and events in the moment of the end.
TEST(SimulationCheckpoints, at_any_end_on_the_grid_go_on_bit_by_bit) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies: {a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
events: {half: {when: "t - 0.5"}}
)");
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::midpoint, Integrator::semi_implicit, Integrator::implicit}) {
    for (const double end : {0.29, 0.41, 0.5, 0.57}) {
      std::vector<double> whole_rows, rows;
      SimulationOptions options{.until = 1, .step = 0.01, .integrator = integrator};
      options.record = [&](const Moment& m) { whole_rows.push_back(m.t); };
      Simulation whole(mech, options);
      ASSERT_TRUE(whole.run().ok());
      options.record = [&](const Moment& m) { rows.push_back(m.t); };
      options.until = end;
      Simulation part(mech, options);
      ASSERT_TRUE(part.run().ok());
      options.until = 1;
      Simulation rest(mech, options);
      rest.restore(part.checkpoint());
      ASSERT_TRUE(rest.run().ok());
      EXPECT_EQ(rest.state().q, whole.state().q) << keyword(integrator) << ' ' << end;
      EXPECT_EQ(rest.state().v, whole.state().v) << keyword(integrator) << ' ' << end;
      EXPECT_EQ(rows, whole_rows) << keyword(integrator) << ' ' << end;
    }
  }
  std::vector<double> rows;
  SimulationOptions options{.until = 1, .record_every = 0.1};
  Simulation done(mech, options);
  ASSERT_TRUE(done.run().ok());
  options.record = [&](const Moment& m) { rows.push_back(m.t); };
  Simulation again(mech, options);
  again.restore(done.checkpoint());
  ASSERT_TRUE(again.run().ok());
  EXPECT_TRUE(rows.empty());
}

TEST(SimulationVerdicts, what_is_cut_down_or_smoothed_is_told) {
  ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  read.model.inputs.clear();
  for (Joint& joint : read.model.joints) joint.properties.dry = {0.1};
  const Mechanism mech = compiled(read.model);
  Simulation simulation(mech, {.until = 0.01,
                               .step = 1e-3,
                               .integrator = Integrator::rk4,
                               .stabilisation = Stabilisation::baumgarte,
                               .baumgarte_rate = 1e6});
  const std::vector<std::string> notes = simulation.run().notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].find("Baumgarte's rate is 500 1/s instead of 1e+06"), 0U) << notes[0];
  const std::string& closure = mech.joints[static_cast<std::size_t>(mech.loops[0].closure)].name;
  EXPECT_EQ(notes[1].find("dry friction of '" + closure + "', which closes a loop, is smoothed below a speed of 0.001"),
            0U)
      << notes[1];
  Simulation without(mech, {.until = 0.01, .friction = false});
  EXPECT_TRUE(without.run().notes.empty());

  Simulation ball(from_yaml(R"(
trammel: 1
bodies: {bob: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}}
joints: {ball: {spherical: [ground, bob], at: [0, 0, 0], friction: {dry: [0.1, 0.1, 0.1]}}}
)"),
                  {.until = 0.01});
  const SimulationReport report = ball.run();
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0],
            "dry friction of 'ball' is smoothed below a speed of 0.001: it may creep where it should stick");
}

// A table's curve begins at rest but with an acceleration, which the first row has; nothing jumps that would give a blow, and the work
// that goes in and comes out again until the end is no imbalance.
TEST(SimulationDrives, by_tables_begin_and_end_at_rest_without_notes) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {e: {revolute: [ground, b], at: [0, 0, 0], axis: z}}
drives: {e: {position: {table: [[0, 0], [1, 1], [2, 0.5]]}}}
)");
  for (const Integrator integrator : all_integrators) {
    std::vector<std::string> notes;
    SimulationOptions options{.until = 3, .integrator = integrator};
    options.on_note = [&](const std::string& note) { notes.push_back(note); };
    Simulation simulation(mech, options);
    // The clamped spline through these points: m₀ = 5.25, m₁ = −4.5, m₂ = 3.75 1/s².
    EXPECT_NEAR(simulation.accelerations()[0], 5.25, 1e-12) << keyword(integrator);
    const SimulationReport report = simulation.run();
    EXPECT_TRUE(report.ok()) << report.text;
    EXPECT_TRUE(notes.empty()) << keyword(integrator) << ": " << notes.front();
    EXPECT_NEAR(simulation.state().q[0], 0.5, 1e-15);
  }
}

// Turns a wheel of this inertia (kg m²), with 20 V and 0.5 N m/A.
Mechanism motor_on_wheel(double inertia, double resistance, double inductance) {
  return from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {{wheel: {{mass: 5, inertia: [{0}, {0}, {0}]}}}}
joints: {{J: {{revolute: [ground, wheel], at: [0, 0, 0], axis: z}}}}
actuators: {{m: {{dc_motor: J, target: 20, torque_constant: 0.5, resistance: {1}, inductance: {2}}}}}
)",
                               inertia, resistance, inductance));
}

// A motor whose coil is much faster than the step (L/R is 83 µs), and one whose coil and wheel swing against each other faster than it
// (k/√(LJ) is 5000 1/s, with little to damp it): implicit steps hold both, whatever the step, and come to the speed without load.
TEST(SimulationImplicit, takes_currents_of_coils_and_lags_of_thrusters_at_the_end_of_its_step) {
  for (const double resistance : {1.2, 0.1}) {
    for (const double inertia : {0.02, 1e-4}) {
      const Mechanism mech = motor_on_wheel(inertia, resistance, 1e-4);
      for (const double step : {1e-2, 1e-3, 1e-4}) {
        Simulation simulation(mech, {.until = 3, .step = step, .integrator = Integrator::implicit});
        const SimulationReport report = simulation.run();
        ASSERT_TRUE(report.ok()) << report.text;
        EXPECT_NEAR(simulation.state().v[0], 40, 1e-8) << resistance << ", " << inertia << ", " << step;
      }
    }
  }
  const Mechanism boat = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {hull: {mass: 2, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, hull], at: [0, 0, 0], axis: x}}
actuators: {t: {thruster: hull, at: [0, 0, 0], along: x, target: 3, gain: 0.5, lag: 1e-6}}
)");
  Simulation simulation(boat, {.until = 1, .integrator = Integrator::implicit});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_NEAR(simulation.state().v[0], 0.5 * 9 / 2, 1e-5);
}

// Of first order, as without a coil: the error falls with the step.
TEST(SimulationImplicit, is_of_first_order_with_a_coil) {
  const Mechanism mech = motor_on_wheel(0.02, 1.2, 0.02);
  Simulation exact(mech, {.until = 0.1, .tolerance = 1e-11});
  ASSERT_TRUE(exact.run().ok());
  std::vector<double> errors;
  for (const double step : {4e-4, 2e-4, 1e-4}) {
    Simulation simulation(mech, {.until = 0.1, .step = step, .integrator = Integrator::implicit});
    ASSERT_TRUE(simulation.run().ok());
    errors.push_back(std::abs(simulation.state().v[0] - exact.state().v[0]));
  }
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.1);
  EXPECT_NEAR(errors[1] / errors[2], 2, 0.1);
}

}  // namespace
}  // namespace trammel::test

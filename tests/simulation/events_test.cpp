// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Events, drives, controllers, switching of closures, verdicts.

#include <fmt/format.h>

#include "simulation/fourbars.hpp"
#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

const Integrator all_integrators[] = {Integrator::erk,      Integrator::bdf,           Integrator::rk4,
                                      Integrator::midpoint, Integrator::semi_implicit, Integrator::implicit};

constexpr const char* falling_mass = R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: z}}
outputs: {tip: {point: [0, 0, 0], on: mass}}
)";

TEST(SimulationEvents, are_located_to_1e_10_s_by_every_integrator) {
  const Mechanism mech =
      from_yaml(std::string(falling_mass) + "events: {low: {when: \"tip.z + 1\", direction: falling, do: stop}}\n");
  const double exact = std::sqrt(2 / g);
  for (const Integrator integrator : all_integrators) {
    SimulationOptions options{
        .until = 1, .step = has_error_control(integrator) ? 0 : 0.01, .tolerance = 1e-12, .integrator = integrator};
    RecordedEvent seen;
    options.on_event = [&](const RecordedEvent& event) { seen = event; };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    ASSERT_EQ(report.status, SimulationStatus::stopped) << keyword(integrator);
    EXPECT_EQ(seen.name, "low");
    // At the event the expression is zero to what the mass moves in 1e-10 s; first-order rules have the time of their own motion.
    EXPECT_NEAR(seen.q_after[0], -1, 1e-9) << keyword(integrator);
    const bool first_order = integrator == Integrator::semi_implicit || integrator == Integrator::implicit;
    EXPECT_NEAR(seen.t, exact, first_order ? 0.01 : 1e-10) << keyword(integrator);
  }
}

TEST(SimulationEvents, know_their_direction) {
  const Mechanism mech = from_yaml(std::string(falling_mass) +
                                   "initial: {slide: {v: 5}}\n"
                                   "events:\n"
                                   "  up: {when: \"slide - 1\", direction: rising}\n"
                                   "  down: {when: \"slide - 1\", direction: falling}\n"
                                   "  any: {when: \"slide.rate\"}\n");
  std::vector<std::string> seen;
  SimulationOptions options{.until = 1};
  options.on_event = [&](const RecordedEvent& event) { seen.push_back(event.name); };
  Simulation simulation(mech, options);
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"up", "any", "down"}));
}

// √(z + 1) ends where the mass passes z = −1: what cannot be seen is told.
// Once, though the run goes on from there; and not before a run has come so far.
TEST(SimulationEvents, in_the_last_moment_of_a_run_happen_too) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies: {a: {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z}}
events: {rises: {when: "t - 0.5", direction: rising}, falls: {when: "t - 0.5", direction: falling}}
)");
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::implicit}) {
    std::vector<std::string> names;
    SimulationOptions options{.until = 0.5, .step = 0.01, .integrator = integrator};
    options.on_event = [&](const RecordedEvent& event) { names.push_back(event.name); };
    options.events.push_back({.name = "user", .when = [](const Moment& m) { return m.t - 0.5; }});
    Simulation simulation(mech, options);
    ASSERT_TRUE(simulation.run().ok());
    EXPECT_EQ(names, (std::vector<std::string>{"rises", "user"})) << keyword(integrator);
    const Checkpoint end = simulation.checkpoint();
    names.clear(), options.until = 1;
    Simulation on(mech, options);
    on.restore(end);
    ASSERT_TRUE(on.run().ok());
    EXPECT_TRUE(names.empty()) << keyword(integrator);
  }
}

TEST(SimulationEvents, without_a_value_are_named) {
  const Mechanism mech = from_yaml(std::string(falling_mass) +
                                   "events:\n"
                                   "  root: {when: \"sqrt(tip.z + 1) - 0.5\", direction: rising}\n"
                                   "  sound: {when: \"tip.z + 0.5\", direction: falling}\n");
  for (const Integrator integrator : all_integrators) {
    SimulationOptions options{.until = 1, .step = has_error_control(integrator) ? 0 : 0.01, .integrator = integrator};
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    ASSERT_EQ(report.status, SimulationStatus::done);
    const auto told = std::count_if(report.notes.begin(), report.notes.end(), [](const std::string& note) {
      return note.starts_with("event 'root' has no value at t = 0.") &&
             note.ends_with("(a division by zero, the root of a negative number or the like): it cannot be seen there");
    });
    EXPECT_EQ(told, 1) << keyword(integrator);
    EXPECT_EQ(report.event_count, 1u) << keyword(integrator);
  }
}

TEST(SimulationVerdicts, name_the_load_that_has_no_value) {
  const Mechanism mech = from_yaml(std::string(falling_mass) +
                                   "loads: {push: {on: mass, at: [0, 0, 0], force: [0, 0, \"sqrt(0.5 - t)\"]}}\n");
  for (const Integrator integrator : all_integrators) {
    Simulation simulation(mech, {.until = 1, .integrator = integrator});
    const SimulationReport report = simulation.run();
    EXPECT_EQ(report.status, SimulationStatus::diverged) << keyword(integrator);
    EXPECT_NEAR(report.t, 0.5, 0.01) << keyword(integrator);
    EXPECT_NE(report.text.find("load 'push' has no finite value, or one beyond all bounds"), std::string::npos)
        << report.text;
    EXPECT_EQ(report.fix, "look at its expression: a division by zero, a root or logarithm of what is negative there");
  }
}

// A force that grows so that the motion does before it: no step is short enough for that.
// A load whose value ends where the motion leads to.
TEST(SimulationVerdicts, name_the_load_that_loses_its_value_on_the_way) {
  const Mechanism mech = from_yaml(R"yaml(
trammel: 1
gravity: [0, -9.81, 0]
bodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {P: {revolute: [ground, arm], at: [0, 0, 0], axis: z}}
loads: {L: {on: arm, torque: [0, 0, "sqrt(P + 0.5)"]}}
)yaml");
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::midpoint,
                                      Integrator::semi_implicit, Integrator::implicit}) {
    Simulation simulation(mech, {.until = 1, .integrator = integrator});
    const SimulationReport report = simulation.run();
    EXPECT_EQ(report.status, SimulationStatus::diverged) << keyword(integrator);
    EXPECT_NE(report.text.find("load 'L' has no finite value"), std::string::npos)
        << keyword(integrator) << ": " << report.text;
  }
}

TEST(SimulationVerdicts, tell_a_motion_beyond_bounds_from_steps_that_are_too_long) {
  const Mechanism mech = from_yaml(std::string(falling_mass) +
                                   "loads: {push: {on: mass, at: [0, 0, 0], force: [0, 0, \"1/(0.5 - t)^3\"]}}\n");
  Simulation simulation(mech, {.until = 1});
  const SimulationReport report = simulation.run();
  EXPECT_EQ(report.status, SimulationStatus::diverged);
  EXPECT_TRUE(report.text.starts_with("the motion grows beyond all bounds at t = 0.49999")) << report.text;
  EXPECT_EQ(report.fix, "look for a force that grows without bound: a load, an actuator, a damper of the wrong sign");
}

// The four-bar is stopped at the same angle wherever its loop is cut, by a stop that is as stiff as the linkage asks for: small masses,
// small stiffness, and as many steps.
TEST(SimulationStops, of_joints_that_close_loops_are_as_stiff_as_those_of_the_tree) {
  const auto run_with_cut = [](const char* cut) {
    const ReadResult read = read_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {O2: [0, 0, 0], A: [0, 0.04, 0], B: [0.12, 0.08, 0], O4: [0.1, 0, 0]}
bodies:
  crank:   {mass: 0.02, shape: {rod: [O2, A], radius: 0.004}}
  coupler: {mass: 0.05, shape: {rod: [A, B], radius: 0.004}}
  rocker:  {mass: 0.03, shape: {rod: [O4, B], radius: 0.004}}
joints:
  O2: {revolute: [ground, crank], at: O2, axis: z}
  A:  {revolute: [crank, coupler], at: A, axis: z}
  B:  {revolute: [coupler, rocker], at: B, axis: z, limits: {lower: -0.3, upper: 0.3}}
  O4: {revolute: [rocker, ground], at: O4, axis: z}
)",
                                      "test.yaml");
    EXPECT_TRUE(read.ok()) << read.diagnostics.to_string();
    const CompileResult made = compile(read.model, {.cut = {cut}});
    EXPECT_TRUE(made.ok()) << made.diagnostics.to_string();
    EXPECT_EQ(made.mechanism.joints[static_cast<std::size_t>(made.mechanism.find_joint(cut))].role, JointRole::closure);
    double farthest = 0;
    SimulationOptions options{.until = 0.5, .tolerance = 1e-9};
    Simulation* running = nullptr;
    const auto b = static_cast<std::size_t>(made.mechanism.find_joint("B"));
    options.record = [&](const Moment&) { farthest = std::max(farthest, std::abs(describe(*running).joints[b].q[0])); };
    Simulation simulation(made.mechanism, options);
    running = &simulation;
    const SimulationReport report = simulation.run();
    EXPECT_EQ(report.status, SimulationStatus::done) << report.text;
    EXPECT_GT(report.event_count, 0u);
    return std::pair(farthest, static_cast<double>(report.steps));
  };
  const auto [in_tree, tree_steps] = run_with_cut("A");
  const auto [closing, closing_steps] = run_with_cut("B");
  // Both give way, by about as much: their inertias, of which the stiffness is made, are not the same.
  EXPECT_GT(in_tree, 0.3);
  EXPECT_GT(closing, 0.3);
  EXPECT_LT(std::abs(std::log((closing - 0.3) / (in_tree - 0.3))), std::log(10));
  EXPECT_LT(std::abs(std::log(closing_steps / tree_steps)), std::log(4));
}

// A ball that bounces: the library's hook changes its velocity.
TEST(SimulationEvents, may_change_velocities) {
  const Mechanism mech = from_yaml(falling_mass);
  const double e = 0.8;
  std::vector<double> bounces;
  SimulationOptions options{.until = 3, .tolerance = 1e-11};
  options.events.push_back({.name = "floor",
                            .direction = Event::Direction::falling,
                            .when = [](const Moment& m) { return m.q[0] + 1; },
                            .then =
                                [&](double t, std::span<const double>, std::span<double> v) {
                                  bounces.push_back(t);
                                  v[0] = -e * v[0];
                                  return true;
                                }});
  Simulation simulation(mech, options);
  ASSERT_TRUE(simulation.run().ok());
  const double first = std::sqrt(2 / g);
  ASSERT_GE(bounces.size(), 4u);
  double when = first, flight = 2 * e * first;
  for (std::size_t i = 0; i < 4; ++i, when += flight, flight *= e) EXPECT_NEAR(bounces[i], when, 1e-9) << i;
}

TEST(SimulationEvents, open_and_close_loops) {
  // A pendulum of two rods whose end is held by a hinge until it is let go, and caught again by nobody.
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {A: [0, 0, 0], B: [1, 0, 0], C: [2, 0.5, 0]}
bodies: {one: {mass: 1, shape: {rod: [A, B], radius: 0.01}}, two: {mass: 1, shape: {rod: [B, C], radius: 0.01}}}
joints:
  a: {revolute: [ground, one], at: A, axis: z}
  b: {revolute: [one, two], at: B, axis: z}
  c: {revolute: [ground, two], at: C, axis: z}
outputs: {end: {point: C, on: two}}
events: {release: {when: "t - 0.2", do: {open: c}}}
)");
  std::vector<RecordedEvent> seen;
  SimulationOptions options{.until = 0.5, .at = {0.19, 0.4}};
  std::vector<double> heights;
  Simulation* running = nullptr;
  options.on_event = [&](const RecordedEvent& event) { seen.push_back(event); };
  options.sample = [&](const Moment&) { heights.push_back(describe(*running).points[0].p.y); };
  Simulation simulation(mech, options);
  running = &simulation;
  ASSERT_TRUE(simulation.run().ok());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].kind, "switch");
  EXPECT_NEAR(seen[0].t, 0.2, 1e-10);
  EXPECT_NEAR(heights[0], 0.5, 1e-12);
  EXPECT_LT(heights[1], 0.45);
}

// While it is held nothing moves, and steps grow long; then it flies off.
TEST(SimulationEvents, set_free_what_stood_still) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
points: {O: [0, 0, 0], P: [-0.8, 0, 0], Q: [-0.8, -0.5, 0]}
bodies: {arm: {mass: 1, com: P, inertia: [0, 0, 0]}}
joints: {axle: {revolute: [arm, ground], at: O, axis: z}}
constraints: {latch: {distance: [arm, ground], at: [P, Q]}}
springs: {sinew: {joint: axle, stiffness: 64, rest: 2}}
events: {trigger: {when: "t - 0.2", do: {open: latch}}}
)");
  for (const Integrator integrator : {Integrator::erk, Integrator::bdf, Integrator::rk4}) {
    Simulation simulation(mech, {.until = 0.3, .tolerance = 1e-10, .integrator = integrator});
    const SimulationReport report = simulation.run();
    ASSERT_EQ(report.status, SimulationStatus::done) << keyword(integrator) << ": " << report.text;
    EXPECT_NEAR(simulation.state().q[0], 2 - 2 * std::cos(10 * 0.1), 1e-7) << keyword(integrator);  // ω² = 64 / 0.8²
  }
}

TEST(SimulationDrives, prescribe_motion_and_tell_its_force) {
  const std::string text = std::string(falling_mass) + "drives: {slide: {position: \"0.3*sin(2*t)\"}}\n";
  const Mechanism mech = from_yaml(text);
  for (const Integrator integrator : all_integrators) {
    Simulation simulation(mech, {.until = 0.7, .integrator = integrator});
    ASSERT_TRUE(simulation.run().ok());
    EXPECT_NEAR(simulation.state().q[0], 0.3 * std::sin(1.4), 1e-14);
    EXPECT_NEAR(simulation.state().v[0], 0.6 * std::cos(1.4), 1e-14);
    EXPECT_NEAR(simulation.drive_forces()[0], g - 1.2 * std::sin(1.4), 1e-12);
  }
}

TEST(SimulationDrives, turn_a_crank_of_a_linkage) {
  const ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  Model model = read.model;
  model.inputs.clear();
  model.drives.push_back({.name = "O2", .kind = Drive::Kind::velocity, .joint = "O2", .motion = Profile(10)});
  const Mechanism mech = compiled(model);
  Simulation simulation(mech, {.until = 1, .tolerance = 1e-10});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  const JointInfo& crank = mech.joints[static_cast<std::size_t>(mech.find_joint("O2"))];
  EXPECT_NEAR(simulation.state().q[static_cast<std::size_t>(crank.q)], 10, 1e-8);
  EXPECT_LT(report.drift.position, 1e-12);
  EXPECT_LT(std::abs(report.energy.error), 1e-6 * std::max(1.0, std::abs(report.energy.input)));
}

TEST(SimulationControl, is_sampled_and_held) {
  const Mechanism mech = from_yaml(std::string(falling_mass) + "actuators: {push: {torque: slide}}\n");
  std::vector<double> times;
  SimulationOptions options{.until = 0.5, .tolerance = 1e-12};
  options.controller.period = 0.1;
  options.controller.update = [&](const Moment& m, std::span<double> u) {
    times.push_back(m.t);
    u[0] = g + (times.size() % 2 == 1 ? 1 : -1);
  };
  Simulation simulation(mech, options);
  ASSERT_TRUE(simulation.run().ok());
  ASSERT_EQ(times.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(times[i], 0.1 * static_cast<double>(i), 1e-12);
  // Accelerations ±1 by turns: v = 0.1, 0, 0.1, 0, 0.1; q = 0.005 · 5.
  EXPECT_NEAR(simulation.state().v[0], 0.1, 1e-12);
  EXPECT_NEAR(simulation.state().q[0], 0.025, 1e-12);
}

TEST(SimulationVerdicts, refuse_an_open_start_when_asked_to) {
  const Mechanism mech = shipped("crank_rocker");
  State open = design_state(mech);
  open.q[0] += 1e-3;
  Simulation strict(mech, {.until = 0.1, .strict = true}, open);
  const SimulationReport refused = strict.run();
  EXPECT_EQ(refused.status, SimulationStatus::cannot_assemble);
  EXPECT_NE(refused.text.find("leaves loops open"), std::string::npos) << refused.text;
  Simulation lenient(mech, {.until = 0.1}, open);
  const SimulationReport mended = lenient.run();
  EXPECT_TRUE(mended.ok()) << mended.text;
  EXPECT_GT(mended.initial_gap.position, 1e-6);
  EXPECT_LT(mended.drift.position, 1e-12);
}

// A pendulum on a wagon that a stiff, damped buffer holds: nothing moves quickly, and yet steps of an explicit rule must be short.
TEST(SimulationVerdicts, name_the_better_rule_where_steps_are_short_for_stiffness_alone) {
  const auto wagon = [](double damping) {
    return from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, -9.81, 0]
bodies:
  wagon: {{mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}
  bob: {{mass: 1, com: [0, -1, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  rail: {{prismatic: [ground, wagon], at: [0, 0, 0], axis: x}}
  pin: {{revolute: [wagon, bob], at: [0, 0, 0], axis: z}}
springs: {{bumper: {{joint: rail, stiffness: 1e8, damping: {}}}}}
initial: {{rail: 0.01, pin: 1}}
)",
                                 damping));
  };
  Simulation stiff(wagon(1e5), {.until = 0.2});
  const SimulationReport report = stiff.run();
  ASSERT_TRUE(report.ok()) << report.text;
  ASSERT_EQ(report.notes.size(), 1u);
  for (const char* part :
       {"the system is stiff: it answers within 1", "erk takes steps of ", "bdf (error control) or implicit"}) {
    EXPECT_NE(report.notes[0].find(part), std::string::npos) << report.notes[0];
  }
  Simulation swinging(wagon(0), {.until = 0.05});  // which oscillates in earnest
  const SimulationReport fast = swinging.run();
  EXPECT_GT(fast.steps, 1000u);
  EXPECT_TRUE(fast.notes.empty());
}

// A force that buzzes as fast as numbers can tell. A bar is held by it at a singular position: that is said too.
TEST(SimulationVerdicts, end_runs_that_do_not_get_on) {
  const std::string pendulum = R"yaml(
trammel: 1
gravity: [0, 0, 0]
bodies: {bob: {mass: 1, com: [0, -1, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {pin: {revolute: [ground, bob], at: [0, 0, 0], axis: z}}
loads: {buzz: {on: bob, at: [0, -1, 0], force: ["1e9*sin(1e15*t)", 0, 0]}}
)yaml";
  Simulation buzzing(from_yaml(pendulum), {.until = 1, .integrator = Integrator::bdf});
  const SimulationReport slow = buzzing.run();
  EXPECT_EQ(slow.status, SimulationStatus::step_too_small);
  EXPECT_NE(slow.text.find("no step is short enough for the tolerance; joint 'pin' changes fastest"),
            std::string::npos);
  EXPECT_LT(slow.steps, 1000000u);

  Model bars = row_of_fourbars(1);
  bars.gravity = {};
  Load buzz{.name = "buzz", .at = {"bar 0", {0, 1, 0}}};
  const auto formula = Expression::parse("100*sin(1e12*t)", std::vector<std::string>{"t"});
  buzz.components =
      std::array{StateFunction(0.0), StateFunction(TimeFunction(std::get<Expression>(formula))), StateFunction(0.0)};
  bars.loads.push_back(buzz);
  const Mechanism mech = compiled(bars);
  State lying = design_state(mech);
  for (const char* name : {"A0", "A1", "B0"}) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(mech.find_joint(name))];
    lying.q[static_cast<std::size_t>(joint.q)] = name[0] == 'A' ? -std::numbers::pi / 2 : std::numbers::pi / 2;
  }
  Simulation held(mech, {.until = 1}, lying);
  const SimulationReport report = held.run();
  // Round-off decides whether steps become too short first, or a stage lies where rows contradict each other.
  EXPECT_TRUE(report.status == SimulationStatus::step_too_small || report.status == SimulationStatus::inconsistent)
      << report.text;
  EXPECT_NE(report.text.find("; its loops are at a singular position there"), std::string::npos) << report.text;
  EXPECT_EQ(report.fix, "step over it: with erk, or with a larger tolerance");
}

TEST(SimulationVerdicts, stop_at_the_number_of_steps) {
  Simulation simulation(compiled(point_pendulum()), {.until = 10, .integrator = Integrator::rk4, .most_steps = 7});
  const SimulationReport report = simulation.run();
  EXPECT_EQ(report.status, SimulationStatus::too_many_steps);
  EXPECT_EQ(report.steps, 7u);
}

// Drift of loops: figures of closed_chain_drift_study.json, mass-weighted projection after each step of RK4.
TEST(SimulationDrift, of_four_cranks_is_at_most_that_of_the_study) {
  const Mechanism mech = shipped("four_cranks");
  State start = design_state(mech);
  start.v[0] = 2;
  Simulation projected(mech, {.until = 10, .step = 0.02, .integrator = Integrator::rk4}, start);
  const SimulationReport report = projected.run();
  ASSERT_TRUE(report.ok()) << report.text;
  EXPECT_LT(report.drift.position, 4.6e-12);
  EXPECT_LT(std::abs(report.energy.error), 1.4443e-3);
  Simulation damped(
      mech, {.until = 10, .step = 0.02, .integrator = Integrator::rk4, .stabilisation = Stabilisation::baumgarte},
      start);
  const SimulationReport loose = damped.run();
  ASSERT_TRUE(loose.ok()) << loose.text;
  EXPECT_LT(loose.drift.position, 1e-3);
  EXPECT_GT(loose.drift.position, report.drift.position);
  Simulation drifting(
      mech, {.until = 10, .step = 0.02, .integrator = Integrator::rk4, .stabilisation = Stabilisation::none}, start);
  const SimulationReport free = drifting.run();
  EXPECT_GT(free.drift.position, loose.drift.position);
}

// A crank drives a slider with dry friction through its dead points: there it cannot stick, since the crank goes on. What is lost is
// the friction times the path: from 0.4 m in to 0.2 m, out to 0.8 m, in again, and on to where the crank is after 10 rad.
TEST(SimulationFriction, slips_on_through_dead_points_of_loops) {
  const std::string slider_crank = R"(
trammel: 1
gravity: [0, 0, 0]
points: {O: [0, 0, 0], A: [0, 0.3, 0], B: [0.4, 0, 0]}
bodies:
  crank:  {mass: 1, com: O, inertia: [1, 1, 1]}
  rod:    {mass: 0.1, com: A, inertia: [1e-3, 1e-3, 1e-3]}
  slider: {mass: 0.1, com: B, inertia: [1e-3, 1e-3, 1e-3]}
joints:
  O: {revolute: [ground, crank], at: O, axis: z}
  A: {revolute: [crank, rod], at: A, axis: z, friction: {dry: 1e-9}}
  B: {revolute: [rod, slider], at: B, axis: z}
  S: {prismatic: [ground, slider], at: B, axis: x, friction: {dry: 0.5}}
)";
  const double angle = 2 * std::atan(1.0) + 10, crank = 0.3, rod = 0.5;
  const double end = crank * std::cos(angle) + std::sqrt(rod * rod - std::pow(crank * std::sin(angle), 2));
  const double lost = 0.5 * (0.2 + 0.6 + 0.6 + (end - 0.2));
  for (const char* start : {"drives: {O: {velocity: 10}}\n", "initial: {O: {v: 10}}\n"}) {
    const Mechanism mech = from_yaml(slider_crank + start);
    const bool driven = start[0] == 'd';
    State begin = initial_state(mech);
    std::vector<char> held(begin.v.size(), 0);
    begin.v[0] = 10, held[0] = 1;
    LoopDynamics loops(mech);
    ASSERT_TRUE(loops.project_velocity(begin.q, begin.v, held).ok());
    for (const Integrator integrator : all_integrators) {
      int slips = 0;
      SimulationOptions options{.until = 1, .integrator = integrator};
      options.on_event = [&](const RecordedEvent& event) {
        if (event.name == "S" && event.text.find("starts to slip") != std::string::npos) ++slips;
      };
      Simulation simulation(mech, options, begin);
      const SimulationReport report = simulation.run();
      ASSERT_TRUE(report.ok()) << keyword(integrator) << ": " << report.text;
      if (driven) {
        EXPECT_NEAR(report.energy.dissipated, lost, integrator == Integrator::erk ? 1e-7 : 5e-4);
      }
      if (integrator == Integrator::erk) {
        EXPECT_LT(std::abs(report.energy.error), 1e-8);
      }
      EXPECT_EQ(slips, 3) << keyword(integrator);
    }
  }
}

}  // namespace
}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What must hold for any contact: results independent of the frame, friction within its cone that only loses energy, no pull, energy
// audited, implicit steps that approach the exact motion, loops.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contact/thrown.hpp"

namespace trammel::test {
namespace {

RC_GTEST_PROP(ContactLaws, results_do_not_depend_on_the_frame, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  Random random(seed + 1);
  const Model model = thrown(seed);
  const Transformd X{exp_rotation(random.vector()), random.vector(10)};
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit}) {
    const SimulationOptions options{.until = 0.4, .step = 1e-3, .integrator = integrator};
    const std::vector<double> here = end_of(compiled(model), options),
                              there = end_of(compiled(seen_from(model, X)), options);
    RC_ASSERT(distance(here, there) < 1e-6);
  }
}

TEST(ContactLaws, nothing_pulls_friction_lies_in_its_cone_and_energy_is_only_lost) {
  for (const std::uint64_t seed : {11, 12, 13, 14, 15, 16}) EXPECT_EQ(what_breaks_the_law(seed), "") << seed;
}

TEST(ContactLaws, implicit_steps_approach_the_exact_motion) {
  for (const std::uint64_t seed : {21, 22, 23}) expect_approach(seed);
}

TEST(ContactLaws, implicit_steps_account_for_the_energy_of_contacts) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Mechanism mech = compiled(thrown(seed));
    Simulation simulation(mech, {.until = 0.5, .step = 1e-4, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok());
    EXPECT_LT(std::abs(report.energy.error), 2e-2) << seed;
  }
}

// Normals of a grid are smoother than its heights: what that pushes more or less is counted, over cells and border.
TEST(ContactLaws, the_audit_closes_for_what_rolls_over_a_grid) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Model model = thrown(seed);
    Terrain& terrain = model.terrain;
    terrain.kind = Terrain::Kind::grid;
    terrain.nx = 4, terrain.ny = 4;
    terrain.spacing_x = 0.3, terrain.spacing_y = 0.4;
    terrain.X_WT = {exp_rotation(Vec3d{0.02, 0.03, 0.4}), {-0.5, -0.6, 0.02}};
    terrain.heights = {0, 0.1, 0, 0, 0.05, 0, -0.1, 0, 0, 0.1, 0.15, 0, 0, 0.05, 0.1, 0.1};
    Simulation simulation(compiled(model), {.until = 1, .tolerance = 1e-10});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok());
    // What is left is of the steps in which a foot passes into another cell, where the gradient jumps.
    EXPECT_LT(std::abs(report.energy.error), 1e-4) << seed << " " << keyword(model.contacts[0].kind);
  }
}

TEST(ContactLaws, a_run_goes_on_from_a_checkpoint_bit_by_bit) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit}) {
    const Mechanism mech = compiled(thrown(7));
    const SimulationOptions options{.until = 0.5, .step = 1e-3, .integrator = integrator};
    Simulation whole(mech, options), first(mech, options), second(mech, options);
    ASSERT_TRUE(whole.run().ok());
    ASSERT_TRUE(first.run(0.21).ok());
    second.restore(first.checkpoint());
    ASSERT_TRUE(second.run(0.5).ok());
    EXPECT_EQ(whole.state().q, second.state().q) << keyword(integrator);
    EXPECT_EQ(whole.state().v, second.state().v) << keyword(integrator);
  }
}

// Two balls that meet keep their momentum; the same for a ball on a hinged plate against what it does to the plate.
// The implicit step tells what touched, slipped and stuck in it at its end; a located event of the same run is within that step.
TEST(ContactLaws, implicit_steps_tell_at_their_end_what_switched_within_them) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies:
  slider: {pose: [0, 0, 0.03], mass: 0.1, inertia: [1, 1, 1]}
  block: {pose: [0, 0, 0.03], mass: 2, inertia: [1, 1, 1]}
joints:
  along: {prismatic: [ground, slider], in: slider, axis: x}
  up: {prismatic: [slider, block], in: block, axis: z}
initial: {along: {v: 1}}
environment: {terrain: {plane: z, material: floor}}
materials: {floor: {stiffness: 20000, dissipation: 1, friction: 0.4, tangential: {stiffness: 20000, damping: 100}}}
contacts: {sole: {point: [0, 0, 0], on: block, in: block}}
)");
  const auto events_of = [&](Integrator integrator, double step) {
    std::vector<RecordedEvent> events;
    SimulationOptions options{.until = 1, .step = step, .tolerance = 1e-10, .integrator = integrator};
    options.on_event = [&](const RecordedEvent& e) { events.push_back(e); };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    EXPECT_TRUE(report.ok()) << report.text;
    EXPECT_EQ(report.event_count, events.size());
    return events;
  };
  constexpr double h = 1e-3;
  const std::vector<RecordedEvent> located = events_of(Integrator::erk, 0), told = events_of(Integrator::implicit, h);
  const auto first = [](const std::vector<RecordedEvent>& events, const std::string& kind) {
    const auto found =
        std::find_if(events.begin(), events.end(), [&](const RecordedEvent& e) { return e.kind == kind; });
    return found == events.end() ? RecordedEvent{} : *found;
  };
  ASSERT_FALSE(told.empty());
  const RecordedEvent touch = first(told, "touch"), exact = first(located, "touch");
  EXPECT_EQ(touch.name, "sole");
  EXPECT_EQ(touch.text, "touches within the step");
  EXPECT_EQ(exact.text, "touches");
  EXPECT_NEAR(touch.t, std::round(touch.t / h) * h, 1e-9);  // the end of a step,
  EXPECT_GE(touch.t, exact.t - 2 * h);                      // within the error of the step
  EXPECT_LE(touch.t, exact.t + 2 * h);
  EXPECT_GT(touch.q_before[1], touch.q_after[1]);  // it fell in that step
  EXPECT_EQ(first(told, "lift").text, "lifts off within the step");
  // At last it slides no more.
  EXPECT_EQ(told.back().kind, "stick");
  EXPECT_EQ(told.back().text, "sticks within the step");
  EXPECT_EQ(located.back().kind, "stick");
}

TEST(ContactLaws, bodies_that_touch_each_other_keep_their_momentum) {
  for (const Integrator integrator : {Integrator::erk, Integrator::implicit}) {
    const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {pose: [0, 0, 0], mass: 1, shape: {sphere: 0.1}}
  b: {pose: [0.5, 0.05, 0.02], mass: 3, shape: {sphere: 0.2}}
joints: {a: {free: [ground, a]}, b: {free: [ground, b]}}
initial: {a: {v: [1, 2, 3, 2, 0, 0]}}
materials: {rubber: {stiffness: 20000, dissipation: 0.1, friction: {static: 0.7, kinetic: 0.6}}}
contacts:
  a: {sphere: 0.1, on: a, in: a, material: rubber, against: b}
  b: {sphere: 0.2, on: b, in: b}
)");
    SimulationOptions options{.until = 0.4, .tolerance = 1e-10, .integrator = integrator};
    if (integrator == Integrator::implicit) options.step = 1e-4;
    Simulation simulation(mech, options);
    Workspace ws(mech);
    const State start = initial_state(mech);
    compute_velocities(mech, ws, start.q, start.v);
    const Momentum<double> before = compute_momentum(mech, ws);
    ASSERT_TRUE(simulation.run().ok());
    compute_velocities(mech, ws, simulation.state().q, simulation.state().v);
    const Momentum<double> after = compute_momentum(mech, ws);
    const double tolerance = integrator == Integrator::erk ? 1e-8 : 2e-3;
    EXPECT_GT(std::abs(simulation.state().v[9]), 0.1);  // it was hit
    EXPECT_LT(norm(after.linear_W - before.linear_W), tolerance);
    EXPECT_LT(norm(after.angular_W - before.angular_W), tolerance);
  }
}

// A ball rests on a moving box: between them the contact of two bodies, below it that with the ground.
TEST(ContactLaws, a_pile_stands_by_implicit_steps) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies:
  box: {pose: [0, 0, 0.25], mass: 5, shape: {box: [0.6, 0.6, 0.5]}}
  ball: {pose: [0, 0, 0.6], mass: 2, shape: {sphere: 0.1}}
joints: {box: {free: [ground, box]}, ball: {free: [ground, ball]}}
environment: {terrain: {plane: z, material: rock}}
materials: {rock: {stiffness: 1e7, dissipation: 1, friction: 0.5}}
contacts:
  feet: {points: [[0.3, 0.3, 0], [0.3, -0.3, 0], [-0.3, 0.3, 0], [-0.3, -0.3, 0]], on: box}
  box: {box: [0.6, 0.6, 0.5], on: box, in: box, material: rock}
  ball: {sphere: 0.1, on: ball, in: ball, material: rock, against: [box]}
)");
  Simulation simulation(mech, {.until = 3, .step = 5e-3, .integrator = Integrator::implicit});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  double on_ground = 0, between = 0;
  for (std::size_t i = 0; i < mech.contacts.pairs.size(); ++i) {
    const ContactState& c = simulation.contacts()[i];
    (mech.contacts.pairs[i].target < 0 ? on_ground : between) += c.normal;
  }
  EXPECT_NEAR(on_ground, 7 * g, 1e-5);
  EXPECT_NEAR(between, 2 * g, 1e-5);
}

// A four-bar linkage whose coupler rests on the ground: the loop is solved together with the contact, and by both kinds of steps alike.
Mechanism linkage_on_ground(double friction) {
  return from_yaml(fmt::format(R"(
trammel: 1
points: {{O: [0, 0, 0.5], A: [0.3, 0, 0.45], B: [1.0, 0, 0.4], C: [1.2, 0, 0.55], P: [0.65, 0, 0.2]}}
bodies:
  crank: {{mass: 1, shape: {{rod: [O, A], radius: 0.02}}}}
  coupler: {{mass: 2, shape: {{rod: [A, B], radius: 0.02}}}}
  rocker: {{mass: 1, shape: {{rod: [C, B], radius: 0.02}}}}
joints:
  O: {{revolute: [ground, crank], at: O, axis: y, friction: {{viscous: 1}}}}
  A: {{revolute: [crank, coupler], at: A, axis: y}}
  B: {{revolute: [coupler, rocker], at: B, axis: y}}
  C: {{revolute: [ground, rocker], at: C, axis: y}}
environment: {{terrain: {{plane: {{through: [0, 0, 0.19], normal: z}}, material: floor}}}}
materials: {{floor: {{stiffness: 20000, dissipation: 1, friction: {}}}}}
contacts: {{tip: {{point: P, on: coupler}}}}
)",
                               friction));
}

TEST(ContactLaws, closed_loops_touch_the_ground) {
  for (const double friction : {0.0, 0.5}) {
    const Mechanism mech = linkage_on_ground(friction);
    Simulation exact(mech, {.until = 0.5, .tolerance = 1e-10, .integrator = Integrator::bdf});
    const SimulationReport report = exact.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_GT(exact.contacts()[0].normal, 1);
    double errors[2] = {};
    for (const int k : {0, 1}) {
      Simulation steps(mech, {.until = 0.5, .step = k == 0 ? 1e-3 : 1e-4, .integrator = Integrator::implicit});
      const SimulationReport of_steps = steps.run();
      ASSERT_TRUE(of_steps.ok()) << of_steps.text;
      EXPECT_LT(of_steps.drift.position, 1e-9);
      EXPECT_EQ(of_steps.unresolved_steps, 0u);
      errors[k] = distance(exact.state().q, steps.state().q);
    }
    EXPECT_LT(errors[1], 0.2 * errors[0] + 1e-9) << friction;
    EXPECT_LT(errors[1], 1e-4) << friction;
  }
}

// Water acts beside contacts: a ball sinks alike whether or not it could touch something, and rests with what it weighs in water.
TEST(ContactLaws, water_acts_beside_contacts) {
  const auto ball = [](const std::string& touching) {
    return from_yaml(fmt::format(R"(
trammel: 1
bodies:
  ball: {{density: 2000, shape: {{sphere: 0.05}}, fluid: {{hull: {{drag: 0.47}}}}}}
joints: {{free: {{free: [ground, ball], at: [0, 0, 2]}}}}
environment: {{fluid: {{density: 1000}}, terrain: {{plane: z, material: rock}}}}
materials: {{rock: {{stiffness: 1e6, dissipation: 1, friction: 0.5}}}}
{}
)",
                                 touching));
  };
  const Mechanism without = ball(""), with = ball("contacts: {skin: {sphere: 0.05, on: ball}}");
  const auto fallen = [](const Mechanism& mech, double until) {
    Simulation run(mech, {.until = until, .step = 1e-3, .integrator = Integrator::implicit});
    EXPECT_TRUE(run.run().ok());
    return run.state();
  };
  const State a = fallen(without, 0.5), b = fallen(with, 0.5);
  for (std::size_t k = 0; k < a.v.size(); ++k) EXPECT_NEAR(a.v[k], b.v[k], 1e-13);
  EXPECT_LT(a.v[5], -1);
  // At first with 2/5 of its weight's acceleration: (2 − 1)/(2 + 1/2) g.
  Simulation first(with, {.until = 1e-4, .step = 1e-4, .integrator = Integrator::implicit});
  first.run();
  EXPECT_NEAR(first.state().v[5] / 1e-4, -9.81 * 0.4, 1e-3);
  // On the ground: depth = weight in water over the stiffness.
  const double volume = 4.0 / 3 * 3.14159265358979323846 * 0.05 * 0.05 * 0.05;
  const State rest = fallen(with, 6);
  EXPECT_NEAR(rest.q[6] + 2 - 0.05, -1000 * volume * 9.81 / 1e6, 1e-9);
  EXPECT_NEAR(rest.v[5], 0, 1e-9);
}

}  // namespace
}  // namespace trammel::test

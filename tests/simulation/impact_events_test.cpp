// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Impacts, captures and releases within simulations: against closed forms, by laws, and their verdicts.

#include <map>

#include <fmt/format.h>

#include <trammel/impact.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

const Integrator with_events[] = {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::midpoint,
                                  Integrator::semi_implicit};

struct Course {
  SimulationReport report;
  std::vector<RecordedEvent> events;
  State end;
};
Course run(const Mechanism& mech, SimulationOptions options) {
  Course out;
  options.on_event = [&](const RecordedEvent& event) { out.events.push_back(event); };
  Simulation simulation(mech, options);
  out.report = simulation.run();
  out.end = simulation.state();
  return out;
}
std::vector<RecordedEvent> of_kind(const std::vector<RecordedEvent>& events, std::string_view kind) {
  std::vector<RecordedEvent> out;
  for (const RecordedEvent& e : events) {
    if (e.kind == kind) out.push_back(e);
  }
  return out;
}
double lost_in(const std::vector<RecordedEvent>& events) {
  double sum = 0;
  for (const RecordedEvent& e : events) sum += e.impulse.empty() ? 0 : e.impulse[0];
  return sum;
}

// --- balls -------------------------------------------------------------------------------------------------------------------------

std::string ball(double e, const std::string& more = "") {
  return fmt::format(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {{ball: {{mass: 2, inertia: [0.008, 0.008, 0.008]}}}}
joints: {{ball: {{free: [ground, ball], at: [0, 0, 1.1]}}}}
environment: {{terrain: {{plane: z}}}}
contacts: {{ball: {{sphere: 0.1, on: ball, at: [0, 0, 1.1]}}}}
impacts: {{bounce: {{contact: ball, restitution: {}{}}}}}
)",
                     e, more);
}

TEST(SimulationImpacts, ball_bounces_as_the_closed_form_has_it_and_comes_to_rest) {
  const double e = 0.7;
  const Mechanism mech = from_yaml(ball(e));
  for (const Integrator integrator : with_events) {
    const bool rough = integrator == Integrator::semi_implicit;
    SimulationOptions options{.until = 4, .step = rough ? 1e-4 : 0, .tolerance = 1e-11, .integrator = integrator};
    const Course r = run(mech, options);
    ASSERT_EQ(r.report.status, SimulationStatus::done) << keyword(integrator) << r.report.text;
    const std::vector<RecordedEvent> bounces = of_kind(r.events, "impact");
    // From v₀ to the first speed below rest, 1 mm/s.
    const double first = std::sqrt(2 / g), v0 = std::sqrt(2 * g);
    const auto expected = static_cast<std::size_t>(std::ceil(std::log(v0 / 1e-3) / std::log(1 / e)));
    // A rule of first order does not resolve flights that are shorter than its steps.
    ASSERT_GE(bounces.size(), rough ? 6u : expected) << keyword(integrator);
    ASSERT_LE(bounces.size(), expected) << keyword(integrator);
    double when = first, flight = 2 * e * first, speed = v0;
    for (std::size_t i = 0; i < 6; ++i, when += flight, flight *= e, speed *= e) {
      const RecordedEvent& b = bounces[i];
      EXPECT_NEAR(b.t, when, rough ? 1e-2 : integrator == Integrator::bdf ? 5e-9 : 1e-9) << keyword(integrator) << i;
      EXPECT_NEAR(b.v_after[5], -e * b.v_before[5], 1e-13);
      EXPECT_EQ(b.q_after, b.q_before);
      EXPECT_NEAR(b.v_before[5], -speed, rough ? 2e-2 : 1e-8);
      ASSERT_EQ(b.impulse.size(), 10u);
      EXPECT_NEAR(b.impulse[6], -2 * (1 + e) * b.v_before[5], 1e-12);  // m (1 + e) v, upwards on the ball
      EXPECT_NEAR(b.impulse[0], (1 - e * e) * b.v_before[5] * b.v_before[5], 1e-11);
      EXPECT_NEAR(b.impulse[9], 0, 1e-9);
    }
    // At the end it lies there, as deep as its weight presses it in.
    EXPECT_NEAR(r.end.q[6], -1 - g / 9e4, rough ? 1e-6 : 1e-8) << keyword(integrator);
    EXPECT_NEAR(r.end.v[5], 0, 1e-8);
    EXPECT_LT(std::abs(r.report.energy.error), rough                           ? 0.2
                                               : integrator == Integrator::rk4 ? 1e-6
                                                                               : 1e-7)
        << keyword(integrator);
    EXPECT_EQ(r.events.back().kind, "touch") << keyword(integrator);
  }
}

TEST(SimulationImpacts, elastic_ball_bounces_for_ever) {
  const Course r = run(from_yaml(ball(1)), {.until = 30, .tolerance = 1e-11});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  EXPECT_NEAR(double(of_kind(r.events, "impact").size()), std::floor(30 / (2 * std::sqrt(2 / g)) + 0.5), 0);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-6);
  EXPECT_LT(std::abs(r.report.energy.dissipated), 1e-9);
}

TEST(SimulationImpacts, ball_that_begins_on_the_ground_and_moves_down_bounces_at_once) {
  const Mechanism mech =
      from_yaml(ball(0.5) + "initial: {ball: {q: [1, 0, 0, 0, 0, 0, -1], v: [0, 0, 0, 0, 0, -2]}}\n");
  const Course r = run(mech, {.until = 0.1, .tolerance = 1e-10});
  ASSERT_TRUE(r.report.ok()) << r.report.text;
  ASSERT_GE(r.events.size(), 1u);
  EXPECT_EQ(r.events[0].t, 0);
  EXPECT_NEAR(r.events[0].v_after[5], 1, 1e-12);
  EXPECT_NEAR(r.report.energy.dissipated, 3, 1e-9);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-9);
}

// A ball with spin and slip: what friction does at the first bounce is what compute_impact says, and it never gains energy.
TEST(SimulationImpacts, friction_at_a_bounce_is_that_of_the_library) {
  const Mechanism mech = from_yaml(ball(0.6, ", friction: 0.2") + "initial: {ball: {v: [3, -20, 5, 2, 1, 0]}}\n");
  const Course r = run(mech, {.until = 3, .tolerance = 1e-10});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  const std::vector<RecordedEvent> bounces = of_kind(r.events, "impact");
  ASSERT_GE(bounces.size(), 5u);
  const RecordedEvent& b = bounces[0];
  State state{.t = b.t, .q = b.q_before, .v = b.v_before};
  const ImpactResult expected = compute_impact(mech, state,
                                               {{.first = 0,
                                                 .p_W = {b.impulse[7], b.impulse[8], b.impulse[9]},
                                                 .normal_W = {0, 0, 1},
                                                 .restitution = 0.6,
                                                 .friction = 0.2}});
  ASSERT_TRUE(expected.ok());
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(b.v_after[k], expected.v[k], 1e-12) << k;
  for (const RecordedEvent& one : bounces) EXPECT_GE(one.impulse[0], -1e-12);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-6);
}

TEST(SimulationImpacts, two_balls_exchange_their_velocities) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {one: {mass: 2, inertia: [1, 1, 1]}, two: {mass: 2, inertia: [1, 1, 1]}}
joints:
  one: {prismatic: [ground, one], at: [0, 0, 0], axis: x}
  two: {prismatic: [ground, two], at: [1, 0, 0], axis: x}
contacts:
  one: {sphere: 0.1, on: one, at: [0, 0, 0], against: two}
  two: {sphere: 0.1, on: two, at: [1, 0, 0]}
impacts: {blow: {contact: two, restitution: 1}}
initial: {one: {v: 3}, two: {v: -1}}
)");
  const Course r = run(mech, {.until = 1, .tolerance = 1e-10});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_EQ(r.events[0].name, "one on two");
  EXPECT_NEAR(r.events[0].t, 0.2, 1e-10);
  EXPECT_NEAR(r.end.v[0], -1, 1e-12);
  EXPECT_NEAR(r.end.v[1], 3, 1e-12);
}

// What lies still does not change how much is lost: a cradle of three balls, of which two touch, and a ball on a block on its stop, all
// elastic, lose nothing; a ball that falls on one that lies on the ground bounces as from the ground, for as long as it does, while a third that
// bounces far away bounces as it does alone.
TEST(SimulationImpacts, of_bodies_on_others_that_rest_lose_what_they_lose_on_the_ground) {
  const Course cradle = run(from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  a: {prismatic: [ground, a], at: [-1, 0, 0], axis: x}
  b: {prismatic: [ground, b], at: [0, 0, 0], axis: x}
  c: {prismatic: [ground, c], at: [0.2, 0, 0], axis: x}
contacts:
  a: {sphere: 0.1, on: a, at: [-1, 0, 0], against: b}
  b: {sphere: 0.1, on: b, at: [0, 0, 0], against: c}
  c: {sphere: 0.1, on: c, at: [0.2, 0, 0]}
impacts: {ab: {contact: a, restitution: 1, friction: 0}, bc: {contact: b, restitution: 1, friction: 0}}
initial: {a: {v: 1}}
)"),
                            {.until = 2, .tolerance = 1e-10});
  ASSERT_TRUE(cradle.report.ok()) << cradle.report.text;
  EXPECT_NEAR(cradle.report.energy.dissipated, 0, 1e-10);
  EXPECT_NEAR(cradle.end.v[0] + cradle.end.v[1] + cradle.end.v[2], 1, 1e-12);

  const Course wall = run(from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {ball: {mass: 1, inertia: [1, 1, 1]}, block: {mass: 2, inertia: [1, 1, 1]}}
joints:
  ball:  {prismatic: [ground, ball], at: [0, 0, 1], axis: z}
  block: {prismatic: [ground, block], at: [0, 0, 0.1], axis: z, limits: {lower: 0}}
contacts:
  ball: {sphere: 0.1, on: ball, at: [0, 0, 1], against: block}
  block: {sphere: 0.1, on: block, at: [0, 0, 0.1]}
impacts: {x: {contact: ball, restitution: 1, friction: 0}, y: {limit: block, restitution: 1}}
initial: {ball: {v: -1}}
)"),
                          {.until = 2, .tolerance = 1e-10});
  ASSERT_TRUE(wall.report.ok()) << wall.report.text;
  EXPECT_NEAR(wall.end.v[0], 1, 1e-12);
  EXPECT_NEAR(wall.end.v[1], 0, 1e-12);
  EXPECT_NEAR(wall.report.energy.dissipated, 0, 1e-12);

  const Course stack = run(from_yaml(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {low: {mass: 1, inertia: [1, 1, 1]}, far: {mass: 1, inertia: [1, 1, 1]}, high: {mass: 1, inertia: [1, 1, 1]}}
joints:
  low:  {prismatic: [ground, low], at: [0, 0, 0.1], axis: z}
  far:  {prismatic: [ground, far], at: [5, 0, 0.6], axis: z}
  high: {prismatic: [ground, high], at: [0, 0, 1.3], axis: z}
environment: {terrain: {plane: z}}
contacts:
  low:  {sphere: 0.1, on: low, at: [0, 0, 0.1]}
  far:  {sphere: 0.1, on: far, at: [5, 0, 0.6]}
  high: {sphere: 0.1, on: high, at: [0, 0, 1.3], against: low, terrain: false}
impacts:
  low:  {contact: low, restitution: 0.8, friction: 0}
  far:  {contact: far, restitution: 0.5, friction: 0}
  high: {contact: high, restitution: 0.8, friction: 0}
)"),
                           {.until = 6, .tolerance = 1e-10});
  ASSERT_TRUE(stack.report.ok()) << stack.report.text;
  double first_fall = 0;
  for (const RecordedEvent& e : of_kind(stack.events, "impact")) {
    if (e.name == "high on low" && first_fall == 0) first_fall = e.impulse[0];
    if (e.name == "far") {
      EXPECT_NEAR(e.v_after[1], -0.5 * e.v_before[1], 1e-12);
    } else {
      EXPECT_EQ(e.v_after[1], e.v_before[1]) << e.t;  // of the ball far away nothing changes
    }
  }
  EXPECT_NEAR(first_fall, g * (1 - 0.64), 1e-3);  // the lower one has sunk in by 0.1 mm
  EXPECT_GT(of_kind(stack.events, "impact").size(), 20u);
  for (const double v : stack.end.v) EXPECT_NEAR(v, 0, 1e-5);
}

// Four corners come down at once; without friction the impulse is shared, with friction one after the other: both end at rest.
TEST(SimulationImpacts, box_comes_to_rest_on_its_corners) {
  for (const double mu : {0.0, 0.4}) {
    const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {{box: {{mass: 3, shape: {{box: [0.4, 0.3, 0.2], at: [0, 0, 0.3]}}}}}}
joints: {{box: {{free: [ground, box]}}}}
environment: {{terrain: {{plane: z}}}}
contacts: {{corners: {{points: [[0.2, 0.15, 0.2], [0.2, -0.15, 0.2], [-0.2, 0.15, 0.2], [-0.2, -0.15, 0.2]], on: box}}}}
impacts: {{fall: {{contact: corners, restitution: 0.3, friction: {}, rest: 0.02}}}}
initial: {{box: {{v: [0.3, 0.2, 0, 0.1, 0, 0]}}}}
)",
                                                 mu));
    const Course r = run(mech, {.until = 2, .tolerance = 1e-9});
    ASSERT_EQ(r.report.status, SimulationStatus::done) << mu << r.report.text;
    EXPECT_GT(of_kind(r.events, "impact").size(), 3u);
    EXPECT_LT(std::abs(r.end.v[3]), mu > 0 ? 1e-6 : 1);
    EXPECT_NEAR(r.end.v[5], 0, 1e-6);
    EXPECT_LT(std::abs(r.report.energy.error), 1e-4 * r.report.energy.dissipated) << mu;
    // All impacts of a moment together create none, to what the integration along the slip leaves.
    std::map<double, double> lost;
    for (const RecordedEvent& e : of_kind(r.events, "impact")) lost[e.t] += e.impulse[0];
    for (const auto& [t, energy] : lost) EXPECT_GE(energy, -1e-7) << mu << " at " << t;
  }
}

// --- stops -------------------------------------------------------------------------------------------------------------------------

TEST(SimulationImpacts, hard_stops_throw_back) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {cart: {mass: 2, inertia: [1, 1, 1]}, bob: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}}
joints:
  slide: {prismatic: [ground, cart], at: [0, 0, 0], axis: x, limits: {lower: -0.5, upper: 0.5}}
  pivot: {revolute: [cart, bob], at: [0, 0, 0], axis: y}
impacts: {buffer: {limit: slide, side: upper, restitution: 0.5}, wall: {limit: slide, side: lower, restitution: 1}}
initial: {slide: {v: 1}}
)");
  const Course r = run(mech, {.until = 6, .tolerance = 1e-11});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  ASSERT_GE(r.events.size(), 2u);
  EXPECT_EQ(r.events[0].name, "upper limit of 'slide'");
  EXPECT_EQ(r.events[0].kind, "impact");
  EXPECT_NEAR(r.events[0].t, 0.5, 1e-10);
  EXPECT_NEAR(r.events[0].v_after[0], -0.5, 1e-12);
  ASSERT_EQ(r.events[0].impulse.size(), 2u);
  // The pendulum hangs at right angles to the blow: its bob takes no part but through the pivot.  M of (slide, pivot) = [3, -1; -1, 1.1]
  EXPECT_NEAR(r.events[0].impulse[1], -1.5 * (3 - 1 / 1.1), 1e-10);
  EXPECT_NEAR(lost_in(r.events), r.report.energy.dissipated, 1e-9);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-8);
}

TEST(SimulationImpacts, slider_pressed_against_its_stop_comes_to_rest_there) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, -9.81]
bodies: {mass: {mass: 1, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: z, limits: {lower: -1}}}
impacts: {floor: {limit: slide, restitution: 0.5}}
)");
  const Course r = run(mech, {.until = 3, .tolerance = 1e-9});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  EXPECT_NEAR(r.end.q[0], -1 - g / 40000, 1e-7);  // stops without a stiffness: 200 rad/s
  EXPECT_NEAR(r.end.v[0], 0, 1e-7);
  EXPECT_EQ(r.events.back().kind, "limit");
  EXPECT_LT(std::abs(r.report.energy.error), 1e-7);
}

// --- loops, drives, verdicts -------------------------------------------------------------------------------------------------------

// A four-bar whose rocker has a hard limit: the loop stays closed through the blow, and the speed of all joints follows.
TEST(SimulationImpacts, loops_stay_closed_through_a_blow) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, 0.4, 0], B: [1.2, 0.8, 0], C: [1, 0, 0]}
bodies:
  crank:   {mass: 1, shape: {rod: [O, A], radius: 0.01}}
  coupler: {mass: 2, shape: {rod: [A, B], radius: 0.01}}
  rocker:  {mass: 1, shape: {rod: [B, C], radius: 0.01}}
joints:
  O: {revolute: [ground, crank], at: O, axis: z, limits: {lower: -1}}
  A: {revolute: [crank, coupler], at: A, axis: z}
  B: {revolute: [coupler, rocker], at: B, axis: z}
  C: {revolute: [rocker, ground], at: C, axis: z}
impacts: {stop: {limit: O, restitution: 0.8}}
initial: {O: {v: -1}}
)");
  const Course r = run(mech, {.until = 2, .tolerance = 1e-10});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  const std::vector<RecordedEvent> blows = of_kind(r.events, "impact");
  ASSERT_GE(blows.size(), 2u);
  const auto k = static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(mech.find_joint("O"))].v);
  for (const RecordedEvent& b : blows) EXPECT_NEAR(b.v_after[k], -0.8 * b.v_before[k], 1e-10);
  EXPECT_LT(r.report.drift.position, 1e-10);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-7);
}

TEST(SimulationImpacts, what_is_driven_into_a_wall_ends_the_run_with_a_verdict) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {ball: {mass: 2, inertia: [1, 1, 1]}}
joints: {slide: {prismatic: [ground, ball], at: [0, 0, 1], axis: z}}
environment: {terrain: {plane: z}}
contacts: {ball: {sphere: 0.1, on: ball, at: [0, 0, 1]}}
impacts: {bounce: {contact: ball, friction: 0.1}}
drives: {slide: {position: "-t"}}
)");
  const Course r = run(mech, {.until = 2});
  EXPECT_EQ(r.report.status, SimulationStatus::inconsistent);
  EXPECT_EQ(r.report.text,
            "at t = 0.9 s 'ball' is met hard, and no impulse can change how the bodies meet: what moves them is "
            "prescribed or locked");
}

TEST(SimulationImpacts, implicit_steps_are_refused) {
  EXPECT_THROW(run(from_yaml(ball(0.5)), {.integrator = Integrator::implicit}), std::invalid_argument);
}

TEST(SimulationImpacts, newtons_law_that_creates_energy_is_noted) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
points: {P: [0, 0, 0.5], Q: [0.8, 0, 1.1]}
bodies: {rod: {mass: 1, shape: {rod: [P, Q], radius: 0.001}}}
joints: {rod: {free: [ground, rod]}}
environment: {terrain: {plane: z}}
contacts: {tip: {point: P, on: rod}}
impacts: {blow: {contact: tip, restitution: 0.9, friction: 0.9, law: newton}}
initial: {rod: {v: [0, 0, 0, 0.3, 0, -1]}}
)");
  const Course r = run(mech, {.until = 0.6});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  const std::vector<RecordedEvent> blows = of_kind(r.events, "impact");
  ASSERT_EQ(blows.size(), 1u);
  ASSERT_LT(blows[0].impulse[0], 0);  // Kane's paradox: the slip turns round, and the law knows the velocities only
  ASSERT_EQ(r.report.notes.size(), 1u);
  EXPECT_NE(r.report.notes[0].find("creates"), std::string::npos);
  EXPECT_NEAR(r.report.energy.input, -blows[0].impulse[0], 1e-9);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-9);
}

// --- capture -----------------------------------------------------------------------------------------------------------------------

// A floating base with an arm of two hinges, its hand beside a tumbling target; the joint that will hold it is drawn at the hand.
std::string grasp(const std::string& joint, const std::string& when = "t - 0.3", const std::string& release = "") {
  return fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
points: {{A: [0.5, 0, 0], B: [1.2, 0.4, 0.1], H: [1.9, 0.1, 0.2], T: [2.2, 0.3, 0.3]}}
bodies:
  base:   {{mass: 20, com: [0, 0, 0], inertia: [2, 3, 4]}}
  upper:  {{mass: 2, shape: {{rod: [A, B], radius: 0.03}}}}
  lower:  {{mass: 2, shape: {{rod: [B, H], radius: 0.03}}}}
  target: {{mass: 5, com: T, inertia: [0.4, 0.6, 0.9]}}
joints:
  base:     {{free: [ground, base]}}
  shoulder: {{universal: [base, upper], at: A, axes: [z, y]}}
  elbow:    {{revolute: [upper, lower], at: B, axis: y}}
  target:   {{free: [ground, target]}}
  grasp:    {{{}}}
events:
  catch: {{when: "{}", do: {{capture: grasp}}}}
{}
initial:
  base:     {{v: [0.1, -0.05, 0.02, 0.03, 0.02, -0.01]}}
  shoulder: {{v: [0.2, -0.1]}}
  elbow:    {{v: 0.3}}
  target:   {{v: [0.5, -0.4, 0.7, -0.2, 0.1, 0.05]}}
)",
                     joint, when, release);
}
const char* const all_grasps[] = {
    "fixed: [lower, target], at: H",
    "revolute: [lower, target], at: H, axis: [1, 2, 3]",
    "prismatic: [lower, target], at: H, axis: [0, 1, 1]",
    "helical: [lower, target], at: H, axis: z, pitch: 0.1",
    "cylindrical: [lower, target], at: H, axis: x",
    "universal: [lower, target], at: H, axes: [x, y]",
    "spherical: [lower, target], at: H",
    "planar: [lower, target], at: H, axis: [1, 1, 1]",
    // With rotors, which the blow brings to speed.
    "revolute: [lower, target], at: H, axis: [1, 2, 3], armature: 0.5",
    "prismatic: [lower, target], at: H, axis: [0, 1, 1], armature: 3",
    "helical: [lower, target], at: H, axis: z, pitch: 0.1, armature: 0.4",
    "cylindrical: [lower, target], at: H, axis: x, armature: [0.3, 2]",
    "universal: [lower, target], at: H, axes: [x, y], armature: [0.3, 0.6]",
    "spherical: [lower, target], at: H, armature: [0.2, 0.3, 0.4]",
    "planar: [lower, target], at: H, axis: [1, 1, 1], armature: [0.5, 2, 3]",
};

Momentum<double> momentum_of(const Mechanism& mech, const std::vector<double>& q, const std::vector<double>& v) {
  Workspace ws(mech);
  compute_velocities<double>(mech, ws, q, v);
  return compute_momentum<double>(mech, ws);
}

TEST(SimulationCapture, every_joint_type_takes_hold_of_the_target_where_it_is) {
  for (const char* joint : all_grasps) {
    const Mechanism mech = from_yaml(grasp(joint));
    const Course r = run(mech, {.until = 2, .tolerance = 1e-11});
    ASSERT_EQ(r.report.status, SimulationStatus::done) << joint << ": " << r.report.text;
    ASSERT_EQ(r.events.size(), 1u) << joint;
    const RecordedEvent& e = r.events[0];
    EXPECT_EQ(e.kind, "capture");
    EXPECT_EQ(e.name, "catch");
    EXPECT_NEAR(e.t, 0.3, 1e-10);
    for (std::size_t k = 0; k < e.q_after.size(); ++k) EXPECT_NEAR(e.q_after[k], e.q_before[k], 1e-12) << joint;
    EXPECT_GT(e.impulse[0], 0) << joint;
    EXPECT_NEAR(r.report.energy.dissipated, e.impulse[0], 1e-9) << joint;
    EXPECT_LT(std::abs(r.report.energy.error), 1e-8) << joint;
    EXPECT_LT(r.report.drift.position, 1e-10) << joint;
    const State start = initial_state(mech);
    const Momentum<double> first = momentum_of(mech, start.q, start.v), last = momentum_of(mech, r.end.q, r.end.v);
    EXPECT_LT(norm(last.linear_W - first.linear_W), 1e-10 * norm(first.linear_W)) << joint;
    // About one point: the centre of mass moves evenly.
    EXPECT_LT(norm(last.angular_W - first.angular_W), 1e-9 * norm(first.angular_W)) << joint;
    EXPECT_LT(norm(last.com_W - first.com_W - first.linear_W * (2 / first.mass)), 1e-9) << joint;
  }
}

// The jump is the nearest velocity, in kinetic energy, that the joint allows: what the loop kernel's projection finds.
TEST(SimulationCapture, jump_is_the_projection_of_the_loop_kernel) {
  for (const char* joint : {"fixed: [lower, target], at: H", "spherical: [lower, target], at: H"}) {
    Model model = read_yaml(grasp(joint, "t + 1 - 1"), "grasp.yaml").model;  // closed at the design position
    model.events.clear();
    const Mechanism closed = compile(model, {.cut = {"grasp"}}).mechanism;
    LoopDynamics loops(closed);
    const State state = initial_state(closed);
    std::vector<double> v = state.v;
    ASSERT_TRUE(loops.project_velocity(state.q, v).ok());
    const Mechanism mech = from_yaml(grasp(joint, "t - 1e-12"));
    const Course r = run(mech, {.until = 1e-6});
    ASSERT_EQ(r.events.size(), 1u);
    for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(r.events[0].v_after[k], v[k], 1e-10) << joint << k;
  }
}

// Two discs on one axis, 2 and 3 kg m², at 1 and −4 rad/s, take hold of each other by a hinge with a rotor A at rest:
// u' = u/(1 + A (1/2 + 1/3)), and what is lost is all that neither has any more.
TEST(SimulationCapture, rotor_is_brought_to_speed_as_the_closed_form_has_it) {
  for (const double A : {0.0, 0.6, 6.0, 1e9}) {
    const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {{a: {{mass: 1, com: [0, 0, 0], inertia: [1, 1, 2]}}, b: {{mass: 1, com: [0, 0, 1], inertia: [1, 1, 3]}}}}
joints:
  a: {{revolute: [ground, a], at: [0, 0, 0], axis: z}}
  b: {{free: [ground, b]}}
  grip: {{revolute: [a, b], at: [0, 0, 0.5], axis: z, armature: {}}}
events: {{catch: {{when: "t - 0.1", do: {{capture: grip}}}}}}
initial: {{a: {{v: 1}}, b: {{v: [0, 0, -4, 0, 0, 0]}}}}
)",
                                                 A));
    const Course r = run(mech, {.until = 0.3, .tolerance = 1e-11});
    ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
    ASSERT_EQ(r.events.size(), 1u);
    const double u = -5 / (1 + A * (1.0 / 2 + 1.0 / 3)), p = -A * u;  // p on b, −p on a
    const std::vector<double>& v = r.events[0].v_after;
    EXPECT_NEAR(v[0], 1 - p / 2, 1e-9) << A;
    EXPECT_NEAR(v[3], -4 + p / 3, 1e-9) << A;
    const double before = 0.5 * (2 * 1 + 3 * 16), after = 0.5 * (2 * v[0] * v[0] + 3 * v[3] * v[3] + A * u * u);
    EXPECT_NEAR(r.report.energy.dissipated, before - after, 1e-6) << A;
    EXPECT_LT(std::abs(r.report.energy.error), 1e-6) << A;
    EXPECT_NEAR(r.events[0].impulse[0], before - after, 1e-6) << A;
  }
}

TEST(SimulationCapture, target_is_let_go_again) {
  const Mechanism mech =
      from_yaml(grasp("fixed: [lower, target], at: H", "t - 0.3", "  release: {when: \"t - 0.8\", do: {open: grasp}}"));
  const Course r = run(mech, {.until = 2, .tolerance = 1e-11});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  ASSERT_EQ(r.events.size(), 2u);
  EXPECT_EQ(r.events[1].text, "'grasp' opens");
  EXPECT_EQ(r.events[1].v_after, r.events[1].v_before);  // nothing happens at that moment
  // Free again: its own angular momentum is what it was when it was let go.
  const auto at = static_cast<std::size_t>(mech.joints[static_cast<std::size_t>(mech.find_joint("target"))].v);
  const auto energy_of_spin = [&](const std::vector<double>& v) {
    return 0.4 * v[at] * v[at] + 0.6 * v[at + 1] * v[at + 1] + 0.9 * v[at + 2] * v[at + 2];
  };
  EXPECT_NEAR(energy_of_spin(r.end.v), energy_of_spin(r.events[1].v_after), 1e-9);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-8);
}

TEST(SimulationCapture, can_happen_again_elsewhere) {
  const Mechanism mech = from_yaml(grasp("revolute: [lower, target], at: H, axis: y", "sin(2*pi*(t - 0.1))",
                                         "  release: {when: \"t - 0.35\", do: {open: grasp}}"));
  const Course r = run(mech, {.until = 0.9, .tolerance = 1e-10});
  ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
  const std::vector<RecordedEvent> caught = of_kind(r.events, "capture");
  ASSERT_EQ(caught.size(), 2u);
  EXPECT_LT(r.report.drift.position, 1e-10);
  EXPECT_LT(std::abs(r.report.energy.error), 1e-8);
}

// --- going on from a checkpoint ----------------------------------------------------------------------------------------------------

TEST(SimulationCapture, checkpoint_after_it_goes_on_bit_by_bit) {
  const Mechanism mech = from_yaml(grasp("universal: [lower, target], at: H, axes: [x, y]"));
  const SimulationOptions options{.until = 1, .step = 0.01, .integrator = Integrator::rk4};
  Simulation whole(mech, options);
  ASSERT_TRUE(whole.run(0.5).ok());
  const Checkpoint saved = whole.checkpoint();
  ASSERT_TRUE(whole.run().ok());
  Simulation again(mech, options);
  again.restore(saved);
  ASSERT_TRUE(again.run().ok());
  EXPECT_EQ(again.state().q, whole.state().q);
  EXPECT_EQ(again.state().v, whole.state().v);
}

TEST(SimulationImpacts, checkpoint_between_bounces_goes_on_bit_by_bit) {
  const Mechanism mech = from_yaml(ball(0.6, ", friction: 0.3") + "initial: {ball: {v: [3, -20, 5, 2, 1, 0]}}\n");
  const SimulationOptions options{.until = 1.5};
  Simulation whole(mech, options);
  ASSERT_TRUE(whole.run(0.9).ok());
  const Checkpoint saved = whole.checkpoint();
  ASSERT_TRUE(whole.run().ok());
  Simulation again(mech, options);
  again.restore(saved);
  ASSERT_TRUE(again.run().ok());
  EXPECT_EQ(again.state().q, whole.state().q);
  EXPECT_EQ(again.state().v, whole.state().v);
}

// Steps without forces are long: walls that are passed within one are met all the same.
TEST(SimulationImpacts, are_not_stepped_over_by_steps_as_long_as_the_way) {
  for (const double wall : {0.02, 0.2, 0.5}) {
    for (const auto& [away, speed] : {std::pair{5.0, 1.0}, {20.0, 1.0}, {5.0, 3.0}, {20.0, 10.0}}) {
      const Mechanism mech = from_yaml(fmt::format(R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {{ball: {{mass: 1, shape: {{sphere: 0.05, at: [0, 0, 0]}}}}, w: {{mass: 1, shape: {{box: [{0}, 1, 1], at: [{1}, 0, 0]}}}}}}
joints: {{f: {{free: [ground, ball]}}, w: {{free: [ground, w]}}}}
contacts: {{b: {{sphere: 0.05, on: ball, at: [0, 0, 0], against: [wall]}}, wall: {{box: [{0}, 1, 1], on: w, at: [{1}, 0, 0]}}}}
impacts: {{i: {{contact: b, restitution: 1}}}}
initial: {{f: {{v: [0, 0, 0, {2}, 0, 0]}}}}
)",
                                                   wall, away, speed));
      for (const Integrator integrator :
           {Integrator::erk, Integrator::bdf, Integrator::rk4, Integrator::midpoint, Integrator::semi_implicit}) {
        const bool fixed = !has_error_control(integrator);
        const Course course = run(mech, {.until = 2 * away / speed, .step = fixed ? 0.7 : 0, .integrator = integrator});
        ASSERT_TRUE(course.report.ok());
        ASSERT_EQ(of_kind(course.events, "impact").size(), 1U)
            << wall << " m at " << away << " m, " << keyword(integrator);
        EXPECT_NEAR(course.events[0].t, (away - wall / 2 - 0.05) / speed, 1e-9);
        EXPECT_NEAR(course.end.v[3], 0, 1e-12);
        EXPECT_NEAR(course.end.v[9], speed, 1e-12);
      }
    }
  }
}

// What the stop or the floor has stored there is lost once, at the impact.
TEST(SimulationImpacts, starts_beyond_a_stop_and_in_a_floor_close_the_audit) {
  const std::string beyond = R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {A: {revolute: [ground, a], at: [0, 0, 0], axis: z, limits: {lower: -1, upper: 1}}}
impacts: {s: {limit: A, restitution: 0.5}}
initial: {A: {q: 1.2, v: 1}}
)";
  const std::string within = ball(0.5) + "initial: {ball: {q: [1, 0, 0, 0, 0, 0, -1.02], v: [0, 0, 0, 0, 0, -1]}}\n";
  for (const std::string& text : {beyond, within}) {
    const Mechanism mech = from_yaml(text);
    for (const Integrator integrator : with_events) {
      const Course course = run(mech, {.until = 0.05, .step = 1e-4, .tolerance = 1e-9, .integrator = integrator});
      ASSERT_TRUE(course.report.ok()) << keyword(integrator) << ": " << course.report.text;
      ASSERT_EQ(of_kind(course.events, "impact").size(), 1U) << keyword(integrator);
      EXPECT_LT(std::abs(course.report.energy.error), 1e-3) << keyword(integrator);
      EXPECT_GT(course.report.energy.dissipated, 0.3) << keyword(integrator);
    }
  }
}

}  // namespace
}  // namespace trammel::test

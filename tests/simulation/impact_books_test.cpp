// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Impacts in simulations beside drives, whose work is booked apart from what is lost, and at stops of joints that close loops.

#include <fmt/format.h>

#include <trammel/impact.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

struct Course {
  SimulationReport report;
  std::vector<RecordedEvent> events;  // with an impulse
};
Course run(const Mechanism& mech, SimulationOptions options) {
  Course out;
  options.on_event = [&](const RecordedEvent& event) {
    if (!event.impulse.empty()) out.events.push_back(event);
  };
  out.report = Simulation(mech, options).run();
  return out;
}

// A sledge that a drive pushes at 2 m/s takes up, or hits, a ball of 0.5 kg that comes with 1 m/s. The ball's speed changes by (1 + e) 3 m/s, the drive
// does 2 m/s times the impulse, and ½ (1 − e²) 0.5 kg (3 m/s)² are lost: in the event as in the books.
std::string sledge(const std::string& what) {
  return R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  sledge: {mass: 2, shape: {sphere: 0.1, at: [0, 0, 0]}}
  ball:   {mass: 0.5, shape: {sphere: 0.1, at: [1, 0, 0]}}
joints:
  slide: {prismatic: [ground, sledge], at: [0, 0, 0], axis: x}
  ball:  {prismatic: [ground, ball], at: [1, 0, 0], axis: x}
  grip:  {fixed: [sledge, ball], at: [0, 0, 0]}
drives: {slide: {velocity: 2}}
outputs: {s: {point: [0, 0, 0], on: sledge}, b: {point: [1, 0, 0], on: ball}}
initial: {slide: {v: 2}, ball: {v: -1}}
)" + what;
}

TEST(SimulationImpacts, drives_put_in_what_they_do_and_events_tell_what_is_lost) {
  struct Case {
    std::string text;
    double e;
  };
  const Case cases[] = {
      {sledge("events: {catch: {when: \"b.x - s.x - 0.2\", direction: falling, do: {capture: grip}}}\n"), 0},
      {sledge("events: {never: {when: \"t - 99\", do: {capture: grip}}}\n"
              "contacts:\n"
              "  s: {sphere: 0.1, on: sledge, at: [0, 0, 0], against: [b]}\n"
              "  b: {sphere: 0.1, on: ball, at: [1, 0, 0]}\n"
              "impacts: {hit: {contact: s, restitution: 0.5, friction: 0}}\n"),
       0.5}};
  for (const Case& c : cases) {
    const Course r = run(from_yaml(c.text), {.until = 0.5});
    ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
    ASSERT_EQ(r.events.size(), 1u);
    const double impulse = 0.5 * (1 + c.e) * 3, lost = 0.5 * 0.5 * 9 * (1 - c.e * c.e);
    EXPECT_NEAR(r.events[0].impulse[0], lost, 1e-9);
    EXPECT_NEAR(std::abs(r.events[0].impulse[4]), impulse, 1e-9);
    EXPECT_NEAR(r.report.energy.input, 2 * impulse, 1e-8);
    EXPECT_NEAR(r.report.energy.dissipated, lost, 1e-8);
    EXPECT_NEAR(r.report.energy.error, 0, 1e-8);
  }
}

// A four-bar falls against a stop of the joint between coupler and rocker: wherever the loop is cut.
TEST(SimulationImpacts, hard_stops_do_not_depend_on_where_the_loop_is_cut) {
  const ReadResult read = read_yaml(R"(
trammel: 1
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, 0.4, 0], B: [1.2, 0.8, 0], C: [1, 0, 0]}
bodies:
  crank:   {mass: 2, shape: {rod: [O, A], radius: 0.04}}
  coupler: {mass: 1, shape: {rod: [A, B], radius: 0.04}}
  rocker:  {mass: 3, shape: {rod: [B, C], radius: 0.04}}
joints:
  O: {revolute: [ground, crank], at: O, axis: z}
  A: {revolute: [crank, coupler], at: A, axis: z}
  B: {revolute: [coupler, rocker], at: B, axis: z, limits: {lower: -0.5, upper: 0.2}}
  C: {revolute: [rocker, ground], at: C, axis: z}
impacts: {stop: {limit: B, restitution: 0.6}}
)",
                                    "test.yaml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  for (const Integrator integrator : {Integrator::erk, Integrator::rk4}) {
    SimulationOptions options{.until = 0.9, .tolerance = 1e-11, .integrator = integrator};
    Course first;
    for (const char* cut : {"C", "B"}) {
      const Course r = run(compiled(read.model, {cut}), options);
      ASSERT_EQ(r.report.status, SimulationStatus::done) << r.report.text;
      ASSERT_EQ(r.events.size(), 2u) << keyword(integrator) << ", cut at " << cut;
      EXPECT_LT(std::abs(r.report.energy.error), 2e-6);
      EXPECT_LT(r.report.drift.position, 1e-8);
      if (first.events.empty()) first = r;
      for (std::size_t i = 0; i < r.events.size(); ++i) {
        EXPECT_EQ(r.events[i].name, first.events[i].name);
        EXPECT_NEAR(r.events[i].t, first.events[i].t, 1e-7);
        EXPECT_NEAR(r.events[i].impulse[0], first.events[i].impulse[0], 1e-5);
        EXPECT_NEAR(r.events[i].impulse[1], first.events[i].impulse[1], 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace trammel::test

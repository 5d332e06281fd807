// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Impacts with friction in space against simulations of the same with a compliant contact. Its normal spring loses nothing, which is Stronge's
// restitution of 1 whatever friction does; the impact is its limit for a stiffness without bounds, with bristles that are stiffer still. The
// velocities afterwards must converge to those of compute_impact as the stiffness grows.

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include <trammel/impact.hpp>
#include <trammel/results.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

struct Case {
  std::string name, model;  // without materials and contacts; the point that touches is the output `tip`, on z = 0
  double friction = 0;
};

// A brick that comes down on a corner, slipping and spinning; and arms of three hinges, on the ground and floating, whose tips hit the floor.
std::vector<Case> cases() {
  const std::string brick = R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {brick: {mass: 2, shape: {box: [0.4, 0.25, 0.15], at: [0.15, 0.08, 0.11]}}}
joints: {brick: {free: [ground, brick]}}
outputs: {tip: {point: [0, 0, 0], on: brick}}
initial: {brick: {v: [%s]}}
)";
  const std::string arm = R"(
trammel: 1
gravity: [0, 0, 0]
points: {A: [0.1, 0.2, 1], B: [0.5, -0.1, 0.7], C: [0.2, 0.3, 0.4], T: [0, 0, 0]}
bodies:
  base:   {mass: 8, com: A, inertia: [0.5, 0.6, 0.7]}
  upper:  {mass: 2, shape: {rod: [A, B], radius: 0.05}}
  middle: {mass: 2, shape: {rod: [B, C], radius: 0.05}}
  lower:  {mass: 1, shape: {rod: [C, T], radius: 0.05}}
joints:
  base: {free: [ground, base]}
  a: {revolute: [base, upper], at: A, axis: [0, 1, 0.3]}
  b: {revolute: [upper, middle], at: B, axis: [1, 0.2, 0]}
  c: {revolute: [middle, lower], at: C, axis: [0.3, 1, -0.2]}
outputs: {tip: {point: T, on: lower}}
initial: {base: {v: [0.2, -0.1, 0.3, 0.5, -0.4, -1]}, a: {v: 0.5}, b: {v: -0.8}, c: {v: 1.1}}
)";
  const auto with = [](std::string text, const std::string& v) { return text.replace(text.find("%s"), 2, v); };
  return {{"brick slips and turns", with(brick, "1, -2, 3, 0.8, 0.5, -1"), 0.15},
          {"brick sticks", with(brick, "0.5, 0.4, -1, 0.3, -0.2, -1"), 0.7},
          {"brick's slip dies and turns round", with(brick, "4, 1, 0, 0.2, 0.3, -0.5"), 0.25},
          {"floating arm", arm, 0.4}};
}

// After the contact has been left for good.
std::vector<double> compliant(const Case& c, double stiffness, double ratio) {
  const std::string text =
      c.model + fmt::format(R"(environment: {{terrain: {{plane: z}}}}
materials: {{floor: {{stiffness: {0}, friction: {1}, tangential: {{stiffness: {2}, damping: {3}}}}}}}
contacts: {{tip: {{point: [0, 0, 0], on: {4}, material: floor}}}}
)",
                            stiffness, c.friction, stiffness * ratio, 0.3 * std::sqrt(stiffness * ratio),
                            c.model.find("brick") != std::string::npos ? "brick" : "lower");
  const Mechanism mech = from_yaml(text);
  SimulationOptions options{.until = 1, .tolerance = 1e-9};
  std::vector<double> after;
  options.on_event = [&](const RecordedEvent& e) {
    if (e.kind == "lift") after = e.v_after;
  };
  options.go_on = [&](double) { return after.empty(); };
  Simulation simulation(mech, options);
  EXPECT_TRUE(simulation.run().ok());
  return after;
}

std::vector<double> rigid(const Case& c) {
  const Mechanism mech = from_yaml(c.model);
  const ImpactResult result = compute_impact(
      mech, initial_state(mech),
      {{.first = mech.outputs[0].body, .normal_W = {0, 0, 1}, .restitution = 1, .friction = c.friction}});
  EXPECT_TRUE(result.ok()) << result.text;
  return result.v;
}

TEST(CompliantContact, converges_to_the_impact_as_it_grows_stiff) {
  Plot plot;
  plot.title = "Compliant contacts become impacts";
  plot.subtitle =
      "velocities after it: |compliant − rigid|, of all joints; bristles stiffer than the normal spring by 10 to 1000";
  plot.x = {.label = "stiffness of the contact", .unit = "log10 N/m"};
  plot.panels = {{.y = {.label = "difference", .unit = "log10 m/s, rad/s"}}};
  for (const Case& c : cases()) {
    const std::vector<double> limit = rigid(c);
    std::vector<double> errors;
    PlotLine line{.name = c.name};
    for (int s = 0; s < 5; ++s) {
      const double k = 1e4 * std::pow(10, s), ratio = 10 * std::pow(10, 0.5 * s);
      const std::vector<double> after = compliant(c, k, ratio);
      ASSERT_EQ(after.size(), limit.size()) << c.name << k;
      double square = 0;
      for (std::size_t i = 0; i < limit.size(); ++i) square += std::pow(after[i] - limit[i], 2);
      errors.push_back(std::sqrt(square));
      line.x.push_back(std::log10(k)), line.y.push_back(std::log10(errors.back()));
    }
    plot.panels[0].lines.push_back(std::move(line));
    for (std::size_t s = 1; s < errors.size(); ++s) EXPECT_LT(errors[s], 0.6 * errors[s - 1]) << c.name << s;
    EXPECT_LT(errors.back(), 2e-2) << c.name;
  }
  if (const char* file = std::getenv("TRAMMEL_COMPLIANT_SVG")) std::ofstream(file) << svg_plot(plot);  // docs/images
}

}  // namespace
}  // namespace trammel::test

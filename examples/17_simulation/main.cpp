// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A pole is balanced on a cart by a controller that runs a hundred times a second. What is recorded stays in memory.

#include <cstdio>

#include <trammel/trammel.hpp>

using namespace trammel;

static const char* cart = R"(
trammel: 1
name: pole on a cart
gravity: [0, -9.81, 0]
points: {O: [0, 0, 0], A: [0, 1, 0]}
bodies:
  cart: {mass: 2, com: O, inertia: [0.1, 0.1, 0.1]}
  pole: {mass: 0.3, shape: {rod: [O, A], radius: 0.01}}
joints:
  rail:  {prismatic: [ground, cart], at: O, axis: x, friction: {viscous: 0.5}}
  hinge: {revolute: [cart, pole], at: O, axis: z}
actuators: {push: {torque: rail, control: [-60, 60]}}
initial: {hinge: -0.3}
)";

int main() {
  const ReadResult read = read_yaml(cart, "cart.yaml");
  const CompileResult compiled = compile(read.model);
  if (!read.ok() || !compiled.ok()) return 2;

  SimulationOptions options{.until = 6, .tolerance = 1e-9, .record_every = 2};
  options.controller.period = 0.01;  // s; the force is held in between
  options.controller.update = [](const Moment& now, std::span<double> force) {
    force[0] = 5 * now.q[0] + 9 * now.v[0] - 80 * now.q[1] - 20 * now.v[1];
  };
  options.events.push_back({.name = "upright", .when = [](const Moment& now) { return now.q[1]; }});

  const SimulatedRun run = simulate(compiled.mechanism, options);
  if (!run.report.ok()) {
    std::printf("%s\n", run.report.text.c_str());
    return 1;
  }
  const Recording& recording = run.recording;
  const std::vector<double> x = recording.column(recording.find_channel("rail.q")),
                            lean = recording.column(recording.find_channel("hinge.q"));
  for (std::size_t i = 0; i < recording.row_count(); ++i) {
    std::printf("t = %g s   cart at %6.3f m   pole leans by %7.4f rad\n", recording.row(i)[0], x[i], lean[i]);
  }
  std::printf("upright first at %.4f s; %.2f J went into it\n", recording.events.at(0).t, run.report.energy.input);
  return 0;
}

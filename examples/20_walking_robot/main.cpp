// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The Aquarobot walks over an uneven floor: a controller in C++ gives its 18 servos their targets, 50 times a second.
//
//   example MODEL [seconds]

#include <cstdio>
#include <cstdlib>

#include "tripod_gait.hpp"

using namespace trammel;

namespace {

// Places of the legs' servos among the controls: "leg3 knee1" …
std::array<std::array<std::size_t, 3>, 6> find_servos(const Mechanism& mechanism) {
  std::array<std::array<std::size_t, 3>, 6> places{};
  const char* const joints[] = {"hip", "knee1", "knee2"};
  for (std::size_t leg = 0; leg < 6; ++leg) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = "leg" + std::to_string(leg + 1) + " " + joints[k];
      for (std::size_t i = 0; i < mechanism.actuators.size(); ++i) {
        if (mechanism.actuators[i].settings.name == name) places[leg][k] = i;
      }
    }
  }
  return places;
}

}  // namespace

int main(int argc, char** argv) {
  const ReadResult read = read_model(argc > 1 ? argv[1] : "models/aquarobot_walking.yaml");
  if (!read.ok()) {
    std::fputs(read.diagnostics.to_string().c_str(), stderr);
    return 2;
  }
  const CompileResult compiled = compile(read.model);
  if (!compiled.ok()) {
    std::fputs(compiled.diagnostics.to_string().c_str(), stderr);
    return 2;
  }
  const Mechanism& robot = compiled.mechanism;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 56;
  const TripodGait gait(*robot.contacts.terrain, {});
  const auto servos = find_servos(robot);

  SimulationOptions options{.until = seconds, .step = 0.003, .integrator = Integrator::implicit, .record_every = 0.03};
  options.controller.period = 0.021;
  options.controller.update = [&](const Moment& now, std::span<double> controls) {
    const auto targets = gait.targets(now.t);
    for (std::size_t leg = 0; leg < 6; ++leg) {
      for (std::size_t k = 0; k < 3; ++k) controls[servos[leg][k]] = targets[leg][k];
    }
  };
  // The free joint of the torso comes first: its turn as a quaternion, then its place against where it is drawn.
  double steepest = 0, shown = -5;
  options.record = [&](const Moment& now) {
    const double tilt = std::acos(std::clamp(1 - 2 * (now.q[1] * now.q[1] + now.q[2] * now.q[2]), -1.0, 1.0));
    steepest = std::max(steepest, tilt);
    if (now.t < shown + 5 - 1e-6) return;
    shown = now.t;
    std::printf("%4.0f s   x %6.2f m   y %6.2f m   height %5.2f m   tilt %4.1f deg\n", now.t, now.q[4], now.q[5],
                now.q[6] + 1, tilt * 180 / std::numbers::pi);
  };

  Simulation simulation(robot, options);
  const SimulationReport report = simulation.run();
  if (!report.ok()) {
    std::printf("%s\n", report.text.c_str());
    return 1;
  }
  std::printf("walked %.0f m, never tilted by more than %.0f deg\n", simulation.state().q[4],
              std::ceil(steepest * 180 / std::numbers::pi));
  return 0;
}

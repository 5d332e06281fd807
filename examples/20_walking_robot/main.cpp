// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The Aquarobot walks over the sea floor: the library's tripod gait gives its 18 servos their targets, 48 times a second.
//
//   example [MODEL [seconds]]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>

#include <trammel/trammel.hpp>

using namespace trammel;

namespace {

// Its free joint comes first: the torso's turn as a quaternion, then its place against where it is drawn.
double tilt_of(std::span<const double> q) {
  return std::acos(std::clamp(1 - 2 * (q[1] * q[1] + q[2] * q[2]), -1.0, 1.0)) * 180 / std::numbers::pi;
}

int walk(const Mechanism& robot, double seconds) {
  const TripodGait gait(robot, {});
  SimulationOptions options{.until = seconds, .step = 0.003, .integrator = Integrator::implicit, .record_every = 0.03};
  options.controller = gait.controller(0.021);
  double steepest = 0, shown = -5;
  options.record = [&](const Moment& now) {
    steepest = std::max(steepest, tilt_of(now.q));
    if (now.t < shown + 5 - 1e-6) return;
    shown = now.t;
    std::printf("%4.0f s   x %6.2f m   y %6.2f m   height %5.2f m   tilt %4.1f deg\n", now.t, now.q[4], now.q[5],
                now.q[6] + 1, tilt_of(now.q));
  };

  Simulation simulation(robot, options);
  const auto begun = std::chrono::steady_clock::now();
  const SimulationReport report = simulation.run();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  if (!report.ok()) {
    std::printf("%s\n", report.text.c_str());
    return 1;
  }
  std::printf("walked %.0f m, never tilted by more than %.0f deg\n", simulation.state().q[4], std::ceil(steepest));
  std::fprintf(stderr, "%.2f s of computing, %.0f times real time\n", taken.count(), seconds / taken.count());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const ReadResult read = read_model(argc > 1 ? argv[1] : "models/aquarobot_sea_floor.yaml");
  const CompileResult compiled = compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::fputs((read.ok() ? compiled.diagnostics : read.diagnostics).to_string().c_str(), stderr);
    return 2;
  }
  try {
    return walk(compiled.mechanism, argc > 2 ? std::atof(argv[2]) : 60);
  } catch (const std::exception& error) {  // a model that this gait cannot walk
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

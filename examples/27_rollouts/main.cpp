// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Simulation in the loop: twenty times a second a running simulation is forked, two hundred ways to push are tried 0.8 s ahead of it, and
// the first push of the best is applied. So a pole that hangs from a cart is swung up and kept upright, by nobody who knows how.
//
//   example [MODEL]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include <trammel/trammel.hpp>

using namespace trammel;

namespace {

constexpr double period = 0.05, horizon = 0.8, step = 0.005, strongest = 12;
constexpr int rows = 16, tries = 200, turns = 100;

// q: the cart's way, the pole's angle from hanging; what is wished is an upright pole, in the middle, that does not move.
double cost(std::span<const double> q, std::span<const double> v) {
  return 1 + std::cos(q[1]) + 0.3 * q[0] * q[0] + 0.03 * v[0] * v[0] + 0.01 * v[1] * v[1];
}
double cost(const Rollout& rollout) {
  if (!rollout.ok()) return infinity;
  constexpr std::size_t width = 5;  // t, q, v
  double sum = 0;
  for (std::size_t i = 0; i + width <= rollout.samples.size(); i += width) {
    const std::span<const double> row(&rollout.samples[i], width);
    sum += cost(row.subspan(1, 2), row.subspan(3, 2));
  }
  return sum;
}

// Pushes to try: the plan of before, and others around it. (Standard distributions differ between libraries; this does not.)
std::vector<RolloutCase> tries_around(const std::vector<double>& plan, std::mt19937_64& random) {
  const auto normal = [&random] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    return sum;
  };
  std::vector<RolloutCase> cases(tries);
  for (int k = 0; k < tries; ++k) {
    cases[static_cast<std::size_t>(k)].controls = plan;
    const double spreads[] = {0.3, 1, 3, 8}, spread = k == 0 ? 0 : spreads[k % 4];
    for (double& push : cases[static_cast<std::size_t>(k)].controls) {
      push = std::clamp(push + spread * normal(), -strongest, strongest);
    }
  }
  return cases;
}

int balance(const Mechanism& mechanism) {
  double push = 0;
  SimulationOptions options{.until = turns * period, .step = step, .integrator = Integrator::rk4};
  options.controller = {period, [&push](const Moment&, std::span<double> controls) { controls[0] = push; }};
  Simulation simulation(mechanism, options);
  const Rollouts rollouts(mechanism, {.duration = horizon,
                                      .step = step,
                                      .integrator = Integrator::rk4,
                                      .control_period = period,
                                      .sample_every = 0.02});
  std::mt19937_64 random(1);
  std::vector<double> plan(rows);
  double upright_since = -1;
  for (int turn = 0; turn < turns; ++turn) {
    std::vector<RolloutCase> cases = tries_around(plan, random);
    const auto now = std::make_shared<const Checkpoint>(simulation.checkpoint());
    for (RolloutCase& one : cases) {
      if (turn > 0) one.fork = now;  // at first there is nothing to go on from: the model's initial state
    }
    const std::vector<Rollout> ahead = rollouts.run(cases);
    const auto best = std::min_element(ahead.begin(), ahead.end(),
                                       [](const Rollout& a, const Rollout& b) { return cost(a) < cost(b); });
    plan = cases[static_cast<std::size_t>(best - ahead.begin())].controls;
    push = plan.front();
    if (const SimulationReport report = simulation.run((turn + 1) * period); !report.ok()) {
      std::printf("%s\n", report.text.c_str());
      return 1;
    }
    std::rotate(plan.begin(), plan.begin() + 1, plan.end());  // what was planned moves up
    const State& s = simulation.state();
    const double off = std::abs(std::remainder(s.q[1] - std::numbers::pi, 2 * std::numbers::pi));
    if (off > 0.3) upright_since = -1;
    if (off <= 0.3 && upright_since < 0) upright_since = s.t;
    std::fprintf(stderr, "%4.1f s  push %6.2f N  cart %6.3f m  pole %6.1f deg off\n", s.t, push, s.q[0],
                 off * 180 / std::numbers::pi);
  }
  if (upright_since < 0 || upright_since > 4) {
    std::printf("the pole has not come up\n");
    return 1;
  }
  std::printf("%d motions tried; the pole is up within 4 s and stays there\n", turns * tries);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const ReadResult read = read_model(argc > 1 ? argv[1] : "examples/27_rollouts/cart_pole.yaml");
  const CompileResult compiled = compile(read.model);
  if (!read.ok() || !compiled.ok()) {
    std::fputs((read.ok() ? compiled.diagnostics : read.diagnostics).to_string().c_str(), stderr);
    return 2;
  }
  return balance(compiled.mechanism);
}

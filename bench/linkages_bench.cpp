// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Linkages along a sweep, one thread: position by Newton's method, velocity and acceleration at every tenth of a degree of the
// crank. `items_per_second` is inputs per second.

#include <numbers>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <trammel/readers.hpp>

#include "analysis/branch.hpp"

namespace trammel {
namespace {

void sweep(benchmark::State& run, const char* model, const char* joint) {
  const ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + model);
  const Mechanism mechanism = compile(read.model, {.keep = {joint}, .for_dynamics = false}).mechanism;
  Driver driver;
  driver.joint = mechanism.find_joint(joint);
  LoopSolver solver(mechanism, {driver});
  std::vector<double> q = design_state(mechanism).q, v(static_cast<std::size_t>(mechanism.nv)), a(v.size());
  Target target{0, 10, 1, 0};
  if (!solver.assemble(q, {&target, 1}).closed()) throw std::runtime_error("it does not close");
  BranchFollower branch(solver);
  branch.start(q, std::vector<double>{0});
  int k = 0;
  for (auto _ : run) {
    target.value = 0.1 * (++k % 3600) * std::numbers::pi / 180;
    if (k % 3600 == 0) branch.start(q, std::vector<double>{0});
    if (!branch.go_to({&target.value, 1}).arrived) throw std::runtime_error("it got stuck");
    solver.velocities(branch.q(), {&target, 1}, v);
    solver.accelerations(branch.q(), v, {&target, 1}, a);
    benchmark::DoNotOptimize(a.data());
  }
  run.SetItemsProcessed(run.iterations());
}

BENCHMARK_CAPTURE(sweep, four_bar, "crank_rocker.yaml", "O2");
BENCHMARK_CAPTURE(sweep, six_bar, "watt_sixbar.yaml", "O2");

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Linkages along a sweep, one thread: position, velocity and acceleration at every tenth of a degree of the crank; by Newton's method
// (sweep), and by the closed form of the positions (plan). `items_per_second` is inputs per second.

#include <numbers>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <trammel/closed_form.hpp>
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

void plan(benchmark::State& run, const char* model, const char* joint) {
  const ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/" + model);
  const Mechanism mechanism = compile(read.model, {.keep = {joint}, .for_dynamics = false}).mechanism;
  ClosedForm form(mechanism, {{.joint = mechanism.find_joint(joint)}});
  const std::vector<double> drawn = design_state(mechanism).q;
  std::vector<double> q = drawn, v(static_cast<std::size_t>(mechanism.nv)), a(v.size());
  const auto branch = form.branch_of(q, std::vector<double>{0});
  if (!branch) throw std::runtime_error(form.obstacle());
  Target target{0, 10, 1, 0};
  int k = 0;
  for (auto _ : run) {
    target.value = 0.1 * (++k % 3600) * std::numbers::pi / 180;
    if (!form.motion(*branch, {&target, 1}, q, v, a)) throw std::runtime_error("it got stuck");
    benchmark::DoNotOptimize(a.data());
  }
  run.SetItemsProcessed(run.iterations());
}

BENCHMARK_CAPTURE(plan, four_bar, "crank_rocker.yaml", "O2");
BENCHMARK_CAPTURE(plan, six_bar, "watt_sixbar.yaml", "O2");
BENCHMARK_CAPTURE(plan, rssr, "rssr.yaml", "crank");
BENCHMARK_CAPTURE(plan, rccc, "rccc.yaml", "J1");
BENCHMARK_CAPTURE(sweep, four_bar, "crank_rocker.yaml", "O2");
BENCHMARK_CAPTURE(sweep, six_bar, "watt_sixbar.yaml", "O2");

}  // namespace
}  // namespace trammel

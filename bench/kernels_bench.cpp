// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Time of one call of each tree algorithm on chains of hinges with skew axes, one state, one thread, sines and cosines
// included. `items_per_second` is links per second: flat over N when the algorithm is O(n).

#include <random>

#include <benchmark/benchmark.h>

#include <trammel/dynamics.hpp>

namespace trammel {
namespace {

struct Scene {
  Mechanism mechanism;
  State state;
  std::vector<double> tau, a, matrix;

  explicit Scene(int n) {
    Model model;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (int i = 0; i < n; ++i) {
      const std::string name = "b" + std::to_string(i);
      const double x = 0.1 * i;
      add_body(model, name, 1, {x + 0.05, 0.01, 0.02}, {0.01, 0.02, 0.025, 0.001, 0, 0});
      add_joint(model, "j" + std::to_string(i), Revolute{}, i == 0 ? "ground" : "b" + std::to_string(i - 1), name,
                frame_at({x, 0, 0}, {normal(random), normal(random), normal(random)}));
    }
    mechanism = compile(model).mechanism;
    state = design_state(mechanism);
    const auto nv = static_cast<std::size_t>(mechanism.nv);
    tau.resize(nv), a.resize(nv);
    for (double& x : state.q) x = normal(random);
    for (double& x : state.v) x = normal(random);
    for (double& x : tau) x = normal(random);
  }
};

void forward(benchmark::State& run) {
  Scene scene(static_cast<int>(run.range(0)));
  Workspace ws(scene.mechanism);
  for (auto _ : run) {
    forward_dynamics(scene.mechanism, ws, scene.state.q, scene.state.v, scene.tau, scene.a);
    benchmark::DoNotOptimize(scene.a.data());
  }
  run.SetItemsProcessed(run.iterations() * run.range(0));
}

void inverse(benchmark::State& run) {
  Scene scene(static_cast<int>(run.range(0)));
  Workspace ws(scene.mechanism);
  for (auto _ : run) {
    inverse_dynamics(scene.mechanism, ws, scene.state.q, scene.state.v, scene.a, scene.tau);
    benchmark::DoNotOptimize(scene.tau.data());
  }
  run.SetItemsProcessed(run.iterations() * run.range(0));
}

void mass(benchmark::State& run) {
  Scene scene(static_cast<int>(run.range(0)));
  Workspace ws(scene.mechanism);
  scene.matrix.resize(static_cast<std::size_t>(scene.mechanism.nv) * scene.mechanism.nv);
  for (auto _ : run) {
    mass_matrix(scene.mechanism, ws, scene.state.q, scene.matrix);
    benchmark::DoNotOptimize(scene.matrix.data());
  }
  run.SetItemsProcessed(run.iterations() * run.range(0));
}

BENCHMARK(forward)->Arg(7)->Arg(10)->Arg(30)->Arg(100)->Arg(1000);
BENCHMARK(inverse)->Arg(7)->Arg(10)->Arg(30)->Arg(100)->Arg(1000);
BENCHMARK(mass)->Arg(7)->Arg(10)->Arg(30)->Arg(100);

}  // namespace
}  // namespace trammel

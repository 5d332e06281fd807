// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Closed chains by Lilly and Orin's algorithm beside the open tree with the same bodies, on one thread and on two. m arms of N hinges hold a floating body:
// by balls (n_c = 3, every K regular), or with arms too short for their tips, where ranks are decided.

#include <stdexcept>

#include <benchmark/benchmark.h>

#include <trammel/dynamics.hpp>
#include <trammel/lilly_orin.hpp>

#include "support/random.hpp"

namespace trammel {
namespace {

Mechanism arms_on_object(int arms, int hinges) {
  test::Random random(7);
  Model model;
  add_body(model, "object", 2, random.vector(0.1), random.inertia_at_com(2));
  add_joint(model, "float", Free{}, "ground", "object", {});
  for (int k = 0; k < arms; ++k) {
    std::string before(ground_name);
    for (int i = 0; i < hinges; ++i) {
      const std::string name = "arm " + std::to_string(k) + " link " + std::to_string(i);
      add_body(model, name, 1, random.vector(0.2), random.inertia_at_com(1), random.pose());
      add_joint(model, name, Revolute{}, before, name, random.pose());
      before = name;
    }
    add_joint(model, "tip " + std::to_string(k), Spherical{}, before, "object", random.pose()).cut = true;
  }
  return compile(model).mechanism;
}

struct Run {
  Mechanism mechanism;
  std::vector<double> q, v, tau, a;

  explicit Run(benchmark::State& run)
      : mechanism(arms_on_object(static_cast<int>(run.range(0)), static_cast<int>(run.range(1)))),
        q(design_state(mechanism).q),
        v(static_cast<std::size_t>(mechanism.nv)),
        tau(v.size(), 0.1),
        a(v.size()) {}
};

template <int threads>
void closed(benchmark::State& run) {
  Run r(run);
  LillyOrin solver(r.mechanism, find_star(r.mechanism));
  solver.set_threads(threads);
  for (auto _ : run) {
    if (!solver.forward_dynamics(r.q, r.v, r.tau, r.a).ok()) throw std::runtime_error("singular");
    benchmark::DoNotOptimize(r.a.data());
  }
}
void open_tree(benchmark::State& run) {
  Run r(run);
  Workspace ws(r.mechanism);
  for (auto _ : run) {
    if (!forward_dynamics(r.mechanism, ws, r.q, r.v, r.tau, r.a).ok()) throw std::runtime_error("singular");
    benchmark::DoNotOptimize(r.a.data());
  }
}

void cases(benchmark::internal::Benchmark* bench) {
  for (const int arms : {3, 6}) bench->Args({arms, 6});
  bench->Args({6, 3})->Args({3, 2})->Args({16, 32})->Args({64, 32})->ArgNames({"arms", "hinges"});
}
BENCHMARK(closed<1>)->Apply(cases);
BENCHMARK(closed<2>)->Apply(cases)->UseRealTime();
BENCHMARK(open_tree)->Apply(cases);

}  // namespace
}  // namespace trammel

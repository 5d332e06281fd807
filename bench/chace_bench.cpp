// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Chace's cases, all solutions of each, one thread: random loops that close, a thousand of each case in turn.

#include <vector>

#include <benchmark/benchmark.h>

#include <trammel/chace.hpp>

#include "support/random.hpp"

namespace trammel::chace {
namespace {

struct Loop {
  Arm r, s, t;
  Vec3d C;
};

std::vector<Loop> random_loops() {
  test::Random random(1);
  const auto arm = [&] {
    const Axes axes = axes_about(random.direction(), random.direction());
    return Arm{cone_about(axes, random.uniform(0.1, 3)), random.uniform(0.1, 2)};
  };
  std::vector<Loop> loops;
  for (int i = 0; i < 1000; ++i) {
    Loop loop{arm(), arm(), arm(), {}};
    for (const Arm* a : {&loop.r, &loop.s, &loop.t}) loop.C -= vector_at(*a, random.uniform(-3, 3)).v;
    loops.push_back(loop);
  }
  return loops;
}

const Vec3d& w(const Arm& arm) { return arm.cone.axes.w; }

template <class Solve>
void solve_all(benchmark::State& run, Solve solve) {
  const std::vector<Loop> loops = random_loops();
  std::size_t k = 0;
  for (auto _ : run) {
    auto found = solve(loops[k]);
    benchmark::DoNotOptimize(found);
    k = k + 1 < loops.size() ? k + 1 : 0;
  }
  run.SetItemsProcessed(run.iterations());
}

BENCHMARK_CAPTURE(solve_all, case_2, [](const Loop& l) { return case2(l.r.cone, w(l.s), l.C); });
BENCHMARK_CAPTURE(solve_all, case_3, [](const Loop& l) { return case3(l.r.cone, l.s, l.C); });
BENCHMARK_CAPTURE(solve_all, case_4, [](const Loop& l) { return case4(l.r.length, w(l.s), l.C); });
BENCHMARK_CAPTURE(solve_all, case_5, [](const Loop& l) { return case5(l.r.length, l.s, l.C); });
BENCHMARK_CAPTURE(solve_all, case_6, [](const Loop& l) { return case6(w(l.r), w(l.s), w(l.t), l.C); });
BENCHMARK_CAPTURE(solve_all, case_7, [](const Loop& l) { return case7(w(l.r), w(l.s), l.t, l.C); });
BENCHMARK_CAPTURE(solve_all, case_8, [](const Loop& l) { return case8(w(l.r), l.s, l.t, l.C); });
BENCHMARK_CAPTURE(solve_all, case_9, [](const Loop& l) { return case9(l.r, l.s, l.t, l.C); });

}  // namespace
}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// How forward dynamics with loops grows with the size of a mechanism: ladder, ring, chain of four-bars and star of n equal parts, n = 10 … 1000, by
// elimination, and the star by Lilly and Orin's method too. Operations with 6×6 blocks are counted, times measured, one thread. Prints a
// table and writes <date>_<cpu>_growth.csv.

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"
#include "stopwatch.hpp"
#include "support/growing_loops.hpp"

namespace trammel::bench {
namespace {

struct Family {
  const char* name;
  Model (*make)(int n);
  LoopMethod method;
};
constexpr Family families[] = {{"ladder", test::ladder, LoopMethod::elimination},
                               {"ring", test::ring, LoopMethod::elimination},
                               {"chain of four-bars", test::chain_of_four_bars, LoopMethod::elimination},
                               {"star", test::star, LoopMethod::elimination},
                               {"star", test::star, LoopMethod::star}};

struct Cost {
  long operations = 0;  // of one call
  int iterations = 0;
  tool::Timing time;
};

Cost cost_of(const Family& family, int n, double seconds) {
  const Mechanism mech = compile(family.make(n)).mechanism;
  LoopDynamics dynamics(mech);
  std::vector<double> q = design_state(mech).q, v(static_cast<std::size_t>(mech.nv)), tau(v.size()), a(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.1 * std::sin(1.0 + static_cast<double>(k));
  if (!dynamics.project_velocity(q, v, {}, LoopMethod::elimination).ok()) throw std::runtime_error("no velocity");
  Cost cost;
  const auto call = [&] {
    const LoopVerdict verdict = dynamics.forward(q, v, tau, a, {}, family.method);
    if (!verdict.ok()) throw std::runtime_error(fmt::format("{} of {} parts: no answer", family.name, n));
    cost.iterations = verdict.iterations;
  };
  const long before = dynamics.elimination().done;
  call();
  cost.operations = dynamics.elimination().done - before;
  cost.time = tool::time_in_turns({{[&](int, int count) {
                                    while (count-- > 0) call();
                                  }}},
                                  {.seconds_per_job = seconds})[0];
  return cost;
}

int run(const std::string& folder, double seconds) {
  const std::string path = results_path(folder, "_growth");
  CsvFile csv(path, {"date", "cpu", "clock_ghz", "kernel_level", "compiler", "trammel", "mechanism", "method", "parts",
                     "operations_6x6", "turns", "us", "us_median"});
  fmt::print("{:<20} {:<12} {:>6} {:>12} {:>6} {:>10} {:>10}\n", "", "", "n", "6x6 a part", "turns", "us a part", "us");
  for (const Family& family : families) {
    const bool eliminates = family.method == LoopMethod::elimination;
    for (const int n : {10, 30, 100, 300, 1000}) {
      const Cost cost = cost_of(family, n, seconds);
      const double us = cost.time.least_ns / 1e3;
      const char* const method = eliminates ? "elimination" : "lilly-orin";
      const auto counted = [&](const std::string& number) { return eliminates ? number : std::string(); };
      fmt::print("{:<20} {:<12} {:>6} {:>12} {:>6} {:>10.3f} {:>10.1f}\n", family.name, method, n,
                 counted(fmt::format("{:.2f}", static_cast<double>(cost.operations) / n)),
                 counted(std::to_string(cost.iterations)), us / n, us);
      csv.add({today(), cpu_name(), fmt::format("{:.2f}", clock_ghz()), std::string(kernel_level()), compilers(),
               std::string(version()), family.name, method, std::to_string(n), counted(std::to_string(cost.operations)),
               counted(std::to_string(cost.iterations)), fmt::format("{:.3f}", us),
               fmt::format("{:.3f}", cost.time.median_ns / 1e3)});
    }
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("growth_bench", argc, argv, 0.5, trammel::bench::run);
}

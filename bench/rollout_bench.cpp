// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// 1000 rollouts of one second each of the trotting quadruped (models/quadruped_trot.yaml: 18 freedoms, 12 servos, four feet that touch, stick
// and slip), implicit steps of 1 ms: in lanes and one by one, on one thread and on two. Prints a table and writes <date>_<cpu>_rollout.csv.
//
// Times are those of the wall, and those that all threads together spent computing: on a machine that does other work besides only the second
// tell what rollouts cost.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/rollout.hpp>
#include <trammel/version.hpp>

#include "bench_main.hpp"
#include "csv_file.hpp"
#include "machine.hpp"

namespace trammel::bench {
namespace {

constexpr int count = 1000;
constexpr double duration = 1, step = 1e-3;  // s

struct Times {
  double wall = 1e300, computing = 1e300;  // s, the least of all turns
};

std::vector<Rollout> time_once(const Rollouts& rollouts, const std::vector<RolloutCase>& cases, Times& times) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();  // of all threads
  std::vector<Rollout> found = rollouts.run(cases);
  times.computing = std::min(times.computing, static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
  times.wall = std::min(times.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  for (const Rollout& one : found) {
    if (!one.ok()) throw std::runtime_error(one.text);
  }
  return found;
}

double largest_difference(const std::vector<Rollout>& a, const std::vector<Rollout>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].end.q.size(); ++k) {
      worst = std::max(worst, std::abs(a[i].end.q[k] - b[i].end.q[k]));
    }
  }
  return worst;
}

int run(const std::string& folder, double seconds) {
  const ReadResult read = read_model(std::string(TRAMMEL_SOURCE_DIR) + "/models/quadruped_trot.yaml");
  const Mechanism mech = compile(read.model).mechanism;
  std::vector<RolloutCase> cases(count);
  for (std::size_t i = 0; i < cases.size(); ++i) {  // pushed each in its own way
    State start = initial_state(mech);
    start.v[0] = 1e-3 * static_cast<double>(i), start.v[3] = 0.1;
    cases[i].start = start;
  }
  struct Line {
    bool lanes;
    int threads;
    Times times = {};
    std::vector<Rollout> found = {};
  };
  std::vector<Line> lines = {{true, 1}, {true, 2}, {false, 1}, {false, 2}};
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (Line& line : lines) {
      const Rollouts rollouts(mech, {.duration = duration, .step = step, .threads = line.threads, .lanes = line.lanes});
      line.found = time_once(rollouts, cases, line.times);
    }
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds);

  const std::string path = results_path(folder, "_rollout");
  CsvFile csv(path, {"date", "cpu", "clock_ghz", "kernel_level", "compiler", "trammel", "model", "rollouts", "lanes",
                     "threads", "wall_s", "computing_s", "computing_us_per_step", "largest_difference"});
  fmt::print("{} rollouts of {} s of the {}, implicit steps of {} s\n\n{:<12} {:>8} {:>8} {:>12} {:>12} {:>20}\n",
             count, duration, mech.name, step, "", "threads", "wall, s", "computing, s", "us/step",
             "from one by one, m");
  for (const Line& line : lines) {
    const double us = line.times.computing * 1e6 / (count * duration / step);
    const double difference = largest_difference(line.found, lines[2].found);
    fmt::print("{:<12} {:>8} {:>8.2f} {:>12.2f} {:>12.2f} {:>20.1e}\n", line.lanes ? "in lanes" : "one by one",
               line.threads, line.times.wall, line.times.computing, us, difference);
    csv.add({today(), cpu_name(), fmt::format("{:.2f}", clock_ghz()), std::string(kernel_level()), compilers(),
             std::string(version()), mech.name, std::to_string(count), line.lanes ? std::to_string(lane_count()) : "1",
             std::to_string(line.threads), fmt::format("{:.3f}", line.times.wall),
             fmt::format("{:.3f}", line.times.computing), fmt::format("{:.3f}", us),
             fmt::format("{:.1e}", difference)});
  }
  csv.finish();
  return told(path);
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::bench_main("rollout_bench", argc, argv, 2, trammel::bench::run);
}

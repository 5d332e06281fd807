// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "stopwatch.hpp"

#include <algorithm>
#include <chrono>

namespace trammel::tool {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Turns {
  const Job* job = nullptr;
  int count = 0;  // calls in a slice; 0: left out
  int first = 0;
  std::vector<double> ns{};  // per call, one entry a turn

  // One call before the clock starts fetches data and code back from where the other jobs have pushed them.
  double slice() {
    job->run(first, job->block);
    const Clock::time_point start = Clock::now();
    job->run(first, count);
    const double seconds = seconds_since(start);
    first = (first + count) % 1024;
    return seconds;
  }
};

void choose_count(Turns& turns, const TimingOptions& options) {
  const Clock::time_point start = Clock::now();
  turns.job->run(0, turns.job->block);
  if (seconds_since(start) > options.longest_call * turns.job->block) return;
  turns.count = turns.job->block;
  while (turns.slice() < options.slice && turns.count < 1 << 24) turns.count *= 2;
}

Timing summary(Turns& turns) {
  if (turns.ns.empty()) return {};
  std::sort(turns.ns.begin(), turns.ns.end());
  return {turns.ns.front(), turns.ns[turns.ns.size() / 2], static_cast<int>(turns.ns.size())};
}

}  // namespace

std::vector<Timing> time_in_turns(const std::vector<Job>& jobs, const TimingOptions& options) {
  std::vector<Turns> all;
  for (const Job& job : jobs) {
    all.push_back({&job});
    choose_count(all.back(), options);
  }
  const Clock::time_point start = Clock::now();
  const double budget = options.seconds_per_job * static_cast<double>(jobs.size());
  for (int turn = 0; turn < options.least_turns || seconds_since(start) < budget; ++turn) {
    for (Turns& turns : all) {
      if (turns.count > 0) turns.ns.push_back(turns.slice() / turns.count * 1e9);
    }
  }
  std::vector<Timing> timings;
  for (Turns& turns : all) timings.push_back(summary(turns));
  return timings;
}

}  // namespace trammel::tool

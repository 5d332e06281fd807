// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work in processes of their own, so that a task that crashes, is killed or never ends costs itself only. Workers are forks of this process: what it has
// built is there at once, and nothing that they do comes back but their answers. They end with this process, however it ends.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace trammel::study {

struct WorkDone {
  enum class How { answered, threw, timed_out, killed };
  std::uint64_t task = 0;
  How how = How::answered;
  std::string answer;  // or what was thrown
  int signal = 0;      // of one that was killed; 0: its process ended by itself, with `exit_code`
  int exit_code = 0;
};

struct PoolOptions {
  int jobs = 1;
  double time_limit = 0;  // s for one task; 0: none
};

// Runs work(task) for all tasks, in any order, and hands over what came of each, in the order in which they end. done() returns false to stop:
// tasks that are under way then are given up. Throws std::runtime_error where no worker can be started.
void run_pool(std::span<const std::uint64_t> tasks, const PoolOptions& options,
              const std::function<std::string(std::uint64_t)>& work, const std::function<bool(const WorkDone&)>& done);

}  // namespace trammel::study

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Workers that answer, throw, hang, crash and are killed.

#include "study/worker_pool.hpp"

#include <chrono>
#include <csignal>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace trammel::study {
namespace {

std::vector<std::uint64_t> first_numbers(std::size_t n) {
  std::vector<std::uint64_t> tasks(n);
  std::iota(tasks.begin(), tasks.end(), 0);
  return tasks;
}

TEST(WorkerPool, runs_each_task_once_for_any_number_of_jobs) {
  for (const int jobs : {1, 2, 3, 7}) {
    std::map<std::uint64_t, std::string> answers;
    const auto tasks = first_numbers(100);
    run_pool(
        tasks, {jobs, 0}, [](std::uint64_t k) { return std::string(k * 1000, 'x') + std::to_string(k); },
        [&](const WorkDone& done) {
          EXPECT_EQ(done.how, WorkDone::How::answered);
          EXPECT_TRUE(answers.emplace(done.task, done.answer).second);
          return true;
        });
    ASSERT_EQ(answers.size(), 100u);
    for (const auto& [k, answer] : answers) EXPECT_EQ(answer, std::string(k * 1000, 'x') + std::to_string(k));
  }
}

TEST(WorkerPool, tells_what_became_of_each_task_and_goes_on) {
  std::map<std::uint64_t, WorkDone> seen;
  const auto tasks = first_numbers(8);
  run_pool(
      tasks, {2, 1.0},
      [](std::uint64_t k) -> std::string {
        if (k == 1) throw std::runtime_error("not today");
        if (k == 2) std::raise(SIGKILL);
        if (k == 3) std::raise(SIGSEGV);
        if (k == 4) _exit(7);
        if (k == 5) std::this_thread::sleep_for(std::chrono::hours(1));
        return "fine";
      },
      [&](const WorkDone& done) {
        seen[done.task] = done;
        return true;
      });
  ASSERT_EQ(seen.size(), 8u);
  for (const std::uint64_t k : {0, 6, 7}) EXPECT_EQ(seen[k].answer, "fine");
  EXPECT_EQ(seen[1].how, WorkDone::How::threw);
  EXPECT_EQ(seen[1].answer, "not today");
  EXPECT_EQ(seen[2].how, WorkDone::How::killed);
  EXPECT_EQ(seen[2].signal, SIGKILL);
  EXPECT_EQ(seen[3].how, WorkDone::How::killed);
  EXPECT_EQ(seen[4].how, WorkDone::How::killed);
  EXPECT_EQ(seen[4].exit_code, 7);
  EXPECT_EQ(seen[5].how, WorkDone::How::timed_out);
}

TEST(WorkerPool, stops_when_told) {
  int count = 0;
  const auto tasks = first_numbers(1000);
  run_pool(
      tasks, {2, 0}, [](std::uint64_t) { return std::string("x"); }, [&](const WorkDone&) { return ++count < 10; });
  EXPECT_EQ(count, 10);
}

}  // namespace
}  // namespace trammel::study

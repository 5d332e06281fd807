// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of one shard, as far as nobody has run them yet.

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/study.hpp>

#include "study/journal.hpp"
#include "study/mixture.hpp"
#include "study/worker_pool.hpp"

namespace trammel {

using study::JournalContents;
using study::WorkDone;

namespace {

bool of_the_machine(const std::string& status) { return status == "timeout" || status == "killed"; }

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

// The record of what became of a task. Workers hand over records, ready for the journal.
std::string record_for(const WorkDone& done, double time_limit) {
  switch (done.how) {
    case WorkDone::How::answered:
      return done.answer;
    case WorkDone::How::threw:
      return study::record_of(done.task, {"error", done.answer, {}, {}});
    case WorkDone::How::timed_out:
      return study::record_of(done.task, {"timeout", fmt::format("took longer than {} s", time_limit), {}, {}});
    case WorkDone::How::killed:
      break;
  }
  const std::string why = done.signal != 0 ? "its process was ended by " + signal_name(done.signal)
                                           : fmt::format("its process ended with exit code {}", done.exit_code);
  return study::record_of(done.task, {"killed", why, {}, {}});
}

class ShardRun {
 public:
  ShardRun(const Study& study, const StudyRunOptions& options)
      : study_(study), options_(options), journal_(path(), study::own_header(study.hash)) {
    if (journal_.found().dropped > 0 && options_.note) {
      options_.note(fmt::format("{}: {} torn or damaged record{} dropped", journal_.found().file,
                                journal_.found().dropped, journal_.found().dropped == 1 ? "" : "s"));
    }
    find_open_tasks();
  }

  StudyRunReport run() {
    TaskRunner runner(study_.plan);
    const auto work = [&](std::uint64_t task) { return study::record_of(task, runner.run(task)); };
    last_flush_ = std::chrono::steady_clock::now();
    study::run_pool(open_, {options_.jobs, study_.plan.time_limit}, work,
                    [this](const WorkDone& done) { return take(done); });
    return report_;
  }

 private:
  // Before a journal is begun: one of a shard that is refused would be in the way of those that are not.
  std::string path() const {
    study::refuse_mixtures(study_, study::read_journals(study_.folder), true);
    const auto folder = std::filesystem::path(study_.folder) / "journals";
    std::filesystem::create_directories(folder);
    return (folder / fmt::format("shard-{}-of-{}.journal", options_.shard, options_.shards)).string();
  }

  // Tasks of this shard that are in no journal, whoever wrote it.
  void find_open_tasks() {
    const std::vector<JournalContents> journals = study::read_journals(study_.folder);
    study::refuse_mixtures(study_, journals, true);
    const auto shards = static_cast<std::uint64_t>(options_.shards);
    for (std::uint64_t task = static_cast<std::uint64_t>(options_.shard) - 1; task < study_.plan.task_count();
         task += shards) {
      ++report_.tasks;
      const TaskResult* known = study::find_result(journals, task);
      if (known != nullptr && !(options_.retry && of_the_machine(known->status))) {
        ++report_.skipped;
        ++report_.statuses[known->status];
      } else {
        open_.push_back(task);
      }
    }
  }

  bool take(const WorkDone& done) {
    const std::string record = record_for(done, study_.plan.time_limit);
    journal_.append(record);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_flush_ > std::chrono::seconds(1)) {
      journal_.flush();
      last_flush_ = now;
    }
    const std::string status = nlohmann::json::parse(record).at("status");
    ++report_.ran;
    ++report_.statuses[status];
    if (!options_.progress) return true;
    return options_.progress({report_.skipped + report_.ran, report_.tasks, report_.skipped, status});
  }

  const Study& study_;
  const StudyRunOptions& options_;
  study::JournalWriter journal_;
  std::vector<std::uint64_t> open_;
  StudyRunReport report_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace

StudyRunReport run_study(const Study& study, const StudyRunOptions& options) {
  if (options.shards < 1 || options.shard < 1 || options.shard > options.shards) {
    throw StudyError(fmt::format("there is no shard {} of {}", options.shard, options.shards),
                     "count shards from 1: --shard 1/4 … 4/4", "study-shard");
  }
  return ShardRun(study, options).run();
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel study submit FOLDER --slurm: a job array that runs what is missing, one array task for each shard.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <sys/wait.h>

#include "open_file.hpp"
#include "output_file.hpp"
#include "session.hpp"
#include "study_verbs.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

namespace fs = std::filesystem;

struct SubmitVerb {
  std::string folder, time;
  std::vector<std::string> extra;
  int shards = 10, cpus = 1;
  bool slurm = false, dry_run = false;

  // Those of its options that become lines of the script.
  std::vector<std::string> lines() const {
    std::vector<std::string> all = extra;
    all.push_back(time);
    return all;
  }
};

// For the shell, in single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Shards in which a task is missing, from 1.
std::vector<int> open_shards(const StudyStatus& status, int shards) {
  std::set<int> open;
  for (const std::uint64_t task : status.missing)
    open.insert(static_cast<int>(task % static_cast<std::uint64_t>(shards)) + 1);
  return {open.begin(), open.end()};
}

// Runs of successive shards: "1-12,15".
std::string ranges(const std::vector<int>& shards) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < shards.size(); first = last + 1) {
    last = first;
    while (last + 1 < shards.size() && shards[last + 1] == shards[last] + 1) ++last;
    text += fmt::format("{}{}", first == 0 ? "" : ",", shards[first]);
    if (last > first) text += fmt::format("{}{}", last > first + 1 ? "-" : ",", shards[last]);
  }
  return text;
}

// A path as sbatch takes it: quoted, and without patterns of its own.
std::string slurm_path(const fs::path& folder) {
  std::string text;
  for (const char c : folder.string())
    text += c == '%' ? "%%" : c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text;
}

std::string script(const SubmitVerb& verb, const std::vector<int>& shards, const fs::path& folder) {
  const fs::path tool = fs::read_symlink("/proc/self/exe");
  std::string text = "#!/bin/sh\n";
  const auto option = [&](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  option("--job-name=trammel-study");
  option("--array=" + ranges(shards));
  option(fmt::format("--cpus-per-task={}", verb.cpus));
  option("--requeue");  // a node that dies costs nothing but time
  option("--open-mode=append");
  option(fmt::format("--output=\"{}/shard-%a.log\"", slurm_path(folder / "slurm")));
  if (!verb.time.empty()) option("--time=" + verb.time);
  for (const std::string& line : verb.extra) option(line);
  text += fmt::format("exec {} study run {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --jobs {}\n", quoted(tool.string()),
                      quoted(folder.string()), verb.shards, verb.cpus);
  return text;
}

int run_submit(const SubmitVerb& verb) {
  if (!verb.slurm)
    throw StudyError("submit must be told to whom", "write trammel study submit FOLDER --slurm", "bad-usage");
  for (const std::string& line : verb.lines()) {
    if (std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < ' '; }))
      throw StudyError("an option for sbatch has a line break or control character in it", "give one option each",
                       "bad-usage");
  }
  const Study study = open_study(verb.folder);
  const std::vector<int> shards = open_shards(status_of(study), verb.shards);
  if (shards.empty()) {
    fmt::print("nothing to submit: all {} tasks are done\n", study.plan.task_count());
    return done;
  }
  const fs::path folder = fs::canonical(verb.folder), path = folder / "slurm" / "array.sh";
  fs::create_directories(path.parent_path());
  if (const std::string trouble = write_file(path.string(), script(verb, shards, folder)); !trouble.empty())
    throw StudyError(fmt::format("{} cannot be written: {}", path.string(), trouble), "is the folder yours?",
                     "study-output");
  fmt::print("{} of {} shards have tasks that are not done: {}\n", shards.size(), verb.shards, path.string());
  std::fflush(stdout);
  if (verb.dry_run) return done;
  if (find_program({"sbatch"}).empty()) {
    throw StudyError("there is no sbatch here",
                     "submit on a login node of the cluster, or see the script first: --dry-run", "study-no-slurm");
  }
  const int status = std::system(fmt::format("sbatch {}", quoted(path.string())).c_str());
  if (status != 0) {
    throw StudyError(
        fmt::format("sbatch refused it, with exit code {}", WEXITSTATUS(status)),
        "its own message is above; --option passes options of your cluster, such as --option=--partition=short",
        "study-no-slurm");
  }
  return done;
}

}  // namespace

void add_study_submit(Verb& study) {
  Verb verb = study.below("submit", "run what is missing on a cluster");
  auto options = std::make_shared<SubmitVerb>();
  verb.input("folder", options->folder, "folder of the study, on a file system that all nodes see");
  verb.flag("--slurm", options->slurm, "as a job array of Slurm");
  verb.option("--shards", options->shards, "array tasks among which the study is divided")
      .between(1, 100000)
      .show_default();
  verb.option("--cpus", options->cpus, "CPUs of each array task").between(1, 4096).show_default();
  verb.option("--time", options->time, "time limit of each array task, as sbatch takes it: 2:00:00");
  verb.list("--option", options->extra, "any further option of sbatch: --option=--partition=short (several times)");
  verb.flag("--dry-run", options->dry_run, "write the script and do not submit it");
  verb.footer(
      "The page docs/cluster.md goes through it step by step.\nExample:\n  trammel study submit blows --slurm --shards "
      "50 --time 1:00:00");
  verb.run([options] { return with_study_errors(false, [&] { return run_submit(*options); }); });
}

}  // namespace trammel::tool

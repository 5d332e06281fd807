// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel study: many runs of one model. Plan, run, status and merge; the other verbs are in study_*.cpp.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <trammel/batch.hpp>

#include "interruption.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "session.hpp"
#include "study_verbs.hpp"
#include "verbs.hpp"

namespace trammel::tool {

int usual_jobs() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

int with_study_errors(bool json, const std::function<int()>& act) {
  try {
    return act();
  } catch (const StudyError& wrong) {
    Diagnostics message;
    message.error({}, wrong.id(), wrong.what(), wrong.fix());
    print(message);
    if (json) print_json_errors(message);
    return wrong.id() == "study-incomplete" ? negative_answer : bad_input;
  }
}

namespace {

using nlohmann::ordered_json;

std::string plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "done 998, timeout 2"
std::string list_counts(const std::map<std::string, std::uint64_t>& statuses) {
  std::vector<std::string> parts;
  for (const auto& [status, count] : statuses) parts.push_back(fmt::format("{} {}", status, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// --- plan -------------------------------------------------------------------------------------------------------------------------

struct PlanVerb {
  std::string plan, folder;
  bool json = false;
};

void print_first_tasks(const StudyPlan& plan) {
  std::vector<std::string> head{"task"};
  for (const StudyParameter& p : plan.parameters) head.push_back(p.name);
  Table table(head);
  const StudySampler sampler(plan);
  constexpr std::uint64_t shown = 5;
  for (std::uint64_t task = 0; task < std::min(plan.task_count(), shown); ++task) {
    std::vector<std::string> line{std::to_string(task)};
    for (const double x : sampler.values(task)) line.push_back(number(x));
    table.add(line);
  }
  fmt::print("{}", table.to_string());
  if (plan.task_count() > shown) fmt::print("  … and {} more\n", plan.task_count() - shown);
}

int run_plan(PlanVerb verb) {
  const StudyPlanResult read = load_study_plan(verb.plan);
  print(read.diagnostics);
  if (!read.ok()) {
    if (verb.json) print_json_errors(read.diagnostics);
    return bad_input;
  }
  if (verb.folder.empty()) verb.folder = std::filesystem::path(verb.plan).stem().string() + ".study";
  freeze_study(read.plan, verb.folder);
  const StudyPlan& plan = read.plan;
  if (verb.json) {
    ordered_json j{{"folder", verb.folder}, {"name", plan.name}, {"hash", plan.hash()}, {"tasks", plan.task_count()}};
    fmt::print("{}\n", j.dump(1));
    return done;
  }
  fmt::print("{}  {}, plan {:.12}\n\n", heading(plan.name.empty() ? verb.plan : plan.name),
             plural(plan.task_count(), "task"), plan.hash());
  print_first_tasks(plan);
  fmt::print("\nWritten to {}. Next: trammel study run {}\n", verb.folder, verb.folder);
  return done;
}

void add_plan(Verb& study) {
  Verb verb = study.below("plan", "check a plan on its model and freeze it into a folder");
  auto options = std::make_shared<PlanVerb>();
  verb.input("plan", options->plan, "YAML file of the study (docs/formats/study.md)");
  verb.option("-o,--output", options->folder, "folder to write; PLAN.study without it");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Example:\n  trammel study plan blows.yaml -o blows");
  verb.run([options] { return with_study_errors(options->json, [&] { return run_plan(*options); }); });
}

// --- run --------------------------------------------------------------------------------------------------------------------------

struct RunVerb {
  std::string folder, shard = "1/1";
  int jobs = 0;
  bool retry = false, json = false;
};

// "2/6"; an empty text, or what is wrong with it.
std::string parse_shard(const std::string& text, int& shard, int& shards) {
  const std::string wrong = "must be I/N, such as 2/6, with I from 1 to N";
  const char* const last = text.data() + text.size();
  const auto first = std::from_chars(text.data(), last, shard);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '/') return wrong;
  const auto second = std::from_chars(first.ptr + 1, last, shards);
  if (second.ec != std::errc() || second.ptr != last || shard < 1 || shard > shards) return wrong;
  return "";
}

int run_run(const RunVerb& verb) {
  const Study study = open_study(verb.folder);
  StudyRunOptions options;
  parse_shard(verb.shard, options.shard, options.shards);
  options.jobs = verb.jobs > 0 ? verb.jobs : usual_jobs();
  options.retry = verb.retry;
  options.note = [](const std::string& text) { fmt::print(stderr, "note: {}\n", text); };
  ProgressBar bar("study");
  const auto begin = std::chrono::steady_clock::now();
  options.progress = [&](const StudyProgress& p) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto ran = static_cast<double>(p.done - p.skipped), all = static_cast<double>(p.tasks - p.skipped);
    bar.show(ran / all, fmt::format(", {}/{} tasks, {:.3g}/s", p.done, p.tasks, seconds > 0 ? ran / seconds : 0));
    return !Interruption::came();
  };
  const StudyRunReport report = [&] {
    const Interruption interruption({SIGINT});
    return run_study(study, options);
  }();
  bar.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (verb.json) {
    ordered_json j{{"status", report.complete() ? "complete" : "interrupted"},
                   {"tasks", report.tasks},
                   {"skipped", report.skipped},
                   {"ran", report.ran},
                   {"statuses", report.statuses},
                   {"level", std::string(kernel_level())}};
    fmt::print("{}\n", j.dump(1));
  } else {
    fmt::print("{} of shard {}: {} done before, {} now", plural(report.tasks, "task"), verb.shard, report.skipped,
               report.ran);
    if (seconds > 1) fmt::print(" in {:.3g} s", seconds);
    fmt::print("\n  {}\n", list_counts(report.statuses));
  }
  if (report.complete()) return done;
  fmt::print(stderr, "stopped; the same command goes on from here\n");
  return negative_answer;
}

void add_run(Verb& study) {
  Verb verb = study.below("run", "run the tasks that are not done yet");
  auto options = std::make_shared<RunVerb>();
  verb.input("folder", options->folder, "folder of the study");
  verb.option("--jobs", options->jobs, "tasks at a time; as many as there are CPUs without it").not_negative();
  verb.option("--shard", options->shard, "I/N: every N-th task, from the I-th on").check([](const std::string& text) {
    int shard = 0, shards = 0;
    return parse_shard(text, shard, shards);
  });
  verb.flag("--retry", options->retry, "tasks that timed out or were killed run once more");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer(
      "May be interrupted or killed at any moment; the same command goes on where it was. Exit code 1: interrupted.\n"
      "Example:\n  trammel study run blows --jobs 4\n"
      "On several machines with one file system:\n  trammel study run blows --shard 1/3    (and 2/3, 3/3)\n"
      "With GNU parallel:\n  parallel trammel study run blows --jobs 1 --shard {}/8 ::: $(seq 8)");
  verb.run([options] { return with_study_errors(options->json, [&] { return run_run(*options); }); });
}

// --- status -----------------------------------------------------------------------------------------------------------------------

struct StatusVerb {
  std::string folder;
  bool json = false;
};

// "0-4,7": tasks that are missing.
std::string ranges(const std::vector<std::uint64_t>& tasks) {
  std::string text;
  for (std::size_t k = 0; k < tasks.size();) {
    std::size_t end = k;
    while (end + 1 < tasks.size() && tasks[end + 1] == tasks[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[k]);
    if (end > k) text += fmt::format("-{}", tasks[end]);
    k = end + 1;
  }
  return text;
}

int run_status(const StatusVerb& verb) {
  const Study study = open_study(verb.folder);
  const StudyStatus status = status_of(study);
  if (verb.json) {
    ordered_json journals = ordered_json::array();
    for (const StudyJournal& journal : status.journals) {
      journals.push_back({{"file", journal.file},
                          {"version", journal.version},
                          {"level", journal.level},
                          {"records", journal.records},
                          {"dropped", journal.dropped}});
    }
    fmt::print("{}\n", ordered_json{{"name", study.plan.name},
                                    {"hash", study.hash},
                                    {"tasks", status.tasks},
                                    {"done", status.done},
                                    {"statuses", status.statuses},
                                    {"missing", ranges(status.missing)},
                                    {"journals", journals}}
                           .dump(1));
    return done;
  }
  fmt::print("{}  {} of {} done\n", heading(study.plan.name.empty() ? verb.folder : study.plan.name), status.done,
             plural(status.tasks, "task"));
  if (!status.statuses.empty()) fmt::print("  {}\n", list_counts(status.statuses));
  if (!status.missing.empty()) {
    std::string missing = ranges(status.missing);
    constexpr std::size_t longest = 80;
    if (missing.size() > longest) missing = missing.substr(0, missing.rfind(',', longest)) + ", …";
    fmt::print("  missing: {}\n", missing);
  }
  if (!status.journals.empty()) {
    fmt::print("\n");
    Table table({"journal", "records", "dropped", "version", "kernels"});
    for (const StudyJournal& journal : status.journals) {
      table.add({std::filesystem::path(journal.file).filename().string(), std::to_string(journal.records),
                 std::to_string(journal.dropped), journal.version, journal.level});
    }
    fmt::print("{}", table.to_string());
  }
  return done;
}

void add_status(Verb& study) {
  Verb verb = study.below("status", "what is done and what is missing");
  auto options = std::make_shared<StatusVerb>();
  verb.input("folder", options->folder, "folder of the study");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Example:\n  trammel study status blows");
  verb.run([options] { return with_study_errors(options->json, [&] { return run_status(*options); }); });
}

// --- merge ------------------------------------------------------------------------------------------------------------------------

struct MergeVerb {
  std::string folder, table, series;
  bool partial = false, json = false;
};

ordered_json rows_json(const StudyTable& table) {
  const auto value = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
  ordered_json rows = ordered_json::array();
  for (const StudyTable::Row& row : table.rows) {
    ordered_json j{{"task", row.task}, {"seed", row.seed}, {"status", row.result.status}};
    for (std::size_t k = 0; k < table.parameters.size(); ++k)
      j["parameters"][table.parameters[k]] = value(row.parameters[k]);
    for (std::size_t k = 0; k < table.scalars.size(); ++k) j["kept"][table.scalars[k]] = value(row.result.scalars[k]);
    if (!row.result.reason.empty()) j["reason"] = row.result.reason;
    rows.push_back(std::move(j));
  }
  return rows;
}

int run_merge(MergeVerb verb) {
  const Study study = open_study(verb.folder);
  const StudyTable table = merge_study(study, verb.partial);
  const std::string series = write_study_series_csv(table);
  if (verb.table.empty() && !verb.json) verb.table = (std::filesystem::path(verb.folder) / "table.csv").string();
  if (verb.series.empty() && !verb.json && !series.empty())
    verb.series = (std::filesystem::path(verb.folder) / "series.csv").string();
  const auto write = [](const std::string& path, const std::string& text) {
    const std::string trouble = path.empty() ? "" : write_file(path, text);
    if (!trouble.empty())
      throw StudyError(fmt::format("{} cannot be written: {}", path, trouble), "give another file by -o",
                       "study-output");
  };
  write(verb.table, write_study_csv(table));
  if (!verb.series.empty()) write(verb.series, series);
  if (verb.json) {
    fmt::print("{}\n", ordered_json{{"name", study.plan.name},
                                    {"hash", study.hash},
                                    {"tasks", study.plan.task_count()},
                                    {"rows", rows_json(table)}}
                           .dump(1));
  } else if (!is_standard_output(verb.table)) {
    std::map<std::string, std::uint64_t> statuses;
    for (const StudyTable::Row& row : table.rows) ++statuses[row.result.status];
    fmt::print("{} in {}{}{}\n  {}\n", plural(table.rows.size(), "task"), verb.table,
               verb.series.empty() ? "" : ", series in ", verb.series, list_counts(statuses));
  }
  return done;
}

void add_merge(Verb& study) {
  Verb verb = study.below("merge", "one table of all tasks: the same bytes however they were run");
  auto options = std::make_shared<MergeVerb>();
  verb.input("folder", options->folder, "folder of the study");
  verb.option("-o,--output", options->table, "CSV file; FOLDER/table.csv without it, - for standard output");
  verb.option("--series", options->series, "CSV file of the kept series; FOLDER/series.csv without it");
  verb.flag("--partial", options->partial, "also where tasks are missing");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Exit code 1: tasks are missing.\nExample:\n  trammel study merge blows -o blows.csv");
  verb.run([options] { return with_study_errors(options->json, [&] { return run_merge(*options); }); });
}

}  // namespace

void add_study(CommandLine& line) {
  Verb study(line, "study", "many runs of one model: parameters that vary, tables, plots, optimisation");
  add_plan(study);
  add_run(study);
  add_status(study);
  add_merge(study);
  add_study_plot(study);
  add_study_optimize(study);
  add_study_submit(study);
  study.footer(
      "Example:\n"
      "  trammel study plan blows.yaml -o blows\n"
      "  trammel study run blows\n"
      "  trammel study merge blows\n"
      "  trammel study plot blows");
}

}  // namespace trammel::tool

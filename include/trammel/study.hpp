// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Many runs of one model: a plan says which numbers of the model vary and how, what is run, and what is kept of each run. A plan is frozen
// into a folder; its tasks run in any order, in any number of processes, on one machine or many, broken off and resumed; the merged table is
// always the same, byte for byte.
//
//   StudyPlanResult read = load_study_plan("plan.yaml");            docs/formats/study.md
//   freeze_study(read.plan, "folder");
//   run_study(open_study("folder"), {.jobs = 2});
//   write_study_csv(merge_study(open_study("folder")))
//
// A task runs in a process of its own kind, a worker forked from the caller's: one that crashes, is killed or exceeds its time is a status in
// the table. Call run_study and optimize from programs that have no other threads running, as fork asks.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/core/expression.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/readers.hpp>
#include <trammel/results.hpp>

namespace trammel {

// --- the plan -------------------------------------------------------------------------------------------------------------------------

// A number that varies from task to task.
struct StudyParameter {
  enum class Kind {
    values,       // every one of them, with every one of the other parameters' values
    uniform,      // between two bounds
    log_uniform,  // its logarithm is
    normal,       // mean, standard deviation
    lognormal,    // median, standard deviation of the logarithm
    triangular,   // least, most likely, most
    choice,       // one of them, each as likely
  };
  std::string name;
  Kind kind = Kind::values;
  std::vector<double> numbers;
  std::vector<std::string> at;                  // places that have this value
  std::optional<double> start = {};             // where an optimisation begins
  std::optional<double> least = {}, most = {};  // its bounds, where the distribution has none
  SourceLocation where = {};

  bool is_sampled() const { return kind != Kind::values; }
};
// The value below which the parameter is with probability u, 0 < u < 1. The same on every machine, to the last bit.
double quantile(const StudyParameter& parameter, double u);

// A place of the model that follows from parameters.
struct StudySetting {
  std::string at, expression;  // of parameters, and of `task` and `seed`
  SourceLocation where = {};
};

enum class StudySampling { random, latin_hypercube, sobol };
enum class StudyRun { analyze, simulate, impact };

// One number that is kept of a run.
struct StudyKeep {
  enum class What { last, first, least, most, mean, rms, peak, span, at_least, at_most, expression, path };
  std::string name;
  What what = What::last;
  std::string text;  // a channel, an expression of what is kept above and of parameters, or the point of a path
  // path: how far the curve of a point is from points that it should pass, in the units of the model: root of the mean square.
  std::vector<Vec3d> points = {};
  bool by_order =
      false;  // the first position goes to the first point, and so on; otherwise the nearest place of the curve counts
  SourceLocation where = {};
};
std::string_view keyword(StudyKeep::What what);

struct StudyObjective {
  std::string expression;  // of what is kept and of parameters, to be made small
  bool maximize = false;
  SourceLocation where = {};
};

struct StudyPlan {
  std::string name, file;
  std::string model_file, scenario_file;  // as the plan names them
  std::string model_path;                 // whose folder holds what the model names
  StudyRun run = StudyRun::analyze;
  bool forces = false;  // analyze: drive and reactions too
  std::uint64_t seed = 1;
  StudySampling sampling = StudySampling::random;
  std::uint64_t samples = 1;  // of the parameters with a distribution, for each combination of the others
  std::vector<StudyParameter> parameters;
  std::vector<StudySetting> settings;
  std::vector<StudyKeep> keep;
  std::vector<std::string> series;  // channels that are kept whole
  std::optional<StudyObjective> objective;
  double time_limit = 0;  // s for one task; 0: none

  // All that the tasks depend on.
  std::string text, model_text, scenario_text;
  std::map<std::string, std::string> data;  // files that the model names, by their names there

  std::uint64_t task_count() const;
  // SHA-256 of all texts: two plans with the same hash are the same study.
  std::string hash() const;
};

struct StudyPlanResult {
  StudyPlan plan;
  Diagnostics diagnostics;
  bool ok() const { return !diagnostics.has_errors(); }
};
// Reads the plan and what it names, relative to its folder, and tries all of it on the model as it is drawn: places, channels, expressions.
StudyPlanResult load_study_plan(const std::string& path);
// The same from memory; the texts of model, scenario and data are in `given`.
StudyPlanResult read_study_plan(std::string_view text, const std::string& file, const StudyPlan& given);

// The values of all parameters, task by task.
class StudySampler {
 public:
  explicit StudySampler(const StudyPlan& plan);
  std::vector<double> values(std::uint64_t task) const;
  // Below 2^31; for what is random inside a run, such as the phases of waves.
  std::uint32_t seed(std::uint64_t task) const;

 private:
  double unit(std::size_t parameter, std::uint64_t sample) const;
  const StudyPlan* plan_;
  std::vector<std::uint64_t> stream_;                 // per parameter
  std::vector<int> dimension_;                        // per parameter: its coordinate of Sobol's points
  std::vector<std::vector<std::uint32_t>> position_;  // per parameter: the cell of each sample of a Latin hypercube
};

// --- one task -------------------------------------------------------------------------------------------------------------------------

struct TaskResult {
  // done; cannot-assemble, under-driven, diverged, no-impact, …: what the run has to say; error: the model with these numbers is none;
  // timeout, killed: what became of its process.
  std::string status = "done", reason;
  std::vector<double> scalars;              // NaN: there is none
  std::vector<std::vector<double>> series;  // the independent variable, and those asked for
};

// Runs tasks of a plan in this process. One runner is for one thread.
class TaskRunner {
 public:
  explicit TaskRunner(const StudyPlan& plan);
  ~TaskRunner();
  TaskRunner(TaskRunner&&) noexcept;

  TaskResult run(std::uint64_t task);
  // With other numbers than a task's.
  TaskResult run(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed);
  // Residuals of the first `path` that is kept: from each point to the curve, three numbers each; empty where there is no curve.
  std::vector<double> residuals(std::span<const double> parameters);
  double objective(const TaskResult& result, std::span<const double> parameters) const;
  // The model's file with these numbers in their places.
  std::string model_text(std::span<const double> parameters, std::uint64_t task = 0, std::uint32_t seed = 0) const;
  // Names and units of what `series` keeps, the independent variable first; from the model as it is drawn.
  std::vector<Channel> series_heads() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// --- the folder -----------------------------------------------------------------------------------------------------------------------

// What stands in the way of a study: fix() says what to do, id() is listed in docs/errors.md.
class StudyError : public std::runtime_error {
 public:
  StudyError(const std::string& what, std::string fix, std::string id)
      : std::runtime_error(what), fix_(std::move(fix)), id_(std::move(id)) {}
  const std::string& fix() const { return fix_; }
  const std::string& id() const { return id_; }

 private:
  std::string fix_, id_;
};

struct Study {
  std::string folder;
  StudyPlan plan;
  std::string hash;
};
// Writes plan, model and all else into a new folder. One that holds the same plan already is left as it is; another plan is an error.
void freeze_study(const StudyPlan& plan, const std::string& folder);
// Throws StudyError where the folder is none, or was changed since.
Study open_study(const std::string& folder);

struct StudyProgress {
  std::uint64_t done = 0, tasks = 0;  // of this shard, with those of earlier runs
  std::uint64_t skipped = 0;          // that had been done before
  std::string status;                 // of the task just done
};
struct StudyRunOptions {
  int jobs = 1;
  int shard = 1, shards = 1;  // tasks k with k mod shards = shard − 1
  bool retry = false;         // those that timed out or were killed once more
  // Called after each task; false stops the run: what is done is kept.
  std::function<bool(const StudyProgress&)> progress = {};
  // Called with what a user should know: a torn record, a worker that died.
  std::function<void(const std::string&)> note = {};
};
struct StudyRunReport {
  std::uint64_t tasks = 0, skipped = 0, ran = 0;
  std::map<std::string, std::uint64_t> statuses;  // of all tasks of the shard that are done
  bool complete() const { return skipped + ran == tasks; }
};
StudyRunReport run_study(const Study& study, const StudyRunOptions& options = {});

struct StudyJournal {
  std::string file, version, level;  // who wrote it
  std::uint64_t records = 0, dropped = 0;
};
struct StudyStatus {
  std::uint64_t tasks = 0, done = 0;
  std::map<std::string, std::uint64_t> statuses;
  std::vector<StudyJournal> journals;
  std::vector<std::uint64_t> missing;  // tasks, in order
};
StudyStatus status_of(const Study& study);

// All tasks in order, from all journals. Throws StudyError where journals contradict each other or come from different programs or
// instruction-set levels, and, unless `partial`, where tasks are missing.
struct StudyTable {
  struct Row {
    std::uint64_t task = 0;
    std::uint32_t seed = 0;
    std::vector<double> parameters;
    TaskResult result;
  };
  std::vector<std::string> parameters, scalars;
  std::vector<Channel> series;  // heads
  std::vector<Row> rows;
};
StudyTable merge_study(const Study& study, bool partial = false);
// task, seed, parameters, status, what was kept, reason. Numbers read back to the same double.
std::string write_study_csv(const StudyTable& table);
// task, and the kept series below each other. Empty where there are none.
std::string write_study_series_csv(const StudyTable& table);
// One parameter or kept number as a column.
std::vector<double> study_column(const StudyTable& table, const std::string& name);

// --- optimisation ---------------------------------------------------------------------------------------------------------------------

enum class OptimizeMethod {
  automatic,      // least_squares where the objective is a `path` alone, otherwise crs then sbplx
  least_squares,  // Levenberg–Marquardt on the residuals of a path
  crs,            // controlled random search with local mutation, then sbplx (NLopt)
  direct,         // DIRECT-L, then sbplx (NLopt)
  cobyla,         // local (NLopt)
  bobyqa,
  sbplx,
};
std::string_view keyword(OptimizeMethod method);
std::vector<std::string> optimize_keywords();
std::optional<OptimizeMethod> optimize_by_keyword(std::string_view word);
bool has_nlopt();  // methods from crs on

struct OptimizeOptions {
  OptimizeMethod method = OptimizeMethod::automatic;
  int starts = 1;  // the first from `start` of the parameters, the others spread by Sobol's points over their bounds
  int jobs = 1;    // the answer does not depend on it
  int evaluations = 2000;  // at most, of one start
  double enough = 0;       // no further start once the objective is at most this: starts are counted in rounds of 8
  std::function<void(int done, int starts, double best)> progress = {};
};
struct OptimizeStart {
  std::vector<double> begin, end;
  double objective = 0;  // as the plan defines it, also where it is maximized
  int evaluations = 0;
  std::string status = "done";
};
struct OptimizeResult {
  int best = -1;  // start; −1: none gave a number
  std::vector<OptimizeStart> starts;
  OptimizeMethod method = OptimizeMethod::automatic;
};
// Throws StudyError where the plan has no objective or a parameter has no bounds.
OptimizeResult optimize(const StudyPlan& plan, const OptimizeOptions& options = {});

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// trammel study optimize PLAN: the parameters that make the plan's objective smallest or largest.

#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/results.hpp>

#include "output_file.hpp"
#include "progress.hpp"
#include "session.hpp"
#include "study_verbs.hpp"
#include "verbs.hpp"

namespace trammel::tool {
namespace {

using nlohmann::ordered_json;
using At = std::size_t;

struct OptimizeVerb {
  std::string plan, method = "automatic", model, svg;
  int starts = 16, jobs = 0, evaluations = 2000;
  double enough = 0;
  bool json = false;
};

ordered_json best_json(const StudyPlan& plan, const OptimizeResult& result, const TaskResult& best) {
  const auto value = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
  ordered_json j{{"status", result.best < 0 ? "infeasible" : "done"}, {"method", std::string(keyword(result.method))}};
  if (result.best >= 0) {
    const OptimizeStart& s = result.starts[static_cast<At>(result.best)];
    j["objective"] = s.objective;
    for (At k = 0; k < plan.parameters.size(); ++k) j["parameters"][plan.parameters[k].name] = s.end[k];
    for (At k = 0; k < plan.keep.size() && k < best.scalars.size(); ++k)
      j["kept"][plan.keep[k].name] = value(best.scalars[k]);
    j["start"] = result.best;
  }
  j["starts"] = ordered_json::array();
  for (const OptimizeStart& s : result.starts) {
    j["starts"].push_back({{"objective", value(s.objective)},
                           {"evaluations", s.evaluations},
                           {"status", s.status},
                           {"begin", s.begin},
                           {"end", s.end}});
  }
  return j;
}

void print_text(const StudyPlan& plan, const OptimizeResult& result, const TaskResult& best, double seconds) {
  const OptimizeStart& s = result.starts[static_cast<At>(result.best)];
  int evaluations = 0;
  for (const OptimizeStart& start : result.starts) evaluations += start.evaluations;
  fmt::print("{}  {} {}\n", heading(plan.name.empty() ? plan.file : plan.name),
             plan.objective->maximize ? "most" : "least", plan.objective->expression);
  fmt::print("  {} by {} from start {} of {}; {} runs{}\n\n", number(s.objective), keyword(result.method),
             result.best + 1, result.starts.size(), evaluations,
             seconds > 1 ? fmt::format(" in {:.2g} s", seconds) : "");
  Table table({"parameter", "from", "to"});
  for (At k = 0; k < plan.parameters.size(); ++k)
    table.add({plan.parameters[k].name, number(s.begin[k]), number(s.end[k])});
  fmt::print("{}\n", table.to_string());
  Table kept({"kept", "value"});
  for (At k = 0; k < plan.keep.size() && k < best.scalars.size(); ++k)
    kept.add({plan.keep[k].name, number(best.scalars[k])});
  fmt::print("{}", kept.to_string());
}

int run_optimize(const OptimizeVerb& verb) {
  const StudyPlanResult read = load_study_plan(verb.plan);
  print(read.diagnostics);
  if (!read.ok()) {
    if (verb.json) print_json_errors(read.diagnostics);
    return bad_input;
  }
  OptimizeOptions options;
  options.method = optimize_by_keyword(verb.method).value_or(OptimizeMethod::automatic);
  options.starts = verb.starts;
  options.jobs = verb.jobs > 0 ? verb.jobs : usual_jobs();
  options.evaluations = verb.evaluations;
  options.enough = verb.enough;
  ProgressBar bar("optimize");
  options.progress = [&](int done, int starts, double) {
    bar.show(static_cast<double>(done) / starts, fmt::format(", {}/{} starts", done, starts));
  };
  const auto begin = std::chrono::steady_clock::now();
  const OptimizeResult result = optimize(read.plan, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bar.finish();
  TaskRunner runner(read.plan);
  TaskResult best;
  if (result.best >= 0) best = runner.run(result.starts[static_cast<At>(result.best)].end, 0, 0);
  if (verb.json) fmt::print("{}\n", best_json(read.plan, result, best).dump(1));
  if (result.best < 0) {
    print(one_error("no start led to a run that has an objective",
                    "give a start that can be assembled, narrower bounds, or more --starts", "study-infeasible"));
    return negative_answer;
  }
  if (!verb.json) print_text(read.plan, result, best, seconds);
  if (verb.model.empty()) return done;
  const std::string trouble =
      write_file(verb.model, runner.model_text(result.starts[static_cast<At>(result.best)].end));
  if (!trouble.empty())
    throw StudyError(fmt::format("{} cannot be written: {}", verb.model, trouble), "give another file by -o",
                     "study-output");
  if (!verb.json && !is_standard_output(verb.model)) fmt::print("\nThe model with these numbers: {}\n", verb.model);
  return done;
}

}  // namespace

void add_study_optimize(Verb& study) {
  Verb verb = study.below("optimize", "parameters that make the plan's objective smallest or largest");
  auto options = std::make_shared<OptimizeVerb>();
  verb.input("plan", options->plan, "YAML file of the study, with an objective");
  verb.option("--method", options->method, "automatic, least-squares, crs, direct, cobyla, bobyqa or sbplx")
      .one_of(optimize_keywords())
      .show_default();
  verb.option("--starts", options->starts, "points to start from; the first is the plan's")
      .between(1, 1000000)
      .show_default();
  verb.option("--evaluations", options->evaluations, "runs from each start, at most")
      .between(1, 100000000)
      .show_default();
  verb.option("--enough", options->enough, "no more starts (in rounds of 8) once the objective is this good");
  verb.option("--jobs", options->jobs, "starts at a time; the answer does not depend on it").not_negative();
  verb.option("-o,--output", options->model, "write the model with the best numbers");
  verb.flag("--json", options->json, "one JSON object on standard output");
  verb.footer("Exit code 1: no start led anywhere.\nExample:\n  trammel study optimize synthesis.yaml -o found.yaml");
  verb.run([options] { return with_study_errors(options->json, [&] { return run_optimize(*options); }); });
}

}  // namespace trammel::tool

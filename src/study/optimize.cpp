// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Optimisation over the parameters of a plan, from several starts. Starts do not know of each other and run in workers; the best of them is the
// answer, of equals the first, so that it does not depend on how many run at a time.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <trammel/study.hpp>

#include "study/least_squares.hpp"
#include "study/nlopt_search.hpp"
#include "study/sobol.hpp"
#include "study/worker_pool.hpp"

namespace trammel {

namespace {

using At = std::size_t;
using Method = OptimizeMethod;

struct MethodWord {
  Method method;
  std::string_view word;
};
constexpr std::array<MethodWord, 7> method_words{{{Method::automatic, "automatic"},
                                                  {Method::least_squares, "least-squares"},
                                                  {Method::crs, "crs"},
                                                  {Method::direct, "direct"},
                                                  {Method::cobyla, "cobyla"},
                                                  {Method::bobyqa, "bobyqa"},
                                                  {Method::sbplx, "sbplx"}}};

struct Bounds {
  std::vector<double> least, most, start;
};

Bounds bounds_of(const StudyPlan& plan) {
  using Kind = StudyParameter::Kind;
  Bounds b;
  for (const StudyParameter& p : plan.parameters) {
    if ((p.kind == Kind::values || p.kind == Kind::choice) && !(p.least && p.most)) {
      throw StudyError(fmt::format("parameter '{}' is one of a list, and optimize tries numbers in between", p.name),
                       "give it bounds: [least, most] if it may have any value; or run the study of all of the list",
                       "study-bounds");
    }
    const bool has_ends = p.kind != Kind::normal && p.kind != Kind::lognormal;
    if (!p.least && !has_ends) {
      throw StudyError(fmt::format("parameter '{}' has no bounds", p.name), "add bounds: [least, most]",
                       "study-bounds");
    }
    b.least.push_back(p.least.value_or(has_ends ? *std::min_element(p.numbers.begin(), p.numbers.end()) : 0));
    b.most.push_back(p.most.value_or(has_ends ? *std::max_element(p.numbers.begin(), p.numbers.end()) : 0));
    if (!(b.least.back() < b.most.back()))
      throw StudyError(fmt::format("parameter '{}' has one value only", p.name), "add bounds: [least, most]",
                       "study-bounds");
    b.start.push_back(p.start.value_or((b.least.back() + b.most.back()) / 2));
    if (b.start.back() < b.least.back() || b.start.back() > b.most.back())
      throw StudyError(fmt::format("parameter '{}' starts outside of its bounds", p.name), "move start or bounds",
                       "study-bounds");
  }
  if (plan.parameters.empty()) throw StudyError("the plan has no parameters", "add parameters", "study-bounds");
  return b;
}

// Start 0 is the plan's; the others are Sobol's points from 1 on (point 0 is a corner), in more dimensions than he has here mirrored ones.
std::vector<double> start_of(const Bounds& b, int start) {
  if (start == 0) return b.start;
  std::vector<double> x;
  for (At k = 0; k < b.start.size(); ++k) {
    const int dimension = static_cast<int>(k) % study::most_sobol_dimensions;
    double u = (study::sobol(static_cast<std::uint32_t>(start), dimension) + 0.5) * 0x1p-32;
    if ((k / study::most_sobol_dimensions) % 2 == 1) u = 1 - u;
    x.push_back(b.least[k] + (b.most[k] - b.least[k]) * u);
  }
  return x;
}

// The plan's objective is one of its paths, and nothing else.
bool is_path(const StudyPlan& plan) {
  if (!plan.objective || plan.objective->maximize) return false;
  const auto first = std::find_if(plan.keep.begin(), plan.keep.end(),
                                  [](const StudyKeep& k) { return k.what == StudyKeep::What::path; });
  return first != plan.keep.end() && first->name == plan.objective->expression;
}

class Optimization {
 public:
  Optimization(const StudyPlan& plan, Method method, int evaluations)
      : plan_(plan), method_(method), evaluations_(evaluations), bounds_(bounds_of(plan)), runner_(plan) {}

  OptimizeStart run(int start) {
    OptimizeStart out;
    out.begin = start_of(bounds_, start);
    if (method_ == Method::least_squares) {
      const study::LeastSquaresResult found =
          study::solve_least_squares({[this](const std::vector<double>& x) { return runner_.residuals(x); },
                                      bounds_.least, bounds_.most, evaluations_},
                                     out.begin);
      out.end = found.x, out.evaluations = found.evaluations;
    } else {
      const double sign = plan_.objective->maximize ? -1 : 1;
      const study::NloptResult found =
          study::search_with_nlopt(method_,
                                   {[&](const std::vector<double>& x) { return sign * value(x); }, bounds_.least,
                                    bounds_.most, evaluations_, plan_.seed + static_cast<std::uint64_t>(start)},
                                   out.begin);
      out.end = found.x, out.evaluations = found.evaluations;
    }
    out.objective = value(out.end);
    if (!std::isfinite(out.objective)) out.status = "infeasible";
    return out;
  }

 private:
  double value(const std::vector<double>& x) {
    const TaskResult result = runner_.run(x, 0, 0);
    return result.status == "done" ? runner_.objective(result, x) : std::numeric_limits<double>::quiet_NaN();
  }

  const StudyPlan& plan_;
  Method method_;
  int evaluations_;
  Bounds bounds_;
  TaskRunner runner_;
};

using nlohmann::json;

std::string text_of(const OptimizeStart& s) {
  return json{{"begin", s.begin},
              {"end", s.end},
              {"objective", std::isfinite(s.objective) ? json(s.objective) : json(nullptr)},
              {"evaluations", s.evaluations},
              {"status", s.status}}
      .dump();
}
OptimizeStart start_from(const study::WorkDone& done) {
  OptimizeStart s;
  s.objective = std::numeric_limits<double>::quiet_NaN();
  if (done.how != study::WorkDone::How::answered) {
    s.status = done.how == study::WorkDone::How::timed_out ? "timeout"
               : done.how == study::WorkDone::How::killed  ? "killed"
                                                           : done.answer;
    return s;
  }
  const json j = json::parse(done.answer);
  s.begin = j["begin"].get<std::vector<double>>(), s.end = j["end"].get<std::vector<double>>();
  if (!j["objective"].is_null()) s.objective = j["objective"];
  s.evaluations = j["evaluations"], s.status = j["status"];
  return s;
}

}  // namespace

std::string_view keyword(OptimizeMethod method) {
  for (const MethodWord& word : method_words) {
    if (word.method == method) return word.word;
  }
  return "";
}
std::vector<std::string> optimize_keywords() {
  std::vector<std::string> words;
  for (const MethodWord& word : method_words) words.emplace_back(word.word);
  return words;
}
std::optional<OptimizeMethod> optimize_by_keyword(std::string_view word) {
  for (const MethodWord& method : method_words) {
    if (method.word == word) return method.method;
  }
  return std::nullopt;
}

OptimizeResult optimize(const StudyPlan& plan, const OptimizeOptions& options) {
  if (!plan.objective)
    throw StudyError("the plan has no objective", "add objective: {minimize: EXPRESSION}", "study-objective");
  OptimizeResult result;
  result.method = options.method;
  if (result.method == Method::automatic) result.method = is_path(plan) ? Method::least_squares : Method::crs;
  if (result.method == Method::least_squares && !is_path(plan)) {
    throw StudyError("least-squares needs an objective that is the first path kept, and nothing else",
                     "write objective: {minimize: NAME_OF_THE_PATH}, or choose another method", "study-objective");
  }
  Optimization optimization(plan, result.method, options.evaluations);
  const double sign = plan.objective->maximize ? -1 : 1;
  constexpr int round = 8;
  for (int first = 0; first < options.starts; first += round) {
    std::vector<std::uint64_t> tasks;
    for (int k = first; k < std::min(first + round, options.starts); ++k)
      tasks.push_back(static_cast<std::uint64_t>(k));
    result.starts.resize(result.starts.size() + tasks.size());
    int done = first;
    study::run_pool(
        tasks, {options.jobs, 0}, [&](std::uint64_t k) { return text_of(optimization.run(static_cast<int>(k))); },
        [&](const study::WorkDone& work) {
          result.starts[work.task] = start_from(work);
          ++done;
          if (options.progress) options.progress(done, options.starts, std::numeric_limits<double>::quiet_NaN());
          return true;
        });
    for (At k = 0; k < result.starts.size(); ++k) {
      const double value = sign * result.starts[k].objective;
      if (std::isfinite(value) &&
          (result.best < 0 || value < sign * result.starts[static_cast<At>(result.best)].objective))
        result.best = static_cast<int>(k);
    }
    if (result.best >= 0 && options.enough > 0 &&
        sign * result.starts[static_cast<At>(result.best)].objective <= sign * options.enough)
      break;
  }
  return result;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// One task: numbers into the texts, the run, what is kept of it.

#include <stdexcept>

#include <trammel/study.hpp>

#include "study/keeping.hpp"
#include "study/observation.hpp"
#include "study/substitution.hpp"

namespace trammel {

class TaskRunner::Implementation {
 public:
  explicit Implementation(const StudyPlan& plan)
      : plan_(plan),
        sampler_(plan_),
        substitution_(plan_, messages_),
        wish_{plan_.run, plan_.forces, {}},
        keeping_(plan_, known_channels(), messages_) {
    if (messages_.has_errors()) throw std::invalid_argument(messages_.finish(plan.file).to_string());
    wish_.channels = keeping_.channels();
  }

  study::Observation observe(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const {
    return study::observe(substitution_.model(parameters, task, seed), plan_.model_path,
                          substitution_.scenario(parameters, task, seed), wish_);
  }
  TaskResult run(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const {
    const study::Observation seen = observe(parameters, task, seed);
    TaskResult result{seen.status, seen.reason, {}, {}};
    if (seen.status != "done") return result;
    result.scalars = keeping_.scalars(seen.channels, parameters);
    result.series = keeping_.series(seen.channels);
    return result;
  }

  const StudySampler& sampler() const { return sampler_; }
  const study::Keeping& keeping() const { return keeping_; }
  const study::Substitution& substitution() const { return substitution_; }

 private:
  std::vector<Channel> known_channels() {
    Diagnostics ignored;  // read_study_plan has told them
    return study::list_channels(plan_.model_text, plan_.model_path, plan_.scenario_text, plan_.scenario_file, wish_,
                                ignored);
  }

  StudyPlan plan_;
  readers::Messages messages_;
  StudySampler sampler_;
  study::Substitution substitution_;
  study::Wish wish_;
  study::Keeping keeping_;
};

TaskRunner::TaskRunner(const StudyPlan& plan) : implementation_(std::make_unique<Implementation>(plan)) {}
TaskRunner::~TaskRunner() = default;
TaskRunner::TaskRunner(TaskRunner&&) noexcept = default;

TaskResult TaskRunner::run(std::uint64_t task) {
  const StudySampler& sampler = implementation_->sampler();
  return implementation_->run(sampler.values(task), task, sampler.seed(task));
}
TaskResult TaskRunner::run(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) {
  return implementation_->run(parameters, task, seed);
}
std::vector<double> TaskRunner::residuals(std::span<const double> parameters) {
  const study::Observation seen = implementation_->observe(parameters, 0, 0);
  return seen.status == "done" ? implementation_->keeping().residuals(seen.channels) : std::vector<double>{};
}
double TaskRunner::objective(const TaskResult& result, std::span<const double> parameters) const {
  return implementation_->keeping().objective(result.scalars, parameters);
}
std::string TaskRunner::model_text(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const {
  return implementation_->substitution().model(parameters, task, seed);
}
std::vector<Channel> TaskRunner::series_heads() const { return implementation_->keeping().series_heads(); }

}  // namespace trammel

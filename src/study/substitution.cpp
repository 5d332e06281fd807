// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/substitution.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "readers/yaml_text.hpp"

namespace trammel::study {

using readers::Messages;
using readers::quote;

std::vector<std::string> setting_variables(const StudyPlan& plan) {
  std::vector<std::string> names;
  for (const StudyParameter& p : plan.parameters) names.push_back(p.name);
  names.emplace_back("task");
  names.emplace_back("seed");
  return names;
}

Expression parse_or_tell(const std::string& text, const std::vector<std::string>& names, SourceLocation where,
                         const std::string& what, Messages& messages) {
  const auto parsed = Expression::parse(text, names);
  if (const auto* wrong = std::get_if<ExpressionError>(&parsed)) {
    messages.error(where, "study-expression", fmt::format("{}: {}", what, wrong->what), wrong->fix);
    return Expression(0);
  }
  return std::get<Expression>(parsed);
}

Substitution::Substitution(const StudyPlan& plan, Messages& messages) : plan_(&plan) {
  Messages known;  // of model and scenario: their own readers tell them
  constexpr std::size_t max_bytes = 4u << 20;
  model_tree_ = readers::parse_yaml(plan.model_text, max_bytes, known);
  scenario_tree_ = readers::parse_yaml(plan.scenario_text, max_bytes, known);
  const std::vector<std::string> names = setting_variables(plan);
  for (const StudyParameter& p : plan.parameters) {
    for (const std::string& at : p.at)
      add(at, parse_or_tell(p.name, names, p.where, "parameter " + quote(p.name), messages), p.where, messages);
  }
  for (const StudySetting& s : plan.settings)
    add(s.at, parse_or_tell(s.expression, names, s.where, "value of " + quote(s.at), messages), s.where, messages);
  for (std::vector<Change>* changes : {&model_, &scenario_}) {
    std::sort(changes->begin(), changes->end(),
              [](const Change& a, const Change& b) { return a.slot.begin < b.slot.begin; });
  }
}

void Substitution::add(const std::string& at, const Expression& expression, SourceLocation where, Messages& messages) {
  const bool in_scenario = at.starts_with(of_scenario);
  const readers::Tree& tree = in_scenario ? scenario_tree_ : model_tree_;
  if (in_scenario && plan_->run != StudyRun::impact) {
    messages.error(where, "study-place",
                   fmt::format("{} is a place of a scenario, and only impacts have one", quote(at)),
                   "write run: {impact: FILE}, or name a place of the model");
    return;
  }
  if (tree.root == nullptr) return;
  const SlotSearch found = find_slot(readers::without_bom(in_scenario ? plan_->scenario_text : plan_->model_text),
                                     *tree.root, std::string_view(at).substr(in_scenario ? of_scenario.size() : 0),
                                     in_scenario ? "the scenario" : "the model");
  if (!found.slot) {
    messages.error(where, "study-place", found.what, found.fix);
    return;
  }
  std::vector<Change>& changes = in_scenario ? scenario_ : model_;
  for (const Change& change : changes) {
    if (change.slot.begin != found.slot->begin) continue;
    messages.error(where, "study-place-twice", fmt::format("{} is set twice", quote(at)),
                   "let one parameter or one expression set it");
    return;
  }
  changes.push_back({*found.slot, expression, at});
}

std::vector<double> Substitution::variables(std::span<const double> parameters, std::uint64_t task,
                                            std::uint32_t seed) {
  std::vector<double> all(parameters.begin(), parameters.end());
  all.push_back(static_cast<double>(task));
  all.push_back(static_cast<double>(seed));
  return all;
}

std::string Substitution::changed(std::string_view text, const std::vector<Change>& changes,
                                  std::span<const double> variables) {
  std::vector<Slot> slots;
  std::vector<double> numbers;
  for (const Change& change : changes) {
    slots.push_back(change.slot);
    numbers.push_back(change.expression.evaluate<double>(variables));
  }
  return with_numbers(readers::without_bom(text), slots, numbers);
}

std::string Substitution::model(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const {
  return changed(plan_->model_text, model_, variables(parameters, task, seed));
}
std::string Substitution::scenario(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const {
  return changed(plan_->scenario_text, scenario_, variables(parameters, task, seed));
}

}  // namespace trammel::study

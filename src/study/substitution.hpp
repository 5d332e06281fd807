// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The texts of model and scenario with the numbers of a task in their places.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <trammel/study.hpp>

#include "readers/messages.hpp"
#include "study/places.hpp"

namespace trammel::study {

inline constexpr std::string_view of_scenario = "scenario.";  // begins the places of the scenario

class Substitution {
 public:
  // Places that are not there are told, at the plan's own places.
  Substitution(const StudyPlan& plan, readers::Messages& messages);

  std::string model(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const;
  std::string scenario(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed) const;

 private:
  struct Change {
    Slot slot;
    Expression expression;  // of the parameters, `task` and `seed`
    std::string at;
  };
  void add(const std::string& at, const Expression& expression, SourceLocation where, readers::Messages& messages);
  static std::string changed(std::string_view text, const std::vector<Change>& changes,
                             std::span<const double> variables);
  static std::vector<double> variables(std::span<const double> parameters, std::uint64_t task, std::uint32_t seed);

  const StudyPlan* plan_;
  readers::Tree model_tree_, scenario_tree_;
  std::vector<Change> model_, scenario_;
};

// The names that an expression of the plan may use: those of the parameters, `task` and `seed`.
std::vector<std::string> setting_variables(const StudyPlan& plan);
// An expression; a mistake is told, with its place in the plan.
Expression parse_or_tell(const std::string& text, const std::vector<std::string>& names, SourceLocation where,
                         const std::string& what, readers::Messages& messages);

}  // namespace trammel::study

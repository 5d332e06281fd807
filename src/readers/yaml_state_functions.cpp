// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_state_functions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"

namespace trammel::readers {

namespace {

constexpr std::size_t most_guessed = 1000;  // names to guess from; a guess looks at each of them

// "t" and those names of the text that are state variables, each once. Few, however many joints there are: no more than one too
// many.
std::vector<std::string> names_in(const std::string& text, const StateNames& names) {
  std::vector<std::string> found{"t"};
  replace_names(text, [&](const std::string& name, const std::string&) {
    if (found.size() > StateFunction::most_uses + 1 || names.find(name) == nullptr) return std::string{};
    if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
    return std::string{};
  });
  return found;
}

}  // namespace

StateNames::StateNames(const Model& model) {
  for (StateVariable& variable : state_variables(model)) add(std::move(variable));
}

void StateNames::add(StateVariable variable) {
  index_.emplace(variable.name, all_.size());  // of two alike the first
  all_.push_back(std::move(variable));
}

std::vector<std::string> StateNames::words() const {
  std::vector<std::string> list{"t"};
  for (const StateVariable& variable : all_) list.push_back(variable.name);
  return list;
}

StateNames state_names(const Reading& r, const std::vector<JointDraft>& joints, const Node& outputs) {
  StateNames names(r.model);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].has_type) continue;
    names.allow(r.model.joints[j].name);
    names.allow(r.model.joints[j].name + ".rate");
  }
  for (const Node::Child& child : outputs.children) {
    if (child.key == nullptr) continue;  // a list, by mistake
    for (const char* end : {".x", ".y", ".z"}) {
      if (names.find(child.key->text + end) == nullptr) names.allow(child.key->text + end);
    }
  }
  return names;
}

std::optional<StateFunction> read_state_function(Reading& r, const Node& node, const std::string& what,
                                                 const Dimension& dimension, const StateNames& names) {
  if (!node.is_scalar()) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a number or an expression of t and state, not {}", what, describe(node)),
                     "write a number such as 2.5, or an expression in quotes, such as \"5*sin(t) - 2*elbow.rate\"");
    return std::nullopt;
  }
  const bool is_text = node.quoted || !is_meant_as_number(node.text);
  const std::vector<std::string> used = is_text ? names_in(node.text, names) : std::vector<std::string>{};
  if (used.size() > StateFunction::most_uses + 1) {
    r.messages.error(node.where, "expression-wrong",
                     fmt::format("{} uses more than {} names", what, StateFunction::most_uses), "write it with fewer");
    return std::nullopt;
  }
  if (is_text && !parses(node.text, used)) {
    read_expression(r, node, what, names.size() <= most_guessed ? names.words() : used);  // for its message
    return std::nullopt;
  }
  if (used.size() <= 1) {
    auto of_time = read_time_function(r, node, what, dimension);
    if (!of_time) return std::nullopt;
    return StateFunction(std::move(*of_time));
  }
  auto expression = read_expression(r, node, what, used);
  if (!expression) return std::nullopt;
  std::vector<StateFunction::Use> uses;
  for (std::size_t i = 1; i < used.size(); ++i) {
    uses.push_back({used[i], r.model.units.to_si(names.find(used[i])->dimension), -1});
  }
  return StateFunction(TimeFunction(std::move(*expression), r.model.units.to_si(dimension), r.model.units.time_si),
                       std::move(uses));
}

std::string text_in_units(const StateFunction& function, const Units& units, const Dimension& dimension,
                          const StateNames& names) {
  const auto scaled = [](const std::string& written, double unit, double other) {
    return unit == other ? std::string{} : fmt::format("({}/{})", written, shortest(unit / other));
  };
  const std::string text =
      replace_names(function.of_time.expression.text(), [&](const std::string& name, const std::string& written) {
        if (name == "t") return scaled(written, function.of_time.time_unit, units.time_si);
        for (const StateFunction::Use& use : function.uses) {
          const StateVariable* variable = use.name == name ? names.find(name) : nullptr;
          if (variable != nullptr) return scaled(written, use.unit, units.to_si(variable->dimension));
        }
        return std::string{};
      });
  return scaled_text(text, function.of_time.unit, units.to_si(dimension));
}

}  // namespace trammel::readers

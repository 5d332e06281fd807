// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "function_text.hpp"

#include <fmt/format.h>

#include "session.hpp"

namespace trammel::tool {

using nlohmann::ordered_json;

std::string function_text(const TimeFunction& f) {
  return f.is_constant() ? number(f.at(0.0)) : fmt::format("\"{}\"", f.expression.text());
}
std::string function_text(const StateFunction& f) {
  return f.is_of_time() ? function_text(f.of_time) : fmt::format("\"{}\"", f.of_time.expression.text());
}
std::string function_text(const Profile& profile) {
  if (profile.table.empty()) return function_text(profile.formula);
  return fmt::format("a table of {} points from {} to {} s", profile.table.x().size(),
                     number(profile.table.x().front()), number(profile.table.x().back()));
}

ordered_json function_json(const TimeFunction& f) {
  if (f.is_constant()) return f.at(0.0);
  return {{"expression", f.expression.text()}, {"unit", f.unit}, {"time_unit", f.time_unit}};
}
ordered_json function_json(const StateFunction& f) {
  if (f.is_of_time()) return function_json(f.of_time);
  ordered_json json{
      {"expression", f.of_time.expression.text()}, {"unit", f.of_time.unit}, {"time_unit", f.of_time.time_unit}};
  for (const StateFunction::Use& use : f.uses) json["uses"][use.name] = use.unit;
  return json;
}
ordered_json function_json(const Profile& profile) {
  if (profile.table.empty()) return function_json(profile.formula);
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < profile.table.x().size(); ++i) {
    rows.push_back({profile.table.x()[i], profile.table.y()[i]});
  }
  return {{"table", rows}};
}

std::string coordinate(const Model& model, const std::string& name, int dof) {
  const Joint* joint = model.find_joint(name);
  if (joint == nullptr || nv(joint->type) <= 1 || dof < 0) return name;
  return fmt::format("{}.{}", name, freedoms(joint->type)[static_cast<std::size_t>(dof)].name);
}
bool is_angle(const Model& model, const std::string& name, int dof) {
  const Joint* joint = model.find_joint(name);
  if (joint == nullptr) return false;
  return dof < 0 || freedoms(joint->type)[static_cast<std::size_t>(dof)].dimension == dimension::angle;
}

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers that change with time and state, as `trammel check` shows them: constants in SI, expressions as the file has them, in its
// units, tables by their extent.

#include <string>

#include <nlohmann/json.hpp>

#include <trammel/model.hpp>

namespace trammel::tool {

std::string function_text(const TimeFunction& f);
std::string function_text(const StateFunction& f);
std::string function_text(const Profile& profile);
nlohmann::ordered_json function_json(const TimeFunction& f);
nlohmann::ordered_json function_json(const StateFunction& f);
nlohmann::ordered_json function_json(const Profile& profile);

// "joint" or "joint.freedom"; the joint alone where all of it is meant.
std::string coordinate(const Model& model, const std::string& name, int dof);
bool is_angle(const Model& model, const std::string& name, int dof);

}  // namespace trammel::tool

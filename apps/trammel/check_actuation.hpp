// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `trammel check` says about what acts and happens over time: drives, actuators, bushings, events, simulate.

#include <nlohmann/json.hpp>

#include <trammel/model.hpp>

namespace trammel::tool {

void print_actuation(const Model& model);
void add_actuation(const Model& model, nlohmann::ordered_json& report);

}  // namespace trammel::tool

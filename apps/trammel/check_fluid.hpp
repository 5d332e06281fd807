// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What trammel check says about the fluid: who weighs what in it.

#include <nlohmann/json.hpp>

#include <trammel/mechanism.hpp>

namespace trammel::tool {

void add_fluid(const Mechanism& mechanism, nlohmann::ordered_json& report);
void print_fluid(const Mechanism& mechanism);

}  // namespace trammel::tool

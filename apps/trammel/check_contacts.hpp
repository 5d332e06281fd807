// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `trammel check` says about the ground and what touches it: terrain, materials, contacts and the law of each pair.

#include <nlohmann/json.hpp>

#include <trammel/mechanism.hpp>

namespace trammel::tool {

void print_contacts(const Model& model, const Mechanism& mechanism);
void add_contacts(const Model& model, const Mechanism& mechanism, nlohmann::ordered_json& report);

}  // namespace trammel::tool

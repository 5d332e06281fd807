// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `trammel check` says about the sections of linkages: planar, constraints, inputs, springs, loads, measures.

#include <nlohmann/json.hpp>

#include <trammel/model.hpp>

#include "session.hpp"

namespace trammel::tool {

// A table under its title, which counts its lines; nothing where there are none.
void print_titled(const char* title, const Table& table);

void print_linkage(const Model& model);
void add_linkage(const Model& model, nlohmann::ordered_json& report);

}  // namespace trammel::tool

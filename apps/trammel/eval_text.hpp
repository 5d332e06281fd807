// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of `eval` for people: the same numbers as its JSON, in tables.

#include <string>

#include <nlohmann/json.hpp>

namespace trammel::tool {

std::string text_of(const nlohmann::ordered_json& report);

}  // namespace trammel::tool

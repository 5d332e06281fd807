// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The report of `eval` for people: the same numbers as its JSON, in tables.

#include <string>

#include <nlohmann/json.hpp>

namespace trammel::tool {

// A number, a word, or several side by side.
std::string cell(const nlohmann::ordered_json& value);
// Columns are named; rows too where there are as many, or six.
std::string matrix_text(const std::string& title, const nlohmann::ordered_json& matrix,
                        const nlohmann::ordered_json& columns, const nlohmann::ordered_json& rows = nullptr);

std::string text_of(const nlohmann::ordered_json& report);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers over time in a file: a number, an expression of t, or {table: [[time, value], …]}.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "readers/yaml_emit.hpp"
#include "readers/yaml_fields.hpp"

namespace trammel::readers {

// Two columns of at least two rows, the first in rising order, in SI.
struct Table {
  std::vector<double> x, y;
};
std::optional<Table> read_table(Reading& r, const Node& node, const std::string& what, const Dimension& x,
                                const Dimension& y);

std::optional<Profile> read_profile(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);

std::string table_text(const NumberText& number, const Table& table, const Dimension& x, const Dimension& y);
std::string function_text(const NumberText& number, const TimeFunction& f, const Dimension& dimension);
std::string profile_text(const NumberText& number, const Profile& profile, const Dimension& dimension);

}  // namespace trammel::readers

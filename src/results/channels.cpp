// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/channels.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace trammel::results {

void require_equal_lengths(const Channels& channels) {
  for (const Channel& column : channels.columns) {
    const Channel& first = channels.columns.front();
    if (column.values.size() != first.values.size())
      throw std::invalid_argument(
          fmt::format("column '{}' has {} values, '{}' has {}; fix: give each row a value, NaN where there is none",
                      column.name, column.values.size(), first.name, first.values.size()));
  }
}

void require_equal_lengths(const std::string& name, const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size())
    throw std::invalid_argument(
        fmt::format("line '{}' has {} values of x and {} of y; fix: give each x a y, NaN where there is none", name,
                    x.size(), y.size()));
}

std::string unit_of(const std::string& unit) { return unit == "1" ? "" : unit; }

std::string name_with_unit(const std::string& name, const std::string& unit) {
  if (unit_of(unit).empty()) return name;
  return name.empty() ? fmt::format("[{}]", unit) : fmt::format("{} [{}]", name, unit);
}

}  // namespace trammel::results

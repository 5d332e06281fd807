// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Columns as comma-separated values.   [RFC 4180]

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <trammel/results.hpp>

#include "results/channels.hpp"

namespace trammel {
namespace {

// Quoted where the reader would otherwise see several cells or lose blanks at the ends.
std::string cell(const std::string& text) {
  const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(",\"\r\n") == std::string::npos && !blank_end) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string write_csv(const Channels& channels) {
  results::require_equal_lengths(channels);
  std::string text;
  if (channels.columns.empty()) return text;

  const bool one_column = channels.columns.size() == 1;
  for (const Channel& column : channels.columns) {
    if (&column != &channels.columns.front()) text += ',';
    text += cell(results::name_with_unit(column.name, column.unit));
  }
  text += '\n';
  for (std::size_t row = 0; row < channels.columns.front().values.size(); ++row) {
    for (const Channel& column : channels.columns) {
      if (&column != &channels.columns.front()) text += ',';
      const double value = column.values[row];
      if (std::isfinite(value)) {
        fmt::format_to(std::back_inserter(text), "{}", value);  // the fewest digits that read back to the same double
      } else if (one_column) {
        text += "\"\"";  // readers skip empty lines
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Readers of what the writers write, and data that plots do not like.

#include <string>
#include <vector>

#include <rapidcheck.h>

namespace trammel::test {

// The cells of each record, quotes undone.   [RFC 4180, section 2]
inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  bool quoted = false, new_row = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (new_row) rows.push_back({""});
    new_row = false;
    const char c = text[i];
    std::string& cell = rows.back().back();
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      new_row = true;
    } else {
      cell += c;
    }
  }
  return rows;
}

// Values of one kind of size or of all kinds at once, with gaps.
rc::Gen<std::vector<double>> values_of_any_kind(std::size_t count);

}  // namespace trammel::test

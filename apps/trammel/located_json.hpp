// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON whose values know their place in the file, for messages that say where. Keys given twice are errors; so are texts nested deeper
// or with more values than anybody would write, before they take memory.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/diagnostics.hpp>

namespace trammel::tool {

struct LocatedJson {
  enum class Kind { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  SourceLocation where{};
  double number = 0;
  std::string text{};
  std::vector<LocatedJson> items{};  // of a list or an object

  std::string key{};  // within an object
  SourceLocation key_where{};

  bool is_list() const { return kind == Kind::list; }
  bool is_object() const { return kind == Kind::object; }
  bool is_number() const { return kind == Kind::number; }
  bool is_text() const { return kind == Kind::text; }
};

struct JsonLimits {
  std::size_t depth = 8;
  std::size_t values = 500'000;
  std::string form;  // where its form is told: the advice in messages
};

// Nothing where it is no JSON; the diagnostics say why.
std::optional<LocatedJson> parse_located_json(std::string_view text, const JsonLimits& limits,
                                              Diagnostics& diagnostics);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a DynaMechs file as blocks and parameters:
//   file      = { parameter | block }
//   block     = WORD "{" { parameter | block } "}"
//   parameter = WORD { NUMBER | "text in quotes" | WORD }
// Blanks and line ends separate; # begins a comment. Values of a parameter may go on in the next lines, words only in its own line (a word
// that is a keyword always begins something new). What stands where, and in which order, is not looked at here.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/messages.hpp"

namespace trammel::readers::dm {

struct Value {
  enum class Kind : std::uint8_t { number, too_large, text, word };
  Kind kind = Kind::number;
  double number = 0;
  std::string_view text;  // as written, without quotes
  SourceLocation where;
};

struct Parameter {
  std::string_view name;
  SourceLocation where;
  std::vector<Value> values;
};

struct Block {
  std::string_view name;
  SourceLocation where, end;
  std::vector<Parameter> parameters;
  std::vector<Block> blocks;
};

struct Document {
  Block top;                           // the file itself, without a name
  std::optional<SourceLocation> rest;  // where text begins that is not read
  bool is_whole = true;                // false: something about its blocks is wrong and was reported
};

// Reads up to the block behind which `is_done` is true, or to the end. The text must outlive the document.
Document parse(std::string_view text, Messages& messages, const std::function<bool(const Block& top)>& is_done);

// All words that begin parameters and blocks, in any file.
const std::vector<std::string>& keywords();
bool is_keyword(std::string_view word);

}  // namespace trammel::readers::dm

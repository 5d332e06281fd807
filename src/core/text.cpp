// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"

#include <fmt/format.h>

namespace trammel {

namespace {

constexpr std::size_t longest_quote = 40;  // characters

}  // namespace

// [Unicode 15, table 3-7]
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const unsigned a = byte_at(text, i), b = byte_at(text, i + 1);
  const auto follows = [&](std::size_t k) { return (byte_at(text, i + k) & 0xC0) == 0x80; };
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return follows(1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool overlong = a == 0xE0 && b < 0xA0, surrogate = a == 0xED && b >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool overlong = a == 0xF0 && b < 0x90, too_high = a == 0xF4 && b >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

unsigned code_point(std::string_view character) {
  unsigned code = byte_at(character, 0);
  if (character.size() > 1) code &= 0x7Fu >> character.size();
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte_at(character, i) & 0x3Fu);
  return code;
}

bool is_invisible(unsigned code) {
  const bool control = code >= 0x80 && code <= 0x9F;
  const bool turns =
      code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool line = code == 0x2028 || code == 0x2029;
  const bool no_character = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
  return control || turns || line || no_character || code == 0xFEFF;
}

std::string quote(std::string_view text) {
  std::string out = "'";
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (begins_character(c) && characters++ == longest_quote) return out + "…'";
    const auto byte = static_cast<unsigned char>(c);
    // U+0080 to U+009F are control characters too; in UTF-8 they are C2 80 to C2 9F.
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else if (const std::size_t length = byte < 0x80 ? 1 : utf8_length(text, i);
               length > 1 && !c1 && is_invisible(code_point(text.substr(i, length)))) {
      out += fmt::format("\\u{:04X}", code_point(text.substr(i, length)));
      i += length - 1;
    } else if (c1) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[++i]));
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace trammel

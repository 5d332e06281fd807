// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Characters of a text in UTF-8, and words that are safe to print.

#include <string>
#include <string_view>

namespace trammel {

inline bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
// The byte at i, or 0 beyond the end.
inline unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}
// Length in bytes of the well-formed UTF-8 character at i, or 0.
std::size_t utf8_length(std::string_view text, std::size_t i);
// The code point of a well-formed character.
unsigned code_point(std::string_view character);
// Characters that nobody sees and that change what is seen: control characters beyond ASCII, marks that turn the direction of writing,
// byte order marks, and what Unicode says is no character.
bool is_invisible(unsigned code);
// Text of a file, safe to print: quoted, clipped to 40 characters, control characters and invisible ones escaped.
std::string quote(std::string_view text);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts as characters: names come from files and may hold anything, while tables need widths and XML refuses some bytes.

#include <string>
#include <string_view>

namespace trammel::results {

// Each byte that is no part of a character becomes U+FFFD, so does each character that XML does not allow; control
// characters (line feeds, escape sequences) become blanks.
std::u32string characters_of(std::string_view text);
std::string utf8(std::u32string_view characters);

// Columns that a character takes on a terminal: 0 (combining), 1, or 2 (East Asian, emoji).
int columns_of(char32_t character);
int columns_of(std::u32string_view text);

}  // namespace trammel::results

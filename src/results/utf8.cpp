// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/utf8.hpp"

#include <array>
#include <cstddef>

namespace trammel::results {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

// Combining marks and joiners of the scripts one meets in names.
constexpr std::array<Range, 10> zero_width{{{0x0300, 0x036F},
                                            {0x0483, 0x0489},
                                            {0x0591, 0x05BD},
                                            {0x064B, 0x065F},
                                            {0x1AB0, 0x1AFF},
                                            {0x1DC0, 0x1DFF},
                                            {0x200B, 0x200F},
                                            {0x20D0, 0x20FF},
                                            {0xFE00, 0xFE0F},
                                            {0xFE20, 0xFE2F}}};
// East Asian Wide and Fullwidth, and emoji.   [Unicode Standard Annex 11]
constexpr std::array<Range, 9> double_width{{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};

template <std::size_t n>
bool is_in(const std::array<Range, n>& ranges, char32_t c) {
  for (const Range& range : ranges)
    if (range.first <= c && c <= range.last) return true;
  return false;
}

bool xml_refuses(char32_t c) { return (0xD800 <= c && c <= 0xDFFF) || c == 0xFFFE || c == 0xFFFF || c > 0x10FFFF; }

// The character at `at`, which moves past it; past one byte where there is none.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  const std::size_t start = at++;
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xF0 && first < 0xF8   ? 3
                           : first >= 0xE0 && first < 0xF0 ? 2
                           : first >= 0xC0 && first < 0xE0 ? 1
                                                           : 0;
  if (more == 0) return replacement;
  char32_t c = first & (0x3Fu >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(start + k) & 0xC0u) != 0x80u) return replacement;
    c = (c << 6) | (byte(start + k) & 0x3Fu);
  }
  constexpr std::array<char32_t, 4> least{0, 0x80, 0x800, 0x10000};
  if (c < least.at(more) || xml_refuses(c)) return replacement;  // longer than need be, or half a pair
  at = start + more + 1;
  return c;
}

}  // namespace

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    characters += c < 0x20 || (0x7F <= c && c <= 0x9F) ? U' ' : c;
  }
  return characters;
}

std::string utf8(std::u32string_view characters) {
  std::string text;
  const auto add = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  for (const char32_t c : characters) {
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | (c >> 6));
      add(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      add(0xE0 | (c >> 12));
      add(0x80 | ((c >> 6) & 0x3F));
      add(0x80 | (c & 0x3F));
    } else {
      add(0xF0 | (c >> 18));
      add(0x80 | ((c >> 12) & 0x3F));
      add(0x80 | ((c >> 6) & 0x3F));
      add(0x80 | (c & 0x3F));
    }
  }
  return text;
}

int columns_of(char32_t character) {
  if (is_in(zero_width, character)) return 0;
  return is_in(double_width, character) ? 2 : 1;
}

int columns_of(std::u32string_view text) {
  int columns = 0;
  for (const char32_t c : text) columns += columns_of(c);
  return columns;
}

}  // namespace trammel::results

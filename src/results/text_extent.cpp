// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/text_extent.hpp"

#include <algorithm>
#include <array>

#include "results/utf8.hpp"

namespace trammel::results {
namespace {

// Thousandths of the size, for U+0020 … U+007E of DejaVu Sans.
constexpr std::array<int, 95> ascii_lengths{
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

double length_of(char32_t c) {
  if (0x20 <= c && c <= 0x7E) return ascii_lengths.at(c - 0x20) / 1000.0;
  switch (c) {
    case U'−':
    case U'×':
      return 0.838;
    case U'…':
      return 1.0;
    case U'°':
    case U'–':
      return 0.5;
    case U'·':
      return 0.318;
    case U'⁻':
      return 0.528;
    case U'¹':
    case U'²':
    case U'³':
      return 0.401;
    default:
      break;
  }
  if (0x2070 <= c && c <= 0x2079) return 0.401;
  constexpr std::array<double, 3> by_columns{0.0, 0.7, 1.0};
  return by_columns.at(static_cast<std::size_t>(columns_of(c)));
}

double length_of(std::u32string_view text, double size) {
  double length = 0;
  for (const char32_t c : text) length += length_of(c);
  return length * size;
}

std::u32string cut(std::u32string text, double size, double length) {
  if (length_of(text, size) <= length) return text;
  while (!text.empty() && length_of(text, size) + size > length) text.pop_back();
  while (!text.empty() && text.back() == U' ') text.pop_back();
  return text + U"…";
}

}  // namespace

double text_length(std::string_view text, double size) { return length_of(characters_of(text), size); }

std::string shortened(const std::string& text, double size, double length) {
  return utf8(cut(characters_of(text), size, length));
}

std::vector<std::string> broken_lines(const std::string& text, double size, double length) {
  std::vector<std::u32string> lines;
  const std::u32string characters = characters_of(text);
  for (std::size_t at = 0; at < characters.size();) {
    const std::size_t end = std::min(characters.find(U' ', at), characters.size());
    const std::u32string word = cut(characters.substr(at, end - at), size, length);
    at = end + 1;
    if (word.empty()) continue;
    if (!lines.empty() && length_of(lines.back() + U' ' + word, size) <= length)
      lines.back() += U' ' + word;
    else
      lines.push_back(word);
  }
  std::vector<std::string> texts;
  for (const std::u32string& line : lines) texts.push_back(utf8(line));
  return texts;
}

}  // namespace trammel::results

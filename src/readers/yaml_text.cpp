// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trammel::readers {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t count_separators(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case ',':
      case ':':
      case '[':
      case '{':
      case '\n':
        ++count;
        break;
      case '-':
      case '?':
        if (i + 1 == text.size() || is_blank(text[i + 1]) || text[i + 1] == '\n') ++count;
        break;
      default:
        break;
    }
  }
  return count;
}

// The position of the first byte that is not UTF-8 or a control character that no text has; npos if there is none.
std::size_t find_bad_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const unsigned byte = byte_at(text, i);
    const bool control = byte < 0x20 || byte == 0x7F;
    const bool allowed = byte == '\t' || byte == '\n' || (byte == '\r' && byte_at(text, i + 1) == '\n');
    if (length == 0 || (control && !allowed)) return i;
    if (length > 1 && is_invisible(code_point(text.substr(i, length)))) return i;
    i += length;
  }
  return std::string_view::npos;
}

bool check_characters(std::string_view whole, Messages& messages) {
  const std::string_view text = without_bom(whole);
  const std::size_t i = find_bad_character(text);
  if (i == std::string_view::npos) return true;
  const unsigned byte = byte_at(text, i);
  if (utf8_length(text, i) == 0) {
    messages.error(PlaceFinder(text).at(i), "text-not-utf8", fmt::format("byte 0x{:02X} is not valid UTF-8", byte),
                   "save the file in the encoding UTF-8");
  } else if (const unsigned code = code_point(text.substr(i, utf8_length(text, i))); code >= 0x80) {
    messages.error(PlaceFinder(text).at(i), "text-control-character",
                   fmt::format("the invisible character U+{:04X} cannot stand in a model file", code), "delete it");
  } else {
    messages.error(PlaceFinder(text).at(i), "text-control-character",
                   fmt::format("the control character 0x{:02X} cannot stand in a model file", byte),
                   byte == 0      ? "this seems to be a binary file, or text in UTF-16; save it as UTF-8 text"
                   : byte == '\r' ? "end lines with a line feed (LF or CR LF)"
                                  : "delete it");
  }
  return false;
}

}  // namespace

void PlaceFinder::step_forward() {
  const char c = text_[position_++];
  if (c == '\n') {
    here_ = {here_.line + 1, 1};
  } else if (position_ >= text_.size() || begins_character(text_[position_])) {
    ++here_.column;
  }
}

void PlaceFinder::step_back() {
  const bool counted = position_ >= text_.size() || begins_character(text_[position_]);
  const char c = text_[--position_];
  if (c == '\n') {
    const std::size_t newline = position_ == 0 ? std::string_view::npos : text_.rfind('\n', position_ - 1);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const auto column = std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text_.begin() + static_cast<std::ptrdiff_t>(position_), begins_character);
    here_ = {here_.line - 1, static_cast<int>(column) + 1};
  } else if (counted) {
    --here_.column;
  }
}

SourceLocation PlaceFinder::at(std::size_t position) {
  position = std::min(position, text_.size());
  while (position_ < position) step_forward();
  while (position_ > position) step_back();
  return here_;
}

std::string_view without_bom(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  return text;
}

bool is_clean_text(std::string_view text) { return find_bad_character(text) == std::string_view::npos; }

bool check_encoding(std::string_view text, std::size_t max_bytes, Messages& messages) {
  if (text.size() > max_bytes) {
    messages.error({}, "file-too-large",
                   fmt::format("the file has {:.1f} MB; at most {:.1f} MB are read",
                               static_cast<double>(text.size()) / 1048576, static_cast<double>(max_bytes) / 1048576),
                   "check that this is a model file; programs may raise ReadOptions::max_bytes");
    return false;
  }
  const std::string_view mark = text.substr(0, 2);
  if (mark == "\xFF\xFE" || mark == "\xFE\xFF") {
    const bool wide = text.substr(0, 4) == std::string_view("\xFF\xFE\0\0", 4);
    messages.error({1, 1}, "text-not-utf8", fmt::format("the file is text in UTF-{}", wide ? 32 : 16),
                   "save the file in the encoding UTF-8");
    return false;
  }
  return check_characters(text, messages);
}

bool check_text(std::string_view text, std::size_t max_bytes, Messages& messages) {
  if (!check_encoding(text, max_bytes, messages)) return false;
  if (count_separators(text) > most_separators) {
    messages.error(
        {}, "yaml-too-many-entries",
        fmt::format("the file has more than {} separators (commas, colons, brackets, lines)", most_separators),
        "check that this is a model file; build larger models in C++");
    return false;
  }
  return true;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace trammel::readers

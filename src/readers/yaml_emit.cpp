// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_emit.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "readers/messages.hpp"

namespace trammel::readers {

namespace {

constexpr std::size_t line_width = 120;
constexpr std::size_t widest_column = 24;  // names longer than this are not aligned to

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("-./+ ").find(c) != std::string_view::npos;
}

// Words that some YAML reader takes for something else than text.
bool is_yaml_word(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  static const std::vector<std::string> words{"true", "false", "yes", "no", "on", "off", "null"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      text += fmt::format("\\x{:02X}", byte);
    } else {
      text += c;
    }
  }
  return text + "\"";
}

double parsed(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string pad(const std::string& key, std::size_t width) {
  // Counted in bytes: a name in another alphabet is only aligned less well.
  return key + ":" + std::string(key.size() < width ? width - key.size() : 0, ' ') + " ";
}

std::size_t column_width(const std::vector<std::string>& keys) {
  std::size_t width = 0;
  for (const std::string& key : keys) {
    if (key.size() <= widest_column) width = std::max(width, key.size());
  }
  return width;
}

}  // namespace

std::string name_text(const std::string& name) {
  const bool plain = !name.empty() && is_letter(name[0]) && name.back() != ' ' &&
                     std::all_of(name.begin(), name.end(), is_plain) && !is_yaml_word(name);
  return plain ? name : quoted(name);
}

std::string flow_list(const std::vector<std::string>& items) { return fmt::format("[{}]", fmt::join(items, ", ")); }

std::string flow_map(const Entries& entries) {
  std::vector<std::string> items;
  for (const auto& [key, value] : entries) items.push_back(fmt::format("{}: {}", key, value));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string section_text(const std::string& title, const std::vector<std::pair<std::string, Entries>>& items) {
  if (items.empty()) return {};
  std::vector<std::string> keys;
  for (const auto& item : items) keys.push_back(name_text(item.first));
  const std::size_t width = column_width(keys);
  std::string text = title + ":\n";
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string line = "  " + pad(keys[i], width) + flow_map(items[i].second);
    if (line.size() <= line_width) {
      text += line + "\n";
      continue;
    }
    text += "  " + keys[i] + ":\n";
    for (const auto& [key, value] : items[i].second) text += fmt::format("    {}: {}\n", key, value);
  }
  return text;
}

std::string values_text(const std::string& title, const Entries& items) {
  if (items.empty()) return {};
  std::vector<std::string> keys;
  for (const auto& item : items) keys.push_back(name_text(item.first));
  const std::size_t width = column_width(keys);
  std::string text = title + ":\n";
  for (std::size_t i = 0; i < items.size(); ++i) text += "  " + pad(keys[i], width) + items[i].second + "\n";
  return text;
}

std::string NumberText::operator()(double si, const Dimension& dimension) const {
  if (si == infinity || si == -infinity) return "none";
  if (units_.to_si(dimension) == 1) return shortest(si);
  // The fewest digits that the reader takes back to the same number: 0.04 m is 40 mm, not 40.000000000000001.
  const double scaled = units_.from_si(si, dimension);
  for (int digits = 15; digits <= 17; ++digits) {
    const double candidate = parsed(fmt::format("{:.{}g}", scaled, digits));
    if (units_.in_si(candidate, dimension) == si) return shortest(candidate);
  }
  for (const double neighbour : {std::nextafter(scaled, -infinity), std::nextafter(scaled, infinity)}) {
    if (units_.in_si(neighbour, dimension) == si) return shortest(neighbour);
  }
  return shortest(scaled);
}

std::string NumberText::operator()(const Vec3d& si, const Dimension& dimension) const {
  return flow_list({(*this)(si.x, dimension), (*this)(si.y, dimension), (*this)(si.z, dimension)});
}

}  // namespace trammel::readers

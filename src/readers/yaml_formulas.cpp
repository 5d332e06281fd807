// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_formulas.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace trammel::readers {

namespace {

bool is_quote(char c) { return c == '\'' || c == '"' || c == '`'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Where in the file a byte of a scalar's text stands; of text over several lines, where it begins.
SourceLocation place_in(const Node& node, std::size_t position) {
  SourceLocation where = node.where;
  const std::string_view before = std::string_view(node.text).substr(0, position);
  if (node.text.find('\n') != std::string::npos) return where;
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  where.column += static_cast<int>(std::count_if(before.begin(), before.end(), begins_character)) + node.quoted;
  return where;
}

// Past the number that begins here.
std::size_t end_of_number(const std::string& text, std::size_t i) {
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  std::size_t exponent = i;
  if (exponent < text.size() && (text[exponent] == 'e' || text[exponent] == 'E')) ++exponent;
  if (exponent > i && exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
  if (exponent == i || exponent >= text.size() || !is_digit(text[exponent])) return i;
  while (exponent < text.size() && is_digit(text[exponent])) ++exponent;
  return exponent;
}

// "inner" of "0.001*(inner)", with the factor; nothing if the text is not just that.
std::optional<std::pair<double, std::string>> split_product(const std::string& text) {
  const std::size_t star = text.find("*(");
  if (star == std::string::npos || text.back() != ')') return std::nullopt;
  const auto factor = plain_number(text.substr(0, star));
  if (!factor) return std::nullopt;
  int depth = 0;
  for (std::size_t i = star + 1; i < text.size(); ++i) {
    if (is_quote(text[i])) {
      i = text.find(text[i], i + 1);
      if (i == std::string::npos) return std::nullopt;
      continue;
    }
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return std::nullopt;
  }
  return std::pair(*factor, text.substr(star + 2, text.size() - star - 3));
}

}  // namespace

bool is_meant_as_number(const std::string& text) {
  if (is_not_finite(text)) return true;
  if (!begins_like_a_number(text)) return false;
  const std::size_t end = end_of_number(text, text[0] == '+' || text[0] == '-' ? 1 : 0);
  return text.find_first_of("+-*/^(<>=!&|?", end) == std::string::npos;
}

std::optional<double> plain_number(std::string_view text) {
  if (!begins_like_a_number(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Expression> read_expression(Reading& r, const Node& node, const std::string& what,
                                          std::span<const std::string> variables) {
  if (!node.is_scalar()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be an expression, not {}", what, describe(node)),
                     "write a number, or an expression in quotes");
    return std::nullopt;
  }
  auto parsed = Expression::parse(node.text, variables);
  if (auto* expression = std::get_if<Expression>(&parsed)) return std::move(*expression);
  const auto& error = std::get<ExpressionError>(parsed);
  r.messages.error(place_in(node, error.position), "expression-wrong", fmt::format("{}: {}", what, error.what),
                   error.fix);
  return std::nullopt;
}

bool parses(const std::string& text, std::span<const std::string> variables) {
  return std::holds_alternative<Expression>(Expression::parse(text, variables));
}

std::optional<TimeFunction> read_time_function(Reading& r, const Node& node, const std::string& what,
                                               const Dimension& dimension) {
  if (!node.is_scalar()) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a number or an expression of t, not {}", what, describe(node)),
                     "write a number such as 2.5, or an expression in quotes, such as \"5*sin(t)\"");
    return std::nullopt;
  }
  if (!node.quoted && is_meant_as_number(node.text)) {
    const auto number = read_number(r, node, what, dimension);
    if (!number) return std::nullopt;
    return TimeFunction(*number);
  }
  const std::array<std::string, 1> variables{"t"};
  auto expression = read_expression(r, node, what, variables);
  if (!expression) return std::nullopt;
  if (const auto number = plain_number(node.text)) {  // in quotes
    return TimeFunction(r.model.units.in_si(*number, dimension));
  }
  return TimeFunction(std::move(*expression), r.model.units.to_si(dimension), r.model.units.time_si);
}

std::optional<double> read_constant(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  if (!node.is_scalar() || (!node.quoted && plain_number(node.text))) return read_number(r, node, what, dimension);
  const auto expression = read_expression(r, node, what, {});
  if (!expression) return std::nullopt;
  const double number = r.model.units.in_si(expression->evaluate<double>({}), dimension);
  if (std::isfinite(number)) return number;
  r.messages.error(node.where, "number-not-finite", fmt::format("{} is not a finite number", what),
                   "check the expression");
  return std::nullopt;
}

std::string scaled_text(const std::string& text, double unit, double other) {
  if (unit == other) return text;
  if (unit == 1) {
    if (const auto product = split_product(text); product && product->first == other) return product->second;
  }
  return fmt::format("{}*({})", shortest(unit / other), text);
}

std::string replace_names(
    const std::string& text,
    const std::function<std::string(const std::string& name, const std::string& written)>& replacement) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    std::string name;
    if (is_digit(text[i]) || (text[i] == '.' && end < text.size() && is_digit(text[end]))) {
      end = end_of_number(text, i);
    } else if (is_quote(text[i])) {
      end = std::min(text.find(text[i], i + 1), text.size() - 1) + 1;
      name = text.substr(i + 1, end - i - 2);
    } else if (begins_name(text[i])) {
      while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      if (next == std::string::npos || text[next] != '(') name = text.substr(i, end - i);
    }
    const std::string written = text.substr(i, end - i);
    const std::string other = name.empty() ? std::string{} : replacement(name, written);
    result += other.empty() ? written : other;
    i = end;
  }
  return result;
}

std::string text_in_units(const TimeFunction& function, const Units& units, const Dimension& dimension) {
  std::string text = function.expression.text();
  if (function.time_unit != units.time_si) {
    const std::string per = shortest(function.time_unit / units.time_si);
    text = replace_names(text, [&per](const std::string& name, const std::string& written) {
      return name == "t" ? fmt::format("({}/{})", written, per) : std::string{};
    });
  }
  return scaled_text(text, function.unit, units.to_si(dimension));
}

}  // namespace trammel::readers

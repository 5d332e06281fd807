// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/axis_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "results/channels.hpp"

namespace trammel::results {
namespace {

struct Prefix {
  std::string_view symbol;
  int exponent;
};
constexpr std::array<Prefix, 8> prefixes{
    {{"", 0}, {"n", -9}, {"µ", -6}, {"u", -6}, {"m", -3}, {"k", 3}, {"M", 6}, {"G", 9}}};

// Units that take prefixes, and the largest one in use: nobody writes Mm or ks.
constexpr std::array<Prefix, 10> bases{
    {{"m", 3}, {"s", 0}, {"N", 9}, {"W", 9}, {"J", 9}, {"Pa", 9}, {"Hz", 9}, {"V", 6}, {"A", 6}, {"rad", 0}}};

// "kN m" from "N m" and 3, "µm" from "mm" and −3; nothing if there is no such unit.
std::optional<std::string> with_prefix(const std::string& unit, int exponent) {
  const std::size_t end = std::min(unit.find_first_of(" /"), unit.size());
  const std::string first = unit.substr(0, end);
  for (const Prefix& prefix : prefixes)
    for (const Prefix& base : bases) {
      if (first != fmt::format("{}{}", prefix.symbol, base.symbol)) continue;
      const int wanted = prefix.exponent + exponent;
      if (wanted > base.exponent) return std::nullopt;
      for (const Prefix& other : prefixes)
        if (other.exponent == wanted) return fmt::format("{}{}{}", other.symbol, base.symbol, unit.substr(end));
    }
  return std::nullopt;
}

std::string power_of_ten(int exponent) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits.at(static_cast<std::size_t>(digit - '0'));
  return text;
}

int digits_before_point(double value) { return static_cast<int>(std::floor(std::log10(value))); }

}  // namespace

void Extent::take(double value) {
  if (!std::isfinite(value)) return;
  least = std::min(least, value);
  most = std::max(most, value);
}

double AxisNumbers::operator()(double value) const {
  // In two steps: 10^324, which the smallest doubles need, is none.
  const int half = exponent / 2;
  return (value - offset) * std::pow(10.0, -half) * std::pow(10.0, -(exponent - half));
}

int common_exponent(double largest, const std::string& unit) {
  if (largest == 0) return 0;
  const int exponent = digits_before_point(largest);
  const int most = unit.starts_with("deg") || unit.starts_with("°") ? 4 : 3;
  if (-2 <= exponent && exponent <= most) return 0;
  return 3 * static_cast<int>(std::floor(exponent / 3.0));
}

AxisNumbers numbers_for(double least, double most, double span, const std::string& unit) {
  constexpr double digits_told = 1e-4;
  AxisNumbers numbers;
  double largest = std::max(std::abs(least), std::abs(most));
  if (span > round_off * largest && span < digits_told * largest) {
    // The middle, rounded to a power of ten ten to a hundred times the span, since a short offset reads well.
    const int digits = digits_before_point(largest) - (digits_before_point(span) + 2);
    numbers.offset = std::strtod(fmt::format("{:.{}e}", least / 2 + most / 2, digits).c_str(), nullptr);
    largest = std::max(std::abs(least - numbers.offset), std::abs(most - numbers.offset));
  }
  numbers.exponent = common_exponent(largest, unit);
  return numbers;
}

std::string axis_label(const std::string& label, const std::string& unit_given, const AxisNumbers& numbers) {
  const std::string unit = unit_of(unit_given);
  std::string text = label;
  if (numbers.offset != 0)
    text += fmt::format(" {} {}{}{}", numbers.offset < 0 ? "+" : "−", std::abs(numbers.offset), unit.empty() ? "" : " ",
                        unit);
  if (numbers.exponent == 0) return name_with_unit(text, unit);
  if (const auto prefixed = with_prefix(unit, numbers.exponent)) return name_with_unit(text, *prefixed);
  return name_with_unit(text, power_of_ten(numbers.exponent) + (unit.empty() ? "" : " ") + unit);
}

}  // namespace trammel::results

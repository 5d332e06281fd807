// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "plot_units.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <string_view>

namespace trammel::tool {
namespace {

struct OtherUnit {
  std::string_view name, base;
  double size;  // in the base unit
};
constexpr std::array<OtherUnit, 9> other_units{{{"deg", "rad", std::numbers::pi / 180},
                                                {"rev", "rad", 2 * std::numbers::pi},
                                                {"mm", "m", 1e-3},
                                                {"cm", "m", 1e-2},
                                                {"km", "m", 1e3},
                                                {"in", "m", 0.0254},
                                                {"ft", "m", 0.3048},
                                                {"ms", "s", 1e-3},
                                                {"min", "s", 60}}};

// One word of a unit: "m^2". Changes its base, and gives what one of the old is in the new.
double change(std::string& word, const OtherUnit& other) {
  const std::size_t hat = std::min(word.find('^'), word.size());
  if (std::string_view(word).substr(0, hat) != other.base) return 1;
  int power = 1;
  if (hat < word.size()) std::from_chars(word.data() + hat + 1, word.data() + word.size(), power);
  word.replace(0, hat, other.name);
  return std::pow(1 / other.size, power);
}

// "kg m^2/s" as words and what stands between them; what comes after '/' divides.
double change_all(std::string& unit, const OtherUnit& other) {
  std::string changed, word;
  double factor = 1;
  bool divides = false;
  for (const char c : unit + ' ') {
    if (c != ' ' && c != '/') {
      word += c;
      continue;
    }
    const double f = change(word, other);
    factor *= divides ? 1 / f : f;
    divides = divides || c == '/';
    changed += word + c;
    word.clear();
  }
  changed.pop_back();
  unit = changed;
  return factor;
}

}  // namespace

void convert(Channel& column, const std::vector<std::string>& units) {
  for (const std::string& unit : units) {
    for (const OtherUnit& other : other_units) {
      if (other.name != unit) continue;
      const double factor = change_all(column.unit, other);
      if (factor == 1) continue;
      for (double& value : column.values) value *= factor;
    }
  }
}

std::pair<std::string, std::string> units_of_one_kind(const std::vector<std::string>& units) {
  std::map<std::string_view, std::string> taken;
  for (const std::string& unit : units) {
    for (const OtherUnit& other : other_units) {
      if (other.name != unit) continue;
      const auto [there, is_new] = taken.emplace(other.base, unit);
      if (!is_new && there->second != unit) return {there->second, unit};
    }
  }
  return {};
}

}  // namespace trammel::tool

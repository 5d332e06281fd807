// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trammel::results {
namespace {

constexpr double slack = 1e-9;  // of a step: 3 · 0.1 still is a tick on an axis that ends at 0.3

// Multiples of `step` within the axis. k / 10 is nearer to the decimal number than k · 0.1.
std::vector<double> multiples(double from, double to, double step) {
  std::vector<double> at;
  const double first = std::ceil(from / step - slack), last = std::floor(to / step + slack);
  const double inverse = std::round(1 / step);
  const bool by_inverse = step < 1 && std::abs(inverse * step - 1) < slack;
  for (double k = first; k <= last; ++k) at.push_back(std::clamp(by_inverse ? k / inverse : k * step, from, to));
  return at;
}

double count_of(double from, double to, double step) {
  return std::floor(to / step + slack) - std::ceil(from / step - slack) + 1;
}

// The n-th of … 0.5, 1, 2, 5, 10 …, where the 0th is 1; for degrees 10, 15, 30, 45, 90, 180, 360, 720 follow 5.
// Neighbours differ by a factor of at most 2.5, so that an axis with too many ticks for one has two with the next.
double nth_step(int n, bool degrees) {
  constexpr std::array<double, 7> round_angles{10, 15, 30, 45, 90, 180, 360};
  constexpr std::array<double, 3> mantissas{1, 2, 5};
  const int angles = static_cast<int>(round_angles.size());
  if (degrees && n >= 3 && n < 3 + angles) return round_angles.at(static_cast<std::size_t>(n - 3));
  if (degrees && n >= 3 + angles) return 360 * nth_step(n - 2 - angles, false);
  const int decade = static_cast<int>(std::floor(n / 3.0));
  const double mantissa = mantissas.at(static_cast<std::size_t>(n - 3 * decade));
  return decade < 0 ? mantissa / std::pow(10.0, -decade) : mantissa * std::pow(10.0, decade);
}

// Parts of a step between two ticks that are round numbers themselves.
int parts_of(double step) {
  for (const double angle : {15.0, 30.0, 45.0, 90.0, 360.0})
    if (step == angle) return 3;
  if (step == 180) return 2;
  const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + slack));
  return std::abs(mantissa - 2) < 0.1 ? 4 : 5;
}

}  // namespace

std::string Ticks::label(double tick) const {
  const std::string text = fmt::format("{:.{}f}", std::abs(tick), decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return tick < 0 && !zero ? "−" + text : text;
}

Ticks ticks_with_step(double from, double to, double step) {
  Ticks ticks;
  ticks.step = step;
  ticks.at = multiples(from, to, step);
  ticks.minor = multiples(from, to, step / parts_of(step));
  std::erase_if(ticks.minor, [&](double x) { return std::abs(x / step - std::round(x / step)) < 1e-6; });
  ticks.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + slack)));
  return ticks;
}

Ticks choose_ticks(double from, double to, int most, bool degrees) {
  int n = 3 * static_cast<int>(std::floor(std::log10(to - from))) - 6;  // a hundredth of the axis: too many
  if (degrees) n = std::min(n, 0);
  while (count_of(from, to, nth_step(n, degrees)) > most) ++n;
  while (count_of(from, to, nth_step(n, degrees)) < 2) --n;
  return ticks_with_step(from, to, nth_step(n, degrees));
}

}  // namespace trammel::results

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Ticks and the numbers beside them.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "results/axis_numbers.hpp"
#include "results/ticks.hpp"

namespace trammel::results {
namespace {

bool is_one_two_five(double step) {
  const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  return std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 || std::abs(mantissa - 5) < 1e-9;
}

double random_between(double a, double b) { return a + (b - a) * *rc::gen::inRange(0, 1'000'000) / 1e6; }

RC_GTEST_PROP(TickLaws, two_to_twelve_round_numbers_within_the_axis, (bool degrees)) {
  const double span = std::pow(10.0, random_between(-4, 5)), from = span * random_between(-50, 50);
  const int most = *rc::gen::inRange(5, 13);
  const Ticks ticks = choose_ticks(from, from + span, most, degrees);
  RC_ASSERT(ticks.at.size() >= 2u);
  RC_ASSERT(ticks.at.size() <= static_cast<std::size_t>(most));
  RC_ASSERT(ticks.at.front() >= from);
  RC_ASSERT(ticks.at.back() <= from + span);
  if (!degrees) RC_ASSERT(is_one_two_five(ticks.step));
  for (std::size_t i = 1; i < ticks.at.size(); ++i) {
    RC_ASSERT(std::abs(ticks.at[i] - ticks.at[i - 1] - ticks.step) < 1e-6 * ticks.step);
    RC_ASSERT(ticks.label(ticks.at[i]) != ticks.label(ticks.at[i - 1]));
  }
  for (const double tick : ticks.at) {  // what is written is where the tick is
    std::string label = ticks.label(tick);
    if (label.starts_with("−")) label.replace(0, std::string("−").size(), "-");
    RC_ASSERT(std::abs(std::stod(label) - tick) < 1e-6 * ticks.step);
  }
}

TEST(Ticks, of_a_turn_are_at_round_angles) {
  EXPECT_EQ(choose_ticks(0, 360, 12, true).at, (std::vector<double>{0, 45, 90, 135, 180, 225, 270, 315, 360}));
  EXPECT_EQ(choose_ticks(0, 360, 5, true).at, (std::vector<double>{0, 90, 180, 270, 360}));
  EXPECT_EQ(choose_ticks(-90, 90, 7, true).at, (std::vector<double>{-90, -60, -30, 0, 30, 60, 90}));
  EXPECT_EQ(choose_ticks(0, 3600, 12, true).step, 360);
  EXPECT_EQ(choose_ticks(0, 7200, 5, true).step, 1800);
  EXPECT_EQ(choose_ticks(0, 3, 5, true).at, (std::vector<double>{0, 1, 2, 3}));
}

TEST(Ticks, include_ends_that_round_off_would_lose) {
  EXPECT_EQ(choose_ticks(0, 0.3, 5, false).at, (std::vector<double>{0, 0.1, 0.2, 0.3}));
}

TEST(Ticks, have_no_negative_zero) {
  const Ticks ticks = choose_ticks(-1, 1, 5, false);
  EXPECT_EQ(ticks.label(-0.0), "0.0");
  EXPECT_EQ(ticks.label(-0.5), "−0.5");
}

std::string label_for(double least, double most, const std::string& unit) {
  return axis_label("a", unit, numbers_for(least, most, most - least, unit));
}

TEST(AxisLabel, takes_a_prefix_or_a_power_of_ten_when_numbers_are_long) {
  EXPECT_EQ(label_for(0, 9999, "N"), "a [N]");
  EXPECT_EQ(label_for(0, 12000, "N"), "a [kN]");
  EXPECT_EQ(label_for(0, 0.05, "m"), "a [m]");
  EXPECT_EQ(label_for(0, 0.005, "m"), "a [mm]");
  EXPECT_EQ(label_for(-2e-5, 0, "mm/s"), "a [nm/s]");
  EXPECT_EQ(label_for(0, 3e5, "N mm"), "a [kN mm]");
  EXPECT_EQ(label_for(0, 3e5, "m²"), "a [10³ m²]");
  EXPECT_EQ(label_for(0, 3e7, "m"), "a [10⁶ m]");
  EXPECT_EQ(label_for(0, 3e7, "kg"), "a [10⁶ kg]");
  EXPECT_EQ(label_for(0, 3e5, "min"), "a [10³ min]");
  EXPECT_EQ(label_for(0, 36000, "deg"), "a [deg]");
  EXPECT_EQ(label_for(0, 3e-5, ""), "a [10⁻⁶]");
  EXPECT_EQ(label_for(0, 3e-5, "1"), "a [10⁻⁶]");
  EXPECT_EQ(label_for(0, 5e-324, "m"), "a [10⁻³²⁴ m]");
  EXPECT_EQ(label_for(0, 0, "m"), "a [m]");
}

TEST(AxisLabel, names_the_offset_when_values_differ_in_late_digits) {
  EXPECT_EQ(label_for(1e6, 1e6 + 3, "m"), "a − 1000000 m [m]");
  EXPECT_EQ(label_for(-1000.002, -1000.001, "m"), "a + 1000 m [mm]");
}

TEST(AxisNumbers, map_the_smallest_and_largest_doubles_to_short_numbers) {
  EXPECT_NEAR(numbers_for(0, 5e-324, 5e-324, "m")(5e-324), 4.94, 0.01);
  EXPECT_NEAR(numbers_for(-1.7e308, 1.7e308, HUGE_VAL, "m")(-1.7e308), -170, 1e-9);
}

}  // namespace
}  // namespace trammel::results

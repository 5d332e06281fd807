// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Units of files against their definitions.

#include <numbers>

#include <gtest/gtest.h>

#include <trammel/units.hpp>

namespace trammel {
namespace {

Units with(const std::string& quantity, const std::string& unit) {
  Units units;
  EXPECT_TRUE(set_unit(units, quantity, unit)) << unit;
  return units;
}

TEST(Units, are_si_unless_said_otherwise) {
  const Units units;
  EXPECT_TRUE(units.is_si());
  for (const Dimension& d : {dimension::length, dimension::angle, dimension::mass, dimension::inertia,
                             dimension::density, dimension::acceleration, dimension::torque}) {
    EXPECT_EQ(units.to_si(d), 1);
    EXPECT_EQ(units.in_si(0.1, d), 0.1);
    EXPECT_EQ(units.from_si(0.1, d), 0.1);
  }
}

TEST(Units, have_the_sizes_of_their_definitions) {
  EXPECT_EQ(with("length", "mm").length_si, 1e-3);
  EXPECT_EQ(with("length", "cm").length_si, 1e-2);
  EXPECT_EQ(with("length", "km").length_si, 1e3);
  EXPECT_EQ(with("length", "um").length_si, 1e-6);
  EXPECT_EQ(with("length", "in").length_si, 0.0254);
  EXPECT_EQ(with("length", "ft").length_si, 0.3048);
  EXPECT_EQ(with("angle", "deg").angle_si, std::numbers::pi / 180);
  EXPECT_EQ(with("angle", "rev").angle_si, 2 * std::numbers::pi);
  EXPECT_EQ(with("mass", "g").mass_si, 1e-3);
  EXPECT_EQ(with("mass", "t").mass_si, 1e3);
  EXPECT_EQ(with("mass", "lb").mass_si, 0.45359237);
  EXPECT_EQ(with("time", "ms").time_si, 1e-3);
  EXPECT_EQ(with("time", "min").time_si, 60);
  EXPECT_EQ(with("force", "mN").force_si, 1e-3);
  EXPECT_EQ(with("force", "kN").force_si, 1e3);
  EXPECT_EQ(with("force", "kgf").force_si, 9.80665);
  EXPECT_EQ(with("force", "lbf").force_si, 4.4482216152605);
  // pound-force = pound · standard gravity; slug = pound-force / (ft/s²)
  EXPECT_DOUBLE_EQ(with("force", "lbf").force_si, 0.45359237 * 9.80665);
  EXPECT_NEAR(with("mass", "slug").mass_si, 14.593902937206365, 1e-14);
}

TEST(Units, combine_by_their_exponents) {
  Units units = with("length", "mm");
  set_unit(units, "mass", "g");
  set_unit(units, "time", "ms");
  EXPECT_DOUBLE_EQ(units.to_si(dimension::inertia), 1e-9);
  EXPECT_DOUBLE_EQ(units.to_si(dimension::density), 1e6);
  EXPECT_DOUBLE_EQ(units.to_si(dimension::acceleration), 1e3);
  EXPECT_DOUBLE_EQ(units.to_si({.angle = 1, .time = -1}), 1e3);
}

TEST(Units, convert_round_figures_without_stray_digits) {
  const Units mm = with("length", "mm");
  EXPECT_EQ(mm.in_si(9810, dimension::acceleration), 9.81);
  for (int i = -3000; i <= 3000; ++i) EXPECT_EQ(mm.in_si(i, dimension::length), i / 1000.0);
  EXPECT_EQ(mm.in_si(1500, dimension::inertia), 0.0015);
  EXPECT_EQ(mm.in_si(7.8e-6, dimension::density), 7800);
  EXPECT_EQ(mm.from_si(0.04, dimension::length), 40);
  EXPECT_EQ(with("time", "min").in_si(90, {.length = 1, .time = -1}), 1.5);
  EXPECT_EQ(with("length", "in").in_si(1, dimension::length), 0.0254);
}

TEST(Units, print_as_engineers_write_them) {
  Units units = with("length", "mm");
  set_unit(units, "angle", "deg");
  EXPECT_EQ(units.name(dimension::none), "1");
  EXPECT_EQ(units.name(dimension::length), "mm");
  EXPECT_EQ(units.name({.length = 1, .time = -1}), "mm/s");
  EXPECT_EQ(units.name(dimension::acceleration), "mm/s^2");
  EXPECT_EQ(units.name(dimension::inertia), "kg mm^2");
  EXPECT_EQ(units.name(dimension::density), "kg/mm^3");
  EXPECT_EQ(units.name(dimension::torque), "N mm");
  EXPECT_EQ(units.name({.length = 1, .angle = -1, .time = 1, .force = 1}), "N mm s/deg");
  EXPECT_EQ(units.name({.angle = -1, .time = -1}), "1/(deg s)");
}

TEST(Units, refuse_what_they_do_not_know) {
  Units units;
  EXPECT_FALSE(set_unit(units, "length", "deg"));
  EXPECT_FALSE(set_unit(units, "length", "Mm"));
  EXPECT_FALSE(set_unit(units, "temperature", "K"));
  EXPECT_TRUE(units.is_si());
  EXPECT_EQ(known_units("length"), "m, mm, cm, km, in, ft, um");
  EXPECT_EQ(known_units("angle"), "rad, deg, rev");
  EXPECT_EQ(known_units("mass"), "kg, g, t, lb, slug");
  EXPECT_EQ(known_units("time"), "s, ms, min");
  EXPECT_EQ(known_units("force"), "N, mN, kN, lbf, kgf");
  EXPECT_EQ(known_units("temperature"), "");
}

}  // namespace
}  // namespace trammel

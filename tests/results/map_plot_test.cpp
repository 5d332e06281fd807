// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Values over a rectangle as colours.

#include <cmath>
#include <limits>
#include <regex>

#include <gtest/gtest.h>

#include <trammel/results.hpp>

namespace trammel {
namespace {

MapPlot four_cells(std::vector<double> values) {
  MapPlot plot;
  plot.title = "a < b";
  plot.x = {.label = "x", .unit = "deg", .from = 0, .to = 360};
  plot.y = {.label = "y", .unit = "deg", .from = -90, .to = 90};
  plot.columns = plot.rows = 2;
  plot.maps = {{.value = {.label = "mass", .unit = "kg"}, .panels = {{"one", std::move(values)}}}};
  return plot;
}

// The colour of the rectangle whose lower left corner is that of cell (column, row).
std::string colour_at(const std::string& svg, int column, int row) {
  const std::regex path("<path d=\"([^\"]*)\" fill=\"(#[0-9a-f]+)\"");
  const std::regex rectangle("M([0-9.]+) ([0-9.]+)H([0-9.]+)V([0-9.]+)H[0-9.]+Z");
  struct Found {
    double left, top, right, bottom;
    std::string colour;
  };
  std::vector<Found> all;
  for (std::sregex_iterator p(svg.begin(), svg.end(), path), end; p != end; ++p) {
    const std::string d = (*p)[1];
    for (std::sregex_iterator r(d.begin(), d.end(), rectangle); r != end; ++r) {
      all.push_back({std::stod((*r)[1]), std::stod((*r)[2]), std::stod((*r)[3]), std::stod((*r)[4]), (*p)[2]});
    }
  }
  double left = 1e9, right = 0, top = 1e9, bottom = 0;
  for (const Found& f : all) {
    left = std::min(left, f.left), right = std::max(right, f.right);
    top = std::min(top, f.top), bottom = std::max(bottom, f.bottom);
  }
  const double x = left + (right - left) * (column + 0.5) / 2, y = bottom - (bottom - top) * (row + 0.5) / 2;
  std::string colour;
  for (const Found& f : all) {
    if (f.left < x && x < f.right && f.top < y && y < f.bottom) colour += f.colour;
  }
  return colour;
}

double brightness(const std::string& colour) {
  double sum = 0;
  for (std::size_t i = 1; i < 7; i += 2) sum += std::stoi(colour.substr(i, 2), nullptr, 16);
  return sum;
}

TEST(MapPlot, rows_rise_and_larger_values_are_brighter) {
  const std::string svg = svg_plot(four_cells({1, 2, 3, 4}));
  const double a = brightness(colour_at(svg, 0, 0)), b = brightness(colour_at(svg, 1, 0)),
               c = brightness(colour_at(svg, 0, 1)), d = brightness(colour_at(svg, 1, 1));
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  EXPECT_LT(c, d);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(MapPlot, a_logarithmic_scale_has_equal_steps_for_equal_ratios) {
  MapPlot plot = four_cells({1, 10, 100, 1000});
  EXPECT_EQ(colour_at(svg_plot(plot), 0, 0), colour_at(svg_plot(plot), 1, 0));  // 1 and 10 of 1000
  const std::string even = svg_plot(four_cells({0, 1, 2, 3}));
  plot.maps[0].logarithmic = true;
  const std::string svg = svg_plot(plot);
  for (const int i : {0, 1, 2, 3}) EXPECT_EQ(colour_at(svg, i % 2, i / 2), colour_at(even, i % 2, i / 2)) << i;
  for (const char* number : {">1<", ">10<", ">100<", ">1000<"})
    EXPECT_NE(svg.find(number), std::string::npos) << number;
  plot.maps[0].panels[0].values = {0, 10, 100, 1000};  // zero has no logarithm: even steps
  EXPECT_EQ(colour_at(svg_plot(plot), 0, 0), colour_at(svg_plot(plot), 1, 0));
}

TEST(MapPlot, what_is_not_finite_is_grey_and_a_constant_is_no_trouble) {
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(colour_at(svg_plot(four_cells({1, none, 2, std::nan("")})), 1, 0), "#c8c8c8");
  EXPECT_EQ(colour_at(svg_plot(four_cells({none, none, none, none})), 0, 0), "#c8c8c8");
  const std::string same = svg_plot(four_cells({5, 5, 5, 5}));
  EXPECT_EQ(same.find("nan"), std::string::npos);
  EXPECT_EQ(colour_at(same, 0, 0), colour_at(same, 1, 1));
}

TEST(MapPlot, refuses_what_has_no_shape) {
  EXPECT_THROW(svg_plot(four_cells({1, 2, 3})), std::invalid_argument);
  MapPlot plot = four_cells({1, 2, 3, 4});
  plot.x.to.reset();
  EXPECT_THROW(svg_plot(plot), std::invalid_argument);
}

}  // namespace
}  // namespace trammel

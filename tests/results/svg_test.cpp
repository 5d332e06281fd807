// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Plots are XML that holds what was asked for, whatever the data.

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <rapidcheck/gtest.h>

#include <trammel/results.hpp>

#include "results/reading.hpp"

namespace trammel {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> texts_of(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description();
  std::vector<std::string> texts;
  for (const auto& found : document.select_nodes("//text")) texts.emplace_back(found.node().child_value());
  return texts;
}

bool has_text(const std::string& svg, const std::string& text) {
  const auto texts = texts_of(svg);
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// The "d" of paths with a stroke: the lines.
std::vector<std::string> paths_of(const std::string& svg) {
  pugi::xml_document document;
  document.load_string(svg.c_str());
  std::vector<std::string> paths;
  for (const auto& found : document.select_nodes("//path[@stroke]"))
    paths.emplace_back(found.node().attribute("d").value());
  return paths;
}

std::size_t count_of(const std::string& svg, const char* xpath) {
  pugi::xml_document document;
  document.load_string(svg.c_str());
  return document.select_nodes(xpath).size();
}

Plot rocker() {
  Plot plot = plot_channels({{{"crank angle", "deg", {0, 90, 180, 270, 360}},
                              {"rocker angle", "deg", {10, 20, nan, 40, 50}},
                              {"coupler angle", "deg", {1, 2, nan, 4, 5}},
                              {"torque", "N m", {1e4, 2e4, nan, 4e4, 5e4}}}});
  plot.title = "Rocker";
  return plot;
}

TEST(SvgPlot, has_titles_labels_numbers_and_a_legend) {
  Plot plot = rocker();
  plot.subtitle = "one turn";
  plot.marks = {{90, "dead point"}, {1000, "outside"}};
  plot.stretches = {{170, 190, "imaginary"}};
  const std::string svg = svg_plot(plot);
  for (const char* text : {"Rocker", "one turn", "crank angle [deg]", "[deg]", "torque [kN m]", "rocker angle",
                           "coupler angle", "dead point", "imaginary", "0", "45", "360", "30"})
    EXPECT_TRUE(has_text(svg, text)) << text;
  EXPECT_FALSE(has_text(svg, "outside"));
  EXPECT_EQ(svg, svg_plot(plot));
}

TEST(SvgPlot, cuts_lines_where_there_is_no_value) {
  for (const std::string& path : paths_of(svg_plot(rocker()))) EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2);
  EXPECT_EQ(count_of(svg_plot(rocker()), "//circle"), 12u);  // few points have markers
}

TEST(SvgPlot, cuts_lines_where_an_angle_begins_again_and_at_poles_but_not_where_they_are_steep) {
  PlotLine turning{.name = "azimuth"}, pole{.name = "pole"};
  for (int i = 0; i < 100; ++i) {
    for (PlotLine* line : {&turning, &pole}) line->x.push_back(i);
    turning.y.push_back(std::remainder(13.0 * i, 360));
    pole.y.push_back(1 / (49.5 - i));
  }
  const auto pieces = [](const PlotLine& line) {
    const std::string path = paths_of(svg_plot(Plot{.panels = {{.lines = {line}}}})).front();
    return std::count(path.begin(), path.end(), 'M');
  };
  EXPECT_EQ(pieces(turning), 5);  // 1287°, beyond 180°, 540°, 900° and 1260°
  EXPECT_EQ(pieces(pole), 2);
  PlotLine steep = turning;  // goes on as it went
  for (std::size_t i = 0; i < steep.y.size(); ++i) steep.y[i] = std::tanh(static_cast<double>(i) - 50);
  EXPECT_EQ(pieces(steep), 1);
}

TEST(SvgPlot, shows_a_value_between_two_gaps) {
  PlotLine line{.name = "alone"};
  for (int i = 0; i < 100; ++i) {
    line.x.push_back(i);
    line.y.push_back(i == 49 || i == 51 ? nan : i);
  }
  const std::string svg = svg_plot(Plot{.panels = {{.lines = {line}}}});
  EXPECT_EQ(count_of(svg, "//circle"), 1u);
}

TEST(SvgPlot, escapes_texts) {
  Plot plot = rocker();
  plot.title = "a < b && \"c\" > 'd' \x01\xff";
  plot.panels[0].lines[0].name = "</text><script>alert(1)</script>";
  plot.panels[0].lines[0].colour = "\"/><script/>";
  const std::string svg = svg_plot(plot);
  EXPECT_TRUE(has_text(svg, "a < b && \"c\" > 'd' \uFFFD"));
  EXPECT_TRUE(has_text(svg, "</text><script>alert(1)</script>"));
  EXPECT_EQ(count_of(svg, "//script"), 0u);
}

TEST(SvgPlot, says_so_where_there_are_no_values) {
  EXPECT_TRUE(has_text(svg_plot(Plot{}), "no values"));
  EXPECT_TRUE(has_text(svg_plot(PlanePlot{}), "no values"));
  Plot plot = rocker();
  plot.panels[1].lines[0].y.assign(5, nan);
  EXPECT_TRUE(has_text(svg_plot(plot), "no values"));
  plot.panels = {{.lines = {{.name = "a", .x = {infinity}, .y = {1}}}}};
  EXPECT_TRUE(has_text(svg_plot(plot), "no values"));
  EXPECT_FALSE(has_text(svg_plot(rocker()), "no values"));
}

TEST(SvgPlot, cuts_off_what_lies_beyond_ends_that_are_set) {
  Plot plot = rocker();
  EXPECT_EQ(count_of(svg_plot(plot), "//svg/svg"), 0u);
  plot.panels[0].y.from = 0;
  plot.panels[0].y.to = 30;
  EXPECT_EQ(count_of(svg_plot(plot), "//svg/svg"), 1u);
  EXPECT_FALSE(has_text(svg_plot(plot), "45.0"));
}

TEST(SvgPlot, does_not_blow_up_round_off_when_told_what_matters) {
  Plot plot{
      .panels = {{.y = {.label = "sum", .unit = "N"}, .lines = {{.name = "sum", .x = {0, 1}, .y = {1e-17, -2e-17}}}}}};
  EXPECT_FALSE(has_text(svg_plot(plot), "sum [N]"));
  plot.panels[0].y.least_span = 1;
  EXPECT_TRUE(has_text(svg_plot(plot), "sum [N]"));
}

TEST(SvgPlot, keeps_the_highest_and_lowest_of_many_values) {
  PlotLine line{.name = "spikes"};
  for (int i = 0; i < 100000; ++i) {
    line.x.push_back(i);
    line.y.push_back(i == 33333 ? 7 : i == 66666 ? -7 : 0);
  }
  Plot plot{.panels = {{.lines = {line}}}};
  const std::string svg = svg_plot(plot);
  EXPECT_LT(svg.size(), 200'000u);
  // The axis runs from −7 to 7 with 6 % above and below, 170 px high.
  const double height = 170, pad = height * 0.06 / 1.12;
  const std::string path = paths_of(svg).at(0);
  double top = infinity, bottom = -infinity;
  for (std::size_t at = path.find(' '); at != std::string::npos; at = path.find(' ', at + 1)) {
    const double y = std::strtod(path.c_str() + at, nullptr);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
  }
  EXPECT_NEAR(bottom - top, height - 2 * pad, 0.02);
}

TEST(SvgPlot, refuses_lines_whose_x_and_y_differ_in_length) {
  const Plot plot{.panels = {{.lines = {{.name = "f", .x = {1, 2}, .y = {1}}}}}};
  try {
    svg_plot(plot);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "line 'f' has 2 values of x and 1 of y; fix: give each x a y, NaN where there is none");
  }
}

TEST(PlotChannels, puts_neighbours_of_one_unit_into_one_panel) {
  const Plot plot = rocker();
  ASSERT_EQ(plot.panels.size(), 2u);
  EXPECT_EQ(plot.panels[0].lines.size(), 2u);
  EXPECT_EQ(plot.panels[1].y.label, "torque");
  EXPECT_TRUE(plot_channels({}).panels.empty());
}

TEST(SvgPlanePlot, has_one_scale_for_both_axes) {
  const PlanePlot plot{.x = {.label = "x", .unit = "mm"},
                       .y = {.label = "y"},
                       .curves = {{.name = "P", .x = {0, 100, 100, 0, 0}, .y = {0, 0, 50, 50, 0}}},
                       .points = {{0, 0, "O2"}, {nan, 0, "lost"}}};
  const std::string svg = svg_plot(plot);
  double x[5], y[5];
  const std::string path = paths_of(svg).at(0);
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lfL%lf %lfL%lf %lf", x, y, x + 1, y + 1, x + 2, y + 2), 6);
  EXPECT_NEAR(x[1] - x[0], 2 * (y[1] - y[2]), 0.03);
  for (const char* text : {"x [mm]", "y [mm]", "O2", "P", "start"}) EXPECT_TRUE(has_text(svg, text)) << text;
  EXPECT_FALSE(has_text(svg, "lost"));
  EXPECT_EQ(count_of(svg, "//path[not(@stroke)]"), 2u);  // arrowheads
}

// --- laws -------------------------------------------------------------------------------------------------------------

void check_picture(const std::string& svg) {
  pugi::xml_document document;
  RC_ASSERT(document.load_string(svg.c_str()));
  RC_ASSERT(svg.find("nan") == std::string::npos);
  RC_ASSERT(svg.find("inf") == std::string::npos);
  const double width = document.child("svg").attribute("width").as_double();
  const double height = document.child("svg").attribute("height").as_double();
  for (const auto& found : document.select_nodes("//text")) {  // no text begins outside
    const pugi::xml_node text = found.node();
    RC_ASSERT(0 <= text.attribute("x").as_double());
    RC_ASSERT(text.attribute("x").as_double() <= width);
    RC_ASSERT(0 <= text.attribute("y").as_double());
    RC_ASSERT(text.attribute("y").as_double() <= height);
  }
  for (const auto& found : document.select_nodes("//line")) {
    RC_ASSERT(-1 <= found.node().attribute("y1").as_double());
    RC_ASSERT(found.node().attribute("x2").as_double() <= width);
  }
}

RC_GTEST_PROP(SvgLaws, plots_of_any_values_are_whole, ()) {
  Plot plot{.title = "T", .x = {.label = "x", .unit = *rc::gen::element<std::string>("deg", "s", "kg")}};
  plot.width = *rc::gen::element(0.0, 240.0, 720.0, 2000.0, nan);
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 60);
  for (int p = 0; p < 2; ++p) {
    PlotPanel& panel = plot.panels.emplace_back();
    panel.y = {.label = "y", .unit = *rc::gen::element<std::string>("deg", "N m", "")};
    for (int l = 0; l < 2; ++l)
      panel.lines.push_back({"L", *test::values_of_any_kind(count), *test::values_of_any_kind(count)});
  }
  const auto odd = [] { return rc::gen::element(nan, infinity, -infinity, 0.0, 50.0, 1e300, -1e-300); };
  plot.marks = {{*odd(), "M"}, {*odd(), "M"}};
  plot.stretches = {{*odd(), *odd(), "S"}};
  if (*rc::gen::arbitrary<bool>()) plot.x.from = *odd();
  if (*rc::gen::arbitrary<bool>()) plot.x.to = *odd();
  if (*rc::gen::arbitrary<bool>()) plot.panels[0].y.from = *odd();
  if (*rc::gen::arbitrary<bool>()) plot.panels[0].y.to = *odd();
  if (*rc::gen::arbitrary<bool>()) plot.panels[1].y.least_span = *odd();
  check_picture(svg_plot(plot));
}

RC_GTEST_PROP(SvgLaws, curves_of_any_values_are_whole, ()) {
  PlanePlot plot{.title = "T", .x = {.label = "x", .unit = "mm"}, .y = {.label = "y"}};
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 60);
  for (int c = 0; c < 2; ++c)
    plot.curves.push_back({"C", *test::values_of_any_kind(count), *test::values_of_any_kind(count)});
  const auto xs = *test::values_of_any_kind(3), ys = *test::values_of_any_kind(3);
  for (std::size_t i = 0; i < xs.size(); ++i) plot.points.push_back({xs[i], ys[i], "P"});
  const auto odd = [] { return rc::gen::element(nan, infinity, 0.0, 50.0, 1e300, -1e-300); };
  if (*rc::gen::arbitrary<bool>()) {
    plot.x.from = *odd();
    plot.x.to = *odd();
  }
  check_picture(svg_plot(plot));
}

RC_GTEST_PROP(SvgLaws, any_names_give_well_formed_xml, (const std::string& a, const std::string& b)) {
  Plot plot = rocker();
  plot.title = a;
  plot.subtitle = b;
  plot.x.label = a;
  plot.panels[0].y.unit = b;
  plot.panels[1].lines[0].name = b;
  plot.marks = {{90, a}};
  pugi::xml_document document;
  RC_ASSERT(document.load_string(svg_plot(plot).c_str()));
  PlanePlot plane{.title = a, .x = {b, a}, .points = {{1, 2, a}, {2, 3, b}}};
  RC_ASSERT(document.load_string(svg_plot(plane).c_str()));
}

}  // namespace
}  // namespace trammel

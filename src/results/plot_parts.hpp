// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all plots are made of: titles, legends, grids, lines. Each part is measured before it is drawn, so that nothing
// covers anything else: legends have rows of their own above the lines.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "results/svg.hpp"
#include "results/ticks.hpp"

namespace trammel::results {

namespace look {
constexpr double margin = 14;       // around the picture
constexpr double title_size = 15;   // letters, px
constexpr double label_size = 12;   // names of axes and lines
constexpr double number_size = 11;  // beside ticks and marks
constexpr double tick_length = 4;
constexpr double number_gap = 7;  // from an axis to its numbers
constexpr double row_height = 18;
constexpr double line_width = 1.5;
constexpr double marker_radius = 2.3;
constexpr int few_points = 30;  // lines with no more have a marker at each

constexpr std::string_view ink = "#222222", faint_ink = "#666666", axis = "#555555", grid = "#d9d9d9",
                           minor_grid = "#f0f0f0", zero = "#a0a0a0";
}  // namespace look

// How the i-th line of a plot is drawn.
struct Pen {
  std::string colour, dashes;
};
Pen pen_of(std::size_t i, const std::string& colour, bool dashed);

// --- above the plot ---

struct TitleBlock {
  std::vector<std::string> title, subtitle;  // broken into lines
  double height() const;
};
TitleBlock title_block(const std::string& title, const std::string& subtitle, double width);
void draw(Svg& svg, const TitleBlock& block);

struct LegendEntry {
  std::string name;
  Pen pen;
  bool start_mark = false;  // a hollow circle instead of a line
};
// A label on the left, and the entries beside it from the right, or in rows below if there are too many.
struct Legend {
  std::string label;
  std::vector<std::vector<LegendEntry>> rows;
  bool beside_label = false;

  double height() const;
};
Legend legend_of(const std::string& label, const std::vector<LegendEntry>& entries, double width);
void draw(Svg& svg, const Legend& legend, double left, double right, double top);

// --- lines ---

// The points of a line, cut where there is a gap.
using Runs = std::vector<std::vector<Pixel>>;
// x and y are finite where there is a value; `pixel_of` maps them into the picture.
template <typename PixelOf>
Runs runs_of(const std::vector<double>& x, const std::vector<double>& y, const PixelOf& pixel_of) {
  Runs runs;
  bool gap = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool there = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (there && gap) runs.emplace_back();
    if (there) runs.back().push_back(pixel_of(x[i], y[i]));
    gap = !there;
  }
  return runs;
}
// Fewer points that look the same: in each half pixel of x the first, highest, lowest and last one.
Runs thinned(const Runs& runs);
// Markers at all points if they are few, else at those that stand alone.
void draw_line(Svg& svg, const Runs& runs, const Pen& pen);

// --- axes ---

// A range of axis numbers on a range of pixels; `last` may lie before `first`, as it does for y.
struct Mapping {
  double from = 0, to = 1;
  double first = 0, last = 1;

  // Numbers far beyond the ends stay within what renderers can count, which is in single precision.
  double operator()(double number) const {
    return std::clamp(first + (number - from) / (to - from) * (last - first), -far_away, far_away);
  }
};

// Lines at ticks and between them; ticks are null for an axis without values.
void draw_grid(Svg& svg, const Box& box, const Ticks* x, const Mapping& x_map, const Ticks* y, const Mapping& y_map);
// Axis lines on the left and below with ticks, numbers on the left, and below if wanted.
void draw_axes(Svg& svg, const Box& box, const Ticks* x, const Mapping& x_map, const Ticks* y, const Mapping& y_map,
               bool numbers_below);
// Length of the longest number.
double longest_label(const Ticks& ticks);
// As many ticks as have room side by side.
Ticks ticks_for_width(double from, double to, double width, bool degrees);

bool has_room(const Ticks& ticks, double length_in_numbers, double width);
// Where the x axis ends, so that its last number fits into a picture of that width.
double right_end(const Ticks& x, double width);

bool is_degrees(const std::string& unit, int exponent);

// Confines what is drawn between the two calls to the box.
void begin_clip(Svg& svg, const Box& box);
void end_clip(Svg& svg);

}  // namespace trammel::results

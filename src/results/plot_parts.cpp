// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/plot_parts.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "results/text_extent.hpp"

namespace trammel::results {
namespace {

constexpr double swatch = 20, swatch_gap = 5, entry_gap = 16;

double length_of(const LegendEntry& entry) {
  return (entry.start_mark ? 10 : swatch) + swatch_gap + text_length(entry.name, look::label_size);
}

double length_of(const std::vector<LegendEntry>& row) {
  double length = -entry_gap;
  for (const LegendEntry& entry : row) length += entry_gap + length_of(entry);
  return length;
}

void draw_entry(Svg& svg, const LegendEntry& entry, double x, double baseline) {
  const double y = baseline - 0.35 * look::label_size, width = entry.start_mark ? 10 : swatch;
  if (entry.start_mark)
    svg.element("circle", {{"cx", px(x + 5)},
                           {"cy", px(y)},
                           {"r", "3.5"},
                           {"fill", "#ffffff"},
                           {"stroke", entry.pen.colour},
                           {"stroke-width", px(look::line_width)}});
  else
    svg.element("line", {{"x1", px(x)},
                         {"y1", px(y)},
                         {"x2", px(x + swatch)},
                         {"y2", px(y)},
                         {"stroke", entry.pen.colour},
                         {"stroke-width", "2"},
                         {"stroke-dasharray", entry.pen.dashes}});
  svg.text({x + width + swatch_gap, baseline}, entry.name, {.size = look::label_size, .colour = look::ink});
}

// In one half pixel of x: first, highest, lowest, last, in their order.
void add_column(const std::vector<Pixel>& run, std::size_t begin, std::size_t end, std::vector<Pixel>& kept) {
  const auto lower = [&](std::size_t a, std::size_t b) { return run[a].y < run[b].y; };
  std::array<std::size_t, 4> keep{begin, begin, begin, end - 1};
  for (std::size_t i = begin; i < end; ++i) {
    if (lower(i, keep[1])) keep[1] = i;
    if (lower(keep[2], i)) keep[2] = i;
  }
  std::sort(keep.begin(), keep.end());
  for (std::size_t k = 0; k < keep.size(); ++k)
    if (k == 0 || keep.at(k) != keep.at(k - 1)) kept.push_back(run[keep.at(k)]);
}

void grid_lines(Svg& svg, const Box& box, const std::vector<double>& at, const Mapping& map, bool vertical) {
  for (const double tick : at) {
    const double p = map(tick);
    if (vertical)
      svg.line({p, box.y}, {p, box.bottom()});
    else
      svg.line({box.x, p}, {box.right(), p});
  }
}

bool room_for_minor(const Ticks& ticks, const Mapping& map) {
  constexpr double least = 6;  // px between lines
  const double number = std::abs(map.last - map.first) / least;
  return static_cast<double>(ticks.minor.size() + ticks.at.size()) < number;
}

}  // namespace

Pen pen_of(std::size_t i, const std::string& colour, bool dashed) {
  // Okabe and Ito's colours without the yellow, which is lost on white.   [jfly.uni-koeln.de/color, 2008]
  constexpr std::array<std::string_view, 7> palette{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                    "#56b4e9", "#e69f00", "#000000"};
  constexpr std::array<std::string_view, 4> dashes{"", "6 3", "2 2", "8 3 2 3"};
  const std::size_t round = i / palette.size();
  return {colour.empty() ? std::string(palette.at(i % palette.size())) : colour,
          std::string(dashes.at(dashed           ? 1 + round % 3
                                : colour.empty() ? round % 4
                                                 : 0))};
}

// --- above the plot ---

double TitleBlock::height() const {
  double height = 0;
  if (!title.empty()) height += 20.0 * static_cast<double>(title.size());
  if (!subtitle.empty()) height += 16.0 * static_cast<double>(subtitle.size());
  return height == 0 ? 0 : height + 8;
}

TitleBlock title_block(const std::string& title, const std::string& subtitle, double width) {
  const double room = width - 2 * look::margin;
  return {broken_lines(title, look::title_size * 1.08, room), broken_lines(subtitle, look::label_size, room)};
}

void draw(Svg& svg, const TitleBlock& block) {
  double y = look::margin;
  for (const std::string& line : block.title) {
    svg.text({look::margin, y + 14}, line, {.size = look::title_size, .colour = look::ink, .bold = true});
    y += 20;
  }
  for (const std::string& line : block.subtitle) {
    svg.text({look::margin, y + 12}, line, {.size = look::label_size, .colour = look::faint_ink});
    y += 16;
  }
}

double Legend::height() const {
  const std::size_t lines = rows.size() + (beside_label || label.empty() ? 0 : 1);
  return lines == 0 ? 4 : look::row_height * static_cast<double>(lines) + 6;
}

Legend legend_of(const std::string& label, const std::vector<LegendEntry>& entries, double width) {
  Legend legend;
  legend.label = shortened(label, look::label_size, width);
  const double label_length = text_length(legend.label, look::label_size);
  for (LegendEntry entry : entries) {
    entry.name = shortened(entry.name, look::label_size, width - swatch - swatch_gap);
    if (!legend.rows.empty()) {
      legend.rows.back().push_back(entry);
      if (length_of(legend.rows.back()) <= width) continue;
      legend.rows.back().pop_back();
    }
    legend.rows.push_back({entry});
  }
  legend.beside_label = legend.rows.size() == 1 && length_of(legend.rows[0]) + entry_gap + label_length <= width;
  return legend;
}

void draw(Svg& svg, const Legend& legend, double left, double right, double top) {
  double baseline = top + 13;
  svg.text({left, baseline}, legend.label, {.size = look::label_size, .colour = look::ink});
  if (!legend.beside_label && !legend.label.empty()) baseline += look::row_height;
  for (const std::vector<LegendEntry>& row : legend.rows) {
    double x = legend.beside_label ? right - length_of(row) : left;
    for (const LegendEntry& entry : row) {
      draw_entry(svg, entry, x, baseline);
      x += length_of(entry) + entry_gap;
    }
    baseline += look::row_height;
  }
}

// --- lines ---

Runs thinned(const Runs& runs) {
  Runs result;
  for (const std::vector<Pixel>& run : runs) {
    std::vector<Pixel>& kept = result.emplace_back();
    for (std::size_t begin = 0, end = 0; begin < run.size(); begin = end) {
      const auto column = [](const Pixel& p) { return std::floor(2 * p.x); };
      while (end < run.size() && column(run[end]) == column(run[begin])) ++end;
      add_column(run, begin, end, kept);
    }
  }
  return result;
}

void draw_line(Svg& svg, const Runs& runs, const Pen& pen) {
  std::size_t count = 0;
  bool lines = false;
  for (const auto& run : runs) {
    count += run.size();
    lines = lines || run.size() > 1;
  }
  if (lines)
    svg.element("path", {{"d", path_data(runs)},
                         {"fill", "none"},
                         {"stroke", pen.colour},
                         {"stroke-width", px(look::line_width)},
                         {"stroke-linejoin", "round"},
                         {"stroke-linecap", pen.dashes.empty() ? "round" : "butt"},
                         {"stroke-dasharray", pen.dashes}});
  for (const auto& run : runs) {
    if (run.size() > 1 && count > static_cast<std::size_t>(look::few_points)) continue;
    for (const Pixel& p : run)
      if (std::abs(p.x) < far_away && std::abs(p.y) < far_away)
        svg.element("circle", {{"cx", px(p.x)}, {"cy", px(p.y)}, {"r", px(look::marker_radius)}, {"fill", pen.colour}});
  }
}

// --- axes ---

void draw_grid(Svg& svg, const Box& box, const Ticks* x, const Mapping& x_map, const Ticks* y, const Mapping& y_map) {
  svg.open("g", {{"stroke", std::string(look::minor_grid)}, {"stroke-width", "0.7"}});
  if (x != nullptr && room_for_minor(*x, x_map)) grid_lines(svg, box, x->minor, x_map, true);
  if (y != nullptr && room_for_minor(*y, y_map)) grid_lines(svg, box, y->minor, y_map, false);
  svg.close("g");
  svg.open("g", {{"stroke", std::string(look::grid)}, {"stroke-width", "0.7"}});
  if (x != nullptr) grid_lines(svg, box, x->at, x_map, true);
  if (y != nullptr) grid_lines(svg, box, y->at, y_map, false);
  svg.close("g");
}

void draw_axes(Svg& svg, const Box& box, const Ticks* x, const Mapping& x_map, const Ticks* y, const Mapping& y_map,
               bool numbers_below) {
  svg.open("g", {{"stroke", std::string(look::axis)}, {"stroke-width", "0.9"}});
  svg.line({box.x, box.y}, {box.x, box.bottom()});
  svg.line({box.x, box.bottom()}, {box.right(), box.bottom()});
  if (x != nullptr)
    for (const double tick : x->at)
      svg.line({x_map(tick), box.bottom()}, {x_map(tick), box.bottom() + look::tick_length});
  if (y != nullptr)
    for (const double tick : y->at) svg.line({box.x - look::tick_length, y_map(tick)}, {box.x, y_map(tick)});
  svg.close("g");
  if (y != nullptr)
    for (const double tick : y->at)
      svg.text({box.x - look::number_gap, y_map(tick) + 0.36 * look::number_size}, y->label(tick),
               {.size = look::number_size, .anchor = "end"});
  if (x != nullptr && numbers_below)
    for (const double tick : x->at)
      svg.text({x_map(tick), box.bottom() + look::number_gap + 0.8 * look::number_size}, x->label(tick),
               {.size = look::number_size, .anchor = "middle"});
}

double longest_label(const Ticks& ticks) {
  double longest = 0;
  for (const double tick : ticks.at) longest = std::max(longest, text_length(ticks.label(tick), look::number_size));
  return longest;
}

bool has_room(const Ticks& ticks, double length_in_numbers, double width) {
  constexpr double least = 14;  // px between numbers
  return ticks.step / length_in_numbers * width >= longest_label(ticks) + least;
}

double right_end(const Ticks& x, double width) {
  const double half = x.at.empty() ? 0 : text_length(x.label(x.at.back()), look::number_size) / 2;
  return width - look::margin - std::max(8.0, half - 6);
}

Ticks ticks_for_width(double from, double to, double width, bool degrees) {
  for (int most = std::clamp(static_cast<int>(width / 48), 5, 12); most > 2; --most) {
    Ticks ticks = choose_ticks(from, to, most, degrees);
    if (has_room(ticks, to - from, width)) return ticks;
  }
  return choose_ticks(from, to, 3, degrees);
}

bool is_degrees(const std::string& unit, int exponent) { return exponent == 0 && (unit == "deg" || unit == "°"); }

void begin_clip(Svg& svg, const Box& box) {
  svg.open("svg", {{"x", px(box.x)},
                   {"y", px(box.y)},
                   {"width", px(box.width)},
                   {"height", px(box.height)},
                   {"viewBox", fmt::format("{} {} {} {}", px(box.x), px(box.y), px(box.width), px(box.height))}});
}

void end_clip(Svg& svg) { svg.close("svg"); }

}  // namespace trammel::results

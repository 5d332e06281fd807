// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Values over a rectangle as colours: what a mechanism feels like in all directions of space.

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <trammel/results.hpp>

#include "results/axis_numbers.hpp"
#include "results/channels.hpp"
#include "results/plot_parts.hpp"
#include "results/text_extent.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

constexpr int shades = 48;
constexpr double panel_gap = 18, bar_width = 14, bar_gap = 12;
constexpr std::string_view no_value = "#c8c8c8";

// From dark to light, so that it reads in grey as well.
std::string colour_of(double share) {
  constexpr std::array<std::array<double, 3>, 5> anchors{
      {{0.10, 0.13, 0.36}, {0.12, 0.38, 0.55}, {0.16, 0.60, 0.52}, {0.60, 0.78, 0.32}, {0.98, 0.91, 0.45}}};
  const double at = std::clamp(share, 0.0, 1.0) * (anchors.size() - 1);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(at), anchors.size() - 2);
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double c = anchors[i][k] + (at - static_cast<double>(i)) * (anchors[i + 1][k] - anchors[i][k]);
    rgb[k] = static_cast<int>(std::lround(255 * c));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

void require_sound(const MapPlot& plot) {
  for (const PlotAxis* axis : {&plot.x, &plot.y}) {
    if (!axis->from || !axis->to || !(*axis->from < *axis->to)) {
      throw std::invalid_argument("a map needs both ends of its axes, the lesser one first");
    }
  }
  const auto cells = static_cast<std::size_t>(plot.columns) * static_cast<std::size_t>(plot.rows);
  for (const MapRow& row : plot.maps) {
    for (const MapPanel& panel : row.panels) {
      if (panel.values.size() == cells) continue;
      throw std::invalid_argument(
          fmt::format("map '{}' has {} values for {} cells", panel.title, panel.values.size(), cells));
    }
  }
}

struct Scale {
  bool empty = true, logarithmic = false;
  AxisNumbers numbers;
  double from = 0, to = 1;  // in axis numbers, or logarithms
  std::vector<std::pair<double, std::string>> ticks;
  std::string label;

  double number(double value) const { return logarithmic ? std::log10(value) : numbers(value); }
};

// 1, 2, 5, 10, … where there are few, otherwise powers of ten.
std::vector<std::pair<double, std::string>> logarithmic_ticks(double from, double to, int most) {
  std::vector<std::pair<double, std::string>> ticks;
  const bool narrow = 3 * (to - from) <= most;
  const int step = std::max(1, static_cast<int>(std::ceil((to - from) / most)));
  for (int power = static_cast<int>(std::floor(from)); power <= to; power += step) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = power + std::log10(digit);
      if (at < from - 1e-9 || at > to + 1e-9 || (digit > 1 && !narrow)) continue;
      ticks.emplace_back(at, fmt::format("{:g}", digit * std::pow(10.0, power)));
    }
  }
  return ticks;
}

Scale scale_of(const MapRow& row, double height) {
  Extent extent;
  for (const MapPanel& panel : row.panels) {
    for (const double value : panel.values) {
      if (std::isfinite(value)) extent.take(value);
    }
  }
  Scale scale;
  scale.empty = extent.empty();
  if (scale.empty) {
    scale.label = axis_label(row.value.label, row.value.unit, scale.numbers);
    return scale;
  }
  double least = row.value.from.value_or(extent.least), most = row.value.to.value_or(extent.most);
  scale.logarithmic = row.logarithmic && least > 0;
  if (scale.logarithmic) least = std::log10(least), most = std::log10(most);
  const double span = std::max(row.value.least_span, round_off * std::max(std::abs(least), std::abs(most)));
  if (!(most - least > span)) {
    const double middle = (least + most) / 2, half = std::max(span, std::max(std::abs(middle), 1.0) * 0.05) / 2;
    least = middle - half, most = middle + half;
  }
  const int count = std::max(2, static_cast<int>(height / 26));
  if (scale.logarithmic) {
    scale.from = least, scale.to = most;
    scale.ticks = logarithmic_ticks(least, most, count);
    scale.label = axis_label(row.value.label, row.value.unit, {});
    return scale;
  }
  scale.numbers = numbers_for(least, most, most - least, row.value.unit);
  scale.from = scale.numbers(least), scale.to = scale.numbers(most);
  const Ticks ticks = choose_ticks(scale.from, scale.to, count, is_degrees(row.value.unit, scale.numbers.exponent));
  for (const double tick : ticks.at) scale.ticks.emplace_back(tick, ticks.label(tick));
  scale.label = axis_label(row.value.label, row.value.unit, scale.numbers);
  return scale;
}

// Neighbours of one colour are one rectangle; all rectangles of a colour are one path.
void draw_cells(Svg& svg, const MapPlot& plot, const MapPanel& panel, const Scale& scale, const Box& box) {
  std::array<std::string, shades + 1> paths;  // the last: no value
  const auto shade = [&](double value) {
    if (!std::isfinite(value)) return shades;
    const double share = (scale.number(value) - scale.from) / (scale.to - scale.from);
    return std::clamp(static_cast<int>(share * shades), 0, shades - 1);
  };
  const double w = box.width / plot.columns, h = box.height / plot.rows;
  for (int r = 0; r < plot.rows; ++r) {
    for (int first = 0, next = 0; first < plot.columns; first = next) {
      const auto value = [&](int c) { return panel.values[static_cast<std::size_t>(r * plot.columns + c)]; };
      const int colour = shade(value(first));
      for (next = first + 1; next < plot.columns && shade(value(next)) == colour;) ++next;
      paths[static_cast<std::size_t>(colour)] +=
          fmt::format("M{0} {1}H{2}V{3}H{0}Z", px(box.x + first * w), px(box.bottom() - (r + 1) * h),
                      px(box.x + next * w), px(box.bottom() - r * h));
    }
  }
  svg.open("g", {{"shape-rendering", "crispEdges"}});
  for (int k = 0; k <= shades; ++k) {
    const std::string& path = paths[static_cast<std::size_t>(k)];
    const std::string colour = k == shades ? std::string(no_value) : colour_of((k + 0.5) / shades);
    if (!path.empty()) svg.element("path", {{"d", path}, {"fill", colour}});
  }
  svg.close("g");
}

void draw_scale(Svg& svg, const Scale& scale, const Box& bar) {
  if (scale.empty) return;
  svg.open("g", {{"shape-rendering", "crispEdges"}});
  for (int k = 0; k < shades; ++k) {
    svg.element("rect", {{"x", px(bar.x)},
                         {"y", px(bar.bottom() - (k + 1) * bar.height / shades)},
                         {"width", px(bar.width)},
                         {"height", px(bar.height / shades + 0.5)},
                         {"fill", colour_of((k + 0.5) / shades)}});
  }
  svg.close("g");
  const Mapping map{scale.from, scale.to, bar.bottom(), bar.y};
  for (const auto& [tick, label] : scale.ticks) {
    svg.text({bar.right() + 5, map(tick) + 0.35 * look::number_size}, label,
             {.size = look::number_size, .colour = look::faint_ink});
  }
}

}  // namespace

std::string svg_plot(const MapPlot& plot) {
  require_sound(plot);
  const double width = std::isfinite(plot.panel_width) ? std::clamp(plot.panel_width, 60.0, 10000.0) : 260;
  const double x_span = *plot.x.to - *plot.x.from, y_span = *plot.y.to - *plot.y.from;
  const double height =
      plot.x.unit == plot.y.unit ? std::clamp(width * y_span / x_span, 0.2 * width, 2 * width) : 0.7 * width;
  const Ticks x_ticks = ticks_for_width(*plot.x.from, *plot.x.to, width, is_degrees(plot.x.unit, 0));
  const Ticks y_ticks =
      choose_ticks(*plot.y.from, *plot.y.to, std::max(2, static_cast<int>(height / 24)), is_degrees(plot.y.unit, 0));
  std::size_t most = 1;
  std::vector<Scale> scales;
  double numbers = 0;
  for (const MapRow& row : plot.maps) {
    most = std::max(most, row.panels.size());
    scales.push_back(scale_of(row, height));
    for (const auto& tick : scales.back().ticks) {
      numbers = std::max(numbers, text_length(tick.second, look::number_size));
    }
  }
  const std::string y_label = axis_label(plot.y.label, plot.y.unit, {}),
                    x_label = axis_label(plot.x.label, plot.x.unit, {});
  const double left = look::margin + longest_label(y_ticks) + look::number_gap;
  const auto count = static_cast<double>(most);
  const double panels = count * width + (count - 1) * panel_gap;
  const double whole = left + panels + bar_gap + bar_width + 5 + numbers + look::margin;
  const TitleBlock title = title_block(plot.title, plot.subtitle, whole);
  // Of a row: the name of its values, the titles of its panels, the panels.
  const double row_height = 2 * look::row_height + height + panel_gap;
  const double whole_height = look::margin + title.height() + static_cast<double>(plot.maps.size()) * row_height +
                              look::number_size + look::row_height + look::margin;

  Svg svg(whole, whole_height, plot.title);
  draw(svg, title);
  double top = look::margin + title.height();
  for (std::size_t r = 0; r < plot.maps.size(); ++r, top += row_height) {
    const MapRow& row = plot.maps[r];
    svg.text({look::margin, top + look::label_size}, shortened(scales[r].label, look::label_size, panels),
             {.size = look::label_size, .colour = look::ink, .bold = true});
    const double box_top = top + 2 * look::row_height;
    for (std::size_t i = 0; i < row.panels.size(); ++i) {
      const Box box{left + static_cast<double>(i) * (width + panel_gap), box_top, width, height};
      const Mapping x_map{*plot.x.from, *plot.x.to, box.x, box.right()},
          y_map{*plot.y.from, *plot.y.to, box.bottom(), box.y};
      svg.text({box.x, box_top - 5}, shortened(row.panels[i].title, look::label_size, width),
               {.size = look::label_size, .colour = look::faint_ink});
      draw_cells(svg, plot, row.panels[i], scales[r], box);
      draw_axes(svg, box, &x_ticks, x_map, i == 0 ? &y_ticks : nullptr, y_map, r + 1 == plot.maps.size());
    }
    draw_scale(svg, scales[r], {left + panels + bar_gap, box_top, bar_width, height});
  }
  const std::string axes = x_label + (y_label.empty() ? "" : "; upwards: " + y_label);
  svg.text({left + panels / 2, whole_height - look::margin},
           shortened(axes, look::label_size, whole - 2 * look::margin),
           {.size = look::label_size, .colour = look::ink, .anchor = "middle"});
  return svg.take();
}

}  // namespace trammel

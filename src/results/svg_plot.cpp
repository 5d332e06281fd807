// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Plots over one variable: panels below each other with one x axis.
//
//   title
//   subtitle
//   y label                    legend      for each panel
//          dead point    imaginary         above the first: labels of marks and stretches
//   | lines
//   +-----------------------------
//   0        90       180      270         below the last
//              x label

#include <algorithm>
#include <cmath>

#include <trammel/results.hpp>

#include "results/axis_numbers.hpp"
#include "results/channels.hpp"
#include "results/plot_parts.hpp"
#include "results/text_extent.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

constexpr double strip_row = 15;       // px, a row of labels above the first panel
constexpr std::size_t strip_rows = 4;  // labels that find no place in them are left to the tooltip
constexpr double panel_gap = 12;
constexpr double padding = 0.06;  // of a panel's height, above and below its lines

// An axis with what it shows. Without values it has no ticks.
struct Scale {
  bool empty = true;
  AxisNumbers numbers;
  double from = 0, to = 1;  // in axis numbers
  std::string label;
};

std::optional<double> finite(const std::optional<double>& x) { return x && std::isfinite(*x) ? x : std::nullopt; }

// The ends that the user has set, and those of the values where he has not.
Scale scale_of(const PlotAxis& axis, Extent extent, double padding_part) {
  Scale scale;
  scale.label = axis_label(axis.label, axis.unit, {});
  auto from = finite(axis.from), to = finite(axis.to);
  if (from && to && *from >= *to) from = to = std::nullopt;
  if (extent.empty()) return scale;
  if (from) extent = {*from, std::max(*from, extent.most)};
  if (to) extent = {std::min(*to, extent.least), *to};

  const double wanted = std::isfinite(axis.least_span) ? axis.least_span / 2 : 0;
  if (!from && !to && extent.most / 2 - extent.least / 2 < wanted / 2) {
    const double middle = extent.least / 2 + extent.most / 2;
    if (std::isfinite(middle - wanted) && std::isfinite(middle + wanted)) extent = {middle - wanted, middle + wanted};
  }
  scale.empty = false;
  scale.numbers = numbers_for(extent.least, extent.most, extent.most - extent.least, axis.unit);
  scale.from = scale.numbers(extent.least);
  scale.to = scale.numbers(extent.most);
  const double size = std::max(std::abs(scale.from), std::abs(scale.to));
  if (scale.to - scale.from <= round_off * size) {  // a constant: show a tenth of it around, or −1 … 1 around zero
    const double around = size == 0 ? 1 : 0.1 * size;
    if (!from) scale.from -= around;
    if (!to || from) scale.to += around;
  } else {
    const double pad = padding_part * (scale.to - scale.from);
    if (!from) scale.from -= pad;
    if (!to) scale.to += pad;
  }
  scale.label = axis_label(axis.label, axis.unit, scale.numbers);
  return scale;
}

struct PanelLayout {
  Scale y;
  Ticks ticks;
  Legend legend;
  Box box;
};

struct StripLabel {
  double x = 0;
  std::size_t row = 0;
  std::string text;
  bool of_mark = true;
};

struct Layout {
  double width = 0, height = 0;
  TitleBlock title;
  Scale x;
  Ticks x_ticks;
  Mapping x_map;
  std::vector<PanelLayout> panels;
  std::vector<StripLabel> strip;
  double strip_top = 0;
};

bool within(double x, const Scale& scale) {
  const double number = scale.numbers(x);
  return std::isfinite(x) && scale.from <= number && number <= scale.to;
}

std::vector<LegendEntry> entries_of(const PlotPanel& panel) {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const PlotLine& line = panel.lines[i];
    if (!line.name.empty()) entries.push_back({line.name, pen_of(i, line.colour, line.dashed)});
  }
  const bool says_nothing_new = entries.size() == 1 && panel.lines.size() == 1 && entries[0].name == panel.y.label;
  return says_nothing_new ? std::vector<LegendEntry>{} : entries;
}

Scale x_scale(const Plot& plot) {
  Extent x;
  for (const PlotPanel& panel : plot.panels)
    for (const PlotLine& line : panel.lines)
      for (const double value : line.x) x.take(value);
  return scale_of(plot.x, x, 0);
}

Scale y_scale(const PlotPanel& panel, const Scale& x) {
  Extent y;
  for (const PlotLine& line : panel.lines)
    for (std::size_t i = 0; i < line.x.size(); ++i)
      if (!x.empty && within(line.x[i], x)) y.take(line.y[i]);
  return scale_of(panel.y, y, padding);
}

// The visible part of a stretch in px; of no length if there is none.
std::pair<double, double> visible(const PlotStretch& stretch, const Layout& layout) {
  if (std::isnan(stretch.from) || std::isnan(stretch.to)) return {0, 0};
  const auto pixel = [&](double x) {
    if (std::isinf(x)) return x > 0 ? layout.x_map.last : layout.x_map.first;
    return std::clamp(layout.x_map(layout.x.numbers(x)), layout.x_map.first, layout.x_map.last);
  };
  return std::minmax({pixel(stretch.from), pixel(stretch.to)});
}

// Each label gets the first row in which it covers no other; marks go first, since they name a place.
void lay_strip(const Plot& plot, Layout& layout) {
  if (layout.x.empty) return;
  std::vector<StripLabel> wanted;
  for (const PlotMark& mark : plot.marks)
    if (within(mark.x, layout.x)) wanted.push_back({layout.x_map(layout.x.numbers(mark.x)), 0, mark.label, true});
  std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  for (const PlotStretch& stretch : plot.stretches) {
    const auto [from, to] = visible(stretch, layout);
    if (from < to) wanted.push_back({(from + to) / 2, 0, stretch.label, false});
  }
  for (StripLabel& label : wanted) {
    label.text = shortened(label.text, look::number_size, layout.x_map.last - layout.x_map.first);
    if (label.text.empty()) continue;
    const auto half = [](const StripLabel& l) { return text_length(l.text, look::number_size) / 2; };
    label.x = std::clamp(label.x, layout.x_map.first + half(label),
                         std::max(layout.x_map.first + half(label), layout.x_map.last - half(label)));
    const auto covered = [&](const StripLabel& other) {
      return other.row == label.row && std::abs(other.x - label.x) < half(other) + half(label) + 6;
    };
    while (label.row < strip_rows && std::any_of(layout.strip.begin(), layout.strip.end(), covered)) ++label.row;
    if (label.row < strip_rows) layout.strip.push_back(label);
  }
}

double strip_height(const Layout& layout) {
  std::size_t rows = 0;
  for (const StripLabel& label : layout.strip) rows = std::max(rows, label.row + 1);
  return static_cast<double>(rows) * strip_row;
}

Layout lay_out(const Plot& plot) {
  Layout layout;
  layout.width = std::isfinite(plot.width) ? std::clamp(plot.width, 240.0, 10000.0) : 720;
  const double height = std::isfinite(plot.panel_height) ? std::clamp(plot.panel_height, 60.0, 10000.0) : 170;
  layout.title = title_block(plot.title, plot.subtitle, layout.width);
  layout.x = x_scale(plot);

  const std::vector<PlotPanel> nothing(1);
  double numbers = 0;
  for (const PlotPanel& panel : plot.panels.empty() ? nothing : plot.panels) {
    PanelLayout& p = layout.panels.emplace_back();
    p.y = y_scale(panel, layout.x);
    if (!p.y.empty) {
      p.ticks = choose_ticks(p.y.from, p.y.to, std::clamp(static_cast<int>(height / 26), 5, 12),
                             is_degrees(panel.y.unit, p.y.numbers.exponent));
      numbers = std::max(numbers, longest_label(p.ticks));
    }
    p.legend = legend_of(p.y.label, entries_of(panel), layout.width - 2 * look::margin);
  }
  const double left = look::margin + numbers + look::number_gap;
  double right = layout.width - look::margin - 8;
  if (!layout.x.empty) {
    layout.x_ticks =
        ticks_for_width(layout.x.from, layout.x.to, right - left, is_degrees(plot.x.unit, layout.x.numbers.exponent));
    right = right_end(layout.x_ticks, layout.width);
  }
  layout.x_map = {layout.x.from, layout.x.to, left, right};
  lay_strip(plot, layout);

  double y = look::margin + layout.title.height();
  for (PanelLayout& p : layout.panels) {
    y += p.legend.height();
    if (&p == &layout.panels.front()) {
      layout.strip_top = y;
      y += strip_height(layout);
    }
    p.box = {left, y, right - left, height};
    y += height + panel_gap;
  }
  y += look::number_size + 2;
  if (!layout.x.label.empty()) y += look::row_height;
  layout.height = y + look::margin - 6;
  return layout;
}

void draw_stretches(Svg& svg, const Plot& plot, const Layout& layout, const Box& box) {
  for (const PlotStretch& stretch : plot.stretches) {
    const auto [from, to] = visible(stretch, layout);
    if (!(from < to)) continue;
    svg.element("rect", {{"x", px(from)},
                         {"y", px(box.y)},
                         {"width", px(to - from)},
                         {"height", px(box.height)},
                         {"fill", "#777777"},
                         {"fill-opacity", "0.13"}});
  }
}

void draw_marks(Svg& svg, const Plot& plot, const Layout& layout, const Box& box) {
  for (const PlotMark& mark : plot.marks) {
    if (layout.x.empty || !within(mark.x, layout.x)) continue;
    const double x = layout.x_map(layout.x.numbers(mark.x));
    svg.open("g", {{"stroke", "#444444"}, {"stroke-width", "0.9"}, {"stroke-dasharray", "4 3"}});
    svg.line({x, box.y}, {x, box.bottom()});
    svg.close("g");
  }
}

void draw_strip(Svg& svg, const Layout& layout) {
  const double bottom = layout.strip_top + strip_height(layout);
  for (const StripLabel& label : layout.strip)
    svg.text({label.x, bottom - 5 - strip_row * static_cast<double>(label.row)}, label.text,
             {.size = look::number_size, .colour = label.of_mark ? look::ink : look::faint_ink, .anchor = "middle"});
}

// An angle that begins again at −180°, or a pole: the line goes one way, leaps back over half the panel, and goes on the same way. A line
// drawn through the leap would show values that are not there.
Runs cut_at_leaps(const Runs& runs, double height) {
  Runs cut;
  for (const std::vector<Pixel>& run : runs) {
    cut.emplace_back();
    for (std::size_t k = 0; k < run.size(); ++k) {
      if (k >= 2 && k + 1 < run.size()) {
        const double leap = run[k].y - run[k - 1].y;
        const double before = run[k - 1].y - run[k - 2].y, after = run[k + 1].y - run[k].y;
        if (std::abs(leap) > 0.5 * height && before * leap < 0 && after * leap < 0) cut.emplace_back();
      }
      cut.back().push_back(run[k]);
    }
  }
  return cut;
}

// One path for all: strokes of no length with round ends. Many of them let those below shine through.
void draw_dots(Svg& svg, const Runs& runs, const Pen& pen) {
  std::string data;
  std::size_t count = 0;
  for (const auto& run : runs) {
    for (const Pixel& dot : run) {
      if (std::abs(dot.x) < far_away && std::abs(dot.y) < far_away)
        data += "M" + px(dot.x) + " " + px(dot.y) + "h0", ++count;
    }
  }
  constexpr std::size_t many = 300;
  svg.element("path", {{"d", data},
                       {"fill", "none"},
                       {"stroke", pen.colour},
                       {"stroke-width", count > many ? "2.2" : "3.6"},
                       {"stroke-linecap", "round"},
                       {"stroke-opacity", count > many ? "0.45" : "0.9"}});
}

void draw_lines(Svg& svg, const PlotPanel& panel, const Layout& layout, const PanelLayout& p, const Mapping& y_map,
                bool clip) {
  if (clip) begin_clip(svg, p.box);
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const PlotLine& line = panel.lines[i];
    const Runs runs = runs_of(line.x, line.y, [&](double x, double y) {
      return Pixel{layout.x_map(layout.x.numbers(x)), y_map(p.y.numbers(y))};
    });
    const Pen pen = pen_of(i, line.colour, line.dashed);
    if (line.dots) {
      draw_dots(svg, runs, pen);
    } else {
      draw_line(svg, thinned(cut_at_leaps(runs, p.box.height)), pen);
    }
  }
  if (clip) end_clip(svg);
}

void draw_panel(Svg& svg, const Plot& plot, const PlotPanel& panel, const Layout& layout, const PanelLayout& p) {
  const bool last = &p == &layout.panels.back();
  const Mapping y_map{p.y.from, p.y.to, p.box.bottom(), p.box.y};
  const Ticks* x_ticks = layout.x.empty ? nullptr : &layout.x_ticks;
  const Ticks* y_ticks = p.y.empty ? nullptr : &p.ticks;
  draw(svg, p.legend, look::margin, p.box.right(),
       p.box.y - p.legend.height() - (&p == &layout.panels.front() ? strip_height(layout) : 0));
  if (!layout.x.empty) draw_stretches(svg, plot, layout, p.box);
  draw_grid(svg, p.box, x_ticks, layout.x_map, y_ticks, y_map);
  if (!p.y.empty && p.y.numbers.offset == 0 && p.y.from < 0 && p.y.to > 0) {
    svg.open("g", {{"stroke", std::string(look::zero)}, {"stroke-width", "0.9"}});
    svg.line({p.box.x, y_map(0)}, {p.box.right(), y_map(0)});
    svg.close("g");
  }
  draw_marks(svg, plot, layout, p.box);
  if (p.y.empty) {
    svg.text({p.box.x + p.box.width / 2, p.box.y + p.box.height / 2 + 4}, "no values",
             {.size = look::label_size, .colour = look::faint_ink, .anchor = "middle", .halo = true});
  } else {
    const bool clip = plot.x.from || plot.x.to || panel.y.from || panel.y.to;
    draw_lines(svg, panel, layout, p, y_map, clip);
  }
  draw_axes(svg, p.box, x_ticks, layout.x_map, y_ticks, y_map, last);
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  for (const PlotPanel& panel : plot.panels)
    for (const PlotLine& line : panel.lines) require_equal_lengths(line.name, line.x, line.y);
  const Layout layout = lay_out(plot);
  Svg svg(layout.width, layout.height, plot.title);
  draw(svg, layout.title);
  draw_strip(svg, layout);
  const PlotPanel nothing;
  for (std::size_t i = 0; i < layout.panels.size(); ++i)
    draw_panel(svg, plot, plot.panels.empty() ? nothing : plot.panels[i], layout, layout.panels[i]);
  const Box& last = layout.panels.back().box;
  svg.text({last.x + last.width / 2, layout.height - look::margin},
           shortened(layout.x.label, look::label_size, last.width),
           {.size = look::label_size, .colour = look::ink, .anchor = "middle"});
  return svg.take();
}

Plot plot_channels(const Channels& channels) {
  require_equal_lengths(channels);
  Plot plot;
  if (channels.columns.empty()) return plot;
  const Channel& first = channels.columns.front();
  plot.x.label = first.name;
  plot.x.unit = first.unit;
  for (std::size_t c = 1; c < channels.columns.size(); ++c) {
    const Channel& column = channels.columns[c];
    if (plot.panels.empty() || plot.panels.back().y.unit != column.unit) {
      plot.panels.emplace_back();
      plot.panels.back().y.unit = column.unit;
      plot.panels.back().y.label = column.name;
    } else {
      plot.panels.back().y.label.clear();  // several names: the legend has them
    }
    plot.panels.back().lines.push_back({column.name, first.values, column.values, "", false});
  }
  return plot;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Curves in the plane, with the same scale on both axes and one square grid: coupler curves, paths of feet and hands.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <trammel/results.hpp>

#include "results/axis_numbers.hpp"
#include "results/channels.hpp"
#include "results/plot_parts.hpp"
#include "results/text_extent.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

constexpr double padding = 0.07;                   // of the curves' size, on each side
constexpr double flattest = 0.35, steepest = 1.1;  // height by width of the space for curves

struct Side {
  AxisNumbers numbers;
  double middle = 0, length = 0;  // in axis numbers
  double from = 0, to = 1;
};

struct PlaneLayout {
  bool empty = true;
  double width = 0, height = 0;
  TitleBlock title;
  Legend legend;
  std::string x_label, y_label;
  Side x, y;
  Ticks x_ticks, y_ticks;
  Box box;
  Mapping x_map, y_map;

  Pixel pixel(double px_x, double px_y) const { return {x_map(x.numbers(px_x)), y_map(y.numbers(px_y))}; }
};

void take_points(const PlanePlot& plot, Extent& x, Extent& y) {
  const auto take = [&](double px_x, double px_y) {
    if (!std::isfinite(px_x) || !std::isfinite(px_y)) return;
    x.take(px_x);
    y.take(px_y);
  };
  for (const PlaneCurve& curve : plot.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i) take(curve.x[i], curve.y[i]);
  for (const PlanePoint& point : plot.points) take(point.x, point.y);
  if (x.empty()) return;
  for (const auto& [axis, extent] : {std::pair{&plot.x, &x}, std::pair{&plot.y, &y}}) {
    const bool both =
        axis->from && axis->to && *axis->from < *axis->to && std::isfinite(*axis->from) && std::isfinite(*axis->to);
    if (both) *extent = {*axis->from, *axis->to};
  }
}

bool is_clipped(const PlanePlot& plot) { return plot.x.from || plot.x.to || plot.y.from || plot.y.to; }

// Sets both sides so that the curves fit: lengths in axis numbers, both with the same power of ten.
void scale_sides(const PlanePlot& plot, const Extent& x, const Extent& y, PlaneLayout& layout) {
  const double span = std::max(x.most - x.least, y.most - y.least);
  layout.x.numbers = numbers_for(x.least, x.most, span, plot.x.unit);
  layout.y.numbers = numbers_for(y.least, y.most, span, plot.x.unit);
  double largest = 0;
  for (const auto& [side, extent] : {std::pair{&layout.x, &x}, std::pair{&layout.y, &y}})
    largest = std::max(
        {largest, std::abs(extent->least - side->numbers.offset), std::abs(extent->most - side->numbers.offset)});
  layout.x.numbers.exponent = layout.y.numbers.exponent = common_exponent(largest, plot.x.unit);
  double size = 0;
  for (const auto& [side, extent] : {std::pair{&layout.x, &x}, std::pair{&layout.y, &y}}) {
    const double least = side->numbers(extent->least), most = side->numbers(extent->most);
    side->middle = (least + most) / 2;
    side->length = most - least;
    size = std::max({size, std::abs(least), std::abs(most)});
  }
  if (std::max(layout.x.length, layout.y.length) <= round_off * size) layout.x.length = size == 0 ? 2 : 0.2 * size;
  const double pad = is_clipped(plot) ? 0 : 2 * padding * std::max(layout.x.length, layout.y.length);
  layout.x.length += pad;
  layout.y.length += pad;
  layout.x.length = std::max(layout.x.length, layout.y.length / steepest);
  layout.y.length = std::max(layout.y.length, layout.x.length * flattest);
  for (Side* side : {&layout.x, &layout.y}) {
    side->from = side->middle - side->length / 2;
    side->to = side->middle + side->length / 2;
  }
}

std::vector<LegendEntry> entries_of(const PlanePlot& plot) {
  std::vector<LegendEntry> entries;
  bool starts = false;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const PlaneCurve& curve = plot.curves[i];
    if (!curve.name.empty()) entries.push_back({curve.name, pen_of(i, curve.colour, curve.dashed)});
    starts = starts || (curve.arrow && !curve.x.empty());
  }
  if (starts) entries.push_back({"start", {std::string(look::faint_ink), ""}, true});
  return entries;
}

// One step for both axes; two for plots so flat that no such step gives both two numbers that have room.
void choose_grid(PlaneLayout& layout, double width) {
  layout.x_ticks = ticks_for_width(layout.x.from, layout.x.to, width, false);
  layout.y_ticks = ticks_with_step(layout.y.from, layout.y.to, layout.x_ticks.step);
  if (layout.y_ticks.at.size() >= 2) return;
  layout.y_ticks = choose_ticks(layout.y.from, layout.y.to, 5, false);
  const Ticks fine = ticks_with_step(layout.x.from, layout.x.to, layout.y_ticks.step);
  if (has_room(fine, layout.x.to - layout.x.from, width)) layout.x_ticks = fine;
}

PlaneLayout lay_out(const PlanePlot& plot) {
  PlaneLayout layout;
  layout.width = std::isfinite(plot.width) ? std::clamp(plot.width, 240.0, 10000.0) : 560;
  layout.title = title_block(plot.title, plot.subtitle, layout.width);
  Extent x, y;
  take_points(plot, x, y);
  layout.empty = x.empty();
  if (!layout.empty) scale_sides(plot, x, y, layout);
  layout.x_label = axis_label(plot.x.label, plot.x.unit, layout.x.numbers);
  layout.y_label = axis_label(plot.y.label, plot.x.unit, layout.y.numbers);
  layout.legend = legend_of(layout.y_label, layout.empty ? std::vector<LegendEntry>{} : entries_of(plot),
                            layout.width - 2 * look::margin);

  // The numbers on the left depend on the step, which depends on the width that they leave: once more with their length.
  double left = look::margin + 40, right = layout.width - look::margin - 8;
  for (int pass = 0; pass < 2 && !layout.empty; ++pass) {
    choose_grid(layout, right - left);
    left = look::margin + longest_label(layout.y_ticks) + look::number_gap;
    right = right_end(layout.x_ticks, layout.width);
  }
  const double height = (right - left) * (layout.empty ? 0.5 : layout.y.length / layout.x.length);
  layout.box = {left, look::margin + layout.title.height() + layout.legend.height(), right - left, height};
  layout.x_map = {layout.x.from, layout.x.to, layout.box.x, layout.box.right()};
  layout.y_map = {layout.y.from, layout.y.to, layout.box.bottom(), layout.box.y};
  layout.height = layout.box.bottom() + look::number_gap + look::number_size + look::margin +
                  (layout.x_label.empty() ? 0 : look::row_height);
  return layout;
}

double length_of(const Runs& runs) {
  double length = 0;
  for (const auto& run : runs)
    for (std::size_t i = 1; i < run.size(); ++i) length += std::hypot(run[i].x - run[i - 1].x, run[i].y - run[i - 1].y);
  return length;
}

struct Heading {
  Pixel at, direction;  // direction of length 1
};

// The place and direction after `length` px along the runs.
std::optional<Heading> heading_at(const Runs& runs, double length) {
  for (const auto& run : runs)
    for (std::size_t i = 1; i < run.size(); ++i) {
      const Pixel a = run[i - 1], b = run[i];
      const double step = std::hypot(b.x - a.x, b.y - a.y);
      if (step > 0 && length <= step) {
        const Pixel u{(b.x - a.x) / step, (b.y - a.y) / step};
        return Heading{{a.x + u.x * length, a.y + u.y * length}, u};
      }
      length -= step;
    }
  return std::nullopt;
}

void draw_arrowhead(Svg& svg, const Heading& heading, const std::string& colour) {
  constexpr double length = 10, half_width = 3.8, notch = 0.25 * length;
  const auto point = [&](double along, double aside) {
    const auto& [at, u] = heading;
    return Pixel{at.x + u.x * along - u.y * aside, at.y + u.y * along + u.x * aside};
  };
  const Runs head{{point(length / 2, 0), point(-length / 2, half_width), point(notch - length / 2, 0),
                   point(-length / 2, -half_width)}};
  svg.element("path", {{"d", path_data(head) + "Z"}, {"fill", colour}});
}

// Two arrowheads, off the start mark, on curves that are long enough to show them.
void draw_arrows(Svg& svg, const Runs& runs, const std::string& colour) {
  constexpr double shortest = 60, off_start = 18;  // px
  const double whole = length_of(runs);
  if (!(whole >= shortest)) return;
  const Pixel start = runs.front().front();
  for (const double wanted : {0.12, 0.62})
    for (double part = wanted; part < wanted + 0.3; part += 0.04) {
      const auto heading = heading_at(runs, part * whole);
      if (!heading || std::hypot(heading->at.x - start.x, heading->at.y - start.y) < off_start) continue;
      draw_arrowhead(svg, *heading, colour);
      break;
    }
}

struct PlacedLabels {
  std::vector<Pixel> avoid;  // points of curves
  std::vector<Box> taken;
};

double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const double height = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

// The place beside a point where its label covers least.
Box place_label(const Pixel& point, double length, const Box& frame, const PlacedLabels& others) {
  constexpr std::array<Pixel, 8> directions{{{1, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, 0}, {-1, 0}, {0, -1}, {0, 1}}};
  const double height = look::label_size, gap = 7;
  Box best;
  double least = std::numeric_limits<double>::infinity();
  for (const Pixel& d : directions) {
    const double reach = d.x != 0 && d.y != 0 ? 0.7 * gap : gap;
    const double x = point.x + d.x * reach + (d.x < 0 ? -length : d.x == 0 ? -length / 2 : 0);
    const double y = point.y + d.y * reach + (d.y < 0 ? -height : d.y == 0 ? -height / 2 : 0);
    const Box box{x, y, length, height};
    double cost = 50 * (box.width * box.height - overlap(box, frame));
    for (const Box& other : others.taken) cost += 10 * overlap(box, other);
    for (const Pixel& p : others.avoid)
      if (box.x - 2 < p.x && p.x < box.right() + 2 && box.y - 2 < p.y && p.y < box.bottom() + 2) cost += 4;
    if (cost < least) {
      least = cost;
      best = box;
    }
  }
  return best;
}

// Points every few px along the curves, so that long straight pieces count too.
void add_samples(const Runs& runs, std::vector<Pixel>& samples) {
  for (const auto& run : runs)
    for (std::size_t i = 0; i < run.size(); ++i) {
      samples.push_back(run[i]);
      if (i == 0) continue;
      const Pixel a = run[i - 1], b = run[i];
      const double pieces = std::min(1000.0, std::ceil(std::hypot(b.x - a.x, b.y - a.y) / 4));
      for (double k = 1; k < pieces; ++k)
        samples.push_back({a.x + (b.x - a.x) * k / pieces, a.y + (b.y - a.y) * k / pieces});
    }
}

void draw_points(Svg& svg, const PlanePlot& plot, const PlaneLayout& layout, PlacedLabels& labels) {
  std::vector<std::pair<Pixel, std::string>> points;
  for (const PlanePoint& point : plot.points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    const Pixel p = layout.pixel(point.x, point.y);
    const bool inside = layout.box.x - 1 <= p.x && p.x <= layout.box.right() + 1 && layout.box.y - 1 <= p.y &&
                        p.y <= layout.box.bottom() + 1;
    if (!inside) continue;
    points.emplace_back(p, shortened(point.label, look::label_size, layout.box.width / 2));
    labels.taken.push_back({p.x - 4, p.y - 4, 8, 8});
  }
  for (const auto& [p, text] : points) {
    svg.element("circle", {{"cx", px(p.x)},
                           {"cy", px(p.y)},
                           {"r", "3.2"},
                           {"fill", std::string(look::ink)},
                           {"stroke", "#ffffff"},
                           {"stroke-width", "1"}});
    if (text.empty()) continue;
    const Box box = place_label(p, text_length(text, look::label_size), layout.box, labels);
    labels.taken.push_back(box);
    // Anchored on the side of the point: the reader's font may be narrower than ours.
    const bool left = box.right()<p.x, right = box.x> p.x;
    const double x = left ? box.right() : right ? box.x : box.x + box.width / 2;
    svg.text({x, box.y + 0.82 * box.height}, text,
             {.size = look::label_size,
              .colour = look::ink,
              .anchor = left    ? "end"
                        : right ? "start"
                                : "middle",
              .halo = true});
  }
}

void draw_curves(Svg& svg, const PlanePlot& plot, const PlaneLayout& layout) {
  PlacedLabels labels;
  if (is_clipped(plot)) begin_clip(svg, layout.box);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const PlaneCurve& curve = plot.curves[i];
    const Runs runs = runs_of(curve.x, curve.y, [&](double x, double y) { return layout.pixel(x, y); });
    if (runs.empty()) continue;
    const Pen pen = pen_of(i, curve.colour, curve.dashed);
    draw_line(svg, runs, pen);
    add_samples(runs, labels.avoid);
    if (!curve.arrow) continue;
    draw_arrows(svg, runs, pen.colour);
    const Pixel start = runs.front().front();
    svg.element("circle", {{"cx", px(start.x)},
                           {"cy", px(start.y)},
                           {"r", "3.8"},
                           {"fill", "#ffffff"},
                           {"stroke", pen.colour},
                           {"stroke-width", px(look::line_width)}});
    labels.taken.push_back({start.x - 5, start.y - 5, 10, 10});
  }
  if (is_clipped(plot)) end_clip(svg);
  draw_points(svg, plot, layout, labels);
}

}  // namespace

std::string svg_plot(const PlanePlot& plot) {
  for (const PlaneCurve& curve : plot.curves) require_equal_lengths(curve.name, curve.x, curve.y);
  const PlaneLayout layout = lay_out(plot);
  Svg svg(layout.width, layout.height, plot.title);
  draw(svg, layout.title);
  draw(svg, layout.legend, look::margin, layout.box.right(), layout.box.y - layout.legend.height());
  const Ticks* x_ticks = layout.empty ? nullptr : &layout.x_ticks;
  const Ticks* y_ticks = layout.empty ? nullptr : &layout.y_ticks;
  draw_grid(svg, layout.box, x_ticks, layout.x_map, y_ticks, layout.y_map);
  if (layout.empty)
    svg.text({layout.box.x + layout.box.width / 2, layout.box.y + layout.box.height / 2}, "no values",
             {.size = look::label_size, .colour = look::faint_ink, .anchor = "middle"});
  else
    draw_curves(svg, plot, layout);
  draw_axes(svg, layout.box, x_ticks, layout.x_map, y_ticks, layout.y_map, true);
  svg.text({layout.box.x + layout.box.width / 2, layout.height - look::margin},
           shortened(layout.x_label, look::label_size, layout.box.width),
           {.size = look::label_size, .colour = look::ink, .anchor = "middle"});
  return svg.take();
}

}  // namespace trammel

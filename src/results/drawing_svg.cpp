// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A sheet as SVG. Each thing is a group of its own whose title says what it is, so that a reader who points at it is told.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "results/drawing_sheet.hpp"
#include "results/text_extent.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

struct Tint {
  std::string_view fill, line;
};
// Light fills under dark lines, told apart by lightness too when printed grey.
constexpr std::array<Tint, 8> tints{{{"#cfe0f2", "#1f4e79"},
                                     {"#fadfc6", "#8a4a10"},
                                     {"#d2ead2", "#24602c"},
                                     {"#e8d9f0", "#5a3a78"},
                                     {"#f7d0d3", "#8a232d"},
                                     {"#d2edf0", "#125f69"},
                                     {"#f4ecc0", "#6a5900"},
                                     {"#e1e1e1", "#444444"}}};
constexpr std::string_view paper = "#ffffff", faint_line = "#9fa9b3";

struct Stroke {
  double width;
  std::string_view dashes;
};
Stroke stroke_of(Ink ink) {
  switch (ink) {
    case Ink::link:
      return {1.2, ""};
    case Ink::edge:
    case Ink::hatch:
      return {0.7, ""};
    case Ink::pair:
    case Ink::ground:
      return {1.1, ""};
    case Ink::axis:
      return {0.6, "7 2 1.5 2"};
    case Ink::curve:
      return {1.3, ""};
    case Ink::coupling:
      return {0.9, "9 2.5 2 2.5"};
    case Ink::spring:
    case Ink::tick:
      return {1.0, ""};
    case Ink::point:
      return {0.6, ""};
    case Ink::path:
      return {1.5, ""};
  }
  return {1, ""};
}

std::string hex(const Colour& c, double darker) {
  const auto byte = [&](double x) { return static_cast<int>(std::lround(std::clamp(x * darker, 0.0, 1.0) * 255)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.red), byte(c.green), byte(c.blue));
}

class SvgSheet {
 public:
  SvgSheet(const Model& model, const Sheet& sheet)
      : model_(model), sheet_(sheet), svg_(sheet.width, sheet.height, sheet.title_text) {}

  std::string write() {
    draw(svg_, sheet_.title);
    for (const Panel& panel : sheet_.panels) draw_panel(panel);
    draw_scale_bar();
    return svg_.take();
  }

 private:
  const Model& model_;
  const Sheet& sheet_;
  Svg svg_;

  void draw_panel(const Panel& panel) {
    if (sheet_.panels.size() > 1)
      svg_.text({panel.box.x + 6, panel.box.y - 3}, panel.title,
                {.size = look::number_size, .colour = look::faint_ink});
    svg_.open("g", {{"fill", "none"}, {"stroke-linejoin", "round"}, {"stroke-linecap", "round"}});
    svg_.title(panel.title);
    for (const SeenThing& one : panel.things) draw_thing(panel, one);
    svg_.close("g");
    draw_axes_of(panel);
    draw_names(panel);
  }

  // --- things ---

  void draw_thing(const Panel& panel, const SeenThing& one) {
    if (one.marks.empty()) return;
    svg_.open("g", {});
    svg_.title(title_of(*one.thing));
    for (const Mark& mark : one.marks) draw_mark(panel, *one.thing, mark);
    svg_.close("g");
  }

  static std::string title_of(const Thing& thing) {
    constexpr std::array<std::string_view, 7> words{"body",   "joint", "constraint", "coupling",
                                                    "spring", "path",  "point"};
    return fmt::format("{}{} {}", thing.faint ? "faint " : "", words.at(static_cast<std::size_t>(thing.kind)),
                       thing.name);
  }

  std::pair<std::string, std::string> tint_of(int body) const {
    if (body < 0) return {std::string(paper), std::string(look::ink)};
    for (const Shape* shape : drawable_shapes(model_.bodies[static_cast<std::size_t>(body)])) {
      if (shape->colour) return {hex(*shape->colour, 1), hex(*shape->colour, 0.45)};
    }
    const Tint& tint = tints.at(static_cast<std::size_t>(body) % tints.size());
    return {std::string(tint.fill), std::string(tint.line)};
  }

  std::string colour_of(const Thing& thing, Ink ink) const {
    if (thing.faint) return std::string(faint_line);
    switch (ink) {
      case Ink::path:
      case Ink::tick:
        return pen_of(static_cast<std::size_t>(std::max(thing.body, 0)), "", false).colour;
      case Ink::link:
      case Ink::curve:
        return tint_of(thing.body).second;
      case Ink::edge:
        return thing.kind == Thing::Kind::body ? tint_of(thing.body).second : std::string(look::ink);
      case Ink::axis:
      case Ink::coupling:
        return std::string(look::faint_ink);
      default:
        return std::string(look::ink);
    }
  }

  void draw_mark(const Panel& panel, const Thing& thing, const Mark& mark) {
    const Stroke stroke = stroke_of(mark.ink);
    const std::string colour = colour_of(thing, mark.ink);
    const double width = thing.faint ? 0.7 : stroke.width;
    std::string fill, opacity;
    if (!thing.faint && mark.fill != Fill::none) {
      fill = mark.fill == Fill::paper ? std::string(paper)
             : mark.fill == Fill::ink ? colour
                                      : tint_of(thing.body).first;
      if (mark.fill == Fill::body) opacity = "0.88";
    }
    if (mark.outline.is_circle()) {
      const Pixel c = panel.pixel(mark.outline.corners.front().p);
      svg_.element("circle", {{"cx", px(c.x)},
                              {"cy", px(c.y)},
                              {"r", px(mark.outline.radius * panel.scale)},
                              {"stroke", colour},
                              {"stroke-width", px(width)},
                              {"stroke-dasharray", std::string(stroke.dashes)},
                              {"fill", fill},
                              {"fill-opacity", opacity}});
      return;
    }
    svg_.element("path", {{"d", path_of(panel, mark.outline)},
                          {"stroke", colour},
                          {"stroke-width", px(width)},
                          {"stroke-dasharray", std::string(stroke.dashes)},
                          {"fill", fill},
                          {"fill-opacity", opacity}});
  }

  static std::string path_of(const Panel& panel, const Outline& outline) {
    const auto place = [&](const Point2& p) {
      const Pixel q = panel.pixel(p);
      return px(q.x) + ' ' + px(q.y);
    };
    std::string data, last;
    const std::size_t count = outline.corners.size();
    for (std::size_t i = 0; i < count + (outline.closed ? 1 : 0); ++i) {
      const std::string here = place(outline.corners[i % count].p);
      const double bulge = i == 0 ? 0 : outline.corners[i - 1].bulge;
      if (i == 0) {
        data += 'M' + here;
      } else if (bulge != 0) {
        const double radius = arc_between(outline.corners[i - 1].p, outline.corners[i % count].p, bulge).radius;
        const std::string r = px(radius * panel.scale);
        data += fmt::format("A{} {} 0 {} {} {}", r, r, std::abs(bulge) > 1 ? 1 : 0, bulge > 0 ? 0 : 1, here);
      } else if (here != last && i < count) {
        data += 'L' + here;
      }
      last = here;
    }
    return outline.closed ? data + 'Z' : data;
  }

  // --- names, axes, scale ---

  void draw_names(const Panel& panel) {
    for (const PlacedLabel& label : panel.labels) {
      const Name& name = *panel.names[label.wanted];
      const std::string colour = name.kind == Thing::Kind::body ? tint_of(name.body).second : std::string(look::ink);
      if (label.has_leader) {
        svg_.open("g", {{"stroke", std::string(look::faint_ink)}, {"stroke-width", "0.5"}});
        svg_.line(label.leader_from, label.leader_to);
        svg_.close("g");
      }
      svg_.text(label.text_at, name.text,
                {.size = sheet_.letter_size,
                 .colour = colour,
                 .anchor = label.anchor,
                 .bold = name.kind == Thing::Kind::point,
                 .halo = true,
                 .italic = name.kind == Thing::Kind::body});
    }
  }

  // The axes of the world that lie in the picture; of a plane askew its own.
  void draw_axes_of(const Panel& panel) {
    constexpr double arm = 20;
    const std::array<std::pair<std::string, Vec3d>, 3> world{{{"x", {1, 0, 0}}, {"y", {0, 1, 0}}, {"z", {0, 0, 1}}}};
    std::vector<std::pair<std::string, Pixel>> arrows;  // y down
    const auto is_world_axis = [&](const Vec3d& e) {
      return std::any_of(world.begin(), world.end(),
                         [&](const auto& axis) { return std::abs(dot(e, axis.second)) > 1 - 1e-9; });
    };
    if (panel.is_plan() && (!is_world_axis(panel.camera.R.ex) || !is_world_axis(panel.camera.R.ey))) {
      arrows = {{"u", {1, 0}}, {"v", {0, -1}}};
    } else {
      for (const auto& [name, e] : world) {
        const Pixel d{dot(panel.camera.R.ex, e), -dot(panel.camera.R.ey, e)};
        if (std::hypot(d.x, d.y) > 0.05) arrows.emplace_back(name, d);
      }
    }
    // The origin, so that all arrows stay within the corner.
    double left = 0, top = 0, right = 0, bottom = 0;
    for (const auto& [name, d] : arrows) {
      left = std::min(left, d.x), right = std::max(right, d.x);
      top = std::min(top, d.y), bottom = std::max(bottom, d.y);
    }
    const Pixel o{panel.axes.x + 20 - arm * (left + right) / 2, panel.axes.y + 20 - arm * (top + bottom) / 2};
    svg_.open("g", {{"stroke", std::string(look::axis)}, {"stroke-width", "0.9"}, {"fill", std::string(look::axis)}});
    svg_.title("axes");
    std::vector<std::pair<std::string, Pixel>> letters;
    for (const auto& [name, d] : arrows) {
      const double length = std::hypot(d.x, d.y);
      const Pixel tip{o.x + arm * d.x, o.y + arm * d.y}, u{d.x / length, d.y / length};
      svg_.line(o, tip);
      const Pixel back{tip.x - 4.5 * u.x, tip.y - 4.5 * u.y};
      svg_.element(
          "path",
          {{"d",
            path_data({{tip, {back.x - 1.7 * u.y, back.y + 1.7 * u.x}, {back.x + 1.7 * u.y, back.y - 1.7 * u.x}}}) +
                "Z"},
           {"stroke", "none"}});
      letters.emplace_back(name, Pixel{tip.x + 6 * u.x, tip.y + 6 * u.y + 3.2});
    }
    svg_.close("g");
    for (const auto& [name, at] : letters)
      svg_.text(at, name, {.size = 9.5, .colour = look::faint_ink, .anchor = "middle", .halo = true});
  }

  void draw_scale_bar() {
    const Box& bar = sheet_.scale_bar;
    if (bar.width <= 0) return;
    svg_.open("g", {{"stroke", std::string(look::ink)}, {"stroke-width", "1.2"}});
    svg_.title("scale");
    svg_.line({bar.x, bar.y}, {bar.right(), bar.y});
    for (const double x : {bar.x, bar.right()}) svg_.line({x, bar.y - 3.5}, {x, bar.y + 3.5});
    svg_.close("g");
    svg_.text({bar.right() + 8, bar.y + 4}, sheet_.scale_text, {.size = look::number_size, .colour = look::ink});
  }
};

}  // namespace

std::string svg_drawing(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                        const DrawingOptions& options, DrawingReport* report) {
  const Sheet sheet = lay_out(model, mechanism, drawing, options, false);
  if (report != nullptr) {
    *report = {};
    for (const Panel& panel : sheet.panels) report->views.push_back(panel.view);
    report->scale = sheet.scale;
    report->left_out = sheet.left_out;
  }
  return SvgSheet(model, sheet).write();
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A sheet's plan views as DXF, release 12 in ASCII, which every CAD program reads: groups of a code and a value, one per line. A layer for each kind
// of thing; lengths in the model's unit; circles and arcs as such. Views are as far apart as on paper, the first at its true coordinates.
// [AutoCAD Release 12 DXF reference: sections HEADER, TABLES, ENTITIES]

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "results/drawing_sheet.hpp"
#include "results/utf8.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the private half of this file's own layer

struct Layer {
  std::string_view name;
  int colour;  // AutoCAD's colour index
  std::string_view line = "CONTINUOUS";
};
constexpr std::array<Layer, 15> layers{{{"LINKS", 5},
                                        {"EDGES", 8},
                                        {"PAIRS", 7},
                                        {"GROUND", 7},
                                        {"HATCH", 8},
                                        {"AXES", 1, "CENTER"},
                                        {"CONSTRAINTS", 6},
                                        {"COUPLINGS", 4, "CENTER"},
                                        {"SPRINGS", 3},
                                        {"PATHS", 1},
                                        {"TICKS", 1},
                                        {"POINTS", 1},
                                        {"FAINT", 9},
                                        {"NAMES", 7},
                                        {"SHEET", 8}}};

std::string_view layer_of(const Thing& thing, Ink ink) {
  if (thing.faint) return "FAINT";
  switch (ink) {
    case Ink::ground:
      return "GROUND";
    case Ink::hatch:
      return "HATCH";
    case Ink::axis:
      return "AXES";
    case Ink::tick:
      return "TICKS";
    default:
      break;
  }
  switch (thing.kind) {
    case Thing::Kind::body:
      return ink == Ink::edge ? "EDGES" : "LINKS";
    case Thing::Kind::joint:
      return "PAIRS";
    case Thing::Kind::constraint:
      return "CONSTRAINTS";
    case Thing::Kind::coupling:
      return "COUPLINGS";
    case Thing::Kind::spring:
      return "SPRINGS";
    case Thing::Kind::path:
      return "PATHS";
    case Thing::Kind::point:
      break;
  }
  return "POINTS";
}

// ASCII alone; % and ^ begin codes of their own.
std::string text_of(const std::string& text) {
  std::string written;
  for (const char32_t c : characters_of(text)) {
    if (c == U'−') {
      written += '-';
    } else if (c == U'%') {
      written += "%%%";
    } else if (c == U'^') {
      written += "^ ";
    } else if (c < 0x80) {
      written += static_cast<char>(c);
    } else {
      written += fmt::format("\\U+{:04X}", static_cast<std::uint32_t>(c));
    }
  }
  return written;
}

class DxfSheet {
 public:
  DxfSheet(const Mechanism& mechanism, const Sheet& sheet) : mech_(mechanism), sheet_(sheet) {
    const double largest = length(std::max(sheet.width, sheet.height) / sheet.scale);
    decimals_ = std::clamp(9 - static_cast<int>(std::floor(std::log10(largest))), 0, 15);
  }

  std::string write() {
    for (const Panel& panel : sheet_.panels) draw_panel(panel);
    draw_sheet();
    const std::string entities = std::move(text_);
    text_.clear();
    group(999, fmt::format("{}: plan views in {}", text_of(sheet_.title_text), mech_.units.length));
    header();
    tables();
    begin("ENTITIES");
    text_ += entities;
    end();
    group(0, "EOF");
    return std::move(text_);
  }

 private:
  const Mechanism& mech_;
  const Sheet& sheet_;
  std::string text_;
  Extent2 extent_;
  int decimals_ = 6;

  // --- groups ---

  void group(int code, std::string_view value) { text_ += fmt::format("{:>3}\n{}\n", code, value); }
  void group(int code, int value) { group(code, fmt::format("{}", value)); }
  void number(int code, double value) {
    std::string text = fmt::format("{:.{}f}", value, decimals_);
    if (text.find('.') != std::string::npos) {
      while (text.ends_with('0')) text.pop_back();
      if (text.ends_with('.')) text += '0';
    } else {
      text += ".0";
    }
    group(code, text == "-0.0" ? "0.0" : text);
  }
  void place(int code, const Point2& p) {
    number(code, p.x);
    number(code + 10, p.y);
    number(code + 20, 0);
  }
  void begin(std::string_view section) {
    group(0, "SECTION");
    group(2, section);
  }
  void end() { group(0, "ENDSEC"); }

  // --- places ---

  double length(double metres) const { return mech_.units.from_si(metres, dimension::length); }
  double of_px(double px_length) const { return length(px_length / sheet_.scale); }
  // A place of the paper: the first view's own coordinates go on over the whole sheet.
  Point2 at(const Pixel& p) const {
    const Pixel& origin = sheet_.panels.front().origin;
    return {of_px(p.x - origin.x), of_px(origin.y - p.y)};
  }
  Point2 at(const Panel& panel, const Point2& p) const {
    const Point2 shift = at(panel.origin);
    return {length(p.x) + shift.x, length(p.y) + shift.y};
  }

  // --- entities ---

  void line(std::string_view layer, const Point2& a, const Point2& b) {
    group(0, "LINE");
    group(8, layer);
    place(10, a);
    place(11, b);
    extent_.take(a);
    extent_.take(b);
  }
  void circle(std::string_view layer, const Point2& centre, double radius) {
    group(0, "CIRCLE");
    group(8, layer);
    place(10, centre);
    number(40, radius);
    extent_.take(circle_outline(centre, radius));
  }
  void polyline(std::string_view layer, const Outline& outline) {
    group(0, "POLYLINE");
    group(8, layer);
    group(66, 1);
    place(10, {});
    group(70, outline.closed ? 1 : 0);
    for (const Corner& corner : outline.corners) {
      group(0, "VERTEX");
      group(8, layer);
      place(10, corner.p);
      if (corner.bulge != 0) number(42, corner.bulge);
    }
    group(0, "SEQEND");
    group(8, layer);
    extent_.take(outline);
  }
  void text(std::string_view layer, const Point2& p, double height, std::string_view anchor, const std::string& words) {
    group(0, "TEXT");
    group(8, layer);
    place(10, p);
    number(40, height);
    group(1, text_of(words));
    if (anchor == "start") return;
    group(72, anchor == "middle" ? 1 : 2);
    place(11, p);
  }

  void draw_mark(const Panel& panel, std::string_view layer, const Outline& seen) {
    Outline outline = seen;
    for (Corner& corner : outline.corners) corner.p = at(panel, corner.p);
    if (outline.is_circle()) {
      circle(layer, outline.corners.front().p, length(outline.radius));
    } else if (outline.corners.size() == 2 && !outline.closed && outline.corners.front().bulge == 0) {
      line(layer, outline.corners[0].p, outline.corners[1].p);
    } else {
      polyline(layer, outline);
    }
  }

  void draw_panel(const Panel& panel) {
    for (const SeenThing& one : panel.things) {
      for (const Mark& mark : one.marks) draw_mark(panel, layer_of(*one.thing, mark.ink), mark.outline);
    }
    const double height = of_px(0.75 * sheet_.letter_size);  // of capitals
    for (const PlacedLabel& label : panel.labels)
      text("NAMES", at(label.text_at), height, label.anchor, panel.names[label.wanted]->text);
    if (sheet_.panels.size() > 1) text("SHEET", at({panel.box.x + 6, panel.box.y - 3}), height, "start", panel.title);
  }

  void draw_sheet() {
    const Box& bar = sheet_.scale_bar;
    line("SHEET", at({bar.x, bar.y}), at({bar.right(), bar.y}));
    for (const double x : {bar.x, bar.right()}) line("SHEET", at({x, bar.y - 3.5}), at({x, bar.y + 3.5}));
    const double height = of_px(0.75 * look::number_size);
    text("SHEET", at({bar.right() + 8, bar.y + 4}), height, "start", sheet_.scale_text);
    double y = look::margin;
    for (const std::string& words : sheet_.title.title) {
      text("SHEET", at({look::margin, y + 14}), of_px(0.75 * look::title_size), "start", words);
      y += 20;
    }
    for (const std::string& words : sheet_.title.subtitle) {
      text("SHEET", at({look::margin, y + 12}), height, "start", words);
      y += 16;
    }
  }

  // --- before the entities ---

  void header() {
    begin("HEADER");
    group(9, "$ACADVER");
    group(1, "AC1009");
    group(9, "$INSBASE");
    place(10, {});
    group(9, "$EXTMIN");
    place(10, {extent_.left, extent_.bottom});
    group(9, "$EXTMAX");
    place(10, {extent_.right, extent_.top});
    group(9, "$LTSCALE");
    number(40, of_px(1));  // dashes below are in px
    end();
  }

  void line_type(std::string_view name, std::string_view words, const std::vector<double>& dashes) {
    group(0, "LTYPE");
    group(2, name);
    group(70, 0);
    group(3, words);
    group(72, 65);
    group(73, static_cast<int>(dashes.size()));
    double whole = 0;
    for (const double dash : dashes) whole += std::abs(dash);
    number(40, whole);
    for (const double dash : dashes) number(49, dash);
  }

  void table(std::string_view name, int count) {
    group(0, "TABLE");
    group(2, name);
    group(70, count);
  }

  void tables() {
    begin("TABLES");
    table("LTYPE", 2);
    line_type("CONTINUOUS", "Solid line", {});
    line_type("CENTER", "Centre line __ _ __ _", {9, -2.5, 2, -2.5});
    group(0, "ENDTAB");
    table("LAYER", static_cast<int>(layers.size()) + 1);
    const auto layer = [&](const Layer& one) {
      group(0, "LAYER");
      group(2, one.name);
      group(70, 0);
      group(62, one.colour);
      group(6, one.line);
    };
    layer({"0", 7});
    for (const Layer& one : layers) layer(one);
    group(0, "ENDTAB");
    table("STYLE", 1);
    group(0, "STYLE");
    group(2, "STANDARD");
    group(70, 0);
    number(40, 0);
    number(41, 1);
    number(50, 0);
    group(71, 0);
    number(42, of_px(8));
    group(3, "txt");
    group(4, "");
    group(0, "ENDTAB");
    end();
  }
};

}  // namespace

std::string dxf_drawing(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                        const DrawingOptions& options, DrawingReport* report) {
  const Sheet sheet = lay_out(model, mechanism, drawing, options, true);
  if (report != nullptr) {
    *report = {};
    for (const Panel& panel : sheet.panels) report->views.push_back(panel.view);
    report->scale = sheet.scale;
    report->left_out = sheet.left_out;
  }
  return DxfSheet(mechanism, sheet).write();
}

}  // namespace trammel

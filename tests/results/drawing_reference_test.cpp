// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Drawings of linkages whose places are known: pins, gears, ticks, symbols; and what cannot be drawn.

#include <cmath>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <trammel/drawing.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/readers.hpp>

#include "results/drawing_sheet.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the sources' own tests

constexpr double pi = std::numbers::pi;

struct Drawn {
  Model model;
  Mechanism mechanism;
  LinkageDrawing drawing;

  std::string svg(const DrawingOptions& options = {}, DrawingReport* report = nullptr) const {
    return svg_drawing(model, mechanism, drawing, options, report);
  }
  std::string dxf(const DrawingOptions& options = {}) const { return dxf_drawing(model, mechanism, drawing, options); }
};

Drawn drawn(Model model) {
  CompileResult compiled = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  Drawn d{std::move(model), std::move(compiled.mechanism), {}};
  d.drawing.position = design_position(d.mechanism);
  return d;
}
Drawn drawn_text(const std::string& yaml) {
  ReadResult result = read_yaml(yaml, "test.yaml");
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return drawn(result.model);
}
Drawn drawn_file(const std::string& name) {
  ReadResult result = read_model(test::source_dir() + "/models/" + name + ".yaml");
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return drawn(result.model);
}

// The circles of an SVG by the title of their group.
std::multimap<std::string, pugi::xml_node> circles_of(const pugi::xml_document& document) {
  std::multimap<std::string, pugi::xml_node> circles;
  for (const auto& found : document.select_nodes("//circle"))
    circles.emplace(found.node().parent().child("title").child_value(), found.node());
  return circles;
}

// A DXF as its pairs of code and value; entities by type, each with its groups.
struct Entity {
  std::string type;
  std::multimap<int, std::string> groups;

  std::string text(int code) const { return groups.count(code) == 0 ? "" : groups.find(code)->second; }
  double number(int code) const { return std::stod(text(code)); }
};
std::vector<Entity> entities_of(const std::string& dxf) {
  std::vector<Entity> entities;
  std::istringstream lines(dxf);
  std::string code, value, section;
  while (std::getline(lines, code) && std::getline(lines, value)) {
    const int number = std::stoi(code);
    if (number == 0) {
      entities.push_back({value, {}});
    } else if (!entities.empty()) {
      entities.back().groups.emplace(number, value);
    }
  }
  return entities;
}

// --- places -----------------------------------------------------------------------------------------------------------

const std::map<std::string, Point2> four_bar_pins{
    {"O2", {0, 0}}, {"A", {0, 40}}, {"B", {120, 80}}, {"O4", {100, 0}}};  // mm

TEST(SvgDrawing, has_the_pins_of_a_four_bar_where_they_are) {
  const Drawn d = drawn_file("crank_rocker");
  DrawingReport report;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(d.svg({}, &report).c_str()));
  EXPECT_EQ(report.views, (std::vector<DrawingView>{DrawingView::plane}));
  EXPECT_TRUE(report.left_out.empty());
  const auto circles = circles_of(document);
  const auto at = [&](const std::string& name) {
    EXPECT_EQ(circles.count("joint " + name), 1u) << name;
    const pugi::xml_node node = circles.find("joint " + name)->second;
    return Pixel{node.attribute("cx").as_double(), node.attribute("cy").as_double()};
  };
  const Pixel origin = at("O2");
  for (const auto& [name, p] : four_bar_pins) {
    EXPECT_NEAR(at(name).x - origin.x, p.x * 1e-3 * report.scale, 0.011) << name;  // px are written to 0.01
    EXPECT_NEAR(origin.y - at(name).y, p.y * 1e-3 * report.scale, 0.011) << name;
  }
}

TEST(DxfDrawing, has_the_pins_of_a_four_bar_at_their_coordinates) {
  const std::string dxf = drawn_file("crank_rocker").dxf();
  std::map<std::string, Point2> pins;
  std::vector<Point2> centres;
  for (const Entity& entity : entities_of(dxf)) {
    if (entity.type == "CIRCLE" && entity.text(8) == "PAIRS") centres.push_back({entity.number(10), entity.number(20)});
  }
  ASSERT_EQ(centres.size(), 4u);
  for (const auto& [name, place] : four_bar_pins) {
    const Point2 p = place;  // clang 14 takes no bindings into lambdas
    const bool is_there =
        std::any_of(centres.begin(), centres.end(), [&](const Point2& c) { return length_of(c - p) < 1e-6; });
    EXPECT_TRUE(is_there) << name;
  }
}

TEST(DxfDrawing, begins_and_ends_as_release_12_does) {
  const std::string dxf = drawn_file("rssr").dxf();
  EXPECT_NE(dxf.find("  9\n$ACADVER\n  1\nAC1009\n"), std::string::npos);
  EXPECT_EQ(dxf.substr(dxf.size() - 8), "  0\nEOF\n");
  std::map<std::string, int> count;
  for (const Entity& entity : entities_of(dxf)) ++count[entity.type];
  EXPECT_EQ(count["SECTION"], 3);
  EXPECT_EQ(count["ENDSEC"], 3);
  EXPECT_EQ(count["POLYLINE"], count["SEQEND"]);
  EXPECT_GT(count["VERTEX"], 2 * count["POLYLINE"]);
  for (const char c : dxf) ASSERT_TRUE((c >= ' ' && c < 127) || c == '\n');
  EXPECT_EQ(dxf.find("nan"), std::string::npos);
  EXPECT_EQ(dxf.find("inf"), std::string::npos);
}

TEST(DxfDrawing, writes_characters_that_are_not_ascii_as_codes) {
  Drawn d = drawn_file("crank_rocker");
  d.mechanism.name = "5 % of Kurbel-Größe ^";
  const std::string dxf = d.dxf();
  EXPECT_NE(dxf.find("\n5 %%% of Kurbel-Gr\\U+00F6\\U+00DFe ^ \n"), std::string::npos);
}

TEST(DxfDrawing, has_no_perspective) {
  const Drawn d = drawn_file("rssr");
  EXPECT_THROW(d.dxf({.views = {DrawingView::perspective}}), std::invalid_argument);
  EXPECT_EQ(d.dxf().find("perspective"), std::string::npos);
}

// Sun 24, planets 18, ring 60 teeth of module 2 mm: pitch radii are half of module times teeth.
TEST(DxfDrawing, has_the_pitch_circles_of_a_planetary_gear) {
  std::multimap<double, Point2> circles;
  for (const Entity& entity : entities_of(drawn_file("planetary").dxf())) {
    if (entity.type == "CIRCLE" && entity.text(8) == "COUPLINGS")
      circles.emplace(std::round(entity.number(40) * 1e6) / 1e6, Point2{entity.number(10), entity.number(20)});
  }
  EXPECT_EQ(circles.size(), 5u);  // the sun's once, though it meshes three times
  EXPECT_EQ(circles.count(24), 1u);
  EXPECT_EQ(circles.count(18), 3u);
  EXPECT_EQ(circles.count(60), 1u);
  for (auto [it, end] = circles.equal_range(18); it != end; ++it) EXPECT_NEAR(length_of(it->second), 42, 1e-6);
}

TEST(DxfDrawing, has_pulleys_of_the_radii_given) {
  const Drawn d = drawn_text(R"(trammel: 1
bodies: {a: {mass: 1}, b: {mass: 1, com: [1, 0, 0]}}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [ground, b], at: [1, 0, 0], axis: z}
couplings: {belt: {belt: [A, B], radii: [0.1, 0.2]}}
)");
  std::vector<double> radii;
  for (const Entity& entity : entities_of(d.dxf())) {
    if (entity.text(8) == "COUPLINGS" && entity.type == "CIRCLE") radii.push_back(entity.number(40));
  }
  ASSERT_EQ(radii.size(), 2u);
  EXPECT_NEAR(radii[0], 0.1, 1e-9);
  EXPECT_NEAR(radii[1], 0.2, 1e-9);
}

TEST(DxfDrawing, has_pulleys_that_a_belt_touches) {
  const Drawn d = drawn_text(R"(trammel: 1
bodies:
  small: {mass: 1, shape: {cylinder: 0.1, length: 0.1, at: [0, 0, 0], axis: z}}
  large: {mass: 1, com: [1, 0, 0]}
joints:
  small: {revolute: [ground, small], at: [0, 0, 0], axis: z}
  large: {revolute: [ground, large], at: [1, 0, 0], axis: z}
couplings: {belt: {belt: [small, large], radii: [0.1, 0.3]}}
)");
  std::vector<std::pair<Point2, double>> circles;
  std::vector<std::pair<Point2, Point2>> lines;
  for (const Entity& entity : entities_of(d.dxf())) {
    if (entity.text(8) != "COUPLINGS") continue;
    if (entity.type == "CIRCLE") circles.push_back({{entity.number(10), entity.number(20)}, entity.number(40)});
    if (entity.type == "LINE")
      lines.push_back({{entity.number(10), entity.number(20)}, {entity.number(11), entity.number(21)}});
  }
  ASSERT_EQ(circles.size(), 2u);
  EXPECT_NEAR(circles[0].second, 0.1, 1e-9);
  EXPECT_NEAR(circles[1].second, 0.3, 1e-9);
  int tangents = 0;
  for (const auto& [a, b] : lines) {
    const Point2 n = (b - a) * (1 / length_of(b - a));
    if (length_of(b - a) < 0.5) continue;  // the marks on the pulleys
    ++tangents;
    for (const auto& [centre, radius] : circles) EXPECT_NEAR(std::abs(cross(n, centre - a)), radius, 1e-8);
  }
  EXPECT_EQ(tangents, 2);
}

// --- planes -----------------------------------------------------------------------------------------------------------

std::string four_bar(const std::string& plane, const std::array<std::string, 5>& points, const std::string& axis) {
  return "trammel: 1\nname: four-bar\ngravity: [0, 0, 0]\n" + plane + "points: {O2: " + points[0] +
         ", A: " + points[1] + ", B: " + points[2] + ", O4: " + points[3] + ", P: " + points[4] + "}\n" +
         "bodies: {crank: {mass: 1}, coupler: {mass: 1}, rocker: {mass: 1}}\njoints:\n" +
         "  O2: {revolute: [ground, crank], at: O2, axis: " + axis + "}\n" +
         "  A: {revolute: [crank, coupler], at: A, axis: " + axis + "}\n" +
         "  B: {revolute: [coupler, rocker], at: B, axis: " + axis + "}\n" +
         "  O4: {revolute: [ground, rocker], at: O4, axis: " + axis + "}\noutputs: {P: {point: P, on: coupler}}\n";
}

std::string without_axes(const std::string& svg) {
  pugi::xml_document document;
  document.load_string(svg.c_str());
  std::string text;
  for (const auto& found : document.select_nodes("//g[title='plane']//path | //g[title='plane']//circle")) {
    std::ostringstream out;
    found.node().print(out);
    text += out.str();
  }
  return text;
}

TEST(Drawing, of_a_linkage_in_its_own_plane_is_the_same_in_any_plane) {
  const Drawn in_xy = drawn_text(
      four_bar("planar: z\n", {"[0, 0, 0]", "[0, 40, 0]", "[120, 80, 0]", "[100, 0, 0]", "[60, 110, 0]"}, "z"));
  const Drawn in_yz = drawn_text(four_bar(
      "planar: {normal: x, x: y}\n", {"[5, 0, 0]", "[5, 0, 40]", "[5, 120, 80]", "[5, 100, 0]", "[5, 60, 110]"}, "x"));
  ASSERT_FALSE(without_axes(in_xy.svg()).empty());
  EXPECT_EQ(without_axes(in_xy.svg()), without_axes(in_yz.svg()));
  // In this one the plane is found: from its axes, seen from −y.
  const Drawn in_xz =
      drawn_text(four_bar("", {"[0, 5, 0]", "[0, 5, 40]", "[120, 5, 80]", "[100, 5, 0]", "[60, 5, 110]"}, "y"));
  EXPECT_EQ(without_axes(in_xy.svg()), without_axes(in_xz.svg()));
}

TEST(PlaneOfMotion, is_found_where_axes_are_parallel_and_travels_square_to_them) {
  const Drawn slider = drawn_file("slider_crank");
  const auto plane = plane_of_motion(slider.mechanism, slider.drawing.position);
  ASSERT_TRUE(plane);
  EXPECT_NEAR(norm(plane->normal - Vec3d{0, 0, 1}), 0, 1e-12);
  EXPECT_NEAR(norm(plane->x - Vec3d{1, 0, 0}), 0, 1e-12);
  for (const char* name : {"rssr", "bennett", "geared_arm", "cardan", "free_body"}) {
    const Drawn d = drawn_file(name);
    EXPECT_FALSE(plane_of_motion(d.mechanism, d.drawing.position)) << name;
  }
}

// --- symbols ----------------------------------------------------------------------------------------------------------

// One joint of a type between a base and an arm; what is drawn of it, in the views xy and xz.
struct Symbol {
  Drawn d;
  results::Scene scene;
  std::vector<Mark> along, across;  // the joint's axis z is along the view xy
};
Symbol symbol_of(const AnyJoint& joint, bool on_ground = false) {
  Model model;
  add_body(model, "base", 1, {}, {1, 1, 1, 0, 0, 0});
  add_body(model, "arm", 1, {1, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "float", Free{}, "ground", "base", {});
  add_joint(model, "it", joint, on_ground ? "ground" : "base", "arm", {});
  model.outputs.push_back({"end", "arm", {1, 0.2, 0.3}, {}});
  Symbol symbol{drawn(model), {}, {}, {}};
  symbol.scene = build_scene(symbol.d.model, symbol.d.mechanism, symbol.d.drawing, 0.01);
  for (const auto& [view, marks] :
       {std::pair{DrawingView::xy, &symbol.along}, std::pair{DrawingView::xz, &symbol.across}}) {
    for (const SeenThing& one : see(symbol.scene, camera_of(view, symbol.d.mechanism, {}, {}, {}))) {
      if (one.thing->name == "it") *marks = one.marks;
    }
  }
  return symbol;
}
std::size_t circles_in(const std::vector<Mark>& marks) {
  return static_cast<std::size_t>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.outline.is_circle(); }));
}
Extent2 extent_in(const std::vector<Mark>& marks) {
  Extent2 extent;
  for (const Mark& mark : marks) extent.take(mark.outline);
  return extent;
}

TEST(Symbols, of_a_revolute_are_a_circle_along_its_axis_and_a_pin_with_a_centre_line_from_the_side) {
  const Symbol pin = symbol_of(Revolute{});
  EXPECT_EQ(pin.along.size(), 1u);
  EXPECT_EQ(circles_in(pin.along), 1u);
  EXPECT_EQ(pin.along.front().outline.corners.front().p, (Point2{0, 0}));
  EXPECT_EQ(circles_in(pin.across), 0u);
  ASSERT_EQ(pin.across.size(), 2u);
  EXPECT_EQ(pin.across[0].ink, Ink::axis);
  EXPECT_EQ(pin.across[1].outline.corners.size(), 4u);
  EXPECT_GT(extent_in(pin.across).height(), 1.5 * extent_in(pin.across).width());
}

TEST(Symbols, of_a_revolute_on_the_ground_stand_on_a_hatched_foot) {
  const Symbol pin = symbol_of(Revolute{}, true);
  for (const std::vector<Mark>* marks : {&pin.along, &pin.across}) {
    std::size_t hatches = 0;
    for (const Mark& mark : *marks) hatches += mark.ink == Ink::hatch;
    EXPECT_GE(hatches, 4u);
    const Extent2 extent = extent_in(*marks);
    EXPECT_LT(std::min(extent.bottom, extent.left), -0.035);  // away from the arm: below the joint, or to its left
    EXPECT_LT(std::max(extent.top, extent.right), 0.035);
  }
}

TEST(Symbols, stand_upside_down_where_the_link_hangs) {
  Model model;
  add_body(model, "bob", 1, {0, -1, 0}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "pivot", Revolute{}, "ground", "bob", {});
  const Drawn d = drawn(model);
  const results::Scene scene = build_scene(d.model, d.mechanism, d.drawing, 0.01);
  for (const SeenThing& one : see(scene, camera_of(DrawingView::xy, d.mechanism, {}, {}, {}))) {
    if (one.thing->name == "pivot") {
      EXPECT_GT(extent_in(one.marks).top, 0.03);
    }
  }
}

TEST(Symbols, of_a_sphere_are_a_ball_in_a_cup_from_all_sides) {
  const Symbol ball = symbol_of(Spherical{});
  for (const std::vector<Mark>* marks : {&ball.along, &ball.across}) {
    EXPECT_EQ(circles_in(*marks), 1u);
    EXPECT_EQ(marks->size(), 2u);
    EXPECT_NE(marks->front().outline.corners.front().bulge, 0);  // the cup is an arc
  }
}

TEST(Symbols, of_all_joints_but_free_ones_are_there_from_every_side) {
  for (const std::string& word : joint_keywords()) {
    const auto joint = joint_by_keyword(word);
    ASSERT_TRUE(joint);
    const Symbol symbol = symbol_of(*joint);
    EXPECT_EQ(symbol.along.empty(), word == "free") << word;
    EXPECT_EQ(symbol.across.empty(), word == "free") << word;
  }
}

TEST(Symbols, of_different_joints_differ) {
  std::map<std::string, std::string> pictures;
  for (const std::string& word : joint_keywords()) {
    const Symbol symbol = symbol_of(*joint_by_keyword(word));
    std::string picture;
    for (const std::vector<Mark>* marks : {&symbol.along, &symbol.across}) {
      for (const Mark& mark : *marks) {
        Extent2 e;
        e.take(mark.outline);
        picture += std::to_string(mark.outline.corners.size()) + " " + std::to_string(e.width()) + " " +
                   std::to_string(e.height()) + ";";
      }
      picture += "|";
    }
    const auto [other, is_new] = pictures.emplace(picture, word);
    EXPECT_TRUE(is_new) << word << " looks like " << other->second;
  }
}

TEST(Symbols, of_joints_on_one_pin_share_foot_and_name) {
  const Drawn d = drawn_file("jansen_leg");
  const results::Scene scene = build_scene(d.model, d.mechanism, d.drawing, 0.01);
  int feet = 0;
  for (const Thing& thing : scene.things) {
    for (const Part& part : thing.parts) feet += std::holds_alternative<Foot>(part);
  }
  EXPECT_EQ(feet, 2);
  const auto is_named = [&](const std::string& text) {
    return std::any_of(scene.names.begin(), scene.names.end(), [&](const Name& name) { return name.text == text; });
  };
  EXPECT_TRUE(is_named("B, Bc"));
  EXPECT_TRUE(is_named("Pj, Pk"));
}

// --- paths ------------------------------------------------------------------------------------------------------------

TEST(Paths, have_ticks_at_equal_steps_of_the_input) {
  const Drawn d = drawn_text(R"(trammel: 1
units: {length: mm, angle: deg}
bodies: {crank: {mass: 1, shape: {rod: [[0, 0, 0], [30, 0, 0]], radius: 2}}}
joints: {O: {revolute: [ground, crank], at: [0, 0, 0], axis: z}}
outputs: {P: {point: [30, 0, 0], on: crank}}
inputs: {O: {from: 0, to: 360, step: 2.5}}
)");
  AnalysisOptions options;
  options.inputs = inputs_of(d.mechanism);
  EXPECT_NEAR(default_tick_step(d.mechanism, options), 10 * pi / 180, 1e-12);
  const Analysis analysis = analyze(d.mechanism, options);
  const std::vector<DrawnPath> paths = paths_of(d.mechanism, options, analysis, {}, 10 * pi / 180);
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_EQ(paths[0].points.size(), 145u);
  ASSERT_EQ(paths[0].ticks.size(), 37u);
  for (std::size_t k = 0; k < 37; ++k) {
    const Vec3d p = paths[0].points[paths[0].ticks[k]];
    const double angle = static_cast<double>(k) * 10 * pi / 180;
    EXPECT_NEAR(norm(p - Vec3d{0.03 * std::cos(angle), 0.03 * std::sin(angle), 0}), 0, 1e-12);
  }
  EXPECT_TRUE(paths_of(d.mechanism, options, analysis, {"another"}, 1).empty());
}

TEST(Paths, break_off_where_there_is_no_position) {
  const Drawn d = drawn_file("stephenson_sixbar");
  AnalysisOptions options;
  options.inputs = inputs_of(d.mechanism);
  const Analysis analysis = analyze(d.mechanism, options);
  ASSERT_FALSE(analysis.imaginary.empty());
  LinkageDrawing drawing = d.drawing;
  drawing.paths = paths_of(d.mechanism, options, analysis, {}, 0);
  ASSERT_FALSE(drawing.paths.empty());
  const results::Scene scene = build_scene(d.model, d.mechanism, drawing, 0.01);
  for (const Thing& thing : scene.things) {
    if (thing.kind != Thing::Kind::path) continue;
    for (const Part& part : thing.parts) {
      for (const Vec3d& p : std::get<Line>(part).points) EXPECT_TRUE(std::isfinite(p.x + p.y + p.z));
    }
  }
}

// F moves on a circle about G. Near a dead point two steps of the input are far apart on it; the path is round there too, and reaches the end.
TEST(Paths, are_round_near_dead_points_and_reach_them) {
  const Drawn d = drawn_file("stephenson_sixbar");
  AnalysisOptions options;
  options.inputs = inputs_of(d.mechanism);
  options.inputs[0].speed = 1;
  const Analysis analysis = analyze(d.mechanism, options);
  const std::vector<DrawnPath> paths = paths_of(d.mechanism, options, analysis, {}, 0);
  ASSERT_EQ(paths.size(), 1u);
  const Vec3d G{45, 17, 0}, F{43, 32, 0};
  const double radius = norm(F - G);
  double roughest = 0;
  int reached = 0;
  for (std::size_t i = 0; i < paths[0].points.size(); ++i) {
    const Vec3d p = paths[0].points[i];
    if (std::isnan(p.x)) continue;
    EXPECT_NEAR(norm(p - G), radius, 2e-3 * radius);
    if (i > 0 && !std::isnan(paths[0].points[i - 1].x))
      roughest = std::max(roughest, 2 * std::asin(norm(p - paths[0].points[i - 1]) / (2 * radius)));
    for (const DeadPoint& dead : analysis.dead_points) {
      Workspace ws(d.mechanism);
      compute_positions(d.mechanism, ws, dead.q);
      reached += norm(p - pose_WB(d.mechanism, ws, d.mechanism.outputs[0].body) * d.mechanism.outputs[0].p_B) < 1e-9;
    }
  }
  EXPECT_LT(roughest, 4 * pi / 180);
  EXPECT_EQ(reached, static_cast<int>(analysis.dead_points.size()));
}

// --- what cannot be drawn -----------------------------------------------------------------------------------------------

TEST(DrawingProblem, is_a_linkage_without_extent) {
  Model model;
  add_body(model, "a", 0, {}, {});
  add_joint(model, "j", Revolute{}, "ground", "a", {});
  const Drawn d = drawn(model);
  const DrawingProblem problem = drawing_problem(d.model, d.mechanism, d.drawing);
  EXPECT_EQ(problem.what, "it has no extent: no shapes, and no two places that differ");
  EXPECT_EQ(problem.fix, "give its bodies shapes, or joints and points of interest at different places");
  EXPECT_THROW(d.svg(), std::invalid_argument);
}

TEST(DrawingProblem, is_an_eye_among_the_bodies_or_before_them) {
  const Drawn d = drawn_file("rssr");
  const auto problem = [&](const Vec3d& eye, const Vec3d& target) {
    return drawing_problem(d.model, d.mechanism, d.drawing,
                           {.views = {DrawingView::perspective}, .perspective = {.eye = eye, .target = target}})
        .what;
  };
  EXPECT_EQ(problem({0.5, 1, 1}, {0, 0, 0}), "the eye is too near: some of the linkage is beside or behind it");
  EXPECT_EQ(problem({10, 10, 10}, {20, 20, 20}), "the eye is too near: some of the linkage is beside or behind it");
  EXPECT_EQ(problem({1, 1, 1}, {1, 1, 1}), "the eye stands where it looks at");
  EXPECT_EQ(problem({10, 10, 10}, {0, 0, 0}), "");
}

TEST(DrawingProblem, is_a_plane_of_a_spatial_linkage) {
  const Drawn d = drawn_file("rssr");
  EXPECT_EQ(drawing_problem(d.model, d.mechanism, d.drawing, {.views = {DrawingView::plane}}).what,
            "it has no plane of its own: its axes are not parallel");
}

TEST(DrawingProblem, is_a_place_that_is_not_finite) {
  Drawn d = drawn_file("crank_rocker");
  d.drawing.position.X_WB[0].p.x = std::nan("");
  EXPECT_EQ(drawing_problem(d.model, d.mechanism, d.drawing).what, "a place in it is not a finite number");
}

TEST(DrawingView, is_known_by_its_word) {
  for (const char* word : {"plane", "xy", "xz", "yz", "perspective"}) {
    ASSERT_TRUE(drawing_view(word));
    EXPECT_EQ(keyword(*drawing_view(word)), word);
  }
  EXPECT_FALSE(drawing_view("zx"));
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of drawings, over random linkages and all models: a linkage carried elsewhere, with the eye, looks the same; nothing leaves
// the paper; plan views are in line; names keep clear of each other.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <rapidcheck/gtest.h>

#include <trammel/drawing.hpp>
#include <trammel/readers.hpp>

#include "results/drawing_sheet.hpp"
#include "support/generators.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using namespace results;  // NOLINT(google-build-using-namespace): the sources' own tests
using test::Random;

// Some bodies get shapes, of every kind, some joints springs, some bodies points of interest.
Model decorated(Model model, std::uint64_t seed) {
  Random random(seed);
  for (Body& body : model.bodies) {
    if (random.chance(0.4)) continue;
    Shape shape;
    shape.kind = static_cast<Shape::Kind>(random.integer(0, 6));
    shape.X_BS = random.pose(0.3);
    shape.size = {random.uniform(0.1, 0.6), random.uniform(0.1, 0.6), random.uniform(0.1, 0.6)};
    shape.length = random.uniform(0.1, 0.6);
    shape.radius = random.uniform(0.05, 0.3);
    if (shape.kind == Shape::Kind::plate) shape.outline = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0.4, 0.4, 0}, {0, 1, 0}};
    body.shapes.push_back(shape);
  }
  model.outputs.push_back({"point of interest", model.bodies.back().name, random.vector(0.5), {}});
  return model;
}

struct Drawn {
  Model model;
  Mechanism mechanism;
  LinkageDrawing drawing;
};
Drawn drawn(const Model& model) {
  Drawn d{model, {}, {}};
  CompileResult compiled = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  d.mechanism = std::move(compiled.mechanism);
  d.drawing.position = design_position(d.mechanism);
  return d;
}

// What is seen of each thing, in the scene's own order: extent and number of its marks.
struct Seen {
  std::string name;
  std::vector<Extent2> extents;
};
std::vector<Seen> seen_of(const results::Scene& scene, const Camera& camera) {
  std::vector<Seen> list(scene.things.size());
  for (const SeenThing& one : see(scene, camera)) {
    Seen& seen = list[static_cast<std::size_t>(one.thing - scene.things.data())];
    seen.name = one.thing->name;
    for (const Mark& mark : one.marks) seen.extents.emplace_back().take(mark.outline);
  }
  return list;
}

RC_GTEST_PROP(Drawing, of_a_linkage_carried_elsewhere_with_the_eye_is_the_same, (const test::LinkageCase& c)) {
  const Model model = decorated(c.model(), c.seed);
  Random random(c.seed + 7);
  const Transformd X = random.pose(2);
  const Drawn here = drawn(model), there = drawn(test::moved(model, X));
  const double u = 0.03;
  const results::Scene scene = build_scene(here.model, here.mechanism, here.drawing, u);
  const results::Scene moved_scene = build_scene(there.model, there.mechanism, there.drawing, u);
  const bool parallel = random.chance(0.5);
  Camera camera{random.rotation(), random.vector(0.2), 0};
  if (!parallel) camera = {camera.R, camera.R.ez * 30.0, 30};
  const Camera moved_camera{X.R * camera.R, X * camera.origin, camera.distance};
  const std::vector<Seen> a = seen_of(scene, camera), b = seen_of(moved_scene, moved_camera);
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].name == b[i].name);
    RC_ASSERT(a[i].extents.size() == b[i].extents.size());
    for (std::size_t k = 0; k < a[i].extents.size(); ++k) {
      const Extent2 &p = a[i].extents[k], &q = b[i].extents[k];
      RC_ASSERT(std::abs(p.left - q.left) < 1e-8);
      RC_ASSERT(std::abs(p.right - q.right) < 1e-8);
      RC_ASSERT(std::abs(p.bottom - q.bottom) < 1e-8);
      RC_ASSERT(std::abs(p.top - q.top) < 1e-8);
    }
  }
}

// --- the paper --------------------------------------------------------------------------------------------------------

// Every place that the SVG names, and the size of its paper.
struct Paper {
  double width = 0, height = 0;
  std::vector<Pixel> places;
};
Paper paper_of(const std::string& svg) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description();
  Paper paper;
  const pugi::xml_node root = document.child("svg");
  std::istringstream box(root.attribute("viewBox").value());
  double x = 0, y = 0;
  box >> x >> y >> paper.width >> paper.height;
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, 0);
  const auto number = [](const pugi::xml_node& node, const char* name) { return node.attribute(name).as_double(1e9); };
  for (const auto& found : document.select_nodes("//circle")) {
    const pugi::xml_node node = found.node();
    const double r = number(node, "r");
    for (const double side : {-r, r}) paper.places.push_back({number(node, "cx") + side, number(node, "cy") + side});
  }
  for (const auto& found : document.select_nodes("//line")) {
    const pugi::xml_node node = found.node();
    paper.places.push_back({number(node, "x1"), number(node, "y1")});
    paper.places.push_back({number(node, "x2"), number(node, "y2")});
  }
  for (const auto& found : document.select_nodes("//text")) {
    paper.places.push_back({number(found.node(), "x"), number(found.node(), "y")});
  }
  for (const auto& found : document.select_nodes("//path")) {
    std::string data = found.node().attribute("d").value();
    // Arcs: their radii and flags are no places.
    for (std::size_t at = data.find('A'); at != std::string::npos; at = data.find('A', at + 1)) {
      std::istringstream arc(data.substr(at + 1));
      double skipped = 0;
      for (int k = 0; k < 5; ++k) arc >> skipped;
      arc >> x >> y;
      EXPECT_FALSE(arc.fail()) << data;
      paper.places.push_back({x, y});
    }
    for (const char letter : {'M', 'L'}) {
      for (std::size_t at = data.find(letter); at != std::string::npos; at = data.find(letter, at + 1)) {
        std::istringstream point(data.substr(at + 1));
        point >> x >> y;
        EXPECT_FALSE(point.fail()) << data;
        paper.places.push_back({x, y});
      }
    }
  }
  return paper;
}

std::size_t places_off_the_paper(const std::string& svg) {
  const Paper paper = paper_of(svg);
  EXPECT_GT(paper.places.size(), 5u);
  return static_cast<std::size_t>(std::count_if(paper.places.begin(), paper.places.end(), [&](const Pixel& p) {
    return !(0 <= p.x && p.x <= paper.width && 0 <= p.y && p.y <= paper.height);
  }));
}

RC_GTEST_PROP(Drawing, stays_on_its_paper, (const test::LinkageCase& c)) {
  const Drawn d = drawn(decorated(c.model(), c.seed));
  DrawingOptions options;
  if (c.seed % 2 == 0) options.views = {DrawingView::xy, DrawingView::xz, DrawingView::yz, DrawingView::perspective};
  RC_ASSERT(places_off_the_paper(svg_drawing(d.model, d.mechanism, d.drawing, options)) == 0u);
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

void check_sheet(const Sheet& sheet) {
  for (const Panel& panel : sheet.panels) {
    for (std::size_t i = 0; i < panel.labels.size(); ++i) {
      const Box& box = panel.labels[i].box;
      EXPECT_TRUE(box.x >= panel.box.x && box.right() <= panel.box.right() && box.y >= panel.box.y &&
                  box.bottom() <= panel.box.bottom());
      for (std::size_t k = 0; k < i; ++k) {
        EXPECT_FALSE(overlap(box, panel.labels[k].box))
            << panel.wanted[panel.labels[i].wanted].text << " on " << panel.wanted[panel.labels[k].wanted].text;
      }
    }
    if (panel.is_plan()) {
      EXPECT_EQ(panel.scale, sheet.scale);  // one scale
    }
  }
  for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(sheet.panels[i].box, sheet.panels[k].box));
  }
}

RC_GTEST_PROP(PlanViews, are_in_line_on_the_sheet, (const test::LinkageCase& c)) {
  const Drawn d = drawn(decorated(c.model(), c.seed));
  const std::vector<DrawingView> views{DrawingView::xy, DrawingView::xz, DrawingView::yz, DrawingView::perspective};
  const Sheet sheet = lay_out(d.model, d.mechanism, d.drawing, {.views = views}, false);
  check_sheet(sheet);
  RC_ASSERT(!testing::Test::HasFailure());
  const Vec3d p = Random(c.seed).vector();
  const auto at = [&](DrawingView view) {
    const auto panel =
        std::find_if(sheet.panels.begin(), sheet.panels.end(), [&](const Panel& q) { return q.view == view; });
    const Projected seen = panel->camera.project(p);
    return panel->pixel({seen.x, seen.y});
  };
  const Pixel xy = at(DrawingView::xy), xz = at(DrawingView::xz), yz = at(DrawingView::yz);
  RC_ASSERT(std::abs(xy.x - xz.x) < 1e-9 * sheet.width);   // above each other
  RC_ASSERT(std::abs(xz.y - yz.y) < 1e-9 * sheet.height);  // beside each other
  RC_ASSERT(xy.y < sheet.height && xz.y != xy.y);
}

// --- all models -------------------------------------------------------------------------------------------------------

std::vector<std::string> model_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(test::source_dir()) / "models")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class EveryModelDrawn : public testing::TestWithParam<std::string> {
 protected:
  Drawn read() const {
    ReadResult result = read_model(test::source_dir() + "/models/" + GetParam() + ".yaml");
    EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
    return drawn(result.model);
  }
};

TEST_P(EveryModelDrawn, stays_on_its_paper_with_names_apart) {
  const Drawn d = read();
  for (const auto& views : {std::vector<DrawingView>{}, std::vector<DrawingView>{DrawingView::perspective},
                            std::vector<DrawingView>{DrawingView::xz, DrawingView::yz}}) {
    const DrawingOptions options{.views = views};
    EXPECT_EQ(places_off_the_paper(svg_drawing(d.model, d.mechanism, d.drawing, options)), 0u);
    check_sheet(lay_out(d.model, d.mechanism, d.drawing, options, false));
  }
}

TEST_P(EveryModelDrawn, gives_the_same_bytes_again) {
  const Drawn d = read();
  EXPECT_EQ(svg_drawing(d.model, d.mechanism, d.drawing), svg_drawing(d.model, d.mechanism, d.drawing));
  EXPECT_EQ(dxf_drawing(d.model, d.mechanism, d.drawing), dxf_drawing(d.model, d.mechanism, d.drawing));
}

// Every body and every joint but free ones is to be seen.
TEST_P(EveryModelDrawn, shows_all_bodies_and_joints) {
  const Drawn d = read();
  const std::string svg = svg_drawing(d.model, d.mechanism, d.drawing);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg.c_str()));
  const auto has = [&](const std::string& title) {
    for (const auto& found : document.select_nodes("//g/title")) {
      if (found.node().child_value() == title) return true;
    }
    return false;
  };
  for (const JointInfo& joint : d.mechanism.joints) {
    const bool is_free = std::holds_alternative<Free>(joint.type);
    // A guide on which a body of its own shape slides along another that moves is only a line, when it is seen along: not here.
    EXPECT_EQ(has("joint " + joint.name), !is_free) << joint.name;
  }
  const double u = lay_out(d.model, d.mechanism, d.drawing, {}, false).scene.unit;
  const Subject subject{d.model, d.mechanism, d.drawing, d.drawing.position, false, u};
  for (int b = 0; b < d.mechanism.body_count(); ++b) {
    const std::string& name = d.mechanism.bodies[static_cast<std::size_t>(b)].name;
    EXPECT_EQ(has("body " + name), !subject.solids(b).empty()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelDrawn, testing::ValuesIn(model_files()),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace trammel

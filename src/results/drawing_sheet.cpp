// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "results/drawing_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

namespace trammel::results {
namespace {

constexpr double padding = 30;       // px around what is drawn in a panel, for names
constexpr double head = 18;          // px above a panel, for its title, where there are several
constexpr double axes_size = 40;     // px, of the corner with the axes
constexpr double footer = 30;        // px, for the bar
constexpr double least_panel = 240;  // px, of a perspective beside plan views
constexpr double corner_gap = 4;

struct Size {
  double width = 0, height = 0;
};

// --- how large things are ---------------------------------------------------------------------------------------------

// Points of the linkage itself, without symbols.
std::vector<Vec3d> bare_extent(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing) {
  std::vector<Vec3d> points;
  const auto take = [&](const DrawnPosition& position) {
    const Subject subject{model, mechanism, drawing, position};
    for (const JointInfo& joint : mechanism.joints) {
      if (!std::holds_alternative<Free>(joint.type)) points.push_back(subject.X_WF(joint).p);
    }
    for (int b = 0; b < mechanism.body_count(); ++b) {
      const Body& body = model.bodies[static_cast<std::size_t>(b)];
      const Transformd X_WB = subject.X_WB(b);
      const std::vector<const Shape*> shapes = drawable_shapes(body);
      for (const Shape* shape : shapes) {
        if (const auto solid = solid_of(*shape, X_WB, 0)) add_extent(*solid, points);
      }
      for (const Vec3d& p : shapes.empty() ? subject.skeleton_points(b) : subject.attachments(b))
        points.push_back(X_WB * p);
    }
  };
  take(drawing.position);
  for (const DrawnPosition& other : drawing.others) take(other);
  for (const DrawnPath& path : drawing.paths) {
    for (const Vec3d& p : path.points) {
      if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) points.push_back(p);
    }
  }
  return points;
}

// The largest distance from the middle of all points, twice: it does not depend on axes.
double size_of(const std::vector<Vec3d>& points) {
  Vec3d sum;
  for (const Vec3d& p : points) sum += p;
  const Vec3d middle = sum * (1 / std::max<double>(1, static_cast<double>(points.size())));
  double radius = 0;
  for (const Vec3d& p : points) radius = std::max(radius, norm(p - middle));
  return 2 * radius;
}

// The shortest distance between joints that are apart.
double least_spacing(const Mechanism& mechanism, const LinkageDrawing& drawing, const Model& model, double size) {
  const Subject subject{model, mechanism, drawing, drawing.position};
  double least = std::numeric_limits<double>::infinity();
  std::vector<Vec3d> places;
  for (const JointInfo& joint : mechanism.joints) {
    if (!std::holds_alternative<Free>(joint.type)) places.push_back(subject.X_WF(joint).p);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = norm(places[i] - places[j]);
      if (d > 1e-3 * size) least = std::min(least, d);
    }
  }
  return least;
}

// --- where views stand ------------------------------------------------------------------------------------------------

// Third angle: xy above xz, yz to its right; the perspective in the corner that is left. Views that do not belong together
// so stand in a row.
void place_in_grid(std::vector<Panel>& panels) {
  const auto cell = [](DrawingView view) -> std::pair<int, int> {
    switch (view) {
      case DrawingView::xz:
        return {1, 0};
      case DrawingView::yz:
        return {1, 1};
      case DrawingView::perspective:
        return {0, 1};
      default:
        return {0, 0};
    }
  };
  const bool has_plane =
      std::any_of(panels.begin(), panels.end(), [](const Panel& p) { return p.view == DrawingView::plane; });
  bool natural = !has_plane || panels.size() == 1;
  if (panels.size() == 2) {
    const auto [r0, c0] = cell(panels[0].view);
    const auto [r1, c1] = cell(panels[1].view);
    natural = (r0 == r1) != (c0 == c1);
  }
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i].row_span = 1;
    std::tie(panels[i].row, panels[i].column) =
        natural ? cell(panels[i].view) : std::pair<int, int>{0, static_cast<int>(i)};
  }
  // Without empty rows and columns.
  for (int Panel::*place : {&Panel::row, &Panel::column}) {
    std::vector<int> used;
    used.reserve(panels.size());
    for (const Panel& panel : panels) used.push_back(panel.*place);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (Panel& panel : panels)
      panel.*place = static_cast<int>(std::find(used.begin(), used.end(), panel.*place) - used.begin());
  }
}

// Plan views that share an axis show the same range of it.
void align(std::vector<Panel>& panels) {
  const auto find = [&](DrawingView view) {
    const auto found = std::find_if(panels.begin(), panels.end(), [&](const Panel& p) { return p.view == view; });
    return found == panels.end() ? nullptr : &*found;
  };
  Panel *xy = find(DrawingView::xy), *xz = find(DrawingView::xz), *yz = find(DrawingView::yz);
  if (xy != nullptr && xz != nullptr && xy->column == xz->column) {
    xy->extent.left = xz->extent.left = std::min(xy->extent.left, xz->extent.left);
    xy->extent.right = xz->extent.right = std::max(xy->extent.right, xz->extent.right);
  }
  if (xz != nullptr && yz != nullptr && xz->row == yz->row) {
    xz->extent.bottom = yz->extent.bottom = std::min(xz->extent.bottom, yz->extent.bottom);
    xz->extent.top = yz->extent.top = std::max(xz->extent.top, yz->extent.top);
  }
}

struct Grid {
  std::vector<double> widths, heights;  // of columns and rows: px, without padding
  double scale = 0;
};

// Of a panel, with the padding between its rows.
double height_of(const Panel& panel, const Grid& grid) {
  double height = (2 * padding + head) * (panel.row_span - 1);
  for (int r = panel.row; r < panel.row + panel.row_span; ++r) height += grid.heights[static_cast<std::size_t>(r)];
  return height;
}

// The largest scale at which all plan views fit into the space, and the columns and rows that follow.
Grid fit(const std::vector<Panel>& panels, const Size& space) {
  int columns = 0, rows = 0;
  for (const Panel& panel : panels) columns = std::max(columns, panel.column + 1), rows = std::max(rows, panel.row + 1);
  std::vector<double> plan_widths(static_cast<std::size_t>(columns)), plan_heights(static_cast<std::size_t>(rows));
  std::vector<double> least_widths(plan_widths), least_heights(plan_heights);
  const bool alone = panels.size() == 1;
  for (const Panel& panel : panels) {
    const auto c = static_cast<std::size_t>(panel.column), r = static_cast<std::size_t>(panel.row);
    if (panel.is_plan()) {
      plan_widths[c] = std::max(plan_widths[c], panel.extent.width());
      plan_heights[r] = std::max(plan_heights[r], panel.extent.height());
    } else if (!alone) {
      least_widths[c] = least_panel;
      if (panel.row_span == 1) least_heights[r] = least_panel;
    }
  }
  const auto scale_for = [](const std::vector<double>& plans, const std::vector<double>& least, double room,
                            double per) {
    // Cells that need their least size whatever the scale leave less room to the others.
    double sum = 0;
    room -= per * static_cast<double>(plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i] == 0) {
        room -= least[i];
      } else {
        sum += plans[i];
      }
    }
    double scale = sum > 0 ? room / sum : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (plans[i] > 0 && plans[i] * scale < least[i]) {
        const double rest = sum - plans[i];
        if (rest > 0) scale = std::min(scale, (room - least[i]) / rest);
      }
    }
    return scale;
  };
  const double row_head = panels.size() > 1 ? head : 0;
  Grid grid;
  grid.scale = std::min(scale_for(plan_widths, least_widths, space.width, 2 * padding),
                        scale_for(plan_heights, least_heights, space.height, 2 * padding + row_head));
  const auto cells = [&](const std::vector<double>& plans, const std::vector<double>& least, std::vector<double>& out) {
    for (std::size_t i = 0; i < plans.size(); ++i)
      out.push_back(std::max(std::isfinite(grid.scale) ? plans[i] * grid.scale : 0.0, least[i]));
  };
  cells(plan_widths, least_widths, grid.widths);
  cells(plan_heights, least_heights, grid.heights);
  if (alone && !panels.front().is_plan()) {  // a perspective by itself
    const Extent2& e = panels.front().extent;
    const double scale = std::min((space.width - 2 * padding) / e.width(), (space.height - 2 * padding) / e.height());
    grid.widths = {e.width() * scale}, grid.heights = {e.height() * scale};
  }
  for (const Panel& panel : panels) {  // one beside all rows takes what is left of the width, if it can use it
    if (panel.row_span == 1) continue;
    double left = space.width;
    for (const double w : grid.widths) left -= w + 2 * padding;
    double& width = grid.widths[static_cast<std::size_t>(panel.column)];
    const double wanted = height_of(panel, grid) * panel.extent.width() / panel.extent.height();
    width = std::clamp(wanted, width, width + std::max(left, 0.0));
  }
  return grid;
}

double scale_of(const Panel& panel, const Grid& grid) {
  if (panel.is_plan()) return grid.scale;
  return std::min(grid.widths[static_cast<std::size_t>(panel.column)] / panel.extent.width(),
                  height_of(panel, grid) / panel.extent.height());
}

// In the corner that the plan views leave, or beside all of them where that makes the perspective much larger at little cost: for
// things that are tall.
Grid fit_with_perspective(std::vector<Panel>& panels, const Size& space) {
  Grid grid = fit(panels, space);
  const auto view = std::find_if(panels.begin(), panels.end(), [](const Panel& panel) { return !panel.is_plan(); });
  if (view == panels.end() || grid.heights.size() < 2) return grid;
  const double scale = scale_of(*view, grid);
  const Panel corner = *view;
  view->row = 0, view->column = static_cast<int>(grid.widths.size()),
  view->row_span = static_cast<int>(grid.heights.size());
  Grid beside = fit(panels, space);
  if (scale_of(*view, beside) > 1.7 * scale && beside.scale > 0.9 * grid.scale) return beside;
  *view = corner;
  return grid;
}

void set_boxes(std::vector<Panel>& panels, const Grid& grid, double left, double top) {
  const double row_head = panels.size() > 1 ? head : 0;
  for (Panel& panel : panels) {
    double x = left, y = top;
    for (int c = 0; c < panel.column; ++c) x += grid.widths[static_cast<std::size_t>(c)] + 2 * padding;
    for (int r = 0; r < panel.row; ++r) y += grid.heights[static_cast<std::size_t>(r)] + 2 * padding + row_head;
    const double width = grid.widths[static_cast<std::size_t>(panel.column)];
    const double height = height_of(panel, grid);
    const Extent2& e = panel.extent;
    panel.box = {x, y + row_head, width + 2 * padding, height + 2 * padding};
    panel.scale = scale_of(panel, grid);
    const double middle_x = (e.left + e.right) / 2, middle_y = (e.bottom + e.top) / 2;
    panel.origin = {panel.box.x + panel.box.width / 2 - middle_x * panel.scale,
                    panel.box.y + panel.box.height / 2 + middle_y * panel.scale};
  }
}

// --- names ------------------------------------------------------------------------------------------------------------

bool is_wanted(const Name& name, const DrawingOptions& options) {
  return name.kind == Thing::Kind::joint  ? options.joint_names
         : name.kind == Thing::Kind::body ? options.body_names
                                          : options.point_names;
}

void put_names(const Scene& scene, const DrawingOptions& options, double letter_size, Panel& panel) {
  LabelSpace space;
  space.size = letter_size;
  space.frame = {panel.box.x + 1, panel.box.y + 1, panel.box.width - 2, panel.box.height - 2};
  for (const SeenThing& one : panel.things) {
    for (const Mark& mark : one.marks) {
      for (const Point2& p : samples_of(mark.outline, 3 / panel.scale)) space.lines.push_back(panel.pixel(p));
    }
  }
  // The axes stand in the emptiest corner.
  double fewest = std::numeric_limits<double>::infinity();
  for (const auto& [right, down] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{1, 0}, std::pair{0, 0}}) {
    const Box corner{panel.box.x + corner_gap + right * (panel.box.width - axes_size - 2 * corner_gap),
                     panel.box.y + corner_gap + down * (panel.box.height - axes_size - 2 * corner_gap), axes_size,
                     axes_size};
    const auto count = static_cast<double>(std::count_if(space.lines.begin(), space.lines.end(), [&](const Pixel& p) {
      return corner.x < p.x && p.x < corner.right() && corner.y < p.y && p.y < corner.bottom();
    }));
    if (count >= fewest) continue;
    fewest = count;
    panel.axes = {corner.x, corner.y};
  }
  space.taken.push_back({panel.axes.x, panel.axes.y, axes_size, axes_size});
  for (const Name& name : scene.names) {
    const Projected first = panel.camera.project(name.at.front());
    const double size = panel.scale * (panel.is_plan() ? 1 : panel.camera.distance / first.depth);
    if (name.kind != Thing::Kind::body) {
      const Pixel p = panel.pixel({first.x, first.y});
      const double r = name.clear * size;
      space.taken.push_back({p.x - r, p.y - r, 2 * r, 2 * r});
    }
    if (!is_wanted(name, options)) continue;
    WantedLabel label{.text = name.text, .at = {}, .clear = name.clear * size};
    for (const Vec3d& at : name.at) {
      const Projected q = panel.camera.project(at);
      label.at.push_back(panel.pixel({q.x, q.y}));
    }
    label.bold = name.kind == Thing::Kind::point;
    label.priority = name.kind == Thing::Kind::point ? 2 : name.kind == Thing::Kind::joint ? 1 : 0;
    panel.wanted.push_back(std::move(label));
    panel.names.push_back(&name);
  }
  panel.labels = place_labels(panel.wanted, space);
}

// --- the rest ---------------------------------------------------------------------------------------------------------

std::string title_of(DrawingView view) {
  switch (view) {
    case DrawingView::xy:
      return "xy, from +z";
    case DrawingView::xz:
      return "xz, from −y";
    case DrawingView::yz:
      return "yz, from +x";
    case DrawingView::plane:
      return "plane";
    case DrawingView::perspective:
      break;
  }
  return "perspective";
}

// A round length of the model's unit, about a seventh of the width.
void set_scale_bar(const Mechanism& mechanism, double width, Sheet& sheet) {
  if (!(sheet.scale > 0)) return;
  const double metres = std::clamp(width / 7, 60.0, 120.0) / sheet.scale;
  const double wanted = mechanism.units.from_si(metres, dimension::length);
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  const double digit = wanted / power, round = (digit < 2 ? 1 : digit < 5 ? 2 : 5) * power;
  const double length = mechanism.units.in_si(round, dimension::length) * sheet.scale;
  sheet.scale_text = fmt::format("{:.6g} {}", round, mechanism.units.length);
  sheet.scale_bar = {look::margin + 4, sheet.height - look::margin - 6, length, 0};
}

// The size of the paper, and everything's place on it.
void set_paper(const Mechanism& mechanism, const DrawingOptions& options, bool width_is_given, const Grid& grid,
               Sheet& sheet) {
  double width = 0, height = 0;
  for (const double w : grid.widths) width += w + 2 * padding;
  for (const double h : grid.heights) height += h + 2 * padding + (sheet.panels.size() > 1 ? head : 0);
  if (!width_is_given) sheet.width = std::max(width + 2 * look::margin, std::min(sheet.width, 360.0));
  sheet.title_text = options.title.empty() ? mechanism.name : options.title;
  sheet.title = title_block(sheet.title_text, options.subtitle, sheet.width);
  set_boxes(sheet.panels, grid, (sheet.width - width) / 2, look::margin + sheet.title.height());
  sheet.height = 2 * look::margin + sheet.title.height() + height;
  for (const Panel& panel : sheet.panels) {
    if (panel.is_plan()) sheet.scale = panel.scale;
  }
  if (sheet.scale > 0) sheet.height += footer;
  set_scale_bar(mechanism, sheet.width, sheet);
}

// Names that stand in none of the views.
std::vector<std::string> names_left_out(const Sheet& sheet) {
  std::vector<std::string> left_out;
  for (const Name& name : sheet.scene.names) {
    bool is_wanted_somewhere = false, is_placed = false;
    for (const Panel& panel : sheet.panels) {
      is_wanted_somewhere =
          is_wanted_somewhere || std::find(panel.names.begin(), panel.names.end(), &name) != panel.names.end();
      is_placed = is_placed || std::any_of(panel.labels.begin(), panel.labels.end(), [&](const PlacedLabel& label) {
                    return panel.names[label.wanted] == &name;
                  });
    }
    if (is_wanted_somewhere && !is_placed) left_out.push_back(name.text);
  }
  return left_out;
}

DrawingProblem problem_of(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                          const DrawingOptions& options, const std::vector<Vec3d>& bare) {
  for (const Vec3d& p : bare) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      return {"a place in it is not a finite number", "check the sizes and units"};
  }
  const double size = size_of(bare);
  if (!(size > 0))
    return {"it has no extent: no shapes, and no two places that differ",
            "give its bodies shapes, or joints and points of interest at different places"};
  const std::vector<DrawingView> views = views_of(mechanism, drawing, options);
  const auto asks_for = [&](DrawingView view) { return std::find(views.begin(), views.end(), view) != views.end(); };
  if (asks_for(DrawingView::plane) && !plane_of_motion(mechanism, drawing.position))
    return {"it has no plane of its own: its axes are not parallel", "choose the views xy, xz, yz or perspective"};
  if (!asks_for(DrawingView::perspective)) return {};
  const DrawingEye& eye = options.perspective;
  if (eye.up && !(norm(*eye.up) > 0)) return {"the direction up has no length", "give a direction other than 0,0,0"};
  const std::vector<Vec3d> extent = extent_of(build_scene(model, mechanism, drawing, 0.005 * size));
  const Camera camera = camera_of(DrawingView::perspective, mechanism, drawing, options, extent);
  if (!(camera.distance > 1e-6 * size))
    return {"the eye stands where it looks at", "move the eye, or let it look at another point"};
  const auto is_near = [&](const Vec3d& p) { return camera.project(p).depth < nearest_share * camera.distance; };
  if (std::any_of(extent.begin(), extent.end(), is_near))
    return {"the eye is too near: some of the linkage is beside or behind it", "move the eye farther away"};
  return {};
}

}  // namespace

Sheet lay_out(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
              const DrawingOptions& options, bool plans_only) {
  const std::vector<Vec3d> bare = bare_extent(model, mechanism, drawing);
  if (const DrawingProblem wrong = problem_of(model, mechanism, drawing, options, bare); !wrong.what.empty())
    throw std::invalid_argument(wrong.what);
  Sheet sheet;
  for (const DrawingView view : views_of(mechanism, drawing, options)) {
    if (plans_only && view == DrawingView::perspective) continue;
    Panel& panel = sheet.panels.emplace_back();
    panel.view = view;
    panel.title = title_of(view);
  }
  if (sheet.panels.empty()) throw std::invalid_argument("there is no plan view to draw");
  const bool alone = sheet.panels.size() == 1, is_given = options.width > 0;
  sheet.width = is_given ? std::clamp(options.width, 240.0, 10000.0) : alone ? 640 : 940;
  sheet.letter_size = alone ? 11.5 : 10.5;

  // First with pins of a guessed size, to learn the scale; then with pins of the right size on paper, unless joints are too
  // close together for them.
  const double size = size_of(bare), pin = alone ? 4.6 : 3.7;
  double u = 0.008 * size;
  Grid grid;
  for (int pass = 0; pass < 2; ++pass) {
    sheet.scene = build_scene(model, mechanism, drawing, u);
    const std::vector<Vec3d> extent = extent_of(sheet.scene);
    for (Panel& panel : sheet.panels) {
      panel.camera = camera_of(panel.view, mechanism, drawing, options, extent);
      panel.things = see(sheet.scene, panel.camera);
      panel.extent = extent_of(panel.things);
    }
    place_in_grid(sheet.panels);
    align(sheet.panels);
    grid = fit_with_perspective(sheet.panels, {sheet.width - 2 * look::margin, 0.97 * sheet.width});
    const double scale = scale_of(sheet.panels.front(), grid);
    if (pass == 0)
      u = std::max(0.5 * pin / scale, std::min(pin / scale, 0.3 * least_spacing(mechanism, drawing, model, size)));
  }
  set_paper(mechanism, options, is_given, grid, sheet);
  for (Panel& panel : sheet.panels) put_names(sheet.scene, options, sheet.letter_size, panel);
  sheet.left_out = names_left_out(sheet);
  return sheet;
}

}  // namespace trammel::results

namespace trammel {

DrawingProblem drawing_problem(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                               const DrawingOptions& options) {
  return results::problem_of(model, mechanism, drawing, options, results::bare_extent(model, mechanism, drawing));
}

}  // namespace trammel

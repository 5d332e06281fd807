// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Drawings of a linkage: KAM's SKETCH, the plan views, and PERVEW, a true perspective. Links are drawn between their joints or as the
// shapes that the model gives them, pairs by their usual symbols, the ground hatched, with names; further positions stand faint
// behind, and points of interest draw their paths. As SVG for papers, as DXF (R12) of the plan views for CAD.
//
//   LinkageDrawing drawing{.position = design_position(mechanism)};
//   svg_drawing(model, mechanism, drawing)                                           text of an SVG file
//   svg_drawing(model, mechanism, drawing, {.views = {DrawingView::perspective}})
//   dxf_drawing(model, mechanism, drawing)                                           text of a DXF file, in the units of the model
//
// Nothing is hidden: what is nearer is painted later. Same input, same bytes.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/analysis.hpp>
#include <trammel/mechanism.hpp>

namespace trammel {

// --- what is drawn ----------------------------------------------------------------------------------------------------

// Where every body of the mechanism is: X_WB, in its order.
struct DrawnPosition {
  std::vector<Transformd> X_WB;
};
// As the model is drawn, whether it closes or not.
DrawnPosition design_position(const Mechanism& mechanism);
// Of a step that has a position.
DrawnPosition position_of(const AnalysisStep& step);

// The curve of a point of interest, with marks at equal steps of the input.
struct DrawnPath {
  std::string name;
  std::vector<Vec3d> points;       // in the world; not finite: a gap
  std::vector<std::size_t> ticks;  // indices of points
};
// The paths of the named outputs (all, if none is named) over the steps of an analysis. A tick stands at the first step and then each
// time the innermost input that moves has gone on by `tick_step` (in SI; 0: none). Nested sweeps give a path for each row.
std::vector<DrawnPath> paths_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis,
                                const std::vector<std::string>& names, double tick_step);
// A round number of the sweep's steps that gives three dozen ticks or fewer: 10° of a full turn.
double default_tick_step(const Mechanism& mechanism, const AnalysisOptions& options);

struct LinkageDrawing {
  DrawnPosition position;
  std::vector<DrawnPosition> others = {};  // faint
  std::vector<DrawnPath> paths = {};
  std::vector<DrawnPosition> swept = {};  // not drawn: guides are as long as the travel in these positions
};

// --- how --------------------------------------------------------------------------------------------------------------

// xy is seen from +z, xz from −y, yz from +x: laid out as engineers do (third angle), xy above xz, yz beside it, to one scale.
enum class DrawingView { plane, xy, xz, yz, perspective };
std::string_view keyword(DrawingView view);
std::optional<DrawingView> drawing_view(std::string_view word);

// A pinhole camera at `eye`, whose picture has `target` in its middle and `up` upwards.
struct DrawingEye {
  std::optional<Vec3d> eye = {}, target = {}, up = {};  // left out: chosen so that all is seen, up against gravity
};

struct DrawingOptions {
  std::vector<DrawingView> views =
      {};  // empty: `plane` for a linkage that moves in one, otherwise the plan views and a perspective
  DrawingEye perspective = {};
  std::string title = {};  // empty: the name of the model
  std::string subtitle = {};
  bool joint_names = true, body_names = true, point_names = true;
  double width = 0;  // px, of the whole picture (240 … 10000); 0: chosen by the number of views
};

// The plane that a linkage moves in: its own (planar: of a model), or where all its turns are about parallel axes and all its travels
// square to them. Nothing for spatial linkages.
std::optional<Plane> plane_of_motion(const Mechanism& mechanism, const DrawnPosition& position);

// Why it cannot be drawn so, and what to do: it has no extent, no plane of its own, or the eye stands among the bodies or has some of them
// behind it. Both empty: it can.
struct DrawingProblem {
  std::string what, fix;
};
DrawingProblem drawing_problem(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                               const DrawingOptions& options = {});

struct DrawingReport {
  std::vector<DrawingView> views;
  double scale = 0;                   // of plan views: px (of the SVG) per metre
  std::vector<std::string> left_out;  // names that found no room in any of them
};

// What cannot be drawn (see drawing_problem) throws std::invalid_argument.
std::string svg_drawing(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                        const DrawingOptions& options = {}, DrawingReport* report = nullptr);
// Plan views only, side by side in the model's unit of length: the first of them at its true coordinates. A perspective among the views
// is left out; where there is no other, std::invalid_argument.
std::string dxf_drawing(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
                        const DrawingOptions& options = {}, DrawingReport* report = nullptr);

}  // namespace trammel

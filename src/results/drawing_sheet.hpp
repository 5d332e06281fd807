// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sheet of paper that a drawing is on: its views side by side, plan views to one scale and in line with each other, as third-angle
// projection has them; names; axes; a bar for the scale.

#include <string>
#include <vector>

#include "results/drawing_labels.hpp"
#include "results/drawing_marks.hpp"
#include "results/drawing_views.hpp"
#include "results/plot_parts.hpp"

namespace trammel::results {

struct Panel {
  DrawingView view = DrawingView::plane;
  std::string title;
  Camera camera;
  std::vector<SeenThing> things;
  Extent2 extent;  // what is shown: m, in the view's own coordinates
  int row = 0, column = 0, row_span = 1;
  double scale = 0;  // px per m
  Box box;
  Pixel origin;  // of the view's (0, 0)
  std::vector<const Name*> names;
  std::vector<WantedLabel> wanted;  // of each
  std::vector<PlacedLabel> labels;
  Pixel axes;  // where the little axes stand

  bool is_plan() const { return view != DrawingView::perspective; }
  Pixel pixel(const Point2& p) const { return {origin.x + p.x * scale, origin.y - p.y * scale}; }
};

struct Sheet {
  double width = 0, height = 0;
  TitleBlock title;
  std::string title_text;
  Scene scene;
  std::vector<Panel> panels;
  double letter_size = 11;
  double scale = 0;  // of plan views, px per m; 0: there are none
  Box scale_bar;     // its line; no width: none
  std::string scale_text;
  std::vector<std::string> left_out;
};

// Throws std::invalid_argument with what drawing_problem says.
Sheet lay_out(const Model& model, const Mechanism& mechanism, const LinkageDrawing& drawing,
              const DrawingOptions& options, bool plans_only);

}  // namespace trammel::results

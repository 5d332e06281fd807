// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Drawings as verbs ask for them: from an analysis to a file.

#include <optional>
#include <string>
#include <vector>

#include <trammel/drawing.hpp>

#include "session.hpp"

namespace trammel::tool {

inline constexpr int most_drawn_positions = 1000;

enum class DrawingFormat { svg, dxf };
// By the extension of the file; nothing for others.
std::optional<DrawingFormat> drawing_format(const std::string& path);

// Paths and positions of a sweep: `count` of its positions, evenly spread over it (of a sweep that ends where it began, the end is left
// out), and all of them for the length of guides. The position to be drawn is the first that there is.
LinkageDrawing drawing_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis,
                          int count, const std::vector<std::string>& path_names, double tick_step);

// The first of these names that no point of interest has.
std::string unknown_point(const Mechanism& mechanism, const std::vector<std::string>& names);

// Divides the steps of the innermost input that moves, so that there are at least so many: paths become smooth, and their ticks stay.
// Returns the step, without its sign.
double refine(AnalysisOptions& options, int least_steps);

// "O2 from 0 to 360 deg, a tick every 10 deg"
std::string sweep_text(const Mechanism& mechanism, const AnalysisOptions& options, double tick_step);

// The drawing as text of a file, or the error why there is none.
struct DrawnText {
  std::string text;
  DrawingReport report;
  Diagnostics problems;
};
DrawnText draw(const Loaded& loaded, const LinkageDrawing& drawing, const DrawingOptions& options,
               DrawingFormat format);

}  // namespace trammel::tool

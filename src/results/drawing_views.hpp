// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which views a linkage is drawn in, and the camera of each.

#include <vector>

#include <trammel/drawing.hpp>

#include "results/drawing_camera.hpp"

namespace trammel::results {

// Those asked for, each once; otherwise the plane of the linkage, or the plan views and a perspective.
std::vector<DrawingView> views_of(const Mechanism& mechanism, const LinkageDrawing& drawing,
                                  const DrawingOptions& options);

// `extent`: points that the perspective has to show.
Camera camera_of(DrawingView view, const Mechanism& mechanism, const LinkageDrawing& drawing,
                 const DrawingOptions& options, const std::vector<Vec3d>& extent);

// How near the eye may be to what it sees, as a part of the distance to its target.
inline constexpr double nearest_share = 0.05;

}  // namespace trammel::results

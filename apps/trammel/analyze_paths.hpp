// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures of the paths that points of a linkage draw.

#include <string>
#include <vector>

#include <trammel/analysis.hpp>
#include <trammel/results.hpp>

namespace trammel::tool {

// The paths of the named points of interest (all of them, if none is named), seen against the normal of the linkage's plane, or
// along z, with the joints on the ground.
PlanePlot plot_paths(const Mechanism& mechanism, const Analysis& analysis, const std::vector<std::string>& names);

}  // namespace trammel::tool

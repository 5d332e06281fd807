// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a linkage does at one position: motion of joints, points and bodies from the coordinates of the tree.

#include <trammel/analysis.hpp>

namespace trammel {

// Fills joints, points and bodies of a step whose q, v, a (and j, if not empty) are there.
void fill_motion(const Mechanism& mechanism, Workspace& ws, AnalysisStep& step);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two dot products, for a circle that is given as such: the points x = α w + (ρ across w) with x·b = B.

#include "loops/chace/common.hpp"

namespace trammel::chace {

// `size` is the largest length that B/|b| was made of; b need not have unit length.
TwoDots circle_meets_plane(const Vec3d& w, double axial, double radius, const Vec3d& b, double B, double size);

}  // namespace trammel::chace

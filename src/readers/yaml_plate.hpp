// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The outline of a plate: flat, closed, not crossing itself.

#include <string>
#include <vector>

#include <trammel/model.hpp>

namespace trammel::readers {

inline constexpr std::size_t most_corners = 250;  // crossings are looked for pair by pair

// The plate with these corners: origin of S at their mean, z along the normal, x along the first edge.
Shape plate_with_corners(const std::vector<Vec3d>& corners, double thickness);
// Largest distance of a corner from the plate's plane.
double height_of_corners(const std::vector<Vec3d>& corners, const Shape& plate);
double size_of_outline(const std::vector<Vec3d>& corners);  // diagonal of the box around it

// Why this outline (in S, z = 0) is none: "corners 2 and 3 are one point", "edges 1-2 and 3-4 cross", "has no area"; or
// an empty string.
std::string trouble_with_outline(const std::vector<Vec3d>& outline);

}  // namespace trammel::readers

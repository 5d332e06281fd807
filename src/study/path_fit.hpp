// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far a curve is from points that it should pass.

#include <span>
#include <vector>

#include <trammel/spatial/vector.hpp>

namespace trammel::study {

// Positions of a point along a sweep, at increasing (or decreasing) values s of its input. Where there is no position, s or a coordinate is NaN, and
// the curve has a gap. It is closed where its last position is its first.
struct SampledCurve {
  std::vector<double> s;
  std::vector<Vec3d> p;
};

// From each point to the nearest place of the curve, which runs smoothly between its samples: place − point. Empty where no two neighbouring
// positions exist.
std::vector<Vec3d> offsets_to_nearest(const SampledCurve& curve, std::span<const Vec3d> points);
// From point k to position k. Empty where their numbers differ or a position is missing.
std::vector<Vec3d> offsets_in_order(const SampledCurve& curve, std::span<const Vec3d> points);

double root_mean_square(std::span<const Vec3d> offsets);  // infinite where there are none

}  // namespace trammel::study

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The motion of all links up to the jerk, as Taylor series in time.

#include <span>
#include <vector>

#include <trammel/core/series.hpp>
#include <trammel/kinematics.hpp>

namespace trammel {

// X_WL of every link where the coordinates move with q, v, v̇, v̈; after compute_positions (of which only the parameters are used).
std::vector<Transform<Series<3>>> link_series(const Mechanism& mechanism, const Workspace& ws,
                                              std::span<const double> q, std::span<const double> v,
                                              std::span<const double> a, std::span<const double> j);

// The rate of each component; its highest derivative is unknown, and left zero.
inline Vec3<Series<3>> rate(const Vec3<Series<3>>& x) {
  const auto of = [](const Series<3>& y) { return Series<3>({y.c[1], 2 * y.c[2], 3 * y.c[3], 0}); };
  return {of(x.x), of(x.y), of(x.z)};
}

}  // namespace trammel

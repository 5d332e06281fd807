// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loops/pose_slopes.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {
namespace {

using S3 = Series<3>;
using Direction = std::array<double, 6>;
using Rows = std::array<S3, max_constraint_rows>;

// (1) along ξ = u d.
Transform<S3> straight(const Transformd& X, const Direction& d) {
  const Vec3d w{d[0], d[1], d[2]};
  const auto axis = [&w](const Vec3d& e) -> Vec3<S3> {
    const Vec3d once = cross(w, e), twice = cross(w, once) * (1.0 / 2), thrice = cross(w, twice) * (1.0 / 3);
    return {S3({e.x, once.x, twice.x, thrice.x}), S3({e.y, once.y, twice.y, thrice.y}),
            S3({e.z, once.z, twice.z, thrice.z})};
  };
  return {{axis(X.R.ex), axis(X.R.ey), axis(X.R.ez)},
          {S3({X.p.x, d[3], 0, 0}), S3({X.p.y, d[4], 0, 0}), S3({X.p.z, d[5], 0, 0})}};
}

}  // namespace

void pose_slopes(const PoseFunction& function, int rows, const Transformd& X_PQ, const Motion<double>& V, double length,
                 PoseSlopes* out) {
  // Lines are as long as the rates that they are added to, and travels `length` times as long as turns: nothing drowns in round-off.
  const Direction scale{1, 1, 1, length, length, length};
  const auto along = [&](const Direction& d) {
    Direction scaled = d;
    for (std::size_t k = 0; k < 6; ++k) scaled[k] *= scale[k];
    Rows f;
    function(straight(X_PQ, scaled), f.data());
    return f;
  };
  const auto unit = [](std::size_t k, std::size_t l) {
    Direction d{};
    d[k] = 1, d[l] = 1;
    return d;
  };
  Direction U{V.w.x, V.w.y, V.w.z, V.v.x / length, V.v.y / length, V.v.z / length};
  double speed = 0;
  for (const double x : U) speed = std::max(speed, std::abs(x));
  for (double& x : U) x = speed > 0 ? x / speed : 0;

  std::array<Rows, 6> single;
  for (std::size_t k = 0; k < 6; ++k) single[k] = along(unit(k, k));
  for (std::size_t k = 0; k < 6; ++k) {
    for (int r = 0; r < rows; ++r) {  // (3)
      out[r].g[k] = single[k][r].c[1] / scale[k];
      out[r].H[k][k] = 2 * single[k][r].c[2] / (scale[k] * scale[k]);
      out[r].C[k] = 0;
    }
    for (std::size_t l = 0; l < k; ++l) {
      const Rows both = along(unit(k, l));
      for (int r = 0; r < rows; ++r) {
        out[r].H[k][l] = out[r].H[l][k] =
            (both[r].c[2] - single[k][r].c[2] - single[l][r].c[2]) / (scale[k] * scale[l]);
      }
    }
    if (speed == 0) continue;
    Direction ahead = U, back = U;
    ahead[k] += 1, back[k] -= 1;
    const Rows plus = along(ahead), minus = along(back);
    for (int r = 0; r < rows; ++r) {
      out[r].C[k] = (plus[r].c[3] - minus[r].c[3] - 2 * single[k][r].c[3]) * speed * speed / scale[k];
    }
  }
}

}  // namespace trammel

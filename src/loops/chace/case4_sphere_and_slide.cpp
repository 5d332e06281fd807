// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 4: the direction of r and the length of s are unknown. A line meets a sphere: |C + s ŝ| = r.
//
// With C⊥ the part of C square to ŝ, at the distance d = |C⊥| from the line,
//   s = −C·ŝ ± h,   h² = r² − d²                                                                                           (1)
//   r = −(C + s ŝ) = −C⊥ ∓ h ŝ                                                                                             (2)
// Dead point: h = 0, the rod stands square to the slide. No limit has a continuum.

#include "loops/chace/common.hpp"

namespace trammel::chace {

Solutions<2> case4(double r, const Vec3d& s_direction, const Vec3d& C) {
  if (!is_unit(s_direction) || !is_length(r)) return invalid<2>();
  const double travel = dot(C, s_direction);
  const Vec3d across = C - s_direction * travel;
  const double d2 = dot(across, across), h2 = r * r - d2;  // (1)
  auto result = verdict<2>(Status::none, Limit::regular, relative_difference(r * r, d2));
  if (result.status == Status::invalid) return result;

  // d² is known to the round-off of C times d.
  const double noise = 8 * eps * (r * r + (std::abs(travel) + std::abs(r)) * std::abs(r));
  if (h2 < -noise) return result;
  const bool double_root = h2 <= noise;
  if (double_root) result.margin = 0;
  const double h = double_root ? 0 : std::sqrt(h2);
  const auto solution = [&](double root, int mode) {
    return Solution{{-across - s_direction * root, r}, along(s_direction, root - travel), {}, mode, double_root};
  };
  add(result, solution(h, 0));
  if (!double_root) add(result, solution(-h, 1));
  return result;
}

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Case 5: the direction of r and the azimuth of s are unknown. A circle meets a sphere: |C + s| = r. The planar four-bar is the case
// with φ = 90° and C square to w; the spatial one with two balls is the general case.
//
// Split along w and across it: s = α w + (ρ across), C = κ w + C⊥, d = |C⊥|. Then
//   r² = (κ + α)² + d² + ρ² + 2 s·C⊥     so that s·C⊥ = b,  2b = H² − d² − ρ²,  H² = r² − (κ + α)²                          (1)
//   s = α w + (b/d²) C⊥ ± (√P/d²) w × C⊥,    P = ρ²d² − b²                                                                (2)
// P is 4 times the squared area of the triangle with sides ρ, d, H. Heron's way to write it keeps its digits at dead points:
//   P = ¼ (H² − (d − ρ)²) ((d + ρ)² − H²)                                                                                 (3)
// mode 0 has s·(w × C) > 0.
//
// Limits: d = 0, C along w: all of the circle or nothing of it                                                parallel_axes
//         ρ = 0: s is known, and |C + s| = r holds or not                                                       needle_cone

#include "loops/chace/common.hpp"

namespace trammel::chace {
namespace {

Solutions<2> along_the_axis(double H2, double radius, double size) {
  const double excess = H2 - radius * radius;
  const bool agrees = std::abs(excess) <= agreement * size * size;
  return verdict<2>(agrees ? Status::undetermined : Status::none, Limit::parallel_axes,
                    agrees ? 0 : -std::abs(excess) / (size * size));
}

Solutions<2> without_radius(double r, const Arm& arm, const Vec3d& C, double size) {
  const Vec3d s = arm.cone.axes.w * arm.axial(), rest = -(C + s);
  const double misfit = size > 0 ? std::abs(norm(rest) - std::abs(r)) / size : 0;
  auto result = verdict<2>(Status::none, Limit::needle_cone, misfit <= agreement ? 0 : -misfit);
  if (misfit <= agreement) add(result, {{rest, r}, {s, arm.length}, {}});
  return result;
}

}  // namespace

Solutions<2> case5(double r, const Arm& s, const Vec3d& C) {
  const Vec3d& w = s.cone.axes.w;
  if (!is_valid(s) || !is_length(r)) return invalid<2>();
  const double alpha = s.axial(), rho = s.radial(), kappa = dot(C, w);
  const Vec3d across = C - w * kappa;
  const double d2 = dot(across, across), d = std::sqrt(d2);
  const double size = std::abs(r) + std::abs(kappa) + d + s.length;
  if (!std::isfinite(size)) return invalid<2>();
  const double H2 = r * r - (kappa + alpha) * (kappa + alpha);
  if (has_no_radius(s, size)) return without_radius(r, s, C, size);
  if (d <= round_off * size) return along_the_axis(H2, rho, size);

  const double inner = H2 - (d - rho) * (d - rho), outer = (d + rho) * (d + rho) - H2;
  const double P = 0.25 * inner * outer;   // (3)
  double b = 0.5 * (H2 - d2 - rho * rho);  // (1)
  auto result = verdict<2>(Status::none, Limit::regular, P / std::max(rho * rho * d2, b * b));
  const double noise = 2 * eps * size * size * (std::abs(inner) + std::abs(outer));
  if (P < -noise) return result;

  const bool double_root = P <= noise;
  if (double_root) result.margin = 0, b = std::copysign(rho * d, b);
  const double per_d2 = 1 / d2;
  const Vec3d middle = w * alpha + across * (b * per_d2);  // (2)
  const Vec3d aside = cross(w, across) * (double_root ? 0 : std::sqrt(P) * per_d2);
  const auto solution = [&](const Vec3d& v, int mode) {
    return Solution{{-(C + v), r}, {v, s.length}, {}, mode, double_root};
  };
  add(result, solution(middle + aside, 0));
  if (!double_root) add(result, solution(middle - aside, 1));
  return result;
}

}  // namespace trammel::chace

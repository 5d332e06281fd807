// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Two dot products: all x with x·a = A, x·b = B, |x|² = N. The planes x·a = A and x·b = B meet in a line along a × b, which meets the
// sphere twice, once or not at all.
//
// Along w = a/|a|, along e, the direction of the part of b that is square to w, and along n = w × e:
//   x = α w + β e ± γ n,    α = A/|a|,    β = (B − α b·w)/(b·e),    γ² = N − α² − β²                                    (1)
// Written so, and not by the determinant D = a²b² − (a·b)², it loses 1/sin of the angle between a and b in digits, not 1/sin².
//
// Limits: a ∥ b: both planes are the same or have no point in common: a circle of solutions or none          parallel_axes
//         N = α²: the first plane touches the sphere, x = α w, and x·b = B holds or not                        needle_cone

#include "loops/chace/two_dots.hpp"

namespace trammel::chace {
namespace {

TwoDots two_dots(Status status, Limit limit, double margin) {
  TwoDots result;
  result.status = status, result.limit = limit, result.margin = margin;
  return result;
}

// One equation too many: what is left of it, relative to the size, decides.
Status agreeing(double misfit, Status if_it_does) { return misfit <= agreement ? if_it_does : Status::none; }

}  // namespace

TwoDots circle_meets_plane(const Vec3d& w, double axial, double radius, const Vec3d& b, double B, double size) {
  const double along = dot(b, w), b_size = norm(b);
  const Vec3d across = part_square_to(w, b);
  const double be = norm(across);
  const double missing = B - axial * along;  // what the part of x across w has to give
  if (!std::isfinite(missing + be + radius)) return two_dots(Status::invalid, Limit::regular, 0);
  size = std::max({size, std::abs(axial), radius});

  const bool parallel = be <= round_off * b_size, needle = radius <= 0.1 * agreement * size;
  if (parallel || needle) {
    const double misfit = size * b_size > 0 ? std::abs(missing) / (size * b_size) : std::abs(missing);
    const Status status = agreeing(misfit, needle ? Status::solved : Status::undetermined);
    TwoDots result = two_dots(status, needle ? Limit::needle_cone : Limit::parallel_axes,
                              status == Status::none ? -std::min(misfit, 1.0) : 0);
    if (status == Status::solved) result.count = 1, result.x[0] = w * axial;
    return result;
  }

  const Vec3d e = across * (1 / be), n = cross(w, e);
  double beta = missing / be;
  const double gamma2 = (radius - beta) * (radius + beta);  // (1)
  TwoDots result = two_dots(Status::none, Limit::regular, relative_difference(radius * radius, beta * beta));
  const double noise = 8 * eps * (radius * radius + std::abs(beta) * size * (b_size / be));
  if (gamma2 < -noise) return result;
  result.status = Status::solved;
  result.double_root = gamma2 <= noise;
  if (result.double_root) result.margin = 0, beta = std::copysign(radius, beta);
  const Vec3d middle = w * axial + e * beta;
  const Vec3d aside = n * (result.double_root ? 0 : std::sqrt(gamma2));
  result.x[0] = middle + aside;
  result.count = 1;
  if (!result.double_root) result.x[1] = middle - aside, result.count = 2;
  return result;
}

TwoDots solve_two_dots(const Vec3d& a, double A, const Vec3d& b, double B, double N) {
  const double a_size = norm(a), b_size = norm(b);
  if (!std::isfinite(a_size + b_size + A + B + N)) return two_dots(Status::invalid, Limit::regular, 0);
  if (a_size == 0) {  // the other plane, if that is one
    if (A != 0) return two_dots(Status::none, Limit::parallel_axes, -1);
    if (b_size > 0) return solve_two_dots(b, B, b, B, N);
    return two_dots(B == 0 && N >= 0 ? Status::undetermined : Status::none, Limit::parallel_axes, B == 0 ? 0 : -1);
  }
  const double alpha = A / a_size, radius2 = N - alpha * alpha;
  if (radius2 < -8 * eps * (std::abs(N) + alpha * alpha)) {
    return two_dots(Status::none, Limit::regular, relative_difference(N, alpha * alpha));
  }
  const double radius = std::sqrt(std::max(radius2, 0.0)), size = std::max(std::abs(alpha), radius);
  return circle_meets_plane(a * (1 / a_size), alpha, radius2 <= 8 * eps * std::abs(N) ? 0 : radius, b, B, size);
}

}  // namespace trammel::chace

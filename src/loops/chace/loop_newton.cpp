// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Newton's method on a loop of three vectors with one unknown each:
//   J δ = −gap,    J = [v₁' v₂' v₃']                                                                                      (1)
// by Cramer's rule. Near a dead point det J = 0, and the gap in the direction that J does not reach is one of second order: there the
// step of least length is taken, which leaves that direction alone.

#include "loops/chace/loop_newton.hpp"

#include <Eigen/Dense>

namespace trammel::chace {
namespace {

constexpr int most_steps = 12;
constexpr double singular = 1e-7;  // det J, for columns of unit length

Vec3d step_by_cramer(const std::array<Vec3d, 3>& J, double determinant, const Vec3d& gap) {
  const double scale = -1 / determinant;
  return {scale * dot(gap, cross(J[1], J[2])), scale * dot(gap, cross(J[2], J[0])),
          scale * dot(gap, cross(J[0], J[1]))};
}

Vec3d step_of_least_length(const std::array<Vec3d, 3>& J, const Vec3d& gap) {
  Eigen::Matrix3d columns;
  for (int k = 0; k < 3; ++k) {
    const Vec3d& column = J[static_cast<std::size_t>(k)];
    columns.col(k) << column.x, column.y, column.z;
  }
  Eigen::JacobiSVD<Eigen::Matrix3d> svd(columns, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(1e-5);
  const Eigen::Vector3d step = svd.solve(Eigen::Vector3d(-gap.x, -gap.y, -gap.z));
  return {step(0), step(1), step(2)};
}

}  // namespace

void Member::step(double by) {
  if (slides) {
    x += by;
    return;
  }
  // By 2 atan(by/2), which is as good as by itself, without sine and cosine.
  const double h = 0.5 * by, scale = 1 / (1 + h * h), c = (1 - h * h) * scale, s = 2 * h * scale;
  const double turned_x = x * c - y * s, turned_y = y * c + x * s;
  const double unit = 1 / std::sqrt(turned_x * turned_x + turned_y * turned_y);
  x = turned_x * unit, y = turned_y * unit;
}

void Member::turn_towards(const Vec3d& v) {
  const double along_l = dot(v, axes.l), along_m = dot(v, axes.m),
               size = std::sqrt(along_l * along_l + along_m * along_m);
  x = size > 0 ? along_l / size : 1, y = size > 0 ? along_m / size : 0;
}

Closed close_loop(ThreeMembers& loop) {
  ThreeMembers trial = loop;
  Closed best{std::numeric_limits<double>::infinity(), 0};
  for (int i = 0; i < most_steps; ++i) {
    const Vec3d gap = trial.gap();
    if (!(norm(gap) < best.gap)) break;
    std::array<Vec3d, 3> J;
    double sizes = 1;
    for (std::size_t k = 0; k < 3; ++k) J[k] = trial.member[k].rate(), sizes *= norm(J[k]);
    const double determinant = dot(J[0], cross(J[1], J[2]));  // (1)
    loop = trial, best = {norm(gap), std::abs(determinant) / sizes};
    if (best.gap == 0) break;
    const Vec3d step = best.determinant > singular ? step_by_cramer(J, determinant, gap) : step_of_least_length(J, gap);
    trial.member[0].step(step.x);
    trial.member[1].step(step.y);
    trial.member[2].step(step.z);
  }
  return best;
}

}  // namespace trammel::chace

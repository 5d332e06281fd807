// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Newton's method on a loop of three vectors with one unknown each:
//   J δ = −gap,    J = [v₁' v₂' v₃']                                                                                      (1)
// by Cramer's rule. Near a dead point det J = 0, and the gap along the direction n that J does not reach is one of second order: there
// only the two unknowns move whose directions are most independent, to close the rest of the gap:
//   δᵢ = −gap·(vⱼ' × n)/|vᵢ' × vⱼ'|,    δⱼ = −gap·(n × vᵢ')/|vᵢ' × vⱼ'|,    n = vᵢ' × vⱼ'/|vᵢ' × vⱼ'|                    (2)

#include "loops/chace/loop_newton.hpp"

namespace trammel::chace {
namespace {

constexpr int most_steps = 12;
constexpr double singular = 1e-7;  // det J, for columns of unit length

Vec3d step_by_cramer(const std::array<Vec3d, 3>& J, double determinant, const Vec3d& gap) {
  const double scale = -1 / determinant;
  return {scale * dot(gap, cross(J[1], J[2])), scale * dot(gap, cross(J[2], J[0])),
          scale * dot(gap, cross(J[0], J[1]))};
}

Vec3d step_of_two(const std::array<Vec3d, 3>& J, const Vec3d& gap) {
  std::size_t i = 0, j = 1;
  double largest = -1;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    const double sine = norm(cross(J[k], J[next])) / (norm(J[k]) * norm(J[next]));
    if (sine > largest) largest = sine, i = k, j = next;
  }
  if (!(largest > singular)) return {};  // all parallel: nothing to be done
  const Vec3d normal = cross(J[i], J[j]);
  const double size = norm(normal);
  const Vec3d n = normal * (1 / size);
  std::array<double, 3> step{};
  step[i] = -dot(gap, cross(J[j], n)) / size, step[j] = -dot(gap, cross(n, J[i])) / size;  // (2)
  return {step[0], step[1], step[2]};
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
    const Vec3d step = best.determinant > singular ? step_by_cramer(J, determinant, gap) : step_of_two(J, gap);
    trial.member[0].step(step.x);
    trial.member[1].step(step.y);
    trial.member[2].step(step.z);
  }
  return best;
}

}  // namespace trammel::chace

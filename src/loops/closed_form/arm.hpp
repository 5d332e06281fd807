// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arms: freedoms in series that turn about an axis or slide along it. With E_i(q_i) the motion of freedom i, as its axis lies when all
// q = 0 (the product of exponentials), two questions have a closed form:
//
// reach_point   E_1 E_2 E_3 x = A for any three freedoms, four solutions at most (Pieper's thesis, 1968, for three turns). What E_1 cannot
//               change of A, and E_2 takes along, leaves one equation for q_3: of second order in cos q_3, sin q_3.
// reach_pose    E_1 … E_6 = G for three turns and three slides in any order: the turns follow from two dot products, the slides are
//               linear then (Chace's case 6).

#include <array>
#include <optional>
#include <span>

#include <trammel/spatial/transform.hpp>

namespace trammel::closed_form {

struct ArmAxis {
  bool slides = false;
  Vec3d O, w;  // a point of the axis, and its direction
};

// The motion of one freedom.
template <class T>
Transform<T> motion_of(const ArmAxis& axis, const T& q) {
  if (axis.slides) return {Mat3<T>::identity(), {q * axis.w.x, q * axis.w.y, q * axis.w.z}};
  const SinCos<T> turn = sin_cos(q);
  const T rest = T(1) - turn.cos;
  const auto column = [&](const Vec3d& e, double share) {  // e cos q + w×e sin q + w (w·e)(1 − cos q)
    const Vec3d n = cross(axis.w, e);
    return Vec3<T>{turn.cos * e.x + turn.sin * n.x + rest * (axis.w.x * share),
                   turn.cos * e.y + turn.sin * n.y + rest * (axis.w.y * share),
                   turn.cos * e.z + turn.sin * n.z + rest * (axis.w.z * share)};
  };
  const Mat3<T> R{column({1, 0, 0}, axis.w.x), column({0, 1, 0}, axis.w.y), column({0, 0, 1}, axis.w.z)};
  const Vec3<T> O = Vec3<T>::from(axis.O);
  return {R, O - R * O};
}

template <std::size_t freedoms, std::size_t most>
struct ArmSolutions {
  int count = 0;
  std::array<std::array<double, freedoms>, most> q{};
  void add(const std::array<double, freedoms>& solution) {
    if (count < static_cast<int>(most)) q[static_cast<std::size_t>(count++)] = solution;
  }
};

// `length`: of the arm, by which slides are measured. Solutions are in the order of their q_3.
ArmSolutions<3, 4> reach_point(const std::array<ArmAxis, 3>& arm, const Vec3d& x, const Vec3d& A, double length);
ArmSolutions<6, 2> reach_pose(const std::array<ArmAxis, 6>& arm, const Transformd& G);

}  // namespace trammel::closed_form

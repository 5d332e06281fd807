// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A link's inertia as lanes keep it. Any symmetric matrix is its least eigenvalue λ times 1 and two columns:
//   I_C = λ 1 + f fᵀ + g gᵀ,   g_x = 0,      so that   R I_C Rᵀ = λ 1 + (R f)(R f)ᵀ + (R g)(R g)ᵀ
// in 27 products where R I_C Rᵀ has 45, and as many numbers, six. With principal axes e and moments λ ≤ λ₂ ≤ λ₃ columns are
// √(λ₃ − λ) e₃ and √(λ₂ − λ) e₂; turned within their plane, so that g_x = 0, they have the same sum of squares.

#include <array>
#include <cmath>
#include <utility>

#include <trammel/spatial/inertia.hpp>

namespace trammel {

struct PrincipalAxes {
  std::array<double, 3> moments;  // the least first
  std::array<Vec3d, 3> axes;
};

// Jacobi's method: rotations that make one entry off the diagonal zero after another. What is left of these entries squares itself with
// every sweep, so that after a few all of them are zero.
inline PrincipalAxes principal_axes(const Sym3d& S) {
  std::array<std::array<double, 3>, 3> a = {{{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}}};
  std::array<std::array<double, 3>, 3> e = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // rows are axes
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (const auto& [i, j, k] : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 2, 0}}) {
      if (a[i][j] == 0) continue;
      const double slope = (a[j][j] - a[i][i]) / (2 * a[i][j]);
      const double t = std::copysign(1 / (std::abs(slope) + std::hypot(slope, 1)), slope);
      const double c = 1 / std::hypot(t, 1), s = t * c;
      a[i][i] -= t * a[i][j];
      a[j][j] += t * a[i][j];
      a[i][j] = a[j][i] = 0;
      const double ik = a[i][k], jk = a[j][k];
      a[i][k] = a[k][i] = c * ik - s * jk;
      a[j][k] = a[k][j] = s * ik + c * jk;
      for (int x = 0; x < 3; ++x) {
        const double ei = e[i][x], ej = e[j][x];
        e[i][x] = c * ei - s * ej;
        e[j][x] = s * ei + c * ej;
      }
    }
  }
  std::array<int, 3> order = {0, 1, 2};
  for (const auto& [x, y] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
    if (a[order[y]][order[y]] < a[order[x]][order[x]]) std::swap(order[x], order[y]);
  }
  PrincipalAxes found;
  for (int x = 0; x < 3; ++x) {
    const int o = order[x];
    found.moments[x] = a[o][o];
    found.axes[x] = {e[o][0], e[o][1], e[o][2]};
  }
  return found;
}

struct ColumnInertia {
  double mass = 0;
  Vec3d com;
  Vec3d f;
  double g_y = 0, g_z = 0;
  double least = 0;  // λ

  static ColumnInertia from(const LinkInertia<double>& in_L) {
    const PrincipalAxes principal = principal_axes(in_L.I_C);
    const auto& [least, middle, largest] = principal.moments;
    const Vec3d a = principal.axes[2] * std::sqrt(largest - least), b = principal.axes[1] * std::sqrt(middle - least);
    const double length = std::hypot(a.x, b.x), c = length > 0 ? a.x / length : 1, s = length > 0 ? b.x / length : 0;
    const Vec3d g = b * c - a * s;
    return {in_L.mass, in_L.com, a * c + b * s, g.y, g.z, least};
  }
};

// In world axes, at the centre of mass, as of a LinkInertia.
template <class T>
LinkInertia<T> inertia_in_world(const ColumnInertia& in_L, const Transform<T>& X_OL) {
  const Mat3<T>& R = X_OL.R;
  const Vec3<T> f = R * Vec3<T>::from(in_L.f), g = R.ey * T(in_L.g_y) + R.ez * T(in_L.g_z);
  const T least(in_L.least);
  return {T(in_L.mass),
          X_OL.p + R * Vec3<T>::from(in_L.com),
          {f.x * f.x + g.x * g.x + least, f.y * f.y + g.y * g.y + least, f.z * f.z + g.z * g.z + least,
           f.x * f.y + g.x * g.y, f.x * f.z + g.x * g.z, f.y * f.z + g.y * g.z}};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Jacobians of a point P fixed on a body B, and their rates. A freedom between the ground and the body has the column
// h = [ω_k; v_k] at O (world axes); seen at P:
//   J_W  = [ω_k; v_k + ω_k × p_OP]
//   J̇_W = [ω̇_k; v̇_k + ω̇_k × p_OP + ω_k × v_P]        v_P velocity of P
//   J_B  = Rᵀ J_W,   J̇_B = Rᵀ (J̇_W − ω_B × J_W)        R = R_WB, both parts of the column
// All other columns are zero. A walk from the body's link to the ground meets all freedoms that move it; p_OP is shifted
// where the walk leaves the link that opens a point.

#include <algorithm>

#include "kernels/kernel_table.hpp"
#include "kinematics/body_point.hpp"

namespace trammel {

template <class T>
void store_column(T* J, int nv, int k, const Motion<T>& column) {
  const std::array<T, 3> w = components(column.w), v = components(column.v);
  for (std::size_t i = 0; i < 3; ++i) {
    J[i * static_cast<std::size_t>(nv) + static_cast<std::size_t>(k)] = w[i];
    J[(i + 3) * static_cast<std::size_t>(nv) + static_cast<std::size_t>(k)] = v[i];
  }
}

// Calls f(freedom, p_OP) for every freedom that moves the body, with P seen from the point O of that freedom's link.
template <class T, class F>
void for_each_moving_freedom(const Tree& tree, const Arrays<T>& ws, int body, const Vec3<T>& p_B, F&& f) {
  int l = link_of(tree, body);
  if (l < 0) return;
  Vec3<T> p = p_OP(tree, ws, body, p_B);
  while (l >= 0) {
    const TreeLink& link = tree.links[l];
    for (int k = link.v; k < link.v + link.nv; ++k) f(k, p);
    if (link.opens_point) p += ws.points[link.point].p_QO;
    l = link.parent;
  }
}

template <class T>
void jacobian(const Tree& tree, const Arrays<T>& ws, Axes axes, int body, const Vec3<T>& p_B, T* J) {
  std::fill(J, J + static_cast<std::size_t>(6) * tree.nv, T(0));
  if (axes == Axes::world) {
    for_each_moving_freedom(tree, ws, body, p_B,
                            [&](int k, const Vec3<T>& p) { store_column(J, tree.nv, k, shift(ws.freedoms[k].H, p)); });
  } else {
    const Mat3<T> R_BW = transpose(body_pose(tree, ws, body).R);
    for_each_moving_freedom(tree, ws, body, p_B, [&](int k, const Vec3<T>& p) {
      store_column(J, tree.nv, k, rotate(R_BW, shift(ws.freedoms[k].H, p)));
    });
  }
}

template <class T>
void jacobian_rate(const Tree& tree, const Arrays<T>& ws, Axes axes, int body, const Vec3<T>& p_B, T* J) {
  std::fill(J, J + static_cast<std::size_t>(6) * tree.nv, T(0));
  const Motion<T> V_P = body_velocity(tree, ws, body, p_B);
  const Mat3<T> R_BW = transpose(body_pose(tree, ws, body).R);
  for_each_moving_freedom(tree, ws, body, p_B, [&](int k, const Vec3<T>& p) {
    Motion<T> rate = shift(ws.freedoms[k].Hdot, p);
    rate.v += cross(ws.freedoms[k].H.w, V_P.v);
    if (axes == Axes::body) {
      const Motion<T> column = shift(ws.freedoms[k].H, p);
      rate = rotate(R_BW, Motion<T>{rate.w - cross(V_P.w, column.w), rate.v - cross(V_P.w, column.v)});
    }
    store_column(J, tree.nv, k, rate);
  });
}

}  // namespace trammel

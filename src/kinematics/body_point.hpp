// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A body and its points seen from the tree's own quantities.
//   point P of body B on link L:   p_OP = p_OL + R_WL (X_LB p_BP)
//   v_P = V.v + ω × p_OP
//   a_P = A.v + α × p_OP + ω × v_P          A is taken at a fixed O, the point moves on

#include "kernels/link_state.hpp"

namespace trammel {

inline int link_of(const Tree& tree, int body) { return body < 0 ? -1 : tree.link_of_body[body]; }

// From O to point p_B of a body on a moving link, in W.
template <class T>
Vec3<T> p_OP(const Tree& tree, const Arrays<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = tree.link_of_body[body];
  return ws.links[l].p_OL + ws.links[l].R_WL * (for_kernel<T>(ws.parameters.X_LB[body]) * p_B);
}

template <class T>
Transform<T> body_pose(const Tree& tree, const Arrays<T>& ws, int body) {
  if (body < 0) return {};
  const int l = link_of(tree, body);
  const Transform<T> X_LB = for_kernel<T>(ws.parameters.X_LB[body]);
  if (l < 0) return X_LB;
  return {ws.links[l].R_WL * X_LB.R,
          ws.points[tree.links[l].point].p_WO + (ws.links[l].p_OL + ws.links[l].R_WL * X_LB.p)};
}

template <class T>
Motion<T> body_velocity(const Tree& tree, const Arrays<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = link_of(tree, body);
  if (l < 0) return {};
  return shift(ws.links[l].V, p_OP(tree, ws, body, p_B));
}

template <class T>
Motion<T> body_acceleration(const Tree& tree, const Arrays<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = link_of(tree, body);
  if (l < 0) return {};
  const Vec3<T> p = p_OP(tree, ws, body, p_B);
  Motion<T> A = shift(ws.links[l].A, p);
  A.v += cross(ws.links[l].V.w, shift(ws.links[l].V, p).v);
  return A;
}

}  // namespace trammel

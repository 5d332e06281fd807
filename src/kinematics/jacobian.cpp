// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Jacobians of a point P fixed on a body B, and their rates. A freedom between the ground and the body has the column
// h = [ω_k; v_k] at O (world axes); seen at P:
//   J_W  = [ω_k; v_k + ω_k × p_OP]
//   J̇_W = [ω̇_k; v̇_k + ω̇_k × p_OP + ω_k × v_P]        v_P velocity of P
//   J_B  = Rᵀ J_W,   J̇_B = Rᵀ (J̇_W − ω_B × J_W)        R = R_WB, both parts of the column
// All other columns are zero. A walk from the body's link to the ground meets all freedoms that move it; p_OP is shifted
// where the walk leaves the link that opens a point.

#include <algorithm>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>

#include "kinematics/body_point.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {
namespace {

template <class T>
void store_column(Out<T> J, int nv, int k, const Motion<T>& column) {
  const T rows[6] = {column.w.x, column.w.y, column.w.z, column.v.x, column.v.y, column.v.z};
  for (int i = 0; i < 6; ++i) J[static_cast<std::size_t>(i * nv + k)] = rows[i];
}

// Calls f(freedom, p_OP) for every freedom that moves the body, with P seen from the point O of that freedom's link.
template <class T, class F>
void for_each_moving_freedom(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, F&& f) {
  int l = link_of(mech, body);
  if (l == ground) return;
  Vec3<T> p = p_OP(mech, ws, body, p_B);
  while (l != ground) {
    const Link& link = mech.links[l];
    for (int k = link.v; k < link.v + link.nv; ++k) f(k, p);
    if (link.opens_point) p += ws.p_QO[link.point];
    l = link.parent;
  }
}

}  // namespace

template <class T>
void jacobian_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  std::fill(J.begin(), J.end(), T(0));
  for_each_moving_freedom(mech, ws, body, p_B,
                          [&](int k, const Vec3<T>& p) { store_column<T>(J, mech.nv, k, shift(ws.H[k], p)); });
}

template <class T>
void jacobian_B(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  std::fill(J.begin(), J.end(), T(0));
  const Mat3<T> R_BW = transpose(pose_WB(mech, ws, body).R);
  for_each_moving_freedom(mech, ws, body, p_B, [&](int k, const Vec3<T>& p) {
    store_column<T>(J, mech.nv, k, rotate(R_BW, shift(ws.H[k], p)));
  });
}

template <class T>
Motion<T> column_rate_W(const BasicWorkspace<T>& ws, int k, const Vec3<T>& p_OP_W, const Vec3<T>& v_P) {
  Motion<T> rate = shift(ws.Hdot[k], p_OP_W);
  rate.v += cross(ws.H[k].w, v_P);
  return rate;
}

template <class T>
void jacobian_rate_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  std::fill(J.begin(), J.end(), T(0));
  const Vec3<T> v_P = velocity_W(mech, ws, body, p_B).v;
  for_each_moving_freedom(mech, ws, body, p_B, [&](int k, const Vec3<T>& p) {
    store_column<T>(J, mech.nv, k, column_rate_W(ws, k, p, v_P));
  });
}

template <class T>
void jacobian_rate_B(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, Out<T> J) {
  std::fill(J.begin(), J.end(), T(0));
  const Motion<T> V_P = velocity_W(mech, ws, body, p_B);
  const Mat3<T> R_BW = transpose(pose_WB(mech, ws, body).R);
  for_each_moving_freedom(mech, ws, body, p_B, [&](int k, const Vec3<T>& p) {
    const Motion<T> column = shift(ws.H[k], p), rate = column_rate_W(ws, k, p, V_P.v);
    store_column<T>(J, mech.nv, k,
                    rotate(R_BW, Motion<T>{rate.w - cross(V_P.w, column.w), rate.v - cross(V_P.w, column.v)}));
  });
}

#define TRAMMEL_INSTANTIATE(T)                                                                               \
  template void jacobian_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);      \
  template void jacobian_B<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);      \
  template void jacobian_rate_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>); \
  template void jacobian_rate_B<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, Out<T>);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

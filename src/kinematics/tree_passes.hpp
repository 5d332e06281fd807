// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The outward steps that kinematics and dynamics share, one link at a time. World axes, at the link's point O (see
// link_state.hpp); P the parent link, L this one, Q the parent's point.
//
//   R_WL = R_WP R_PF R_FM,   p_OL = p_OP + R_WP (p_PF + R_PF p_FM)                 (1)
//   H    = X_OL H_FM                      columns at O                               (2)
//   V    = V_P + H v                                                                 (3)
//   ζ    = d/dt(H) v = V_P × (H v) + X_OL Ḣ_FM v      since (H v) × (H v) = 0        (4)
//   A    = A_P + ζ + H v̇                                                             (5)
//   M    = rigid inertia at O: mass m, first moment m c, R I_C Rᵀ + Steiner;   c = p_OL + R_WL p_LC      (6)
//
// A link that opens a point O has p_OL = 0; what comes from its parent is shifted from Q to O. Steps return what they
// found as well as storing it, so that the next one need not read it back.

#include "kernels/joint_dispatch.hpp"

namespace trammel {

template <class T, class Columns>
struct Placed {
  Transform<T> X_OL;
  Columns H;
};

// (1), (2)
template <class T, class J, class N>
auto position_step(const Tree& tree, int l, const J& joint, N n, const Arrays<T>& ws, const T* q) {
  const TreeLink link = tree.links[l];
  Transform<T> X_QF = for_kernel<T>(ws.parameters.X_PF[l]);
  if (link.parent >= 0) {
    const LinkState<T>& P = ws.links[link.parent];
    X_QF = {P.R_WL * X_QF.R, P.p_OL + P.R_WL * X_QF.p};
  }
  Transform<T> X_OL = place_joint<T>(joint, X_QF, q + link.q);
  if (link.opens_point) {
    PointState<T>& point = ws.points[link.point];
    point.p_QO = X_OL.p;
    point.p_WO = link.parent < 0 ? X_OL.p : ws.points[tree.links[link.parent].point].p_WO + X_OL.p;
    X_OL.p = {};
  }
  const auto H = place_columns<T>(joint, X_OL, q + link.q);
  ws.links[l].R_WL = X_OL.R;
  ws.links[l].p_OL = X_OL.p;
  for (int k = 0; k < n; ++k) ws.freedoms[link.v + k].H = H[k];
  return Placed<T, std::remove_const_t<decltype(H)>>{X_OL, H};
}

// A motion of the parent, at its point Q, taken at the link's point O.
template <class T>
Motion<T> from_parent(const TreeLink& link, const Arrays<T>& ws, Motion<T> LinkState<T>::*motion) {
  if (link.parent < 0) return {};
  const Motion<T>& V_Q = ws.links[link.parent].*motion;
  return link.opens_point ? shift(V_Q, ws.points[link.point].p_QO) : V_Q;
}
// A force or inertia of the link, at its point O, taken at the parent's point Q.
template <class T, class Quantity>
Quantity to_parent(const TreeLink& link, const Arrays<T>& ws, const Quantity& at_O) {
  return link.opens_point ? shift(at_O, -ws.points[link.point].p_QO) : at_O;
}

template <class T>
struct Moving {
  Motion<T> V, zeta;
};

// (3), (4)
template <class T, class J, class N, class Columns>
Moving<T> velocity_step(const Tree& tree, int l, const J& joint, N n, const Arrays<T>& ws, const T* q, const T* v,
                        const Placed<T, Columns>& placed) {
  const TreeLink link = tree.links[l];
  const Motion<T> V_P = from_parent(link, ws, &LinkState<T>::V);
  Motion<T> Hv = placed.H[0] * v[link.v];
  for (int k = 1; k < n; ++k) Hv += placed.H[k] * v[link.v + k];
  Moving<T> moving{V_P + Hv, cross_motion(V_P, Hv)};
  if constexpr (!J::constant_H) {
    const auto Hdot_FM = joint.template Hdot_FM<T>(q + link.q, v + link.v);
    Motion<T> Hdot_v{};
    for (int k = 0; k < n; ++k) Hdot_v += Hdot_FM[k] * v[link.v + k];
    moving.zeta += placed.X_OL * Hdot_v;
  }
  ws.links[l].V = moving.V;
  return moving;
}

// (5); `a` null: no freedom accelerates
template <class T, class N, class Columns>
Motion<T> acceleration_step(const TreeLink& link, int l, N n, const Arrays<T>& ws, const T* a, const Motion<T>& zeta,
                            const Columns& H) {
  Motion<T> A = from_parent(link, ws, &LinkState<T>::A) + zeta;
  if (a != nullptr) {
    for (int k = 0; k < n; ++k) A += H[k] * a[link.v + k];
  }
  ws.links[l].A = A;
  return A;
}

// A link's inertia in world axes, at its centre of mass, which lies at c from O.
template <class T>
LinkInertia<T> inertia_in_world(const LinkInertia<T>& in_L, const Transform<T>& X_OL) {
  return {in_L.mass, X_OL.p + X_OL.R * in_L.com, rotate(X_OL.R, in_L.I_C)};
}

// Passes over all links.

template <class T>
void positions_base_to_tip(const Tree& tree, const Arrays<T>& ws, const T* q) {
  each_joint_base_to_tip(tree, [=](int l, const auto& joint, auto n) { position_step(tree, l, joint, n, ws, q); });
}

template <class T>
void accelerations_base_to_tip(const Tree& tree, int first, int end, const Arrays<T>& ws, const T* q, const T* v,
                               const T* a) {
  each_joint_base_to_tip(tree, first, end, [=](int l, const auto& joint, auto n) {
    const auto placed = position_step(tree, l, joint, n, ws, q);
    const Moving<T> moving = velocity_step(tree, l, joint, n, ws, q, v, placed);
    acceleration_step(tree.links[l], l, n, ws, a, moving.zeta, placed.H);
  });
}
template <class T>
void accelerations_base_to_tip(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a) {
  accelerations_base_to_tip(tree, 0, tree.link_count, ws, q, v, a);
}

// With the accelerations at v̇ = 0: they cost next to nothing, and forward dynamics can go on from there.
template <class T>
void velocities_base_to_tip(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v) {
  accelerations_base_to_tip(tree, ws, q, v, static_cast<const T*>(nullptr));
}

// Rates of the columns, O held fixed: Ḣ = V × H + X_OL Ḣ_FM.
template <class T>
void motion_rates(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v) {
  for (int l = 0; l < tree.link_count; ++l) {
    const TreeLink link = tree.links[l];
    const LinkState<T>& L = ws.links[l];
    FreedomState<T>* freedoms = &ws.freedoms[link.v];
    visit_joint(tree, l, [&]<class J>(const J& joint, auto n) {
      for (int k = 0; k < n; ++k) freedoms[k].Hdot = cross_motion(L.V, freedoms[k].H);
      if constexpr (!J::constant_H) {
        const auto Hdot_FM = joint.template Hdot_FM<T>(q + link.q, v + link.v);
        for (int k = 0; k < n; ++k) freedoms[k].Hdot += Transform<T>{L.R_WL, L.p_OL} * Hdot_FM[k];
      }
    });
  }
}

// (6)
template <class T>
TRAMMEL_KERNEL void inertias_of_links(Tree tree, Arrays<T> ws) {
  for (int l = 0; l < tree.link_count; ++l) {
    LinkState<T>& L = ws.links[l];
    L.M = inertia_in_world(ws.parameters.inertia[l], Transform<T>{L.R_WL, L.p_OL}).at_origin();
  }
}

}  // namespace trammel

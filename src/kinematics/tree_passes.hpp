// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The outward steps that kinematics and dynamics share, one link at a time. World axes, at the link's point O (see
// Workspace); P the parent link, L this one, Q the parent's point.
//
//   R_WL = R_WP R_PF R_FM,   p_OL = p_OP + R_WP (p_PF + R_PF p_FM)                 (1)
//   H    = X_OL H_FM                      columns at O                               (2)
//   V    = V_P + H v                                                                 (3)
//   ζ    = d/dt(H) v = V_P × (H v) + X_OL Ḣ_FM v      since (H v) × (H v) = 0        (4)
//   A    = A_P + ζ + H v̇                                                             (5)
//
// A link that opens a point O has p_OL = 0; what comes from its parent is shifted from Q to O.

#include <trammel/kinematics.hpp>

#include "mechanism/joint_dispatch.hpp"

namespace trammel {

// (1), (2)
template <class T, class J, class N>
void position_step(const Mechanism& mech, int l, const J& joint, N n, BasicWorkspace<T>& ws, const T* q) {
  const Link& link = mech.links[l];
  const Transform<T>& X_PF = ws.parameters.X_PF[l];
  const Transform<T> X_FM = joint.template X_FM<T>(q + link.q);
  Mat3<T> R_WF = X_PF.R;
  Vec3<T> p_QF = X_PF.p;
  if (link.parent != ground) {
    R_WF = ws.R_WL[link.parent] * X_PF.R;
    p_QF = ws.p_OL[link.parent] + ws.R_WL[link.parent] * X_PF.p;
  }
  ws.R_WL[l] = R_WF * X_FM.R;
  ws.p_OL[l] = p_QF + R_WF * X_FM.p;
  if (link.opens_point) {
    ws.p_QO[link.point] = ws.p_OL[l];
    ws.p_WO[link.point] = link.parent == ground ? ws.p_OL[l] : ws.p_WO[mech.links[link.parent].point] + ws.p_OL[l];
    ws.p_OL[l] = {};
  }
  const Transform<T> X_OL{ws.R_WL[l], ws.p_OL[l]};
  const auto H_FM = joint.template H_FM<T>(q + link.q);
  for (int k = 0; k < n; ++k) ws.H[link.v + k] = X_OL * H_FM[k];
}

// A motion of the parent, at its point Q, taken at the link's point O.
template <class T>
Motion<T> from_parent(const Link& link, const BasicWorkspace<T>& ws, const std::vector<Motion<T>>& of_links) {
  if (link.parent == ground) return {};
  const Motion<T>& V_Q = of_links[link.parent];
  return link.opens_point ? shift(V_Q, ws.p_QO[link.point]) : V_Q;
}
// A force or inertia of the link, at its point O, taken at the parent's point Q.
template <class T, class Quantity>
Quantity to_parent(const Link& link, const BasicWorkspace<T>& ws, const Quantity& at_O) {
  return link.opens_point ? shift(at_O, -ws.p_QO[link.point]) : at_O;
}

// (3), (4)
template <class T, class J, class N>
void velocity_step(const Mechanism& mech, int l, const J& joint, N n, BasicWorkspace<T>& ws, const T* q, const T* v) {
  const Link& link = mech.links[l];
  const Motion<T> V_P = from_parent(link, ws, ws.V);
  Motion<T> Hv{};
  for (int k = 0; k < n; ++k) Hv += ws.H[link.v + k] * v[link.v + k];
  ws.V[l] = V_P + Hv;
  ws.zeta[l] = cross_motion(V_P, Hv);
  if constexpr (!J::constant_H) {
    const auto Hdot_FM = joint.template Hdot_FM<T>(q + link.q, v + link.v);
    Motion<T> Hdot_v{};
    for (int k = 0; k < n; ++k) Hdot_v += Hdot_FM[k] * v[link.v + k];
    ws.zeta[l] += Transform<T>{ws.R_WL[l], ws.p_OL[l]} * Hdot_v;
  }
}

// (5)
template <class T, class N>
void acceleration_step(const Link& link, int l, N n, BasicWorkspace<T>& ws, const T* a) {
  ws.A[l] = from_parent(link, ws, ws.A) + ws.zeta[l];
  for (int k = 0; k < n; ++k) ws.A[l] += ws.H[link.v + k] * a[link.v + k];
}

template <class T>
void positions_base_to_tip(const Mechanism& mech, BasicWorkspace<T>& ws, const T* q) {
  for (int l = 0; l < mech.link_count(); ++l) {
    visit_joint(mech.links[l].type, mech.links[l].nv,
                [&](const auto& joint, auto n) { position_step(mech, l, joint, n, ws, q); });
  }
}

template <class T>
void velocities_base_to_tip(const Mechanism& mech, BasicWorkspace<T>& ws, const T* q, const T* v) {
  for (int l = 0; l < mech.link_count(); ++l) {
    visit_joint(mech.links[l].type, mech.links[l].nv, [&](const auto& joint, auto n) {
      position_step(mech, l, joint, n, ws, q);
      velocity_step(mech, l, joint, n, ws, q, v);
    });
  }
}

template <class T>
void inertias_of_links(const Mechanism& mech, BasicWorkspace<T>& ws) {
  for (int l = 0; l < mech.link_count(); ++l) {
    ws.M[l] = Transform<T>{ws.R_WL[l], ws.p_OL[l]} * ws.parameters.M_L[l];
  }
}

// Custom joints run on double only.
template <class T>
void assert_scalar_fits([[maybe_unused]] const Mechanism& mech) {
  assert((std::is_same_v<T, double> || !mech.has_custom_joint) && "custom joints run on double only");
}

}  // namespace trammel

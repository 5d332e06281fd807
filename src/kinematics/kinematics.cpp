// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Passes over the tree, and what they say of a body: pose, velocity, acceleration.
//   point P of body B on link L:   p_OP = p_OL + R_WL (X_LB p_BP)
//   v_P = V.v + ω × p_OP
//   a_P = A.v + α × p_OP + ω × v_P          A is taken at a fixed O, the point moves on

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>

#include "kinematics/body_point.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

template <class T>
void compute_positions(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q) {
  assert_scalar_fits<T>(mech);
  positions_base_to_tip(mech, ws, q.data());
}

template <class T>
void compute_velocities(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v) {
  assert_scalar_fits<T>(mech);
  velocities_base_to_tip(mech, ws, q.data(), v.data());
}

template <class T>
void compute_accelerations(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a) {
  compute_velocities(mech, ws, q, v);
  for (int l = 0; l < mech.link_count(); ++l) acceleration_step(mech.links[l], l, mech.links[l].nv, ws, a.data());
}

template <class T>
void compute_motion_rates(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v) {
  for (int l = 0; l < mech.link_count(); ++l) {
    const Link& link = mech.links[l];
    const Transform<T> X_OL{ws.R_WL[l], ws.p_OL[l]};
    visit_joint(link.type, link.nv, [&](const auto& joint, auto n) {
      const auto Hdot_FM = joint.template Hdot_FM<T>(q.data() + link.q, v.data() + link.v);
      for (int k = 0; k < n; ++k) {
        ws.Hdot[link.v + k] = cross_motion(ws.V[l], ws.H[link.v + k]) + X_OL * Hdot_FM[k];
      }
    });
  }
}

template <class T>
void compute_inertias(const Mechanism& mech, BasicWorkspace<T>& ws) {
  inertias_of_links(mech, ws);
}

template <class T>
Transform<T> pose_WB(const Mechanism& mech, const BasicWorkspace<T>& ws, int body) {
  if (body == ground) return {};
  const int l = mech.bodies[body].link;
  const Transform<T>& X_LB = ws.parameters.X_LB[body];
  if (l == ground) return X_LB;
  return {ws.R_WL[l] * X_LB.R, ws.p_WO[mech.links[l].point] + (ws.p_OL[l] + ws.R_WL[l] * X_LB.p)};
}

template <class T>
Motion<T> velocity_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = link_of(mech, body);
  if (l == ground) return {};
  return shift(ws.V[l], p_OP(mech, ws, body, p_B));
}

template <class T>
Motion<T> acceleration_W(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = link_of(mech, body);
  if (l == ground) return {};
  const Vec3<T> p = p_OP(mech, ws, body, p_B);
  Motion<T> A = shift(ws.A[l], p);
  A.v += cross(ws.V[l].w, shift(ws.V[l], p).v);
  return A;
}

#define TRAMMEL_INSTANTIATE(T)                                                                       \
  template void compute_positions<T>(const Mechanism&, BasicWorkspace<T>&, In<T>);                   \
  template void compute_velocities<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>);           \
  template void compute_accelerations<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>); \
  template void compute_motion_rates<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>);         \
  template void compute_inertias<T>(const Mechanism&, BasicWorkspace<T>&);                           \
  template Transform<T> pose_WB<T>(const Mechanism&, const BasicWorkspace<T>&, int);                 \
  template Motion<T> velocity_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&); \
  template Motion<T> acceleration_W<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

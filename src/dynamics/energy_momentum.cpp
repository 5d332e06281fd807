// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Sums over the moving links. World axes, at each link's point O; h is the first moment there.
//   T = ½ Σ V·(M V) + ½ Σ rotor v²,      U = −Σ g·(m p_WO + h)
//   centre of mass  c = Σ (m p_WO + h) / Σ m;   momentum Σ M V, taken at c
// Positions are summed from the first point O, not from W, so that a mechanism far away loses no digits.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "dynamics/link_forces.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

template <class T>
Energy<T> compute_energy(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> v) {
  inertias_of_links(mech, ws);
  Energy<T> energy;
  for (int l = 0; l < mech.link_count(); ++l) {
    const RigidInertia<T>& M = ws.M[l];
    energy.kinetic += T(0.5) * dot(ws.V[l], M * ws.V[l]);
    energy.potential -= dot(ws.parameters.gravity, ws.p_WO[mech.links[l].point] * M.mass + M.h);
  }
  for (int k = 0; k < mech.nv; ++k) energy.kinetic += T(0.5) * ws.parameters.armature[k] * v[k] * v[k];
  return energy;
}

template <class T>
Momentum<T> compute_momentum(const Mechanism& mech, BasicWorkspace<T>& ws) {
  inertias_of_links(mech, ws);
  Momentum<T> momentum;
  if (mech.links.empty()) return momentum;
  const Vec3<T> p_WS = ws.p_WO[0];
  Vec3<T> first_moment;
  for (int l = 0; l < mech.link_count(); ++l) {
    const Vec3<T> p_SO = ws.p_WO[mech.links[l].point] - p_WS;
    momentum.mass += ws.M[l].mass;
    first_moment += p_SO * ws.M[l].mass + ws.M[l].h;
  }
  const Vec3<T> p_SC = first_moment * (T(1) / momentum.mass);
  momentum.com_W = p_WS + p_SC;
  for (int l = 0; l < mech.link_count(); ++l) {
    const Vec3<T> p_OC = p_SC - (ws.p_WO[mech.links[l].point] - p_WS);
    const Force<T> P = shift(ws.M[l] * ws.V[l], p_OC);
    momentum.linear_W += P.f;
    momentum.angular_W += P.n;
  }
  return momentum;
}

#define TRAMMEL_INSTANTIATE(T)                                                       \
  template Energy<T> compute_energy<T>(const Mechanism&, BasicWorkspace<T>&, In<T>); \
  template Momentum<T> compute_momentum<T>(const Mechanism&, BasicWorkspace<T>&);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

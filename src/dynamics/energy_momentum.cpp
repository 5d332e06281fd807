// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Sums over the moving links. World axes, at each link's point O; h is the first moment there.
//   T = ½ Σ V·(M V) + ½ Σ rotor v²,      U = −Σ g·(m p_WO + h)
//   centre of mass  c = Σ (m p_WO + h) / Σ m;   momentum Σ M V, taken at c
// Positions are summed from the first point O, not from W, so that a mechanism far away loses no digits.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "kernels/link_view.hpp"

namespace trammel {

template <class T>
Energy<T> compute_energy(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> v) {
  compute_inertias(mech, ws);
  Energy<T> energy;
  for (int l = 0; l < mech.link_count(); ++l) {
    const LinkView<T> L = link_view(mech, ws, l);
    energy.kinetic += T(0.5) * dot(L.V, L.M * L.V);
    energy.potential -= dot(ws.parameters().gravity, L.p_WO * L.M.mass + L.M.h);
  }
  for (int k = 0; k < mech.nv; ++k) energy.kinetic += T(0.5) * ws.parameters().armature[k] * v[k] * v[k];
  return energy;
}

template <class T>
Momentum<T> compute_momentum(const Mechanism& mech, BasicWorkspace<T>& ws) {
  compute_inertias(mech, ws);
  Momentum<T> momentum;
  if (mech.links.empty()) return momentum;
  const Vec3<T> p_WS = link_view(mech, ws, 0).p_WO;
  Vec3<T> first_moment;
  for (int l = 0; l < mech.link_count(); ++l) {
    const LinkView<T> L = link_view(mech, ws, l);
    momentum.mass += L.M.mass;
    first_moment += (L.p_WO - p_WS) * L.M.mass + L.M.h;
  }
  const Vec3<T> p_SC = first_moment * (T(1) / select(momentum.mass > T(0), momentum.mass, T(1)));
  momentum.com_W = p_WS + p_SC;
  for (int l = 0; l < mech.link_count(); ++l) {
    const LinkView<T> L = link_view(mech, ws, l);
    const Vec3<T> p_OC = p_SC - (L.p_WO - p_WS);
    const Force<T> P = shift(L.M * L.V, p_OC);
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

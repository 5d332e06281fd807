// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics in O(n): recursive Newton–Euler.                   [Featherstone 2008, ch. 5; all at O, in W]
//   base to tip:  F = (M + added) A + b                                  (1)   b as in link_forces.hpp
//   tip to base:  τ_k = H_k·F + (rotor) v̇_k,   F_P += F                   (2)

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "dynamics/link_forces.hpp"
#include "forces/joint_friction.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {
namespace {

// (2)
template <class T>
void joint_forces_tip_to_base(const Mechanism& mech, BasicWorkspace<T>& ws, T* tau) {
  for (int l = mech.link_count() - 1; l >= 0; --l) {
    const Link& link = mech.links[l];
    for (int k = link.v; k < link.v + link.nv; ++k) tau[k] = dot(ws.H[k], ws.F[l]);
    if (link.parent != ground) ws.F[link.parent] += to_parent(link, ws, ws.F[l]);
  }
}

template <class T>
void subtract_friction(const Mechanism& mech, const BasicWorkspace<T>& ws, const BasicLoads<T>& loads, const T* v,
                       T* scratch, T* tau) {
  if (!loads.friction) return;
  std::fill(scratch, scratch + mech.nv, T(0));
  add_joint_friction(mech, ws.parameters, v, scratch);
  for (int k = 0; k < mech.nv; ++k) tau[k] -= scratch[k];
}

}  // namespace

template <class T>
void inverse_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
                      const BasicLoads<T>& loads) {
  compute_accelerations(mech, ws, q, v, a);
  inertias_of_links(mech, ws);
  bias_of_links(mech, ws, loads, ws.F);
  for (int l = 0; l < mech.link_count(); ++l) ws.F[l] += ws.M[l] * ws.A[l];  // (1)
  if (loads.inertia != nullptr) {
    for_each_moving_body(mech, [&](int b, int l) { ws.F[l] += loads.inertia[b] * ws.A[l]; });
  }
  joint_forces_tip_to_base(mech, ws, tau.data());
  for (int k = 0; k < mech.nv; ++k) tau[k] += dof_inertia(ws, loads, k) * a[k];
  subtract_friction(mech, ws, loads, v.data(), ws.tau.data(), tau.data());
}

template <class T>
void bias_forces(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, Out<T> h, const BasicLoads<T>& loads) {
  std::fill(ws.d.begin(), ws.d.end(), T(0));
  inverse_dynamics<T>(mech, ws, q, v, ws.d, h, loads);
}

template <class T>
void gravity_forces(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, Out<T> g) {
  compute_positions(mech, ws, q);
  inertias_of_links(mech, ws);
  for (int l = 0; l < mech.link_count(); ++l) ws.F[l] = -weight_of(ws.M[l], ws.parameters.gravity);
  joint_forces_tip_to_base(mech, ws, g.data());
}

template <class T>
void friction_forces(const Mechanism& mech, const BasicWorkspace<T>& ws, In<T> v, Out<T> tau) {
  std::fill(tau.begin(), tau.end(), T(0));
  add_joint_friction(mech, ws.parameters, v.data(), tau.data());
}

#define TRAMMEL_INSTANTIATE(T)                                                                                    \
  template void inverse_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>,            \
                                    const BasicLoads<T>&);                                                        \
  template void bias_forces<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, Out<T>, const BasicLoads<T>&); \
  template void gravity_forces<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, Out<T>);                           \
  template void friction_forces<T>(const Mechanism&, const BasicWorkspace<T>&, In<T>, Out<T>);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

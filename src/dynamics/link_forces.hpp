// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a moving link needs and receives, before joints come in. World axes. With c from O to the centre of mass C:
//   v_C = v + ω × c,    a_C = a + α × c + ω × v_C               acceleration of the material point
//   f   = m (a_C − g),  n_C = I_C α + ω × (I_C ω),              n = n_C + c × f at O
//   force needed:  [n; f] + (added inertia) A + (added bias) − wrench
// Weight is a force on each link, never an acceleration of the base: added inertia (water) has no weight.

#include "kernels/link_state.hpp"

namespace trammel {

// The force that moves a rigid link with velocity V and acceleration A (both at O) against its weight.
template <class T>
Force<T> newton_euler(const LinkInertia<T>& at_C, const Motion<T>& V, const Motion<T>& A, const Vec3<T>& gravity) {
  const Vec3<T>& c = at_C.com;
  const Vec3<T> v_C = V.v + cross(V.w, c);
  const Vec3<T> f = (A.v - gravity + cross(A.w, c) + cross(V.w, v_C)) * at_C.mass;
  return {at_C.I_C * A.w + cross(V.w, at_C.I_C * V.w) + cross(c, f), f};
}

// Calls f(body, link) for every body on a moving link.
template <class F>
void for_each_moving_body(const Tree& tree, F&& f) {
  for (int b = 0; b < tree.body_count; ++b) {
    if (tree.link_of_body[b] >= 0) f(b, tree.link_of_body[b]);
  }
}

// Adds to the force F that each link needs what the caller's loads ask for, at its acceleration A.
template <class T>
void add_loads(const Tree& tree, const Arrays<T>& ws, const LoadArrays<T>& loads) {
  if (loads.wrenches != nullptr) for_each_moving_body(tree, [&](int b, int l) { ws.links[l].F -= loads.wrench(b); });
  if (loads.biases != nullptr) for_each_moving_body(tree, [&](int b, int l) { ws.links[l].F += loads.bias(b); });
  if (loads.inertias != nullptr) {
    for_each_moving_body(tree, [&](int b, int l) { ws.links[l].F += loads.inertia(b) * ws.links[l].A; });
  }
}

// What the mass matrix has on its diagonal besides the links: rotors and the caller's additions.
template <class T>
T dof_inertia(const Arrays<T>& ws, const LoadArrays<T>& loads, int k) {
  const T rotor(ws.parameters.armature[k]);
  return loads.dof_inertias == nullptr ? rotor : rotor + loads.dof_inertias[k];
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Friction in the joints, as joint forces that oppose the motion:
//   τ_k = −c_k v_k − f_k v_k / √(s² + v²)
// with viscous c, dry f, and the speed s below which dry friction is smoothed. v is v_k itself; where the freedoms of a
// joint are components of one vector (v is not q̇: ball joints), v is that vector's length, so that friction does not
// depend on the choice of axes.

#include <trammel/workspace.hpp>

namespace trammel {

template <class T>
void add_joint_friction(const Mechanism& mech, const Parameters<T>& par, const T* v, T* tau) {
  for (const Link& link : mech.links) {
    T together(0);
    for (int k = link.v; k < link.v + link.nv; ++k) together += v[k] * v[k];
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const T v2 = link.nq == link.nv ? v[k] * v[k] : together;
      const T speed = sqrt(par.dry_speed[k] * par.dry_speed[k] + v2);
      tau[k] -= (par.viscous[k] + par.dry[k] / speed) * v[k];
    }
  }
}

}  // namespace trammel

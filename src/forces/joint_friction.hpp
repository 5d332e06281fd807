// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Friction in the joints, as joint forces that oppose the motion:
//   τ_k = −c_k v_k − f_k v_k / √(s² + v²)
// with viscous c, dry f, and the speed s below which dry friction is smoothed. v is v_k itself; where the freedoms of a
// joint are components of one vector (v is not q̇: ball joints), v is that vector's length, so that friction does not
// depend on the choice of axes.

#include "kernels/link_state.hpp"

namespace trammel {

// τ_k
template <class T>
T friction_of_freedom(const Tree& tree, const ParameterArrays<T>& par, const T* v, int k) {
  if (is_zero(par.dry[k])) return -(T(par.viscous[k]) * v[k]);
  const TreeLink& link = tree.links[tree.link_of_dof[k]];
  T squared_speed = v[k] * v[k];
  if (link.nq != link.nv) {
    squared_speed = T(0);
    for (int i = link.v; i < link.v + link.nv; ++i) squared_speed += v[i] * v[i];
  }
  const T speed = sqrt(T(par.dry_speed[k] * par.dry_speed[k]) + squared_speed);
  return -((T(par.viscous[k]) + T(par.dry[k]) / speed) * v[k]);
}

// Calls f(k, τ_k) for every freedom with friction.
template <class T, class F>
void for_each_friction(const Tree& tree, const ParameterArrays<T>& par, const T* v, F&& f) {
  for (int k = 0; k < tree.nv; ++k) {
    if (!is_zero(par.dry[k]) || !is_zero(par.viscous[k])) f(k, friction_of_freedom(tree, par, v, k));
  }
}

template <class T>
void add_joint_friction(const Tree& tree, const ParameterArrays<T>& par, const T* v, T* tau) {
  for_each_friction(tree, par, v, [&](int k, const T& friction) { tau[k] += friction; });
}
template <class T>
void subtract_joint_friction(const Tree& tree, const ParameterArrays<T>& par, const T* v, T* tau) {
  for_each_friction(tree, par, v, [&](int k, const T& friction) { tau[k] -= friction; });
}

}  // namespace trammel

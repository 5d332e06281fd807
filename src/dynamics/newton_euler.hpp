// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inverse dynamics in O(n): recursive Newton–Euler.                   [Featherstone 2008, ch. 5; all at O, in W]
//   base to tip:  F, the force each link needs at its acceleration       (1)   link_forces.hpp
//   tip to base:  τ_k = H_k·F + (rotor) v̇_k,   F_P += F                   (2)

#include <algorithm>

#include "dynamics/link_forces.hpp"
#include "forces/joint_friction.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

// (2)
template <class T>
TRAMMEL_KERNEL void joint_forces_tip_to_base(Tree tree, Arrays<T> ws, T* tau) {
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink link = tree.links[l];
    const Force<T> F = ws.links[l].F;
    for (int k = link.v; k < link.v + link.nv; ++k) tau[k] = dot(ws.freedoms[k].H, F);
    if (link.parent >= 0) ws.links[link.parent].F += to_parent(link, ws, F);
  }
}

// (1); each link by itself
template <class T>
TRAMMEL_KERNEL void forces_of_links(Arrays<T> ws, int first, int end) {
  for (int l = first; l < end; ++l) {
    LinkState<T>& L = ws.links[l];
    const LinkInertia<T> at_C = inertia_in_world(ws.parameters.inertia[l], Transform<T>{L.R_WL, L.p_OL});
    L.F = newton_euler(at_C, L.V, L.A, ws.parameters.gravity);
  }
}

// `a` null: no freedom accelerates, and tau becomes the bias force.
template <class T>
void recursive_newton_euler(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a, T* tau,
                            const LoadArrays<T>& loads) {
  constexpr int some =
      8;  // links at a time, which the cache next to the processor still holds when their forces are found
  for (int first = 0; first < tree.link_count; first += some) {
    const int end = std::min(first + some, tree.link_count);
    accelerations_base_to_tip(tree, first, end, ws, q, v, a);
    forces_of_links(ws, first, end);
  }
  add_loads(tree, ws, loads);
  joint_forces_tip_to_base(tree, ws, tau);
  if (a != nullptr) {
    for (int k = 0; k < tree.nv; ++k) tau[k] += dof_inertia(ws, loads, k) * a[k];
  }
  if (loads.friction && ws.parameters.has_friction) subtract_joint_friction(tree, ws.parameters, v, tau);
}

template <class T>
void gravity_joint_forces(const Tree& tree, const Arrays<T>& ws, const T* q, T* g) {
  positions_base_to_tip(tree, ws, q);
  for (int l = 0; l < tree.link_count; ++l) {
    const auto& in_L = ws.parameters.inertia[l];
    LinkState<T>& L = ws.links[l];
    const Vec3<T> f = ws.parameters.gravity * -T(in_L.mass);
    L.F = {cross(L.p_OL + L.R_WL * for_kernel<T>(in_L.com), f), f};
  }
  joint_forces_tip_to_base(tree, ws, g);
}

}  // namespace trammel

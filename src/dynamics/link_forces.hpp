// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a moving link needs and receives, before joints come in. World axes, at its point O:
//   force needed for acceleration A:   M A + b,    b = V ×* (M V) − weight − wrenches + added bias
// Weight is a force on each body, never an acceleration of the base: added inertia (water) has no weight.

#include <trammel/dynamics.hpp>

#include "kinematics/body_point.hpp"

namespace trammel {

template <class T>
Force<T> weight_of(const RigidInertia<T>& M, const Vec3<T>& gravity) {
  return {cross(M.h, gravity), gravity * M.mass};
}

template <class T>
Force<T> velocity_force(const RigidInertia<T>& M, const Motion<T>& V) {
  return cross_force(V, M * V);
}

// Calls f(body, link) for every body on a moving link.
template <class F>
void for_each_moving_body(const Mechanism& mech, F&& f) {
  for (int b = 0; b < mech.body_count(); ++b) {
    if (mech.bodies[b].link != ground) f(b, mech.bodies[b].link);
  }
}

// b for all links into `bias`, additions included; needs velocities and inertias.
template <class T>
void bias_of_links(const Mechanism& mech, BasicWorkspace<T>& ws, const BasicLoads<T>& loads,
                   std::vector<Force<T>>& bias) {
  for (int l = 0; l < mech.link_count(); ++l) {
    bias[l] = velocity_force(ws.M[l], ws.V[l]) - weight_of(ws.M[l], ws.parameters.gravity);
  }
  if (loads.wrench != nullptr) for_each_moving_body(mech, [&](int b, int l) { bias[l] -= loads.wrench[b]; });
  if (loads.bias != nullptr) for_each_moving_body(mech, [&](int b, int l) { bias[l] += loads.bias[b]; });
}

// What the mass matrix has on its diagonal besides the links: rotors and the caller's additions.
template <class T>
T dof_inertia(const BasicWorkspace<T>& ws, const BasicLoads<T>& loads, int k) {
  return loads.dof_inertia == nullptr ? ws.parameters.armature[k] : ws.parameters.armature[k] + loads.dof_inertia[k];
}

}  // namespace trammel

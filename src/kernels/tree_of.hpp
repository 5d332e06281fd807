// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A mechanism, its parameters and loads as the kernels see them. Made anew at every call: a few pointers cost less than
// the care that keeping them would need when a mechanism is copied.

#include <trammel/loads.hpp>
#include <trammel/mechanism.hpp>

#include "kernels/link_state.hpp"

namespace trammel {

Tree tree_of(const Mechanism& mechanism);

template <class T>
ParameterArrays<T> arrays_of(const Parameters<T>& p) {
  return {p.X_PF.data(),    p.inertia.data(), p.X_LB.data(),      p.armature.data(),
          p.viscous.data(), p.dry.data(),     p.dry_speed.data(), p.gravity};
}

template <class T>
LoadArrays<T> arrays_of(const BasicLoads<T>& loads) {
  static_assert(sizeof(Force<T>) == 6 * sizeof(T) && sizeof(ArticulatedInertia<T>) == 21 * sizeof(T));
  return {reinterpret_cast<const T*>(loads.wrench),
          reinterpret_cast<const T*>(loads.inertia),
          reinterpret_cast<const T*>(loads.bias),
          loads.dof_inertia,
          loads.friction,
          loads.after_velocities};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forces and inertias that the caller adds to a mechanism.

#include <trammel/spatial/inertia.hpp>

namespace trammel {

// What else acts on the mechanism. Each pointer may be null; each array belongs to the caller. Wrenches and inertias
// are in world axes, taken at the body's point O (see Workspace); fill them by add_wrench and add_inertia after
// compute_positions, for the same q. A body fixed to the ground takes wrenches too: they show in its reactions.
template <class T>
struct BasicLoads {
  const Force<T>* wrench = nullptr;                // per body: external wrench
  const ArticulatedInertia<T>* inertia = nullptr;  // per body: added inertia, e.g. of water: force needed = I A + bias
  const Force<T>* bias = nullptr;                  // per body: its bias force
  const T* dof_inertia = nullptr;                  // per freedom: addition to D, the diagonal of the mass matrix
  bool friction = true;                            // the joints' own viscous and dry friction acts
  // compute_velocities has just been called for the same q and v, and no other function that writes to the workspace since:
  // forward_dynamics goes on from there. Others begin anew.
  bool after_velocities = false;
};
using Loads = BasicLoads<double>;

}  // namespace trammel

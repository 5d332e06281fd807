// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How easily a body is moved at a point: the 6×6 matrix
//   G = J M⁻¹ Jᵀ,      [Δω; Δv] = G [impulse of moment; impulse of force]
// in world axes, at the point; the inverse of what operational-space control calls Λ. O(n), without J, M or a way back from base to
// tip. Of a mechanism with loops it is that of the spanning tree: LoopDynamics::operational_inertia sees the loops.

#include <trammel/dynamics.hpp>

namespace trammel {

// 36 numbers, row-major. `locked`, per freedom of the tree: those that do not move (empty: none). Of `loads`, inertias and dof_inertia
// count. T is double, Dual or Counted.
template <class T>
DynamicsVerdict compute_mobility(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, int body,
                                 const Vec3<T>& p_B, Out<T> G, const BasicLoads<T>& loads = {},
                                 std::span<const char> locked = {});

}  // namespace trammel

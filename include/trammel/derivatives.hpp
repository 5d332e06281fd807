// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How forces and accelerations of trees change with the state, in one pass over the tree: for optimisers, estimators and controllers.
//
//   std::vector<double> a(n), a_q(n * n), a_v(n * n), a_tau(n * n);
//   forward_dynamics_derivatives(mechanism, ws, q, v, tau, a, {a_q, a_v, a_tau});
//
// Matrices are nv×nv and row-major: entry [k·nv + j] is the derivative of row k by freedom j. Derivatives by q are on the tangent space:
// along q ⊕ δ as step_coordinates does it, so that a ball joint has three columns and not four. They are exact to round-off (of custom
// joints as exact as their Hdot_along).
//
// Loads are held in the bodies: a wrench, bias or added inertia keeps its components in the axes of its body, at a point of the body, while
// bodies are displaced; and none changes with v, but by the velocities that the added inertia meets. dof_inertia is constant. A force that
// keeps its direction in the world is no such load: what it adds is for the caller. Friction (smoothed, as in dynamics.hpp) counts.
//
// T is double, Dual (so that second derivatives may be had) or Counted. No call allocates. Batch has the same for many states. Loop
// closures and couplings are not seen here, as in dynamics.hpp.

#include <trammel/dynamics.hpp>

namespace trammel {

template <class T>
struct InverseDerivatives {
  std::span<T> tau_q, tau_v;  // ∂τ/∂q, ∂τ/∂v at constant v̇
  std::span<T> M;             // ∂τ/∂v̇, the mass matrix
};
template <class T>
struct ForwardDerivatives {
  std::span<T> a_q, a_v;  // ∂v̇/∂q, ∂v̇/∂v at constant τ
  std::span<T> a_tau;     // ∂v̇/∂τ, the inverse of the mass matrix
};

// Finds τ as well, as inverse_dynamics does. O(n·depth).
template <class T>
void inverse_dynamics_derivatives(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> a,
                                  Out<T> tau, const std::type_identity_t<InverseDerivatives<T>>& derivatives,
                                  const BasicLoads<T>& loads = {});
// Finds v̇ as well, as forward_dynamics does. Where the verdict is not ok() the numbers mean nothing.
template <class T>
DynamicsVerdict forward_dynamics_derivatives(const Mechanism& mechanism, BasicWorkspace<T>& ws, In<T> q, In<T> v,
                                             In<T> tau, Out<T> a,
                                             const std::type_identity_t<ForwardDerivatives<T>>& derivatives,
                                             const BasicLoads<T>& loads = {});

}  // namespace trammel

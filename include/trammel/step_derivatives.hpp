// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// One step of a fixed-step integrator on a tree, and how its end changes with where it begins and with the forces that are held during it:
// the matrices A and B that optimal control, estimators and linear-quadratic regulators ask for.
//
//   DifferentiatedStep step(mechanism, Integrator::semi_implicit, 1e-3);
//   std::vector<double> A(4 * n * n), B(2 * n * n);
//   step.advance(q, v, tau, q_next, v_next, {A, B});
//
// With x = (q, v), changes of q on the tangent space at both ends,   q ⊕ δq → q' ⊕ δq',   so that a ball joint has three and not four:
//   [δq'; δv'] = A [δq; δv] + B δτ
// They are exact to round-off: derivatives of the step as it is taken, not of the motion that it approximates.
//
//   semi_implicit   v' = v + h v̇(q, v, τ),  q' = q ⊕ h v'
//   implicit        the same with v̇ of (M + h C) v̇ = τ − h(q, v) − C v: C viscous friction in the joints
//   rk4             the classical rule on coordinates, quaternions among them, made unit at stages and at the end
//
// The steps are those of Simulation (simulation.hpp) where nothing acts but weight, viscous friction and τ. Dry friction is that of
// dynamics.hpp, smoothed, and explicit; loads are held in the bodies as in derivatives.hpp. There is none for loops: the derivative of the
// projection that follows a step would be needed too. Derivatives of accelerations of loops: LoopDynamics::forward_derivatives.

#include <memory>

#include <trammel/derivatives.hpp>
#include <trammel/simulation.hpp>

namespace trammel {

struct StepMatrices {
  std::span<double> A;  // 2nv × 2nv, row-major: rows δq', δv', columns δq, δv
  std::span<double> B;  // 2nv × nv: columns δτ
};

class DifferentiatedStep {
 public:
  // Throws std::invalid_argument for other integrators, a step that is not positive, mechanisms with loops, couplings or constraints, and
  // custom joints. Keeps a reference to the mechanism; allocates all it needs.
  DifferentiatedStep(const Mechanism& mechanism, Integrator integrator, double step);
  ~DifferentiatedStep();
  DifferentiatedStep(DifferentiatedStep&&) noexcept;
  DifferentiatedStep& operator=(DifferentiatedStep&&) noexcept;

  double step() const;
  // q_next and v_next may be q and v. Where the verdict is not ok() the numbers mean nothing.
  DynamicsVerdict advance(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                          std::span<double> q_next, std::span<double> v_next, const StepMatrices& matrices,
                          const Loads& loads = {});

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace trammel

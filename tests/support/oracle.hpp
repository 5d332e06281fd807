// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The dense oracle: dynamics of any mechanism in maximal coordinates, from the Model alone, sharing nothing with the
// recursions. Every body has its own angular acceleration α and acceleration a_C of its centre of mass, in world axes;
// every joint, in a tree or closing a loop alike, adds rows.
//
// For joint j between A and B, in M's axes at M's origin, let V = V_FM and complete H to a basis: H⁺ its left inverse
// (v = H⁺ V) and C an orthonormal basis of what H leaves out. With P = [H⁺; Cᵀ]:
//   motion       P V̇ = [v̇ + H⁺ Ḣ v;  Cᵀ Ḣ v]            V̇ linear in α, a of A and B, plus velocity products
//   wrench       F = Pᵀ [τ_eff; λ]                         on B, the opposite on A;  Hᵀ F = τ_eff
//   joint force  τ_eff = τ + friction − armature v̇
// Rows with Cᵀ, and those of H⁺ whose acceleration is prescribed, are constraints G x = γ with multipliers:
//   [ W  −Gᵀ ] [x]   [f]
//   [ G   0  ] [λ] = [γ]        W: masses, plus armature seen through H⁺
// solved by a rank-revealing complete orthogonal decomposition: of minimum norm where reactions are not unique.

#include <optional>
#include <vector>

#include <Eigen/Dense>

#include <trammel/model.hpp>

#include "support/dense.hpp"
#include "support/random_model.hpp"

namespace trammel::test {

struct OracleWrench {
  int body = 0;  // index in the model
  Vec3d p_B;     // where it acts
  Force<double> F_W;
};
// Force that the surroundings take: I (spatial acceleration of the body at its origin) + bias, in world axes.
struct OracleAddition {
  int body = 0;
  Matrix6 I_B = Matrix6::Zero();  // at the body's origin, in its axes; symmetric
  Force<double> bias_W{};         // at the body's origin, in world axes
};

struct OracleLoads {
  std::vector<OracleWrench> wrenches{};
  std::vector<OracleAddition> additions{};
  PerJoint dof_inertia{};                                        // empty, or per joint and freedom
  std::vector<std::vector<std::optional<double>>> prescribed{};  // empty, or per joint and freedom: v̇
  bool friction = true;
};

struct OracleBody {
  Transformd X_WB;
  Motion<double> V_W;  // at the body's origin, world axes
  Motion<double> A_W;  // [α; classical acceleration of the origin], world axes
};

struct OracleAnswer {
  std::vector<OracleBody> bodies;
  PerJoint a;                           // v̇ of every joint
  PerJoint tau;                         // given, or found where v̇ was prescribed
  std::vector<Force<double>> reaction;  // on the second body by the first, at M's origin, world axes, τ included
  int constraint_rows = 0, rank = 0;    // of G: rows − rank are redundant
  double residual = 0;                  // largest |K x − b| of the solution: not small if rows contradict each other
};

// q and v of all joints must agree with each other where there are loops.
OracleAnswer oracle_dynamics(const Model& model, const JointStates& states, const OracleLoads& loads = {});

// Poses and velocities alone (A_W zero).
std::vector<OracleBody> oracle_kinematics(const Model& model, const JointStates& states);

// M = Jᵀ W J over all freedoms of a tree, joint after joint of the model; J solves the velocity constraints.
Eigen::MatrixXd oracle_mass_matrix(const Model& model, const JointStates& states, const OracleLoads& loads = {});

struct OracleMomentum {
  double kinetic = 0, potential = 0, mass = 0;
  Vec3d com_W, linear_W, angular_W;  // angular about the centre of mass
};
// Sums over the bodies that can move: those not welded to the ground.
OracleMomentum oracle_momentum(const Model& model, const JointStates& states);

}  // namespace trammel::test

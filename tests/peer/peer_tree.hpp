// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the peers have in common: a model walked as a tree, each joint taken apart into the joints a peer knows, and the
// map between our coordinates and the peer's.
//
// The tree is found here from the model alone, not from our compile(): two independent walks must agree. A peer's body
// frame C is the joint's frame on the child's side (M, or F where the tree runs against the file's direction), so that
// every joint of the peer passes through C's origin.
//
// Map. A peer has coordinates of its own, with velocities linear in ours:
//   v' = T(q) v,   a' = T a + c(q, v),   c = dT/dt v
// The power of forces is the same in both, τ·v = τ'·v', so τ = Tᵀ τ'; hence from the peer's mass matrix, Jacobian and
// inverse dynamics ID':
//   M = Tᵀ M' T,   J = J' T,   ID(q, v, a) = Tᵀ ID'(q', T v, T a + c)
// None of this needs T to be square. A screw is thus compared although neither peer has one: it is their turn θ and
// travel z together, with z = h θ, so T = (1, h)ᵀ.

#include <span>
#include <vector>

#include <Eigen/Dense>

#include <trammel/mechanism.hpp>

namespace trammel::test {

// A body of the model and the joint that carries it.
struct TreeStep {
  int body = 0;
  int parent = ground;  // body
  int joint = 0;
  bool reversed = false;  // the file names this body first and the parent second
  Transformd X_PJ;        // the joint's frame on the parent's side, in the parent's frame C (in W on ground)
  Transformd X_CB;        // the body's own frame, in its frame C
  bool moves = true;      // not welded to the ground
};

// Parents first. Throws std::invalid_argument unless the joints make a tree that holds every body.
std::vector<TreeStep> walk_tree(const Model& model);

// A turn about, or a travel along, a fixed axis of C.
struct Elementary {
  bool slides = false;
  Vec3d axis;
  int freedom = 0;    // of our joint
  double factor = 1;  // q' = factor · q
};
// The chain of elementary joints, from the parent on, whose coordinates are ours. Not for spherical and free joints,
// which have none; throws std::invalid_argument for these and for custom joints.
std::vector<Elementary> elementary_joints(const AnyJoint& type, bool reversed);
bool turns_in_all_directions(const AnyJoint& type);  // spherical or free

// The motion of C relative to J, the joint's frame on the parent's side, for spherical and free joints:
//   ṗ = Tp v in axes of J,   p̈ = Tp a + cp,   ω = Tw v in axes of C,   ω̇ (components in C) = Tw a
struct RelativeMotion {
  Transformd X_JC;
  Eigen::Matrix3Xd Tp, Tw;
  Eigen::Vector3d cp;
};
RelativeMotion relative_motion(const AnyJoint& type, bool reversed, const double* q, const double* v);

struct CoordinateMap {
  Eigen::VectorXd q;  // the peer's coordinates q'
  Eigen::MatrixXd T;
  Eigen::VectorXd c;
};

inline Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

// A model as the peers can take it: dry friction is taken out, which MuJoCo has as a constraint with a solver of its own
// and KDL not at all; and the rotor inertias and viscous friction of a reversed spherical joint are made equal about all
// three axes, since the peer's axes are those of the other body.
Model fit_for_peers(Model model);

// States for comparison: any orientation, angles within ±π, travels within ±0.5 m. `level` keeps the second of the
// three Euler angles x-y-z of spherical and free joints within ±58°, for peers that need such angles.
struct RandomState {
  std::vector<double> q, v, a, tau;
};
RandomState random_state(const Mechanism& mechanism, std::uint64_t seed, bool level = false);

}  // namespace trammel::test

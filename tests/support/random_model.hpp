// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random mechanisms for laws: a seed and options name one model on every machine. All are trees (or several) with every
// joint type, named in either direction, bodies with arbitrary frames, and physical inertias. Coordinates are kept per
// joint of the model, in its order and its own direction: what the dense oracle understands, and pack() flattens for
// the kernels.

#include <cstdint>
#include <iosfwd>
#include <vector>

#include <trammel/mechanism.hpp>

namespace trammel::test {

struct RandomModelOptions {
  int bodies = 5;               // 1 … 40 is what the laws ask for
  double branching = 0.3;       // chance that a body hangs on any earlier one instead of the last
  double new_tree = 0.08;       // chance that a body starts a tree of its own at the ground
  double floating = 0.5;        // chance that a tree begins with a free joint
  double fixed_joints = 0.08;   // chance of a weld
  double massless_welds = 0.3;  // chance that a welded body has no mass
  bool friction = false;        // viscous and dry, on joints that may have it
  bool armature = false;        // rotor inertia, likewise
  bool single_freedom_only = false;
};
Model random_model(std::uint64_t seed, const RandomModelOptions& options);

// One list per joint of the model.
using PerJoint = std::vector<std::vector<double>>;

struct JointStates {
  PerJoint q, v, a, tau;
};
// q by a step from zero along a normal tangent; v, a, tau normal.
JointStates random_states(const Model& model, std::uint64_t seed, double spread = 1);
JointStates zero_states(const Model& model);

// Between per-joint lists and the mechanism's own numbering; size nq or nv tells which.
std::vector<double> pack_q(const Mechanism& mechanism, const PerJoint& q);
std::vector<double> pack_v(const Mechanism& mechanism, const PerJoint& v);
PerJoint unpack_v(const Mechanism& mechanism, const std::vector<double>& v);

// The whole mechanism carried by a rigid motion of the world: bodies, joints on the ground, points and gravity.
Model moved(const Model& model, const Transformd& X_WW);
// Other names for bodies and joints.
Model renamed(const Model& model);
// Bodies and joints in another order; order[i] is where joint i of the result stood in the model.
struct Reordered {
  Model model;
  std::vector<int> joint_order, body_order;
};
Reordered reordered(const Model& model, std::uint64_t seed);
// Every joint named from its second body to its first, with coordinates, speeds and forces of the same motion.
struct Turned {
  Model model;
  JointStates states;
};
Turned turned_round(const Model& model, const JointStates& states);

// The model compiled; a failing model fails the test with its diagnostics.
Mechanism compiled(const Model& model, const std::vector<std::string>& cut = {});

// What RapidCheck draws and shrinks: a number of bodies and a seed that does not shrink.
struct ModelCase {
  int bodies = 1;
  std::uint64_t seed = 0;

  Model model(RandomModelOptions options = {}) const;
  JointStates states(const Model& model) const { return random_states(model, seed + 1); }
};
std::ostream& operator<<(std::ostream& out, const ModelCase& model_case);

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is measured: a mechanism and the states it is put into. Every implementation gets the same ones.

#include <string>
#include <vector>

#include <trammel/mechanism.hpp>

#include "peer/peer_tree.hpp"

namespace trammel::bench {

enum class Algorithm { forward, inverse, mass, jacobian, kinematics };
inline constexpr Algorithm all_algorithms[] = {Algorithm::forward, Algorithm::inverse, Algorithm::mass,
                                               Algorithm::jacobian, Algorithm::kinematics};
const char* name_of(Algorithm algorithm);

// Parts of a model that not every peer knows.
struct Features {
  bool viscous = true;   // friction in joints
  bool armature = true;  // rotors
};

struct Scene {
  std::string name;
  Model model;
  Mechanism mechanism;
  std::vector<test::RandomState> states;
  int tip = 0;  // the body whose Jacobian and pose are asked for: the one farthest from the ground, in joints
  Vec3d p_B;    // the point of it: the origin of its joint's frame, where the peers have their body frames
  Mat3d R_BC;   // the axes of that frame

  int state_count() const { return static_cast<int>(states.size()); }
};

// Dry friction is taken out, which MuJoCo treats as a constraint. Throws std::runtime_error when the model is bad.
Scene make_scene(const std::string& name, const Model& model, const Features& features = {});

Model shipped(const std::string& name);  // models/<name>.yaml
// Hinges with skew axes, each 0.1 m further along x.
Model hinge_chain(int bodies);

}  // namespace trammel::bench

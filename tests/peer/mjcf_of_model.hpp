// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tree model as an MJCF document for MuJoCo, for comparison in tests.
//
//   ours         MuJoCo, in the body's frame C
//   fixed        a nested body without joint
//   revolute     hinge z
//   prismatic    slide z
//   helical      hinge z, slide z, tied by the coordinate map (MuJoCo has no screw, and its equality constraints are soft)
//   cylindrical  hinge z, slide z
//   universal    hinge x, hinge y
//   planar       slide x, slide y, hinge z
//   spherical    ball
//   free         free on the world, elsewhere slide x, slide y, slide z, ball
//
// Position servos of joints with one freedom become actuators, in the order of the model.
// Reversed joints run through their chain backwards about the opposite axes. Names are made of indices: body and site
// (at our body's own frame) "b3", joint "j3.0". Masses of bodies welded to the ground are left out: they move nothing.

#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "peer/peer_tree.hpp"

namespace trammel::test {

// MuJoCo refuses masses and moments of moving bodies that are zero, and moments that break the triangle inequality, as
// published robot data do. The document then holds harmless numbers, and these are written over them once it is loaded.
struct TrueInertia {
  int body = 0;
  double mass = 0;
  Eigen::Vector3d moments;  // principal, about the axes the document gives
};

struct MjcfDocument {
  std::string text;
  std::vector<TrueInertia> overrides;
};

// Throws std::invalid_argument for what MuJoCo cannot say: loops, custom joints, and rotors or viscous friction of
// reversed spherical joints that differ between axes (see fit_for_peers). Dry friction must be zero.
MjcfDocument mjcf_of(const Model& model);

// The model in MuJoCo, with the addresses of everything of ours in it.
class MujocoPeer {
 public:
  explicit MujocoPeer(const Model& model);

  // Our coordinates and velocities in MuJoCo's.
  CoordinateMap map(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v) const;

  mjModel* model() const { return model_.get(); }
  mjData* data() const { return data_.get(); }
  int body_id(int body) const { return body_ids_[static_cast<std::size_t>(body)]; }
  int site_id(int body) const { return site_ids_[static_cast<std::size_t>(body)]; }

 private:
  struct Deleter {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  struct JointAddress {
    int q = 0, v = 0;
  };
  JointAddress address(int joint, int part) const;

  Model source_;
  std::vector<TreeStep> steps_;
  std::unique_ptr<mjModel, Deleter> model_;
  std::unique_ptr<mjData, Deleter> data_;
  std::vector<int> body_ids_, site_ids_;  // per body of ours
};

}  // namespace trammel::test

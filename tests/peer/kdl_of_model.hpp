// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tree model in Orocos KDL, for comparison in tests. KDL has turns and travels only; the other joints are chains of
// them with segments without mass between, spherical joints as turns about x, y, z and free joints as travels along
// x, y, z followed by such turns. Three turns cannot say every rate when the second is at ±90°: states must be `level`
// (see random_state).

#include <span>
#include <string>
#include <vector>

#include <kdl/tree.hpp>

#include "peer/peer_tree.hpp"

namespace trammel::test {

class KdlPeer {
 public:
  // Throws std::invalid_argument for loops, custom joints and rotors of spherical joints.
  explicit KdlPeer(const Model& model);

  // Our coordinates and velocities in KDL's.
  CoordinateMap map(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v) const;

  const KDL::Tree& tree() const { return tree_; }
  const std::vector<TreeStep>& steps() const { return steps_; }
  // The segment that is our body: its tip frame is C and it has the body's inertia.
  static std::string segment(int body) { return "b" + std::to_string(body); }

 private:
  void add_segments(const TreeStep& step);
  int joint_number(const TreeStep& step, std::size_t part, std::size_t parts) const;

  Model source_;
  std::vector<TreeStep> steps_;
  KDL::Tree tree_{"ground"};
};

KDL::Vector kdl(const Vec3d& v);
KDL::Frame kdl(const Transformd& X);
Transformd from_kdl(const KDL::Frame& frame);

}  // namespace trammel::test

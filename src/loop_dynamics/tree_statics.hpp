// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which joints of the tree pass on given wrenches: for self-stress, the forces that circulate in loops without a load.

#include <algorithm>
#include <vector>

#include <trammel/mechanism.hpp>
#include <trammel/spatial/motion.hpp>

namespace trammel {

// Forces of bodies on each other along the tree that given wrenches at the bodies call for: F_W of the joint on its second body
// at the world's origin.
class TreeStatics {
 public:
  TreeStatics(const Mechanism& mech) : mech_(mech), wrench_(mech.bodies.size()), joints_(mech.joints.size()) {}
  void clear() {
    std::fill(wrench_.begin(), wrench_.end(), Force<double>{});
    std::fill(joints_.begin(), joints_.end(), Force<double>{});
  }
  void add(int body, const Force<double>& F_W, const Vec3d& p_W) {
    if (body != ground) wrench_[body] += Force<double>{F_W.n + cross(p_W, F_W.f), F_W.f};
  }
  // The joint that was cut carries its own.
  void add_at_joint(int joint, const Force<double>& F_W, const Vec3d& p_W) {
    joints_[joint] += Force<double>{F_W.n + cross(p_W, F_W.f), F_W.f};
  }
  void propagate() {
    for (auto it = mech_.bodies_base_to_tip.rbegin(); it != mech_.bodies_base_to_tip.rend(); ++it) {
      const BodyInfo& body = mech_.bodies[*it];
      const JointInfo& joint = mech_.joints[body.joint];
      const Force<double> needed = -wrench_[*it];
      joints_[body.joint] += joint.reversed ? -needed : needed;
      if (body.parent != ground) wrench_[body.parent] += wrench_[*it];
    }
  }
  const Force<double>& at_joint(int joint) const { return joints_[joint]; }

 private:
  const Mechanism& mech_;
  std::vector<Force<double>> wrench_, joints_;
};

}  // namespace trammel

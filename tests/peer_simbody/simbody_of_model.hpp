// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A compiled model in Simbody: its tree as mobilizers, its closing joints as constraints.

#include <stdexcept>

#include <trammel/kinematics.hpp>

#include "peer_simbody/cxx17/simbody_peer.hpp"

namespace trammel::test {

inline std::array<double, 3> plain(const Vec3d& v) { return {v.x, v.y, v.z}; }
inline simbody_peer::Pose plain(const Transformd& X) {
  const Mat3d& R = X.R;
  return {{R.ex.x, R.ey.x, R.ez.x, R.ex.y, R.ey.y, R.ez.y, R.ex.z, R.ey.z, R.ez.z}, plain(X.p)};
}
inline std::array<double, 6> plain(const Vec3d& a, const Vec3d& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }
inline std::array<double, 6> plain(const Motion<double>& V) { return plain(V.w, V.v); }
inline std::array<double, 6> plain(const Force<double>& F) { return plain(F.n, F.f); }
inline simbody_peer::Kind kind_of(const JointInfo& joint) {
  using simbody_peer::Kind;
  if (std::holds_alternative<Revolute>(joint.type)) return Kind::hinge;
  if (std::holds_alternative<Prismatic>(joint.type)) return Kind::slider;
  if (std::holds_alternative<Universal>(joint.type)) return Kind::universal;
  if (std::holds_alternative<Spherical>(joint.type)) return Kind::ball;
  if (std::holds_alternative<Free>(joint.type)) return Kind::free;
  if (std::holds_alternative<Fixed>(joint.type)) return Kind::weld;
  throw std::invalid_argument("no counterpart of joint '" + joint.name + "'");
}

// The bodies of a mechanism in Simbody's order.
class SimbodyPeer {
 public:
  SimbodyPeer(const Model& model, const Mechanism& mech) : mech_(mech), place_(mech.bodies.size()) {
    std::vector<simbody_peer::BodySpec> bodies;
    for (const int b : mech.bodies_base_to_tip) {
      place_[static_cast<std::size_t>(b)] = static_cast<int>(bodies.size());
      const Body& body = model.bodies[static_cast<std::size_t>(b)];
      const BodyInfo& info = mech.bodies[static_cast<std::size_t>(b)];
      const JointInfo& joint = mech.joints[static_cast<std::size_t>(info.joint)];
      bodies.push_back(
          {body.mass,
           plain(body.com),
           {body.inertia.xx, body.inertia.yy, body.inertia.zz, body.inertia.xy, body.inertia.xz, body.inertia.yz},
           place(info.parent),
           kind_of(joint),
           joint.reversed,
           plain(joint.reversed ? joint.X_BM : joint.X_AF),
           plain(joint.reversed ? joint.X_AF : joint.X_BM)});
      add_forces_of_joint(info.joint, bodies.back());
    }
    std::vector<simbody_peer::SpringSpec> springs;
    for (const SpringInfo& s : mech.springs) {
      if (s.joint >= 0) continue;
      const Spring& spring = s.settings;
      springs.push_back({place(s.first), place(s.second), plain(spring.first.p_B), plain(spring.second.p_B),
                         spring.stiffness, spring.rest, spring.damping});
    }
    std::vector<simbody_peer::ClosureSpec> closures;
    for (const Loop& loop : mech.loops) {
      const JointInfo& joint = mech.joints[static_cast<std::size_t>(loop.closure)];
      closures.push_back(
          {kind_of(joint), place(joint.first), place(joint.second), plain(joint.X_AF), plain(joint.X_BM)});
    }
    peer_ = std::make_unique<simbody_peer::Peer>(plain(model.gravity), bodies, closures, springs);
  }

  // The motion in the workspace and a wrench on each body, at its origin.
  void take(const Workspace& ws, const std::vector<Force<double>>& wrench) {
    std::vector<simbody_peer::BodyState> states;
    for (const int b : mech_.bodies_base_to_tip) {
      states.push_back(
          {plain(pose_WB(mech_, ws, b)), plain(velocity_W(mech_, ws, b)), plain(wrench[static_cast<std::size_t>(b)])});
    }
    peer_->take(states);
  }
  void solve() { peer_->solve(); }
  // Poses and velocities of our bodies some seconds later.
  std::vector<simbody_peer::BodyState> advance(double seconds, double accuracy) {
    const std::vector<simbody_peer::BodyState> theirs = peer_->advance(seconds, accuracy);
    std::vector<simbody_peer::BodyState> ours;
    for (const int at : place_) ours.push_back(theirs[static_cast<std::size_t>(at)]);
    return ours;
  }
  void read_answer() { answer_ = peer_->answer(); }
  double state_error() const { return answer_.state_error; }
  const std::array<double, 6>& acceleration(int b) const {
    return answer_.acceleration[static_cast<std::size_t>(place(b))];
  }
  const std::array<double, 6>& reaction(int b) const { return answer_.reaction[static_cast<std::size_t>(place(b))]; }

 private:
  const Mechanism& mech_;
  std::vector<int> place_;
  std::unique_ptr<simbody_peer::Peer> peer_;
  simbody_peer::Answer answer_;

  // Viscous friction and springs of joints with one freedom that the tree has.
  void add_forces_of_joint(int joint, simbody_peer::BodySpec& spec) const {
    const JointProperties& p = mech_.joints[static_cast<std::size_t>(joint)].properties;
    if (!p.viscous.empty()) spec.damping = p.viscous[0];
    for (const SpringInfo& s : mech_.springs) {
      if (s.joint != joint) continue;
      spec.stiffness = s.settings.stiffness, spec.rest = spec.reversed ? -s.settings.rest : s.settings.rest;
      spec.damping += s.settings.damping;
    }
  }

  int place(int b) const { return b == ground ? -1 : place_[static_cast<std::size_t>(b)]; }
};

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the MJCF writer makes of a model before it writes a word: a tree of bodies, and for each joint of the tree the
// joints of MJCF in a row that move alike. Reading the row back gives the one joint again (see combine in
// mjcf_joints.hpp).
//
//   ours         MJCF, in the child's frame, with J the joint's frame there
//   revolute     hinge z                       cylindrical  hinge z "j.angle", slide z "j.travel"
//   prismatic    slide z                       helical      the same two, tied by an equality "j"
//   spherical    ball                          universal    hinge x "j.angle1", hinge y "j.angle2"
//   fixed        none                          planar       slide x "j.x", slide y "j.y", hinge z "j.angle"
//   free         free on the world, elsewhere slides "j.x", "j.y", "j.z" and a ball "j.turn"
//
// Where the tree runs against the direction of a joint, the row is turned round, about the opposite axes; a ball or free
// joint then has other coordinates.

#include <string>
#include <vector>

#include <trammel/model.hpp>

namespace trammel::readers::mjcf {

struct WrittenStep {
  int body = 0;
  int parent = -1;  // body; −1 is the world
  int joint = 0;
  bool reversed = false;  // the joint is named from this body to its parent
  Transformd X_PJ, X_CJ;  // the joint's frames on the parent and on this body
  Transformd X_WC;        // of the body, all coordinates zero
};

struct WrittenTree {
  std::vector<WrittenStep> steps;  // a body before those it carries, each branch to its end, as MJCF has them
  std::vector<int> closures;       // joints that close loops
  std::vector<int> not_joined;     // bodies without a way to the ground
  std::vector<int> step_of_body, step_of_joint;  // −1 where there is none

  Transformd drawn(int body) const;  // all coordinates zero
};

// Can an equality of MJCF close a loop as this joint does?
bool can_close(const AnyJoint& type);

// The tree grows from the ground; joints that MJCF cannot close loops by come first, those marked `cut` last.
WrittenTree find_tree(const Model& model);

struct WrittenJoint {
  enum class Type { hinge, slide, ball, free };
  Type type = Type::hinge;
  std::string suffix;  // to the joint's name; empty where there is one only
  Vec3d axis, anchor;  // in the child's frame
  int dof = 0;         // for ball and free: the first of several
};
std::vector<WrittenJoint> row_of(const AnyJoint& type, const WrittenStep& step);

// The coordinates and velocities that MuJoCo has for ours, one joint of the row after the other.
struct WrittenState {
  std::vector<double> q, v;
};
WrittenState state_of(const AnyJoint& type, const WrittenStep& step, const std::vector<double>& q,
                      const std::vector<double>& v);

}  // namespace trammel::readers::mjcf

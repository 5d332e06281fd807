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

#include "readers/losses.hpp"

namespace trammel::readers::mjcf {

constexpr double least_mass = 1e-14;  // of a body that moves, for MuJoCo; and its least moment of inertia

struct WrittenStep {
  int body = 0;
  int parent = -1;  // body; −1 is the world
  int joint = 0;
  bool reversed = false;  // the joint is named from this body to its parent
  Transformd X_PJ, X_CJ;  // the joint's frames on the parent, and on this body (on `host` where that is another)
  Transformd X_WC;        // of the body, all coordinates zero
  int host = 0;           // the body of MJCF that has the joint: this one, or one that it carries (see fold_chains)
};

struct WrittenTree {
  std::vector<WrittenStep> steps;  // a body before those it carries, each branch to its end, as MJCF has them
  std::vector<int> closures;       // joints that close loops
  std::vector<int> not_joined;     // bodies without a way to the ground
  std::vector<int> step_of_body, step_of_joint;  // −1 where there is none

  Transformd drawn(int body) const;  // all coordinates zero

  // The steps whose joints the body of step s has in MJCF are those from begin_of_chain(s) to s; of a body that is not
  // written there are none.
  bool is_written(std::size_t s) const { return steps[s].host == steps[s].body; }
  std::size_t begin_of_chain(std::size_t s) const;
  // MuJoCo takes a body that moves and has no mass only if one with mass is welded to it.
  bool is_refused_without_mass(const Model& model, std::size_t s) const;

  std::vector<char> carries_a_weld;  // per body: one with mass is welded to it
};

// Can an equality of MJCF close a loop as this joint does?
bool can_close(const AnyJoint& type);

// The tree grows from the ground; joints that MJCF cannot close loops by come first, those marked `cut` last. Chains are
// folded.
WrittenTree find_tree(const Model& model);

// Leaves out bodies without mass that only stand between two joints, where one body of MJCF can have both.
void fold_chains(const Model& model, WrittenTree& tree);

// What MJCF has no word for, or MuJoCo does not take; not what only shows while writing.
void tell_what_is_lost(const Model& model, const WrittenTree& tree, Losses& losses);

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

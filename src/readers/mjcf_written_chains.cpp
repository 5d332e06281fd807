// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// MuJoCo refuses bodies that move and have no mass. Such a body B that has nothing on it but the joint to the one body C
// that it carries (what the reader makes of several joints in one body, or the cross of a joint drawn as two hinges) need
// not be written: C gets the joints of both. In MuJoCo the joints of a body act one after the other, each in the frame
// that those before it have moved. With J₁ the joint that carries B, J₂ the one that carries C,
//
//   X_PC = X_PJ₁ X₁ X_BJ₁⁻¹ · X_BJ₂ X₂ X_CJ₂⁻¹            as it is drawn, X₁ and X₂ what the joints do
//        = X_PJ₁ X₁ X_CJ₁⁻¹ · X_CJ₂ X₂ X_CJ₂⁻¹            as MuJoCo does it, if
//   X_CJ₁ = X_CB X_BJ₁,   X_CB = X_CJ₂ X_BJ₂⁻¹            (1)  the place of J₁ in C, all coordinates zero
//
// so that nothing changes but the frame of B, which nobody sees.

#include <unordered_set>

#include "readers/mjcf_written_tree.hpp"

namespace trammel::readers::mjcf {

namespace {

// Of bodies folded into one: six joints at most, and welds between them.
constexpr std::size_t longest_chain = 32;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// What the joints of one body of MJCF may be: at most 6 freedoms together, and no turn behind a ball.
bool may_be_joints_of_one_body(const std::vector<WrittenJoint>& row) {
  using Type = WrittenJoint::Type;
  int freedoms = 0;
  bool ball = false;
  for (const WrittenJoint& joint : row) {
    if (ball && joint.type != Type::slide) return false;
    ball = ball || joint.type == Type::ball;
    freedoms += joint.type == Type::free ? 6 : joint.type == Type::ball ? 3 : 1;
  }
  return freedoms <= 6;
}

// Exact where both are the same, as they are in chains that come from MJCF; else a rotation to the last bit, so that axes
// that were at right angles are so still.
Transformd in_child(const Transformd& X_CJ, const Transformd& X_BJ) {
  if (X_CJ == X_BJ) return {};
  Transformd X_CB = X_CJ * inverse(X_BJ);
  X_CB.R = rotation_of(normalized(quaternion_of(X_CB.R)));
  return X_CB;
}

// Nothing but the joints of the tree needs these.
std::vector<char> bare_bodies(const Model& model, const WrittenTree& tree) {
  std::unordered_set<std::string_view> used;
  for (const Output& output : model.outputs) used.insert(output.body);
  for (const int j : tree.closures) used.insert({model.joints[at(j)].first, model.joints[at(j)].second});
  std::vector<char> bare;
  for (const Body& body : model.bodies) {
    const bool empty = body.mass == 0 && body.inertia == Sym3d{} && body.shapes.empty() && body.visuals.empty() &&
                       body.collisions.empty();
    bare.push_back(empty && !used.contains(body.name) ? 1 : 0);
  }
  return bare;
}

}  // namespace

// A body comes before those it carries, so what was folded into B goes on with it into C. In this order the only body that
// B carries is the next one.
void fold_chains(const Model& model, WrittenTree& tree) {
  const std::vector<char> bare = bare_bodies(model, tree);
  std::vector<int> carried(model.bodies.size(), 0);
  for (const WrittenStep& step : tree.steps)
    if (step.parent >= 0) ++carried[at(step.parent)];
  for (std::size_t s = 0; s + 1 < tree.steps.size(); ++s) {
    const int body = tree.steps[s].body;
    if (bare[at(body)] == 0 || carried[at(body)] != 1 || !tree.is_refused_without_mass(model, s)) continue;
    const std::size_t begin = tree.begin_of_chain(s);
    if (s - begin >= longest_chain) continue;
    const WrittenStep& next = tree.steps[s + 1];
    std::vector<WrittenJoint> joints;
    for (std::size_t k = begin; k <= s + 1; ++k) {
      const std::vector<WrittenJoint> row = row_of(model.joints[at(tree.steps[k].joint)].type, tree.steps[k]);
      joints.insert(joints.end(), row.begin(), row.end());
    }
    if (!may_be_joints_of_one_body(joints)) continue;
    const Transformd X_CB = in_child(next.X_CJ, next.X_PJ);
    for (std::size_t k = begin; k <= s; ++k) {
      tree.steps[k].host = next.body;
      if (X_CB != Transformd{}) tree.steps[k].X_CJ = X_CB * tree.steps[k].X_CJ;  // (1)
    }
  }
}

}  // namespace trammel::readers::mjcf

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peer/peer_tree.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>
#include <string>

#include "support/dense.hpp"
#include "support/random.hpp"

namespace trammel::test {

namespace {

int index_of(const Model& model, const std::string& name) {
  if (name == ground_name) return ground;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].name == name) return static_cast<int>(i);
  throw std::invalid_argument("no body '" + name + "'");
}

// The step over joint j if it leads from a body already reached to one that is not.
struct Reach {
  std::vector<int> step_of_body;  // −1: not reached

  bool has(int body) const { return body == ground || step_of_body[static_cast<std::size_t>(body)] >= 0; }
};

TreeStep step_over(const Model& model, int j, int parent, int body, bool reversed, const TreeStep* carrier) {
  const Joint& joint = model.joints[static_cast<std::size_t>(j)];
  const Transformd& on_parent = reversed ? joint.X_BM : joint.X_AF;
  const Transformd& on_child = reversed ? joint.X_AF : joint.X_BM;
  TreeStep step{body, parent, j, reversed, on_parent, inverse(on_child), true};
  if (carrier != nullptr) step.X_PJ = carrier->X_CB * on_parent;
  step.moves = !std::holds_alternative<Fixed>(joint.type) || (carrier != nullptr && carrier->moves);
  return step;
}

}  // namespace

std::vector<TreeStep> walk_tree(const Model& model) {
  std::vector<TreeStep> steps;
  Reach reach{std::vector<int>(model.bodies.size(), -1)};
  std::vector<bool> walked(model.joints.size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      if (walked[j]) continue;
      const int first = index_of(model, model.joints[j].first), second = index_of(model, model.joints[j].second);
      if (reach.has(first) && reach.has(second)) throw std::invalid_argument("the joints close a loop");
      if (!reach.has(first) && !reach.has(second)) continue;
      const bool reversed = reach.has(second);
      const int parent = reversed ? second : first, body = reversed ? first : second;
      const TreeStep* carrier =
          parent == ground ? nullptr
                           : &steps[static_cast<std::size_t>(reach.step_of_body[static_cast<std::size_t>(parent)])];
      const TreeStep step = step_over(model, static_cast<int>(j), parent, body, reversed, carrier);
      reach.step_of_body[static_cast<std::size_t>(body)] = static_cast<int>(steps.size());
      steps.push_back(step);
      walked[j] = grown = true;
    }
  }
  if (steps.size() != model.bodies.size()) throw std::invalid_argument("a body is joined to nothing");
  return steps;
}

bool turns_in_all_directions(const AnyJoint& type) {
  return std::holds_alternative<Spherical>(type) || std::holds_alternative<Free>(type);
}

std::vector<Elementary> elementary_joints(const AnyJoint& type, bool reversed) {
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  std::vector<Elementary> chain;
  if (std::holds_alternative<Fixed>(type)) {
  } else if (std::holds_alternative<Revolute>(type)) {
    chain = {{false, z, 0}};
  } else if (std::holds_alternative<Prismatic>(type)) {
    chain = {{true, z, 0}};
  } else if (const auto* screw = std::get_if<Helical>(&type)) {
    chain = {{false, z, 0}, {true, z, 0, screw->h}};
  } else if (std::holds_alternative<Cylindrical>(type)) {
    chain = {{false, z, 0}, {true, z, 1}};
  } else if (std::holds_alternative<Universal>(type)) {
    chain = {{false, x, 0}, {false, y, 1}};
  } else if (std::holds_alternative<Planar>(type)) {
    chain = {{true, x, 0}, {true, y, 1}, {false, z, 2}};
  } else {
    throw std::invalid_argument("a joint that is no chain of turns and travels along fixed axes");
  }
  // The inverse of a product of turns and travels is the product of their inverses in reverse order.
  if (reversed) {
    std::reverse(chain.begin(), chain.end());
    for (Elementary& e : chain) e.axis = -e.axis;
  }
  return chain;
}

// With R = R_FM, p = p_FM in F, ω and u the angular and linear velocity of M in F, components in M:
//   Ṙ = R ω×,   ṗ = R u,   p̈ = R (u̇ + ω × u)
// Reversed, seen from M: R_MF = Rᵀ, p_MF = −s with s = Rᵀ p, so that
//   ṡ = u − ω × s,   s̈ = u̇ − ω̇ × s − ω × ṡ
//   ω_MF in axes of F = −R ω, and its rate −R ω̇, for d/dt(R ω) = R (ω̇ + ω × ω)
RelativeMotion relative_motion(const AnyJoint& type, bool reversed, const double* q, const double* v) {
  const bool travels = std::holds_alternative<Free>(type);
  const int n = nv(type);
  const Transformd X = X_FM(type, q);
  const Eigen::Matrix3d R = dense(X.R);
  const Eigen::Vector3d w(v[0], v[1], v[2]);
  const Eigen::Vector3d u = travels ? Eigen::Vector3d(v[3], v[4], v[5]) : Eigen::Vector3d::Zero();
  RelativeMotion motion{X, Eigen::Matrix3Xd::Zero(3, n), Eigen::Matrix3Xd::Zero(3, n), Eigen::Vector3d::Zero()};
  if (!reversed) {
    motion.Tw.leftCols<3>().setIdentity();
    if (travels) {
      motion.Tp.rightCols<3>() = R;
      motion.cp = R * w.cross(u);
    }
    return motion;
  }
  const Eigen::Vector3d s = R.transpose() * dense(X.p);
  motion.X_JC = {transpose(X.R), vec3(-s)};
  motion.Tw.leftCols<3>() = -R;
  if (travels) {
    motion.Tp.leftCols<3>() = -cross_matrix(s);  // ω × s = −s × ω
    motion.Tp.rightCols<3>() = -Eigen::Matrix3d::Identity();
    motion.cp = w.cross(u - w.cross(s));
  }
  return motion;
}

Model fit_for_peers(Model model) {
  const std::vector<TreeStep> steps = walk_tree(model);
  const auto level_out = [](std::vector<double>& numbers) {
    if (!numbers.empty()) std::fill(numbers.begin(), numbers.end(), numbers.front());
  };
  for (const TreeStep& step : steps) {
    Joint& joint = model.joints[static_cast<std::size_t>(step.joint)];
    std::fill(joint.properties.dry.begin(), joint.properties.dry.end(), 0.0);
    if (!step.reversed || !turns_in_all_directions(joint.type)) continue;
    level_out(joint.properties.armature);
    level_out(joint.properties.viscous);
  }
  return model;
}

namespace {

// The second Euler angle β of R = Rx Ry Rz has sin β = R₁₃; that of Rᵀ, which a reversed joint has, R₃₁.
Mat3d level_rotation(Random& random) {
  constexpr double most = 0.85;
  Mat3d R = random.rotation();
  while (std::abs(R.ez.x) > most || std::abs(R.ex.z) > most) R = random.rotation();
  return R;
}

}  // namespace

RandomState random_state(const Mechanism& mechanism, std::uint64_t seed, bool level) {
  Random random(seed);
  RandomState state{std::vector<double>(static_cast<std::size_t>(mechanism.nq)), random.normals(mechanism.nv, 2),
                    random.normals(mechanism.nv, 5), random.normals(mechanism.nv, 10)};
  for (const JointInfo& joint : mechanism.joints) {
    if (joint.nq == 0 || joint.q < 0) continue;
    double* q = state.q.data() + joint.q;
    if (turns_in_all_directions(joint.type)) {
      quaternion_of(level ? level_rotation(random) : random.rotation()).store(q);
      for (int i = 4; i < joint.nq; ++i) q[i] = random.uniform(-1, 1);
      continue;
    }
    const std::vector<Freedom> freedom = freedoms(joint.type);
    for (int i = 0; i < joint.nq; ++i) {
      const bool is_angle = freedom[static_cast<std::size_t>(i)].dimension == dimension::angle;
      const double range = is_angle ? std::numbers::pi : 0.5;
      q[i] = random.uniform(-range, range);
    }
  }
  return state;
}

}  // namespace trammel::test

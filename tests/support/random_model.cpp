// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/random_model.hpp"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include <Eigen/Dense>

#include "support/dense.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

AnyJoint random_joint_type(Random& random, const RandomModelOptions& options) {
  const Helical screw{.h = random.uniform(-0.3, 0.3)};
  if (options.single_freedom_only) {
    const AnyJoint single[] = {Revolute{}, Prismatic{}, screw};
    return single[random.integer(0, 2)];
  }
  // Revolute twice: it is the one most mechanisms are made of.
  const AnyJoint types[] = {Revolute{},  Revolute{},  Prismatic{}, screw,  Cylindrical{},
                            Universal{}, Spherical{}, Planar{},    Free{}, Revolute{}};
  return types[random.integer(0, 8)];
}

bool takes_friction(const AnyJoint& type) {
  return !std::holds_alternative<Fixed>(type) && !std::holds_alternative<Free>(type);
}

void add_properties(Random& random, Joint& joint, const RandomModelOptions& options) {
  if (!takes_friction(joint.type)) return;
  for (int i = 0; i < nv(joint.type); ++i) {
    if (options.friction) {
      joint.properties.viscous.push_back(random.uniform(0, 0.5));
      joint.properties.dry.push_back(random.uniform(0, 0.5));
      joint.properties.dry_speed = random.uniform(0.05, 0.5);
    }
    if (options.armature) joint.properties.armature.push_back(random.uniform(0, 0.3));
  }
}

// Names of the place in the tree, so that shuffling the file keeps them telling.
std::string body_name(int i) { return "body " + std::to_string(i); }

int choose_parent(Random& random, int i, const RandomModelOptions& options) {
  if (i == 0 || random.chance(options.new_tree)) return ground;
  return random.chance(options.branching) ? random.integer(0, i - 1) : i - 1;
}

template <class Item>
std::vector<int> shuffle(Random& random, std::vector<Item>& items) {
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  for (int i = static_cast<int>(items.size()) - 1; i > 0; --i)
    std::swap(order[index(i)], order[index(random.integer(0, i))]);
  std::vector<Item> shuffled;
  for (const int from : order) shuffled.push_back(items[index(from)]);
  items = std::move(shuffled);
  return order;
}

void for_each_joint_part(const Mechanism& mechanism, const PerJoint& parts, bool coordinates,
                         std::vector<double>& flat) {
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    if (joint.role != JointRole::tree) continue;
    std::copy(parts[j].begin(), parts[j].end(), flat.begin() + (coordinates ? joint.q : joint.v));
  }
}

Eigen::MatrixXd columns_of(const AnyJoint& type, const double* q) {
  std::vector<Motion<double>> columns(index(nv(type)));
  H_FM(type, q, columns);
  Eigen::MatrixXd H(6, nv(type));
  for (std::size_t k = 0; k < columns.size(); ++k) H.col(static_cast<Eigen::Index>(k)) = dense(columns[k]);
  return H;
}

// Universal: its reverse turns about the second axis first, so the axes change places (z with them).
Transformd frames_of_the_reverse(const AnyJoint& type) {
  if (std::holds_alternative<Universal>(type)) return {{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}, {}};
  return {};
}

}  // namespace

Model random_model(std::uint64_t seed, const RandomModelOptions& options) {
  Random random(seed);
  Model model;
  model.name = "random " + std::to_string(seed);
  model.gravity = random.vector(6);
  for (int i = 0; i < options.bodies; ++i) {
    const int parent = choose_parent(random, i, options);
    const bool floats = parent == ground && !options.single_freedom_only && random.chance(options.floating);
    const bool welded = !floats && random.chance(options.fixed_joints);
    const AnyJoint drawn = random_joint_type(random, options);
    const AnyJoint type = floats ? AnyJoint(Free{}) : welded ? AnyJoint(Fixed{}) : drawn;

    const Vec3d near = parent == ground ? random.vector() : model.bodies[index(parent)].X_WB.p;
    const Transformd X_WB{random.rotation(), near + random.vector(0.4)};
    const bool massless = welded && random.chance(options.massless_welds);
    const double mass = massless ? 0 : random.uniform(0.2, 4);
    const Sym3d inertia = random.inertia_at_com(mass);
    add_body(model, body_name(i), mass, random.vector(0.2), inertia, X_WB);

    const std::string parent_name = parent == ground ? std::string(ground_name) : body_name(parent);
    const bool from_tip = random.chance(0.5);
    const Transformd X_WJ{random.rotation(), X_WB.p + random.vector(0.3)};
    Joint& joint = add_joint(model, "joint " + std::to_string(i), type, from_tip ? body_name(i) : parent_name,
                             from_tip ? parent_name : body_name(i), X_WJ);
    add_properties(random, joint, options);
  }
  shuffle(random, model.bodies);
  shuffle(random, model.joints);
  return model;
}

JointStates zero_states(const Model& model) {
  JointStates states;
  for (const Joint& joint : model.joints) {
    std::vector<double> q(index(nq(joint.type))), v(index(nv(joint.type)));
    q_zero(joint.type, q.data());
    states.q.push_back(q);
    states.v.push_back(v);
  }
  states.a = states.tau = states.v;
  return states;
}

JointStates random_states(const Model& model, std::uint64_t seed, double spread) {
  Random random(seed);
  JointStates states = zero_states(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const AnyJoint& type = model.joints[j].type;
    const int n = nv(type);
    q_step(type, states.q[j].data(), random.normals(n, spread).data(), states.q[j].data());
    states.v[j] = random.normals(n);
    states.a[j] = random.normals(n);
    states.tau[j] = random.normals(n);
  }
  return states;
}

std::vector<double> pack_q(const Mechanism& mechanism, const PerJoint& q) {
  std::vector<double> flat(index(mechanism.nq));
  for_each_joint_part(mechanism, q, true, flat);
  return flat;
}
std::vector<double> pack_v(const Mechanism& mechanism, const PerJoint& v) {
  std::vector<double> flat(index(mechanism.nv));
  for_each_joint_part(mechanism, v, false, flat);
  return flat;
}
PerJoint unpack_v(const Mechanism& mechanism, const std::vector<double>& v) {
  PerJoint parts;
  for (const JointInfo& joint : mechanism.joints) {
    const auto begin = v.begin() + std::max(0, joint.v);
    parts.emplace_back(begin, joint.role == JointRole::tree ? begin + joint.nv : begin);
  }
  return parts;
}

Model moved(const Model& model, const Transformd& X_WW) {
  Model result = model;
  result.gravity = X_WW.R * model.gravity;
  for (Body& body : result.bodies) body.X_WB = X_WW * body.X_WB;
  for (Point& point : result.points) point.p_W = X_WW * point.p_W;
  for (Joint& joint : result.joints) {
    if (joint.first == ground_name) joint.X_AF = X_WW * joint.X_AF;
    if (joint.second == ground_name) joint.X_BM = X_WW * joint.X_BM;
  }
  for (Constraint& constraint : result.constraints) {
    if (constraint.first == ground_name) constraint.X_AP = X_WW * constraint.X_AP;
    if (constraint.second == ground_name) constraint.X_BQ = X_WW * constraint.X_BQ;
  }
  return result;
}

Model renamed(const Model& model) {
  // Reverses the alphabet's order, in case anything sorts by name.
  const auto other_name = [](const std::string& name) {
    std::string other = "ß " + name;
    for (char& c : other) c = c >= '0' && c <= '9' ? static_cast<char>('0' + '9' - c) : c;
    return other;
  };
  Model result = model;
  for (Body& body : result.bodies) body.name = other_name(body.name);
  for (Joint& joint : result.joints) {
    joint.name = other_name(joint.name);
    if (joint.first != ground_name) joint.first = other_name(joint.first);
    if (joint.second != ground_name) joint.second = other_name(joint.second);
  }
  return result;
}

Reordered reordered(const Model& model, std::uint64_t seed) {
  Random random(seed);
  Reordered result{model, {}, {}};
  result.body_order = shuffle(random, result.model.bodies);
  result.joint_order = shuffle(random, result.model.joints);
  return result;
}

Turned turned_round(const Model& model, const JointStates& states) {
  Turned result{model, states};
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& old = model.joints[j];
    Joint& joint = result.model.joints[j];
    // M of the old joint, with S to suit the type, is F of the new: X' = S⁻¹ X⁻¹ S.
    const Transformd S = frames_of_the_reverse(old.type);
    joint.first = old.second;
    joint.second = old.first;
    joint.X_AF = old.X_BM * S;
    joint.X_BM = old.X_AF * S;
    const Transformd X = X_FM(old.type, states.q[j].data());
    q_fit(joint.type, inverse(S) * inverse(X) * S, result.states.q[j].data());
    if (states.v[j].empty()) continue;
    // The motion of old F against old M, in the new M: H' v' = −Ad(S⁻¹) Ad(X) H v =: H' B v, and τ = Bᵀ τ'.
    const Eigen::MatrixXd H = columns_of(old.type, states.q[j].data());
    const Eigen::MatrixXd H_new = columns_of(joint.type, result.states.q[j].data());
    const Eigen::MatrixXd B = -H_new.colPivHouseholderQr().solve(motion_map(inverse(S)) * motion_map(X) * H);
    const auto n = static_cast<Eigen::Index>(states.v[j].size());
    Eigen::Map<Eigen::VectorXd>(result.states.v[j].data(), n) =
        B * Eigen::Map<const Eigen::VectorXd>(states.v[j].data(), n);
    Eigen::Map<Eigen::VectorXd>(result.states.tau[j].data(), n) =
        B.transpose().inverse() * Eigen::Map<const Eigen::VectorXd>(states.tau[j].data(), n);
  }
  return result;
}

Mechanism compiled(const Model& model, const std::vector<std::string>& cut) {
  CompileResult result = compile(model, {.cut = cut});
  if (!result.ok()) throw std::runtime_error(result.diagnostics.to_string());
  return std::move(result.mechanism);
}

Model ModelCase::model(RandomModelOptions options) const {
  options.bodies = bodies;
  return random_model(seed, options);
}
std::ostream& operator<<(std::ostream& out, const ModelCase& model_case) {
  return out << "random_model(seed " << model_case.seed << ", bodies " << model_case.bodies << ")";
}

}  // namespace trammel::test

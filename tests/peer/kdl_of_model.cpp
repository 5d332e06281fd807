// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "peer/kdl_of_model.hpp"

#include <stdexcept>

#include "support/dense.hpp"

namespace trammel::test {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// What KDL chains up for a joint: ours where we have such coordinates, else travels and turns along x, y, z.
std::vector<Elementary> kdl_chain(const AnyJoint& type, bool reversed) {
  if (!turns_in_all_directions(type)) return elementary_joints(type, reversed);
  const Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<Elementary> chain;
  if (std::holds_alternative<Free>(type))
    for (const Vec3d& axis : axes) chain.push_back({true, axis});
  for (const Vec3d& axis : axes) chain.push_back({false, axis});
  return chain;
}

// Segments between the parts of one joint have no mass; the last one is the body.
std::string segment_name(int body, std::size_t part, std::size_t parts) {
  const std::string name = KdlPeer::segment(body);
  return part + 1 == parts ? name : name + "." + std::to_string(part);
}

KDL::RigidBodyInertia inertia_in_C(const Body& body, const TreeStep& step) {
  const Sym3d I = rotate(step.X_CB.R, body.inertia);
  return KDL::RigidBodyInertia(body.mass, kdl(step.X_CB * body.com),
                               KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
}

// R = Rx(α) Ry(β) Rz(γ), and ω in the turned axes = E (α̇, β̇, γ̇), with E's columns the x axis seen through Ry Rz, the y
// axis through Rz, and z.
struct ThreeTurns {
  Eigen::Vector3d angles;

  explicit ThreeTurns(const Mat3d& R)
      : angles(std::atan2(-R.ez.y, R.ez.z), std::asin(R.ez.x), std::atan2(-R.ey.x, R.ex.x)) {}

  Eigen::Matrix3d E() const {
    const double cb = std::cos(angles[1]), sb = std::sin(angles[1]), cc = std::cos(angles[2]), sc = std::sin(angles[2]);
    Eigen::Matrix3d m;
    m << cc * cb, sc, 0, -sc * cb, cc, 0, sb, 0, 1;
    return m;
  }
  Eigen::Matrix3d E_rate(const Eigen::Vector3d& rate) const {
    const double cb = std::cos(angles[1]), sb = std::sin(angles[1]), cc = std::cos(angles[2]), sc = std::sin(angles[2]);
    const double b = rate[1], c = rate[2];
    Eigen::Matrix3d m;
    m << -sc * cb * c - cc * sb * b, cc * c, 0, -cc * cb * c + sc * sb * b, -sc * c, 0, cb * b, 0, 0;
    return m;
  }
};

}  // namespace

KDL::Vector kdl(const Vec3d& v) { return {v.x, v.y, v.z}; }
KDL::Frame kdl(const Transformd& X) { return {KDL::Rotation(kdl(X.R.ex), kdl(X.R.ey), kdl(X.R.ez)), kdl(X.p)}; }
Transformd from_kdl(const KDL::Frame& frame) {
  const auto vec = [](const KDL::Vector& v) { return Vec3d{v.x(), v.y(), v.z()}; };
  return {{vec(frame.M.UnitX()), vec(frame.M.UnitY()), vec(frame.M.UnitZ())}, vec(frame.p)};
}

namespace {

void append_depth_first(const std::vector<TreeStep>& steps, int parent, std::vector<TreeStep>& ordered) {
  for (const TreeStep& step : steps) {
    if (step.parent != parent) continue;
    ordered.push_back(step);
    append_depth_first(steps, step.body, ordered);
  }
}

// KDL numbers a tree's joints in the order they come, but a copy of the tree, which its position and Jacobian solvers
// work on, depth first. So they come depth first.
std::vector<TreeStep> depth_first(const std::vector<TreeStep>& steps) {
  std::vector<TreeStep> ordered;
  append_depth_first(steps, ground, ordered);
  return ordered;
}

}  // namespace

KdlPeer::KdlPeer(const Model& model) : source_(model), steps_(depth_first(walk_tree(model))) {
  for (const TreeStep& step : steps_) add_segments(step);
}

void KdlPeer::add_segments(const TreeStep& step) {
  const Joint& joint = source_.joints[at(step.joint)];
  const std::vector<double>& armature = joint.properties.armature;
  if (turns_in_all_directions(joint.type) && !armature.empty())
    throw std::invalid_argument("a rotor in a spherical joint is not one along KDL's turns");
  const KDL::RigidBodyInertia inertia = inertia_in_C(source_.bodies[at(step.body)], step);
  const std::vector<Elementary> chain = kdl_chain(joint.type, step.reversed);
  std::string hook = step.parent == ground ? "ground" : segment(step.parent);
  if (chain.empty()) {
    tree_.addSegment(KDL::Segment(segment(step.body), KDL::Joint(KDL::Joint::Fixed), kdl(step.X_PJ), inertia), hook);
    return;
  }
  for (std::size_t part = 0; part < chain.size(); ++part) {
    // A part starts at J on the parent, the further ones where the one before ends.
    const Transformd X = part == 0 ? step.X_PJ : Transformd{};
    const Elementary& e = chain[part];
    const bool tied = std::holds_alternative<Helical>(joint.type) && e.slides;  // a screw's rotor sits on its turn
    const double rotor = armature.empty() || tied ? 0.0 : armature[at(e.freedom)];
    const std::string name = segment_name(step.body, part, chain.size());
    const KDL::Joint turn_or_travel("j" + name, kdl(X.p), kdl(X.R * e.axis),
                                    e.slides ? KDL::Joint::TransAxis : KDL::Joint::RotAxis, 1, 0, rotor);
    const bool last = part + 1 == chain.size();
    const KDL::RigidBodyInertia carried = last ? inertia : KDL::RigidBodyInertia::Zero();
    tree_.addSegment(KDL::Segment(name, turn_or_travel, kdl(X), carried), hook);
    hook = name;
  }
}

int KdlPeer::joint_number(const TreeStep& step, std::size_t part, std::size_t parts) const {
  return static_cast<int>(GetTreeElementQNr(tree_.getSegment(segment_name(step.body, part, parts))->second));
}

// Spherical and free: with ω = Tw v in C, (α̇, β̇, γ̇) = E⁻¹ Tw v and its rate E⁻¹ (Tw a − Ė (α̇, β̇, γ̇)).
CoordinateMap KdlPeer::map(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v) const {
  const int n = static_cast<int>(tree_.getNrOfJoints());
  CoordinateMap map{Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(n, mechanism.nv), Eigen::VectorXd::Zero(n)};
  for (const TreeStep& step : steps_) {
    const AnyJoint& type = source_.joints[at(step.joint)].type;
    const JointInfo& info = mechanism.joints[at(step.joint)];
    const std::vector<Elementary> chain = kdl_chain(type, step.reversed);
    if (!turns_in_all_directions(type)) {
      for (std::size_t part = 0; part < chain.size(); ++part) {
        const int row = joint_number(step, part, chain.size());
        map.q[row] = chain[part].factor * q[at(info.q + chain[part].freedom)];
        map.T(row, info.v + chain[part].freedom) = chain[part].factor;
      }
      continue;
    }
    const RelativeMotion motion = relative_motion(type, step.reversed, &q[at(info.q)], &v[at(info.v)]);
    const ThreeTurns turns(motion.X_JC.R);
    const Eigen::Matrix3d inverse_E = turns.E().inverse();
    const Eigen::Matrix3Xd T_turns = inverse_E * motion.Tw;
    const Eigen::Vector3d rates = T_turns * as_vector(v.subspan(at(info.v), at(info.nv)));
    const Eigen::Vector3d c_turns = -inverse_E * turns.E_rate(rates) * rates;
    const std::size_t first_turn = chain.size() - 3;
    for (std::size_t part = 0; part < chain.size(); ++part) {
      const int row = joint_number(step, part, chain.size());
      const Eigen::Index k = static_cast<Eigen::Index>(part % 3);
      const bool turn = part >= first_turn;
      map.q[row] = turn ? turns.angles[k] : dense(motion.X_JC.p)[k];
      map.T.block(row, info.v, 1, info.nv) = turn ? T_turns.row(k) : motion.Tp.row(k);
      map.c[row] = turn ? c_turns[k] : motion.cp[k];
    }
  }
  return map;
}

}  // namespace trammel::test

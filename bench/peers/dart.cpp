// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// DART. A skeleton with the same body frames C as the other peers; its free and ball joints have our velocities, [ω; v]
// in the child's axes. It has no rotors; its friction, which it treats implicitly, is left out.
//   forward     Skeleton::computeForwardDynamics
//   inverse     Skeleton::computeInverseDynamics
//   mass        Skeleton::getMassMatrix
//   jacobian    Skeleton::getWorldJacobian
//   kinematics  BodyNode::getWorldTransform of every body
// Results are computed when asked for: setPositions marks them stale.

#include <stdexcept>

#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include "peers/implementation.hpp"
#include "peers/mapped_state.hpp"
#include "support/dense.hpp"

namespace trammel::bench {
namespace {

namespace dd = dart::dynamics;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Eigen::Isometry3d isometry(const Transformd& X) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = test::dense(X.R);
  result.translation() = test::dense(X.p);
  return result;
}

template <class JointType>
dd::BodyNode* add_pair(dd::Skeleton& skeleton, dd::BodyNode* parent, typename JointType::Properties properties,
                       const test::TreeStep& step) {
  properties.mName = "j" + std::to_string(step.joint);
  properties.mT_ParentBodyToJoint = isometry(step.X_PJ);
  properties.mT_ChildBodyToJoint.setIdentity();
  dd::BodyNode::Properties body;
  body.mName = "b" + std::to_string(step.body);
  return skeleton.createJointAndBodyNodePair<JointType>(parent, properties, body).second;
}

dd::BodyNode* add(dd::Skeleton& skeleton, dd::BodyNode* parent, const AnyJoint& type, const test::TreeStep& step) {
  if (step.reversed) throw std::invalid_argument("reversed joints are not tried with DART");
  if (std::holds_alternative<Fixed>(type)) return add_pair<dd::WeldJoint>(skeleton, parent, {}, step);
  if (std::holds_alternative<Spherical>(type)) return add_pair<dd::BallJoint>(skeleton, parent, {}, step);
  if (std::holds_alternative<Free>(type)) return add_pair<dd::FreeJoint>(skeleton, parent, {}, step);
  if (!std::holds_alternative<Revolute>(type)) throw std::invalid_argument("a joint that is not tried with DART");
  dd::RevoluteJoint::Properties hinge;
  hinge.mAxis = Eigen::Vector3d::UnitZ();
  return add_pair<dd::RevoluteJoint>(skeleton, parent, hinge, step);
}

dd::Inertia inertia_in_C(const Body& body, const test::TreeStep& step) {
  const Sym3d I = rotate(step.X_CB.R, body.inertia);
  return {body.mass, test::dense(step.X_CB * body.com), test::dense(I)};
}

class Dart : public Implementation {
 public:
  explicit Dart(const Scene& scene) : scene_(scene), skeleton_(dd::Skeleton::create("scene")) {
    skeleton_->setGravity(test::dense(scene.model.gravity));
    std::vector<dd::BodyNode*> nodes(scene.model.bodies.size());
    steps_ = test::walk_tree(scene.model);
    for (const test::TreeStep& step : steps_) {
      dd::BodyNode* parent = step.parent == ground ? nullptr : nodes[at(step.parent)];
      dd::BodyNode* node = add(*skeleton_, parent, scene.model.joints[at(step.joint)].type, step);
      node->setInertia(inertia_in_C(scene.model.bodies[at(step.body)], step));
      nodes[at(step.body)] = node;
    }
    tip_ = nodes[at(scene.tip)];
    for (const test::RandomState& s : scene.states) states_.emplace_back(map(s, nodes), s);
  }

  std::string name() const override { return "DART"; }
  Features features() const override { return {.viscous = false, .armature = false}; }

  void run(Algorithm algorithm, int first, int count) override {
    for (int i = first; i < first + count; ++i) call(algorithm, states_[at(i % scene_.state_count())]);
  }

  Eigen::VectorXd answer(Algorithm algorithm, int state) override {
    const MappedState& s = states_[at(state)];
    call(algorithm, s);
    switch (algorithm) {
      case Algorithm::forward:
        return s.our_acceleration(skeleton_->getAccelerations());
      case Algorithm::inverse:
        return s.our_force(skeleton_->getForces());
      case Algorithm::mass:
        return s.our_mass_matrix(skeleton_->getMassMatrix());
      case Algorithm::jacobian:
        return s.our_jacobian(skeleton_->getWorldJacobian(tip_));
      case Algorithm::kinematics:
        return pose();
    }
    return {};
  }

 private:
  // Freedoms by DART's own numbering; the velocities themselves are ours.
  test::CoordinateMap map(const test::RandomState& s, const std::vector<dd::BodyNode*>& nodes) const {
    const Mechanism& mech = scene_.mechanism;
    test::CoordinateMap result{Eigen::VectorXd::Zero(mech.nv), Eigen::MatrixXd::Zero(mech.nv, mech.nv),
                               Eigen::VectorXd::Zero(mech.nv)};
    for (const test::TreeStep& step : steps_) {
      const JointInfo& info = mech.joints[at(step.joint)];
      if (info.nv == 0) continue;
      const double* q = s.q.data() + info.q;
      const auto row = static_cast<Eigen::Index>(nodes[at(step.body)]->getParentJoint()->getIndexInSkeleton(0));
      result.T.block(row, info.v, info.nv, info.nv).setIdentity();
      if (std::holds_alternative<Spherical>(info.type)) {
        result.q.segment<3>(row) = dd::BallJoint::convertToPositions(isometry(X_FM(info.type, q)).linear());
      } else if (std::holds_alternative<Free>(info.type)) {
        result.q.segment<6>(row) = dd::FreeJoint::convertToPositions(isometry(X_FM(info.type, q)));
      } else {
        result.q[row] = q[0];
      }
    }
    return result;
  }

  void call(Algorithm algorithm, const MappedState& s) {
    skeleton_->setPositions(s.q);
    switch (algorithm) {
      case Algorithm::forward:
        skeleton_->setVelocities(s.v), skeleton_->setForces(s.tau);
        return skeleton_->computeForwardDynamics();
      case Algorithm::inverse:
        skeleton_->setVelocities(s.v), skeleton_->setAccelerations(s.a);
        return skeleton_->computeInverseDynamics();
      case Algorithm::mass:
        touch(skeleton_->getMassMatrix());
        return;
      case Algorithm::jacobian:
        touch(skeleton_->getWorldJacobian(tip_));
        return;
      case Algorithm::kinematics:
        for (std::size_t i = 0; i < skeleton_->getNumBodyNodes(); ++i) {
          sink_ = skeleton_->getBodyNode(i)->getWorldTransform().translation().x();
        }
    }
  }
  void touch(const Eigen::MatrixXd& matrix) { sink_ = matrix(0, 0); }

  Eigen::VectorXd pose() const {
    const Eigen::Isometry3d& X = tip_->getWorldTransform();
    Eigen::VectorXd pose(12);
    pose << X.linear().col(0), X.linear().col(1), X.linear().col(2), X.translation();
    return pose;
  }

  const Scene& scene_;
  dd::SkeletonPtr skeleton_;
  std::vector<test::TreeStep> steps_;
  dd::BodyNode* tip_ = nullptr;
  std::vector<MappedState> states_;
  volatile double sink_ = 0;
};

}  // namespace

ImplementationPtr make_dart(const Scene& scene) { return std::make_unique<Dart>(scene); }
std::string dart_version() { return DART_VERSION; }

}  // namespace trammel::bench

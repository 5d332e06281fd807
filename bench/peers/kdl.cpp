// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Orocos KDL. Its solvers for chains serve where the scene is one, else its solvers for trees, of which there are
// fewer: no forward dynamics and no mass matrix, and positions of one body at a time. Free and ball joints are chains of
// turns and travels (see tests/peer/kdl_of_model.hpp). It has rotors but no friction.
//   forward     ChainHdSolver_Vereshchagin without constraints, O(n); with rotors, which that leaves out,
//               ChainFdSolver_RNE, O(n³)
//   inverse     ChainIdSolver_RNE, TreeIdSolver_RNE
//   mass        ChainDynParam
//   jacobian    ChainJntToJacSolver, TreeJntToJacSolver
//   kinematics  ChainFkSolverPos_recursive, all segments

#include <optional>
#include <stdexcept>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/config.h>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include "peer/kdl_of_model.hpp"
#include "peers/implementation.hpp"
#include "peers/mapped_state.hpp"

namespace trammel::bench {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

KDL::JntArray joints(const Eigen::VectorXd& numbers) {
  KDL::JntArray array(static_cast<unsigned>(numbers.size()));
  array.data = numbers;
  return array;
}

bool is_chain(const std::vector<test::TreeStep>& steps) {
  int parent = ground;
  for (const test::TreeStep& step : steps) {
    if (step.parent != parent) return false;
    parent = step.body;
  }
  return true;
}

KDL::Chain chain_to(const KDL::Tree& tree, const std::string& segment) {
  KDL::Chain chain;
  if (!tree.getChain("ground", segment, chain)) throw std::runtime_error("KDL finds no chain");
  return chain;
}

struct KdlState {
  MappedState mapped;
  KDL::JntArray q, v, a, tau;
};

// The part that trees can do too.
class KdlTree : public Implementation {
 public:
  explicit KdlTree(const Scene& scene)
      : scene_(scene),
        peer_(scene.model),
        n_(peer_.tree().getNrOfJoints()),
        tip_(test::KdlPeer::segment(scene.tip)),
        inverse_(peer_.tree(), test::kdl(scene.model.gravity)),
        jacobian_solver_(peer_.tree()),
        tau_(n_),
        jacobian_(n_) {
    for (const test::RandomState& s : scene.states) {
      const MappedState m(peer_.map(scene.mechanism, s.q, s.v), s);
      states_.push_back({m, joints(m.q), joints(m.v), joints(m.a), joints(m.tau)});
    }
  }

  std::string name() const override { return "KDL"; }
  Features features() const override { return {.viscous = false, .armature = true}; }
  bool has(Algorithm algorithm) const override {
    return algorithm == Algorithm::inverse || algorithm == Algorithm::jacobian;
  }

  void run(Algorithm algorithm, int first, int count) override {
    for (int i = first; i < first + count; ++i) call(algorithm, states_[at(i % scene_.state_count())]);
  }

  Eigen::VectorXd answer(Algorithm algorithm, int state) override {
    const KdlState& s = states_[at(state)];
    call(algorithm, s);
    return read(algorithm, s.mapped);
  }

 protected:
  virtual void call(Algorithm algorithm, const KdlState& s) {
    if (algorithm == Algorithm::inverse) inverse_.CartToJnt(s.q, s.v, s.a, {}, tau_);
    if (algorithm == Algorithm::jacobian) jacobian_solver_.JntToJac(s.q, jacobian_, tip_);
  }
  virtual Eigen::VectorXd read(Algorithm algorithm, const MappedState& s) {
    if (algorithm == Algorithm::inverse) return s.our_force(tau_.data);
    Eigen::MatrixXd angular_first(6, jacobian_.columns());
    angular_first << jacobian_.data.bottomRows(3), jacobian_.data.topRows(3);
    return s.our_jacobian(angular_first);
  }

  const Scene& scene_;
  test::KdlPeer peer_;
  unsigned n_;
  std::string tip_;
  std::vector<KdlState> states_;
  KDL::TreeIdSolver_RNE inverse_;
  KDL::TreeJntToJacSolver jacobian_solver_;
  KDL::JntArray tau_;
  KDL::Jacobian jacobian_;
};

class KdlChain : public KdlTree {
 public:
  explicit KdlChain(const Scene& scene)
      : KdlTree(scene),
        gravity_(test::kdl(scene.model.gravity)),
        chain_(chain_to(peer_.tree(), tip_)),
        with_rotors_(has_rotors(scene.model)),
        chain_inverse_(chain_, gravity_),
        parameters_(chain_, gravity_),
        forward_by_mass_matrix_(chain_, gravity_),
        forward_recursive_(chain_, KDL::Twist(-gravity_, KDL::Vector::Zero()), 1),
        chain_jacobian_(chain_),
        positions_(chain_),
        mass_(n_),
        a_(n_),
        feedforward_(n_),
        constraint_forces_(n_),
        no_constraint_(1),
        no_energy_(1),
        wrenches_(chain_.getNrOfSegments(), KDL::Wrench::Zero()),
        frames_(chain_.getNrOfSegments()) {}

  bool has(Algorithm) const override { return true; }
  std::string remark(Algorithm algorithm) const override {
    if (algorithm != Algorithm::forward) return {};
    return with_rotors_ ? "ChainFdSolver_RNE" : "ChainHdSolver_Vereshchagin";
  }

 private:
  static bool has_rotors(const Model& model) {
    for (const Joint& joint : model.joints)
      if (!joint.properties.armature.empty()) return true;
    return false;
  }

  void call(Algorithm algorithm, const KdlState& s) override {
    switch (algorithm) {
      case Algorithm::forward:
        return forward(s);
      case Algorithm::inverse:
        chain_inverse_.CartToJnt(s.q, s.v, s.a, wrenches_, tau_);
        return;
      case Algorithm::mass:
        parameters_.JntToMass(s.q, mass_);
        return;
      case Algorithm::jacobian:
        chain_jacobian_.JntToJac(s.q, jacobian_);
        return;
      case Algorithm::kinematics:
        positions_.JntToCart(s.q, frames_);
        return;
    }
  }

  void forward(const KdlState& s) {
    if (with_rotors_) {
      forward_by_mass_matrix_.CartToJnt(s.q, s.v, s.tau, wrenches_, a_);
    } else {
      feedforward_ = s.tau;
      forward_recursive_.CartToJnt(s.q, s.v, a_, no_constraint_, no_energy_, wrenches_, feedforward_,
                                   constraint_forces_);
    }
  }

  Eigen::VectorXd read(Algorithm algorithm, const MappedState& s) override {
    if (algorithm == Algorithm::forward) return s.our_acceleration(a_.data);
    if (algorithm == Algorithm::mass) return s.our_mass_matrix(mass_.data);
    if (algorithm != Algorithm::kinematics) return KdlTree::read(algorithm, s);
    const Transformd X = test::from_kdl(frames_.back());
    Eigen::VectorXd pose(12);
    pose << X.R.ex.x, X.R.ex.y, X.R.ex.z, X.R.ey.x, X.R.ey.y, X.R.ey.z, X.R.ez.x, X.R.ez.y, X.R.ez.z, X.p.x, X.p.y,
        X.p.z;
    return pose;
  }

  KDL::Vector gravity_;
  KDL::Chain chain_;
  bool with_rotors_;
  KDL::ChainIdSolver_RNE chain_inverse_;
  KDL::ChainDynParam parameters_;
  KDL::ChainFdSolver_RNE forward_by_mass_matrix_;
  KDL::ChainHdSolver_Vereshchagin forward_recursive_;
  KDL::ChainJntToJacSolver chain_jacobian_;
  KDL::ChainFkSolverPos_recursive positions_;
  KDL::JntSpaceInertiaMatrix mass_;
  KDL::JntArray a_, feedforward_, constraint_forces_;
  KDL::Jacobian no_constraint_;
  KDL::JntArray no_energy_;
  KDL::Wrenches wrenches_;
  std::vector<KDL::Frame> frames_;
};

}  // namespace

ImplementationPtr make_kdl(const Scene& scene) {
  if (is_chain(test::walk_tree(scene.model))) return std::make_unique<KdlChain>(scene);
  return std::make_unique<KdlTree>(scene);
}
std::string kdl_version() { return KDL_VERSION_STRING; }

}  // namespace trammel::bench

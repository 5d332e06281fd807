// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The same chains and trees in Orocos KDL (Debian's liborocos-kdl-dev 1.5.1), fixed and floating: inverse dynamics,
// poses and Jacobians by its tree solvers; mass matrix, gravity and forward dynamics by its chain solvers. See
// kdl_of_model.hpp for what becomes of each joint and peer_tree.hpp for the coordinate map v' = T v, a' = T a + c.
// Friction is left out on our side: KDL keeps a joint's damping but does not use it.

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include <trammel/dynamics.hpp>

#include "peer/comparison.hpp"
#include "peer/kdl_of_model.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

constexpr double bound = 1e-9;
constexpr int states_per_model = 200;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

KDL::JntArray joints(const Eigen::VectorXd& numbers) {
  KDL::JntArray array(static_cast<unsigned>(numbers.size()));
  array.data = numbers;
  return array;
}

// The whole tree as one chain, where it is one.
std::optional<KDL::Chain> as_chain(const KdlPeer& peer) {
  int parent = ground;
  for (const TreeStep& step : peer.steps()) {
    if (step.parent != parent) return std::nullopt;
    parent = step.body;
  }
  KDL::Chain chain;
  if (!peer.tree().getChain("ground", KdlPeer::segment(parent), chain)) return std::nullopt;
  return chain;
}

class SideBySide {
 public:
  explicit SideBySide(const Model& model)
      : model_(model),
        mech_(compiled(model)),
        ws_(mech_),
        peer_(model),
        chain_(as_chain(peer_)),
        inverse_(peer_.tree(), kdl(model.gravity)),
        inverse_without_weight_(peer_.tree(), KDL::Vector::Zero()) {}

  Comparison compare(std::uint64_t seed) {
    Comparison errors;
    take_state(seed);
    compare_poses_and_jacobians(errors);
    compare_inverse_dynamics(errors);
    compare_mass_matrix(errors);
    compare_forward_dynamics(errors);
    if (chain_) compare_chain_solvers(errors);
    if (chain_) compare_jacobian_rate(errors);
    return errors;
  }

 private:
  void take_state(std::uint64_t seed) {
    state_ = random_state(mech_, seed, true);
    map_ = peer_.map(mech_, state_.q, state_.v);
    q_ = joints(map_.q);
    v_ = joints(map_.T * as_vector(state_.v));
    compute_velocities(mech_, ws_, state_.q, state_.v);
    push_bodies(seed);
  }

  // A random wrench on every body; KDL takes it at the segment's tip frame C, in C's axes.
  void push_bodies(std::uint64_t seed) {
    Random random(seed + 77);
    wrench_.assign(model_.bodies.size(), Force<double>{});
    peers_wrench_.clear();
    for (const TreeStep& step : peer_.steps()) {
      const Force<double> F_C = random.force() * 3.0;
      peers_wrench_[KdlPeer::segment(step.body)] = {kdl(F_C.f), kdl(F_C.n)};
      const Transformd X_BC = inverse(step.X_CB);
      const Mat3d R_WC = pose_WB(mech_, ws_, step.body).R * X_BC.R;
      add_wrench(mech_, ws_, step.body, X_BC.p, rotate(R_WC, F_C), wrench_);
    }
  }
  Loads loads() const { return {.wrench = wrench_.data(), .friction = false}; }

  void compare_poses_and_jacobians(Comparison& errors) {
    KDL::TreeFkSolverPos_recursive position(peer_.tree());
    KDL::TreeJntToJacSolver jacobian(peer_.tree());
    for (const TreeStep& step : peer_.steps()) {
      KDL::Frame X_WC;
      ASSERT_GE(position.JntToCart(q_, X_WC, KdlPeer::segment(step.body)), 0);
      const Transformd X_WB = pose_WB(mech_, ws_, step.body), peers = from_kdl(X_WC) * step.X_CB;
      errors.add("pose", dense(X_WB.p), dense(peers.p));
      errors.add("pose", dense(X_WB.R), dense(peers.R));

      KDL::Jacobian J_peer(peer_.tree().getNrOfJoints());
      ASSERT_GE(jacobian.JntToJac(q_, J_peer, KdlPeer::segment(step.body)), 0);
      RowMajor J(6, mech_.nv), angular_first(6, J_peer.columns());
      angular_first << J_peer.data.bottomRows(3), J_peer.data.topRows(3);
      jacobian_W(mech_, ws_, step.body, inverse(step.X_CB).p, {J.data(), static_cast<std::size_t>(J.size())});
      errors.add("jacobian", J, RowMajor(angular_first * map_.T));
    }
  }

  Eigen::VectorXd peers_forces(const Eigen::VectorXd& acceleration, KDL::TreeIdSolver_RNE& solver,
                               const KDL::JntArray& v, const KDL::WrenchMap& wrench) {
    KDL::JntArray tau(peer_.tree().getNrOfJoints());
    EXPECT_EQ(solver.CartToJnt(q_, v, joints(acceleration), wrench, tau), 0);
    return tau.data;
  }

  void compare_inverse_dynamics(Comparison& errors) {
    std::vector<double> tau(state_.a.size());
    inverse_dynamics(mech_, ws_, state_.q, state_.v, state_.a, tau, loads());
    const Eigen::VectorXd peers = peers_forces(map_.T * as_vector(state_.a) + map_.c, inverse_, v_, peers_wrench_);
    errors.add("inverse", as_vector(tau), Eigen::VectorXd(map_.T.transpose() * peers));
  }

  // KDL's trees have no mass matrix: column by column from unit accelerations, at rest, without weight.
  void compare_mass_matrix(Comparison& errors) {
    const Eigen::Index n = q_.data.size();
    const KDL::JntArray rest = joints(Eigen::VectorXd::Zero(n));
    peers_mass_ = Eigen::MatrixXd(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      peers_mass_.col(i) = peers_forces(Eigen::VectorXd::Unit(n, i), inverse_without_weight_, rest, {});
    RowMajor M(mech_.nv, mech_.nv);
    mass_matrix(mech_, ws_, state_.q, {M.data(), static_cast<std::size_t>(M.size())});
    errors.add("mass", M, RowMajor(map_.T.transpose() * peers_mass_ * map_.T));
  }

  // Nor forward dynamics:  Tᵀ M' T a = τ − Tᵀ ID'(q', v', c).
  void compare_forward_dynamics(Comparison& errors) {
    ours_.assign(state_.a.size(), 0.0);
    EXPECT_TRUE(forward_dynamics(mech_, ws_, state_.q, state_.v, state_.tau, ours_, loads()).ok());
    const Eigen::VectorXd bias = peers_forces(map_.c, inverse_, v_, peers_wrench_);
    const Eigen::MatrixXd M = map_.T.transpose() * peers_mass_ * map_.T;
    const Eigen::VectorXd a = M.ldlt().solve(as_vector(state_.tau) - map_.T.transpose() * bias);
    errors.add("forward", as_vector(ours_), a);
  }

  void compare_chain_solvers(Comparison& errors) {
    const unsigned n = chain_->getNrOfJoints();
    const KDL::Vector weight = kdl(model_.gravity);
    KDL::ChainDynParam parameters(*chain_, weight);
    KDL::JntSpaceInertiaMatrix mass(n);
    KDL::JntArray gravity(n);
    ASSERT_GE(parameters.JntToMass(q_, mass), 0);
    ASSERT_GE(parameters.JntToGravity(q_, gravity), 0);
    RowMajor M(mech_.nv, mech_.nv);
    std::vector<double> g(state_.v.size());
    mass_matrix(mech_, ws_, state_.q, {M.data(), static_cast<std::size_t>(M.size())});
    gravity_forces(mech_, ws_, state_.q, g);
    errors.add("mass (chain)", M, RowMajor(map_.T.transpose() * mass.data * map_.T));
    errors.add("gravity (chain)", as_vector(g), Eigen::VectorXd(map_.T.transpose() * gravity.data));

    if (map_.T.rows() != map_.T.cols()) return;  // a screw: KDL cannot hold its turn and travel together
    KDL::Wrenches wrenches;
    for (const KDL::Segment& segment : chain_->segments) {
      const auto found = peers_wrench_.find(segment.getName());
      wrenches.push_back(found == peers_wrench_.end() ? KDL::Wrench::Zero() : found->second);
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> T(map_.T);
    KDL::ChainFdSolver_RNE forward(*chain_, weight);
    KDL::JntArray a(n);
    ASSERT_GE(forward.CartToJnt(q_, v_, joints(T.transpose().solve(as_vector(state_.tau))), wrenches, a), 0);
    errors.add("forward (chain)", as_vector(ours_), Eigen::VectorXd(T.solve(a.data - map_.c)));
  }

  // Of the last body. J = J' T, so that dJ/dt v = dJ'/dt v' + J' c; and column by column where T is constant.
  void compare_jacobian_rate(Comparison& errors) {
    const TreeStep& tip = peer_.steps().back();
    const auto n = static_cast<std::size_t>(mech_.nv);
    RowMajor J_rate(6, mech_.nv);
    compute_velocities(mech_, ws_, state_.q, state_.v);
    compute_motion_rates(mech_, ws_, state_.q, state_.v);
    jacobian_rate_W(mech_, ws_, tip.body, inverse(tip.X_CB).p, {J_rate.data(), 6 * n});

    KDL::ChainJntToJacDotSolver solver(*chain_);
    KDL::TreeJntToJacSolver jacobian(peer_.tree());
    KDL::Jacobian rate(chain_->getNrOfJoints()), J(chain_->getNrOfJoints());
    ASSERT_GE(solver.JntToJacDot(KDL::JntArrayVel(q_, v_), rate), 0);
    ASSERT_GE(jacobian.JntToJac(q_, J, KdlPeer::segment(tip.body)), 0);
    const auto angular_first = [](const Eigen::MatrixXd& linear_first) {
      Eigen::MatrixXd turned(6, linear_first.cols());
      turned << linear_first.bottomRows(3), linear_first.topRows(3);
      return turned;
    };
    const Eigen::VectorXd peers = angular_first(rate.data * v_.data + J.data * map_.c);
    errors.add("jacobian rate (chain)", Eigen::VectorXd(J_rate * as_vector(state_.v)), peers);
    const bool constant_T =
        std::ranges::none_of(model_.joints, [](const Joint& joint) { return turns_in_all_directions(joint.type); });
    if (constant_T) errors.add("jacobian rate (chain)", J_rate, RowMajor(angular_first(rate.data * map_.T)));
  }

  Model model_;
  Mechanism mech_;
  Workspace ws_;
  KdlPeer peer_;
  std::optional<KDL::Chain> chain_;
  KDL::TreeIdSolver_RNE inverse_, inverse_without_weight_;
  RandomState state_;
  CoordinateMap map_;
  KDL::JntArray q_, v_;
  std::vector<Force<double>> wrench_;
  KDL::WrenchMap peers_wrench_;
  Eigen::MatrixXd peers_mass_;
  std::vector<double> ours_;
};

Comparison compare_states(const Model& model, int states, std::uint64_t first_seed) {
  Comparison errors;
  if (compiled(model).nv == 0) return errors;  // all welded: KDL's solvers read a first joint without asking
  SideBySide both(model);
  for (int i = 0; i < states; ++i) errors.merge(both.compare(first_seed + static_cast<std::uint64_t>(i)));
  return errors;
}

class KdlOnRobots : public ::testing::TestWithParam<const char*> {};

TEST_P(KdlOnRobots, agrees) {
  compare_states(shipped_model(GetParam()), states_per_model, 1).report_and_judge("KDL", GetParam(), bound);
}

INSTANTIATE_TEST_SUITE_P(Models, KdlOnRobots,
                         ::testing::Values("puma560", "arm7", "quadruped", "humanoid", "mixed_tree", "aquarobot"),
                         [](const auto& test) { return std::string(test.param); });

// Chains and trees with every joint type, both ways round, on the ground and floating.
class KdlOnRandomMechanisms : public ::testing::TestWithParam<int> {};

TEST_P(KdlOnRandomMechanisms, agrees_on_chains) {
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomModelOptions options{.bodies = GetParam(), .branching = 0, .new_tree = 0, .floating = 0.5};
    errors.merge(compare_states(fit_for_peers(random_model(seed, options)), states_per_model, 1000 * seed));
  }
  errors.report_and_judge("KDL", fmt::format("chain {}", GetParam()), bound);
}

TEST_P(KdlOnRandomMechanisms, agrees_on_trees) {
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomModelOptions options{.bodies = GetParam()};
    errors.merge(compare_states(fit_for_peers(random_model(seed, options)), states_per_model, 1000 * seed));
  }
  errors.report_and_judge("KDL", fmt::format("tree {}", GetParam()), bound);
}

TEST_P(KdlOnRandomMechanisms, agrees_on_turns_travels_and_screws_with_rotors) {
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomModelOptions options{
        .bodies = GetParam(), .branching = seed % 2 == 0 ? 0.3 : 0, .armature = true, .single_freedom_only = true};
    errors.merge(compare_states(fit_for_peers(random_model(seed, options)), states_per_model, 1000 * seed));
  }
  errors.report_and_judge("KDL", fmt::format("rotors {}", GetParam()), bound);
}

INSTANTIATE_TEST_SUITE_P(Bodies, KdlOnRandomMechanisms, ::testing::Values(1, 3, 6, 10, 15));

}  // namespace
}  // namespace trammel::test

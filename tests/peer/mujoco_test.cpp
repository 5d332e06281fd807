// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The same trees, states and forces in MuJoCo (Debian's libmujoco-dev 2.2.2): everything both can tell about a state
// must agree. MuJoCo gets an MJCF document that is written here from the model; see mjcf_of_model.hpp for what becomes
// of each joint and peer_tree.hpp for the coordinate map v' = T v, a' = T a + c between ours and MuJoCo's.
//
// Differences are relative to the largest entry of the quantity (or to 1 in SI where all are smaller), the worst of 200
// random states each.

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/dynamics.hpp>

#include "peer/comparison.hpp"
#include "peer/mjcf_of_model.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

constexpr double bound = 1e-9;
constexpr int states_per_model = 200;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// One model in both, and one state at a time.
class SideBySide {
 public:
  explicit SideBySide(const Model& model)
      : model_(model),
        mech_(compiled(model)),
        ws_(mech_),
        peer_(model),
        steps_(walk_tree(model)),
        m_(peer_.model()),
        d_(peer_.data()) {
    for (const TreeStep& step : steps_)
      if (std::holds_alternative<Helical>(joint_of(step).type)) has_screws_ = true;
  }

  Comparison compare(std::uint64_t seed) {
    Comparison errors;
    take_state(seed);
    compare_poses_and_jacobians(errors);
    compare_energy_and_momentum(errors);
    compare_mass_matrix(errors);
    compare_forward_dynamics(errors);
    compare_inverse_dynamics(errors);
    compare_accelerations_and_reactions(errors);
    return errors;
  }

 private:
  const Joint& joint_of(const TreeStep& step) const { return model_.joints[static_cast<std::size_t>(step.joint)]; }
  const Body& body_of(const TreeStep& step) const { return model_.bodies[static_cast<std::size_t>(step.body)]; }
  Eigen::VectorXd ours(const std::vector<double>& numbers) const { return as_vector(numbers); }
  Eigen::Vector3d three(const mjtNum* numbers, int i) const {
    return Eigen::Map<const Eigen::Vector3d>(numbers + 3 * i);
  }

  void take_state(std::uint64_t seed) {
    state_ = random_state(mech_, seed);
    map_ = peer_.map(mech_, state_.q, state_.v);
    mj_resetData(m_, d_);
    Eigen::Map<Eigen::VectorXd>(d_->qpos, m_->nq) = map_.q;
    Eigen::Map<Eigen::VectorXd>(d_->qvel, m_->nv) = map_.T * ours(state_.v);
    compute_velocities(mech_, ws_, state_.q, state_.v);
    push_bodies(seed);
    mj_forward(m_, d_);
    mj_subtreeVel(m_, d_);
  }

  // A random wrench on every moving body. MuJoCo takes force and torque at the centre of mass, in world axes.
  void push_bodies(std::uint64_t seed) {
    Random random(seed + 77);
    wrench_.assign(model_.bodies.size(), Force<double>{});
    for (const TreeStep& step : steps_) {
      if (!step.moves) continue;
      const Force<double> F_C = random.force() * 3.0;
      mjtNum* applied = d_->xfrc_applied + 6 * peer_.body_id(step.body);
      Eigen::Map<Vector6>{applied} << dense(F_C.f), dense(F_C.n);
      add_wrench(mech_, ws_, step.body, body_of(step).com, F_C, wrench_);
    }
  }
  Loads loads() const { return {.wrench = wrench_.data()}; }

  // Our forces of the bodies' wrenches alone: Jᵀ F, by MuJoCo.
  Eigen::VectorXd peers_wrench_forces() const {
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(m_->nv);
    for (const TreeStep& step : steps_) {
      const int id = peer_.body_id(step.body);
      const mjtNum* applied = d_->xfrc_applied + 6 * id;
      mj_applyFT(m_, d_, applied, applied + 3, d_->xipos + 3 * id, id, forces.data());
    }
    return forces;
  }
  RowMajor peers_mass_matrix() const {
    RowMajor M(m_->nv, m_->nv);
    mj_fullM(m_, M.data(), d_->qM);
    return M;
  }

  void compare_poses_and_jacobians(Comparison& errors) {
    for (const TreeStep& step : steps_) {
      const int site = peer_.site_id(step.body);
      const Transformd X_WB = pose_WB(mech_, ws_, step.body);
      const RowMajor R = Eigen::Map<const RowMajor>(d_->site_xmat + 9 * site, 3, 3);
      errors.add("pose", dense(X_WB.p), three(d_->site_xpos, site));
      errors.add("pose", dense(X_WB.R), R);

      const Vec3d& com = body_of(step).com;
      const Eigen::Vector3d p_W = three(d_->site_xpos, site) + R * dense(com);
      RowMajor J_peer = RowMajor::Zero(6, m_->nv), J(6, mech_.nv);
      mj_jac(m_, d_, J_peer.data() + 3 * m_->nv, J_peer.data(), p_W.data(), peer_.body_id(step.body));
      jacobian_W(mech_, ws_, step.body, com, {J.data(), static_cast<std::size_t>(J.size())});
      errors.add("jacobian", J, RowMajor(J_peer * map_.T));

      Vector6 V_peer;
      mj_objectVelocity(m_, d_, mjOBJ_SITE, site, V_peer.data(), 0);
      errors.add("velocity", dense(velocity_W(mech_, ws_, step.body)), V_peer);
    }
  }

  void compare_energy_and_momentum(Comparison& errors) {
    const Energy<double> energy = compute_energy(mech_, ws_, state_.v);
    errors.add("kinetic", energy.kinetic, d_->energy[1]);
    errors.add("potential", energy.potential, d_->energy[0]);
    const Momentum<double> momentum = compute_momentum(mech_, ws_);
    const double mass = m_->body_subtreemass[0];
    errors.add("com", momentum.mass, mass);
    errors.add("com", dense(momentum.com_W), three(d_->subtree_com, 0));
    errors.add("momentum", dense(momentum.linear_W), Eigen::Vector3d(mass * three(d_->subtree_linvel, 0)));
    errors.add("momentum", dense(momentum.angular_W), three(d_->subtree_angmom, 0));
  }

  void compare_mass_matrix(Comparison& errors) {
    RowMajor M(mech_.nv, mech_.nv);
    mass_matrix(mech_, ws_, state_.q, {M.data(), static_cast<std::size_t>(M.size())});
    errors.add("mass", M, RowMajor(map_.T.transpose() * peers_mass_matrix() * map_.T));
  }

  void compare_forward_dynamics(Comparison& errors) {
    std::vector<double> a(state_.a.size());
    EXPECT_TRUE(forward_dynamics(mech_, ws_, state_.q, state_.v, state_.tau, a, loads()).ok());
    errors.add("forward", ours(a), has_screws_ ? peers_acceleration_with_screws() : peers_acceleration());
  }
  // By MuJoCo's own forward dynamics under τ' = T⁻ᵀ τ; a = T⁻¹ (a' − c).
  Eigen::VectorXd peers_acceleration() {
    const Eigen::PartialPivLU<Eigen::MatrixXd> T(map_.T);
    Eigen::Map<Eigen::VectorXd> applied(d_->qfrc_applied, m_->nv), qacc(d_->qacc, m_->nv);
    applied = T.transpose().solve(ours(state_.tau));
    mj_forward(m_, d_);
    return T.solve(qacc - map_.c);
  }
  // MuJoCo cannot hold turn and travel together; from its mass matrix and bias:  Tᵀ M' T a = τ − Tᵀ (h' + M' c).
  Eigen::VectorXd peers_acceleration_with_screws() const {
    const Eigen::Map<const Eigen::VectorXd> bias(d_->qfrc_bias, m_->nv), passive(d_->qfrc_passive, m_->nv);
    const RowMajor M = peers_mass_matrix();
    const Eigen::VectorXd h = bias - passive - peers_wrench_forces() + M * map_.c;
    const Eigen::MatrixXd reduced = map_.T.transpose() * M * map_.T;
    return reduced.ldlt().solve(ours(state_.tau) - map_.T.transpose() * h);
  }

  void compare_inverse_dynamics(Comparison& errors) {
    std::vector<double> tau(state_.a.size());
    inverse_dynamics(mech_, ws_, state_.q, state_.v, state_.a, tau, loads());
    Eigen::Map<Eigen::VectorXd>(d_->qacc, m_->nv) = map_.T * ours(state_.a) + map_.c;
    mj_inverse(m_, d_);
    const Eigen::Map<const Eigen::VectorXd> peers(d_->qfrc_inverse, m_->nv);
    errors.add("inverse", ours(tau), Eigen::VectorXd(map_.T.transpose() * (peers - peers_wrench_forces())));
  }

  // MuJoCo lets the ground accelerate against gravity instead of pulling the bodies: its accelerations lack g.
  void compare_accelerations_and_reactions(Comparison& errors) {
    compute_accelerations(mech_, ws_, state_.q, state_.v, state_.a);
    std::vector<Force<double>> reactions(mech_.joints.size());
    compute_reactions(mech_, ws_, reactions, loads());
    Eigen::Map<Eigen::VectorXd>(d_->qacc, m_->nv) = map_.T * ours(state_.a) + map_.c;
    mj_rnePostConstraint(m_, d_);
    for (const TreeStep& step : steps_) {
      Vector6 A_peer;
      mj_objectAcceleration(m_, d_, mjOBJ_SITE, peer_.site_id(step.body), A_peer.data(), 0);
      A_peer.tail<3>() += dense(model_.gravity);
      errors.add("acceleration", dense(acceleration_W(mech_, ws_, step.body)), A_peer);
      if (step.moves)
        errors.add("reaction", dense(reactions[static_cast<std::size_t>(step.joint)]), peers_reaction(step));
    }
  }
  // MuJoCo: of the parent on the child, taken at the centre of mass of the whole tree. Ours: of the joint's first body on
  // its second, at M's origin.
  Vector6 peers_reaction(const TreeStep& step) const {
    const int id = peer_.body_id(step.body);
    const Vector6 F_peer = Eigen::Map<const Vector6>(d_->cfrc_int + 6 * id);
    const Vec3d taken_at = vec3(three(d_->subtree_com, m_->body_rootid[id]));
    const Joint& joint = joint_of(step);
    const JointInfo& info = mech_.joints[static_cast<std::size_t>(step.joint)];
    const Vec3d p_WM = pose_WB(mech_, ws_, info.second) * joint.X_BM.p;
    const Force<double> F = shift(force(F_peer), p_WM - taken_at);
    return dense(step.reversed ? -F : F);
  }

  Model model_;
  Mechanism mech_;
  Workspace ws_;
  MujocoPeer peer_;
  std::vector<TreeStep> steps_;
  mjModel* m_;
  mjData* d_;
  bool has_screws_ = false;
  RandomState state_;
  CoordinateMap map_;
  std::vector<Force<double>> wrench_;
};

Comparison compare_states(const Model& model, int states, std::uint64_t first_seed) {
  SideBySide both(model);
  Comparison errors;
  for (int i = 0; i < states; ++i) errors.merge(both.compare(first_seed + static_cast<std::uint64_t>(i)));
  return errors;
}

// Screws made plain hinges, so that MuJoCo's own forward dynamics can answer for the whole tree.
Model without_screws(Model model) {
  for (Joint& joint : model.joints)
    if (std::holds_alternative<Helical>(joint.type)) joint.type = Revolute{};
  return model;
}

class MujocoOnRobots : public ::testing::TestWithParam<const char*> {};

TEST_P(MujocoOnRobots, agrees) {
  const Model model = shipped_model(GetParam());
  compare_states(model, states_per_model, 1).report_and_judge("MuJoCo", GetParam(), bound);
}

INSTANTIATE_TEST_SUITE_P(Models, MujocoOnRobots,
                         ::testing::Values("puma560", "arm7", "quadruped", "humanoid", "mixed_tree", "aquarobot"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Mujoco, agrees_on_the_mixed_tree_with_hinges_for_screws) {
  const Model model = without_screws(shipped_model("mixed_tree"));
  compare_states(model, states_per_model, 1).report_and_judge("MuJoCo", "mixed, no screws", bound);
}

// All joint types, both ways round, welds, several trees, floating and fixed, rotors and viscous friction; with screws
// and without.
class MujocoOnRandomTrees : public ::testing::TestWithParam<int> {};

TEST_P(MujocoOnRandomTrees, agrees) {
  Comparison errors;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const RandomModelOptions options{.bodies = GetParam(), .friction = true, .armature = seed % 3 == 0};
    const Model tree = fit_for_peers(random_model(seed, options));
    errors.merge(compare_states(seed % 2 == 0 ? without_screws(tree) : tree, states_per_model, 1000 * seed));
  }
  errors.report_and_judge("MuJoCo", fmt::format("random {}", GetParam()), bound);
}

INSTANTIATE_TEST_SUITE_P(Bodies, MujocoOnRandomTrees, ::testing::Values(1, 2, 3, 5, 8, 12, 20, 40));

}  // namespace
}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of tree dynamics over random mechanisms: the three recursions agree with each other and with the dense oracle,
// with everything that may act: wrenches, additions, friction, rotors, prescribed accelerations.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/custom_joints.hpp"
#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::distance;
using test::error_of;
using test::JointStates;
using test::LoadCase;
using test::ModelCase;
using test::oracle_dynamics;
using test::OracleAnswer;
using test::Prepared;
using test::Random;
using test::vector;

constexpr double tolerance = 1e-9;

// Friction and rotors on every other seed.
test::RandomModelOptions options_of(const ModelCase& c) {
  return {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2};
}

// --- the recursions among themselves ----------------------------------------------------------------------------

RC_GTEST_PROP(ForwardDynamics, is_the_inverse_mass_matrix_times_force_less_bias, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  const Eigen::VectorXd force = vector(p.tau) - vector(p.bias(load.loads()));
  const Eigen::VectorXd expected = p.mass(load.loads()).llt().solve(force);
  RC_ASSERT(test::relative_error(vector(p.forward(load.loads())), expected) < tolerance);
}

RC_GTEST_PROP(ForwardDynamics, undoes_inverse_dynamics, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  p.tau = p.inverse(p.a, load.loads());
  RC_ASSERT(error_of(p.forward(load.loads()), p.a) < tolerance);
}

RC_GTEST_PROP(MassMatrix, is_symmetric_and_positive_definite, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const Eigen::MatrixXd M = p.mass();
  RC_ASSERT(M == M.transpose());
  if (M.size() == 0) return;
  RC_ASSERT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues().minCoeff() > 0);
}

RC_GTEST_PROP(MassMatrix, is_what_inverse_dynamics_multiplies_by, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  const Eigen::VectorXd expected = p.mass(load.loads()) * vector(p.a) + vector(p.bias(load.loads()));
  RC_ASSERT(test::relative_error(vector(p.inverse(p.a, load.loads())), expected) < 1e-12);
}

RC_GTEST_PROP(MassMatrix, gives_the_kinetic_energy, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const double expected = 0.5 * vector(p.v).dot(p.mass() * vector(p.v));
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  const double kinetic = compute_energy(p.mechanism, p.ws, p.v).kinetic;
  RC_ASSERT(std::abs(kinetic - expected) <= 1e-12 * (1 + expected));
}

RC_GTEST_PROP(InverseDynamics, is_linear_in_acceleration, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const Eigen::VectorXd a = vector(p.a), b = vector(Random(c.seed + 2).normals(p.mechanism.nv));
  const auto inverse = [&p](const Eigen::VectorXd& x) { return vector(p.inverse({x.data(), x.data() + x.size()})); };
  const Eigen::VectorXd rest = inverse(Eigen::VectorXd::Zero(a.size()));
  const Eigen::VectorXd expected = 2 * (inverse(a) - rest) - 3 * (inverse(b) - rest) + rest;
  RC_ASSERT(test::relative_error(inverse(2 * a - 3 * b), expected) < 1e-12);
}

RC_GTEST_PROP(InverseDynamics, is_linear_in_gravity, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  Random random(c.seed + 2);
  const Vec3d g1 = random.vector(5), g2 = random.vector(5);
  const auto under = [&p](const Vec3d& g) {
    Parameters<double> parameters = p.ws.parameters();
    parameters.gravity = g;
    p.ws.set_parameters(p.mechanism, parameters);
    return vector(p.inverse(p.a));
  };
  const Eigen::VectorXd weightless = under({});
  const Eigen::VectorXd expected = 2 * (under(g1) - weightless) - 3 * (under(g2) - weightless) + weightless;
  RC_ASSERT(test::relative_error(under(g1 * 2.0 - g2 * 3.0), expected) < 1e-12);
}

RC_GTEST_PROP(GravityForces, are_the_bias_at_rest, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  std::fill(p.v.begin(), p.v.end(), 0.0);
  std::vector<double> g(p.nv());
  gravity_forces(p.mechanism, p.ws, p.q, g);
  RC_ASSERT(error_of(g, p.bias()) < 1e-13);
}

RC_GTEST_PROP(FrictionForces, are_what_the_friction_switch_leaves_out, (const ModelCase& c)) {
  Prepared p(c, {.friction = true});
  std::vector<double> friction(p.nv());
  friction_forces(p.mechanism, p.ws, p.v, friction);
  const Loads smooth{.friction = false};
  RC_ASSERT(test::relative_error(vector(p.bias(smooth)) - vector(friction), vector(p.bias())) < 1e-12);
  RC_ASSERT(vector(friction).dot(vector(p.v)) <= 0);  // friction takes energy out
  const std::vector<double> rough = p.forward();
  for (std::size_t i = 0; i < p.nv(); ++i) p.tau[i] += friction[i];
  RC_ASSERT(error_of(p.forward(smooth), rough) < tolerance);
}

// --- against the oracle -----------------------------------------------------------------------------------------

void expect_like_oracle(Prepared& p, const LoadCase& load) {
  const OracleAnswer oracle = oracle_dynamics(p.model, p.states, load.oracle);
  const std::vector<double> a = p.forward(load.loads());
  RC_ASSERT(error_of(a, test::pack_v(p.mechanism, oracle.a)) < tolerance);
  std::vector<Force<double>> reactions(p.mechanism.joints.size());
  compute_reactions(p.mechanism, p.ws, reactions, load.loads());
  for (std::size_t j = 0; j < reactions.size(); ++j) RC_ASSERT(error_of(reactions[j], oracle.reaction[j]) < tolerance);
  for (int b = 0; b < p.mechanism.body_count(); ++b) {
    const test::OracleBody& body = oracle.bodies[static_cast<std::size_t>(b)];
    RC_ASSERT(distance(pose_WB(p.mechanism, p.ws, b), body.X_WB) < 1e-11);
    RC_ASSERT(error_of(velocity_W(p.mechanism, p.ws, b), body.V_W) < 1e-11);
    RC_ASSERT(error_of(acceleration_W(p.mechanism, p.ws, b), body.A_W) < tolerance);
  }
}

RC_GTEST_PROP(Oracle, agrees_on_accelerations_motions_and_reactions, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  expect_like_oracle(p, p.load_case(c.seed, {}));
}
RC_GTEST_PROP(Oracle, agrees_with_wrenches_at_points, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  expect_like_oracle(p, p.load_case(c.seed, {.wrenches = true}));
}
RC_GTEST_PROP(Oracle, agrees_with_added_inertia_and_bias, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  expect_like_oracle(p, p.load_case(c.seed, {.wrenches = true, .additions = true}));
}

// Long chains leave their first point O behind.
TEST(Oracle, agrees_on_chains_of_forty) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model model = test::random_model(seed, {.bodies = 40, .branching = 0, .new_tree = 0});
    Prepared p(model, test::random_states(model, seed));
    expect_like_oracle(p, p.load_case(seed, {.wrenches = true, .additions = true}));
  }
}

RC_GTEST_PROP(Oracle, agrees_on_the_mass_matrix, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.additions = c.seed % 3 == 0});
  const Eigen::MatrixXd expected =
      test::in_mechanism_order(p.mechanism, test::oracle_mass_matrix(p.model, p.states, load.oracle));
  RC_ASSERT(test::relative_error(p.mass(load.loads()), expected) < 1e-11);
}

RC_GTEST_PROP(Oracle, agrees_on_energy_and_momentum, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const test::OracleMomentum expected = test::oracle_momentum(p.model, p.states);
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  const Energy<double> energy = compute_energy(p.mechanism, p.ws, p.v);
  RC_ASSERT(std::abs(energy.kinetic - expected.kinetic) <= 1e-11 * (1 + expected.kinetic));
  RC_ASSERT(std::abs(energy.potential - expected.potential) <= 1e-11 * (1 + std::abs(expected.potential)));
  if (expected.mass == 0) return;
  const Momentum<double> momentum = compute_momentum(p.mechanism, p.ws);
  RC_ASSERT(std::abs(momentum.mass - expected.mass) <= 1e-13 * expected.mass);
  RC_ASSERT(error_of(momentum.com_W, expected.com_W) < 1e-12);
  RC_ASSERT(error_of(momentum.linear_W, expected.linear_W) < 1e-11);
  RC_ASSERT(error_of(momentum.angular_W, expected.angular_W) < 1e-11);
}

// --- hybrid dynamics --------------------------------------------------------------------------------------------

struct Mask {
  std::vector<char> flat;
  std::vector<std::vector<std::optional<double>>> per_joint;

  Mask(const Prepared& p, std::uint64_t seed, double share) : flat(p.nv()) {
    Random random(seed);
    for (char& prescribed : flat) prescribed = random.chance(share) ? 1 : 0;
    for (const JointInfo& joint : p.mechanism.joints) {
      auto& list = per_joint.emplace_back(static_cast<std::size_t>(joint.nv));
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::size_t k = static_cast<std::size_t>(joint.v) + i;
        if (flat[k] != 0) list[i] = p.a[k];
      }
    }
  }
};

RC_GTEST_PROP(HybridDynamics, agrees_with_the_oracle, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  LoadCase load = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  const Mask mask(p, c.seed + 3, 0.5);
  load.oracle.prescribed = mask.per_joint;
  const OracleAnswer oracle = oracle_dynamics(p.model, p.states, load.oracle);
  std::vector<double> a = p.a, tau = p.tau;
  RC_ASSERT(hybrid_dynamics(p.mechanism, p.ws, p.q, p.v, mask.flat, a, tau, load.loads()).ok());
  RC_ASSERT(error_of(a, test::pack_v(p.mechanism, oracle.a)) < tolerance);
  RC_ASSERT(error_of(tau, test::pack_v(p.mechanism, oracle.tau)) < tolerance);
  std::vector<Force<double>> reactions(p.mechanism.joints.size());
  compute_reactions(p.mechanism, p.ws, reactions, load.loads());
  for (std::size_t j = 0; j < reactions.size(); ++j) RC_ASSERT(error_of(reactions[j], oracle.reaction[j]) < tolerance);
}

RC_GTEST_PROP(HybridDynamics, lies_between_forward_and_inverse, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  const std::vector<double> forward = p.forward(load.loads());
  const Mask mask(p, c.seed + 3, 0.5);
  std::vector<double> a = forward, tau = p.tau;
  const double unread = c.seed % 2 == 0 ? 7e17 : std::nan("");
  for (std::size_t k = 0; k < p.nv(); ++k) (mask.flat[k] != 0 ? tau : a)[k] = unread;  // what is asked for is not read
  RC_ASSERT(hybrid_dynamics(p.mechanism, p.ws, p.q, p.v, mask.flat, a, tau, load.loads()).ok());
  RC_ASSERT(error_of(a, forward) < tolerance);
  RC_ASSERT(error_of(tau, p.tau) < tolerance);
}

RC_GTEST_PROP(HybridDynamics, with_all_prescribed_is_inverse_and_with_none_forward, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  std::vector<double> a = p.a, tau = p.tau;
  hybrid_dynamics(p.mechanism, p.ws, p.q, p.v, std::vector<char>(p.nv(), 1), a, tau);
  RC_ASSERT(a == p.a);
  RC_ASSERT(error_of(tau, p.inverse(p.a)) < tolerance);
  tau = p.tau;
  hybrid_dynamics(p.mechanism, p.ws, p.q, p.v, std::vector<char>(p.nv(), 0), a, tau);
  RC_ASSERT(tau == p.tau);
  RC_ASSERT(a == p.forward());
}

// --- joints of users, and bodies that cannot be moved -----------------------------------------------------------

TEST(CustomJoints, run_through_the_recursions_in_both_directions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Model model = test::random_model(seed, {.bodies = 5, .new_tree = 0});
    Random random(seed);
    for (Joint& joint : model.joints) {
      if (random.chance(0.5)) joint.type = Custom{std::make_shared<test::EllipticRail>(0.7, 0.3)};
      if (random.chance(0.3)) joint.type = Custom{std::make_shared<test::YawPitchRoll>()};
    }
    Prepared p(model, test::random_states(model, seed, 0.4));
    ASSERT_NO_FATAL_FAILURE(expect_like_oracle(p, p.load_case(seed, {.wrenches = true, .additions = true})));
    const Eigen::VectorXd force = vector(p.tau) - vector(p.bias());
    EXPECT_LT(test::relative_error(vector(p.forward()), p.mass().llt().solve(force).eval()), tolerance);
  }
}

// compile() refuses such a model; a user who varies masses in the workspace learns it from the verdict.
TEST(ForwardDynamics, names_the_joint_whose_inertia_vanishes) {
  Model model;
  add_body(model, "arm", 1, {1, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_body(model, "needle", 1, {1, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "shoulder", Revolute{}, "ground", "arm", {});
  add_joint(model, "roll", Revolute{}, "arm", "needle", frame_at({1, 0, 0}, {0, 0, 1}));
  const Mechanism mechanism = test::compiled(model);
  Workspace ws(mechanism);
  const std::vector<double> zero(2);
  std::vector<double> a(2);
  EXPECT_TRUE(forward_dynamics(mechanism, ws, zero, zero, zero, a).ok());
  const int roll = mechanism.find_joint("roll");
  const int needle = mechanism.joints[static_cast<std::size_t>(roll)].link;
  Parameters<double> parameters = ws.parameters();
  parameters.inertia[static_cast<std::size_t>(needle)] = {1, {}, {}};  // a point mass on the axis
  ws.set_parameters(mechanism, parameters);
  const DynamicsVerdict verdict = forward_dynamics(mechanism, ws, zero, zero, zero, a);
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.singular_joint, roll);
}

// A body without inertia between two joints that share a freedom has no acceleration that anything would determine, wherever it
// stands: what the body beyond leaves of itself there is round-off, and must not be taken for inertia.
struct Shared {
  AnyJoint inner, outer;
};
DynamicsVerdict accelerate_behind_crosses(const Shared& pair, int crosses, double inertia_of_cross,
                                          std::uint64_t seed) {
  test::Random random(seed);
  Model model;
  const Transformd X{random.rotation(), random.vector()};  // all joints at one place, with one z
  std::string before(ground_name);
  for (int i = 0; i < crosses; ++i) {
    const std::string name = "cross " + std::to_string(i);
    add_body(model, name, inertia_of_cross, {}, {inertia_of_cross, inertia_of_cross, inertia_of_cross, 0, 0, 0});
    add_joint(model, name, pair.inner, before, name, X);
    before = name;
  }
  add_body(model, "arm", 1, random.vector(0.5), random.inertia_at_com(1), random.pose());
  add_joint(model, "arm", pair.outer, before, "arm", X);
  const CompileResult compiled = compile(model, {.for_dynamics = false});
  EXPECT_TRUE(compiled.ok());
  Workspace ws(compiled.mechanism);
  const test::JointStates states = test::random_states(model, seed, 1);
  const std::vector<double> q = test::pack_q(compiled.mechanism, states.q);
  std::vector<double> v(static_cast<std::size_t>(compiled.mechanism.nv)), a(v.size());
  return forward_dynamics(compiled.mechanism, ws, q, v, v, a);
}

const std::vector<Shared>& shared_pairs() {
  static const std::vector<Shared> pairs{{Revolute{}, Spherical{}},    {Revolute{}, Free{}},
                                         {Prismatic{}, Free{}},        {Universal{}, Spherical{}},
                                         {Spherical{}, Spherical{}},   {Spherical{}, Free{}},
                                         {Planar{}, Free{}},           {Revolute{}, Revolute{}},
                                         {Spherical{}, Revolute{}},    {Cylindrical{}, Helical{0.3}},
                                         {Cylindrical{}, Prismatic{}}, {Revolute{}, Cylindrical{}}};
  return pairs;
}

TEST(ForwardDynamics, sees_everywhere_that_a_body_without_inertia_is_free) {
  for (std::size_t i = 0; i < shared_pairs().size(); ++i) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      EXPECT_FALSE(accelerate_behind_crosses(shared_pairs()[i], 1, 0, seed).ok()) << "pair " << i << ", seed " << seed;
      EXPECT_FALSE(accelerate_behind_crosses(shared_pairs()[i], 2, 0, seed).ok()) << "two of " << i << ", " << seed;
      EXPECT_TRUE(accelerate_behind_crosses(shared_pairs()[i], 1, 1e-8, seed).ok()) << "light: " << i << ", " << seed;
    }
  }
}

// Of a long chain almost nothing is felt at its base: that is no round-off.
TEST(ForwardDynamics, does_not_take_a_long_chain_for_one_without_inertia) {
  Model model;
  std::string before(ground_name);
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "link " + std::to_string(i);
    add_body(model, name, 1, {0, -0.5, 0}, {0.1, 0.1, 0.1, 0, 0, 0}, Transformd::translation({0, -1.0 * i, 0}));
    add_joint(model, name, Revolute{}, before, name, frame_at({0, -1.0 * i, 0}, {0, 0, 1}));
    before = name;
  }
  const Mechanism mechanism = test::compiled(model);
  Workspace ws(mechanism);
  std::vector<double> zero(3000), a(3000);
  EXPECT_TRUE(forward_dynamics(mechanism, ws, zero, zero, zero, a).ok());
}

}  // namespace
}  // namespace trammel

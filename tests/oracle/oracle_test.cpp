// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The oracle itself, on textbook cases with closed forms.

#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace trammel {
namespace {

using test::distance;
using test::JointStates;
using test::oracle_dynamics;
using test::oracle_mass_matrix;
using test::oracle_momentum;
using test::OracleAnswer;
using test::OracleLoads;
using test::Random;
using test::zero_states;

constexpr double g = 9.81;
const Transformd origin{};  // a joint's frame at the world's origin, z along z

Model planar_model() {
  Model model;
  model.gravity = {0, -g, 0};
  return model;
}

TEST(Oracle, pendulum_accelerates_as_a_compound_pendulum) {
  const double m = 2, l = 0.7, I = 0.3, theta = 0.6, omega = 1.7;
  Model model = planar_model();
  add_body(model, "bob", m, {0, -l, 0}, {1, 1, I, 0, 0, 0});
  add_joint(model, "pivot", Revolute{}, "ground", "bob", origin);
  JointStates states = zero_states(model);
  states.q[0] = {theta};
  states.v[0] = {omega};
  const OracleAnswer answer = oracle_dynamics(model, states);
  const double expected = -m * g * l * std::sin(theta) / (I + m * l * l);
  EXPECT_NEAR(answer.a[0][0], expected, 1e-13);
  EXPECT_EQ(answer.constraint_rows, 5);
  EXPECT_EQ(answer.rank, 5);
  // The pivot pulls with m (g cos θ + l ω²) along the rod and m (l θ̈ + g sin θ) across it.
  const Vec3d along{-std::sin(theta), std::cos(theta), 0}, across{std::cos(theta), std::sin(theta), 0};
  EXPECT_NEAR(dot(answer.reaction[0].f, along), m * (g * std::cos(theta) + l * omega * omega), 1e-12);
  EXPECT_NEAR(dot(answer.reaction[0].f, across), m * (l * expected + g * std::sin(theta)), 1e-12);
}

// Point masses; φ absolute angles. [Landau & Lifshitz, Mechanics, §5, problem 1, differentiated]
struct DoublePendulum {
  double m1 = 1.3, m2 = 0.8, l1 = 0.9, l2 = 0.6;

  Model model() const {
    Model model = planar_model();
    add_body(model, "upper", m1, {0, -l1, 0}, {});
    add_body(model, "lower", m2, {0, -l1 - l2, 0}, {});
    add_joint(model, "shoulder", Revolute{}, "ground", "upper", origin);
    add_joint(model, "elbow", Revolute{}, "upper", "lower", Transformd::translation({0, -l1, 0}));
    return model;
  }
  Eigen::Vector2d accelerations(double p1, double p2, double w1, double w2) const {
    const double c = std::cos(p1 - p2), s = std::sin(p1 - p2);
    Eigen::Matrix2d A;
    A << (m1 + m2) * l1, m2 * l2 * c, l1 * c, l2;
    const Eigen::Vector2d b(-m2 * l2 * w2 * w2 * s - (m1 + m2) * g * std::sin(p1), l1 * w1 * w1 * s - g * std::sin(p2));
    return A.inverse() * b;
  }
};

TEST(Oracle, double_pendulum_follows_lagrange) {
  const DoublePendulum pendulum;
  const Model model = pendulum.model();
  JointStates states = zero_states(model);
  states.q = {{0.5}, {0.9}};
  states.v = {{1.1}, {-2.3}};
  const Eigen::Vector2d expected = pendulum.accelerations(0.5, 1.4, 1.1, -1.2);
  const OracleAnswer answer = oracle_dynamics(model, states);
  EXPECT_NEAR(answer.a[0][0], expected(0), 1e-12);
  EXPECT_NEAR(answer.a[1][0], expected(1) - expected(0), 1e-12);
}

TEST(Oracle, mass_matrix_of_the_double_pendulum_is_that_of_the_book) {
  const DoublePendulum p;
  const Model model = p.model();
  JointStates states = zero_states(model);
  states.q = {{0.5}, {0.9}};
  const Eigen::MatrixXd M = oracle_mass_matrix(model, states);
  const double coupling = p.m2 * p.l2 * p.l2 + p.m2 * p.l1 * p.l2 * std::cos(0.9);
  EXPECT_NEAR(M(1, 1), p.m2 * p.l2 * p.l2, 1e-14);
  EXPECT_NEAR(M(0, 1), coupling, 1e-14);
  EXPECT_NEAR(M(1, 0), coupling, 1e-14);
  EXPECT_NEAR(M(0, 0), (p.m1 + p.m2) * p.l1 * p.l1 + 2 * coupling - p.m2 * p.l2 * p.l2, 1e-13);
}

TEST(Oracle, forces_and_accelerations_are_inverse_to_each_other_when_prescribed) {
  const Model model = DoublePendulum{}.model();
  JointStates states = zero_states(model);
  states.q = {{0.5}, {0.9}};
  states.v = {{1.1}, {-2.3}};
  states.tau = {{0.7}, {-0.4}};
  const OracleAnswer forward = oracle_dynamics(model, states);
  OracleLoads loads;
  loads.prescribed = {{forward.a[0][0]}, {std::nullopt}};
  states.tau[0][0] = 99;  // not used
  const OracleAnswer hybrid = oracle_dynamics(model, states, loads);
  EXPECT_NEAR(hybrid.tau[0][0], 0.7, 1e-12);
  EXPECT_NEAR(hybrid.a[1][0], forward.a[1][0], 1e-12);
}

TEST(Oracle, armature_damping_and_dry_friction_act_at_the_coordinate) {
  Model model = planar_model();
  add_body(model, "wheel", 1, {}, {1, 1, 0.4, 0, 0, 0});
  Joint& axle = add_joint(model, "axle", Revolute{}, "ground", "wheel", origin);
  axle.properties.viscous = {0.3};
  axle.properties.dry = {0.2};
  axle.properties.dry_speed = 0.5;
  axle.properties.armature = {0.6};
  JointStates states = zero_states(model);
  states.v[0] = {1.2};
  states.tau[0] = {2};
  const double friction = -0.3 * 1.2 - 0.2 * 1.2 / 1.3;
  EXPECT_NEAR(oracle_dynamics(model, states).a[0][0], (2 + friction) / (0.4 + 0.6), 1e-14);
  EXPECT_NEAR(oracle_dynamics(model, states, {.friction = false}).a[0][0], 2.0, 1e-14);
  EXPECT_NEAR(oracle_mass_matrix(model, states)(0, 0), 1.0, 1e-14);
}

// Crank r at angle θ turning with constant ω, rod l, piston of mass m along x; rod at −β: l sin β = r sin θ.
TEST(Oracle, slider_crank_gives_the_piston_its_acceleration_and_the_crank_its_torque) {
  const double r = 0.2, l = 0.7, theta = 0.9, omega = 5, m = 3;
  const double beta = std::asin(r * std::sin(theta) / l);
  const double beta_rate = r * omega * std::cos(theta) / (l * std::cos(beta));
  const double beta_rate2 =
      (l * beta_rate * beta_rate * std::sin(beta) - r * omega * omega * std::sin(theta)) / (l * std::cos(beta));
  const double x_rate = -r * omega * std::sin(theta) - l * beta_rate * std::sin(beta);
  const double x_rate2 = -r * omega * omega * std::cos(theta) - l * beta_rate2 * std::sin(beta) -
                         l * beta_rate * beta_rate * std::cos(beta);
  Model model;
  model.gravity = {};
  const Vec3d A{r * std::cos(theta), r * std::sin(theta), 0}, B{A.x + l * std::cos(beta), 0, 0};
  add_body(model, "crank", 0, {}, {});
  add_body(model, "rod", 0, A, {});
  add_body(model, "piston", m, B, {1, 1, 1, 0, 0, 0});
  add_joint(model, "main", Revolute{}, "ground", "crank", origin);
  add_joint(model, "big end", Revolute{}, "crank", "rod", Transformd::translation(A));
  add_joint(model, "small end", Revolute{}, "rod", "piston", Transformd::translation(B));
  add_joint(model, "guide", Prismatic{}, "ground", "piston", frame_at(B, {1, 0, 0}));
  JointStates states = zero_states(model);
  states.v = {{omega}, {-beta_rate - omega}, {beta_rate}, {x_rate}};
  OracleLoads loads;
  loads.prescribed = {{0.0}, {std::nullopt}, {std::nullopt}, {std::nullopt}};
  const OracleAnswer answer = oracle_dynamics(model, states, loads);
  EXPECT_NEAR(answer.a[3][0], x_rate2, 1e-11);
  EXPECT_NEAR(answer.a[2][0], beta_rate2, 1e-11);
  EXPECT_NEAR(answer.tau[0][0], m * x_rate2 * x_rate / omega, 1e-11) << "the torque's power moves the piston";
  EXPECT_EQ(answer.constraint_rows - answer.rank, 3) << "a planar loop of spatial joints has three redundant rows";
  EXPECT_LT(answer.residual, 1e-11);
}

// Steady precession φ̇ of a symmetric top at nutation θ: m g l = C n φ̇ − A φ̇² cos θ, n = ψ̇ + φ̇ cos θ, A and C at the
// fixed point.   [Goldstein, Classical Mechanics, 5.7]
TEST(Oracle, spinning_top_precesses_steadily) {
  const double m = 0.5, l = 0.1, C = 6e-4, A = 1.5e-3 + m * l * l, theta = 0.4, precession = 6;
  const double n = (m * g * l + A * precession * precession * std::cos(theta)) / (C * precession);
  const double spin = n - precession * std::cos(theta);
  Model model;
  add_body(model, "top", m, {0, 0, l}, {1.5e-3, 1.5e-3, C, 0, 0, 0});
  add_joint(model, "tip", Spherical{}, "ground", "top", origin);
  JointStates states = zero_states(model);
  states.q[0] = {std::cos(theta / 2), std::sin(theta / 2), 0, 0};
  states.v[0] = {0, precession * std::sin(theta), n};
  const OracleAnswer answer = oracle_dynamics(model, states);
  EXPECT_NEAR(answer.a[0][0], precession * std::sin(theta) * spin, 1e-9);
  EXPECT_NEAR(answer.a[0][1], 0, 1e-10);
  EXPECT_NEAR(answer.a[0][2], 0, 1e-10);
  // The centre of mass circles about the vertical.
  const Vec3d a_C = test::vec3(test::dense(answer.reaction[0].f) / m) + model.gravity;
  const Vec3d towards_axis{0, precession * precession * l * std::sin(theta), 0};
  EXPECT_LT(distance(a_C, towards_axis), 1e-12);
}

TEST(Oracle, free_body_follows_euler) {
  const Vec3d moments{0.2, 0.5, 0.6}, w{1, -2, 0.7}, v{0.3, 0.4, -0.5};
  Model model;
  add_body(model, "brick", 2, {}, {moments.x, moments.y, moments.z, 0, 0, 0});
  add_joint(model, "free", Free{}, "ground", "brick", origin);
  JointStates states = zero_states(model);
  const Mat3d R = rotation_x(0.3) * rotation_z(1.1);
  q_fit(Free{}, Transformd{R, {1, 2, 3}}, states.q[0].data());
  states.v[0] = {w.x, w.y, w.z, v.x, v.y, v.z};
  const OracleAnswer answer = oracle_dynamics(model, states);
  const Vec3d v_rate = transpose_times(R, model.gravity) - cross(w, v);
  const double expected[] = {(moments.y - moments.z) * w.y * w.z / moments.x,
                             (moments.z - moments.x) * w.z * w.x / moments.y,
                             (moments.x - moments.y) * w.x * w.y / moments.z,
                             v_rate.x,
                             v_rate.y,
                             v_rate.z};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(answer.a[0][i], expected[i], 1e-13) << i;
  EXPECT_LT(norm(answer.reaction[0].f), 1e-12) << "a free joint transmits nothing";
}

TEST(Oracle, beam_on_pin_and_roller_shares_its_load_by_the_lever) {
  const double length = 4, load = 100, at = 1.5;
  Model model;
  model.gravity = {};
  add_body(model, "beam", 1, {2, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_body(model, "roller", 0, {length, 0, 0}, {});
  add_joint(model, "pin", Revolute{}, "ground", "beam", origin);
  add_joint(model, "hinge", Revolute{}, "beam", "roller", Transformd::translation({length, 0, 0}));
  add_joint(model, "rail", Prismatic{}, "ground", "roller", frame_at({length, 0, 0}, {1, 0, 0}));
  OracleLoads loads;
  loads.wrenches = {{0, {at, 0, 0}, {{}, {0, -load, 0}}}};
  const OracleAnswer answer = oracle_dynamics(model, zero_states(model), loads);
  EXPECT_NEAR(answer.reaction[0].f.y, load * (length - at) / length, 1e-11);
  EXPECT_NEAR(answer.reaction[2].f.y, load * at / length, 1e-11);
  EXPECT_NEAR(answer.reaction[1].f.y, -load * at / length, 1e-11) << "on the roller by the beam";
  for (const auto& a : answer.a) EXPECT_NEAR(a[0], 0, 1e-12);
}

TEST(Oracle, cantilever_holds_force_and_moment_and_a_second_clamp_is_redundant) {
  const double load = 100, length = 4;
  Model model;
  model.gravity = {};
  add_body(model, "beam", 1, {2, 0, 0}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "clamp", Fixed{}, "ground", "beam", origin);
  OracleLoads loads;
  loads.wrenches = {{0, {length, 0, 0}, {{}, {0, -load, 0}}}};
  const OracleAnswer answer = oracle_dynamics(model, zero_states(model), loads);
  EXPECT_LT(distance(answer.reaction[0], Force<double>{{0, 0, load * length}, {0, load, 0}}), 1e-11);
  add_joint(model, "second clamp", Fixed{}, "ground", "beam", Transformd::translation({length, 0, 0}));
  const OracleAnswer twice = oracle_dynamics(model, zero_states(model), loads);
  EXPECT_EQ(twice.constraint_rows, 12);
  EXPECT_EQ(twice.rank, 6);
  EXPECT_LT(twice.residual, 1e-11);
  EXPECT_NEAR(twice.reaction[0].f.y + twice.reaction[1].f.y, load, 1e-11);
}

TEST(Oracle, added_inertia_slows_a_body_without_adding_weight) {
  Model model;
  add_body(model, "hull", 2, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "free", Free{}, "ground", "hull", origin);
  OracleLoads loads;
  test::OracleAddition water{.body = 0, .bias_W = {{}, {0, 0, -5}}};
  water.I_B(5, 5) = 3;
  loads.additions = {water};
  const OracleAnswer answer = oracle_dynamics(model, zero_states(model), loads);
  EXPECT_NEAR(answer.a[0][5], (5 - 2 * g) / (2 + 3), 1e-13);
}

TEST(Oracle, momentum_and_energy_of_a_dumbbell_are_those_of_two_points) {
  Model model;
  add_body(model, "left", 1, {-1, 0, 0}, {});
  add_body(model, "right", 3, {1, 0, 0}, {});
  add_joint(model, "free", Free{}, "ground", "left", origin);
  add_joint(model, "weld", Fixed{}, "right", "left", origin);
  JointStates states = zero_states(model);
  states.q[0] = {1, 0, 0, 0, 0, 0, 10};
  states.v[0] = {0, 0, 2, 0, 1, 0};  // left point: v_y = 1 − 2 = −1; right point: 1 + 2 = 3
  const test::OracleMomentum sum = oracle_momentum(model, states);
  EXPECT_DOUBLE_EQ(sum.mass, 4);
  EXPECT_LT(distance(sum.com_W, Vec3d{0.5, 0, 10}), 1e-15);
  EXPECT_LT(distance(sum.linear_W, Vec3d{0, -1 + 9, 0}), 1e-14);
  EXPECT_LT(distance(sum.angular_W, Vec3d{0, 0, 2 * (1 * 1.5 * 1.5 + 3 * 0.5 * 0.5)}), 1e-14);
  EXPECT_NEAR(sum.kinetic, 0.5 * 1 + 0.5 * 3 * 9, 1e-14);
  EXPECT_NEAR(sum.potential, 4 * g * 10, 1e-12);
}

// Naming a joint the other way round describes the same motion.
TEST(Oracle, does_not_depend_on_the_direction_joints_are_named) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = test::random_model(seed, {.bodies = 6});
    const JointStates states = test::random_states(model, seed);
    const test::Turned turned = test::turned_round(model, states);
    const OracleAnswer one = oracle_dynamics(model, states), other = oracle_dynamics(turned.model, turned.states);
    for (std::size_t i = 0; i < one.bodies.size(); ++i) {
      EXPECT_LT(distance(one.bodies[i].X_WB, other.bodies[i].X_WB), 1e-13);
      EXPECT_LT(distance(one.bodies[i].V_W, other.bodies[i].V_W), 1e-12);
      EXPECT_LT(distance(one.bodies[i].A_W, other.bodies[i].A_W), 1e-9);
    }
  }
}

}  // namespace
}  // namespace trammel

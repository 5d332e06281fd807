// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of kinematics over random trees: poses and velocities against the oracle's walk of the graph; Jacobians, their
// rates and accelerations against the rates of poses in dual numbers.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/duals.hpp"
#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::distance;
using test::error_of;
using test::ModelCase;
using test::Prepared;
using test::Random;

constexpr double tight = 1e-11;

template <class T>
Motion<T> column_of(const std::vector<T>& J, std::size_t nv, std::size_t k) {
  return {{J[k], J[nv + k], J[2 * nv + k]}, {J[3 * nv + k], J[4 * nv + k], J[5 * nv + k]}};
}
Motion<double> times(const std::vector<double>& J, const std::vector<double>& v) {
  Motion<double> sum{};
  for (std::size_t k = 0; k < v.size(); ++k) sum += column_of(J, v.size(), k) * v[k];
  return sum;
}

// A body and a point on it, drawn with the case.
struct Probe {
  int body;
  Vec3d p_B;

  Probe(const Prepared& p, const ModelCase& c) {
    Random random(c.seed + 7);
    body = random.integer(0, p.mechanism.body_count() - 1);
    p_B = random.vector(0.5);
  }
};

// [ω; v of the point], world axes, from a moving pose.
Motion<double> velocity_of(const Transform<Dual>& X_WB, const Vec3d& p_B) {
  const Transformd X = test::values(X_WB);
  const Motion<double> V = rotate(X.R, test::velocity_in_B(X_WB));
  return shift(V, X.R * p_B);
}

RC_GTEST_PROP(Kinematics, agrees_with_a_walk_of_the_graph, (const ModelCase& c)) {
  Prepared p(c, {});
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  const auto bodies = test::oracle_kinematics(p.model, p.states);
  for (int b = 0; b < p.mechanism.body_count(); ++b) {
    const test::OracleBody& expected = bodies[static_cast<std::size_t>(b)];
    RC_ASSERT(distance(pose_WB(p.mechanism, p.ws, b), expected.X_WB) < tight);
    RC_ASSERT(error_of(velocity_W(p.mechanism, p.ws, b), expected.V_W) < tight);
  }
}

RC_GTEST_PROP(Kinematics, puts_bodies_where_they_were_drawn_at_the_design_position, (const ModelCase& c)) {
  Prepared p(c, {});
  compute_positions(p.mechanism, p.ws, design_state(p.mechanism).q);
  for (int b = 0; b < p.mechanism.body_count(); ++b) {
    RC_ASSERT(distance(pose_WB(p.mechanism, p.ws, b), p.model.bodies[static_cast<std::size_t>(b)].X_WB) < tight);
  }
}

RC_GTEST_PROP(Kinematics, velocity_and_acceleration_are_rates_of_the_pose, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  compute_accelerations(p.mechanism, p.ws, p.q, p.v, p.a);
  const test::DualState state = test::moving(p.mechanism, p.q, p.v, p.a);
  BasicWorkspace<Dual> ws(p.mechanism);
  compute_velocities(p.mechanism, ws, state.q, state.v);
  const Motion<double> V = velocity_W(p.mechanism, p.ws, probe.body, probe.p_B);
  RC_ASSERT(error_of(V, velocity_of(pose_WB(p.mechanism, ws, probe.body), probe.p_B)) < tight);
  const Motion<Dual> V_moving = velocity_W(p.mechanism, ws, probe.body, Vec3<Dual>::from(probe.p_B));
  RC_ASSERT(error_of(acceleration_W(p.mechanism, p.ws, probe.body, probe.p_B), test::derivatives(V_moving)) < tight);
}

RC_GTEST_PROP(Jacobian, column_is_the_velocity_along_its_freedom, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  compute_positions(p.mechanism, p.ws, p.q);
  std::vector<double> J(6 * p.nv());
  jacobian_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, J);
  for (std::size_t k = 0; k < p.nv(); ++k) {
    std::vector<double> along(p.nv());
    along[k] = 1;
    const test::DualState state = test::moving(p.mechanism, p.q, along, along);
    BasicWorkspace<Dual> ws(p.mechanism);
    compute_positions(p.mechanism, ws, state.q);
    const Motion<double> expected = velocity_of(pose_WB(p.mechanism, ws, probe.body), probe.p_B);
    RC_ASSERT(error_of(column_of(J, p.nv(), k), expected) < tight);
  }
}

RC_GTEST_PROP(Jacobian, times_speed_is_the_velocity_in_world_and_body_axes, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  std::vector<double> J_W(6 * p.nv()), J_B(6 * p.nv());
  jacobian_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, J_W);
  jacobian_B<double>(p.mechanism, p.ws, probe.body, probe.p_B, J_B);
  const Motion<double> V = velocity_W(p.mechanism, p.ws, probe.body, probe.p_B);
  const Mat3d R_BW = transpose(pose_WB(p.mechanism, p.ws, probe.body).R);
  RC_ASSERT(error_of(times(J_W, p.v), V) < tight);
  RC_ASSERT(error_of(times(J_B, p.v), rotate(R_BW, V)) < tight);
}

RC_GTEST_PROP(JacobianRate, is_the_rate_of_the_jacobian_in_world_and_body_axes, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  compute_motion_rates(p.mechanism, p.ws, p.q, p.v);
  std::vector<double> rate_W(6 * p.nv()), rate_B(6 * p.nv());
  jacobian_rate_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, rate_W);
  jacobian_rate_B<double>(p.mechanism, p.ws, probe.body, probe.p_B, rate_B);

  const test::DualState state = test::moving(p.mechanism, p.q, p.v, p.a);
  BasicWorkspace<Dual> ws(p.mechanism);
  compute_positions(p.mechanism, ws, state.q);
  std::vector<Dual> J_W(6 * p.nv()), J_B(6 * p.nv());
  jacobian_W<Dual>(p.mechanism, ws, probe.body, Vec3<Dual>::from(probe.p_B), J_W);
  jacobian_B<Dual>(p.mechanism, ws, probe.body, Vec3<Dual>::from(probe.p_B), J_B);
  RC_ASSERT(error_of(rate_W, test::derivatives(J_W)) < tight);
  RC_ASSERT(error_of(rate_B, test::derivatives(J_B)) < tight);
}

RC_GTEST_PROP(JacobianRate, completes_the_acceleration, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  compute_accelerations(p.mechanism, p.ws, p.q, p.v, p.a);
  compute_motion_rates(p.mechanism, p.ws, p.q, p.v);
  std::vector<double> J(6 * p.nv()), rate(6 * p.nv());
  jacobian_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, J);
  jacobian_rate_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, rate);
  const Motion<double> expected = times(J, p.a) + times(rate, p.v);
  RC_ASSERT(error_of(acceleration_W(p.mechanism, p.ws, probe.body, probe.p_B), expected) < tight);
}

// F at a point does the same work through Jᵀ as at the joints.
RC_GTEST_PROP(Jacobian, transposed_brings_a_wrench_to_the_joints, (const ModelCase& c)) {
  Prepared p(c, {});
  const Probe probe(p, c);
  const Force<double> F = Random(c.seed + 8).force();
  compute_positions(p.mechanism, p.ws, p.q);
  std::vector<double> J(6 * p.nv());
  jacobian_W<double>(p.mechanism, p.ws, probe.body, probe.p_B, J);
  std::vector<Force<double>> wrench(p.model.bodies.size());
  add_wrench(p.mechanism, p.ws, probe.body, probe.p_B, F, wrench);
  const std::vector<double> without = p.bias(), with = p.bias({.wrench = wrench.data()});
  double scale = 1;
  for (const double h : without) scale = std::max(scale, std::abs(h));
  for (std::size_t k = 0; k < p.nv(); ++k) {
    RC_ASSERT(std::abs(without[k] - with[k] - dot(column_of(J, p.nv(), k), F)) < 1e-12 * scale);
  }
}

TEST(Kinematics, of_the_ground_is_rest_at_the_origin) {
  Prepared p(ModelCase{3, 1}, {});
  compute_accelerations(p.mechanism, p.ws, p.q, p.v, p.a);
  EXPECT_EQ(pose_WB(p.mechanism, p.ws, ground), Transformd{});
  EXPECT_EQ(velocity_W(p.mechanism, p.ws, ground), Motion<double>{});
  EXPECT_EQ(acceleration_W(p.mechanism, p.ws, ground), Motion<double>{});
  std::vector<double> J(6 * p.nv(), 1);
  jacobian_W<double>(p.mechanism, p.ws, ground, {}, J);
  EXPECT_EQ(J, std::vector<double>(6 * p.nv()));
}

}  // namespace
}  // namespace trammel

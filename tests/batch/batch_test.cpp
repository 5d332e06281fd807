// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lanes give what single states give, over random mechanisms with all joint types. tests/CMakeLists.txt runs this folder
// at every instruction-set level that the CPU has.

#include <cstring>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/batch.hpp>
#include <trammel/derivatives.hpp>

#include "batch/states.hpp"
#include "support/custom_joints.hpp"
#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::error_of;
using test::ModelCase;
using test::Prepared;

constexpr double round_off = 1e-12;  // of the largest entry

test::RandomModelOptions options_of(const ModelCase& c) {
  return {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2};
}

RC_GTEST_PROP(Batch, inverse_dynamics_is_that_of_single_states, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  Batch batch(p.mechanism);
  LaneArray tau(p.mechanism.nv, s.count);
  for (const bool friction : {true, false}) {
    batch.inverse_dynamics(s.Q, s.V, s.A, tau, friction);
    for (int i = 0; i < s.count; ++i) {
      std::vector<double> expected(p.nv());
      Loads loads;
      loads.friction = friction;
      inverse_dynamics(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.a[index(i)], expected, loads);
      RC_ASSERT(error_of(of_state(tau, i), expected) < round_off);
    }
  }
}

// Accelerations of light links are sensitive to round-off, so they are judged by the forces that they need.
RC_GTEST_PROP(Batch, forward_dynamics_gives_accelerations_that_need_the_given_forces, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  Batch batch(p.mechanism);
  LaneArray a(p.mechanism.nv, s.count);
  std::vector<DynamicsVerdict> verdicts(index(s.count));
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, verdicts);
  for (int i = 0; i < s.count; ++i) {
    RC_ASSERT(verdicts[index(i)].ok());
    std::vector<double> alone(p.nv()), force(p.nv()), force_alone(p.nv());
    forward_dynamics(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.tau[index(i)], alone);
    inverse_dynamics(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], alone, force_alone);
    inverse_dynamics(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], of_state(a, i), force);
    const double scale = largest(test::vector(force)) + largest(p.mass()) * (1 + largest(test::vector(alone)));
    RC_ASSERT(largest(test::vector(force) - test::vector(force_alone)) <= round_off * scale);
    RC_ASSERT(error_of(of_state(a, i), alone) < 1e-9);
  }
}

RC_GTEST_PROP(Batch, mass_matrix_is_that_of_single_states, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  Batch batch(p.mechanism);
  LaneArray M(p.mechanism.nv * p.mechanism.nv, s.count);
  batch.mass_matrix(s.Q, M);
  for (int i = 0; i < s.count; ++i) {
    std::vector<double> expected(p.nv() * p.nv());
    mass_matrix(p.mechanism, p.ws, s.q[index(i)], expected);
    RC_ASSERT(error_of(of_state(M, i), expected) < round_off);
  }
}

RC_GTEST_PROP(Batch, derivatives_are_those_of_single_states, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  Batch batch(p.mechanism);
  const int n = p.mechanism.nv;
  const std::size_t size = p.nv() * p.nv();
  LaneArray value(n, s.count), by_q(n * n, s.count), by_v(n * n, s.count), third(n * n, s.count);
  std::vector<double> x(p.nv()), x_q(size), x_v(size), x_3(size);
  batch.inverse_dynamics_derivatives(s.Q, s.V, s.A, value, by_q, by_v, third);
  for (int i = 0; i < s.count; ++i) {
    inverse_dynamics_derivatives<double>(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.a[index(i)], x,
                                         {x_q, x_v, x_3});
    RC_ASSERT(error_of(of_state(value, i), x) < round_off);
    RC_ASSERT(error_of(of_state(by_q, i), x_q) < round_off);
    RC_ASSERT(error_of(of_state(by_v, i), x_v) < round_off);
    RC_ASSERT(error_of(of_state(third, i), x_3) < round_off);
  }
  std::vector<DynamicsVerdict> verdicts(index(s.count));
  batch.forward_dynamics_derivatives(s.Q, s.V, s.Tau, value, by_q, by_v, third, verdicts);
  for (int i = 0; i < s.count; ++i) {
    RC_ASSERT(verdicts[index(i)].ok());
    forward_dynamics_derivatives<double>(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.tau[index(i)], x,
                                         {x_q, x_v, x_3});
    RC_ASSERT(error_of(of_state(value, i), x) < 1e-9);
    RC_ASSERT(error_of(of_state(by_q, i), x_q) < 1e-8);
    RC_ASSERT(error_of(of_state(by_v, i), x_v) < 1e-8);
    RC_ASSERT(error_of(of_state(third, i), x_3) < 1e-9);
  }
}

RC_GTEST_PROP(Batch, kinematics_is_that_of_single_states, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  Batch batch(p.mechanism);
  const int body = p.mechanism.body_count() - 1;
  const Vec3d point{0.3, -0.2, 0.1};
  LaneArray X(12, s.count), V(6, s.count), A(6, s.count), J(6 * p.mechanism.nv, s.count),
      J_B(6 * p.mechanism.nv, s.count);
  batch.poses_WB(s.Q, body, X);
  batch.velocities_W(s.Q, s.V, body, point, V);
  batch.accelerations_W(s.Q, s.V, s.A, body, point, A);
  batch.jacobians_W(s.Q, body, point, J);
  batch.jacobians_B(s.Q, body, point, J_B);
  const auto six = [](const Motion<double>& m) {
    return std::vector<double>{m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z};
  };
  for (int i = 0; i < s.count; ++i) {
    compute_accelerations(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.a[index(i)]);
    const auto [R, o] = pose_WB(p.mechanism, p.ws, body);
    RC_ASSERT(error_of(of_state(X, i), {R.ex.x, R.ex.y, R.ex.z, R.ey.x, R.ey.y, R.ey.z, R.ez.x, R.ez.y, R.ez.z, o.x,
                                        o.y, o.z}) < round_off);
    RC_ASSERT(error_of(of_state(V, i), six(velocity_W(p.mechanism, p.ws, body, point))) < round_off);
    RC_ASSERT(error_of(of_state(A, i), six(acceleration_W(p.mechanism, p.ws, body, point))) < round_off);
    std::vector<double> expected(6 * p.nv());
    jacobian_W(p.mechanism, p.ws, body, point, expected);
    RC_ASSERT(error_of(of_state(J, i), expected) < round_off);
    jacobian_B(p.mechanism, p.ws, body, point, expected);
    RC_ASSERT(error_of(of_state(J_B, i), expected) < round_off);
  }
}

// However many threads share the blocks, more than there are of them too.
RC_GTEST_PROP(Batch, gives_the_same_bytes_by_any_number_of_threads, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  const int n = p.mechanism.nv, body = p.mechanism.body_count() - 1;
  const auto all_of_it = [&](int threads) {
    Batch batch(p.mechanism);
    batch.set_threads(threads);
    RC_ASSERT(batch.threads() == threads);
    std::vector<LaneArray> found;
    const auto more = [&](int rows) -> LaneArray& { return found.emplace_back(rows, s.count); };
    found.reserve(20);
    std::vector<DynamicsVerdict> verdicts(index(s.count));
    batch.forward_dynamics(s.Q, s.V, s.Tau, more(n), verdicts);
    batch.inverse_dynamics(s.Q, s.V, s.A, more(n));
    batch.mass_matrix(s.Q, more(n * n));
    LaneArray &a = more(n), &a_q = more(n * n), &a_v = more(n * n), &a_tau = more(n * n);
    batch.forward_dynamics_derivatives(s.Q, s.V, s.Tau, a, a_q, a_v, a_tau, verdicts);
    LaneArray &tau = more(n), &tau_q = more(n * n), &tau_v = more(n * n), &M = more(n * n);
    batch.inverse_dynamics_derivatives(s.Q, s.V, s.A, tau, tau_q, tau_v, M);
    batch.poses_WB(s.Q, body, more(12));
    batch.velocities_W(s.Q, s.V, body, {0.1, 0.2, 0.3}, more(6));
    batch.accelerations_W(s.Q, s.V, s.A, body, {0.1, 0.2, 0.3}, more(6));
    batch.jacobians_W(s.Q, body, {0.1, 0.2, 0.3}, more(6 * n));
    batch.jacobians_B(s.Q, body, {0.1, 0.2, 0.3}, more(6 * n));
    for (const DynamicsVerdict& verdict : verdicts) RC_ASSERT(verdict.ok());
    return found;
  };
  const std::vector<LaneArray> alone = all_of_it(1);
  for (const int threads : {2, 3, 7}) {
    const std::vector<LaneArray> together = all_of_it(threads);
    for (std::size_t k = 0; k < alone.size(); ++k) {
      for (int i = 0; i < s.count; ++i) RC_ASSERT(of_state(together[k], i) == of_state(alone[k], i));
    }
  }
}

RC_GTEST_PROP(Batch, gives_the_same_bytes_again, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  States s(p, c.seed);
  LaneArray first(p.mechanism.nv, s.count), second(p.mechanism.nv, s.count);
  Batch one(p.mechanism), other(p.mechanism);
  one.forward_dynamics(s.Q, s.V, s.Tau, first);
  other.forward_dynamics(s.Q, s.V, s.Tau, second);
  for (int i = 0; i < s.count; ++i) RC_ASSERT(of_state(first, i) == of_state(second, i));
}

// Large angles leave the fast sine; each lane must fall back by itself.
TEST(Batch, lanes_with_huge_angles_do_not_disturb_the_others) {
  Model model;
  add_body(model, "rod", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "hinge", Revolute{}, "ground", "rod", frame_at({}, {0, 1, 0}));
  const Mechanism mechanism = test::compiled(model);
  const int n = 4 * lane_count();
  LaneArray q(1, n), v(1, n), tau(1, n), a(1, n);
  for (int i = 0; i < n; ++i) q(0, i) = i % 3 == 0 ? 1e8 * (i + 1) : 0.1 * i;
  Batch(mechanism).forward_dynamics(q, v, tau, a);
  Workspace ws(mechanism);
  for (int i = 0; i < n; ++i) {
    const std::vector<double> angle{q(0, i)}, zero{0};
    std::vector<double> expected(1);
    forward_dynamics(mechanism, ws, angle, zero, zero, expected);
    EXPECT_NEAR(a(0, i), expected[0], 1e-13) << "state " << i;
  }
}

// The hinge of the second body turns into line with the ball's only inertia-free direction in one state of two.
TEST(Batch, names_the_joint_whose_inertia_vanishes_in_the_state_where_it_does) {
  Model model;
  model.gravity = {};
  add_body(model, "wrist", 0, {}, {}, {});
  add_body(model, "needle", 1, {1, 0, 0}, {0, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "swing", Revolute{}, "ground", "wrist", frame_at({}, {1, 0, 0}));
  add_joint(model, "turn", Revolute{}, "wrist", "needle", frame_at({}, {0, 0, 1}));
  const CompileResult compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  const int n = 2 * lane_count();
  LaneArray q(2, n), v(2, n), tau(2, n), a(2, n);
  for (int i = 0; i < n; ++i) q(1, i) = i % 2 == 0 ? 0.0 : 1.0;  // at 0 the needle lies along the axis of "swing"
  std::vector<DynamicsVerdict> verdicts(index(n));
  Batch(compiled.mechanism).forward_dynamics(q, v, tau, a, verdicts);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(verdicts[index(i)].singular_joint, i % 2 == 0 ? compiled.mechanism.find_joint("swing") : -1);
  }
}

// In lanes and alone: what has no answer says so, and the lanes beside it do not notice.
TEST(Batch, tells_which_states_have_no_finite_answer) {
  Model model;
  add_body(model, "upper", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_body(model, "lower", 1, {1.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "shoulder", Revolute{}, "ground", "upper", frame_at({}, {0, 1, 0}));
  add_joint(model, "elbow", Revolute{}, "upper", "lower", frame_at({1, 0, 0}, {0, 1, 0}));
  const Mechanism mechanism = test::compiled(model);
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), much = std::numeric_limits<double>::max();
  const int n = lane_count() + 5;
  LaneArray q(2, n), v(2, n), tau(2, n), a(2, n);
  tau(1, 1) = none;
  v(0, 2) = much;  // finite, but its square is not
  v(1, lane_count() + 3) = none;
  std::vector<DynamicsVerdict> verdicts(index(n));
  Batch(mechanism).forward_dynamics(q, v, tau, a, verdicts);
  Workspace ws(mechanism);
  for (int i = 0; i < n; ++i) {
    const bool sound = i != 1 && i != 2 && i != lane_count() + 3;
    EXPECT_EQ(verdicts[index(i)].ok(), sound) << i;
    const double q1[2] = {q(0, i), q(1, i)}, v1[2] = {v(0, i), v(1, i)}, tau1[2] = {tau(0, i), tau(1, i)};
    double a1[2];
    EXPECT_EQ(forward_dynamics<double>(mechanism, ws, q1, v1, tau1, a1).ok(), sound) << i;
    if (sound) {
      EXPECT_NEAR(a(0, i), a1[0], 1e-12);
    }
  }
}

TEST(Batch, refuses_arrays_of_the_wrong_shape) {
  Model model;
  add_body(model, "rod", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "hinge", Revolute{}, "ground", "rod", frame_at({}, {0, 1, 0}));
  const Mechanism mechanism = test::compiled(model);
  Batch batch(mechanism);
  LaneArray one(1, 5), two(2, 5), fewer(1, 4);
  std::vector<DynamicsVerdict> verdicts(4);
  EXPECT_THROW(batch.forward_dynamics(two, one, one, one), std::invalid_argument);
  EXPECT_THROW(batch.forward_dynamics(one, one, one, fewer), std::invalid_argument);
  EXPECT_THROW(batch.forward_dynamics(one, one, one, one, verdicts), std::invalid_argument);
  EXPECT_THROW(batch.mass_matrix(one, two), std::invalid_argument);
  EXPECT_THROW(LaneArray(-1, 2), std::invalid_argument);
  LaneArray poses(12, one.states());
  const int beyond = static_cast<int>(mechanism.bodies.size());
  EXPECT_THROW(batch.poses_WB(one, beyond, poses), std::invalid_argument);
  EXPECT_THROW(batch.poses_WB(one, -2, poses), std::invalid_argument);
  EXPECT_NO_THROW(batch.poses_WB(one, beyond - 1, poses));
}

TEST(Batch, of_no_states_does_nothing) {
  Model model;
  add_body(model, "rod", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "hinge", Revolute{}, "ground", "rod", frame_at({}, {0, 1, 0}));
  const Mechanism mechanism = test::compiled(model);
  LaneArray none(1, 0);
  EXPECT_NO_THROW(Batch(mechanism).forward_dynamics(none, none, none, none));
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives of accelerations of mechanisms with loops: over random mechanisms against differences along motions that the constraints
// allow, and across them; against those of trees; and in closed form.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "closed_case.hpp"

namespace trammel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::ClosedCase;
using test::LinkageCase;
using test::ModelCase;
using test::Prepared;
using test::Random;
using test::vector;
using Matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

struct Found {
  std::vector<double> a;
  Matrix by_q, by_v, by_tau;
  LoopVerdict verdict;
};
Found found(LoopDynamics& dynamics, const std::vector<double>& q, const std::vector<double>& v,
            const std::vector<double>& tau, const Loads& loads = {}) {
  const int n = dynamics.mechanism().nv;
  Found f{std::vector<double>(static_cast<std::size_t>(n)), Matrix(n, n), Matrix(n, n), Matrix(n, n), {}};
  const auto numbers = [](Matrix& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
  f.verdict =
      dynamics.forward_derivatives(q, v, tau, f.a, {numbers(f.by_q), numbers(f.by_v), numbers(f.by_tau)}, loads);
  return f;
}

std::vector<double> plus(const std::vector<double>& x, const VectorXd& d, double s) {
  std::vector<double> out(x);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] += s * d(static_cast<Eigen::Index>(i));
  return out;
}
std::vector<double> moved(const Mechanism& mech, const std::vector<double>& q, const VectorXd& d, double s) {
  std::vector<double> delta(static_cast<std::size_t>(d.size())), out(q.size());
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = s * d(static_cast<Eigen::Index>(i));
  step_coordinates(mech, q, delta, out);
  return out;
}
VectorXd normals(Random& random, Eigen::Index n) { return vector(random.normals(static_cast<int>(n))); }

// Differences of sixth order.
template <class Function>
VectorXd slope(const Function& at, double h) {
  const auto difference = [&](double s) -> VectorXd { return at(s) - at(-s); };
  return (difference(h) * 45 - difference(2 * h) * 9 + difference(3 * h)) / (60 * h);
}

// Where an answer hangs on almost singular constraints differences say little.
bool is_regular(LoopDynamics& dynamics, const ClosedCase& c, const std::vector<double>& a) {
  double size = 0;
  for (const double x : a) size = std::max(size, std::abs(x));
  return dynamics.diagnose(c.q, c.v).conditioning > 0.03 && size < 1e3;
}

VectorXd acceleration(LoopDynamics& dynamics, const std::vector<double>& q, const std::vector<double>& v,
                      const std::vector<double>& tau) {
  std::vector<double> a(v.size());
  const LoopVerdict verdict = dynamics.forward(q, v, tau, a, {}, LoopMethod::dense);
  RC_ASSERT(verdict.status != LoopStatus::no_inertia);
  return vector(a);
}

// Along curves on the constraints: q ⊕ s δq and v + s δv, brought back onto them, with friction and rotors at closing joints, redundant
// loops, couplings, bodies afloat.
RC_GTEST_PROP(LoopDerivatives, along_allowed_changes_are_those_of_differences, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Found f = found(dynamics, c.q, c.v, c.tau);
  RC_PRE(f.verdict.ok());
  RC_PRE(is_regular(dynamics, c, f.a));
  const LoopDynamics::AllowedChanges allowed = dynamics.allowed_changes(c.q, c.v);
  RC_ASSERT(allowed.freedoms == dynamics.diagnose(c.q, c.v).freedoms);
  RC_PRE(allowed.freedoms > 0);
  const auto n = static_cast<Eigen::Index>(c.nv());
  const Eigen::Map<const Matrix> N(allowed.q.data(), n, allowed.freedoms),
      with(allowed.v_with_q.data(), n, allowed.freedoms);
  Random random(l.seed + 5);
  const VectorXd along = normals(random, allowed.freedoms) * 0.3;
  const VectorXd dq = N * along, dv = with * along + N * normals(random, allowed.freedoms) * 0.3;
  const VectorXd dtau = normals(random, n);
  bool closed = true;
  VectorXd at_q, at_v;
  const auto at = [&](double s) {
    std::vector<double> q = moved(c.mech, c.q, dq, s), v = plus(c.v, dv, s);
    closed = closed && dynamics.project_position(q, 1e-14, 20, {}, LoopMethod::dense).closed;
    closed = closed && dynamics.project_velocity(q, v, {}, LoopMethod::dense).ok();
    return acceleration(dynamics, q, v, plus(c.tau, dtau, s));
  };
  const VectorXd coarse = slope(at, 4e-3), fine = slope(at, 2e-3);
  RC_PRE(closed);  // of redundant loops some close at one position only
  const VectorXd mine = f.by_q * dq + f.by_v * dv + f.by_tau * dtau;
  const double size = 1 + mine.lpNorm<Eigen::Infinity>();
  RC_PRE((fine - coarse).lpNorm<Eigen::Infinity>() < 1e-6 * size);  // differences agree among themselves
  RC_ASSERT((mine - fine).lpNorm<Eigen::Infinity>() < 1e-6 * size);
}

// Where rows are independent, across the constraints too: accelerations at states that do not close.
RC_GTEST_PROP(LoopDerivatives, of_independent_rows_are_those_of_differences_everywhere, (const LinkageCase& l)) {
  const ClosedCase c(l, {.friction = false, .couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  if (l.seed % 3 == 0) dynamics.set_stabilisation(3);
  const Found f = found(dynamics, c.q, c.v, c.tau);
  RC_PRE(f.verdict.ok());
  RC_PRE(is_regular(dynamics, c, f.a));
  RC_PRE(dynamics.diagnose(c.q, c.v).redundant.empty());
  const auto n = static_cast<Eigen::Index>(c.nv());
  Random random(l.seed + 6);
  const VectorXd dq = normals(random, n) * 0.3, dv = normals(random, n) * 0.3;
  const auto by_q = [&](double s) { return acceleration(dynamics, moved(c.mech, c.q, dq, s), c.v, c.tau); };
  const auto by_v = [&](double s) { return acceleration(dynamics, c.q, plus(c.v, dv, s), c.tau); };
  const VectorXd coarse = slope(by_q, 4e-3), fine = slope(by_q, 2e-3), mine = f.by_q * dq, mine_v = f.by_v * dv;
  const double size = 1 + mine.lpNorm<Eigen::Infinity>(), size_v = 1 + mine_v.lpNorm<Eigen::Infinity>();
  RC_ASSERT((mine_v - slope(by_v, 1e-2)).lpNorm<Eigen::Infinity>() < 1e-8 * size_v);  // a parabola
  RC_PRE((fine - coarse).lpNorm<Eigen::Infinity>() < 1e-6 * size);
  RC_ASSERT((mine - fine).lpNorm<Eigen::Infinity>() < 1e-6 * size);
}

// Forces enter linearly, so that differences are exact.
RC_GTEST_PROP(LoopDerivatives, by_forces_are_exact, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Found f = found(dynamics, c.q, c.v, c.tau);
  RC_PRE(f.verdict.ok());
  RC_PRE(is_regular(dynamics, c, f.a));
  RC_ASSERT(f.by_tau == f.by_tau.transpose());
  Random random(l.seed + 7);
  const VectorXd dtau = normals(random, static_cast<Eigen::Index>(c.nv()));
  const VectorXd change = acceleration(dynamics, c.q, c.v, plus(c.tau, dtau, 1)) - vector(f.a);
  RC_ASSERT(test::relative_error(f.by_tau * dtau, change) < 1e-9 * (1 + vector(f.a).lpNorm<Eigen::Infinity>()));
  // The constraints go on being obeyed.
  LoopSolver solver(c.mech);
  Matrix J(solver.row_count(), c.mech.nv);
  solver.jacobian(c.q, {J.data(), static_cast<std::size_t>(J.size())});
  if (J.rows() > 0)
    RC_ASSERT((J * f.by_tau).lpNorm<Eigen::Infinity>() < 1e-9 * (1 + f.by_tau.lpNorm<Eigen::Infinity>()));
}

struct Actuation {
  std::vector<double> u;
  Matrix by_q, by_v, by_a;
  ActuationVerdict verdict;
};
Actuation actuation(LoopDynamics& dynamics, const std::vector<double>& q, const std::vector<double>& v,
                    const std::vector<double>& a, const std::vector<JointFreedom>& actuated, const Loads& loads = {}) {
  const auto n = static_cast<Eigen::Index>(v.size()), count = static_cast<Eigen::Index>(actuated.size());
  Actuation f{std::vector<double>(actuated.size()), Matrix(count, n), Matrix(count, n), Matrix(count, n), {}};
  const auto numbers = [](Matrix& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
  f.verdict =
      dynamics.inverse_derivatives(q, v, a, actuated, f.u, {numbers(f.by_q), numbers(f.by_v), numbers(f.by_a)}, loads);
  return f;
}

// All freedoms of the tree, or of the joints that close loops too, or only some, in which case the motion is one that they produce.
std::vector<JointFreedom> some_actuators(const Mechanism& mech, std::uint64_t seed) {
  std::vector<JointFreedom> list;
  for (int j = 0; j < mech.joint_count(); ++j) {
    const JointInfo& joint = mech.joints[static_cast<std::size_t>(j)];
    const bool closes = joint.role == JointRole::closure;
    if (joint.role != JointRole::tree && !(closes && seed % 3 != 0)) continue;
    for (int i = 0; i < joint.nv; ++i) list.push_back({j, i});
  }
  return list;
}

// Along curves on the constraints as above, with accelerations that go with them: those of forces that change.
RC_GTEST_PROP(LoopDerivatives, of_actuating_forces_are_those_of_differences, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Found f = found(dynamics, c.q, c.v, c.tau);
  RC_PRE(f.verdict.ok());
  RC_PRE(is_regular(dynamics, c, f.a));
  const LoopDynamics::AllowedChanges allowed = dynamics.allowed_changes(c.q, c.v);
  RC_PRE(allowed.freedoms > 0);
  const std::vector<JointFreedom> actuated = some_actuators(c.mech, l.seed);
  const Actuation mine = actuation(dynamics, c.q, c.v, f.a, actuated);
  RC_PRE(mine.verdict.ok());
  RC_TAG(mine.verdict.unique ? "unique" : "redundant");
  {
    std::vector<double> u(actuated.size());
    RC_ASSERT(dynamics.inverse(c.q, c.v, f.a, actuated, u).ok());
    RC_ASSERT(u == mine.u);
  }
  const auto n = static_cast<Eigen::Index>(c.nv());
  const Eigen::Map<const Matrix> N(allowed.q.data(), n, allowed.freedoms),
      with(allowed.v_with_q.data(), n, allowed.freedoms);
  Random random(l.seed + 9);
  const VectorXd along = normals(random, allowed.freedoms) * 0.3;
  const VectorXd dq = N * along, dv = with * along + N * normals(random, allowed.freedoms) * 0.3;
  const VectorXd dtau = normals(random, n);
  bool closed = true;
  const auto at = [&](double s) {
    std::vector<double> q = moved(c.mech, c.q, dq, s), v = plus(c.v, dv, s), u(actuated.size());
    closed = closed && dynamics.project_position(q, 1e-14, 20, {}, LoopMethod::dense).closed;
    closed = closed && dynamics.project_velocity(q, v, {}, LoopMethod::dense).ok();
    const VectorXd a = acceleration(dynamics, q, v, plus(c.tau, dtau, s));
    closed = closed && dynamics.inverse(q, v, {a.data(), c.nv()}, actuated, u).ok();
    return vector(u);
  };
  const VectorXd coarse = slope(at, 4e-3), fine = slope(at, 2e-3);
  RC_PRE(closed);
  const VectorXd da = f.by_q * dq + f.by_v * dv + f.by_tau * dtau;
  const VectorXd du = mine.by_q * dq + mine.by_v * dv + mine.by_a * da;
  const double size = 1 + du.lpNorm<Eigen::Infinity>() + vector(mine.u).lpNorm<Eigen::Infinity>();
  RC_PRE((fine - coarse).lpNorm<Eigen::Infinity>() < 1e-6 * size);
  RC_ASSERT((du - fine).lpNorm<Eigen::Infinity>() < 1e-6 * size);
}

// Forces that produce what they produce do not change: forward and inverse dynamics undo each other in derivatives too.
RC_GTEST_PROP(LoopDerivatives, of_actuation_undo_those_of_motion, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  IndependentMass free = dynamics.independent_mass(c.q);
  RC_PRE(!free.freedoms.empty());
  std::vector<JointFreedom> actuated;
  MatrixXd B = MatrixXd::Zero(static_cast<Eigen::Index>(c.nv()), static_cast<Eigen::Index>(free.freedoms.size()));
  for (const int k : free.freedoms) {
    const Link& link = c.mech.links[static_cast<std::size_t>(c.mech.link_of_dof[static_cast<std::size_t>(k)])];
    B(k, static_cast<Eigen::Index>(actuated.size())) = 1;
    actuated.push_back({link.joint, k - link.v});
  }
  Random random(l.seed + 11);
  const VectorXd u = normals(random, B.cols()), tau = B * u;
  const Found f = found(dynamics, c.q, c.v, {tau.begin(), tau.end()});
  RC_PRE(f.verdict.ok());
  RC_PRE(is_regular(dynamics, c, f.a));
  const Actuation mine = actuation(dynamics, c.q, c.v, f.a, actuated);
  RC_PRE(mine.verdict.ok());
  RC_ASSERT(mine.verdict.unique);
  const LoopDynamics::AllowedChanges allowed = dynamics.allowed_changes(c.q, c.v);
  const auto n = static_cast<Eigen::Index>(c.nv());
  const Eigen::Map<const Matrix> N(allowed.q.data(), n, allowed.freedoms),
      with(allowed.v_with_q.data(), n, allowed.freedoms);
  const double size = (1 + mine.by_q.norm() + mine.by_v.norm()) * (1 + f.by_q.norm() + f.by_v.norm()) *
                      (1 + mine.by_a.norm()) * (1 + with.norm());
  const MatrixXd with_q = mine.by_q * N + mine.by_v * with + mine.by_a * (f.by_q * N + f.by_v * with);
  const MatrixXd with_v = mine.by_v * N + mine.by_a * (f.by_v * N);
  const MatrixXd with_u = mine.by_a * f.by_tau * B;
  RC_ASSERT(with_q.lpNorm<Eigen::Infinity>() < 1e-10 * size);
  RC_ASSERT(with_v.lpNorm<Eigen::Infinity>() < 1e-10 * size);
  RC_ASSERT((with_u - MatrixXd::Identity(B.cols(), B.cols())).lpNorm<Eigen::Infinity>() < 1e-10 * size);
}

RC_GTEST_PROP(LoopDerivatives, of_trees_are_those_of_the_recursion, (const ModelCase& c)) {
  Prepared p(c, {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2});
  const std::size_t n = p.nv();
  RC_PRE(n > 0);
  const auto rows = static_cast<Eigen::Index>(n);
  std::vector<double> a(n);
  Matrix by_q(rows, rows), by_v(rows, rows), inverse(rows, rows);
  const auto numbers = [](Matrix& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
  const test::LoadCase loads = p.load_case(c.seed, {.wrenches = true, .additions = c.seed % 3 == 0});
  RC_ASSERT(forward_dynamics_derivatives<double>(p.mechanism, p.ws, p.q, p.v, p.tau, a,
                                                 {numbers(by_q), numbers(by_v), numbers(inverse)}, loads.loads())
                .ok());
  LoopDynamics dynamics(p.mechanism);
  const Found f = found(dynamics, p.q, p.v, p.tau, loads.loads());
  // Dense solutions are given up where inertias differ by 1e13; so then are derivatives.
  RC_ASSERT(f.verdict.status == dynamics.forward(p.q, p.v, p.tau, a, loads.loads(), LoopMethod::dense).status);
  RC_PRE(f.verdict.ok());
  RC_ASSERT(test::relative_error(MatrixXd(f.by_q), MatrixXd(by_q)) < 1e-7);
  RC_ASSERT(test::relative_error(MatrixXd(f.by_v), MatrixXd(by_v)) < 1e-7);
  RC_ASSERT(test::relative_error(MatrixXd(f.by_tau), MatrixXd(inverse)) < 1e-7);
}

// Two cranks of length r with inertia I about their pivots, and a coupler of mass m that only travels, on a circle: with θ from straight
// down,  (m r² + 2 I + 2 μ c²) θ̈ = τ − (m r + 2 μ c) g sin θ,   cranks of mass μ centred at c.     The loop is redundant: in space a hinge has five rows, of which
// two are independent of all others here.
TEST(Parallelogram, has_the_derivatives_of_its_one_equation) {
  const double g = 9.81, r = 0.7, m = 2, I = 0.05, mu = 0.5, c = 0.3;
  Model model;
  model.gravity = {0, -g, 0};
  add_body(model, "left", mu, {0, -c, 0}, {I, I, I, 0, 0, 0});
  add_body(model, "right", mu, {1.2, -c, 0}, {I, I, I, 0, 0, 0});
  add_body(model, "coupler", m, {0.4, -r, 0}, {0.1, 0.2, 0.3, 0, 0, 0});
  add_joint(model, "A", Revolute{}, "ground", "left", frame_at({}, {0, 0, 1}));
  add_joint(model, "B", Revolute{}, "left", "coupler", frame_at({0, -r, 0}, {0, 0, 1}));
  add_joint(model, "C", Revolute{}, "ground", "right", frame_at({1.2, 0, 0}, {0, 0, 1}));
  add_joint(model, "D", Revolute{}, "right", "coupler", frame_at({1.2, -r, 0}, {0, 0, 1})).cut = true;
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  const auto freedom = [&](const char* joint) {
    return static_cast<Eigen::Index>(mech.joints[static_cast<std::size_t>(mech.find_joint(joint))].v);
  };
  VectorXd T(3);  // q = T θ
  T(freedom("A")) = 1, T(freedom("B")) = -1, T(freedom("C")) = 1;
  const double inertia = m * r * r + 2 * I + 2 * mu * c * c, weight = (m * r + 2 * mu * c) * g;
  for (const double theta : {0.3, 1.1, -0.8}) {
    const double rate = 2.5, torque = 0.7;
    const std::vector<double> q = plus(std::vector<double>(3), T, theta), v = plus(std::vector<double>(3), T, rate);
    std::vector<double> tau(3);
    tau[static_cast<std::size_t>(freedom("A"))] = torque;
    const Found f = found(dynamics, q, v, tau);
    ASSERT_TRUE(f.verdict.ok());
    const double expected = (torque - weight * std::sin(theta)) / inertia;
    EXPECT_LT((vector(f.a) - T * expected).norm(), 1e-12 * 20);
    EXPECT_LT((f.by_q * T - T * (-weight * std::cos(theta) / inertia)).norm(), 1e-11);
    EXPECT_LT((f.by_v * T).norm(), 1e-11);
    EXPECT_LT((f.by_tau - T * T.transpose() / inertia).norm(), 1e-12);
    const LoopDynamics::AllowedChanges allowed = dynamics.allowed_changes(q, v);
    ASSERT_EQ(allowed.freedoms, 1);
    const VectorXd N = vector(allowed.q), with = vector(allowed.v_with_q);
    EXPECT_LT((N - T * T.dot(N) / 3).norm(), 1e-12);
    EXPECT_LT(with.norm(), 1e-11);
    // τ = inertia θ̈ + weight sin θ at one crank; at both, half each.
    const int A = mech.find_joint("A"), C = mech.find_joint("C");
    for (const auto& cranks : {std::vector<JointFreedom>{{A, 0}}, std::vector<JointFreedom>{{A, 0}, {C, 0}}}) {
      const double share = 1.0 / static_cast<double>(cranks.size());
      const Actuation motors = actuation(dynamics, q, v, f.a, cranks);
      ASSERT_TRUE(motors.verdict.ok());
      EXPECT_EQ(motors.verdict.unique, cranks.size() == 1);
      for (std::size_t k = 0; k < cranks.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        EXPECT_NEAR(motors.u[k], torque * share, 1e-11);
        EXPECT_NEAR(motors.by_q.row(row) * T, weight * std::cos(theta) * share, 1e-10);
        EXPECT_NEAR(motors.by_v.row(row) * T, 0, 1e-10);
        EXPECT_NEAR(motors.by_a.row(row) * T, inertia * share, 1e-11);
      }
    }
  }
}

TEST(LoopDerivatives, say_what_has_no_inertia) {
  Model model;
  add_body(model, "wrist", 0, {}, {}, {});
  add_body(model, "needle", 1, {1, 0, 0}, {0, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "swing", Revolute{}, "ground", "wrist", frame_at({}, {1, 0, 0}));
  add_joint(model, "turn", Revolute{}, "wrist", "needle", frame_at({}, {0, 0, 1}));
  const Mechanism mech = compile(model).mechanism;
  LoopDynamics dynamics(mech);
  const Found f = found(dynamics, {0, 0}, {0, 0}, {0, 0});
  EXPECT_EQ(f.verdict.status, LoopStatus::no_inertia);
  EXPECT_EQ(f.verdict.joint, mech.find_joint("swing"));
}

}  // namespace
}  // namespace trammel

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

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives of steps: over random trees of all joints against differences of the step itself; the step against that of a simulation; in
// closed form; and what is refused.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/step_derivatives.hpp>

#include "simulation/coordinate_rates.hpp"
#include "support/custom_joints.hpp"
#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using Eigen::VectorXd;
using test::ModelCase;
using test::Prepared;
using test::Random;
using test::vector;
using Matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

struct Stepped {
  std::vector<double> q, v;
  Matrix A, B;
};
Stepped stepped(DifferentiatedStep& step, const Mechanism& mech, const std::vector<double>& q,
                const std::vector<double>& v, const std::vector<double>& tau) {
  const int n = mech.nv;
  Stepped s{std::vector<double>(q.size()), std::vector<double>(v.size()), Matrix(2 * n, 2 * n), Matrix(2 * n, n)};
  const auto numbers = [](Matrix& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
  EXPECT_TRUE(step.advance(q, v, tau, s.q, s.v, {numbers(s.A), numbers(s.B)}).ok());
  return s;
}

std::vector<double> plus(const std::vector<double>& x, const std::vector<double>& d, double s) {
  std::vector<double> out(x);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] += s * d[i];
  return out;
}

Integrator integrator_of(std::uint64_t seed) {
  const Integrator all[] = {Integrator::semi_implicit, Integrator::rk4, Integrator::implicit};
  return all[seed % 3];
}

// Differences of sixth order of where the step ends; those of q turned into tangents at its end by N⁺.
RC_GTEST_PROP(StepDerivatives, are_those_of_differences_of_the_step, (ModelCase c)) {
  c.bodies = 1 + c.bodies % 8;
  Prepared p(c, {.floating = 0.7, .friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2});
  RC_PRE(p.nv() > 0);
  const double h = c.seed % 5 == 0 ? 0.1 : 0.01;
  DifferentiatedStep step(p.mechanism, integrator_of(c.seed), h);
  const Stepped at = stepped(step, p.mechanism, p.q, p.v, p.tau);
  Random random(c.seed + 3);
  const int n = p.mechanism.nv;
  const std::vector<double> dq = random.normals(n), dv = random.normals(n), dtau = random.normals(n);
  const auto beside = [&](double s) {
    std::vector<double> delta(p.nv()), q(p.q.size());
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = s * dq[i];
    step_coordinates(p.mechanism, p.q, delta, q);
    const Stepped end = stepped(step, p.mechanism, q, plus(p.v, dv, s), plus(p.tau, dtau, s));
    VectorXd x(static_cast<Eigen::Index>(end.q.size() + end.v.size()));
    x << vector(end.q), vector(end.v);
    return x;
  };
  const auto slope = [&](double e) -> VectorXd {
    const auto difference = [&](double s) -> VectorXd { return beside(s) - beside(-s); };
    return (difference(e) * 45 - difference(2 * e) * 9 + difference(3 * e)) / (60 * e);
  };
  const auto tangent = [&](const VectorXd& x) {
    const std::vector<double> rates(x.data(), x.data() + p.q.size());
    std::vector<double> v(p.nv());
    freedoms_of_coordinates(p.mechanism, at.q, rates, v);
    VectorXd out(2 * n);
    out << vector(v), x.tail(n);
    return out;
  };
  VectorXd dx(2 * n);
  dx << vector(dq), vector(dv);
  const VectorXd mine = at.A * dx + at.B * vector(dtau);
  const VectorXd fine = tangent(slope(1e-3)), coarse = tangent(slope(2e-3));
  const double size = 1 + mine.lpNorm<Eigen::Infinity>();
  RC_PRE((fine - coarse).lpNorm<Eigen::Infinity>() <
         1e-7 * size);  // light links on heavy ones: differences say nothing
  RC_ASSERT((mine - fine).lpNorm<Eigen::Infinity>() < 1e-7 * size);
}

// Held forces are zero there; a simulation's dry friction has modes, so there is none.
RC_GTEST_PROP(StepDerivatives, belong_to_the_step_of_a_simulation, (ModelCase c)) {
  c.bodies = 1 + c.bodies % 8;
  Model model = c.model({.floating = 0.7, .friction = true, .armature = c.seed % 2 == 0});
  for (Joint& joint : model.joints) joint.properties.dry.clear();
  Prepared p(model, c.states(model));
  RC_PRE(p.nv() > 0);
  std::fill(p.tau.begin(), p.tau.end(), 0.0);
  const double h = 1e-3;
  const Integrator integrator = integrator_of(c.seed);
  DifferentiatedStep step(p.mechanism, integrator, h);
  const Stepped mine = stepped(step, p.mechanism, p.q, p.v, p.tau);
  State start = design_state(p.mechanism);
  start.q = p.q, start.v = p.v;
  Simulation simulation(p.mechanism, {.until = h, .step = h, .integrator = integrator}, start);
  RC_ASSERT(simulation.run().ok());
  RC_ASSERT(test::error_of(mine.q, simulation.state().q) < 1e-13);
  RC_ASSERT(test::error_of(mine.v, simulation.state().v) < 1e-12);
}

// A hinge with inertia I, viscous friction c, without weight: linear, all in closed form.
//   semi_implicit  v' = (1 − hc/I) v + h τ/I      implicit  v' = (v + h τ/I) / (1 + hc/I)      rk4  the series of exp(−hc/I) to order 4
TEST(StepDerivatives, of_a_damped_wheel_are_known) {
  const double I = 0.4, c = 3, h = 0.05, z = h * c / I;
  Model model;
  model.gravity = {};
  add_body(model, "wheel", 1, {}, {I, I, I, 0, 0, 0});
  add_joint(model, "hub", Revolute{}, "ground", "wheel", Transformd{}).properties.viscous = {c};
  const Mechanism mech = test::compiled(model);
  const auto matrices = [&](Integrator integrator) {
    DifferentiatedStep step(mech, integrator, h);
    return stepped(step, mech, {0.3}, {2}, {0.7});
  };
  const auto expect = [&](const Stepped& s, double qv, double vv, double qt, double vt) {
    const double A[4] = {1, qv, 0, vv}, B[2] = {qt, vt};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.A.data()[i], A[i], 1e-15) << i;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(s.B.data()[i], B[i], 1e-15) << i;
  };
  expect(matrices(Integrator::semi_implicit), h * (1 - z), 1 - z, h * h / I, h / I);
  expect(matrices(Integrator::implicit), h / (1 + z), 1 / (1 + z), h * h / (I + h * c), h / (I + h * c));
  const double integral = 1 - z / 2 + z * z / 6 - z * z * z / 24;  // of exp(−z s) over 0 … 1
  const double twice = 1. / 2 - z / 6 + z * z / 24;                // and of that
  expect(matrices(Integrator::rk4), h * integral, 1 - z + z * z / 2 - z * z * z / 6 + z * z * z * z / 24,
         h * h / I * twice, h / I * integral);
}

// A ball of equal moments that turns about z by the angle φ = h ω in a step: δq turns back by it, δq' = Rz(−φ) δq + h J δω with
//   J = [sin φ/φ, (1 − cos φ)/φ; −(1 − cos φ)/φ, sin φ/φ] in the plane square to z, 1 along it.
TEST(StepDerivatives, of_a_turning_ball_are_known) {
  Model model;
  model.gravity = {};
  add_body(model, "ball", 1, {}, {0.2, 0.2, 0.2, 0, 0, 0});
  add_joint(model, "socket", Spherical{}, "ground", "ball", Transformd{});
  const Mechanism mech = test::compiled(model);
  const double h = 0.1, phi = 0.8;
  DifferentiatedStep step(mech, Integrator::semi_implicit, h);
  const Stepped s = stepped(step, mech, {1, 0, 0, 0}, {0, 0, phi / h}, {0, 0, 0});
  EXPECT_NEAR(s.q[0], std::cos(phi / 2), 1e-15);
  EXPECT_NEAR(s.q[3], std::sin(phi / 2), 1e-15);
  const double cosine = std::cos(phi), sine = std::sin(phi), x = sine / phi, y = (1 - cosine) / phi;
  Matrix A = Matrix::Identity(6, 6);
  A.topLeftCorner(2, 2) << cosine, sine, -sine, cosine;
  A.topRightCorner(3, 3) << h * x, h * y, 0, -h * y, h * x, 0, 0, 0, h;
  // Equal moments: ω × I ω vanishes, and its slope too.
  EXPECT_LT((s.A - A).lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_LT((s.B.topRows(3) - A.topRightCorner(3, 3) * (h / 0.2)).lpNorm<Eigen::Infinity>(), 1e-14);
}

// A pendulum without friction, M constant: semi-implicit steps keep areas of (q, v).
TEST(StepDerivatives, of_a_pendulum_keep_areas) {
  Model model;
  model.gravity = {0, -9.81, 0};
  add_body(model, "bob", 2, {0, -0.7, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "pivot", Revolute{}, "ground", "bob", frame_at({}, {0, 0, 1}));
  const Mechanism mech = test::compiled(model);
  DifferentiatedStep step(mech, Integrator::semi_implicit, 0.05);
  const Stepped s = stepped(step, mech, {1.2}, {-3}, {0});
  EXPECT_NEAR(s.A.determinant(), 1, 1e-14);
  const double stiffness = -2 * 0.7 * 9.81 * std::cos(1.2) / (0.1 + 2 * 0.49);
  EXPECT_NEAR(s.A(1, 0), 0.05 * stiffness, 1e-13);
}

void expect_refusal(const Model& model, Integrator integrator, double step, const std::string& text) {
  const Mechanism mech = compile(model).mechanism;
  try {
    DifferentiatedStep refused(mech, integrator, step);
    FAIL() << "not refused";
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()), text);
  }
}

TEST(StepDerivatives, of_a_step_in_place_are_those_of_another_place) {
  Model model;
  add_body(model, "ball", 3, {}, Sym3d{0.1, 0.2, 0.3, 0, 0, 0});
  add_joint(model, "free", Free{}, "ground", "ball", {});
  const Mechanism mech = compile(model).mechanism;
  State s = initial_state(mech);
  s.v = {3, 4, 5, 10, 2, 1};
  const std::vector<double> tau(6, 0.0);
  std::vector<double> q(7), v(6), A(144), B(72), A_in_place(144), B_in_place(72);
  DifferentiatedStep step(mech, Integrator::semi_implicit, 0.01);
  ASSERT_TRUE(step.advance(s.q, s.v, tau, q, v, {A, B}).ok());
  ASSERT_TRUE(step.advance(s.q, s.v, tau, s.q, s.v, {A_in_place, B_in_place}).ok());
  EXPECT_EQ(s.q, q);
  EXPECT_EQ(s.v, v);
  EXPECT_EQ(A_in_place, A);
  EXPECT_EQ(B_in_place, B);
}

TEST(StepDerivatives, are_refused_where_there_are_none) {
  Model model;
  add_body(model, "a", 1, {1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "j", Revolute{}, "ground", "a", frame_at({}, {0, 0, 1}));
  expect_refusal(model, Integrator::bdf, 1e-3,
                 "steps of 'bdf' are not differentiated: take semi_implicit, implicit or rk4");
  expect_refusal(model, Integrator::rk4, 0, "the length of a step must be positive");
  Model closed = model;
  add_constraint(closed, "rod", Distance{1}, "ground", "a", Transformd::translation({1, 1, 0}),
                 Transformd::translation({1, 0, 0}));
  expect_refusal(closed, Integrator::rk4, 1e-3,
                 "steps of mechanisms with loops, couplings or constraints are not differentiated: "
                 "LoopDynamics::forward_derivatives has the derivatives of their accelerations");
  Model custom;
  add_body(custom, "slider", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(custom, "rail", Custom{std::make_shared<test::EllipticRail>(1.0, 0.4)}, "ground", "slider", Transformd{});
  expect_refusal(custom, Integrator::rk4, 1e-3, "steps of mechanisms with custom joints are not differentiated");
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives of tree dynamics over random mechanisms with all joints: against sweeps of dual numbers through the dynamics themselves, and
// against differences; with friction, rotors, wrenches, added inertias and biases.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/derivatives.hpp>

#include "support/custom_joints.hpp"
#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::ModelCase;
using test::Prepared;
using test::Random;
using test::vector;

constexpr double tolerance = 1e-9;

// Loads held in the bodies: per body a wrench, a bias and an inertia at its origin, in its own axes.
struct BodyLoads {
  std::vector<Force<double>> wrench, bias;
  std::vector<ArticulatedInertia<double>> inertia;

  BodyLoads(const Prepared& p, std::uint64_t seed, bool additions) {
    Random random(seed);
    for (int b = 0; b < p.mechanism.body_count(); ++b) {
      wrench.push_back(random.force());
      if (!additions) continue;
      bias.push_back(random.force());
      const RigidInertia<double> heavy =
          RigidInertia<double>::at_com(0.5, random.vector(0.3), Sym3d{0.1, 0.2, 0.15, 0.01, -0.02, 0.03});
      ArticulatedInertia<double> I = ArticulatedInertia<double>::of(heavy);
      I.M += Sym3d{0.3, 0.1, 0.7, 0.05, -0.02, 0.1};  // as of water: not the same in all directions
      I.J += Sym3d{0.05, 0.2, 0.1, 0, 0.01, 0.02};
      inertia.push_back(I);
    }
  }
};

// The same as the kernels want them, at the position in the workspace.
template <class T>
struct WorldLoads {
  std::vector<Force<T>> wrench, bias;
  std::vector<ArticulatedInertia<T>> inertia;

  WorldLoads(const Mechanism& mechanism, BasicWorkspace<T>& ws, std::span<const T> q, const BodyLoads& of) {
    compute_positions(mechanism, ws, q);
    wrench.resize(of.wrench.size()), bias.resize(of.bias.size()), inertia.resize(of.inertia.size());
    for (int b = 0; b < mechanism.body_count(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      const Mat3<T> R = pose_WB(mechanism, ws, b).R;
      add_wrench(mechanism, ws, b, Vec3<T>{}, rotate(R, Force<T>::from(of.wrench[i])), std::span(wrench));
      if (of.bias.empty()) continue;
      add_wrench(mechanism, ws, b, Vec3<T>{}, rotate(R, Force<T>::from(of.bias[i])), std::span(bias));
      add_inertia(mechanism, ws, b, ArticulatedInertia<T>::from(of.inertia[i]), std::span(inertia));
    }
  }
  BasicLoads<T> loads() const {
    BasicLoads<T> l;
    l.wrench = wrench.data();
    if (!bias.empty()) l.bias = bias.data(), l.inertia = inertia.data();
    return l;
  }
};

test::RandomModelOptions options_of(const ModelCase& c) {
  return {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2};
}

std::vector<double> unit(std::size_t n, std::size_t j) {
  std::vector<double> e(n);
  e[j] = 1;
  return e;
}

enum class By { q, v, third };

// One column of ∂τ or ∂a by dual numbers; the third argument is a or τ.
template <class Function>
std::vector<double> dual_column(const Prepared& p, const std::vector<double>& third, By by, std::size_t j,
                                const BodyLoads& loads, const Function& function) {
  const std::vector<double> e = unit(p.nv(), j), zero(p.nv());
  const std::vector<Dual> q = by == By::q ? test::moving(p.mechanism, p.q, e, zero).q : test::constant(p.q);
  const std::vector<Dual> v = by == By::v ? test::seeded(p.v, e) : test::constant(p.v);
  const std::vector<Dual> x = by == By::third ? test::seeded(third, e) : test::constant(third);
  BasicWorkspace<Dual> ws(p.mechanism);
  const WorldLoads<Dual> world(p.mechanism, ws, std::span<const Dual>(q), loads);
  std::vector<Dual> out(p.nv());
  function(ws, q, v, x, out, world.loads());
  return test::derivatives(out);
}
template <class Function>
Eigen::MatrixXd dual_matrix(const Prepared& p, const std::vector<double>& third, By by, const BodyLoads& loads,
                            const Function& function) {
  const auto n = static_cast<Eigen::Index>(p.nv());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    matrix.col(j) = vector(dual_column(p, third, by, static_cast<std::size_t>(j), loads, function));
  }
  return matrix;
}

Eigen::MatrixXd matrix(const std::vector<double>& numbers, std::size_t n) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto size = static_cast<Eigen::Index>(n);
  return Eigen::Map<const RowMajor>(numbers.data(), size, size);
}

struct Found {
  std::vector<double> value;
  Eigen::MatrixXd by_q, by_v, third;
};
Found inverse_found(Prepared& p, const Loads& loads) {
  const std::size_t n = p.nv();
  std::vector<double> tau(n), by_q(n * n), by_v(n * n), M(n * n);
  inverse_dynamics_derivatives<double>(p.mechanism, p.ws, p.q, p.v, p.a, tau, {by_q, by_v, M}, loads);
  return {tau, matrix(by_q, n), matrix(by_v, n), matrix(M, n)};
}
Found forward_found(Prepared& p, const Loads& loads) {
  const std::size_t n = p.nv();
  std::vector<double> a(n), by_q(n * n), by_v(n * n), inverse(n * n);
  RC_ASSERT(
      forward_dynamics_derivatives<double>(p.mechanism, p.ws, p.q, p.v, p.tau, a, {by_q, by_v, inverse}, loads).ok());
  return {a, matrix(by_q, n), matrix(by_v, n), matrix(inverse, n)};
}

void expect_inverse_like_duals(Prepared& p, const BodyLoads& loads) {
  const WorldLoads<double> world(p.mechanism, p.ws, std::span<const double>(p.q), loads);
  const Found found = inverse_found(p, world.loads());
  const auto inverse = [&](auto& ws, const auto& q, const auto& v, const auto& a, auto& tau, const auto& l) {
    inverse_dynamics<Dual>(p.mechanism, ws, q, v, a, tau, l);
  };
  RC_ASSERT(test::error_of(found.value, p.inverse(p.a, world.loads())) < 1e-12);
  RC_ASSERT(test::relative_error(found.by_q, dual_matrix(p, p.a, By::q, loads, inverse)) < tolerance);
  RC_ASSERT(test::relative_error(found.by_v, dual_matrix(p, p.a, By::v, loads, inverse)) < tolerance);
  RC_ASSERT(test::relative_error(found.third, dual_matrix(p, p.a, By::third, loads, inverse)) < tolerance);
}

RC_GTEST_PROP(InverseDerivatives, are_those_of_dual_numbers, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  expect_inverse_like_duals(p, BodyLoads(p, c.seed, false));
}
RC_GTEST_PROP(InverseDerivatives, are_those_of_dual_numbers_with_added_inertias, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  expect_inverse_like_duals(p, BodyLoads(p, c.seed, true));
}

// Accelerations of light links are sensitive, so derivatives are judged by the forces that they need: M ∂a/∂q = −∂τ/∂q at that a.
RC_GTEST_PROP(ForwardDerivatives, are_those_of_dual_numbers, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const BodyLoads loads(p, c.seed, c.seed % 3 == 0);
  const WorldLoads<double> world(p.mechanism, p.ws, std::span<const double>(p.q), loads);
  const Found found = forward_found(p, world.loads());
  const Eigen::MatrixXd M = p.mass(world.loads());
  const auto forward = [&](auto& ws, const auto& q, const auto& v, const auto& tau, auto& a, const auto& l) {
    forward_dynamics<Dual>(p.mechanism, ws, q, v, tau, a, l);
  };
  RC_ASSERT(test::error_of(found.value, p.forward(world.loads())) < tolerance);
  for (const By by : {By::q, By::v, By::third}) {
    const Eigen::MatrixXd& mine = by == By::q ? found.by_q : by == By::v ? found.by_v : found.third;
    const Eigen::MatrixXd expected = dual_matrix(p, p.tau, by, loads, forward);
    RC_ASSERT(test::relative_error(M * mine, M * expected) < tolerance);
    RC_ASSERT(test::relative_error(mine, expected) < 1e-7);
  }
  RC_ASSERT(found.third == found.third.transpose());
}

// Fourth-order differences along q ⊕ s e_j.
RC_GTEST_PROP(InverseDerivatives, are_those_of_differences, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  if (p.nv() == 0) return;
  const Found found = inverse_found(p, {});
  const std::size_t j = c.seed % p.nv();
  const auto at = [&](double s, By by) {
    std::vector<double> delta(p.nv()), q(p.q), v(p.v), tau(p.nv());
    delta[j] = s;
    if (by == By::q) step_coordinates(p.mechanism, p.q, delta, q);
    if (by == By::v) v[j] += s;
    inverse_dynamics<double>(p.mechanism, p.ws, q, v, p.a, tau);
    return vector(tau);
  };
  for (const By by : {By::q, By::v}) {
    const double h = 1e-3;
    const Eigen::VectorXd slope = ((at(h, by) - at(-h, by)) * 8 - (at(2 * h, by) - at(-2 * h, by))) / (12 * h);
    const Eigen::MatrixXd& mine = by == By::q ? found.by_q : found.by_v;
    RC_ASSERT(test::relative_error(mine.col(static_cast<Eigen::Index>(j)), slope) < 1e-6);
  }
}

// Long chains take their 6-vectors at several points.
TEST(InverseDerivatives, hold_along_chains_of_forty) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Model model = test::random_model(seed, {.bodies = 40, .branching = 0.05, .new_tree = 0});
    Prepared p(model, test::random_states(model, seed));
    expect_inverse_like_duals(p, BodyLoads(p, seed, true));
  }
}

// At a state as zero as it gets, where whole terms vanish.
RC_GTEST_PROP(InverseDerivatives, hold_at_rest, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  std::fill(p.v.begin(), p.v.end(), 0.0);
  std::fill(p.a.begin(), p.a.end(), 0.0);
  expect_inverse_like_duals(p, BodyLoads(p, c.seed, true));
}

// Joints of a user: the slope of Ḣ is found by differences.
TEST(InverseDerivatives, of_custom_joints_are_those_of_differences) {
  Model model;
  model.gravity = {0.3, -9, 2};
  add_body(model, "slider", 1.2, {0.1, 0.2, -0.1}, {0.1, 0.2, 0.15, 0.01, 0, 0.02});
  add_body(model, "head", 0.7, {0.3, -0.2, 0.1}, {0.05, 0.04, 0.03, 0, 0.01, 0}, Transformd::translation({1, 0, 0}));
  add_joint(model, "rail", Custom{std::make_shared<test::EllipticRail>(1.0, 0.4)}, "ground", "slider", Transformd{});
  add_joint(model, "neck", Custom{std::make_shared<test::YawPitchRoll>()}, "head", "slider",
            frame_at({1, 0, 0}, {0, 1, 0}));
  Prepared p(model, test::random_states(model, 5, 0.5));
  const Found found = inverse_found(p, {});
  for (std::size_t j = 0; j < p.nv(); ++j) {
    const auto at = [&](double s) {
      std::vector<double> delta(p.nv()), q(p.q), tau(p.nv());
      delta[j] = s;
      step_coordinates(p.mechanism, p.q, delta, q);
      inverse_dynamics<double>(p.mechanism, p.ws, q, p.v, p.a, tau);
      return vector(tau);
    };
    const double h = 1e-3;
    const Eigen::VectorXd slope = ((at(h) - at(-h)) * 8 - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_LT(test::relative_error(found.by_q.col(static_cast<Eigen::Index>(j)), slope), 1e-8) << "freedom " << j;
  }
}

// The needle lies along the axis of "swing": nothing turns there.
TEST(ForwardDerivatives, name_the_joint_whose_inertia_vanishes) {
  Model model;
  add_body(model, "wrist", 0, {}, {}, {});
  add_body(model, "needle", 1, {1, 0, 0}, {0, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "swing", Revolute{}, "ground", "wrist", frame_at({}, {1, 0, 0}));
  add_joint(model, "turn", Revolute{}, "wrist", "needle", frame_at({}, {0, 0, 1}));
  const Mechanism mechanism = compile(model).mechanism;
  Workspace ws(mechanism);
  const std::vector<double> zero(2);
  std::vector<double> a(2), x(4), y(4), z(4);
  const DynamicsVerdict verdict = forward_dynamics_derivatives<double>(mechanism, ws, zero, zero, zero, a, {x, y, z});
  EXPECT_EQ(verdict.singular_joint, mechanism.find_joint("swing"));
}

}  // namespace
}  // namespace trammel

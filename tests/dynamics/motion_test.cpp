// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of motion: energy and momentum change as power and external wrenches say; derivatives by dual numbers are those
// of differences. Rates in time are exact: q moves along v and v along a in dual numbers.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/generators.hpp"
#include "support/prepared.hpp"

namespace trammel {
namespace {

using test::constant;
using test::derivatives;
using test::DualState;
using test::error_of;
using test::LoadCase;
using test::ModelCase;
using test::Prepared;
using test::Random;
using test::vector;

using DualWorkspace = BasicWorkspace<Dual>;

test::RandomModelOptions options_of(const ModelCase& c) {
  return {.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2};
}

// A dual workspace with velocities computed along the motion that `forward` finds.
DualWorkspace moving_workspace(const Prepared& p, const std::vector<double>& a, DualState& state) {
  DualWorkspace ws(p.mechanism);
  state = test::moving(p.mechanism, p.q, p.v, a);
  compute_velocities(p.mechanism, ws, state.q, state.v);
  return ws;
}

RC_GTEST_PROP(Energy, changes_at_the_rate_of_the_power_put_in, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const LoadCase load = p.load_case(c.seed, {.wrenches = true});
  const std::vector<double> a = p.forward(load.loads());
  double power = vector(p.tau).dot(vector(p.v));
  for (const test::OracleWrench& wrench : load.oracle.wrenches) {
    power += dot(velocity_W(p.mechanism, p.ws, wrench.body, wrench.p_B), wrench.F_W);
  }
  std::vector<double> friction(p.nv());
  friction_forces(p.mechanism, p.ws, p.v, friction);
  power += vector(friction).dot(vector(p.v));

  DualState state;
  DualWorkspace ws = moving_workspace(p, a, state);
  const Energy<Dual> energy = compute_energy(p.mechanism, ws, state.v);
  const double rate = energy.kinetic.eps + energy.potential.eps;
  const double scale = 1 + std::abs(energy.kinetic.eps) + std::abs(energy.potential.eps);
  RC_ASSERT(std::abs(rate - power) < 1e-10 * scale);
}

// On the moving links: weight, wrenches on them, and what the joints at the ground put in.
struct External {
  Vec3d force, moment;  // moment about the centre of mass

  void add(const Vec3d& f, const Vec3d& p_CP, const Vec3d& n = {}) {
    force += f;
    moment += n + cross(p_CP, f);
  }
};

External external_wrench(Prepared& p, const LoadCase& load, const Momentum<Dual>& momentum) {
  External sum;
  const Vec3d com = test::values(momentum.com_W);
  sum.add(p.model.gravity * momentum.mass.value, {});
  for (const test::OracleWrench& wrench : load.oracle.wrenches) {
    if (p.mechanism.bodies[static_cast<std::size_t>(wrench.body)].link == ground) continue;
    sum.add(wrench.F_W.f, pose_WB(p.mechanism, p.ws, wrench.body) * wrench.p_B - com, wrench.F_W.n);
  }
  std::vector<Force<double>> reactions(p.mechanism.joints.size());
  compute_reactions(p.mechanism, p.ws, reactions, load.loads());
  for (const Link& link : p.mechanism.links) {
    if (link.parent != ground) continue;
    const JointInfo& joint = p.mechanism.joints[static_cast<std::size_t>(link.joint)];
    const Vec3d p_WM = (pose_WB(p.mechanism, p.ws, joint.second) * joint.X_BM).p;
    const double sign = joint.reversed ? -1 : 1;  // reactions act on the second body
    const Force<double> F = reactions[static_cast<std::size_t>(link.joint)] * sign;
    sum.add(F.f, p_WM - com, F.n);
  }
  return sum;
}

RC_GTEST_PROP(Momentum, changes_at_the_rate_of_the_external_wrench, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  if (p.mechanism.links.empty()) return;
  const LoadCase load = p.load_case(c.seed, {.wrenches = true});
  const std::vector<double> a = p.forward(load.loads());
  DualState state;
  DualWorkspace ws = moving_workspace(p, a, state);
  const Momentum<Dual> momentum = compute_momentum(p.mechanism, ws);
  const External external = external_wrench(p, load, momentum);
  RC_ASSERT(error_of(test::derivatives(momentum.linear_W), external.force) < 1e-10);
  RC_ASSERT(error_of(test::derivatives(momentum.angular_W), external.moment) < 1e-10);
  RC_ASSERT(error_of(test::derivatives(momentum.com_W) * momentum.mass.value, test::values(momentum.linear_W)) < 1e-12);
}

TEST(Momentum, of_a_floating_mechanism_is_kept_whatever_its_joints_do) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Model model = test::random_model(seed, {.bodies = 8, .new_tree = 0, .floating = 1, .friction = true});
    model.gravity = {};
    Prepared p(model, test::random_states(model, seed));
    // The base's own free joint is not driven.
    for (const Link& link : p.mechanism.links) {
      if (link.parent == ground) std::fill_n(p.tau.begin() + link.v, link.nv, 0.0);
    }
    DualState state;
    DualWorkspace ws = moving_workspace(p, p.forward(), state);
    const Momentum<Dual> momentum = compute_momentum(p.mechanism, ws);
    EXPECT_LT(norm(test::derivatives(momentum.linear_W)), 1e-10);
    EXPECT_LT(norm(test::derivatives(momentum.angular_W)), 1e-10);
    EXPECT_GT(norm(test::values(momentum.angular_W)), 1e-2) << "the test would be empty";
  }
}

RC_GTEST_PROP(GravityForces, are_the_gradient_of_potential_energy, (const ModelCase& c)) {
  Prepared p(c, {});
  std::vector<double> g(p.nv());
  gravity_forces(p.mechanism, p.ws, p.q, g);
  for (std::size_t k = 0; k < p.nv(); ++k) {
    std::vector<double> along(p.nv());
    along[k] = 1;
    const DualState state = test::moving(p.mechanism, p.q, along, std::vector<double>(p.nv()));
    DualWorkspace ws(p.mechanism);
    compute_velocities(p.mechanism, ws, state.q, state.v);
    const double slope = compute_energy(p.mechanism, ws, state.v).potential.eps;
    RC_ASSERT(std::abs(slope - g[k]) < 1e-11 * (1 + std::abs(g[k])));
  }
}

// --- derivatives ------------------------------------------------------------------------------------------------

// a(q ⊕ s δ, v + s δv, τ + s δτ) by dual numbers at s = 0.
struct Direction {
  std::vector<double> q, v, tau;

  Direction(const Prepared& p, std::uint64_t seed) {
    Random random(seed);
    q = random.normals(p.mechanism.nv);
    v = random.normals(p.mechanism.nv);
    tau = random.normals(p.mechanism.nv);
  }
};

std::vector<double> along(const std::vector<double>& from, const std::vector<double>& direction, double s) {
  std::vector<double> result = from;
  for (std::size_t i = 0; i < from.size(); ++i) result[i] += s * direction[i];
  return result;
}

template <class Evaluate>
std::vector<double> fourth_order_difference(Evaluate evaluate, double h) {
  const Eigen::VectorXd near = (vector(evaluate(h)) - vector(evaluate(-h))) / (2 * h);
  const Eigen::VectorXd wide = (vector(evaluate(2 * h)) - vector(evaluate(-2 * h))) / (4 * h);
  const Eigen::VectorXd rate = (4 * near - wide) / 3;
  return {rate.data(), rate.data() + rate.size()};
}

std::vector<double> forward_at(Prepared& p, const Direction& d, double s) {
  std::vector<double> q(p.q.size()), a(p.nv());
  step_coordinates(p.mechanism, p.q, along(std::vector<double>(p.nv()), d.q, s), q);
  forward_dynamics(p.mechanism, p.ws, q, along(p.v, d.v, s), along(p.tau, d.tau, s), a);
  return a;
}

std::vector<Dual> dual_forward(const Prepared& p, const Direction& d) {
  const DualState moved = test::moving(p.mechanism, p.q, d.q, {d.q});
  DualWorkspace ws(p.mechanism);
  std::vector<Dual> a(p.nv());
  forward_dynamics(p.mechanism, ws, moved.q, test::seeded(p.v, d.v), test::seeded(p.tau, d.tau), a);
  return a;
}

RC_GTEST_PROP(Duals, of_forward_dynamics_are_its_differences, (const ModelCase& c)) {
  // Speeds in friction far above its smoothing, or the differences themselves lose their digits.
  Prepared p({c.bodies % 12 + 1, c.seed}, {.armature = true});
  const Direction d(p, c.seed + 5);
  const std::vector<Dual> a = dual_forward(p, d);
  // The same numbers, to the round-off of fused operations: stepping a quaternion by 0 + ε may round it anew, so q is
  // the dual's own.
  const std::vector<double> q = test::values(test::moving(p.mechanism, p.q, d.q, {d.q}).q);
  std::vector<double> plain(p.nv());
  forward_dynamics(p.mechanism, p.ws, q, p.v, p.tau, plain);
  // What sets them apart is seen as forces: where M is ill conditioned round-off is larger in the accelerations.
  std::vector<double> M(p.nv() * p.nv());
  mass_matrix(p.mechanism, p.ws, q, M);
  const std::vector<double> dual = test::values(a);
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < p.nv(); ++i) {
    double force = 0;
    for (std::size_t k = 0; k < p.nv(); ++k) {
      force += M[i * p.nv() + k] * (dual[k] - plain[k]);
      size = std::max(size, std::abs(M[i * p.nv() + k] * plain[k]));
    }
    apart = std::max(apart, std::abs(force));
  }
  RC_ASSERT(apart <= 1e-12 * size);
  const auto expected = fourth_order_difference([&](double s) { return forward_at(p, d, s); }, 2e-4);
  RC_ASSERT(error_of(derivatives(a), expected) < 1e-6);
}

RC_GTEST_PROP(Duals, of_inverse_dynamics_are_its_differences, (const ModelCase& c)) {
  Prepared p({c.bodies % 12 + 1, c.seed}, {.friction = true});
  const Direction d(p, c.seed + 5);
  const auto inverse_at = [&](double s) {
    std::vector<double> q(p.q.size()), tau(p.nv());
    step_coordinates(p.mechanism, p.q, along(std::vector<double>(p.nv()), d.q, s), q);
    inverse_dynamics(p.mechanism, p.ws, q, along(p.v, d.v, s), along(p.a, d.tau, s), tau);
    return tau;
  };
  const DualState moved = test::moving(p.mechanism, p.q, d.q, d.q);
  DualWorkspace ws(p.mechanism);
  std::vector<Dual> tau(p.nv());
  inverse_dynamics(p.mechanism, ws, moved.q, test::seeded(p.v, d.v), test::seeded(p.a, d.tau), tau);
  RC_ASSERT(error_of(derivatives(tau), fourth_order_difference(inverse_at, 2e-4)) < 1e-7);
}

// d/ds of M a + h = τ with both sides in dual numbers: exact, so held to round-off at any size.
RC_GTEST_PROP(Duals, of_forward_and_inverse_dynamics_undo_each_other, (const ModelCase& c)) {
  Prepared p(c, options_of(c));
  const Direction d(p, c.seed + 5);
  const std::vector<Dual> a = dual_forward(p, d);
  const DualState moved = test::moving(p.mechanism, p.q, d.q, d.q);
  DualWorkspace ws(p.mechanism);
  std::vector<Dual> tau(p.nv());
  inverse_dynamics(p.mechanism, ws, moved.q, test::seeded(p.v, d.v), a, tau);
  const double scale = 1 + vector(derivatives(a)).lpNorm<Eigen::Infinity>();
  RC_ASSERT((vector(derivatives(tau)) - vector(d.tau)).lpNorm<Eigen::Infinity>() < 1e-9 * scale);
}

RC_GTEST_PROP(Duals, of_the_mass_matrix_are_its_differences, (const ModelCase& c)) {
  Prepared p({c.bodies % 12 + 1, c.seed}, {});
  const Direction d(p, c.seed + 5);
  const auto mass_at = [&](double s) {
    std::vector<double> q(p.q.size()), M(p.nv() * p.nv());
    step_coordinates(p.mechanism, p.q, along(std::vector<double>(p.nv()), d.q, s), q);
    mass_matrix(p.mechanism, p.ws, q, M);
    return M;
  };
  const DualState moved = test::moving(p.mechanism, p.q, d.q, d.q);
  DualWorkspace ws(p.mechanism);
  std::vector<Dual> M(p.nv() * p.nv());
  mass_matrix(p.mechanism, ws, moved.q, M);
  RC_ASSERT(error_of(derivatives(M), fourth_order_difference(mass_at, 1e-3)) < 1e-8);
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of mechanisms in fluid, over random ones whose bodies have random hulls.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/loop_dynamics.hpp>
#include <trammel/simulation.hpp>

#include "support/fluid_case.hpp"
#include "support/generators.hpp"
#include "support/oracle.hpp"
#include "support/prepared.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::ModelCase;
using test::pack_q;
using test::pack_v;
using test::Random;
using test::wet;

struct InFluid {
  Mechanism mech;
  Workspace ws;
  FluidForces fluid;
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<Force<double>> bias;

  explicit InFluid(const Model& model)
      : mech(compile(model).mechanism), ws(mech), fluid(mech), inertia(mech.bodies.size()), bias(mech.bodies.size()) {}
  Loads loads(const State& s) {
    compute_velocities(mech, ws, s.q, s.v);
    fluid.clear_and_add(mech, ws, s.t, inertia, bias);
    return {.inertia = inertia.data(), .bias = bias.data()};
  }
  std::vector<double> forward(const State& s) {
    const Loads all = loads(s);
    std::vector<double> a(s.v.size());
    const std::vector<double> tau(s.v.size(), 0.0);
    RC_ASSERT(forward_dynamics(mech, ws, s.q, s.v, tau, a, all).ok());
    return a;
  }
};

State random_state(const Mechanism& mech, const Model& model, std::uint64_t seed, double speed = 1) {
  const test::JointStates states = test::random_states(model, seed);
  State s{0, pack_q(mech, states.q), pack_v(mech, states.v)};
  for (double& x : s.v) x *= speed;
  return s;
}

// --- ideal fluid ------------------------------------------------------------------------------------------------------------

// A chain or tree that floats, in a fluid at rest without gravity: energy and both impulses of bodies and fluid stay.
RC_GTEST_PROP(IdealFluid, keeps_energy_and_both_impulses, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const int bodies = *rc::gen::inRange(1, 5);
  Model model = test::random_model(seed, {.bodies = bodies, .new_tree = 0, .floating = 1});
  model.gravity = {};
  model.fluid.media = {{.density = 1000}};
  wet(model, seed, false);
  InFluid x(model);
  const State start = random_state(x.mech, model, seed, 0.5);
  const auto impulses = [&](const State& s) {
    x.loads(s);
    const Momentum<double> own = compute_momentum(x.mech, x.ws);
    Force<double> at_com = shift(x.fluid.momentum(), own.com_W);
    at_com.f += own.linear_W, at_com.n += own.angular_W;
    return shift(at_com, -own.com_W);
  };
  const Force<double> before = impulses(start);
  Simulation simulation(x.mech, {.until = 0.3, .tolerance = 1e-11}, start);
  const double energy = simulation.energy().kinetic;
  RC_ASSERT(simulation.run().ok());
  const Force<double> after = impulses(simulation.state());
  RC_ASSERT(std::abs(simulation.energy().kinetic - energy) < 1e-8 * (1 + energy));
  RC_ASSERT(std::abs(simulation.energy().error) < 1e-8 * (1 + energy));
  RC_ASSERT(norm(after.f - before.f) < 1e-7 * (1 + norm(before.f)));
  RC_ASSERT(norm(after.n - before.n) < 1e-7 * (1 + norm(before.n)));
}

// --- buoyancy ---------------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(Buoyancy, is_the_slope_of_its_potential, (const ModelCase& c)) {
  Model model = c.model({});
  const bool has_surface = c.seed % 2 == 0;
  model.fluid.media = {{.density = 1000}};
  if (has_surface) {
    model.fluid.media[0].surface = 0.1;
    if (c.seed % 4 == 0) model.fluid.media.push_back({.name = "air", .density = 400});
  }
  wet(model, c.seed, false);
  for (Body& body : model.bodies) body.in_fluid->buoyancy_at.reset();  // a given centre does not move with what is wet
  InFluid x(model);
  State s = random_state(x.mech, model, c.seed);
  std::fill(s.v.begin(), s.v.end(), 0.0);
  std::vector<double> h(s.v.size()), dry(s.v.size());
  const Loads loads = x.loads(s);
  bias_forces(x.mech, x.ws, s.q, s.v, h, loads);
  bias_forces(x.mech, x.ws, s.q, s.v, dry);
  double largest = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k) largest = std::max(largest, std::abs(h[k] - dry[k]));
  for (std::size_t k = 0; k < s.v.size(); ++k) {
    const auto potential = [&](double step) {
      std::vector<double> delta(s.v.size(), 0.0);
      delta[k] = step;
      State moved = s;
      step_coordinates(x.mech, s.q, delta, moved.q);
      x.loads(moved);
      return x.fluid.potential();
    };
    const double step = 1e-5, slope = (potential(step) - potential(-step)) / (2 * step);
    RC_ASSERT(std::abs(h[k] - dry[k] - slope) < 1e-4 * (largest + 1));
  }
}

// --- drag -------------------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(Drag, always_dissipates, (const ModelCase& c)) {
  Model model = c.model({});
  model.gravity = {};
  model.fluid.media = {{.density = 1000}};
  wet(model, c.seed, true);
  InFluid x(model);
  const State s = random_state(x.mech, model, c.seed);
  x.loads(s);
  RC_ASSERT(x.fluid.dissipated() >= 0);
  // What it takes is what is missing: power of the bias against that without drag.
  const double lost = x.fluid.dissipated();
  Model ideal = model;
  for (Body& body : ideal.bodies) {
    body.in_fluid->hull_drag = false;
    body.in_fluid->linear.reset(), body.in_fluid->quadratic.reset(), body.in_fluid->fins.clear();
  }
  InFluid y(ideal);
  std::vector<double> with(s.v.size()), without(s.v.size());
  bias_forces(x.mech, x.ws, s.q, s.v, with, x.loads(s));
  bias_forces(y.mech, y.ws, s.q, s.v, without, y.loads(s));
  double power = 0, scale = 1;
  for (std::size_t k = 0; k < s.v.size(); ++k) {
    power += (with[k] - without[k]) * s.v[k];
    scale += std::abs(with[k] * s.v[k]);
  }
  RC_ASSERT(std::abs(power - lost) < 1e-10 * scale);
}

// D is what the forces change by, within a factor that keeps the implicit step stable, and never negative.
RC_GTEST_PROP(Drag, has_a_damping_that_is_never_negative, (const ModelCase& c)) {
  Model model = c.model({});
  model.fluid.media = {{.density = 1000}};
  wet(model, c.seed, true);
  InFluid x(model);
  const State s = random_state(x.mech, model, c.seed);
  compute_velocities(x.mech, x.ws, s.q, s.v);
  std::vector<ArticulatedInertia<double>> with(x.mech.bodies.size()), without(x.mech.bodies.size());
  x.fluid.clear_and_add(x.mech, x.ws, 0, without, x.bias);
  x.fluid.clear_and_add(x.mech, x.ws, 0, with, x.bias, 1);
  for (std::size_t b = 0; b < with.size(); ++b) {
    Eigen::MatrixXd D(6, 6);
    for (int k = 0; k < 6; ++k) {
      Motion<double> e;
      (k == 0 ? e.w.x : k == 1 ? e.w.y : k == 2 ? e.w.z : k == 3 ? e.v.x : k == 4 ? e.v.y : e.v.z) = 1;
      D.col(k) = test::dense(with[b] * e) - test::dense(without[b] * e);
    }
    const Eigen::VectorXd lambda = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(D).eigenvalues();
    RC_ASSERT(lambda.minCoeff() > -1e-9 * (1 + lambda.maxCoeff()));
  }
}

// --- frames -----------------------------------------------------------------------------------------------------------------

RC_GTEST_PROP(Fluid, does_not_depend_on_the_frame, (const ModelCase& c)) {
  Model model = c.model({});
  Random random(c.seed);
  model.fluid.media = {{.density = 1000}};
  const bool has_surface = c.seed % 2 == 0;
  if (has_surface) {
    model.fluid.media[0].surface = 0.2;
    model.fluid.media.push_back({.name = "air", .density = 1.2});
    model.fluid.media[1].current.velocity = random.vector();
  }
  model.fluid.media[0].current.velocity = random.vector();
  model.fluid.media[0].current.acceleration = random.vector();
  wet(model, c.seed, true);
  const Transformd X = random.pose();
  Model moved = test::moved(model, X);
  const double up = dot(moved.gravity * (-1 / norm(moved.gravity)), X.p);
  for (Medium& medium : moved.fluid.media) {
    medium.current.velocity = X.R * medium.current.velocity;
    medium.current.acceleration = X.R * medium.current.acceleration;
    medium.surface += up;
  }
  InFluid x(model), y(moved);
  State s = random_state(x.mech, model, c.seed);
  s.t = 0.7;
  const std::vector<double> here = x.forward(s), there = y.forward(s);
  RC_ASSERT(test::error_of(there, here) < 1e-7);
}

// In a steady uniform current a mechanism that floats along moves as in still water.
RC_GTEST_PROP(Current, carries_along_what_floats, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const int bodies = *rc::gen::inRange(1, 4);
  Model model = test::random_model(seed, {.bodies = bodies, .new_tree = 0, .floating = 1});
  model.fluid.media = {{.density = 1000}};
  wet(model, seed, true);
  const Vec3d u{0.7, -0.4, 0.3};
  Model carried = model;
  carried.fluid.media[0].current.velocity = u;
  const Mechanism still = compile(model).mechanism, flowing = compile(carried).mechanism;
  State s = random_state(still, model, seed, 0.3);
  // The base's velocity has the current in it, in its own axes; all of the tree hangs on it.
  int base = -1;
  for (std::size_t j = 0; j < still.joints.size(); ++j) {
    if (std::holds_alternative<Free>(still.joints[j].type) && still.joints[j].role == JointRole::tree &&
        (still.joints[j].first == ground || still.joints[j].second == ground)) {
      base = static_cast<int>(j);
    }
  }
  RC_PRE(base >= 0 && !still.joints[static_cast<std::size_t>(base)].reversed);
  const JointInfo& joint = still.joints[static_cast<std::size_t>(base)];
  RC_PRE(joint.first == ground);
  State t = s;
  const Mat3d R_WM = joint.X_AF.R * rotation_of(Quaternion<double>::load(&s.q[static_cast<std::size_t>(joint.q)]));
  const Vec3d own = transpose_times(R_WM, u);
  const auto v = static_cast<std::size_t>(joint.v);
  t.v[v + 3] += own.x, t.v[v + 4] += own.y, t.v[v + 5] += own.z;
  Simulation at_rest(still, {.until = 0.4, .tolerance = 1e-10}, s),
      along(flowing, {.until = 0.4, .tolerance = 1e-10}, t);
  RC_PRE(at_rest.run().ok());
  RC_ASSERT(along.run().ok());
  Workspace ws(still);
  std::vector<Transformd> first, second;
  compute_positions(still, ws, at_rest.state().q);
  for (int b = 0; b < still.body_count(); ++b) first.push_back(pose_WB(still, ws, b));
  compute_positions(still, ws, along.state().q);
  for (int b = 0; b < still.body_count(); ++b) {
    const Transformd X = pose_WB(still, ws, b);
    const Transformd& Y = first[static_cast<std::size_t>(b)];
    if (still.bodies[static_cast<std::size_t>(b)].link == ground) continue;
    RC_ASSERT(norm(X.p - Y.p - u * 0.4) < 1e-6 * (1 + norm(Y.p)));
    RC_ASSERT(norm(log(transpose(X.R) * Y.R)) < 1e-6);
  }
  RC_ASSERT(std::abs(along.energy().error) < 1e-5 * (1 + along.energy().kinetic + std::abs(along.energy().input)));
}

// --- recursion against dense solutions ---------------------------------------------------------------------------------------

RC_GTEST_PROP(Fluid, in_a_tree_agrees_with_the_oracle, (const ModelCase& c)) {
  Model model = c.model({});
  Random random(c.seed);
  model.fluid.media = {{.density = 1000}};
  model.fluid.media[0].current.velocity = random.vector();
  wet(model, c.seed, true);
  InFluid x(model);
  test::JointStates states = test::random_states(model, c.seed);
  for (auto& list : states.tau) std::fill(list.begin(), list.end(), 0.0);
  const State s{0, pack_q(x.mech, states.q), pack_v(x.mech, states.v)};
  const test::OracleAnswer answer = test::oracle_dynamics(model, states, test::as_oracle(x.mech, x.ws, x.loads(s)));
  RC_ASSERT(test::error_of(x.forward(s), pack_v(x.mech, answer.a)) < 1e-8);
}

}  // namespace
}  // namespace trammel

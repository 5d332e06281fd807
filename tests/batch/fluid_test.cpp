// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the fluid does in lanes is what it does to single states: hulls of all shapes, still, in currents, below and through surfaces, in
// waves, with matrices and fins. At every instruction-set level, as all of this folder.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/readers.hpp>

#include "batch/states.hpp"
#include "support/fluid_case.hpp"
#include "support/generators.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using test::ModelCase;
using test::Prepared;

constexpr double round_off = 1e-12;

// One state after the other, as FluidForces has it.
struct OneByOne {
  FluidForces fluid;
  std::vector<ArticulatedInertia<double>> inertia;
  std::vector<Force<double>> bias;

  explicit OneByOne(const Mechanism& mech) : fluid(mech), inertia(mech.bodies.size()), bias(mech.bodies.size()) {}
  Loads at(Prepared& p, std::span<const double> q, std::span<const double> v, double t) {
    compute_velocities(p.mechanism, p.ws, q, v);
    fluid.clear_and_add(p.mechanism, p.ws, t, inertia, bias);
    return {.inertia = inertia.data(), .bias = bias.data()};
  }
};

enum class Kind { still, current, deep, through_surfaces, waves, profile };

void add_fluid(Model& model, Kind kind) {
  model.fluid.media = {{.density = 1000}};
  Medium& water = model.fluid.media.front();
  switch (kind) {
    case Kind::still:
      break;
    case Kind::current:
      water.current.velocity = {0.4, -0.2, 0.1};
      water.current.acceleration = {0.1, 0, 0.3};
      break;
    case Kind::deep:
      water.surface = 1000;
      water.current.velocity = {0.4, -0.2, 0.1};
      break;
    case Kind::through_surfaces:
      water.surface = 0.1;
      water.current.velocity = {0.4, -0.2, 0.1};
      model.fluid.media.push_back({.name = "oil", .density = 600, .surface = 0.4});
      break;
    case Kind::waves:
      water.surface = 0.2;
      model.fluid.waves = {{.height = 0.2, .period = 3}};
      break;
    case Kind::profile:
      water.surface = 3;
      water.current.depth = {0, 5};
      water.current.at_depth = {{1, 0, 0}, {0, 0.2, 0}};
      break;
  }
}

// As for forward dynamics without a fluid: judged by forces.
void check_lanes(const ModelCase& c, Kind kind, bool only_hulls) {
  Model model = c.model({.friction = c.seed % 2 == 0});
  add_fluid(model, kind);
  test::wet(model, c.seed, true);
  if (only_hulls) {
    for (Body& body : model.bodies) {
      Hydrodynamics& h = *body.in_fluid;
      h.added_mass.reset(), h.linear.reset(), h.quadratic.reset(), h.fins.clear();
    }
  }
  Prepared p(model, test::random_states(model, c.seed));
  States s(p, c.seed);
  constexpr double t = 0.7;
  Batch batch(p.mechanism);
  FluidLanes lanes(p.mechanism, t);
  OneByOne alone(p.mechanism);
  LaneArray a(p.mechanism.nv, s.count);
  std::vector<DynamicsVerdict> verdicts(index(s.count));
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, lanes, verdicts);
  for (int i = 0; i < s.count; ++i) {
    RC_ASSERT(verdicts[index(i)].ok());
    const std::vector<double>&q = s.q[index(i)], &v = s.v[index(i)];
    const Loads loads = alone.at(p, q, v, t);
    std::vector<double> expected(p.nv()), force(p.nv()), M(p.nv() * p.nv());
    forward_dynamics(p.mechanism, p.ws, q, v, s.tau[index(i)], expected, loads);
    inverse_dynamics(p.mechanism, p.ws, q, v, of_state(a, i), force, loads);
    mass_matrix(p.mechanism, p.ws, q, M, loads);
    std::vector<double> needed(p.nv());
    bias_forces(p.mechanism, p.ws, q, v, needed, loads);
    const double scale =
        largest(test::vector(needed)) + largest(test::vector(M)) * (1 + largest(test::vector(expected)));
    RC_ASSERT(largest(test::vector(force) - test::vector(s.tau[index(i)])) <= round_off * scale);
    RC_ASSERT(test::error_of(of_state(a, i), expected) < 1e-9);
  }
  const bool in_lanes = kind == Kind::still || kind == Kind::current || kind == Kind::deep;
  if (only_hulls && in_lanes) RC_ASSERT(lanes.left_count() == 0);
}

RC_GTEST_PROP(FluidLanes, of_hulls_in_one_fluid_are_single_states, (const ModelCase& c)) {
  check_lanes(c, c.seed % 2 == 0 ? Kind::still : Kind::current, true);
}
RC_GTEST_PROP(FluidLanes, of_matrices_and_fins_are_single_states, (const ModelCase& c)) {
  check_lanes(c, c.seed % 2 == 0 ? Kind::current : Kind::deep, false);
}
RC_GTEST_PROP(FluidLanes, below_and_through_surfaces_are_single_states, (const ModelCase& c)) {
  check_lanes(c, c.seed % 2 == 0 ? Kind::deep : Kind::through_surfaces, true);
}
RC_GTEST_PROP(FluidLanes, in_waves_and_currents_that_vary_are_single_states, (const ModelCase& c)) {
  check_lanes(c, c.seed % 2 == 0 ? Kind::waves : Kind::profile, false);
}

// Bars that turn quickly and slowly side by side, at rest, and through their own axis: each lane takes the rule that suits it.
TEST(FluidLanes, take_strips_by_the_rule_of_each_state) {
  Model model;
  model.fluid.media = {{.density = 1000}};
  model.fluid.media[0].current.velocity = {0.3, 0, 0};
  Body& bar = add_body(model, "bar", 1, {0.2, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  Shape shape;
  shape.kind = Shape::Kind::cylinder;
  shape.radius = 0.02, shape.length = 0.5;
  shape.X_BS = frame_at({0.2, 0, 0}, {1, 0, 0});
  bar.shapes = {shape};
  add_joint(model, "base", Free{}, "ground", "bar", frame_at({}, {0, 0, 1}));
  const Mechanism mechanism = test::compiled(model);
  const int n = 3 * lane_count();
  LaneArray q(7, n), v(6, n), tau(6, n), a(6, n);
  const double rates[] = {0, 1e-9, 0.02, 0.07, 3, 500};
  for (int i = 0; i < n; ++i) {
    q(0, i) = 1;
    v(2, i) = rates[i % 6] * (i % 2 == 0 ? 1 : -1);
    v(3, i) = i % 5 == 0 ? 0.3 : 0.1 * i;  // at rest against the water: no speed at all
    v(4, i) = i % 4 == 0 ? 0 : 0.2;
  }
  FluidLanes lanes(mechanism);
  Batch(mechanism).forward_dynamics(q, v, tau, a, lanes);
  Workspace ws(mechanism);
  FluidForces fluid(mechanism);
  std::vector<ArticulatedInertia<double>> inertia(mechanism.bodies.size());
  std::vector<Force<double>> bias(mechanism.bodies.size());
  for (int i = 0; i < n; ++i) {
    const std::vector<double> q_i = of_state(q, i), v_i = of_state(v, i), zero(6);
    std::vector<double> expected(6);
    compute_velocities(mechanism, ws, q_i, v_i);
    fluid.clear_and_add(mechanism, ws, 0, inertia, bias);
    forward_dynamics(mechanism, ws, q_i, v_i, zero, expected, {.inertia = inertia.data(), .bias = bias.data()});
    EXPECT_LT(test::error_of(of_state(a, i), expected), 1e-12) << "state " << i;
  }
}

TEST(FluidLanes, of_the_aquarobot_are_single_states_and_all_run_in_lanes) {
  ReadResult read = read_model(test::source_dir() + "/models/aquarobot_underwater.yaml");
  ASSERT_TRUE(read.ok());
  Prepared p(read.model, test::random_states(read.model, 5));
  States s(p, 5);
  Batch batch(p.mechanism);
  FluidLanes lanes(p.mechanism);
  OneByOne alone(p.mechanism);
  LaneArray a(p.mechanism.nv, s.count);
  batch.forward_dynamics(s.Q, s.V, s.Tau, a, lanes);
  EXPECT_EQ(lanes.left_count(), 0);
  for (int i = 0; i < s.count; ++i) {
    const Loads loads = alone.at(p, s.q[index(i)], s.v[index(i)], 0);
    std::vector<double> expected(p.nv());
    forward_dynamics(p.mechanism, p.ws, s.q[index(i)], s.v[index(i)], s.tau[index(i)], expected, loads);
    EXPECT_LT(test::error_of(of_state(a, i), expected), 1e-11) << "state " << i;
  }
}

// Going on after compute_velocities is the same as beginning anew.
RC_GTEST_PROP(ForwardDynamics, after_velocities_is_the_same_bit_by_bit, (const ModelCase& c)) {
  Model model = c.model({.friction = c.seed % 2 == 0, .armature = c.seed % 4 < 2});
  add_fluid(model, Kind::current);
  test::wet(model, c.seed, true);
  Prepared p(model, test::random_states(model, c.seed));
  OneByOne alone(p.mechanism);
  Loads loads = alone.at(p, p.q, p.v, 0);
  std::vector<double> anew(p.nv()), on(p.nv());
  RC_ASSERT(forward_dynamics(p.mechanism, p.ws, p.q, p.v, p.tau, anew, loads).ok());
  compute_velocities(p.mechanism, p.ws, p.q, p.v);
  loads.after_velocities = true;
  RC_ASSERT(forward_dynamics(p.mechanism, p.ws, p.q, p.v, p.tau, on, loads).ok());
  RC_ASSERT(anew == on);
}

}  // namespace
}  // namespace trammel

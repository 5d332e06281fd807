// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Rollouts in lanes are simulations to round-off, whatever touches, slips, sticks or is servoed; they are the same bytes whatever the number of
// threads and whoever runs beside them; what lanes cannot do is done by simulations.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/batch.hpp>
#include <trammel/readers.hpp>
#include <trammel/rollout.hpp>

#include "contact/thrown.hpp"
#include "support/generators.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

Mechanism shipped(const std::string& name) {
  ReadResult read = read_model(source_dir() + "/models/" + name);
  EXPECT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.to_string();
  return compile(read.model).mechanism;
}

State moved(const Mechanism& mechanism, std::uint64_t seed, double spread) {
  Random random(seed);
  State state = initial_state(mechanism);
  std::vector<double> q(state.q.size());
  step_coordinates(mechanism, state.q, random.normals(mechanism.nv, spread), q);
  state.q = q;
  for (double& v : state.v) v += random.normal() * spread;
  return state;
}

// A few more than a block.
std::vector<RolloutCase> some_cases(const Mechanism& mechanism, std::uint64_t seed, double spread) {
  std::vector<RolloutCase> cases(static_cast<std::size_t>(lane_count()) + 3);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].start = moved(mechanism, seed + i, spread);
  return cases;
}

// How far ends and samples in lanes are from those of simulations, relative to the size of the numbers.
double apart(const std::vector<Rollout>& lanes, const std::vector<Rollout>& alone) {
  double worst = 0;
  const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double size = 1;
    for (const double x : b) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
      worst = std::max(worst, std::abs(a[k] - b[k]) / size);
  };
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    EXPECT_EQ(lanes[i].status, alone[i].status);
    EXPECT_EQ(lanes[i].steps, alone[i].steps);
    EXPECT_NEAR(lanes[i].end.t, alone[i].end.t, 1e-12);
    compare(lanes[i].end.q, alone[i].end.q);
    compare(lanes[i].end.v, alone[i].end.v);
    compare(lanes[i].samples, alone[i].samples);
  }
  return worst;
}
double apart(const Mechanism& mechanism, RolloutOptions options, const std::vector<RolloutCase>& cases) {
  options.lanes = true;
  const Rollouts in_lanes(mechanism, options);
  EXPECT_EQ(in_lanes.why_no_lanes(), "");
  const std::vector<Rollout> lanes = in_lanes.run(cases);
  for (const Rollout& one : lanes) EXPECT_TRUE(one.in_lanes);
  options.lanes = false;
  return apart(lanes, Rollouts(mechanism, options).run(cases));
}

// --- laws -------------------------------------------------------------------------------------------------------------------------

// A random tree with servos on its joints and points and spheres on its bodies, beside a plane that leans.
Model servoed_tree_on_a_plane(const ModelCase& c) {
  Random random(c.seed + 7);
  Model model = c.model({.friction = true, .armature = true});
  for (Joint& joint : model.joints) {
    joint.properties.dry.clear();
    if (nv(joint.type) != 1) continue;
    Actuator a;
    a.name = joint.name;
    a.joint = joint.name;
    a.kind = static_cast<Actuator::Kind>(random.integer(0, 2));
    a.gear = random.uniform(-2, 2);
    a.stiffness = random.uniform(0, 50), a.damping = random.uniform(0, 5);
    a.control_lower = -1, a.control_upper = 1;
    a.effort_lower = -20, a.effort_upper = 30;
    model.actuators.push_back(a);
  }
  model.materials = {floor_material(random)};
  if (random.integer(0, 3) == 0) model.materials[0].exponent = 1.5;
  if (random.integer(0, 3) == 0) model.materials[0].friction_static = model.materials[0].friction_kinetic = 0;
  if (random.integer(0, 3) == 0) model.materials[0].damping = random.uniform(0, 100);
  model.terrain.kind = Terrain::Kind::plane;
  model.terrain.material = "floor";
  model.terrain.X_WT = {exp_rotation(random.vector(0.3)), random.vector(0.3)};
  for (const Body& body : model.bodies) {
    ContactShape shape;
    shape.name = shape.body = body.name;
    if (random.integer(0, 1) == 0) {
      shape.points = {random.vector(0.2), random.vector(0.2)};
    } else {
      shape.kind = ContactShape::Kind::sphere;
      shape.radius = random.uniform(0.01, 0.3);
      shape.X_BG.p = random.vector(0.2);
    }
    model.contacts.push_back(shape);
  }
  return model;
}

bool all_bodies_move(const Mechanism& mechanism) {
  return std::all_of(mechanism.contacts.pairs.begin(), mechanism.contacts.pairs.end(), [&](const ContactPair& pair) {
    return mechanism.bodies[static_cast<std::size_t>(pair.second)].link != ground;
  });
}

// Cases in which contacts settle in every step. Where they do not (twenty bodies that all touch and push each other), the last pass is taken as it
// is, and round-off may decide which that is: few motions in a thousand are then others in lanes.
std::vector<RolloutCase> those_that_settle(const Mechanism& mechanism, const RolloutOptions& options,
                                           const std::vector<RolloutCase>& cases) {
  std::vector<RolloutCase> settled;
  for (const RolloutCase& one : cases) {
    Mechanism own = mechanism;
    if (one.parameters) own.parameters = *one.parameters;
    SimulationOptions s{.until = options.duration, .step = options.step, .integrator = options.integrator};
    s.controller.update = [&one](const Moment&, std::span<double> u) {
      std::copy(one.controls.begin(), one.controls.end(), u.begin());
    };
    if (one.controls.empty()) s.controller = {};
    Simulation simulation(own, s, one.start);
    if (simulation.run().unresolved_steps == 0) settled.push_back(one);
  }
  return settled;
}

RC_GTEST_PROP(LaneRollouts, of_servoed_trees_on_a_plane_are_simulations, (const ModelCase& c)) {
  const Mechanism mechanism = compiled(servoed_tree_on_a_plane(c));
  RC_PRE(mechanism.nv > 0 && all_bodies_move(mechanism));
  std::vector<RolloutCase> cases = some_cases(mechanism, c.seed, 0.3);
  Random random(c.seed + 9);
  for (RolloutCase& one : cases) {
    for (std::size_t k = 0; k < mechanism.actuators.size(); ++k) one.controls.push_back(random.normal());
  }
  const RolloutOptions options{.duration = 5e-3, .sample_every = 1e-3};
  cases = those_that_settle(mechanism, options, cases);
  RC_PRE(!cases.empty());
  const double found = apart(mechanism, options, cases);
  RC_ASSERT(found < 1e-9);
}

RC_GTEST_PROP(LaneRollouts, of_trees_with_parameters_of_their_own_are_simulations, (const ModelCase& c)) {
  const Mechanism mechanism = compiled(servoed_tree_on_a_plane(c));
  RC_PRE(mechanism.nv > 0 && all_bodies_move(mechanism));
  std::vector<RolloutCase> cases = some_cases(mechanism, c.seed, 0.3);
  Random random(c.seed + 11);
  for (RolloutCase& one : cases) {
    Parameters<double> p = mechanism.parameters;
    for (LinkInertia<double>& link : p.inertia) link.mass *= random.uniform(0.8, 1.2);
    for (Transformd& X : p.X_PF) X.p = X.p + random.vector(0.05);
    for (double& viscous : p.viscous) viscous *= random.uniform(0.5, 2);
    one.parameters = std::make_shared<const Parameters<double>>(p);
  }
  const RolloutOptions options{.duration = 3e-3};
  cases = those_that_settle(mechanism, options, cases);
  RC_PRE(!cases.empty());
  const double found = apart(mechanism, options, cases);
  RC_ASSERT(found < 1e-9);
}

RC_GTEST_PROP(LaneRollouts, of_trees_by_semi_implicit_steps_are_simulations, (const ModelCase& c)) {
  Model model = servoed_tree_on_a_plane(c);
  model.contacts.clear(), model.materials.clear(), model.terrain = {};
  const Mechanism mechanism = compiled(model);
  RC_PRE(mechanism.nv > 0);
  const double found = apart(mechanism, {.duration = 0.01, .step = 1e-4, .integrator = Integrator::semi_implicit},
                             some_cases(mechanism, c.seed, 0.3));
  RC_ASSERT(found < 1e-9);
}

// Boxes and balls that are thrown, bounce, roll and slide until they lie.
TEST(LaneRollouts, of_what_is_thrown_are_simulations) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = thrown(seed);
    if (model.contacts[0].kind == ContactShape::Kind::wheel) continue;
    ++seen;
    const Mechanism mechanism = compiled(seen_from(model, {exp_rotation(Vec3d{0.2, -0.3, 1}), {1, -2, 3}}));
    // Bounces let round-off grow: some 1e5 times in half a second.
    EXPECT_LT(apart(mechanism, {.duration = 0.5}, some_cases(mechanism, seed, 0.1)), 1e-8) << seed;
  }
  EXPECT_GT(seen, 5);
}

// --- the quadruped ------------------------------------------------------------------------------------------------------------------

TEST(LaneRollouts, of_a_trotting_quadruped_are_simulations) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  EXPECT_LT(apart(mechanism, {.duration = 0.5, .sample_every = 0.1}, some_cases(mechanism, 1, 0.01)), 1e-9);
}

TEST(LaneRollouts, take_rows_of_controls_and_controllers_as_simulations_do) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.01);
  Random random(5);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i % 3 != 1) cases[i].controls = random.normals(12 * static_cast<int>(1 + i % 4), 0.3);
    if (i % 3 != 2) {
      cases[i].controller = [](const Moment& m, std::span<double> u) {
        u[1] += 0.2 * std::sin(20 * m.t) - 0.1 * m.q[8];
      };
    }
  }
  // A period that is no multiple of the step cuts steps.
  for (const double period : {0.0, 0.01, 0.0123}) {
    EXPECT_LT(apart(mechanism, {.duration = 0.1, .control_period = period}, cases), 1e-10) << period;
  }
}

TEST(LaneRollouts, give_the_same_bytes_on_one_two_and_three_threads) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.01);
  for (const RolloutCase& one : some_cases(mechanism, 100, 0.01)) cases.push_back(one);
  std::vector<std::vector<Rollout>> found;
  for (const int threads : {1, 2, 3}) {
    found.push_back(
        Rollouts(mechanism, {.duration = 0.1, .sample_every = 0.01, .threads = threads, .lanes = true}).run(cases));
  }
  for (const std::vector<Rollout>& other : found) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      EXPECT_TRUE(other[i].in_lanes);
      EXPECT_EQ(other[i].samples, found[0][i].samples);
      EXPECT_EQ(other[i].end.q, found[0][i].end.q);
      EXPECT_EQ(other[i].end.v, found[0][i].end.v);
    }
  }
}

// Alone in a block, or beside others that touch, slip and settle later: the same bytes.
TEST(LaneRollouts, do_not_depend_on_who_runs_beside_them) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  const std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.1);
  const Rollouts rollouts(mechanism, {.duration = 0.3, .lanes = true});
  const std::vector<Rollout> together = rollouts.run(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::vector<Rollout> one = rollouts.run(std::span(&cases[i], 1));
    EXPECT_TRUE(one[0].in_lanes);
    EXPECT_EQ(one[0].end.q, together[i].end.q) << i;
    EXPECT_EQ(one[0].end.v, together[i].end.v) << i;
  }
}

// Each with its own masses, lengths and friction: simulations of such mechanisms, and the same bytes whoever runs beside.
TEST(LaneRollouts, with_their_own_parameters_are_simulations_of_other_mechanisms) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.01);
  Random random(3);
  for (RolloutCase& one : cases) {
    Parameters<double> p = mechanism.parameters;
    for (LinkInertia<double>& link : p.inertia) {
      link.mass *= random.uniform(0.8, 1.2), link.com = link.com + random.vector(0.005);
      link.I_C = rotate(exp_rotation(random.vector(0.3)), link.I_C);
    }
    for (Transformd& X : p.X_PF) X = {exp_rotation(random.vector(0.05)) * X.R, X.p * random.uniform(0.9, 1.1)};
    for (Transformd& X : p.X_LB) X.p = X.p * random.uniform(0.9, 1.1);
    for (double& viscous : p.viscous) viscous += random.uniform(0, 0.05);
    for (double& armature : p.armature) armature += random.uniform(0, 1e-4);
    p.gravity = p.gravity * random.uniform(0.9, 1.1);
    one.parameters = std::make_shared<const Parameters<double>>(p);
  }
  RolloutOptions options{.duration = 0.2, .sample_every = 0.05};
  EXPECT_LT(apart(mechanism, options, cases), 1e-10);
  options.lanes = true;
  const std::vector<Rollout> together = Rollouts(mechanism, options).run(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(Rollouts(mechanism, options).run(std::span(&cases[i], 1))[0].samples, together[i].samples) << i;
    if (i > 0) {
      EXPECT_NE(together[i].end.q, together[0].end.q);
    }
  }
}

TEST(LaneRollouts, whose_parameters_stick_are_simulations) {
  const Mechanism mechanism = shipped("quadruped_trot.yaml");
  std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.01);
  Parameters<double> p = mechanism.parameters;
  p.dry[8] = 0.05, p.dry_speed[8] = 1e-3;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    cases[i].parameters = std::make_shared<const Parameters<double>>(i == 1 ? p : mechanism.parameters);
  }
  const std::vector<Rollout> found = Rollouts(mechanism, {.duration = 0.02, .lanes = true}).run(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(found[i].in_lanes, i != 1);
  EXPECT_EQ(found[1].end.q, Rollouts(mechanism, {.duration = 0.02}).run(cases)[1].end.q);
}

// --- what lanes leave -----------------------------------------------------------------------------------------------------------------

TEST(LaneRollouts, one_that_diverges_is_told_and_disturbs_no_other) {
  const Mechanism mechanism = shipped("double_pendulum.yaml");
  const RolloutOptions options{.duration = 1, .step = 0.02, .integrator = Integrator::semi_implicit, .lanes = true};
  std::vector<RolloutCase> cases = some_cases(mechanism, 1, 0.3);
  const std::vector<Rollout> before = Rollouts(mechanism, options).run(cases);
  cases[1].start->v = {1e6, -3e6};
  cases[2].start->q[0] = std::nan("");
  const std::vector<Rollout> found = Rollouts(mechanism, options).run(cases);
  EXPECT_EQ(found[1].status, SimulationStatus::diverged);
  EXPECT_NE(found[1].text.find("grows beyond all bounds at t = "), std::string::npos) << found[1].text;
  EXPECT_EQ(found[2].status, SimulationStatus::diverged);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i == 1 || i == 2) continue;
    EXPECT_TRUE(found[i].ok() && found[i].in_lanes);
    EXPECT_EQ(found[i].end.q, before[i].end.q);
    EXPECT_EQ(found[i].end.v, before[i].end.v);
  }
}

// A pendulum that swings within its limits, and one that meets them.
TEST(LaneRollouts, one_that_meets_a_stop_is_a_simulation) {
  const Mechanism mechanism = from_yaml(R"(
trammel: 1
bodies: {rod: {pose: [0, 0, 0], mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}}
joints: {pivot: {revolute: [ground, rod], in: rod, axis: y, limits: {lower: -1, upper: 1}}}
)");
  std::vector<RolloutCase> cases(3);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].start = State{0, {0.2}, {i == 1 ? 8.0 : 0.5}};
  for (const Integrator integrator : {Integrator::implicit, Integrator::semi_implicit}) {
    RolloutOptions options{.duration = 0.5, .integrator = integrator, .sample_every = 0.1};
    const std::vector<Rollout> alone = Rollouts(mechanism, options).run(cases);
    options.lanes = true;
    const std::vector<Rollout> lanes = Rollouts(mechanism, options).run(cases);
    EXPECT_TRUE(lanes[0].in_lanes && lanes[2].in_lanes);
    EXPECT_FALSE(lanes[1].in_lanes);
    EXPECT_EQ(lanes[1].samples, alone[1].samples);
    EXPECT_GT(alone[1].steps, 500U);  // the stop was met within a step
    EXPECT_LT(apart(lanes, alone), 1e-12);
  }
}

TEST(LaneRollouts, tell_why_there_are_none) {
  const auto why = [](const std::string& model, Integrator integrator, double sample_every = 0) {
    return Rollouts(shipped(model), {.integrator = integrator, .sample_every = sample_every, .lanes = true})
        .why_no_lanes();
  };
  EXPECT_EQ(why("arm7.yaml", Integrator::rk4), "steps are neither implicit nor semi_implicit");
  EXPECT_EQ(why("four_cranks.yaml", Integrator::implicit), "there are loops, couplings or constraints");
  EXPECT_EQ(why("remus100.yaml", Integrator::implicit), "there is a fluid");
  EXPECT_EQ(why("quadruped_trot.yaml", Integrator::semi_implicit), "contacts need implicit steps");
  EXPECT_EQ(why("quadruped_trot.yaml", Integrator::implicit, 2.5e-4), "samples are taken within steps");
  EXPECT_EQ(why("quadruped_trot.yaml", Integrator::implicit), "");
  // They run all the same.
  const Mechanism cranks = shipped("four_cranks.yaml");
  const std::vector<RolloutCase> cases(2);
  const std::vector<Rollout> found = Rollouts(cranks, {.duration = 0.01, .lanes = true}).run(cases);
  for (const Rollout& one : found) EXPECT_TRUE(one.ok() && !one.in_lanes);
}

}  // namespace
}  // namespace trammel::test

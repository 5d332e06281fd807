// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What must hold for any contact: results independent of the frame, friction within its cone that only loses energy, no pull, energy
// audited, implicit steps that approach the exact motion, loops.

#include <cstring>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include "simulation/scenes.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

ContactMaterial floor_material(Random& random) {
  ContactMaterial m;
  m.name = "floor";
  m.stiffness = std::pow(10, random.uniform(3.5, 5));
  m.dissipation = random.uniform(0, 1.5);
  m.friction_kinetic = random.uniform(0.1, 0.8);
  m.friction_static = m.friction_kinetic * random.uniform(1, 1.4);
  m.tangential_stiffness = m.stiffness * random.uniform(0.5, 1);
  m.tangential_damping = std::sqrt(*m.tangential_stiffness) * random.uniform(0.5, 2);
  return m;
}

// A free body with points, a sphere or a wheel above a plane, which meets it moving and turning; a second body hangs on it by a hinge.
Model thrown(std::uint64_t seed) {
  Random random(seed);
  Model model;
  model.terrain.kind = Terrain::Kind::plane;
  model.terrain.material = "floor";
  model.materials = {floor_material(random)};
  add_body(model, "box", 2, {}, Sym3d{0.02, 0.03, 0.025, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.35}});
  add_body(model, "arm", 0.5, {0.1, 0, 0.05}, Sym3d{0.002, 0.003, 0.003, 0, 0, 0}, {Mat3d::identity(), {0, 0, 0.35}});
  Joint& base = add_joint(model, "base", Free{}, "ground", "box", {Mat3d::identity(), {0, 0, 0.35}});
  base.v_initial = {random.normal(), random.normal(), random.normal(),
                    random.normal(), random.normal(), -random.unit()};
  add_joint(model, "hinge", Revolute{}, "box", "arm", frame_at({0, 0, 0.4}, {0, 1, 0.3}));
  ContactShape shape;
  shape.name = "skin";
  shape.body = "box";
  const int kind = random.integer(0, 2);
  if (kind == 0) {
    for (const double x : {-0.2, 0.2}) {
      for (const double y : {-0.1, 0.15}) {
        for (const double z : {-0.1, 0.1}) shape.points.push_back({x, y, z});
      }
    }
  } else {
    shape.kind = kind == 1 ? ContactShape::Kind::sphere : ContactShape::Kind::wheel;
    shape.radius = 0.2;
    shape.tyre = 0.05;
    shape.X_BG = frame_at({0.02, 0, 0}, {0.1, 1, 0.2});
  }
  model.contacts = {shape};
  return model;
}

// The whole of a model, its terrain too, seen from elsewhere.
Model moved(Model model, const Transformd& X) {
  for (Body& body : model.bodies) body.X_WB = X * body.X_WB;
  for (Joint& joint : model.joints) {
    if (joint.first == ground_name) joint.X_AF = X * joint.X_AF;
  }
  model.gravity = X.R * model.gravity;
  model.terrain.X_WT = X * model.terrain.X_WT;
  return model;
}

RC_GTEST_PROP(ContactLaws, results_do_not_depend_on_the_frame, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  Random random(seed + 1);
  const Model model = thrown(seed);
  const Transformd X{exp_rotation(random.vector()), random.vector(10)};
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit}) {
    const SimulationOptions options{.until = 0.4, .step = 1e-3, .integrator = integrator};
    const std::vector<double> here = end_of(compiled(model), options),
                              there = end_of(compiled(moved(model, X)), options);
    RC_ASSERT(distance(here, there) < 1e-6);
  }
}

RC_GTEST_PROP(ContactLaws, nothing_pulls_friction_lies_in_its_cone_and_energy_is_only_lost, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  const Model model = thrown(seed);
  const Mechanism mech = compiled(model);
  const ContactMaterial& m = model.materials[0];
  SimulationOptions options{.until = 0.6, .tolerance = 1e-9, .integrator = Integrator::erk, .record_every = 0.005};
  Simulation* running = nullptr;
  double lost = 0;
  bool touched = false, sound = true;
  options.record = [&](const Moment&) {
    if (running == nullptr) return;
    for (const ContactState& c : running->contacts()) {
      touched = touched || c.mode != ContactState::Mode::open;
      const double size = norm(c.friction_W),
                   most = c.mode == ContactState::Mode::slips ? m.friction_kinetic : m.friction_static;
      sound = sound && c.normal >= 0 && size <= most * c.normal * (1 + 1e-6) + 1e-6;
      sound = sound && std::abs(dot(c.friction_W, c.normal_W)) < 1e-9 * (1 + size);
    }
    const EnergyAudit audit = running->energy();
    sound = sound && audit.dissipated >= lost - 1e-7 && std::abs(audit.error) < 1e-5;
    lost = audit.dissipated;
  };
  Simulation simulation(mech, options);
  running = &simulation;
  const SimulationReport report = simulation.run();
  RC_ASSERT(report.ok());
  RC_ASSERT(sound);
  RC_CLASSIFY(touched);
}

RC_GTEST_PROP(ContactLaws, implicit_steps_approach_the_exact_motion, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  const Mechanism mech = compiled(thrown(seed));
  const std::vector<double> exact = end_of(mech, {.until = 0.3, .tolerance = 1e-9, .integrator = Integrator::erk});
  const double coarse = distance(end_of(mech, {.until = 0.3, .step = 1e-4, .integrator = Integrator::implicit}), exact);
  const double fine = distance(end_of(mech, {.until = 0.3, .step = 2e-5, .integrator = Integrator::implicit}), exact);
  RC_ASSERT(fine < 0.5 * coarse + 1e-4);
  RC_ASSERT(fine < 0.02);
}

TEST(ContactLaws, implicit_steps_account_for_the_energy_of_contacts) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Mechanism mech = compiled(thrown(seed));
    Simulation simulation(mech, {.until = 0.5, .step = 1e-4, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok());
    EXPECT_LT(std::abs(report.energy.error), 2e-2) << seed;
  }
}

TEST(ContactLaws, a_run_goes_on_from_a_checkpoint_bit_by_bit) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::implicit}) {
    const Mechanism mech = compiled(thrown(7));
    const SimulationOptions options{.until = 0.5, .step = 1e-3, .integrator = integrator};
    Simulation whole(mech, options), first(mech, options), second(mech, options);
    ASSERT_TRUE(whole.run().ok());
    ASSERT_TRUE(first.run(0.21).ok());
    second.restore(first.checkpoint());
    ASSERT_TRUE(second.run(0.5).ok());
    EXPECT_EQ(whole.state().q, second.state().q) << keyword(integrator);
    EXPECT_EQ(whole.state().v, second.state().v) << keyword(integrator);
  }
}

// Two balls that meet keep their momentum; the same for a ball on a hinged plate against what it does to the plate.
TEST(ContactLaws, bodies_that_touch_each_other_keep_their_momentum) {
  for (const Integrator integrator : {Integrator::erk, Integrator::implicit}) {
    const Mechanism mech = from_yaml(R"(
trammel: 1
gravity: [0, 0, 0]
bodies:
  a: {pose: [0, 0, 0], mass: 1, shape: {sphere: 0.1}}
  b: {pose: [0.5, 0.05, 0.02], mass: 3, shape: {sphere: 0.2}}
joints: {a: {free: [ground, a]}, b: {free: [ground, b]}}
initial: {a: {v: [1, 2, 3, 2, 0, 0]}}
materials: {rubber: {stiffness: 20000, dissipation: 0.1, friction: {static: 0.7, kinetic: 0.6}}}
contacts:
  a: {sphere: 0.1, on: a, in: a, material: rubber, against: b}
  b: {sphere: 0.2, on: b, in: b}
)");
    SimulationOptions options{.until = 0.4, .tolerance = 1e-10, .integrator = integrator};
    if (integrator == Integrator::implicit) options.step = 1e-4;
    Simulation simulation(mech, options);
    Workspace ws(mech);
    const State start = initial_state(mech);
    compute_velocities(mech, ws, start.q, start.v);
    const Momentum<double> before = compute_momentum(mech, ws);
    ASSERT_TRUE(simulation.run().ok());
    compute_velocities(mech, ws, simulation.state().q, simulation.state().v);
    const Momentum<double> after = compute_momentum(mech, ws);
    const double tolerance = integrator == Integrator::erk ? 1e-8 : 2e-3;
    EXPECT_GT(std::abs(simulation.state().v[9]), 0.1);  // it was hit
    EXPECT_LT(norm(after.linear_W - before.linear_W), tolerance);
    EXPECT_LT(norm(after.angular_W - before.angular_W), tolerance);
  }
}

// A ball rests on a moving box: between them the contact of two bodies, below it that with the ground.
TEST(ContactLaws, a_pile_stands_by_implicit_steps) {
  const Mechanism mech = from_yaml(R"(
trammel: 1
bodies:
  box: {pose: [0, 0, 0.25], mass: 5, shape: {box: [0.6, 0.6, 0.5]}}
  ball: {pose: [0, 0, 0.6], mass: 2, shape: {sphere: 0.1}}
joints: {box: {free: [ground, box]}, ball: {free: [ground, ball]}}
environment: {terrain: {plane: z, material: rock}}
materials: {rock: {stiffness: 1e7, dissipation: 1, friction: 0.5}}
contacts:
  feet: {points: [[0.3, 0.3, 0], [0.3, -0.3, 0], [-0.3, 0.3, 0], [-0.3, -0.3, 0]], on: box}
  box: {box: [0.6, 0.6, 0.5], on: box, in: box, material: rock}
  ball: {sphere: 0.1, on: ball, in: ball, material: rock, against: [box]}
)");
  Simulation simulation(mech, {.until = 3, .step = 5e-3, .integrator = Integrator::implicit});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  double on_ground = 0, between = 0;
  for (std::size_t i = 0; i < mech.contacts.pairs.size(); ++i) {
    const ContactState& c = simulation.contacts()[i];
    (mech.contacts.pairs[i].target < 0 ? on_ground : between) += c.normal;
  }
  EXPECT_NEAR(on_ground, 7 * g, 1e-5);
  EXPECT_NEAR(between, 2 * g, 1e-5);
}

// A four-bar linkage whose coupler rests on the ground: the loop is solved together with the contact, and by both kinds of steps alike.
Mechanism linkage_on_ground(double friction) {
  return from_yaml(fmt::format(R"(
trammel: 1
points: {{O: [0, 0, 0.5], A: [0.3, 0, 0.45], B: [1.0, 0, 0.4], C: [1.2, 0, 0.55], P: [0.65, 0, 0.2]}}
bodies:
  crank: {{mass: 1, shape: {{rod: [O, A], radius: 0.02}}}}
  coupler: {{mass: 2, shape: {{rod: [A, B], radius: 0.02}}}}
  rocker: {{mass: 1, shape: {{rod: [C, B], radius: 0.02}}}}
joints:
  O: {{revolute: [ground, crank], at: O, axis: y, friction: {{viscous: 1}}}}
  A: {{revolute: [crank, coupler], at: A, axis: y}}
  B: {{revolute: [coupler, rocker], at: B, axis: y}}
  C: {{revolute: [ground, rocker], at: C, axis: y}}
environment: {{terrain: {{plane: {{through: [0, 0, 0.19], normal: z}}, material: floor}}}}
materials: {{floor: {{stiffness: 20000, dissipation: 1, friction: {}}}}}
contacts: {{tip: {{point: P, on: coupler}}}}
)",
                               friction));
}

TEST(ContactLaws, closed_loops_touch_the_ground) {
  for (const double friction : {0.0, 0.5}) {
    const Mechanism mech = linkage_on_ground(friction);
    Simulation exact(mech, {.until = 0.5, .tolerance = 1e-10, .integrator = Integrator::bdf});
    const SimulationReport report = exact.run();
    ASSERT_TRUE(report.ok()) << report.text;
    EXPECT_GT(exact.contacts()[0].normal, 1);
    double errors[2] = {};
    for (const int k : {0, 1}) {
      Simulation steps(mech, {.until = 0.5, .step = k == 0 ? 1e-3 : 1e-4, .integrator = Integrator::implicit});
      const SimulationReport of_steps = steps.run();
      ASSERT_TRUE(of_steps.ok()) << of_steps.text;
      EXPECT_LT(of_steps.drift.position, 1e-9);
      EXPECT_EQ(of_steps.unresolved_steps, 0u);
      errors[k] = distance(exact.state().q, steps.state().q);
    }
    EXPECT_LT(errors[1], 0.2 * errors[0] + 1e-9) << friction;
    EXPECT_LT(errors[1], 1e-4) << friction;
  }
}

}  // namespace
}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Models that stand, walk and drive.

#include <fmt/format.h>

#include <trammel/fluid_forces.hpp>
#include <trammel/tripod_gait.hpp>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

Vec3d force_of_ground(Simulation& simulation) {
  Vec3d force;
  for (const ContactState& c : simulation.contacts()) force += c.normal_W * c.normal + c.friction_W;
  return force;
}

// The quadruped of the models with feet, servos that hold its crouch, and a floor.
TEST(Robots, a_standing_quadruped_weighs_what_it_weighs) {
  ReadResult read = read_model(source_dir() + "/models/quadruped.yaml");
  ASSERT_TRUE(read.ok());
  Model& model = read.model;
  model.terrain.kind = Terrain::Kind::plane;
  model.terrain.material = "floor";
  ContactMaterial floor;
  floor.name = "floor";
  floor.stiffness = 2e4;
  floor.dissipation = 1;
  floor.friction_static = floor.friction_kinetic = 0.8;
  model.materials = {floor};
  double mass = 0;
  for (const Body& body : model.bodies) {
    mass += body.mass;
    if (body.name.find("foot") == std::string::npos) continue;
    ContactShape foot;
    foot.name = foot.body = body.name;
    foot.kind = ContactShape::Kind::sphere;
    foot.radius = 0.014;
    model.contacts.push_back(foot);
  }
  for (const Joint& joint : model.joints) {
    if (!std::holds_alternative<Revolute>(joint.type)) continue;
    Actuator servo;
    servo.name = servo.joint = joint.name;
    servo.kind = Actuator::Kind::position;
    servo.stiffness = 20;
    servo.damping = 0.5;
    servo.target = {Profile(TimeFunction(joint.q_initial.empty() ? 0.0 : joint.q_initial[0]))};
    model.actuators.push_back(servo);
  }
  const Mechanism mech = compiled(model);
  for (const double h : {1e-3, 5e-3}) {
    Simulation simulation(mech, {.until = 10, .step = h, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << report.text;
    const Vec3d force = force_of_ground(simulation);
    RecordProperty(fmt::format("relative_error_{}", h), fmt::format("{:.2e}", std::abs(force.z / (mass * g) - 1)));
    EXPECT_NEAR(force.z, mass * g, 1e-6 * mass * g);
    EXPECT_NEAR(norm(Vec3d{force.x, force.y, 0}), 0, 1e-6 * mass * g);
  }
}

struct Walk {
  const char* model;
  double until, x_least, y_most;  // where the joint `base` is at the end
};
TEST(Robots, trot_walk_and_drive) {
  for (const Walk& walk : {Walk{"quadruped_trot", 4, 1.2, 0.5}, Walk{"frame_walker", 8, 0.6, 0.4},
                           Walk{"cart", 8, 10, 0.2}, Walk{"three_modules", 8, 4, 2}}) {
    const Mechanism mech = shipped(walk.model);
    Simulation simulation(mech, {.until = walk.until, .step = 2e-3, .integrator = Integrator::implicit});
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << walk.model << report.text;
    const std::vector<double>& q = simulation.state().q;
    EXPECT_GT(q[4], walk.x_least) << walk.model;
    EXPECT_LT(std::abs(q[5]), walk.y_most) << walk.model;
    EXPECT_GT(1 - 2 * (q[1] * q[1] + q[2] * q[2]), 0.95) << walk.model << " has fallen over";
    EXPECT_LE(report.unresolved_steps, report.steps / 100) << walk.model;
  }
}

TEST(Robots, the_turning_walker_turns) {
  const Mechanism mech = shipped("turning_walker");
  Simulation simulation(mech, {.until = 12, .step = 2e-3, .integrator = Integrator::implicit});
  ASSERT_TRUE(simulation.run().ok());
  const std::vector<double>& q = simulation.state().q;
  EXPECT_NEAR(2 * std::atan2(q[3], q[0]) * 180 / std::numbers::pi, 90, 3);
  EXPECT_NEAR(q[4], 0, 1e-3);
}

// On its feet in the current: the ground carries what buoyancy leaves of its weight, and what the current pushes.
TEST(Robots, the_aquarobot_weighs_on_the_sea_floor_what_water_leaves_of_it) {
  const Mechanism mech = shipped("aquarobot_sea_floor");
  Simulation simulation(mech, {.until = 8, .step = 3e-3, .integrator = Integrator::implicit});
  ASSERT_TRUE(simulation.run().ok());
  const State& state = simulation.state();
  const WetReport wet = report_fluid(mech, state.q);
  const Vec3d ground = force_of_ground(simulation);
  Workspace ws(mech);
  FluidForces fluid(mech);
  std::vector<ArticulatedInertia<double>> inertia(mech.bodies.size());
  std::vector<Force<double>> bias(mech.bodies.size());
  compute_velocities(mech, ws, state.q, state.v);
  fluid.clear_and_add(mech, ws, state.t, inertia, bias);
  Vec3d water;
  for (const Force<double>& f : bias) water -= f.f;
  EXPECT_NEAR(wet.mass, 729.82, 1e-9);
  EXPECT_NEAR(ground.z, wet.mass * g - water.z, 1e-3);
  EXPECT_NEAR(ground.x, -water.x, 1e-3);
  EXPECT_NEAR(ground.y, -water.y, 1e-3);
  EXPECT_NEAR(water.z, wet.displaced_mass * g, 0.05 * wet.displaced_mass * g);  // and a little drag on slanting legs
  EXPECT_LT(water.x, -10);                                                      // the current pushes it back
  EXPECT_GT(water.y, 10);                                                       // and to the left
}

TEST(Robots, the_aquarobot_walks_ten_metres_over_the_sea_floor_in_a_current) {
  for (const char* model : {"aquarobot_sea_floor", "aquarobot_walking"}) {
    const Mechanism mech = shipped(model);
    double steepest = 0, lowest = infinity;
    SimulationOptions options{.until = 60, .step = 3e-3, .integrator = Integrator::implicit, .record_every = 0.03};
    options.controller = TripodGait(mech, {}).controller(0.021);
    options.record = [&](const Moment& now) {
      steepest = std::max(steepest, std::acos(std::min(1.0, 1 - 2 * (now.q[1] * now.q[1] + now.q[2] * now.q[2]))));
      lowest = std::min(lowest, now.q[6] + 1);
    };
    Simulation simulation(mech, options);
    const SimulationReport report = simulation.run();
    ASSERT_TRUE(report.ok()) << model << report.text;
    EXPECT_GT(simulation.state().q[4], 10) << model;
    EXPECT_LT(std::abs(simulation.state().q[5]), 0.5) << model;
    EXPECT_LT(steepest * 180 / std::numbers::pi, 8) << model;
    EXPECT_GT(lowest, 0.8) << model << " has fallen";
    EXPECT_LE(report.unresolved_steps, report.steps / 100) << model;
  }
}

TEST(Robots, the_aquarobot_stands_on_its_54_points) {
  const Mechanism mech = shipped("aquarobot_walking");
  EXPECT_EQ(mech.contacts.pairs.size(), 54u);
  Simulation simulation(mech, {.until = 4, .step = 3e-3, .integrator = Integrator::implicit});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  int touching = 0;
  for (const ContactState& c : simulation.contacts()) touching += c.mode == ContactState::Mode::open ? 0 : 1;
  EXPECT_NEAR(force_of_ground(simulation).z, (711.82 + 18) * g, 0.01);
  EXPECT_GE(touching, 40);
}

}  // namespace
}  // namespace trammel::test

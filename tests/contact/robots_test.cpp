// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Models that stand, walk and drive.

#include <fmt/format.h>

#include "simulation/scenes.hpp"

namespace trammel::test {
namespace {

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
    Vec3d force;
    for (const ContactState& c : simulation.contacts()) force += c.normal_W * c.normal + c.friction_W;
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

TEST(Robots, the_aquarobot_stands_on_its_54_points) {
  const Mechanism mech = shipped("aquarobot_walking");
  EXPECT_EQ(mech.contacts.pairs.size(), 54u);
  Simulation simulation(mech, {.until = 4, .step = 3e-3, .integrator = Integrator::implicit});
  const SimulationReport report = simulation.run();
  ASSERT_TRUE(report.ok()) << report.text;
  Vec3d force;
  int touching = 0;
  for (const ContactState& c : simulation.contacts()) {
    force += c.normal_W * c.normal + c.friction_W;
    touching += c.mode == ContactState::Mode::open ? 0 : 1;
  }
  EXPECT_NEAR(force.z, (711.82 + 18) * g, 0.01);
  EXPECT_GE(touching, 40);
}

}  // namespace
}  // namespace trammel::test

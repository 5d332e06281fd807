// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Robots of models/dynamechs against what is known of them: Aquarobot against the native model of the same figures, the slider-crank against
// its closed form.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <trammel/dynamics.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/loops.hpp>
#include <trammel/readers.hpp>

#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

std::string folder() { return std::string(source_dir()) + "/models/"; }

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// models/aquarobot.yaml without its boom, where the file of DynaMechs puts it, with right angles where DynaMechs makes them and branches as the file
// rounds them.
Model native_aquarobot() {
  std::ifstream stream(folder() + "aquarobot.yaml");
  std::string text(std::istreambuf_iterator<char>(stream), {});
  text = replace_all(text, "alpha: 1.5708", "alpha: 1.5707963267948966");
  text = replace_all(text, "pose: [0, 0, 1]", "pose: [8, 10, 1]");
  for (const auto& [exact, rounded] :
       {std::pair{"1.0471975511965976", "1.0471976"}, std::pair{"2.0943951023931953", "2.0943951"},
        std::pair{"3.141592653589793", "3.1415927"}}) {
    text = replace_all(text, std::string("theta_branch: ") + exact, std::string("theta_branch: ") + rounded);
    text = replace_all(text, std::string("theta_branch: -") + exact, std::string("theta_branch: -") + rounded);
  }
  Model model = read_yaml(text, "aquarobot.yaml").model;
  const auto is_boom = [](const std::string& name) { return name.starts_with("boom"); };
  std::erase_if(model.bodies, [&](const Body& body) { return is_boom(body.name); });
  std::erase_if(model.joints, [&](const Joint& joint) { return is_boom(joint.name); });
  return model;
}

Model read_aquarobot() {
  ReadResult result = read_model(folder() + "dynamechs/aquarobot.cfg");
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  // Rotors and their bearings belong to the motors there; natively they stand in the joints.
  for (const Actuator& actuator : result.model.actuators) {
    for (Joint& joint : result.model.joints) {
      if (joint.name != actuator.joint) continue;
      joint.properties.armature = {actuator.motor.rotor_inertia};
      joint.properties.viscous = {actuator.motor.viscous};
      joint.properties.dry = {actuator.motor.dry};
    }
  }
  return std::move(result.model);
}

TEST(DynamechsAquarobot, has_the_figures_of_the_native_model) {
  const Model read = read_aquarobot(), native = native_aquarobot();
  ASSERT_EQ(read.bodies.size(), 25u);
  EXPECT_EQ(read.actuators.size(), 18u);
  ASSERT_EQ(read.contacts.size(), 6u);
  double mass = 0;
  for (const Body& body : read.bodies) {
    mass += body.mass;
    const Body* other = native.find_body(body.name);
    ASSERT_NE(other, nullptr) << body.name;
    EXPECT_EQ(body.mass, other->mass);
    EXPECT_LT(norm(body.com - other->com), 1e-15);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(entries(body.inertia)[k], entries(other->inertia)[k], 1e-15) << body.name;
    EXPECT_LT(norm(body.X_WB.p - other->X_WB.p), 1e-14) << body.name;
  }
  EXPECT_NEAR(mass, 711.82, 1e-12);
  for (const ContactShape& foot : read.contacts) EXPECT_EQ(foot.points.size(), 9u);
  EXPECT_EQ(read.terrain.heights[24], 3);
  EXPECT_EQ(read.simulate.step, 0.003);
}

TEST(DynamechsAquarobot, accelerates_as_the_native_model) {
  const Model native = native_aquarobot();
  const CompileResult a = compile(read_aquarobot()), b = compile(native);
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a.mechanism.nv, 42);
  ASSERT_EQ(b.mechanism.nv, 42);
  // Coordinates of the joint that carries a body, in either.
  const auto joint_of = [](const Mechanism& mechanism, const std::string& body) -> const JointInfo& {
    return mechanism
        .joints[static_cast<std::size_t>(mechanism.bodies[static_cast<std::size_t>(mechanism.find_body(body))].joint)];
  };
  const State start = initial_state(b.mechanism);
  State other = design_state(a.mechanism);
  std::vector<double> v(42), tau(42), tau_other(42), found(42), expected(42);
  for (std::size_t k = 0; k < 42; ++k)
    v[k] = std::sin(1.0 + 2.4 * static_cast<double>(k)), tau[k] = 100 * std::cos(1.7 * static_cast<double>(k));
  std::vector<double> v_other(42);
  for (const Body& body : native.bodies) {
    const JointInfo &to = joint_of(a.mechanism, body.name), &from = joint_of(b.mechanism, body.name);
    for (int i = 0; i < from.nq; ++i)
      other.q[static_cast<std::size_t>(to.q + i)] = start.q[static_cast<std::size_t>(from.q + i)];
    for (int i = 0; i < from.nv; ++i) {
      v_other[static_cast<std::size_t>(to.v + i)] = v[static_cast<std::size_t>(from.v + i)];
      tau_other[static_cast<std::size_t>(to.v + i)] = tau[static_cast<std::size_t>(from.v + i)];
    }
  }
  Workspace of_a(a.mechanism), of_b(b.mechanism);
  ASSERT_TRUE(forward_dynamics<double>(a.mechanism, of_a, other.q, v_other, tau_other, found).ok());
  ASSERT_TRUE(forward_dynamics<double>(b.mechanism, of_b, start.q, v, tau, expected).ok());
  double difference = 0, size = 0;
  for (const Body& body : native.bodies) {
    const JointInfo &to = joint_of(a.mechanism, body.name), &from = joint_of(b.mechanism, body.name);
    for (int i = 0; i < from.nv; ++i) {
      const double x = expected[static_cast<std::size_t>(from.v + i)];
      difference = std::max(difference, std::abs(found[static_cast<std::size_t>(to.v + i)] - x));
      size = std::max(size, std::abs(x));
    }
  }
  EXPECT_LT(difference, 1e-12 * size);
  RecordProperty("relative_difference", std::to_string(difference / size));
  std::printf("aquarobot: relative difference of accelerations %.3g\n", difference / size);
  // The soles begin as the file turns them; natively so that they are level.
  const State own = initial_state(a.mechanism);
  const JointInfo& ankle = joint_of(a.mechanism, "leg1 foot");
  EXPECT_NEAR(own.q[static_cast<std::size_t>(ankle.q)], std::cos(0.4707 / 2), 1e-15);
  EXPECT_NEAR(own.q[static_cast<std::size_t>(ankle.q) + 3], -std::sin(0.4707 / 2), 1e-15);
}

// x = r cos θ + √(l² − r² sin² θ), and its rate.
TEST(DynamechsSliderCrank, moves_as_its_closed_form) {
  const ReadResult read = read_model(folder() + "dynamechs/slider_crank.dm");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  const CompileResult compiled = compile(read.model);
  ASSERT_TRUE(compiled.ok());
  const Mechanism& mechanism = compiled.mechanism;
  const double r = 0.2, l = 0.6, theta0 = 1.0471975511965976;
  const State start = initial_state(mechanism);
  EXPECT_EQ(start.v[0], 5);
  const int piston = mechanism.find_body("piston");
  Workspace ws(mechanism);
  LoopSolver solver(mechanism, {{.joint = mechanism.find_joint("crank")}});
  State state = start;
  for (const double turn : {0.0, 0.3, 0.7, 1.1, 1.6, 2.1, 2.6}) {
    ASSERT_TRUE(solver.assemble(state.q, std::vector<Target>{{.value = turn}}).closed()) << turn;
    const double theta = theta0 + turn;
    compute_positions<double>(mechanism, ws, state.q);
    const Transformd X = pose_WB(mechanism, ws, piston);
    EXPECT_NEAR(X.p.x, r * std::cos(theta) + std::sqrt(l * l - r * r * std::sin(theta) * std::sin(theta)), 1e-12);
    EXPECT_NEAR(X.p.y, 0, 1e-12);
    EXPECT_NEAR(X.p.z, 0.5, 1e-12);
  }
}

}  // namespace
}  // namespace trammel::test

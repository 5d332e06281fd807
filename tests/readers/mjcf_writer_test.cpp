// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is written as MJCF reads back to the same mechanism, and what MJCF cannot say is told. Joints may get other
// coordinates on the way (a ball's are in the axes of its body), so states are carried over by where bodies are.

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/dynamics.hpp>
#include <trammel/readers.hpp>

#include "readers/same_motion.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel {

// Without these gtest prints the bytes of a joint, unset ones too.
template <class J>
requires requires { J::keyword; }
void PrintTo(const J&, std::ostream* out) { *out << J::keyword; }
void PrintTo(const Custom&, std::ostream* out) { *out << "custom"; }

namespace {

using namespace test;

bool tells(const WriteResult& result, const std::string& id, Severity severity = Severity::warning) {
  for (const Diagnostic& d : result.diagnostics.all())
    if (d.id == id && d.severity == severity) return true;
  return false;
}

double difference_of_dynamics(const Model& from, const Model& to, std::uint64_t seed) {
  const MotionDifference difference = motion_difference(from, to, seed);
  return std::max(
      {difference.of("inverse"), difference.of("mass"), difference.of("poses"), difference.of("velocities")});
}

// What MJCF cannot say is taken out: unequal friction about the axes of a ball, and how dry friction is smoothed.
Model sayable(Model model) {
  for (Joint& joint : model.joints) {
    JointProperties& p = joint.properties;
    p.dry_speed = JointProperties{}.dry_speed;
    if (!std::holds_alternative<Spherical>(joint.type) && !std::holds_alternative<Free>(joint.type)) continue;
    p.dry.clear();
    for (auto* list : {&p.viscous, &p.armature})
      if (!list->empty()) list->assign(list->size(), list->front());
    if (std::holds_alternative<Free>(joint.type)) p.armature.clear();
  }
  return model;
}

Model read_back(const WriteResult& written) {
  ReadResult back = read_mjcf(written.text, "written.xml");
  EXPECT_TRUE(back.ok()) << back.diagnostics.to_string() << written.text;
  return back.model;
}

RC_GTEST_PROP(MjcfWriter, gives_the_same_dynamics_back, (std::uint64_t seed)) {
  const ModelCase model_case{static_cast<int>(1 + seed % 14), seed};
  const Model model = sayable(model_case.model({.friction = seed % 2 == 0, .armature = seed % 3 == 0}));
  const WriteResult written = write_mjcf(model);
  RC_LOG() << written.diagnostics.to_string() << written.text;
  RC_ASSERT(written.ok());
  const Model back = read_back(written);
  RC_ASSERT(back.bodies.size() == model.bodies.size());
  RC_ASSERT(difference_of_dynamics(model, back, seed + 1) < 1e-12);
}

// From then on nothing changes: what is written from what was read is the same mechanism with the same words.
RC_GTEST_PROP(MjcfWriter, settles_after_one_round, (std::uint64_t seed)) {
  const ModelCase model_case{static_cast<int>(1 + seed % 10), seed};
  const Model once = read_back(write_mjcf(sayable(model_case.model({.friction = true}))));
  const Model twice = read_back(write_mjcf(once));
  RC_ASSERT(once.joints.size() == twice.joints.size());
  for (std::size_t j = 0; j < once.joints.size(); ++j) {
    RC_ASSERT(once.joints[j].name == twice.joints[j].name);
    RC_ASSERT(once.joints[j].first == twice.joints[j].first);
    RC_ASSERT(keyword(once.joints[j].type) == keyword(twice.joints[j].type));
    RC_ASSERT(once.joints[j].properties.viscous == twice.joints[j].properties.viscous);
    RC_ASSERT(once.joints[j].properties.dry == twice.joints[j].properties.dry);
  }
  RC_ASSERT(difference_of_dynamics(once, twice, seed + 1) < 1e-12);
}

// --- one thing at a time ------------------------------------------------------------------------------------------

Model two_bodies(AnyJoint type, bool reversed = false) {
  Model model;
  add_body(model, "a", 1, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.25, 0.01, 0.02, 0.03});
  add_body(model, "b", 2, {0.3, 0.1, 0}, {0.1, 0.2, 0.25, 0, 0, 0}, {rotation_x(0.4), {1, 0, 0}});
  add_joint(model, "base", Revolute{}, "ground", "a", frame_at({0, 0, 0}, {0, 1, 0}));
  add_joint(model, "j", std::move(type), reversed ? "b" : "a", reversed ? "a" : "b",
            {rotation_z(0.3) * rotation_y(0.5), {0.5, 0.1, 0.2}});
  return model;
}

class MjcfWriterOnJoints : public ::testing::TestWithParam<AnyJoint> {};

TEST_P(MjcfWriterOnJoints, reads_each_type_back_as_it_was_in_either_direction) {
  for (const bool reversed : {false, true}) {
    const Model model = two_bodies(GetParam(), reversed);
    const WriteResult written = write_mjcf(model);
    ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
    const Model back = read_back(written);
    const Joint* joint = back.find_joint("j");
    ASSERT_NE(joint, nullptr) << written.text;
    EXPECT_EQ(keyword(joint->type), keyword(GetParam())) << written.text;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_LT(difference_of_dynamics(model, back, seed), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MjcfWriterOnJoints,
                         ::testing::Values(Revolute{}, Prismatic{}, Helical{0.2}, Cylindrical{}, Universal{},
                                           Spherical{}, Planar{}, Free{}),
                         [](const auto& test) { return std::string(keyword(test.param)); });

// It only turns, but a screw it is.
TEST(MjcfWriter, keeps_a_screw_without_pitch) {
  const Model back = read_back(write_mjcf(two_bodies(Helical{0})));
  ASSERT_NE(back.find_joint("j"), nullptr);
  EXPECT_EQ(std::get<Helical>(back.find_joint("j")->type).h, 0);
}

TEST(MjcfWriter, gives_fixed_joints_the_name_of_their_body) {
  const WriteResult written = write_mjcf(two_bodies(Fixed{}));
  EXPECT_TRUE(tells(written, "mjcf-lost"));
  const Model back = read_back(written);
  ASSERT_NE(back.find_joint("b"), nullptr);
  EXPECT_EQ(keyword(back.find_joint("b")->type), "fixed");
  EXPECT_LT(difference_of_dynamics(two_bodies(Fixed{}), back, 3), 1e-12);
}

// A weld is named after its body when read, which may be the name of a joint that is written as several.
TEST(MjcfWriter, keeps_joints_apart_from_welds_of_bodies_with_their_name) {
  for (const bool before : {false, true}) {
    Model model;
    const auto add_flange = [&] { add_body(model, "wrist", 1, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.25, 0, 0, 0}); };
    if (before) add_flange();
    add_body(model, "hand", 2, {0.3, 0.1, 0}, {0.1, 0.2, 0.25, 0, 0, 0});
    if (!before) add_flange();
    if (before) add_joint(model, "weld", Fixed{}, "ground", "wrist", {});
    add_joint(model, "wrist", Universal{}, "ground", "hand", {rotation_z(0.3), {0.5, 0.1, 0.2}});
    if (!before) add_joint(model, "weld", Fixed{}, "hand", "wrist", {});
    const Model back = read_back(write_mjcf(model));
    ASSERT_EQ(back.joints.size(), 2u);
    EXPECT_NE(back.joints[0].name, back.joints[1].name);
    ASSERT_NE(back.find_joint("wrist"), nullptr);
    EXPECT_EQ(keyword(back.find_joint("wrist")->type), "universal");
    EXPECT_LT(difference_of_dynamics(model, back, 3), 1e-12);
  }
}

TEST(MjcfWriter, keeps_the_coordinates_of_turns_and_travels) {
  for (const AnyJoint& type :
       {AnyJoint(Universal{}), AnyJoint(Planar{}), AnyJoint(Cylindrical{}), AnyJoint(Helical{0.1})}) {
    for (const bool reversed : {false, true}) {
      const Model model = two_bodies(type, reversed), back = read_back(write_mjcf(model));
      const Mechanism A = compiled(model), B = compiled(back);
      const std::vector<double> q(static_cast<std::size_t>(A.nq), 0.37), none(static_cast<std::size_t>(A.nv), 0.1);
      const Carried c = carry(model, A, q, none, none, back, B);
      for (const double x : c.q) EXPECT_NEAR(x, 0.37, 1e-14) << keyword(type) << reversed;
      EXPECT_LT((c.T - Eigen::MatrixXd::Identity(A.nv, A.nv)).cwiseAbs().maxCoeff(), 1e-13)
          << keyword(type) << reversed;
    }
  }
}

// A state of the model, written as a keyframe and read back, is the same motion.
void expect_state_kept(Model model, const std::string& what) {
  const Mechanism A = compiled(model);
  const JointStates random = random_states(model, 7);
  NamedState state;
  state.name = "start";
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    state.joints.push_back({model.joints[j].name, random.q[j], random.v[j]});
  model.states.push_back(state);
  const Model back = read_back(write_mjcf(model));
  ASSERT_EQ(back.states.size(), 1u);
  EXPECT_EQ(back.states[0].name, "start");
  const Mechanism B = compiled(back);
  const std::vector<double> q = pack_q(A, random.q), v = pack_v(A, random.v);
  const Carried c = carry(model, A, q, v, v, back, B);
  for (const NamedState::Entry& entry : back.states[0].joints) {
    const JointInfo& info = B.joints[static_cast<std::size_t>(B.find_joint(entry.joint))];
    const bool turns = info.nq > info.nv;  // a quaternion and its opposite are one turn
    const double sign = turns && entry.q[0] * c.q[static_cast<std::size_t>(info.q)] < 0 ? -1 : 1;
    for (int i = 0; i < info.nq; ++i) {
      EXPECT_NEAR(entry.q[static_cast<std::size_t>(i)],
                  (turns && i < 4 ? sign : 1) * c.q[static_cast<std::size_t>(info.q + i)], 1e-13)
          << what << " q" << i;
    }
    for (int i = 0; i < info.nv; ++i) {
      EXPECT_NEAR(entry.v[static_cast<std::size_t>(i)], c.v[static_cast<std::size_t>(info.v + i)], 1e-13)
          << what << " v" << i;
    }
  }
}

TEST(MjcfWriter, converts_states_to_keyframes_and_back) {
  for (const AnyJoint& type : {AnyJoint(Spherical{}), AnyJoint(Free{}), AnyJoint(Planar{}), AnyJoint(Helical{0.3})}) {
    for (const bool reversed : {false, true})
      expect_state_kept(two_bodies(type, reversed), std::string(keyword(type)) + (reversed ? " reversed" : ""));
  }
}

TEST(MjcfWriter, converts_states_of_bodies_that_float) {
  for (const bool reversed : {false, true}) {
    Model model = two_bodies(Revolute{});
    Joint& base = model.joints[0];
    base.type = Free{};
    base.X_AF = {rotation_x(0.2) * rotation_z(0.7), {1, 2, 3}};
    base.X_BM = {rotation_y(1.2), {0.1, 0.2, 0.3}};
    if (reversed) std::swap(base.first, base.second);
    expect_state_kept(model, reversed ? "reversed" : "forward");
  }
}

TEST(MjcfWriter, keeps_limits_also_on_one_side) {
  Model model = two_bodies(Universal{});
  model.joints[1].properties.lower = {-0.5, -infinity};
  model.joints[1].properties.upper = {infinity, 2};
  const Model back = read_back(write_mjcf(model));
  EXPECT_EQ(back.joints[1].properties.lower, model.joints[1].properties.lower);
  EXPECT_EQ(back.joints[1].properties.upper, model.joints[1].properties.upper);
}

TEST(MjcfWriter, keeps_limits_that_are_far_away) {
  Model model = two_bodies(Universal{});
  model.joints[1].properties.lower = {-2e10, -1e10};  // −1e10 is the word for none, and moves by a bit
  model.joints[1].properties.upper = {infinity, 2e300};
  Actuator drive;
  drive.name = "drive";
  drive.joint = "j";
  drive.dof = 0;
  drive.effort_lower = -2e10, drive.effort_upper = 1e11;
  model.actuators = {drive};
  const Model back = read_back(write_mjcf(model));
  EXPECT_EQ(back.joints[1].properties.lower, (std::vector<double>{-2e10, std::nextafter(-1e10, -infinity)}));
  EXPECT_EQ(back.joints[1].properties.upper, model.joints[1].properties.upper);
  ASSERT_EQ(back.actuators.size(), 1u);
  EXPECT_EQ(back.actuators[0].effort_lower, -2e10);
  EXPECT_EQ(back.actuators[0].effort_upper, 1e11);
}

TEST(MjcfWriter, keeps_actuators) {
  Model model = two_bodies(Universal{});
  const auto actuator = [](std::string name, Actuator::Kind kind, int dof) {
    Actuator a;
    a.name = std::move(name);
    a.kind = kind;
    a.joint = "j";
    a.dof = dof;
    a.gear = 3;
    return a;
  };
  model.actuators = {actuator("torque", Actuator::Kind::torque, 0), actuator("position", Actuator::Kind::position, 1),
                     actuator("damped", Actuator::Kind::position, 0),
                     actuator("velocity", Actuator::Kind::velocity, 1)};
  model.actuators[0].control_lower = -2, model.actuators[0].control_upper = 4;
  model.actuators[1].stiffness = 10, model.actuators[1].effort_lower = -1, model.actuators[1].effort_upper = 7;
  model.actuators[2].stiffness = 20, model.actuators[2].damping = 0.5;
  model.actuators[3].damping = 6;
  const Model back = read_back(write_mjcf(model));
  ASSERT_EQ(back.actuators.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Actuator &a = model.actuators[i], &b = back.actuators[i];
    EXPECT_EQ(std::tie(a.name, a.kind, a.joint, a.dof, a.gear, a.stiffness, a.damping),
              std::tie(b.name, b.kind, b.joint, b.dof, b.gear, b.stiffness, b.damping));
    EXPECT_EQ(std::tie(a.control_lower, a.control_upper, a.effort_lower, a.effort_upper),
              std::tie(b.control_lower, b.control_upper, b.effort_lower, b.effort_upper));
  }
}

TEST(MjcfWriter, keeps_limits_of_actuators_on_one_side_only) {
  Model model = two_bodies(Revolute{});
  Actuator a;
  a.name = "drive";
  a.joint = "j";
  a.control_lower = -1;
  a.effort_upper = 7;
  model.actuators = {a};
  const Model back = read_back(write_mjcf(model));
  ASSERT_EQ(back.actuators.size(), 1u);
  const Actuator& b = back.actuators[0];
  EXPECT_EQ(std::tie(b.control_lower, b.control_upper), std::make_tuple(-1.0, infinity));
  EXPECT_EQ(std::tie(b.effort_lower, b.effort_upper), std::make_tuple(-infinity, 7.0));
}

TEST(MjcfWriter, keeps_what_is_only_touched_apart_from_what_is_only_drawn) {
  Model model = two_bodies(Revolute{});
  Shape ball, box;
  ball.kind = Shape::Kind::sphere;
  ball.radius = 0.5;
  box.kind = Shape::Kind::box;
  box.size = {0.1, 0.2, 0.3};
  model.bodies[0].visuals = {box};
  model.bodies[0].collisions = {ball};
  model.bodies[1].collisions = {ball};
  const Model back = read_back(write_mjcf(model));
  ASSERT_EQ(back.bodies[0].visuals.size(), 1u);
  EXPECT_EQ(back.bodies[0].visuals[0].kind, Shape::Kind::box);
  ASSERT_EQ(back.bodies[0].collisions.size(), 1u);
  EXPECT_EQ(back.bodies[0].collisions[0].kind, Shape::Kind::sphere);
  EXPECT_TRUE(back.bodies[1].visuals.empty());
  EXPECT_EQ(back.bodies[1].collisions.size(), 1u);
}

TEST(MjcfWriter, keeps_shapes_and_points) {
  Model model = two_bodies(Revolute{});
  Shape box;
  box.kind = Shape::Kind::box;
  box.size = {0.1, 0.2, 0.3};
  box.X_BS = {rotation_y(0.3), {0.1, 0, 0}};
  box.colour = Colour{1, 0.5, 0.25, 1};
  Shape mesh;
  mesh.kind = Shape::Kind::mesh;
  mesh.mesh = "parts/arm \"left\".stl";
  mesh.scale = {0.001, 0.001, 0.001};
  Shape capsule;
  capsule.kind = Shape::Kind::capsule;
  capsule.radius = 0.1;
  capsule.length = 0.5;
  model.bodies[0].visuals = {box, mesh};
  model.bodies[0].collisions = {box, capsule};
  model.outputs.push_back({"tip <1> & \"2\"", "b", {1, 2, 3}, {}});
  model.outputs.push_back({"corner", "ground", {0, 0, 1}, {}});
  const Model back = read_back(write_mjcf(model));
  ASSERT_EQ(back.bodies[0].visuals.size(), 2u);
  ASSERT_EQ(back.bodies[0].collisions.size(), 2u);
  EXPECT_EQ(back.bodies[0].visuals[0].size, box.size);
  EXPECT_EQ(back.bodies[0].visuals[0].colour, box.colour);
  EXPECT_EQ(back.bodies[0].visuals[1].mesh, mesh.mesh);
  EXPECT_EQ(back.bodies[0].visuals[1].scale, mesh.scale);
  EXPECT_EQ(back.bodies[0].collisions[1].length, 0.5);
  ASSERT_EQ(back.outputs.size(), 2u);
  EXPECT_EQ(back.outputs[0].name, "corner");
  EXPECT_EQ(back.outputs[1].name, "tip <1> & \"2\"");
  EXPECT_EQ(back.outputs[1].p_B, (Vec3d{1, 2, 3}));
}

// --- loops --------------------------------------------------------------------------------------------------------

Model four_bar(AnyJoint closing) {
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 1, {}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({0, 0.4, 0}, {0, 0, 1}));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, "B", std::move(closing), "coupler", "rocker", frame_at({1.2, 0.8, 0}, {0, 0, 1})).cut = true;
  return model;
}

TEST(MjcfWriter, closes_loops_by_connect_and_weld) {
  for (const AnyJoint& type : {AnyJoint(Spherical{}), AnyJoint(Fixed{})}) {
    const Model model = four_bar(type);
    const WriteResult written = write_mjcf(model);
    ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
    EXPECT_TRUE(tells(written, "mjcf-soft"));
    const Model back = read_back(written);
    const Joint* joint = back.find_joint("B");
    ASSERT_NE(joint, nullptr);
    EXPECT_EQ(keyword(joint->type), keyword(type));
    EXPECT_TRUE(joint->cut);
    EXPECT_EQ(joint->first, "coupler");
    const Transformd X_AB = joint->X_AF * inverse(joint->X_BM),
                     expected = model.joints[3].X_AF * inverse(model.joints[3].X_BM);
    EXPECT_LT(norm(X_AB.p - expected.p), 1e-14);
    EXPECT_LT(norm(X_AB.R.ex - expected.R.ex) + norm(X_AB.R.ey - expected.R.ey), 1e-14);
  }
}

// Read as one joint again: tests/readers/mjcf_hinges_test.cpp.
TEST(MjcfWriter, closes_a_loop_at_a_hinge_by_two_points) {
  const WriteResult written = write_mjcf(four_bar(Revolute{}));
  ASSERT_TRUE(written.ok()) << written.diagnostics.to_string();
  EXPECT_TRUE(tells(written, "mjcf-closure-twice"));
  EXPECT_NE(written.text.find(R"(<connect name="B.1" body1="coupler" body2="rocker" anchor="1.2 0.8 -0.05"/>)"),
            std::string::npos);
  EXPECT_NE(written.text.find(R"(<connect name="B.2" body1="coupler" body2="rocker" anchor="1.2 0.8 0.05"/>)"),
            std::string::npos);
}

TEST(MjcfWriter, refuses_what_would_be_another_mechanism) {
  EXPECT_TRUE(tells(write_mjcf(four_bar(Cylindrical{})), "mjcf-closure", Severity::error));
  Model open = four_bar(Spherical{});
  open.joints[3].X_BM.p.x += 0.1;
  EXPECT_TRUE(tells(write_mjcf(open), "mjcf-open-loop", Severity::error));
  Model apart = two_bodies(Revolute{});
  apart.joints.pop_back();
  EXPECT_TRUE(tells(write_mjcf(apart), "body-not-joined", Severity::error));
  Model coupled = two_bodies(Spherical{});
  coupled.couplings.push_back({"c", Coupling::Kind::gear, "base", "j", 0, 1, 2, 0, {}});
  EXPECT_TRUE(tells(write_mjcf(coupled), "mjcf-coupling", Severity::error));
}

TEST(MjcfWriter, chooses_a_tree_whose_loops_close_where_MJCF_can) {
  Model model = four_bar(Cylindrical{});
  model.joints[3].cut = false;
  const WriteResult written = write_mjcf(model);
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
}

TEST(MjcfWriter, keeps_couplings) {
  Model model = two_bodies(Universal{});
  model.couplings.push_back({"c", Coupling::Kind::mimic, "base", "j", 0, 1, -2, 0.25, {}});
  const WriteResult written = write_mjcf(model);
  EXPECT_TRUE(tells(written, "mjcf-soft"));
  const Model back = read_back(written);
  ASSERT_EQ(back.couplings.size(), 1u);
  const Coupling& c = back.couplings[0];
  EXPECT_EQ(std::tie(c.name, c.first, c.second), std::make_tuple("c", "base", "j"));
  EXPECT_EQ(std::tie(c.first_dof, c.second_dof, c.ratio, c.offset), std::make_tuple(0, 1, -2.0, 0.25));
}

// --- what is told -------------------------------------------------------------------------------------------------

TEST(MjcfWriter, tells_what_is_lost) {
  Model model = two_bodies(Spherical{});
  model.bodies[0].name = model.joints[0].second = model.joints[1].first = "world";
  model.points.push_back({"P", {1, 2, 3}, {}});
  model.joints[0].properties.dry = {0.1};
  model.joints[0].properties.dry_speed = 0.5;
  model.joints[0].properties.effort_limit = {5};
  model.joints[1].properties.armature = {0.1, 0.2, 0.3};
  model.joints[0].q_initial = {0.5};
  model.bodies[1].mass = 0;
  model.bodies[1].inertia = {};
  const WriteResult written = write_mjcf(model);
  EXPECT_EQ(written.diagnostics.to_string(),
            R"(warning: the speed that smooths dry friction is lost: answers change at low speeds: 'base'
  fix: nothing else can be done      [mjcf-friction]
warning: dry friction is a soft constraint in MuJoCo: 'base'
  fix: nothing needs to be done      [mjcf-friction]
warning: limits of speed and effort of joints are lost: 'base'
  fix: give them to actuators      [mjcf-lost]
warning: armature and friction of spherical and free joints that MJCF cannot say are lost: answers change: 'j'
  fix: MJCF has one number for all axes of such a joint, and none for the armature of free ones      [mjcf-friction]
warning: spherical and free joints get other coordinates: those of the body's axes: 'j'
  fix: nothing needs to be done; keyframes are converted      [mjcf-coordinates]
warning: MuJoCo refuses bodies that move and have no mass: 'b'
  fix: give them a small mass      [mjcf-refused]
warning: points are lost; outputs become sites
  fix: make outputs of them      [mjcf-lost]
warning: 'world' is what MuJoCo calls the ground; the body is called 'world_body'
  fix: rename it      [mjcf-name]
warning: the initial state becomes a keyframe: 'initial'
  fix: nothing needs to be done      [mjcf-lost]
)");
  const Model back = read_back(written);
  EXPECT_NE(back.find_body("world_body"), nullptr);
  ASSERT_EQ(back.states.size(), 1u);
  EXPECT_EQ(back.states[0].joints[0].q, std::vector<double>{0.5});
}

// The warning that begins so, with the names it is about, or nothing.
std::string warning_that_begins(const WriteResult& result, const std::string& begin) {
  for (const Diagnostic& d : result.diagnostics.all())
    if (d.severity == Severity::warning && d.what.rfind(begin, 0) == 0) return d.what;
  return {};
}

TEST(MjcfWriter, names_each_thing_once) {
  Model model = two_bodies(Revolute{});
  Shape plate;
  plate.kind = Shape::Kind::plate;
  model.bodies[0].visuals = {plate, plate, plate};
  model.bodies[1].visuals = {plate, plate};
  EXPECT_EQ(warning_that_begins(write_mjcf(model), "plates"), "plates are lost; masses are kept: 'a', 'b'");
}

TEST(MjcfWriter, tells_joints_that_it_turns_round) {
  const std::string told =
      "joints named against the tree are named along it, with the same coordinates: reactions are on the other body: "
      "'j'";
  for (const AnyJoint& type :
       {AnyJoint(Revolute{}), AnyJoint(Prismatic{}), AnyJoint(Cylindrical{}), AnyJoint(Helical{0.1})})
    EXPECT_EQ(warning_that_begins(write_mjcf(two_bodies(type, true)), "joints named"), told);
  for (const AnyJoint& type : {AnyJoint(Universal{}), AnyJoint(Planar{})})  // read as they were
    EXPECT_EQ(warning_that_begins(write_mjcf(two_bodies(type, true)), "joints named"), "");
}

TEST(MjcfWriter, tells_what_becomes_of_solids) {
  Model model = two_bodies(Revolute{});
  Shape ball;
  ball.kind = Shape::Kind::sphere;
  ball.radius = 0.5;
  for (Body& body : model.bodies) body.shapes = {ball};
  model.bodies[1].visuals = {ball};
  const WriteResult written = write_mjcf(model);
  EXPECT_EQ(warning_that_begins(written, "solids are written as numbers of mass and"),
            "solids are written as numbers of mass and as geoms that weigh nothing: 'a'");
  EXPECT_EQ(warning_that_begins(written, "solids are written as numbers of mass only"),
            "solids are written as numbers of mass only: 'b'");
}

TEST(MjcfWriter, tells_where_a_free_joint_is_moved_to) {
  Model model = two_bodies(Revolute{});
  model.joints[0].type = Free{};
  model.joints[0].X_AF = model.joints[0].X_BM = {};
  EXPECT_EQ(warning_that_begins(write_mjcf(model), "spherical and free"), "");
  model.joints[0].X_BM = Transformd::translation({0, 0, 1});
  EXPECT_NE(warning_that_begins(write_mjcf(model), "spherical and free"), "");
}

TEST(MjcfWriter, tells_each_thing_that_a_joint_loses_by_closing_a_loop) {
  struct Case {
    const char* warning;
    std::function<void(Joint&)> give;
  };
  const char* const friction = "friction of joints that close loops is lost";
  const char* const position = "limits of position of joints that close loops are lost";
  const char* const speed = "limits of speed and effort of joints that close loops are lost";
  const char* const state = "positions and velocities of joints that close loops are lost from states";
  const std::vector<Case> cases{
      {friction, [](Joint& joint) { joint.properties.viscous = {0.1}; }},
      {friction, [](Joint& joint) { joint.properties.dry = {0.1}; }},
      {"armature of joints that close loops is lost", [](Joint& joint) { joint.properties.armature = {0.1}; }},
      {position, [](Joint& joint) { joint.properties.lower = {-1}; }},
      {position, [](Joint& joint) { joint.properties.upper = {1}; }},
      {speed, [](Joint& joint) { joint.properties.velocity_limit = {1}; }},
      {speed, [](Joint& joint) { joint.properties.effort_limit = {1}; }},
      {state, [](Joint& joint) { joint.q_initial = {1}; }},
      {state, [](Joint& joint) { joint.v_initial = {1}; }},
  };
  for (const Case& c : cases) {
    Model model = four_bar(Revolute{});
    EXPECT_EQ(warning_that_begins(write_mjcf(model), c.warning), "");
    c.give(model.joints[3]);
    EXPECT_EQ(warning_that_begins(write_mjcf(model), c.warning), std::string(c.warning) + ": 'B'");
  }
}

TEST(MjcfWriter, tells_once_that_states_lose_a_joint_that_closes_a_loop) {
  Model model = four_bar(Revolute{});
  for (const char* name : {"start", "end"}) {
    NamedState state;
    state.name = name;
    state.joints = {{"O2", {0.1}, {}}, {"B", {0.2}, {0.3}}};
    model.states.push_back(state);
  }
  EXPECT_EQ(warning_that_begins(write_mjcf(model), "positions and velocities"),
            "positions and velocities of joints that close loops are lost from states: 'B'");
}

TEST(MjcfWriter, says_nothing_of_what_a_closing_joint_does_not_have) {
  Model model = four_bar(Revolute{});
  JointProperties& p = model.joints[3].properties;
  p.viscous = p.dry = p.armature = {0};
  p.lower = {-infinity};
  p.upper = p.velocity_limit = p.effort_limit = {infinity};
  for (const char* begin : {"friction", "armature", "limits", "positions"})
    EXPECT_EQ(warning_that_begins(write_mjcf(model), begin), "");
}

// MuJoCo and our own reader refuse a range without room.
TEST(MjcfWriter, leaves_out_limits_without_room_and_says_so) {
  Model model = two_bodies(Revolute{});
  Joint& joint = model.joints.back();
  joint.properties.lower = joint.properties.upper = {0};
  const WriteResult written = write_mjcf(model);
  EXPECT_NE(warning_that_begins(written, "limits that leave a joint no room are lost"), "");
  EXPECT_EQ(written.text.find("range="), std::string::npos);
  EXPECT_TRUE(read_mjcf(written.text, "written.xml").ok());
}

TEST(MjcfWriter, writes_every_model_of_the_project_that_it_can_say) {
  int written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(test::source_dir()) / "models")) {
    if (entry.path().extension() != ".yaml") continue;
    const ReadResult read = read_model(entry.path().string());
    ASSERT_TRUE(read.ok());
    const WriteResult result = write_mjcf(read.model);
    if (!result.ok()) continue;
    ++written;
    const ReadResult back = read_mjcf(result.text, "written.xml");
    EXPECT_TRUE(back.ok()) << entry.path() << back.diagnostics.to_string();
    EXPECT_EQ(back.model.bodies.size(), read.model.bodies.size()) << entry.path();
  }
  EXPECT_GE(written, 12);
}

}  // namespace
}  // namespace trammel

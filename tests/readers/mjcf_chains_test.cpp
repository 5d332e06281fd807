// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Several joints in one body of MJCF are a chain here, through bodies without mass, which MuJoCo refuses to have: when
// they are written they are joints of one body again. So are chains that were drawn that way. (That MuJoCo takes them, and
// finds the same dynamics: tests/peer/mjcf_peer_test.cpp.)

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/readers.hpp>

#include "readers/same_model.hpp"
#include "readers/same_motion.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using namespace test;

std::string warning_of(const WriteResult& result, const std::string& id) {
  for (const Diagnostic& d : result.diagnostics.all())
    if (d.id == id) return d.what;
  return {};
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

Model read_back(const WriteResult& written) {
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
  ReadResult back = read_mjcf(written.text, "written.xml");
  EXPECT_TRUE(back.ok()) << back.diagnostics.to_string() << written.text;
  return back.model;
}

double difference(const Model& from, const Model& to, std::uint64_t seed) {
  return motion_difference(from, to, seed).without_forward();
}

// base —first→ cross —second→ arm, all with frames of their own.
Model two_in_a_row(AnyJoint first, AnyJoint second, bool first_reversed = false, bool second_reversed = false) {
  Model model;
  add_body(model, "base", 2, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.25, 0.01, 0.02, 0.03}, {rotation_y(0.2), {0, 0.3, 0}});
  add_body(model, "cross", 0, {}, {}, {rotation_z(0.3) * rotation_x(1.0), {1, 2, 3}});
  add_body(model, "arm", 1, {0.3, 0.1, 0}, {0.1, 0.2, 0.25, 0, 0.01, 0}, {rotation_x(0.4), {1, 0, 0}});
  add_joint(model, "foot", Revolute{}, "ground", "base", frame_at({0, 0, 0}, {0, 1, 0}));
  add_joint(model, "inner", std::move(first), first_reversed ? "cross" : "base", first_reversed ? "base" : "cross",
            {rotation_z(0.3) * rotation_y(0.5), {0.5, 0.1, 0.2}});
  add_joint(model, "outer", std::move(second), second_reversed ? "arm" : "cross", second_reversed ? "cross" : "arm",
            {rotation_x(1.3) * rotation_y(-0.5), {0.6, 0.1, -0.2}});
  // Rotors, as without them two balls in a row leave the spin of what is between undetermined.
  for (Joint& joint : model.joints)
    if (nv(joint.type) <= 3) joint.properties.armature.assign(static_cast<std::size_t>(nv(joint.type)), 0.2);
  return model;
}

// As the reader calls a body between two joints, so that the two models can be compared body by body.
Model called_as_read(Model model) {
  model.bodies[1].name = "arm/inner";
  for (Joint& joint : model.joints)
    for (std::string* body : {&joint.first, &joint.second})
      if (*body == "cross") *body = "arm/inner";
  return model;
}

TEST(MjcfChains, become_joints_of_one_body_in_all_directions) {
  const std::vector<AnyJoint> types{Revolute{},  Prismatic{}, Helical{0.2}, Cylindrical{},
                                    Universal{}, Planar{},    Spherical{}};
  int folded = 0;
  for (const AnyJoint& first : types) {
    for (const AnyJoint& second : types) {
      for (int directions = 0; directions < 4; ++directions) {
        const Model model = called_as_read(two_in_a_row(first, second, (directions & 1) != 0, (directions & 2) != 0));
        const WriteResult written = write_mjcf(model);
        const std::string label = std::string(keyword(first)) + " " + std::string(keyword(second)) + written.text;
        const bool ball_before_a_turn =
            std::holds_alternative<Spherical>(first) && !std::holds_alternative<Prismatic>(second);
        EXPECT_EQ(count_of(written.text, "<body "), ball_before_a_turn ? 3 : 2) << label;
        EXPECT_EQ(warning_of(written, "mjcf-refused").empty(), !ball_before_a_turn) << label;
        folded += ball_before_a_turn ? 0 : 1;
        const Model back = read_back(written);
        ASSERT_EQ(back.joints.size(), 3u) << label;
        EXPECT_EQ(keyword(back.find_joint("inner")->type), keyword(first)) << label;
        EXPECT_EQ(keyword(back.find_joint("outer")->type), keyword(second)) << label;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) EXPECT_LT(difference(model, back, seed), 1e-12) << label;
      }
    }
  }
  EXPECT_EQ(folded, 4 * (49 - 6));
}

// Bodies of random models are numbered from the ground outwards.
int number_of(const std::string& body) { return body == ground_name ? -1 : std::stoi(body.substr(body.find(' '))); }

// Random trees in which some joints are two, with a body without mass between them.
Model with_chains(Model model, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t j = 0, count = model.joints.size(); j < count; ++j) {
    if (nv(model.joints[j].type) > 3 || nv(model.joints[j].type) == 0 || !random.chance(0.5)) continue;
    const bool reversed = number_of(model.joints[j].first) > number_of(model.joints[j].second);
    const std::string name = model.joints[j].name, outer = reversed ? model.joints[j].first : model.joints[j].second;
    Transformd& X_outer = reversed ? model.joints[j].X_AF : model.joints[j].X_BM;
    const Transformd X_WJ = model.find_body(outer)->X_WB * X_outer, X_WC = random.pose();
    const std::string between = outer + "/" + name;
    (reversed ? model.joints[j].first : model.joints[j].second) = between;
    X_outer = inverse(X_WC) * X_WJ;
    add_body(model, between, 0, {}, {}, X_WC);
    const AnyJoint further[] = {Revolute{}, Prismatic{}, Universal{}};
    const bool other_way = random.chance(0.5);
    add_joint(model, name + " further", further[random.integer(0, 2)], other_way ? outer : between,
              other_way ? between : outer, {random.rotation(), X_WJ.p + random.vector(0.3)});
  }
  return model;
}

RC_GTEST_PROP(MjcfChains, give_the_same_dynamics_back, (std::uint64_t seed)) {
  const ModelCase model_case{static_cast<int>(1 + seed % 9), seed};
  RandomModelOptions options;
  options.massless_welds = 0;
  Model model = with_chains(model_case.model(options), seed + 1);
  const WriteResult written = write_mjcf(model);
  RC_LOG() << written.diagnostics.to_string() << written.text;
  RC_ASSERT(written.ok());
  const Model back = read_back(written);
  RC_ASSERT(back.bodies.size() == model.bodies.size());
  RC_ASSERT(difference(model, back, seed + 2) < 1e-12);
}

// A file with several joints in a body comes back name by name, and without a warning about it.
TEST(MjcfChains, of_files_come_back_as_they_were) {
  int compared = 0;
  for (const char* name : {"composite_joints", "keyframes", "ref", "actuators"}) {
    const ReadResult read = read_model(test::source_dir() + "/tests/readers/mjcf/" + name + ".xml");
    ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
    const WriteResult written = write_mjcf(read.model);
    EXPECT_EQ(warning_of(written, "mjcf-refused"), "") << name;
    EXPECT_EQ(warning_of(written, "mjcf-folded"), "") << name;
    EXPECT_EQ(first_difference(read.model, read_back(written), 1e-12), "") << name << written.text;
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

TEST(MjcfChains, of_three_joints_are_one_body_too) {
  Model model = two_in_a_row(Revolute{}, Prismatic{});
  add_body(model, "tip", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  model.bodies[2].mass = 0, model.bodies[2].com = {}, model.bodies[2].inertia = {};
  add_joint(model, "last", Universal{}, "arm", "tip", {rotation_y(0.3), {1, 1, 0}});
  const WriteResult written = write_mjcf(model);
  EXPECT_EQ(count_of(written.text, "<body "), 2u) << written.text;
  EXPECT_EQ(warning_of(written, "mjcf-folded"),
            "bodies without mass between joints become joints of one body, and get another name and frame when read: "
            "'cross', 'arm'");
  const Model back = read_back(written);
  EXPECT_NE(back.find_body("tip/inner"), nullptr);
  EXPECT_NE(back.find_body("tip/outer"), nullptr);
}

// A weld in the chain is no joint: the body is merged with the next.
TEST(MjcfChains, go_through_welds_of_bodies_without_mass) {
  Model model = two_in_a_row(Revolute{}, Fixed{});
  add_body(model, "tip", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  model.bodies[2].mass = 0, model.bodies[2].com = {}, model.bodies[2].inertia = {};
  add_joint(model, "last", Revolute{}, "arm", "tip", frame_at({1, 1, 0}, {1, 0, 0}));
  const WriteResult written = write_mjcf(model);
  EXPECT_EQ(count_of(written.text, "<body "), 2u) << written.text;
  EXPECT_EQ(warning_of(written, "mjcf-refused"), "");
  const Model back = read_back(written);
  ASSERT_EQ(back.bodies.size(), 3u);
  Model expected = model;  // with the two as one body
  expected.bodies.erase(expected.bodies.begin() + 2);
  expected.bodies[1].name = expected.joints[1].second = "tip/inner";
  expected.joints[3].first = "tip/inner";
  expected.joints[3].X_AF = inverse(model.bodies[1].X_WB) * model.bodies[2].X_WB * model.joints[3].X_AF;
  expected.joints.erase(expected.joints.begin() + 2);
  EXPECT_LT(difference(expected, back, 3), 1e-12);
}

// MuJoCo takes a body without mass if one with mass is welded to it: nothing needs to be folded, and no name is lost.
TEST(MjcfChains, leave_a_body_alone_that_carries_a_weld_with_mass) {
  const WriteResult written = write_mjcf(two_in_a_row(Revolute{}, Fixed{}));
  EXPECT_EQ(count_of(written.text, "<body "), 3u);
  EXPECT_EQ(warning_of(written, "mjcf-refused") + warning_of(written, "mjcf-folded"), "");
}

TEST(MjcfChains, end_at_bodies_that_something_else_needs) {
  const auto expect_kept = [](const Model& model, const std::string& why) {
    const WriteResult written = write_mjcf(model);
    EXPECT_EQ(count_of(written.text, "name=\"cross\""), 1u) << why << written.text;
    EXPECT_EQ(warning_of(written, "mjcf-refused"), "MuJoCo refuses bodies that move and have no mass: 'cross'") << why;
  };
  Model model = two_in_a_row(Revolute{}, Revolute{});
  EXPECT_EQ(count_of(write_mjcf(model).text, "name=\"cross\""), 0u);
  model.outputs.push_back({"middle", "cross", {}, {}});
  expect_kept(model, "a point");

  model = two_in_a_row(Revolute{}, Revolute{});
  Shape ball;
  ball.kind = Shape::Kind::sphere;
  ball.radius = 0.1;
  model.bodies[1].visuals = {ball};
  expect_kept(model, "a shape");

  model = two_in_a_row(Revolute{}, Revolute{});
  add_joint(model, "loop", Spherical{}, "cross", "ground", {}).cut = true;
  expect_kept(model, "a loop");

  model = two_in_a_row(Revolute{}, Revolute{});
  add_body(model, "other", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "second arm", Revolute{}, "cross", "other", {});
  expect_kept(model, "two branches");

  expect_kept(two_in_a_row(Free{}, Revolute{}), "seven freedoms");
}

TEST(MjcfChains, keep_friction_limits_states_drives_and_couplings) {
  Model model = two_in_a_row(Universal{}, Prismatic{}, false, true);
  model.joints[1].properties.viscous = {0.1, 0.2};
  model.joints[1].properties.lower = {-1, -infinity};
  model.joints[1].properties.upper = {1, 2};
  model.joints[2].properties.armature = {0.3};
  Actuator drive;
  drive.name = "drive";
  drive.joint = "outer";
  drive.gear = 3;
  model.actuators = {drive};
  model.couplings.push_back({"c", Coupling::Kind::mimic, "foot", "inner", 0, 1, -2, 0.25, {}});
  NamedState state;
  state.name = "start";
  state.joints = {{"foot", {0.1}, {1}}, {"inner", {0.2, 0.3}, {2, 3}}, {"outer", {0.4}, {4}}};
  model.states = {state};
  const Model back = read_back(write_mjcf(model));
  for (const char* name : {"inner", "outer"}) {
    const JointProperties &p = model.find_joint(name)->properties, &q = back.find_joint(name)->properties;
    EXPECT_EQ(p.viscous, q.viscous);
    EXPECT_EQ(p.lower, q.lower);
    EXPECT_EQ(p.upper, q.upper);
    EXPECT_EQ(p.armature, q.armature);
  }
  ASSERT_EQ(back.actuators.size(), 1u);
  EXPECT_EQ(back.actuators[0].joint, "outer");
  ASSERT_EQ(back.couplings.size(), 1u);
  EXPECT_EQ(std::tie(back.couplings[0].second, back.couplings[0].second_dof), std::make_tuple("inner", 1));
  ASSERT_EQ(back.states.size(), 1u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.states[0].joints[i].joint, state.joints[i].joint);
    EXPECT_EQ(back.states[0].joints[i].q, state.joints[i].q);
    EXPECT_EQ(back.states[0].joints[i].v, state.joints[i].v);
  }
}

// --- names --------------------------------------------------------------------------------------------------------

// Joints that have the names of the parts of others: the parts get other names, and are still read as one joint.
TEST(MjcfNames, of_parts_make_way_for_those_of_the_model) {
  struct Case {
    AnyJoint type;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases{{Universal{}, {"x.angle1", "x.angle2"}},
                                {Cylindrical{}, {"x.angle", "x.travel"}},
                                {Helical{0.1}, {"x.angle", "x.travel"}},
                                {Planar{}, {"x.x", "x.y", "x.angle"}},
                                {Free{}, {"x.x", "x.y", "x.z", "x.turn"}}};
  for (const Case& c : cases) {
    for (const std::string& taken : c.parts) {
      Model model = two_in_a_row(c.type, Revolute{});
      for (Body& body : model.bodies) body.mass = 1, body.inertia = Sym3d::diagonal(0.1);
      model.joints[0].name = taken + "_";
      model.joints[1].name = "x";
      model.joints[2].name = taken;
      model.bodies[1].name = model.joints[1].second = model.joints[2].first = "x." + taken;
      const WriteResult written = write_mjcf(model);
      EXPECT_EQ(warning_of(written, "mjcf-name"), "") << written.diagnostics.to_string();
      const Model back = read_back(written);
      ASSERT_EQ(back.joints.size(), 3u) << written.text;
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(back.joints[j].name, model.joints[j].name) << written.text;
        EXPECT_EQ(keyword(back.joints[j].type), keyword(model.joints[j].type)) << written.text;
        EXPECT_EQ(back.joints[j].second, model.joints[j].second) << written.text;
      }
      EXPECT_LT(difference(model, back, 5), 1e-12);
    }
  }
}

// Two joints of a chain that happen to be called as the parts of one would be are read as that one: the same motion, told.
TEST(MjcfNames, like_those_of_parts_are_told) {
  Model model = two_in_a_row(Revolute{}, Revolute{});
  model.joints[1].name = "wrist.angle1";
  model.joints[2].name = "wrist.angle2";
  EXPECT_EQ(warning_of(write_mjcf(model), "mjcf-name"), "");  // their axes are not those of a universal joint
  for (std::size_t b = 0; b < 3; ++b) model.bodies[b].X_WB = {};
  model.joints[1].X_AF = model.joints[1].X_BM = frame_at({1, 0, 0}, {0, 1, 0});
  model.joints[2].X_AF = model.joints[2].X_BM = frame_at({1, 0, 0}, {0, 0, 1});
  const WriteResult written = write_mjcf(model);
  EXPECT_EQ(warning_of(written, "mjcf-name"),
            "joints of one body are read as others, because of how they are called: 'wrist.angle1', 'wrist.angle2'");
  const Model back = read_back(written);
  ASSERT_NE(back.find_joint("wrist"), nullptr);
  EXPECT_EQ(keyword(back.find_joint("wrist")->type), "universal");
}

// A weld has no name in MJCF and gets that of its body, but not where a loop has it.
TEST(MjcfNames, of_loops_stay_where_a_body_is_called_alike) {
  for (const AnyJoint& closing : {AnyJoint(Spherical{}), AnyJoint(Revolute{})}) {
    Model model = two_in_a_row(Revolute{}, Fixed{});
    add_joint(model, "arm", closing, "arm", "ground", {}).cut = true;
    const Model back = read_back(write_mjcf(model));
    ASSERT_NE(back.find_joint("arm"), nullptr);
    EXPECT_EQ(keyword(back.find_joint("arm")->type), keyword(closing));
    EXPECT_TRUE(back.find_joint("arm")->cut);
  }
}

// Only names that a hinge may get are kept for it.
TEST(MjcfNames, of_welds_are_those_of_their_bodies_where_they_can_be) {
  const ReadResult read = read_mjcf(R"(<mujoco><worldbody>
    <body name="arm"><geom size="1"/></body><body name="leg"><geom size="1"/></body></worldbody>
    <equality><connect name="arm.left" body1="arm" anchor="0 0 0"/><connect name="leg.1" body1="leg" anchor="0 0 0"/>
    </equality></mujoco>)",
                                    "names.xml");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.model.joints[0].name, "arm");
  EXPECT_EQ(read.model.joints[1].name, "leg_2");
}

TEST(UrdfNames, of_parts_make_way_for_those_of_the_model) {
  Model model = two_in_a_row(Universal{}, Revolute{});
  for (Body& body : model.bodies) body.mass = 1, body.inertia = Sym3d::diagonal(0.1);
  model.joints[1].name = "x";
  model.joints[2].name = "x_angle1";
  model.bodies[1].name = model.joints[1].second = model.joints[2].first = "x_link";
  const WriteResult written = write_urdf(model);
  ASSERT_TRUE(written.ok());
  const ReadResult back = read_urdf(written.text, "written.urdf");
  ASSERT_TRUE(back.ok()) << back.diagnostics.to_string() << written.text;
  EXPECT_NE(back.model.find_joint("x_angle1_"), nullptr);
  EXPECT_NE(back.model.find_joint("x_angle2"), nullptr);
  EXPECT_NE(back.model.find_body("x_link_"), nullptr);
  EXPECT_EQ(back.model.find_joint("x_angle1")->first, "x_link");
}

}  // namespace
}  // namespace trammel

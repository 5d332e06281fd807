// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A loop that closes by a hinge is two <connect> in MJCF; reading makes one revolute joint of them again. The reason: two
// points of a body that are held leave it the turn about the line through them, and nothing else.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/loops.hpp>
#include <trammel/readers.hpp>

#include "support/random_linkage.hpp"

namespace trammel {
namespace {

using namespace test;

Model four_bar(AnyJoint closing, const std::string& first, const std::string& second, const std::string& name = "B") {
  Model model;
  add_body(model, "crank", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0}, {rotation_z(0.3), {0.1, 0.2, 0}});
  add_body(model, "coupler", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0}, {rotation_x(0.7), {0, 0.2, 0.5}});
  add_body(model, "rocker", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0}, {rotation_y(1.1), {0.1, 0, 0}});
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({0, 0.4, 0}, {0, 0, 1}));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, name, std::move(closing), first, second, frame_at({1.2, 0.8, 0}, {0, 0, 1})).cut = true;
  return model;
}

ReadResult read_back(const WriteResult& written) {
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
  ReadResult back = read_mjcf(written.text, "written.xml");
  EXPECT_TRUE(back.ok()) << back.diagnostics.to_string() << written.text;
  return back;
}

// The same hinge: on both bodies the same line, in the same direction, and zero where it is drawn.
void expect_same_hinge(const Joint& joint, const Joint* other, double tolerance = 1e-13) {
  ASSERT_NE(other, nullptr) << joint.name;
  EXPECT_EQ(keyword(other->type), keyword(joint.type));
  EXPECT_EQ(other->first, joint.first);
  EXPECT_EQ(other->second, joint.second);
  for (const auto& [ours, read] : {std::pair(joint.X_AF, other->X_AF), std::pair(joint.X_BM, other->X_BM)}) {
    EXPECT_LT(norm(read.R.ez - ours.R.ez), tolerance) << joint.name;
    EXPECT_LT(norm(read.p - ours.p), tolerance * (1 + norm(ours.p))) << joint.name;
  }
  EXPECT_TRUE(other->cut);
}

TEST(MjcfHinges, survive_between_all_ends) {
  for (const auto& [first, second] : {std::pair("coupler", "rocker"), std::pair("rocker", "coupler"),
                                      std::pair("ground", "coupler"), std::pair("coupler", "ground")}) {
    const Model model = four_bar(Revolute{}, first, second);
    const ReadResult back = read_back(write_mjcf(model));
    ASSERT_EQ(back.model.joints.size(), 4u);
    expect_same_hinge(model.joints[3], back.model.find_joint("B"));
  }
}

// So do the other joints that can close a loop, whichever end is the ground.
TEST(MjcfHinges, are_not_the_only_ones_to_survive) {
  for (const AnyJoint& type : {AnyJoint(Spherical{}), AnyJoint(Fixed{})}) {
    for (const auto& [first, second] :
         {std::pair("coupler", "rocker"), std::pair("ground", "coupler"), std::pair("coupler", "ground")}) {
      const Model model = four_bar(type, first, second);
      const ReadResult back = read_back(write_mjcf(model));
      const Joint *ours = &model.joints[3], *read = back.model.find_joint("B");
      ASSERT_NE(read, nullptr);
      EXPECT_EQ(keyword(read->type), keyword(type));
      EXPECT_EQ(read->first, first);
      EXPECT_EQ(read->second, second);
      const Vec3d there =
          std::holds_alternative<Fixed>(type) ? read->X_AF * inverse(read->X_BM) * ours->X_BM.p : read->X_AF.p;
      EXPECT_LT(norm(there - ours->X_AF.p), 1e-14);
    }
  }
}

TEST(MjcfHinges, far_from_their_bodies_keep_their_axis) {
  Model model = four_bar(Revolute{}, "coupler", "rocker");
  const Transformd X_WJ = frame_at({5000, 300, -800}, {0.1, 0.2, 1});
  model.joints[3].X_AF = inverse(model.bodies[1].X_WB) * X_WJ;
  model.joints[3].X_BM = inverse(model.bodies[2].X_WB) * X_WJ;
  expect_same_hinge(model.joints[3], read_back(write_mjcf(model)).model.find_joint("B"), 1e-12);
}

// By the rank of all conditions together, here and nearby.
std::pair<int, int> mobility_of(const Model& model) {
  const Mechanism mechanism = compiled(model);
  LoopSolver solver(mechanism);
  const Mobility mobility = find_mobility(solver, design_state(mechanism).q);
  return {mobility.here, mobility.generic};
}

// Every loop of a random linkage is the same after reading, and the linkage as mobile as it was.
RC_GTEST_PROP(MjcfHinges, of_random_linkages_survive, (std::uint64_t seed)) {
  RandomLinkageOptions options;
  options.bodies = 3 + static_cast<int>(seed % 4);
  options.loops = 1 + static_cast<int>(seed % 3);
  options.planar = seed % 2 == 0;
  Model model = random_linkage(seed, options);
  for (Joint& joint : model.joints)  // of these, hinges are what MJCF can close loops by
    if (joint.cut) joint.type = Revolute{};
  const WriteResult written = write_mjcf(model);
  RC_LOG() << written.diagnostics.to_string() << written.text;
  RC_ASSERT(written.ok());
  const ReadResult back = read_mjcf(written.text, "written.xml");
  RC_ASSERT(back.ok());
  RC_ASSERT(back.model.joints.size() == model.joints.size());
  for (const Joint& joint : model.joints) {
    if (!joint.cut) continue;
    const Joint* other = back.model.find_joint(joint.name);
    RC_ASSERT(other != nullptr);
    RC_ASSERT(std::holds_alternative<Revolute>(other->type));
    RC_ASSERT(other->first == joint.first);
    RC_ASSERT(norm(other->X_AF.R.ez - joint.X_AF.R.ez) + norm(other->X_BM.R.ez - joint.X_BM.R.ez) < 1e-12);
    RC_ASSERT(norm(other->X_AF.p - joint.X_AF.p) + norm(other->X_BM.p - joint.X_BM.p) < 1e-12);
  }
  RC_ASSERT(mobility_of(back.model) == mobility_of(model));
}

TEST(MjcfHinges, between_the_same_bodies_are_told_apart) {
  Model model = four_bar(Revolute{}, "coupler", "rocker");
  add_joint(model, "C", Revolute{}, "coupler", "rocker", frame_at({0, 1, 1}, {1, 0, 0})).cut = true;
  add_joint(model, "D", Spherical{}, "rocker", "coupler", Transformd::translation({3, 1, 1})).cut = true;
  const ReadResult back = read_back(write_mjcf(model));
  ASSERT_EQ(back.model.joints.size(), 6u);
  expect_same_hinge(model.joints[3], back.model.find_joint("B"));
  expect_same_hinge(model.joints[4], back.model.find_joint("C"));
  EXPECT_EQ(keyword(back.model.find_joint("D")->type), "spherical");
}

// --- what is recognised -------------------------------------------------------------------------------------------

ReadResult read_equalities(const std::string& equalities, const std::string& more = "") {
  return read_mjcf(fmt::format(R"(<mujoco><worldbody>
    <body name="a"><joint name="one"/><geom size="1"/><site name="a1" pos="0 0 1"/><site name="a2" pos="0 1 1"/></body>
    <body name="b" pos="0 2 0"><joint name="two"/><geom size="1"/><site name="b1" pos="0 -2 1"/><site name="b2" pos="0 -1 1"/>
      <site name="b3" pos="0 -1.5 1"/></body>
  </worldbody>{}<equality>
{}
  </equality></mujoco>)",
                               more, equalities),
                   "pair.xml");
}

std::vector<std::string> closures(const ReadResult& read) {
  std::vector<std::string> list;
  for (const Joint& joint : read.model.joints)
    if (joint.cut) list.push_back(fmt::format("{} {}", keyword(joint.type), joint.name));
  return list;
}

using List = std::vector<std::string>;

TEST(MjcfHinges, are_recognised_by_their_anchors_and_told) {
  const ReadResult read = read_equalities(R"(    <connect name="left" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="right" body1="a" body2="b" anchor="1 1 2"/>)");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  EXPECT_EQ(closures(read), List{"revolute left"});
  const Joint& hinge = read.model.joints.back();
  EXPECT_EQ(hinge.X_AF.p, (Vec3d{1, 1, 1}));
  EXPECT_EQ(hinge.X_AF.R.ez, (Vec3d{0, 0, 1}));
  EXPECT_EQ(hinge.X_BM.p, (Vec3d{1, -1, 1}));
  EXPECT_EQ(
      read.diagnostics.to_string(),
      "pair.xml:6:5: warning: connections 'left' and 'right' hold the same two bodies at two points: they are read as "
      "one revolute joint 'left'\n"
      "  fix: nothing needs to be done: it moves alike      [mjcf-hinge]\n");
}

TEST(MjcfHinges, are_recognised_whichever_body_comes_first) {
  const ReadResult read = read_equalities(R"(<connect name="j.1" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="j.2" body1="b" body2="a" anchor="1 -1 2"/>)");
  EXPECT_EQ(closures(read), List{"revolute j"});
  EXPECT_EQ(read.model.joints.back().X_AF.R.ez, (Vec3d{0, 0, 1}));
  EXPECT_EQ(read.model.joints.back().X_AF.p, (Vec3d{1, 1, 1}));
}

TEST(MjcfHinges, are_recognised_to_the_world_and_in_two_sections) {
  const ReadResult read = read_equalities(R"(<connect name="j.2__" body1="a" anchor="1 1 2"/>)",
                                          R"(<equality><connect name="j.1__" body1="a" anchor="1 1 0"/></equality>)");
  EXPECT_EQ(closures(read), List{"revolute j"});
  EXPECT_EQ(read.model.joints.back().second, "ground");
}

TEST(MjcfHinges, are_recognised_at_sites_that_coincide) {
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" site1="a1" site2="b1"/>
    <connect name="q" site1="a2" site2="b2"/>)")),
            List{"revolute p"});
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" site1="a1" site2="b1"/>
    <connect name="q" site1="a2" site2="b3"/>)")),
            (List{"spherical p", "spherical q"}));
}

TEST(MjcfHinges, are_not_seen_where_there_are_none) {
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="q" body1="a" body2="b" anchor="1 1 0"/>)")),
            (List{"spherical p", "spherical q"}));  // one point twice
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="q" body1="a" anchor="1 1 1"/>)")),
            (List{"spherical p", "spherical q"}));  // to different bodies
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="q" body1="a" body2="b" anchor="1 1 1"/><connect name="r" body1="a" body2="b" anchor="0 1 1"/>)")),
            (List{"spherical p", "spherical q", "spherical r"}));  // a weld, by three points
  EXPECT_EQ(closures(read_equalities(R"(<connect name="p" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="q" body1="a" body2="b" anchor="1 1 1" active="false"/>)")),
            List{"spherical p"});
}

// --- names --------------------------------------------------------------------------------------------------------

TEST(MjcfHinges, keep_their_names_where_others_are_called_like_their_parts) {
  for (const std::string taken : {"B.1", "B.2", "B.1_"}) {
    Model model = four_bar(Revolute{}, "coupler", "rocker");
    add_joint(model, taken, Spherical{}, "crank", "rocker", Transformd::translation({2, 2, 2})).cut = true;
    model.couplings.push_back({"B.2_", Coupling::Kind::mimic, "O2", "A", 0, 0, 2, 0, {}});
    const ReadResult back = read_back(write_mjcf(model));
    expect_same_hinge(model.joints[3], back.model.find_joint("B"));
    ASSERT_NE(back.model.find_joint(taken), nullptr);
    EXPECT_EQ(keyword(back.model.find_joint(taken)->type), "spherical");
    EXPECT_EQ(back.model.couplings[0].name, "B.2_");
  }
}

TEST(MjcfHinges, do_not_take_a_name_that_is_there) {
  const ReadResult read = read_equalities(R"(<connect name="one.1" body1="a" body2="b" anchor="1 1 0"/>
    <connect name="one.2" body1="a" body2="b" anchor="1 1 2"/>)");
  EXPECT_EQ(closures(read), List{"revolute one.1"});
}

// --- coordinates --------------------------------------------------------------------------------------------------

TEST(MjcfHinges, tell_when_their_angle_is_counted_from_elsewhere) {
  const auto told = [](const Model& model) {
    const WriteResult written = write_mjcf(model);
    for (const Diagnostic& d : written.diagnostics.all())
      if (d.id == "mjcf-coordinates") return d.what;
    return std::string{};
  };
  Model model = four_bar(Revolute{}, "coupler", "rocker");
  EXPECT_EQ(told(model), "");
  model.joints[3].X_BM.R = model.joints[3].X_BM.R * rotation_z(0.2);
  EXPECT_EQ(
      told(model),
      "joints that close loops get other coordinates: zero where the model is drawn, in the axes of the body: 'B'");
  model = four_bar(Spherical{}, "coupler", "rocker");
  EXPECT_NE(told(model), "");  // its axes are not the body's
  const Transformd X_WA = model.bodies[1].X_WB, X_WB = model.bodies[2].X_WB;
  model.joints[3].X_AF = Transformd::translation({1, 2, 3});
  model.joints[3].X_BM = inverse(X_WB) * X_WA * model.joints[3].X_AF;
  EXPECT_EQ(told(model), "");
}

}  // namespace
}  // namespace trammel

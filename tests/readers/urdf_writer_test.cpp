// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is written as URDF reads back to the same mechanism, to round-off of its angles; and what URDF cannot say is told.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/dynamics.hpp>
#include <trammel/readers.hpp>

#include "readers/same_model.hpp"
#include "support/dense.hpp"
#include "support/random_model.hpp"

namespace trammel {
namespace {

using namespace test;

std::vector<std::string> ids(const Diagnostics& diagnostics) {
  std::vector<std::string> list;
  for (const Diagnostic& d : diagnostics.all()) list.push_back(d.id);
  return list;
}
bool tells(const WriteResult& result, const std::string& id, Severity severity = Severity::warning) {
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.id == id && d.severity == severity) return true;
  }
  return false;
}

// Joint types that URDF has, or that it can say as two; planar and free ones named from the tree outwards.
Model urdf_model(const ModelCase& model_case, bool friction) {
  Model model = model_case.model({.friction = friction});
  model.gravity = {0, 0, -9.81};
  for (Joint& joint : model.joints) {
    if (std::holds_alternative<Helical>(joint.type)) joint.type = Revolute{};
    if (std::holds_alternative<Spherical>(joint.type)) joint.type = Universal{}, joint.properties = {};
    joint.properties.dry_speed = JointProperties{}.dry_speed;
    if (std::holds_alternative<Planar>(joint.type)) joint.properties = {};
  }
  return model;
}

// Every joint named outwards from the ground, as URDF has it: with the frames and types as they are.
Model named_outwards(Model model) {
  std::vector<std::string> reached{std::string(ground_name)};
  const auto is_reached = [&](const std::string& name) {
    return std::find(reached.begin(), reached.end(), name) != reached.end();
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (Joint& joint : model.joints) {
      if (is_reached(joint.first) == is_reached(joint.second)) continue;
      if (!is_reached(joint.first)) {
        std::swap(joint.first, joint.second);
        std::swap(joint.X_AF, joint.X_BM);
      }
      reached.push_back(joint.second);
      grows = true;
    }
  }
  return model;
}

// Where the coordinates of a joint went: themselves, or its parts' by name.
struct Mapping {
  std::vector<int> q, v;  // index in the written mechanism for each in the first one
};
Mapping map_coordinates(const Mechanism& from, const Mechanism& to) {
  Mapping map;
  map.q.resize(static_cast<std::size_t>(from.nq), -1);
  map.v.resize(static_cast<std::size_t>(from.nv), -1);
  for (const JointInfo& joint : from.joints) {
    if (joint.role != JointRole::tree) continue;
    const int whole = to.find_joint(joint.name);
    for (int i = 0; i < joint.nv; ++i) {
      const auto at = static_cast<std::size_t>(joint.v + i);
      if (whole >= 0) {
        map.v[at] = to.joints[static_cast<std::size_t>(whole)].v + i;
      } else {
        const std::string part = joint.name + "_" + std::string(freedoms(joint.type)[static_cast<std::size_t>(i)].name);
        map.v[at] = to.joints[static_cast<std::size_t>(to.find_joint(part))].v;
      }
    }
    for (int i = 0; i < joint.nq; ++i) {
      const auto at = static_cast<std::size_t>(joint.q + i);
      if (whole >= 0) {
        map.q[at] = to.joints[static_cast<std::size_t>(whole)].q + i;
      } else {
        const std::string part = joint.name + "_" + std::string(freedoms(joint.type)[static_cast<std::size_t>(i)].name);
        map.q[at] = to.joints[static_cast<std::size_t>(to.find_joint(part))].q;
      }
    }
  }
  return map;
}

std::vector<double> carried(const std::vector<double>& values, const std::vector<int>& map, int size) {
  std::vector<double> out(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) out[static_cast<std::size_t>(map[i])] = values[i];
  return out;
}
std::vector<double> brought_back(const std::vector<double>& values, const std::vector<int>& map) {
  std::vector<double> out;
  for (const int i : map) out.push_back(values[static_cast<std::size_t>(i)]);
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 1, worst = 0;
  for (const double x : a) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / size);
  return worst;
}

// τ and the energies of both mechanisms in the same state: no equations are solved, so only round-off differs.
double difference_of_dynamics(const Model& a, const Model& b, std::uint64_t seed) {
  const Mechanism A = compiled(a), B = compiled(b);
  EXPECT_EQ(A.nv, B.nv);
  const JointStates states = random_states(a, seed);
  const std::vector<double> q = pack_q(A, states.q), v = pack_v(A, states.v), acc = pack_v(A, states.a);
  const Mapping map = map_coordinates(A, B);
  const std::vector<double> q2 = carried(q, map.q, B.nq), v2 = carried(v, map.v, B.nv),
                            acc2 = carried(acc, map.v, B.nv);
  Workspace wa(A), wb(B);
  std::vector<double> tau(v.size()), tau2(v2.size());
  inverse_dynamics(A, wa, q, v, acc, tau);
  inverse_dynamics(B, wb, q2, v2, acc2, tau2);
  double worst = largest_difference(tau, brought_back(tau2, map.v));
  const Energy<double> ea = compute_energy(A, wa, v), eb = compute_energy(B, wb, v2);
  worst = std::max(worst, std::abs(ea.kinetic - eb.kinetic) / (1 + std::abs(ea.kinetic)));
  return std::max(worst, std::abs(ea.potential - eb.potential) / (1 + std::abs(ea.potential)));
}

RC_GTEST_PROP(UrdfWriter, gives_the_same_dynamics_back, (std::uint64_t seed)) {
  const ModelCase model_case{static_cast<int>(1 + seed % 12), seed};
  const Model model = named_outwards(urdf_model(model_case, true));
  const WriteResult written = write_urdf(model);
  RC_LOG() << written.diagnostics.to_string() << written.text;
  RC_ASSERT(written.ok());
  const ReadResult back = read_urdf(written.text, "written.urdf");
  RC_ASSERT(back.ok());
  RC_ASSERT(difference_of_dynamics(model, back.model, seed + 1) < 1e-12);
}

// Turns and travels keep their coordinates also where the tree runs through them backwards; free and planar joints
// cannot, and say so.
RC_GTEST_PROP(UrdfWriter, keeps_coordinates_of_joints_named_either_way, (std::uint64_t seed)) {
  Model model = urdf_model({static_cast<int>(1 + seed % 12), seed}, false);
  for (Joint& joint : model.joints) {
    if (nq(joint.type) > 2) joint.type = Prismatic{};
  }
  const WriteResult written = write_urdf(model);
  RC_ASSERT(written.ok());
  RC_ASSERT(difference_of_dynamics(model, read_urdf(written.text, "written.urdf").model, seed + 1) < 1e-12);
}

// A model that came from a URDF is written so that it reads back the same, name by name.
RC_GTEST_PROP(UrdfWriter, reads_back_to_the_same_model, (std::uint64_t seed)) {
  const WriteResult first = write_urdf(urdf_model({static_cast<int>(1 + seed % 12), seed}, true));
  const ReadResult model = read_urdf(first.text, "written.urdf");
  const WriteResult second = write_urdf(model.model);
  RC_LOG() << first.text << second.text;
  RC_ASSERT(second.ok());
  const ReadResult back = read_urdf(second.text, "written.urdf");
  RC_ASSERT(back.ok());
  RC_ASSERT(first_difference(model.model, back.model, 1e-12) == "");
}

TEST(UrdfWriter, writes_what_it_read) {
  const std::string text = R"(<?xml version="1.0"?>
<robot name="two &amp; more">
  <link name="world"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0.1" iyy="2" iyz="0" izz="2.5"/>
    </inertial>
    <visual>
      <origin xyz="0 0 1" rpy="0 0 0.5"/>
      <geometry><box size="1 2 3"/></geometry>
      <material name="rgba 1 0 0 1"><color rgba="1 0 0 1"/></material>
    </visual>
    <visual>
      <geometry><mesh filename="package://p/&quot;a&quot;.stl" scale="0.001 0.001 0.001"/></geometry>
    </visual>
    <collision>
      <geometry><cylinder radius="0.5" length="2"/></geometry>
    </collision>
  </link>
  <link name="hand">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <link name="finger">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.5"/>
    <parent link="world"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="wrist" type="continuous">
    <origin xyz="0.5 0 0"/>
    <parent link="arm"/>
    <child link="hand"/>
    <axis xyz="0 0 -1"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="hand"/>
    <child link="finger"/>
    <axis xyz="1 0 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/>
  </joint>
</robot>
)";
  const ReadResult read = read_urdf(text, "two.urdf");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  const WriteResult written = write_urdf(read.model);
  EXPECT_EQ(written.diagnostics.to_string(), "");
  EXPECT_EQ(written.text, text);
}

// Where pitch is a right angle, roll and yaw turn about the same axis; the rotation still comes back.
TEST(UrdfWriter, finds_angles_where_pitch_is_a_right_angle) {
  const double right = std::acos(0.0);
  for (const double pitch : {right, -right, right - 1e-9, right + 1e-12, 0.3}) {
    for (const double yaw : {0.0, 0.7, -3.0}) {
      Model model;
      model.name = "m";
      add_body(model, "a", 1, {}, {1, 1, 1, 0, 0, 0});
      const Mat3d R = rotation_z(yaw) * rotation_y(pitch) * rotation_x(1.1);
      add_joint(model, "j", Fixed{}, "ground", "a", {}).X_AF = {R, {1, 2, 3}};
      const ReadResult again = read_urdf(write_urdf(model).text, "m.urdf");
      const Mat3d& back = again.model.find_body("a")->X_WB.R;
      EXPECT_LT(norm(back.ex - R.ex) + norm(back.ey - R.ey) + norm(back.ez - R.ez), 1e-14) << pitch << " " << yaw;
    }
  }
}

Model one_joint(AnyJoint type) {
  Model model;
  model.name = "m";
  add_body(model, "a", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "j", std::move(type), "ground", "a", {});
  return model;
}

TEST(UrdfWriter, refuses_what_would_be_another_mechanism) {
  EXPECT_TRUE(tells(write_urdf(one_joint(Spherical{})), "urdf-joint-type", Severity::error));
  EXPECT_TRUE(tells(write_urdf(one_joint(Helical{.h = 0.1})), "urdf-joint-type", Severity::error));
  Model loop = one_joint(Revolute{});
  add_joint(loop, "closes", Revolute{}, "a", "ground", {});
  EXPECT_TRUE(tells(write_urdf(loop), "urdf-loop", Severity::error));
  EXPECT_NE(write_urdf(loop).diagnostics.to_string().find("joint 'closes' closes a loop"), std::string::npos);
  loop.joints[0].cut = true;
  EXPECT_NE(write_urdf(loop).diagnostics.to_string().find("joint 'j' closes a loop"), std::string::npos);
  Model apart = one_joint(Revolute{});
  add_body(apart, "b", 1, {}, {1, 1, 1, 0, 0, 0});
  EXPECT_TRUE(tells(write_urdf(apart), "body-not-joined", Severity::error));
}

TEST(UrdfWriter, tells_what_is_lost) {
  EXPECT_EQ(write_urdf(one_joint(Revolute{})).diagnostics.to_string(), "");
  const auto lost = [](AnyJoint type, const auto& change) {
    Model model = one_joint(std::move(type));
    change(model);
    return ids(write_urdf(model).diagnostics);
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.gravity = {0, 0, 0}; }), Ids{"urdf-gravity"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { set_unit(m.units, "length", "mm"); }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.joints[0].properties.armature = {1}; }), Ids{"urdf-armature"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.joints[0].q_initial = {1}; }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.points.push_back({"P", {}, {}}); }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.outputs.push_back({"P", "a", {}, {}}); }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.actuators.emplace_back().joint = "j"; }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.states.emplace_back(); }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.joints[0].properties.lower = {0}; }), Ids{"urdf-lost"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.joints[0].X_BM.p.x = m.joints[0].X_AF.p.x = 1; }),
            Ids{"urdf-frame-moved"});
  EXPECT_EQ(lost(Prismatic{}, [](Model&) {}), Ids{"urdf-limits-incomplete"});
  EXPECT_EQ(lost(Universal{}, [](Model&) {}), Ids{"urdf-split"});
  EXPECT_EQ(lost(Cylindrical{}, [](Model&) {}), (Ids{"urdf-split", "urdf-limits-incomplete"}));
  EXPECT_EQ(lost(Planar{}, [](Model& m) { m.joints[0].properties.viscous = {1, 1, 1}; }), Ids{"urdf-friction"});
  EXPECT_EQ(lost(Free{}, [](Model& m) { std::swap(m.joints[0].first, m.joints[0].second); }), Ids{"urdf-reversed"});
  EXPECT_EQ(lost(Revolute{},
                 [](Model& m) {
                   m.joints[0].properties.dry = {1};
                   m.joints[0].properties.dry_speed = 1;
                 }),
            Ids{"urdf-friction"});
  EXPECT_EQ(lost(Revolute{}, [](Model& m) { m.bodies[0].shapes.emplace_back().kind = Shape::Kind::plate; }),
            (Ids{"urdf-lost", "urdf-lost"}));
}

TEST(UrdfWriter, names_each_thing_once) {
  Model model = one_joint(Revolute{});
  Shape plate;
  plate.kind = Shape::Kind::plate;
  model.bodies[0].visuals = {plate, plate, plate};
  EXPECT_EQ(write_urdf(model).diagnostics.to_string(),
            "warning: ellipsoids and plates are not drawn: 'a'\n  fix: URDF has no word for them      [urdf-lost]\n");
}

TEST(UrdfWriter, tells_joints_that_it_turns_round) {
  Model model = one_joint(Revolute{});
  std::swap(model.joints[0].first, model.joints[0].second);
  std::swap(model.joints[0].X_AF, model.joints[0].X_BM);
  EXPECT_EQ(
      write_urdf(model).diagnostics.to_string(),
      "warning: joints named against the tree are named along it, with the same coordinates: reactions are on the "
      "other body: 'j'\n  fix: name the bodies of the joint the other way      [urdf-reversed]\n");
}

TEST(UrdfWriter, writes_couplings_as_mimic) {
  Model model = one_joint(Revolute{});
  add_body(model, "b", 1, {}, {1, 1, 1, 0, 0, 0});
  add_body(model, "c", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "k", Revolute{}, "a", "b", {});
  add_joint(model, "l", Revolute{}, "b", "c", {});
  model.couplings.push_back(
      {.name = "g", .kind = Coupling::Kind::gear, .first = "j", .second = "k", .ratio = -2, .offset = 1, .where = {}});
  // k follows j already, so l follows k by the inverse: q_l = q_k/4 − 0.5
  model.couplings.push_back(
      {.name = "h", .kind = Coupling::Kind::mimic, .first = "l", .second = "k", .ratio = 4, .offset = 2, .where = {}});
  const WriteResult written = write_urdf(model);
  EXPECT_EQ(written.diagnostics.to_string(),
            "warning: couplings are called after the joint that follows when they are read: 'g', 'h'\n"
            "  fix: nothing needs to be done      [urdf-lost]\n"
            "warning: gears, racks and screws are written as <mimic>: 'g'\n"
            "  fix: the relation is the same      [urdf-lost]\n"
            "warning: couplings are turned round: the joint that drives follows: 'h'\n"
            "  fix: the relation is the same      [urdf-lost]\n");
  const Model back = read_urdf(written.text, "m.urdf").model;
  ASSERT_EQ(back.couplings.size(), 2u);
  EXPECT_EQ(back.couplings[0].first, "j");
  EXPECT_EQ(back.couplings[0].ratio, -2);
  EXPECT_EQ(back.couplings[0].offset, 1);
  EXPECT_EQ(back.couplings[1].first, "k");
  EXPECT_EQ(back.couplings[1].second, "l");
  EXPECT_EQ(back.couplings[1].ratio, 0.25);
  EXPECT_EQ(back.couplings[1].offset, -0.5);
  model.couplings.push_back({.name = "i", .first = "j", .second = "l", .where = {}});
  EXPECT_NE(write_urdf(model).diagnostics.to_string().find(
                "error: coupling 'i' closes a circle of couplings, which <mimic> cannot say\n"
                "  fix: leave it out if it follows from the others; else write the native format or MJCF      "
                "[urdf-coupling]"),
            std::string::npos);
}

}  // namespace
}  // namespace trammel

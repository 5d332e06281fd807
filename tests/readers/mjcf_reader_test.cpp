// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What becomes of MJCF in the model, for what MuJoCo 2.2.2 cannot be asked about (tests/peer has the rest): names, frames
// as elements, shapes, drives as numbers, and files made to hurt.

#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

#include "readers/limited_child.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

constexpr double degree = 0.017453292519943295;

Model read(const std::string& text) {
  ReadResult result = read_mjcf(text, "test.xml");
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return result.model;
}
Model read_world(const std::string& world, const std::string& rest = {}) {
  return read("<mujoco>" + rest + "<worldbody>" + world + "</worldbody></mujoco>");
}
bool says(const ReadResult& result, const std::string& id) {
  for (const Diagnostic& d : result.diagnostics.all())
    if (d.id == id) return true;
  return false;
}
double apart(const Transformd& a, const Transformd& b) {
  return norm(a.p - b.p) + norm(a.R.ex - b.R.ex) + norm(a.R.ey - b.R.ey) + norm(a.R.ez - b.R.ez);
}

TEST(MjcfReader, takes_the_name_of_the_model_or_of_the_file) {
  EXPECT_EQ(
      read("<mujoco model='arm'><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody></mujoco>").name,
      "arm");
  EXPECT_EQ(read_world("<body name='a'><joint/><geom size='1'/></body>").name, "test");
}

TEST(MjcfReader, draws_bodies_where_the_file_has_them) {
  const Model model = read_world(
      "<body name='a' pos='1 2 3' euler='0 0 90'><joint name='j' axis='0 1 0' pos='0 0 0.5'/><geom size='1'/>"
      "<body name='b' pos='1 0 0'><geom size='1'/></body></body>");
  EXPECT_LT(apart(model.bodies[0].X_WB, {rotation_z(90 * degree), {1, 2, 3}}), 1e-15);
  EXPECT_LT(apart(model.bodies[1].X_WB, {rotation_z(90 * degree), {1, 3, 3}}), 1e-15);
  const Joint& joint = model.joints[0];
  EXPECT_EQ(joint.first, "ground");
  EXPECT_EQ(joint.X_BM.p, (Vec3d{0, 0, 0.5}));
  EXPECT_EQ(joint.X_BM.R.ez, (Vec3d{0, 1, 0}));
  EXPECT_LT(norm(joint.X_AF.p - Vec3d{1, 2, 3.5}), 1e-15);
  EXPECT_EQ(keyword(model.joints[1].type), "fixed");
  EXPECT_EQ(model.joints[1].name, "b");
}

TEST(MjcfReader, puts_bodies_without_mass_between_the_joints_of_a_body) {
  const Model model = read_world(
      "<body name='a'><joint name='x' type='slide' axis='1 0 0'/><joint type='ball'/><joint name='z'/><geom "
      "size='1'/></body>");
  ASSERT_EQ(model.bodies.size(), 3u);
  EXPECT_EQ(model.bodies[0].name, "a/x");
  EXPECT_EQ(model.bodies[1].name, "a/2");
  EXPECT_EQ(model.bodies[2].name, "a");
  EXPECT_EQ(model.bodies[0].mass, 0);
  EXPECT_EQ(model.joints[1].name, "a.2");
  EXPECT_EQ(model.joints[2].first, "a/2");
}

TEST(MjcfReader, makes_one_joint_of_parts_only_where_they_fit) {
  const auto type_of = [](const std::string& joints) {
    const Model model = read_world("<body name='a'>" + joints + "<geom size='1'/></body>");
    return model.joints.size() == 1 ? std::string(keyword(model.joints[0].type)) : "chain";
  };
  EXPECT_EQ(type_of("<joint name='j.angle1' axis='1 0 0'/><joint name='j.angle2' axis='0 1 0'/>"), "universal");
  EXPECT_EQ(type_of("<joint name='j.angle2' axis='1 0 0'/><joint name='j.angle1' axis='0 1 0'/>"), "universal");
  EXPECT_EQ(type_of("<joint name='j.angle1' axis='1 0 0'/><joint name='k.angle2' axis='0 1 0'/>"), "chain");
  EXPECT_EQ(type_of("<joint name='j.angle1' axis='1 0.01 0'/><joint name='j.angle2' axis='0 1 0'/>"), "chain");
  EXPECT_EQ(type_of("<joint name='j.angle1' axis='1 0 0'/><joint name='j.angle2' axis='0 1 0' pos='0 0 1'/>"), "chain");
  EXPECT_EQ(type_of("<joint name='j.angle'/><joint name='j.travel' type='slide'/>"), "cylindrical");
  EXPECT_EQ(type_of("<joint name='j.angle'/><joint name='j.travel' type='slide' axis='0 1 0'/>"), "chain");
  EXPECT_EQ(type_of("<joint name='j.x' type='slide' axis='1 0 0'/><joint name='j.y' type='slide' axis='0 1 0'/>"
                    "<joint name='j.angle'/>"),
            "planar");
  EXPECT_EQ(type_of("<joint name='j.x' type='slide' axis='1 0 0'/><joint name='j.y' type='slide' axis='0 -1 0'/>"
                    "<joint name='j.angle'/>"),
            "chain");
  EXPECT_EQ(type_of("<joint name='.angle1' axis='1 0 0'/><joint name='.angle2' axis='0 1 0'/>"), "chain");
}

TEST(MjcfReader, reads_frames_as_if_their_contents_were_moved) {
  const Model framed = read_world(
      "<frame pos='1 0 0' euler='0 0 90'><frame pos='0 0 2' childclass='c'>"
      "<body name='a' pos='0 1 0'><frame euler='90 0 0'><joint name='j' axis='0 0 1' pos='0 0 1'/>"
      "<geom size='0.1' pos='0 0 3'/><site name='s' pos='0 0 4'/></frame></body></frame></frame>",
      "<default><default class='c'><joint damping='5'/></default></default>");
  const Model plain = read_world(
      "<body name='a' pos='0 0 2' euler='0 0 90'><joint name='j' axis='0 -1 0' pos='0 -1 0' damping='5'/>"
      "<geom size='0.1' pos='0 -3 0'/><site name='s' pos='0 -4 0'/></body>");
  EXPECT_LT(apart(framed.bodies[0].X_WB, plain.bodies[0].X_WB), 1e-15);
  EXPECT_LT(norm(framed.bodies[0].com - plain.bodies[0].com), 1e-15);
  EXPECT_LT(norm(framed.joints[0].X_BM.p - plain.joints[0].X_BM.p), 1e-15);
  EXPECT_LT(norm(framed.joints[0].X_BM.R.ez - plain.joints[0].X_BM.R.ez), 1e-15);
  EXPECT_EQ(framed.joints[0].properties.viscous, plain.joints[0].properties.viscous);
  EXPECT_LT(norm(framed.outputs[0].p_B - plain.outputs[0].p_B), 1e-15);
}

// Three geoms with products of inertia about all axes, which MuJoCo's own principal axes round off.
TEST(MjcfReader, adds_up_the_masses_of_geoms) {
  const Model model = read_world(
      "<body name='a'><joint/><geom size='0.1' pos='1 0 0' mass='1'/><geom size='0.1' pos='0 2 0' mass='2'/>"
      "<geom size='0.1' pos='0 0 3' mass='3'/><geom size='9' mass='0'/></body>");
  const Body& a = model.bodies[0];
  EXPECT_DOUBLE_EQ(a.mass, 6);
  EXPECT_LT(norm(a.com - Vec3d{1. / 6, 4. / 6, 9. / 6}), 1e-15);
  // About the origin: Σ m (p² 1 − p pᵀ) + 6 · 2/5 · 0.01; then to the centre of mass.
  const double ball = 6 * 0.4 * 0.01;
  EXPECT_NEAR(a.inertia.xx, 2 * 4 + 3 * 9 + ball - 6 * (16 + 81) / 36., 1e-13);
  EXPECT_NEAR(a.inertia.yy, 1 + 3 * 9 + ball - 6 * (1 + 81) / 36., 1e-13);
  EXPECT_NEAR(a.inertia.zz, 1 + 2 * 4 + ball - 6 * (1 + 16) / 36., 1e-13);
  EXPECT_NEAR(a.inertia.xy, 6 * 4 / 36., 1e-13);
  EXPECT_NEAR(a.inertia.xz, 6 * 9 / 36., 1e-13);
  EXPECT_NEAR(a.inertia.yz, 6 * 36 / 36., 1e-13);
}

TEST(MjcfReader, keeps_a_full_inertia_to_the_last_bit) {
  const Model model =
      read_world("<body name='a'><joint/><inertial pos='1 2 3' mass='4' fullinertia='1 2 2.5 0.1 0.2 0.3'/></body>");
  EXPECT_EQ(model.bodies[0].inertia, (Sym3d{1, 2, 2.5, 0.1, 0.2, 0.3}));
}

TEST(MjcfReader, keeps_shapes_colours_and_meshes) {
  const Model model = read_world(
      "<body name='a'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "<geom type='box' size='1 2 3' rgba='1 0.5 0 1'/><geom type='capsule' size='0.1 0.4' contype='0' "
      "conaffinity='0'/>"
      "<geom type='mesh' mesh='arm' material='steel' pos='1 0 0'/><geom type='ellipsoid' size='1 2 3' "
      "contype='0'/></body>",
      "<compiler meshdir='meshes'/><asset><mesh name='arm' file='arm.stl' scale='2 2 2' refpos='0 0 1'/>"
      "<material name='steel' rgba='0.4 0.4 0.5 1'/></asset>");
  const Body& a = model.bodies[0];
  ASSERT_EQ(a.visuals.size(), 4u);
  ASSERT_EQ(a.collisions.size(), 3u);
  EXPECT_TRUE(a.shapes.empty());
  EXPECT_EQ(a.visuals[0].size, (Vec3d{2, 4, 6}));
  EXPECT_EQ(a.visuals[0].colour, (Colour{1, 0.5, 0, 1}));
  EXPECT_EQ(a.visuals[1].length, 0.8);
  EXPECT_EQ(a.visuals[2].mesh, "meshes/arm.stl");
  EXPECT_EQ(a.visuals[2].scale, (Vec3d{2, 2, 2}));
  EXPECT_EQ(a.visuals[2].X_BS.p, (Vec3d{1, 0, -2}));  // MuJoCo takes refpos off before it scales
  EXPECT_EQ(a.visuals[2].colour, (Colour{0.4, 0.4, 0.5, 1}));
  EXPECT_EQ(a.visuals[3].size, (Vec3d{1, 2, 3}));
}

TEST(MjcfReader, closes_loops_at_sites_too) {
  const Model model = read(
      "<mujoco><worldbody><body name='a'><joint name='a'/><geom size='1'/><site name='p' pos='0 0 1'/></body>"
      "<body name='b' pos='1 0 0'><joint name='b'/><geom size='1'/><site name='q' pos='0 1 0' euler='90 0 0'/></body>"
      "</worldbody><equality><connect name='c' site1='p' site2='q'/><weld name='w' site1='p' "
      "site2='q'/></equality></mujoco>");
  const Joint &c = *model.find_joint("c"), &w = *model.find_joint("w");
  EXPECT_EQ(keyword(c.type), "spherical");
  EXPECT_EQ(keyword(w.type), "fixed");
  EXPECT_EQ(c.X_AF.p, (Vec3d{0, 0, 1}));
  EXPECT_EQ(c.X_BM.p, (Vec3d{0, 1, 0}));
  EXPECT_LT(apart(w.X_BM, {rotation_x(90 * degree), {0, 1, 0}}), 1e-15);
  EXPECT_TRUE(c.cut && w.cut);
}

TEST(MjcfReader, makes_loops_of_equalities_without_changing_the_tree) {
  const Model model = read(
      "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody>"
      "<equality><weld body1='a'/></equality></mujoco>");
  const CompileResult compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  EXPECT_EQ(compiled.mechanism.nv, 6);
  ASSERT_EQ(compiled.mechanism.loops.size(), 1u);
}

TEST(MjcfReader, reads_servos_with_damping) {
  const Model model = read(
      "<mujoco><worldbody><body name='a'><joint name='a'/><geom size='1'/></body></worldbody>"
      "<actuator><position joint='a' kp='10' kv='2'/></actuator></mujoco>");
  ASSERT_EQ(model.actuators.size(), 1u);
  EXPECT_EQ(model.actuators[0].kind, Actuator::Kind::position);
  EXPECT_EQ(model.actuators[0].name, "a");
  EXPECT_EQ(model.actuators[0].stiffness, 10);
  EXPECT_EQ(model.actuators[0].damping, 2);
}

// What a servo does not say itself it has from its class, as in MuJoCo 3; kv takes the place of dampratio.
TEST(MjcfReader, reads_servos_with_settings_of_their_class) {
  const auto servo = [](const std::string& in_class, const std::string& own) {
    return read_mjcf(
        "<mujoco><default><default class='c'><position kp='100' " + in_class +
            "/></default></default><worldbody><body name='a'><joint name='a'/><geom size='1'/></body></worldbody>"
            "<actuator><position class='c' joint='a' " +
            own + "/></actuator></mujoco>",
        "test.xml");
  };
  const ReadResult damped = servo("kv='5'", "");
  ASSERT_EQ(damped.model.actuators.size(), 1u);
  EXPECT_EQ(damped.model.actuators[0].stiffness, 100);
  EXPECT_EQ(damped.model.actuators[0].damping, 5);
  EXPECT_EQ(servo("kv='5'", "kp='7'").model.actuators.at(0).damping, 5);
  EXPECT_EQ(servo("kv='5'", "kv='3'").model.actuators.at(0).damping, 3);
  EXPECT_EQ(servo("dampratio='1'", "kv='3'").model.actuators.at(0).damping, 3);
  EXPECT_EQ(servo("timeconst='0.1'", "timeconst='0'").model.actuators.size(), 1u);
  for (const char* unknown : {"dampratio='1'", "timeconst='0.1'", "inheritrange='1'"}) {
    const ReadResult left_out = servo(unknown, "");
    EXPECT_TRUE(left_out.model.actuators.empty()) << unknown;
    EXPECT_TRUE(says(left_out, "actuator-left-out")) << unknown;
  }
  EXPECT_TRUE(servo("kv='5'", "dampratio='1'").model.actuators.empty());
}

// A mass that comes from boundmass alone is where MuJoCo 2.2.2 has it: at the only geom, or, without one, at the body's pos in its own frame.
TEST(MjcfReader, puts_a_bounded_mass_where_MuJoCo_does) {
  const char* bounds = "<compiler boundmass='0.5' boundinertia='0.01'/>";
  const Model at_geom =
      read_world("<body name='a' pos='0 1 0'><joint/><geom size='0.1' pos='0.4 0 0' mass='0'/></body>", bounds);
  EXPECT_EQ(at_geom.bodies[0].mass, 0.5);
  EXPECT_EQ(at_geom.bodies[0].com, (Vec3d{0.4, 0, 0}));
  const Model at_pos = read_world("<body name='a' pos='0 1 0'><joint/></body>", bounds);
  EXPECT_EQ(at_pos.bodies[0].mass, 0.5);
  EXPECT_EQ(at_pos.bodies[0].com, (Vec3d{0, 1, 0}));
}

TEST(MjcfReader, leaves_out_springs_that_a_flag_switches_off) {
  const std::string body = "<body name='a'><joint name='ground' stiffness='3'/><geom size='1'/></body>";
  EXPECT_FALSE(read_mjcf("<mujoco><worldbody>" + body + "</worldbody></mujoco>", "test.xml").ok());
  const ReadResult read = read_mjcf(
      "<mujoco><option><flag spring='disable'/></option><worldbody>" + body + "</worldbody></mujoco>", "test.xml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  EXPECT_TRUE(says(read, "mjcf-left-out"));
  EXPECT_EQ(read.model.joints[0].name, "ground_joint");  // 'ground' means the world here
  EXPECT_TRUE(says(read, "name-changed"));
}

TEST(MjcfReader, says_that_ref_and_the_orientation_of_sites_are_not_kept) {
  const auto left_out = [](const std::string& joint, const std::string& site) {
    return read_mjcf("<mujoco><worldbody><body name='a'><joint " + joint + "/><geom size='1'/><site name='s' " + site +
                         "/></body></worldbody></mujoco>",
                     "test.xml")
        .diagnostics.to_string();
  };
  EXPECT_EQ(left_out("", "pos='1 0 0'"), "");
  EXPECT_NE(left_out("ref='30'", "").find("'ref' of a joint is left out"), std::string::npos);
  EXPECT_NE(left_out("", "euler='0 0 90'").find("the orientation of a site is left out"), std::string::npos);
}

TEST(MjcfReader, says_that_wind_is_left_out) {
  const ReadResult result = read_mjcf(
      "<mujoco><option wind='1 0 0'/><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody></mujoco>",
      "test.xml");
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(says(result, "mjcf-left-out"));
  EXPECT_NE(result.diagnostics.to_string().find("wind"), std::string::npos) << result.diagnostics.to_string();
}

TEST(MjcfReader, draws_no_geoms_that_MuJoCo_hides_unless_they_touch_nothing) {
  const Model model = read_world(
      "<body name='a'><joint/><geom size='1' group='3'/><geom size='2' group='3' contype='0' conaffinity='0'/>"
      "<geom size='3' group='2'/></body>");
  const Body& a = model.bodies[0];
  ASSERT_EQ(a.visuals.size(), 2u);
  EXPECT_EQ(a.visuals[0].radius, 2);
  EXPECT_EQ(a.visuals[1].radius, 3);
  ASSERT_EQ(a.collisions.size(), 2u);
  EXPECT_EQ(a.collisions[0].radius, 1);
}

TEST(MjcfReader, switches_off_what_the_flags_say) {
  const std::string bodies =
      "<worldbody><body name='a'><joint name='a' frictionloss='1' range='-1 1'/><geom size='1'/></body>"
      "<body name='b'><joint name='b'/><geom size='1'/></body></worldbody>"
      "<equality><connect body1='a' body2='b' anchor='0 0 0'/></equality></mujoco>";
  const Model all = read("<mujoco>" + bodies);
  EXPECT_EQ(all.joints.size(), 3u);
  EXPECT_EQ(all.joints[0].properties.dry.size(), 1u);
  EXPECT_NEAR(all.joints[0].properties.upper.at(0), degree, 1e-18);
  const Model none = read("<mujoco><option><flag constraint='disable' gravity='disable'/></option>" + bodies);
  EXPECT_EQ(none.joints.size(), 2u);
  EXPECT_TRUE(none.joints[0].properties.dry.empty());
  EXPECT_TRUE(none.joints[0].properties.upper.empty());
  EXPECT_EQ(none.gravity, Vec3d{});
}

TEST(MjcfReader, gives_the_place_of_the_include_to_what_is_included) {
  const std::string folder = test::source_dir() + "/tests/readers/mjcf/";
  const ReadResult result = read_mjcf(
      "<mujoco>\n<worldbody>\n  <include file='parts/hand.xml'/>\n</worldbody></mujoco>", folder + "main.xml");
  ASSERT_TRUE(says(result, "number-not-positive"));  // its class is in another part
  EXPECT_EQ(result.model.bodies.at(0).where.line, 3);
  EXPECT_EQ(result.diagnostics.all()[0].file, folder + "parts/hand.xml");
  EXPECT_EQ(result.diagnostics.all()[0].where.line, 4);
}

// --- files made to hurt -------------------------------------------------------------------------------------------

// Reads in a child process with limits; its peak memory in kB, or −1 if it did not end by itself.
long peak_of_reading(const std::function<std::string()>& text) {
  const test::Outcome outcome = test::in_child([&] { return read_mjcf(text(), "hostile.xml").diagnostics; });
  return outcome.ended ? outcome.peak : -1;
}

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() + text.size() < bytes) all += text;
  return all;
}
std::string world(const std::string& inside, const std::string& rest = {}) {
  return "<mujoco>" + rest + "<worldbody>" + inside + "</worldbody></mujoco>";
}

TEST(HostileMjcf, is_read_or_refused_in_little_time_and_memory_no_valgrind) {
  constexpr std::size_t most = 4'000'000;
  const std::pair<const char*, std::function<std::string()>> files[] = {
      {"100 000 deep", [] { return repeated("<body>", 600'000); }},
      {"as deep as may be", [] { return world(repeated("<body>", 11'900) + repeated("</body>", 13'890)); }},
      {"frames as deep as may be",
       [] {
         return world("<body>" + repeated("<frame pos='1 0 0'>", 19 * 1990) + repeated("</frame>", 8 * 1990) +
                      "</body>");
       }},
      {"many elements", [] { return world(repeated("<a/>", most)); }},
      {"many bodies", [] { return world(repeated("<body><joint/><geom size='1'/></body>", most / 2)); }},
      {"many joints in a body", [] { return world("<body>" + repeated("<joint/>", 600'000) + "</body>"); }},
      {"many of one name", [] { return world(repeated("<body name='a'><joint name='j'/></body>", 1'000'000)); }},
      {"many unknown classes", [] { return world("<body>" + repeated("<geom class='x'/>", 1'000'000) + "</body>"); }},
      {"many unknown words",
       [] {
         std::string text;
         for (int i = 0; i < 60'000; ++i) text += fmt::format("<body b{}='1'/>", i);
         return world(text);
       }},
      {"many loops",
       [] {
         return "<mujoco><worldbody><body name='a'/><body name='b'/></worldbody><equality>" +
                repeated("<weld body1='a' body2='b'/>", 1'300'000) + "</equality></mujoco>";
       }},
      {"many drives on one joint",
       [] {
         return "<mujoco><worldbody><body><joint name='j'/></body></worldbody><actuator>" +
                repeated("<motor joint='j'/>", 1'300'000) + "</actuator></mujoco>";
       }},
      {"many missing joints",
       [] {
         std::string bodies;
         for (int i = 0; i < 20'000; ++i) bodies += fmt::format("<body><joint name='{}'/></body>", i);
         return "<mujoco><worldbody>" + bodies + "</worldbody><actuator>" +
                repeated("<motor joint='missing'/>", 1'000'000) + "</actuator></mujoco>";
       }},
      {"many keys",
       [] {
         return "<mujoco><worldbody><body><joint/></body></worldbody><keyframe>" + repeated("<key/>", 800'000) +
                "</keyframe></mujoco>";
       }},
      {"long keys",
       [] {
         return "<mujoco><worldbody>" + repeated("<body><joint/></body>", 200'000) +
                "</worldbody><keyframe><key qpos='" + repeated("1 ", 3'500'000) + "'/></keyframe></mujoco>";
       }},
      {"classes in classes, all used",
       [] {
         std::string classes, ends;
         for (int i = 0; i < 49; ++i) {
           classes += fmt::format("<default class='c{}'><joint damping='1'/><general gear='1 2 3 4 5 6'/>", i);
           ends += "</default>";
         }
         return "<mujoco><default>" + classes + ends + "</default><worldbody><body><joint name='j'/>" +
                repeated("<body childclass='c48'><joint/><geom/></body>", 1'000'000) + "</body></worldbody><actuator>" +
                repeated("<motor class='c48' joint='j'/>", 400'000) + "</actuator></mujoco>";
       }},
      {"many unknown attributes in a class",
       [] {
         std::string attributes;
         for (int i = 0; i < 70'000; ++i) attributes += fmt::format(" a{}=''", i);
         return "<mujoco><default><joint" + attributes + "/></default><worldbody>" +
                repeated("<body><joint/></body>", 600'000) + "</worldbody></mujoco>";
       }},
      {"many classes that add a little to a rich one",
       [] {
         std::string classes, bodies;
         for (int i = 0; i < 20'000; ++i) {
           classes += fmt::format("<default class='c{}'><joint armature='{}'/></default>", i, i);
           bodies += fmt::format("<body><joint class='c{}'/></body>", i);
         }
         return "<mujoco><default><joint damping='1' axis='1 0 0' pos='0 0 0' type='hinge' limited='false' range='0 1' "
                "ref='0' stiffness='0' frictionloss='0' margin='0' group='0'/>" +
                classes + "</default><worldbody>" + bodies + "</worldbody></mujoco>";
       }},
      {"one long number", [] { return world("<body pos='" + repeated("1", most) + "'/>"); }},
      {"many numbers", [] { return world("<body pos='" + repeated("1 ", most) + "'/>"); }},
  };
  for (const auto& [name, text] : files) {
    const long peak = peak_of_reading(text);
    EXPECT_GE(peak, 0) << name << ": crashed, or took more than " << test::cpu_seconds << " s";
    EXPECT_LT(peak, test::peak_kilobytes) << name;
  }
}

}  // namespace
}  // namespace trammel

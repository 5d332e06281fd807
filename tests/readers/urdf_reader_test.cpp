// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What a URDF becomes, against figures worked out by hand.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

namespace trammel {
namespace {

namespace fs = std::filesystem;

const std::string mass = "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5'/></inertial>";

std::string link(const std::string& name, const std::string& inside = mass) {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child, const std::string& type,
                  const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'>" + inside + "<parent link='" + parent + "'/><child link='" +
         child + "'/></joint>";
}
ReadResult read(const std::string& inside, const ReadOptions& options = {}) {
  return read_urdf("<robot name='bot'>" + inside + "</robot>", "bot.urdf", options);
}
Model read_clean(const std::string& inside, const ReadOptions& options = {}) {
  const ReadResult result = read(inside, options);
  EXPECT_EQ(result.diagnostics.to_string(), "");
  return result.model;
}
bool warns(const ReadResult& result, const std::string& id) {
  for (const Diagnostic& d : result.diagnostics.all()) {
    if (d.id == id && d.severity == Severity::warning) return true;
  }
  return false;
}
void expect_near(const Vec3d& a, const Vec3d& b, double tolerance = 1e-15) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Urdf, keeps_the_order_of_the_file) {
  const Model model = read_clean(joint("j2", "a", "c", "continuous", "<axis xyz='0 0 1'/>") + link("c") + link("a") +
                                 joint("j1", "a", "b", "continuous", "<axis xyz='0 0 1'/>") + link("b"));
  ASSERT_EQ(model.bodies.size(), 3u);
  EXPECT_EQ(model.bodies[0].name, "c");
  EXPECT_EQ(model.bodies[1].name, "a");
  EXPECT_EQ(model.bodies[2].name, "b");
  ASSERT_EQ(model.joints.size(), 3u);
  EXPECT_EQ(model.joints[0].name, "base");
  EXPECT_EQ(model.joints[1].name, "j2");
  EXPECT_EQ(model.joints[2].name, "j1");
  EXPECT_EQ(model.name, "bot");
}

TEST(Urdf, knows_all_joint_types) {
  const std::string limit = "<limit lower='-1' upper='2' effort='3' velocity='4'/>";
  const Model model = read_clean(link("a") + link("b") + link("c") + link("d") + link("e") + link("f") + link("g") +
                                 joint("1", "a", "b", "revolute", limit) + joint("2", "b", "c", "continuous") +
                                 joint("3", "c", "d", "prismatic", limit) + joint("4", "d", "e", "fixed") +
                                 joint("5", "e", "f", "floating") + joint("6", "f", "g", "planar"));
  const char* types[] = {"fixed", "revolute", "revolute", "prismatic", "fixed", "free", "planar"};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(keyword(model.joints[i].type), types[i]) << i;
  const JointProperties& p = model.joints[1].properties;
  EXPECT_EQ(p.lower, std::vector{-1.0});
  EXPECT_EQ(p.upper, std::vector{2.0});
  EXPECT_EQ(p.effort_limit, std::vector{3.0});
  EXPECT_EQ(p.velocity_limit, std::vector{4.0});
  EXPECT_TRUE(model.joints[2].properties.lower.empty());
}

// A joint 1 m along x of its parent, turned by 90° about z, with its axis along y of the child: −x of the parent.
TEST(Urdf, puts_z_of_the_joint_along_its_axis) {
  const Model model = read_clean(
      link("a") + link("b") +
      joint("j", "a", "b", "continuous", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><axis xyz='0 1 0'/>"));
  const Joint& j = model.joints[1];
  expect_near(j.X_AF.p, {1, 0, 0});
  expect_near(j.X_AF.R.ez, {-1, 0, 0});
  expect_near(j.X_BM.p, {0, 0, 0});
  expect_near(j.X_BM.R.ez, {0, 1, 0});
  expect_near(model.bodies[1].X_WB.p, {1, 0, 0});
  expect_near(model.bodies[1].X_WB.R.ex, {0, 1, 0});
}

TEST(Urdf, has_x_for_the_axis_that_is_not_given) {
  const Model model = read_clean(link("a") + link("b") + joint("j", "a", "b", "continuous"));
  expect_near(model.joints[1].X_AF.R.ez, {1, 0, 0});
}

// rpy = (90°, 0, 90°) is Rz(90°) Rx(90°): x → y, y → z, z → x.
TEST(Urdf, turns_about_fixed_axes_roll_first) {
  const Model model = read_clean(
      link("a") + link("b") + joint("j", "a", "b", "fixed", "<origin rpy='1.5707963267948966 0 1.5707963267948966'/>"));
  const Mat3d& R = model.bodies[1].X_WB.R;
  expect_near(R.ex, {0, 1, 0});
  expect_near(R.ey, {0, 0, 1});
  expect_near(R.ez, {1, 0, 0});
}

TEST(Urdf, takes_quaternions_for_rotations) {
  const double h = std::sqrt(0.5);
  const Model model = read_clean(
      link("a") + link("b") +
      joint("j", "a", "b", "fixed", "<origin quat_xyzw='0 0 " + std::to_string(h) + " " + std::to_string(h) + "'/>"));
  expect_near(model.bodies[1].X_WB.R.ex, {0, 1, 0}, 1e-6);
}

// Turned by 90° about z, x and y change places, and so does the sign of the products with z.
TEST(Urdf, turns_inertias_into_the_frame_of_the_link) {
  const Model model = read_clean(link("a",
                                      "<inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
                                      "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>"));
  const Body& body = model.bodies[0];
  EXPECT_EQ(body.mass, 2);
  expect_near(body.com, {1, 2, 3});
  expect_near({body.inertia.xx, body.inertia.yy, body.inertia.zz}, {2, 1, 2.5});
  expect_near({body.inertia.xy, body.inertia.xz, body.inertia.yz}, {-0.1, -0.3, 0.2});
}

TEST(Urdf, takes_damping_and_friction) {
  const Model model = read_clean(link("a") + link("b") +
                                 joint("j", "a", "b", "continuous", "<dynamics damping='0.5' friction='0.25'/>"));
  EXPECT_EQ(model.joints[1].properties.viscous, std::vector{0.5});
  EXPECT_EQ(model.joints[1].properties.dry, std::vector{0.25});
}

TEST(Urdf, takes_mimic_for_a_coupling) {
  const Model model = read_clean(link("a") + link("b") + link("c") +
                                 joint("f", "a", "b", "continuous", "<mimic joint='l' multiplier='-2' offset='0.5'/>") +
                                 joint("l", "a", "c", "continuous"));
  ASSERT_EQ(model.couplings.size(), 1u);
  const Coupling& c = model.couplings[0];
  EXPECT_EQ(c.kind, Coupling::Kind::mimic);
  EXPECT_EQ(c.first, "l");
  EXPECT_EQ(c.second, "f");
  EXPECT_EQ(c.ratio, -2);
  EXPECT_EQ(c.offset, 0.5);
}

TEST(Urdf, fixes_its_root_unless_told_otherwise) {
  const std::string one = link("a");
  for (const Base base : {Base::unset, Base::fixed, Base::free}) {
    const Model model = read_clean(one, {.base = base});
    ASSERT_EQ(model.joints.size(), 1u);
    EXPECT_EQ(model.joints[0].name, "base");
    EXPECT_EQ(model.joints[0].first, "ground");
    EXPECT_EQ(model.joints[0].second, "a");
    EXPECT_EQ(keyword(model.joints[0].type), base == Base::free ? "free" : "fixed");
    EXPECT_TRUE(compile(model).ok());
  }
}

TEST(Urdf, whose_own_joint_is_called_base_gets_another_name_for_ours) {
  const std::string text = link("a") + link("b") + joint("base", "a", "b", "continuous");
  EXPECT_EQ(read_clean(text).joints[0].name, "base_a");
  const ReadResult freed = read(text, {.base = Base::free});
  EXPECT_TRUE(warns(freed, "name-duplicate"));
  EXPECT_EQ(freed.model.joints[0].name, "base_a");
  EXPECT_TRUE(freed.ok());
}

TEST(Urdf, gives_visuals_their_materials_also_by_name) {
  const Model model = read_clean(
      "<material name='red'><color rgba='1 0 0 0.5'/></material>" +
      link("a",
           mass + "<visual><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry><material name='red'/></visual>"
                  "<visual><geometry><cylinder radius='0.5' length='2'/></geometry>"
                  "<material name='g'><color rgba='0 1 0 1'/></material></visual>"
                  "<collision><geometry><sphere radius='0.25'/></geometry></collision>") +
      link("b", mass + "<visual><geometry><capsule radius='0.5' length='2'/></geometry><material name='g'/></visual>") +
      joint("j", "a", "b", "fixed"));
  const Body& a = model.bodies[0];
  ASSERT_EQ(a.visuals.size(), 2u);
  EXPECT_EQ(a.visuals[0].kind, Shape::Kind::box);
  EXPECT_EQ(a.visuals[0].size, (Vec3d{1, 2, 3}));
  EXPECT_EQ(a.visuals[0].X_BS.p, (Vec3d{0, 0, 1}));
  EXPECT_EQ(a.visuals[0].colour, (Colour{1, 0, 0, 0.5}));
  EXPECT_EQ(a.visuals[1].kind, Shape::Kind::cylinder);
  EXPECT_EQ(a.visuals[1].radius, 0.5);
  EXPECT_EQ(a.visuals[1].length, 2);
  ASSERT_EQ(a.collisions.size(), 1u);
  EXPECT_EQ(a.collisions[0].radius, 0.25);
  EXPECT_FALSE(a.collisions[0].colour);
  EXPECT_EQ(model.bodies[1].visuals[0].kind, Shape::Kind::capsule);
  EXPECT_EQ(model.bodies[1].visuals[0].colour, (Colour{0, 1, 0, 1}));
}

// A folder of its own for files that are looked for.
class UrdfMeshes : public ::testing::Test {
 protected:
  UrdfMeshes() : folder_(fs::temp_directory_path() / ("trammel_meshes_" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "packages/robot/meshes");
    fs::create_directories(folder_ / "robot/urdf");
    std::ofstream(folder_ / "packages/robot/meshes/arm.stl") << "x";
    std::ofstream(folder_ / "robot/hand.stl") << "x";
    unsetenv("ROS_PACKAGE_PATH");
  }
  ~UrdfMeshes() override {
    unsetenv("ROS_PACKAGE_PATH");
    fs::remove_all(folder_);
  }
  ReadResult read_mesh(const std::string& name, const ReadOptions& options = {}) const {
    return read_urdf(
        "<robot name='r'>" +
            link("a", mass + "<visual><geometry><mesh filename='" + name + "' scale='1 2 -3'/></geometry></visual>") +
            "</robot>",
        (folder_ / "robot/urdf/r.urdf").string(), options);
  }
  fs::path folder_;
};

TEST_F(UrdfMeshes, are_found_in_package_paths) {
  const std::string name = "package://robot/meshes/arm.stl";
  const ReadResult missing = read_mesh(name, {.package_paths = {"/some/where"}});
  EXPECT_TRUE(missing.ok());
  ASSERT_EQ(missing.diagnostics.all().size(), 1u);
  EXPECT_EQ(
      missing.diagnostics.all()[0].what,
      "meshes of package 'robot' are not there: 'package://robot/meshes/arm.stl'; searched: /some/where, the folders "
      "above the file");
  EXPECT_EQ(missing.model.bodies[0].visuals[0].mesh, name);
  EXPECT_EQ(missing.model.bodies[0].visuals[0].scale, (Vec3d{1, 2, -3}));
  EXPECT_EQ(read_mesh(name, {.package_paths = {(folder_ / "packages").string()}}).diagnostics.to_string(), "");
  EXPECT_EQ(read_mesh(name, {.package_paths = {(folder_ / "packages/robot").string()}}).diagnostics.to_string(), "");
}

TEST_F(UrdfMeshes, are_found_by_the_environment_and_above_the_file) {
  EXPECT_EQ(read_mesh("package://robot/hand.stl").diagnostics.to_string(), "");
  setenv("ROS_PACKAGE_PATH", ("/nowhere:" + (folder_ / "packages").string()).c_str(), 1);
  EXPECT_EQ(read_mesh("package://robot/meshes/arm.stl").diagnostics.to_string(), "");
}

TEST_F(UrdfMeshes, are_found_by_path) {
  EXPECT_EQ(read_mesh("../hand.stl").diagnostics.to_string(), "");
  EXPECT_EQ(read_mesh("file://" + (folder_ / "robot/hand.stl").string()).diagnostics.to_string(), "");
  EXPECT_TRUE(warns(read_mesh("../foot.stl"), "mesh-not-found"));
  EXPECT_TRUE(warns(read_mesh("file:///no/such.stl"), "mesh-not-found"));
}

// Massless links are frames: they join the links that they are fixed to.
TEST(Urdf, merges_links_without_mass) {
  const ReadResult result = read(link("root", "") + link("a") + link("tool", "") + joint("w", "root", "a", "fixed") +
                                     joint("t", "a", "tool", "fixed"),
                                 {.base = Base::free});
  EXPECT_TRUE(warns(result, "link-massless"));
  const CompileResult compiled = compile(result.model);
  EXPECT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  EXPECT_EQ(compiled.mechanism.link_count(), 1);
  EXPECT_EQ(compiled.mechanism.parameters.inertia[0].mass, 2);
}

TEST(Urdf, warns_of_inertias_that_no_body_has_and_uses_them) {
  const ReadResult result =
      read(link("a", "<inertial><mass value='1'/><inertia ixx='0.1' iyy='0.2' izz='0.5'/></inertial>"));
  EXPECT_TRUE(warns(result, "inertia-triangle"));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.model.bodies[0].inertia.zz, 0.5);
}

TEST(Urdf, is_read_by_its_extension_and_from_xml_by_its_root) {
  const fs::path folder = fs::temp_directory_path() / ("trammel_urdf_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string text = "<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='r'>" + link("a") + "</robot>";
  for (const char* name : {"a.urdf", "a.URDF", "a.xml"}) {
    std::ofstream(folder / name) << text;
    const ReadResult result = read_model((folder / name).string());
    EXPECT_EQ(result.diagnostics.to_string(), "") << name;
    EXPECT_EQ(result.model.bodies.size(), 1u) << name;
  }
  std::ofstream(folder / "a.xacro") << text;
  EXPECT_EQ(read_model((folder / "a.xacro").string()).diagnostics.all().at(0).id, "urdf-xacro");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace trammel

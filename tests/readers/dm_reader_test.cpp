// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What the parameters of a DynaMechs file mean, one by one.

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/dynamics.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/readers.hpp>

#include "readers/reading.hpp"
#include "readers/same_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

constexpr double pi = 3.14159265358979323846;

const std::string solid = "Mass 2\nInertia 0.4 0 0  0 0.4 0  0 0 0.4\nCenter_of_Gravity 0 0 0\n";

Model read_dm(const std::string& links, const std::string& expected = "") {
  ReadResult result = read_dynamechs("# DynaMechs V 4.0 ascii\nArticulation {\n" + links + "\n}\n", "test.dm");
  EXPECT_EQ(result.diagnostics.to_string(), expected);
  EXPECT_EQ(result.format, Format::dynamechs);
  return std::move(result.model);
}
std::string link(const std::string& type, const std::string& name, const std::string& rest) {
  return type + " {\nName \"" + name + "\"\n" + solid + rest + "\n}\n";
}

TEST(DmLinks, turn_and_slide_by_modified_rows) {
  const Model model = read_dm(link("RevoluteLink", "a", "MDH_Parameters 0.3 0.4 0.5 0.6") +
                              link("PrismaticLink", "b", "MDH_Parameters 0.1 0.2 0.7 0.9"));
  ASSERT_EQ(model.joints.size(), 2u);
  const Joint& a = model.joints[0];
  EXPECT_TRUE(std::holds_alternative<Revolute>(a.type));
  EXPECT_EQ(a.first, "ground");
  EXPECT_LT(distance(a.X_AF, Transformd{rotation_x(0.4), {0.3, 0, 0}} * Transformd::translation({0, 0, 0.5})), 1e-15);
  EXPECT_EQ(a.q_initial, std::vector<double>{0.6});
  const Joint& b = model.joints[1];
  EXPECT_TRUE(std::holds_alternative<Prismatic>(b.type));
  EXPECT_EQ(b.first, "a");
  EXPECT_LT(distance(b.X_AF, Transformd{rotation_x(0.2), {0.1, 0, 0}} * Transformd{rotation_z(0.9), {}}), 1e-15);
  EXPECT_EQ(b.q_initial, std::vector<double>{0.7});
}

// DynaMechs sets sines and cosines below 1e-5 to 0: 1.5708 is a right angle there.
TEST(DmLinks, have_right_angles_where_dynamechs_has_them) {
  for (const auto& [given, meant] :
       {std::pair{1.5708, pi / 2}, std::pair{-1.570796, -pi / 2}, std::pair{3.14159, pi}, std::pair{0.000009, 0.0}}) {
    const Model model = read_dm(link("RevoluteLink", "a", fmt::format("MDH_Parameters 0 {} 0 0", given)) +
                                link("PrismaticLink", "b", fmt::format("MDH_Parameters 0 0 0 {}", given)));
    EXPECT_LT(distance(model.joints[0].X_AF.R, rotation_x(meant)), 1e-15) << given;
    EXPECT_LT(distance(model.joints[1].X_AF.R, rotation_z(meant)), 1e-15) << given;
  }
  const Model model = read_dm(link("RevoluteLink", "a", "MDH_Parameters 0 1.57 0 1.5708"));
  EXPECT_LT(distance(model.joints[0].X_AF.R, rotation_x(1.57)), 1e-15);  // 8e-4 off
  EXPECT_EQ(model.joints[0].q_initial, std::vector<double>{1.5708});     // a coordinate is what it is
}

TEST(DmLinks, stand_on_screws_without_being_bodies) {
  const Model model = read_dm(
      "Position 1 2 3\nOrientation_Quat 0 0 0.6 0.8\nZScrewTxLink {\nZScrew_Parameters 0.5 0.7\n}\n" +
      link("SphericalLink", "a",
           "Position_From_Inboard_Link 0.1 0.2 0.3\nInitial_Joint_Angles 0.2 0.3 0.4\nInitial_Angular_Velocity 1 2 3"));
  ASSERT_EQ(model.bodies.size(), 1u);
  const Transformd X_WR{rotation_of(Quaternion<double>{0.8, 0, 0, 0.6}), {1, 2, 3}};
  const Transformd X_WF = X_WR * Transformd{rotation_z(0.7), {0, 0, 0.5}} * Transformd::translation({0.1, 0.2, 0.3});
  EXPECT_LT(distance(model.joints[0].X_AF, X_WF), 1e-15);
  EXPECT_LT(distance(model.bodies[0].X_WB, X_WF), 1e-15);
  const Mat3d R = rotation_z(0.4) * rotation_y(0.3) * rotation_x(0.2);  // φ, θ, ψ about x, y, z
  EXPECT_LT(distance(rotation_of(Quaternion<double>::load(model.joints[0].q_initial.data())), R), 1e-15);
  EXPECT_EQ(model.joints[0].v_initial, (std::vector<double>{1, 2, 3}));
}

TEST(DmLinks, of_free_bases_begin_where_they_are_drawn) {
  const Model model =
      read_dm(link("MobileBaseLink", "hull", "Position 1 2 3\nOrientation_Quat 0 0 1 1\nVelocity 1 0 0 0 2 0"),
              "test.dm:9:1: warning: Orientation_Quat of link 'hull' has length 1.41421, not 1: it is scaled, as "
              "DynaMechs does\n"
              "  fix: give a unit quaternion x y z w      [dm-quaternion]\n");
  EXPECT_TRUE(std::holds_alternative<Free>(model.joints[0].type));
  EXPECT_LT(distance(model.bodies[0].X_WB, Transformd{rotation_z(pi / 2), {1, 2, 3}}), 1e-15);
  EXPECT_TRUE(model.joints[0].q_initial.empty());
  const std::vector<double>& v = model.joints[0].v_initial;  // along its own axes: x of the world is −y of it
  ASSERT_EQ(v.size(), 6u);
  EXPECT_NEAR(v[1], -1, 1e-15);
  EXPECT_NEAR(v[3], 2, 1e-15);
}

TEST(DmLinks, have_their_inertia_at_the_centre_of_mass) {
  const Model model = read_dm(
      "RevoluteLink {\nName \"a\"\nMass 2\nInertia 0.9 -0.1 -0.2  -0.1 0.9 -0.3  -0.2 -0.3 0.9\nCenter_of_Gravity 0.1 "
      "0.2 0.3\nMDH_Parameters 0 0 0 0\n}\n");
  const Sym3d expected{0.9 - 2 * 0.13,  0.9 - 2 * 0.10,  0.9 - 2 * 0.05,
                       -0.1 + 2 * 0.02, -0.2 + 2 * 0.03, -0.3 + 2 * 0.06};
  EXPECT_LT(distance(model.bodies[0].inertia, expected), 1e-15);
}

TEST(DmLinks, branch_from_the_link_before) {
  const std::string row = "MDH_Parameters 0.1 0 0 0";
  const Model model = read_dm(link("RevoluteLink", "a", row) + "Branch {\n" + link("RevoluteLink", "b", row) +
                              link("RevoluteLink", "c", row) + "}\nBranch {\n" + link("RevoluteLink", "d", row) +
                              "}\n" + link("RevoluteLink", "e", row));
  std::vector<std::string> parents;
  for (const Joint& joint : model.joints) parents.push_back(joint.first);
  EXPECT_EQ(parents, (std::vector<std::string>{"ground", "a", "b", "a", "a"}));
}

TEST(DmLinks, without_names_or_with_those_of_others_get_new_ones) {
  const std::string row = "MDH_Parameters 0.1 0 0 0";
  const Model model =
      read_dm(link("RevoluteLink", "", row) + link("RevoluteLink", "arm", row) + link("RevoluteLink", "arm", row) +
                  link("RevoluteLink", "ground", row),
              "test.dm:4:1: warning: a link has no name, called 'link 1'\n  fix: give it a Name      [dm-names]\n"
              "test.dm:18:1: warning: 2 links have the name of another, called 'arm 2', 'ground 2'\n"
              "  fix: give each link a name of its own; ground means the world      [dm-names]\n");
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"link 1", "arm", "arm 2", "ground 2"}));
}

TEST(DmLimits, push_by_their_springs) {
  const auto limits = [](const std::string& numbers, double spring, double damper, const std::string& messages = "") {
    const Model model = read_dm(link("RevoluteLink", "a",
                                     fmt::format("MDH_Parameters 0 0 0 0\nJoint_Limits {}\nJoint_Limit_Spring_Constant "
                                                 "{}\nJoint_Limit_Damper_Constant {}",
                                                 numbers, spring, damper)),
                                messages);
    return model.joints[0].properties;
  };
  const JointProperties usual = limits("-1 2", 500, 7);
  EXPECT_EQ(usual.lower, std::vector<double>{-1});
  EXPECT_EQ(usual.upper, std::vector<double>{2});
  EXPECT_EQ(usual.limit_stiffness, std::vector<double>{500});
  EXPECT_EQ(usual.limit_damping, std::vector<double>{7});
  EXPECT_EQ(limits("-1e10 2", 500, 0).lower, std::vector<double>{-infinity});
  for (const std::string none : {"-1e10 1e10", "0 0"}) EXPECT_TRUE(limits(none, 0, 0).lower.empty());
  EXPECT_TRUE(limits("-1 1", 0, 0,
                     "test.dm:9:1: warning: a limit whose spring has the constant 0 is left out\n"
                     "  fix: give Joint_Limit_Spring_Constant, or Joint_Limits 0 0      [dm-left-out]\n")
                  .lower.empty());
  EXPECT_EQ(limits("2 -1", 500, 7,
                   "test.dm:9:1: warning: Joint_Limits of link 'a' has its upper limit first: they are exchanged, as "
                   "DynaMechs does\n"
                   "  fix: write the lower limit first      [dm-limits]\n")
                .lower,
            std::vector<double>{-1});
}

TEST(DmMotors, are_dc_motors_without_a_gear) {
  const Model model =
      read_dm(link("RevoluteLink", "a",
                   "MDH_Parameters 0 0 0 0\nActuator_Type 1\nMotor_Torque_Constant 1\nMotor_BackEMF_Constant "
                   "2\nMotor_Armature_Resistance 3\n"
                   "Motor_Inertia 4\nMotor_Coulomb_Friction_Constant 5\nMotor_Viscous_Friction_Constant "
                   "6\nMotor_Max_Brush_Drop 7\nMotor_Half_Drop_Value 8"));
  ASSERT_EQ(model.actuators.size(), 1u);
  const Actuator& actuator = model.actuators[0];
  EXPECT_EQ(actuator.kind, Actuator::Kind::dc_motor);
  EXPECT_EQ(actuator.joint, "a");
  EXPECT_EQ(actuator.gear, 1);
  const Actuator::Motor& m = actuator.motor;
  EXPECT_EQ((std::vector<double>{m.torque_constant, m.back_emf, m.resistance, m.rotor_inertia, m.dry, m.viscous,
                                 m.brush_drop, m.brush_half}),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(m.inductance, 0);
}

TEST(DmGraphics, become_meshes_by_name) {
  const ReadResult result = read_dynamechs(
      "# DynaMechs V 2.0.3 ascii\nGraphics_Models {\nNumber_Graphics_Models 2\n\"a.xan\"\n\"b.xan\"\n}\nSystem "
      "{\nDynamicRefMember {\nGraphics_Model_Index 1\n" +
          solid +
          "Position 0 0 0\nOrientation_Quat 0 0 0 1\nVelocity 0 0 0 0 0 0\n}\nArticulation {\nRevoluteLink "
          "{\nGraphics_Model_Index -1\n" +
          solid + "MDH_Parameters 0 0 0 0\n}\n}\n}\n",
      "cart.dm");
  EXPECT_EQ(
      result.diagnostics.to_string(),
      "cart.dm:8:1: warning: 2 links have no name, called 'base', 'link 1'\n  fix: give it a Name      [dm-names]\n");
  ASSERT_EQ(result.model.bodies.size(), 2u);
  ASSERT_EQ(result.model.bodies[0].visuals.size(), 1u);
  EXPECT_EQ(result.model.bodies[0].visuals[0].mesh, "b.xan");
  EXPECT_TRUE(result.model.bodies[1].visuals.empty());
  EXPECT_EQ(result.model.joints[1].first, "base");
  EXPECT_EQ(result.model.name, "cart");
}

TEST(DmVersion2, may_stand_on_the_ground) {
  const ReadResult result = read_dynamechs(
      "# DynaMechs V 2.1 ascii\nSystem {\nName \"arm\"\nStaticRefMember {\nName \"\"\nGraphics_Model_Index "
      "-1\nPosition 1 2 3\nOrientation_Quat 0 0 0 1\n}\n"
      "Articulation {\nName \"left\"\nRevoluteLink {\nName \"\"\n" +
          solid + "MDH_Parameters 0.5 0 0 0\n}\n}\n}\n",
      "arm.dm");
  EXPECT_EQ(result.diagnostics.to_string(),
            "arm.dm:13:1: warning: a link has no name, called 'left link 1'\n  fix: give it a Name      [dm-names]\n");
  EXPECT_EQ(result.model.name, "arm");
  EXPECT_EQ(result.model.joints[0].X_AF.p, (Vec3d{1.5, 2, 3}));
}

// --- loops ----------------------------------------------------------------------------------------------------------------------------

std::string two_arms(const std::string& secondary) {
  const std::string row = "MDH_Parameters 0.4 0.3 0.2 0.5";
  return "# DynaMechs V 4.0 ascii\nClosedArticulation {\nName \"two\"\nTreeStructure {\nBranch {\n" +
         link("RevoluteLink", "a", row) + "}\nBranch {\n" +
         link("SphericalLink", "b", "Position_From_Inboard_Link 0 1 0\nInitial_Joint_Angles 0.1 0.2 0.3") +
         "}\n}\nSecondaryJoints {\n" + secondary + "}\n}\n";
}
std::string between(const std::string& kind, const std::string& rest) {
  return kind +
         " {\nName \"j\"\nLink_A_Name \"a\"\nLink_B_Name \"b\"\nJoint_A_Position 0.1 0 0\nRotation_Matrix_A 0 0 1  1 0 "
         "0  0 1 0\nJoint_B_Position 0 0.2 0\n"
         "Rotation_Matrix_B 1 0 0  0 1 0  0 0 1\n" +
         rest + "}\n";
}

TEST(DmLoops, are_drawn_where_they_begin) {
  const ReadResult result =
      read_dynamechs(two_arms(between("HardSphericalJoint", "Stabilization NONE\nJoint_Friction 0.3\n")), "two.dm");
  ASSERT_TRUE(result.ok()) << result.diagnostics.to_string();
  const Model& model = result.model;
  EXPECT_TRUE(model.joints[0].q_initial.empty());
  EXPECT_LT(distance(model.bodies[0].X_WB,
                     Transformd{rotation_x(0.3), {0.4, 0, 0}} * Transformd{rotation_z(0.5), {0, 0, 0.2}}),
            1e-15);
  const Joint& loop = model.joints[2];
  EXPECT_TRUE(loop.cut);
  EXPECT_TRUE(std::holds_alternative<Spherical>(loop.type));
  EXPECT_EQ(loop.properties.viscous, (std::vector<double>{0.3, 0.3, 0.3}));
  EXPECT_EQ(loop.X_AF.p, (Vec3d{0.1, 0, 0}));
  EXPECT_EQ(loop.X_BM.p, (Vec3d{0, 0.2, 0}));
  // The turn is none where it is drawn.
  EXPECT_LT(distance((model.bodies[0].X_WB * loop.X_AF).R, (model.bodies[1].X_WB * loop.X_BM).R), 1e-14);
  EXPECT_NE(result.diagnostics.to_string().find("[frames-apart]"), std::string::npos);  // by these figures it is open
}

// The soft joints' energy and power of damping for small displacements, against DynaMechs' law of springs along and gimbal angles about the
// axes of frame A.
TEST(DmLoops, that_are_soft_are_bushings_with_their_constants) {
  const std::string constants = "Joint_Friction 3\nPosition_Constraint_Spring 100\nPosition_Constraint_Damper 20\n";
  const std::string both = constants + "Orientation_Constraint_Spring 40\nOrientation_Constraint_Damper 10\n";
  const Model ball = read_dynamechs(two_arms(between("SoftSphericalJoint", constants)), "two.dm").model;
  const Model slider = read_dynamechs(two_arms(between("SoftPrismaticJoint", both)), "two.dm").model;
  const Model hinge = read_dynamechs(two_arms(between("SoftRevoluteJoint", both)), "two.dm").model;
  ASSERT_EQ(ball.bushings.size(), 1u);
  ASSERT_EQ(slider.bushings.size(), 1u);
  ASSERT_EQ(hinge.bushings.size(), 3u);
  const auto diagonal = [](const std::array<double, 36>& m) {
    std::vector<double> d;
    for (std::size_t i = 0; i < 6; ++i) d.push_back(m[7 * i]);
    return d;
  };
  EXPECT_EQ(diagonal(ball.bushings[0].stiffness), (std::vector<double>{0, 0, 0, 100, 100, 100}));
  EXPECT_EQ(diagonal(ball.bushings[0].damping), (std::vector<double>{3, 3, 3, 20, 20, 20}));
  EXPECT_EQ(diagonal(slider.bushings[0].stiffness), (std::vector<double>{40, 40, 40, 100, 100, 0}));
  EXPECT_EQ(diagonal(slider.bushings[0].damping), (std::vector<double>{10, 10, 10, 20, 20, 3}));
  EXPECT_LT(distance(slider.bushings[0].X_AP, Transformd{rows(0, 0, 1, 1, 0, 0, 0, 1, 0), {0.1, 0, 0}}), 1e-15);

  // Hinge: resultants of its three mounts for a travel and a tilt.
  double travel = 0, along = 0, tilt = 0, tilt_damping = 0, travel_damping = 0;
  for (const Bushing& b : hinge.bushings) {
    const double z = dot(b.X_AP.p - hinge.bushings[0].X_AP.p, hinge.bushings[0].X_AP.R.ez);
    travel += b.stiffness[21], along += b.stiffness[35], tilt += b.stiffness[21] * z * z + b.stiffness[0];
    travel_damping += b.damping[21], tilt_damping += b.damping[21] * z * z;
    EXPECT_GE(b.stiffness[21], 0);
    EXPECT_GE(b.damping[21], 0);
  }
  EXPECT_NEAR(travel, 100, 1e-12);
  EXPECT_NEAR(along, 100, 1e-12);
  EXPECT_NEAR(tilt, 40, 1e-12);
  EXPECT_NEAR(travel_damping, 20, 1e-12);
  EXPECT_NEAR(tilt_damping, 10, 1e-12);
  EXPECT_EQ(hinge.bushings[0].damping[14], 3);
}

// --- simulations -------------------------------------------------------------------------------------------------------------------------

class DmSimulation : public ::testing::Test {
 protected:
  DmSimulation() : folder_(std::filesystem::temp_directory_path() / fmt::format("trammel-dm-{}", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~DmSimulation() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string messages(const ReadResult& result) const {
    std::string text = result.diagnostics.to_string();
    for (std::size_t at = 0; (at = text.find(folder_.string() + "/", at)) != std::string::npos;)
      text.erase(at, folder_.string().size() + 1);
    return text;
  }
  std::filesystem::path folder_;
};

const std::string ball = "# DynaMechs V 4.0 ascii\nArticulation {\nName \"\"\nMobileBaseLink {\nName \"ball\"\n" +
                         solid +
                         "Number_of_Contact_Points 2\nContact_Locations 0 0 -0.1 0 0 "
                         "0.1\nNumber_of_Dynamic_Contact_Points 1\nDynamic_Contact_Locations 0.1 0 0\n"
                         "Position 1 1 2\nOrientation_Quat 0 0 0 1\nVelocity 0 0 0 0 0 0\n}\n}\n";
const std::string moon =
    "Gravity_Vector 0 0 -1.62\nTerrain_Data_Filename \"ground.dat\"\nGround_Planar_Spring_Constant "
    "55\nGround_Normal_Spring_Constant 75\n"
    "Ground_Planar_Damper_Constant 5\nGround_Normal_Damper_Constant 7\nGround_Static_Friction_Coeff "
    "0.8\nGround_Kinetic_Friction_Coeff 0.6\n";

TEST_F(DmSimulation, has_robots_ground_and_gravity) {
  write("ball.dm", ball), write("moon.env", moon), write("ground.dat", "2 3 5\n0 1 2\n3 4 5\n");
  const ReadResult result =
      read_model(write("moon.cfg",
                       "Integration_Stepsize 0.002\nEnvironment_Parameter_File \"moon.env\"\nRobot_Parameter_File "
                       "\"ball.dm\"\nRobot_Parameter_File \"ball.dm\"\n"));
  EXPECT_EQ(messages(result),
            "ball.dm:5:1: warning: a link has the name of another, called 'ball 2'\n"
            "  fix: give each link a name of its own; ground means the world      [dm-names]\n");
  const Model& model = result.model;
  EXPECT_EQ(model.name, "moon");
  EXPECT_EQ(model.gravity, (Vec3d{0, 0, -1.62}));
  EXPECT_EQ(model.simulate.step, 0.002);
  ASSERT_EQ(model.bodies.size(), 2u);
  EXPECT_EQ(model.bodies[1].name, "ball 2");
  EXPECT_EQ(model.terrain.kind, Terrain::Kind::grid);
  EXPECT_EQ(model.terrain.nx, 2);
  EXPECT_EQ(model.terrain.ny, 3);
  EXPECT_EQ(model.terrain.spacing_x, 5);
  EXPECT_EQ(model.terrain.heights, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(result.included.size(), 4u);

  const CompileResult compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
  const Contacts& contacts = compiled.mechanism.contacts;
  ASSERT_EQ(contacts.pairs.size(), 6u);
  const ContactLaw& usual = contacts.laws[static_cast<std::size_t>(contacts.pairs[0].law)];
  EXPECT_EQ((std::vector<double>{usual.stiffness, usual.damping, usual.tangential_stiffness, usual.tangential_damping,
                                 usual.friction_static, usual.friction_kinetic}),
            (std::vector<double>{75, 7, 55, 5, 0.8, 0.6}));
  const ContactLaw& dynamic = contacts.laws[static_cast<std::size_t>(contacts.pairs[2].law)];
  EXPECT_EQ((std::vector<double>{dynamic.stiffness, dynamic.friction_static, dynamic.friction_kinetic}),
            (std::vector<double>{75, 0.6, 0.6}));

  const ReadResult back = read_yaml(write_yaml(model), "moon.yaml");
  EXPECT_EQ(back.diagnostics.to_string(), "");
  EXPECT_EQ(first_difference(model, back.model), "");
}

// A cylinder that sinks upright: (m + A) a = −m g + ρ V g + ½ ρ C_d π r² v², and sideways ½ ρ C_d 2 r l v² beside A of that direction.
TEST_F(DmSimulation, has_a_fluid_and_what_links_feel_of_it) {
  const std::string added =
      "Added_Mass 0.5 0 0 0 0 0  0 0.6 0 0 0 0  0 0 0.1 0 0 0  0 0 0 3 0 0  0 0 0 0 3.5 0  0 0 0 0 0 0.7\n";
  const auto robot = [&](const std::string& drag) {
    return "# DynaMechs V 4.0 ascii\nArticulation {\nName \"\"\nMobileBaseLink {\nName \"float\"\n" + solid +
           "Volume 0.0015\n" + added + "Center_of_Buoyancy 0 0 0\n" + drag +
           "Number_of_Contact_Points 0\nPosition 0 0 0\nOrientation_Quat 0 0 0 1\nVelocity 0 0 0 0.8 0 -1.5\n}\n}\n";
  };
  write("sea.env", "Gravity_Vector 0 0 -9.81\nFluid_Density 1020\n");
  const std::string main =
      write("sea.cfg", "Environment_Parameter_File \"sea.env\"\nRobot_Parameter_File \"float.dm\"\n");
  const auto accelerations = [&](const Model& model) {
    const CompileResult compiled = compile(model);
    EXPECT_TRUE(compiled.ok()) << compiled.diagnostics.to_string();
    const Mechanism& mechanism = compiled.mechanism;
    const State state = initial_state(mechanism);
    Workspace ws(mechanism);
    compute_velocities<double>(mechanism, ws, state.q, state.v);
    FluidForces fluid(mechanism);
    std::vector<ArticulatedInertia<double>> inertia(1);
    std::vector<Force<double>> bias(1);
    fluid.clear_and_add(mechanism, ws, 0, inertia, bias, 0);
    Loads loads;
    loads.inertia = inertia.data(), loads.bias = bias.data();
    std::vector<double> tau(6), a(6);
    EXPECT_TRUE(forward_dynamics<double>(mechanism, ws, state.q, state.v, tau, a, loads).ok());
    return a;
  };
  write("float.dm", robot("Drag_Axis 2\nCylinder_Bounds -0.3 0.3\nCylinder_Radius 0.05\nDrag_Coefficient 1.1\n"));
  const ReadResult cylinder = read_model(main);
  EXPECT_EQ(messages(cylinder), "");
  const std::vector<double> a = accelerations(cylinder.model);
  const double weight = (1020 * 0.0015 - 2) * 9.81;
  EXPECT_NEAR(a[5], (weight + 0.5 * 1020 * 1.1 * pi * 0.0025 * 1.5 * 1.5) / 2.7, 1e-12);
  EXPECT_NEAR(a[3], -0.5 * 1020 * 1.1 * 0.1 * 0.6 * 0.8 * 0.8 / 5, 1e-12);
  // Munk's moment about y: v × P = (A_z − A_x) v_z v_x, as components of V × p.
  EXPECT_NEAR(a[1] * (0.4 + 0.6), -(-1.5 * 3 * 0.8 - 0.8 * 0.7 * -1.5), 1e-12);

  const ReadResult back = read_yaml(write_yaml(cylinder.model), "sea.yaml");
  EXPECT_EQ(back.diagnostics.to_string(), "");
  EXPECT_EQ(first_difference(cylinder.model, back.model), "");

  write("float.dm", robot("Drag_Axis -1\nDrag_Coefficients 1 2 3 4 5 6\n"));
  const ReadResult coefficients = read_model(main);
  EXPECT_EQ(messages(coefficients), "");
  const std::vector<double> b = accelerations(coefficients.model);
  EXPECT_NEAR(b[5], (weight + 6 * 1.5 * 1.5) / 2.7, 1e-12);
  EXPECT_NEAR(b[3], -4 * 0.8 * 0.8 / 5, 1e-12);

  for (const auto& [axis, unit] :
       {std::pair{0, Vec3d{1, 0, 0}}, std::pair{1, Vec3d{0, 1, 0}}, std::pair{2, Vec3d{0, 0, 1}}}) {
    write("float.dm",
          robot(fmt::format("Drag_Axis {}\nCylinder_Bounds 0.1 0.5\nCylinder_Radius 0.05\nDrag_Coefficient 1.1\n",
                            axis)));
    const Model model = read_model(main).model;
    const Shape& hull = model.bodies[0].in_fluid->hull.at(0).shape;
    EXPECT_EQ(hull.X_BS.R.ez, unit);
    EXPECT_LT(norm(hull.X_BS.p - unit * 0.3), 1e-15);
    EXPECT_NEAR(hull.length, 0.4, 1e-15);
  }
}

TEST_F(DmSimulation, says_in_which_file_a_mistake_is) {
  write("ball.dm", ball.substr(0, ball.size() - 2)), write("moon.env", moon + "Ground_Kinetic_Friction 1\n"),
      write("ground.dat", "2 3 5\n0 1 2\n3 4\n");
  const std::string main =
      "Integration_Stepsize 0\nEnvironment_Parameter_File \"moon.env\"\nRobot_Parameter_File "
      "\"ball.dm\"\nRobot_Parameter_File \"bal.dm\"\n";
  EXPECT_EQ(messages(read_model(write("moon.cfg", main))),
            "ball.dm:2:1: error: 'Articulation' is not closed before the file ends in line 17\n  fix: get the whole "
            "file, or add '}' where it ends      [dm-block]\n"
            "moon.cfg:1:1: error: Integration_Stepsize of the simulation is 0\n  fix: give a time above 0, in s      "
            "[number-out-of-range]\n"
            "moon.cfg:4:1: error: the robot file 'bal.dm' cannot be read: there is no such file\n  fix: check the path "
            "     [dm-file]\n"
            "moon.env:2:1: error: the terrain file 'ground.dat' ends after 5 of 6 heights\n  fix: get the whole file, "
            "or correct its number of nodes      [terrain-truncated]\n"
            "moon.env:9:1: warning: 'Ground_Kinetic_Friction' of the environment is no parameter: it is skipped, as in "
            "DynaMechs\n"
            "  fix: delete it      [dm-unknown]\n");
}

TEST(DmFormat, is_known_by_its_first_line) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("trammel-dm-{}.txt", getpid());
  std::ofstream(file) << ball;
  const ReadResult result = read_model(file.string());
  std::filesystem::remove(file);
  EXPECT_EQ(result.format, Format::dynamechs);
  EXPECT_TRUE(result.ok());
}

}  // namespace
}  // namespace trammel::test

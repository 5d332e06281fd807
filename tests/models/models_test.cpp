// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The mechanisms in models/: all are read without complaint but those listed, have the bodies, freedoms and masses that
// their sources publish, stand where they are drawn, and survive being written and read again.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <trammel/dynamics.hpp>
#include <trammel/fluid_forces.hpp>
#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "support/source_dir.hpp"

namespace trammel {
namespace {

const std::filesystem::path folder = std::filesystem::path(test::source_dir()) / "models";

struct Expected {
  std::string file;
  int bodies, joints, freedoms;       // freedoms of all joints, those that close loops included
  double mass;                        // kg
  std::vector<std::string> warnings;  // "id: body", in the order of the file
};

// How GoogleTest prints a parameter: without this, bytes with addresses that differ from run to run.
void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

std::vector<std::string> triangle_warnings_of_aquarobot() {
  std::vector<std::string> warnings;
  for (int leg = 1; leg <= 6; ++leg) {
    for (const char* part : {"hip", "foot"}) {
      warnings.push_back("inertia-triangle: leg" + std::to_string(leg) + " " + part);
    }
  }
  return warnings;
}

constexpr double pi = 3.14159265358979323846;

const std::vector<Expected>& expected_models() {
  static const std::vector<Expected> list{
      {"andrews", 7, 10, 10, 0.04325 + 0.00365 + 0.02373 + 2 * 0.00706 + 0.0705 + 0.05498, {}},
      {"aquarobot", 28, 28, 45, 711.82 + 18, triangle_warnings_of_aquarobot()},
      {"aquarobot_sea_floor", 28, 28, 45, 711.82 + 18, triangle_warnings_of_aquarobot()},
      {"aquarobot_underwater", 28, 28, 45, 711.82 + 18, triangle_warnings_of_aquarobot()},
      {"aquarobot_walking", 28, 28, 45, 711.82 + 18, triangle_warnings_of_aquarobot()},
      {"arm7", 7, 7, 7, 16.062132, {}},
      {"bennett", 3, 4, 4, 0.8, {}},
      {"bricard", 5, 6, 6, 5, {}},
      {"buoy", 1, 1, 6, 330, {}},
      {"cam_follower", 2, 2, 2, 1.5, {}},
      {"cardan", 2, 3, 4, 7850 * pi * 0.015 * 0.015 * 1, {}},
      {"cart", 5, 5, 10, 60, {}},
      {"chain5", 5, 5, 5, 5, {}},
      {"chaser", 11, 12, 21, 222.5, {}},
      {"crank_rocker", 3, 4, 4, 1, {}},
      {"delta", 10, 15, 33, 0.3 + 3 * 0.4 + 6 * 0.1, {}},
      {"dietmaier", 1, 1, 6, 1, {}},
      {"diving_sphere", 1, 1, 6, 7850 * 4 * pi / 3 * 125e-6, {}},
      {"double_pendulum", 2, 2, 2, 2, {}},
      {"double_wishbone", 6, 8, 16, 39.8, {}},
      {"five_bar", 4, 5, 5, 0.54, {}},
      {"five_link_suspension", 7, 11, 31, 37, {}},
      {"four_cranks", 5, 8, 8, 4.6, {}},
      {"frame_walker", 11, 11, 16, 59 + 8 * 2, {}},
      {"free_body", 1, 1, 6, 1, {}},
      {"geared_arm",
       7,
       7,
       7,
       7850 * pi * 1e-4 * 0.03 + 2700 * 0.3 * 0.03 * 0.02 + 7850 * pi * 16e-4 * 0.012 + 0.6 + 0.4 + 0.2 + 0.05 + 0.05,
       {}},
      {"geneva", 3, 4, 4, 1.82, {}},
      {"gyroscope", 2, 2, 3, 0.05 + 8500 * pi * 36e-4 * 0.015, {}},
      {"hand", 11, 13, 18, 0.4 + 0.15 + 3 * 0.075, {}},
      {"heavy_top", 1, 1, 3, 1, {}},
      {"hexapod", 19, 25, 42, 2 + 6 * 0.3, {}},
      {"hoeken", 3, 4, 4, 0.85, {}},
      {"humanoid", 33, 33, 38, 73, {}},
      {"jansen_leg", 7, 10, 10, 1, {}},
      {"mixed_tree", 19, 19, 39, 17.35 + 0.35 + 0.05 + 2700 * (0.05 * 0.04 * 0.03 + 4 * pi / 3 * 8e-6), {}},
      {"norton_fourbar", 3, 4, 4, 0.45, {}},
      {"pantograph", 4, 5, 5, 0.82, {}},
      {"peaucellier", 7, 10, 10, 0.9, {}},
      {"pendulum", 1, 1, 1, 1, {}},
      {"planetary", 6, 6, 6, 2.4 + 7850 * pi * 0.02 * (0.024 * 0.024 + 3 * 0.018 * 0.018), {}},
      {"puma560", 6, 6, 6, 23.45, {"inertia-triangle: link3"}},
      {"quadruped", 17, 17, 18, 2.50000279, {}},
      {"quadruped_fourbar", 21, 25, 42, 9 + 4 * 1.94, {}},
      {"quadruped_trot", 17, 17, 18, 2.50000279, {}},
      {"quick_return", 5, 7, 7, 21.4, {}},
      {"rccc", 3, 4, 7, 9, {}},
      {"remus100", 1, 1, 6, 31.029384975800248, {}},
      {"rov_arm", 7, 7, 12, 436 + 23.5, {}},
      {"rssr", 3, 4, 8, 9, {}},
      {"sarrus", 5, 6, 6, 6.6, {}},
      {"scissor_lift", 23, 34, 34, 402, {}},
      {"slider_crank", 3, 4, 4, 7850 * pi * (25e-6 * 0.04 + 16e-6 * 0.12) + 0.4, {}},
      {"space_robot", 4, 4, 9, 103 + 2700 * pi * (9e-4 + 6.25e-4), {}},
      {"stephenson_sixbar", 5, 7, 7, 35, {}},
      {"stewart",
       13,
       18,
       36,
       7850 * pi * (4e-4 + 2.25e-4) * 6 * 1.09507059441 / 2 +
           2700 * 0.03 * 0.36 * 1.5 * (std::sin(24 * pi / 180) + std::sin(96 * pi / 180)),
       {}},
      {"three_arm_grasp", 19, 21, 27, 4 + 3 * 20.4, {}},
      {"three_modules", 9, 9, 18, 3 * 25 + 6 * 4, {}},
      {"three_rods", 3, 3, 5, 3, {}},
      {"throttle_linkage", 5, 7, 7, 1.17, {}},
      {"toggle", 3, 4, 4, 1.5, {}},
      {"turning_walker", 10, 10, 15, 40 + 8 * 2, {}},
      {"two_arm_swimmer", 5, 5, 10, 1000 * pi * (4.0 / 3 * 0.5 * 0.15 * 0.12 + 4 * 9e-4 * 0.3), {}},
      {"watt_sixbar", 5, 7, 7, 1, {}},
  };
  return list;
}

std::string path_of(const std::string& file) { return (folder / (file + ".yaml")).string(); }

Model read(const std::string& file) {
  ReadResult result = read_model(path_of(file));
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return std::move(result.model);
}

// The name between the first pair of quotes.
std::string quoted(const std::string& text) {
  const auto begin = text.find('\''), end = text.find('\'', begin + 1);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

double mass_of(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass;
}

int freedoms_of(const Model& model) {
  int freedoms = 0;
  for (const Joint& joint : model.joints) freedoms += nv(joint.type);
  return freedoms;
}

void expect_near(const Vec3d& actual, const Vec3d& expected, double tolerance) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

class EveryModel : public testing::TestWithParam<Expected> {};

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(expected_models()),
                         [](const auto& entry) { return entry.param.file; });

TEST(Models, all_files_of_the_folder_are_in_the_list) {
  std::vector<std::string> there, listed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") there.push_back(entry.path().stem().string());
  }
  std::sort(there.begin(), there.end());
  for (const Expected& expected : expected_models()) listed.push_back(expected.file);
  EXPECT_EQ(there, listed);
}

TEST_P(EveryModel, is_read_with_the_expected_warnings_only) {
  const ReadResult result = read_model(path_of(GetParam().file));
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  std::vector<std::string> warnings;
  for (const Diagnostic& diagnostic : result.diagnostics.all()) {
    if (diagnostic.severity == Severity::warning) warnings.push_back(diagnostic.id + ": " + quoted(diagnostic.what));
  }
  EXPECT_EQ(warnings, GetParam().warnings) << result.diagnostics.to_string();
}

TEST_P(EveryModel, has_the_expected_bodies_joints_freedoms_and_mass) {
  const Model model = read(GetParam().file);
  EXPECT_EQ(model.bodies.size(), GetParam().bodies);
  EXPECT_EQ(model.joints.size(), GetParam().joints);
  EXPECT_EQ(freedoms_of(model), GetParam().freedoms);
  EXPECT_NEAR(mass_of(model) / GetParam().mass, 1, 1e-11);
}

TEST_P(EveryModel, compiles_with_a_loop_for_each_joint_beyond_the_tree) {
  const CompileResult result = compile(read(GetParam().file));
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  EXPECT_EQ(static_cast<int>(result.mechanism.loops.size()), GetParam().joints - GetParam().bodies);
}

TEST_P(EveryModel, begins_with_a_comment_that_names_the_source_of_its_figures) {
  FILE* file = std::fopen(path_of(GetParam().file).c_str(), "rb");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fgetc(file), '#');
  std::fclose(file);
}

TEST_P(EveryModel, has_both_frames_of_each_joint_at_one_place_at_the_design_position) {
  const Model model = read(GetParam().file);
  const auto pose = [&](const std::string& body) {
    return body == ground_name ? Transformd{} : model.find_body(body)->X_WB;
  };
  for (const Joint& joint : model.joints) {
    SCOPED_TRACE(joint.name);
    const Transformd F = pose(joint.first) * joint.X_AF, M = pose(joint.second) * joint.X_BM;
    expect_near(F.p, M.p, 1e-14);
    expect_near(F.R.ex, M.R.ex, 1e-14);
    expect_near(F.R.ez, M.R.ez, 1e-14);
  }
}

// --- written and read again -------------------------------------------------------------------------------------------

// Compares two models number by number; `tolerance` is relative to the size of each quantity (0: the same bits).
class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  void models(const Model& a, const Model& b) const {
    EXPECT_EQ(a.name, b.name);
    near("gravity", a.gravity, b.gravity);
    lists("points", a.points, b.points, [&](const Point& p, const Point& q) { near("p_W", p.p_W, q.p_W); });
    lists("bodies", a.bodies, b.bodies, [&](const Body& p, const Body& q) { bodies(p, q); });
    lists("joints", a.joints, b.joints, [&](const Joint& p, const Joint& q) { joints(p, q); });
    lists("couplings", a.couplings, b.couplings, [&](const Coupling& p, const Coupling& q) { couplings(p, q); });
    lists("outputs", a.outputs, b.outputs, [&](const Output& p, const Output& q) {
      EXPECT_EQ(p.body, q.body);
      near("p_B", p.p_B, q.p_B);
    });
  }

 private:
  template <class T, class Compare>
  static void lists(const char* what, const std::vector<T>& a, const std::vector<T>& b, Compare compare) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].name, b[i].name);
      SCOPED_TRACE(std::string(what) + " " + a[i].name);
      compare(a[i], b[i]);
    }
  }
  void near(const char* what, double a, double b, double size) const {
    if (a == b) return;  // infinities too
    EXPECT_NEAR(a, b, tolerance_ * size) << what;
  }
  void near(const char* what, double a, double b) const { near(what, a, b, std::abs(a)); }
  void near(const char* what, const Vec3d& a, const Vec3d& b, double extra_size = 0) const {
    const double size = norm(a) + extra_size;
    near(what, a.x, b.x, size);
    near(what, a.y, b.y, size);
    near(what, a.z, b.z, size);
  }
  void near(const char* what, const Transformd& a, const Transformd& b) const {
    near(what, a.R.ex, b.R.ex);
    near(what, a.R.ey, b.R.ey);
    near(what, a.R.ez, b.R.ez);
    near(what, a.p, b.p, 1);
  }
  void near(const char* what, const std::vector<double>& a, const std::vector<double>& b) const {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i) near(what, a[i], b[i]);
  }
  void near(const char* what, const std::optional<double>& a, const std::optional<double>& b) const {
    ASSERT_EQ(a.has_value(), b.has_value()) << what;
    if (a) near(what, *a, *b);
  }

  void bodies(const Body& a, const Body& b) const {
    near("X_WB", a.X_WB, b.X_WB);
    near("mass", a.mass, b.mass);
    near("com", a.com, b.com, 1);
    const Sym3d &p = a.inertia, &q = b.inertia;
    const double size = p.xx + p.yy + p.zz;
    near("xx", p.xx, q.xx, size);
    near("yy", p.yy, q.yy, size);
    near("zz", p.zz, q.zz, size);
    near("xy", p.xy, q.xy, size);
    near("xz", p.xz, q.xz, size);
    near("yz", p.yz, q.yz, size);
    ASSERT_EQ(a.shapes.size(), b.shapes.size());
    for (std::size_t i = 0; i < a.shapes.size(); ++i) shapes(a.shapes[i], b.shapes[i]);
  }
  // A round bar may turn about its own axis, a ball any way, on being written: what it fills is compared.
  void shapes(const Shape& a, const Shape& b) const {
    EXPECT_EQ(a.kind, b.kind);
    near("volume", volume(a), volume(b), 10 * volume(a));
    const RigidInertia<double> p = inertia_of(a, 1), q = inertia_of(b, 1);
    const double size = 10 * (p.I.xx + p.I.yy + p.I.zz);
    near("centre", p.h, q.h, 1);
    near("shape xx", p.I.xx, q.I.xx, size);
    near("shape yy", p.I.yy, q.I.yy, size);
    near("shape zz", p.I.zz, q.I.zz, size);
    near("shape xy", p.I.xy, q.I.xy, size);
    near("shape xz", p.I.xz, q.I.xz, size);
    near("shape yz", p.I.yz, q.I.yz, size);
    near("shape mass", a.mass, b.mass);
    near("shape density", a.density, b.density);
  }
  void joints(const Joint& a, const Joint& b) const {
    EXPECT_EQ(keyword(a.type), keyword(b.type));
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
    EXPECT_EQ(a.cut, b.cut);
    near("X_AF", a.X_AF, b.X_AF);
    near("X_BM", a.X_BM, b.X_BM);
    if (const Helical* helical = std::get_if<Helical>(&a.type)) near("h", helical->h, std::get<Helical>(b.type).h);
    const JointProperties &p = a.properties, &q = b.properties;
    near("viscous", p.viscous, q.viscous);
    near("dry", p.dry, q.dry);
    near("dry_speed", p.dry_speed, q.dry_speed);
    near("armature", p.armature, q.armature);
    near("lower", p.lower, q.lower);
    near("upper", p.upper, q.upper);
    near("velocity_limit", p.velocity_limit, q.velocity_limit);
    near("effort_limit", p.effort_limit, q.effort_limit);
    near("q_initial", a.q_initial, b.q_initial);
    near("v_initial", a.v_initial, b.v_initial);
  }
  void couplings(const Coupling& a, const Coupling& b) const {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
    EXPECT_EQ(a.first_dof, b.first_dof);
    EXPECT_EQ(a.second_dof, b.second_dof);
    near("ratio", a.ratio, b.ratio);
    near("offset", a.offset, b.offset);
  }

  double tolerance_;
};

TEST_P(EveryModel, is_the_same_after_being_written_and_read_in_si) {
  const Model model = read(GetParam().file);
  const std::string text = write_yaml(model, true);
  const ReadResult again = read_yaml(text, "again.yaml");
  ASSERT_TRUE(again.ok()) << again.diagnostics.to_string() << text;
  Comparison(0).models(model, again.model);
}

TEST_P(EveryModel, is_the_same_after_being_written_and_read_in_its_own_units) {
  const Model model = read(GetParam().file);
  const std::string text = write_yaml(model, false);
  const ReadResult again = read_yaml(text, "again.yaml");
  ASSERT_TRUE(again.ok()) << again.diagnostics.to_string() << text;
  EXPECT_EQ(again.model.units.length, model.units.length);
  Comparison(4e-15).models(model, again.model);
}

// --- figures of single models -----------------------------------------------------------------------------------------

TEST(Puma560, wrist_stands_where_the_rows_put_it) {
  // a₂ + a₃ out, d₂ + d₃ aside, d₄ up from the shoulder at 0.672 m; all axes but 2, 3 and 5 point up.
  const Model model = read("puma560");
  const Transformd X_W6 = model.find_body("link6")->X_WB;
  expect_near(X_W6.p, {0.4318 - 0.0203, 0.2435 - 0.0934, 0.672 + 0.4331}, 1e-15);
  expect_near(X_W6.R.ez, {0, 0, 1}, 1e-15);
  expect_near(model.find_body("link2")->X_WB.R.ez, {0, 1, 0}, 1e-15);
  EXPECT_EQ(model.find_joint("shoulder")->properties.armature, std::vector<double>{4.754});
}

TEST(Puma560, weighs_on_its_joints_by_the_closed_form) {
  // Weights times lever arms in the frames of the rows, worked out by hand: five constants (N m) make up all torques.
  constexpr double g = 9.81, a2 = 0.4318, a3 = -0.0203, d4 = 0.4331, wrist_mass = 0.82 + 0.34 + 0.09;
  constexpr double g1 = -g * ((4.8 + wrist_mass) * a2 + 17.4 * 0.068);
  constexpr double g2 = g * (4.8 * -0.070 - wrist_mass * d4 - 0.82 * -0.019);
  constexpr double g3 = g * 17.4 * 0.006;
  constexpr double g4 = -g * wrist_mass * a3;
  constexpr double g5 = -g * 0.09 * 0.032;
  const Mechanism mechanism = compile(read("puma560")).mechanism;
  Workspace ws(mechanism);
  const std::array<std::array<double, 6>, 4> postures{{{0, 0, 0, 0, 0, 0},
                                                       {0.3, -1.5707963267948966, 1.5707963267948966, 0, 0, 0},
                                                       {-1, 0.7, -0.4, 1.1, 0.9, -0.3},
                                                       {2, -2.5, 1.9, -0.6, -1.3, 0.8}}};
  for (const auto& q : postures) {
    std::array<double, 6> torque{};
    gravity_forces<double>(mechanism, ws, q, torque);
    const auto S = [&](double angle) { return std::sin(angle); };
    const auto C = [&](double angle) { return std::cos(angle); };
    const double q23 = q[1] + q[2];
    const double wrist = g5 * (S(q23) * C(q[4]) + C(q23) * C(q[3]) * S(q[4]));
    const double elbow = g2 * S(q23) + g4 * C(q23) + wrist;
    EXPECT_NEAR(torque[0], 0, 1e-12);
    EXPECT_NEAR(torque[1], g1 * C(q[1]) + g3 * S(q[1]) + elbow, 1e-12);
    EXPECT_NEAR(torque[2], elbow, 1e-12);
    EXPECT_NEAR(torque[3], -g5 * S(q23) * S(q[3]) * S(q[4]), 1e-12);
    EXPECT_NEAR(torque[4], g5 * (C(q23) * S(q[4]) + S(q23) * C(q[3]) * C(q[4])), 1e-12);
    EXPECT_NEAR(torque[5], 0, 1e-12);
  }
}

TEST(Arm7, flange_points_down_at_the_design_position) {
  // Franka Emika's figures at all angles zero: 0.333 + 0.316 + 0.384 up, 0.088 out, the flange 0.107 below.
  const Model model = read("arm7");
  const Transformd X_W7 = model.find_body("link7")->X_WB;
  expect_near(X_W7.p, {0.088, 0, 1.033}, 1e-15);
  expect_near(X_W7.R.ez, {0, 0, -1}, 1e-15);
  expect_near(model.outputs.at(0).p_B, {0, 0, 0.107}, 1e-15);
  EXPECT_NEAR(model.find_joint("joint1")->properties.velocity_limit.at(0), 2.175, 1e-6);
  EXPECT_NEAR(model.find_joint("joint1")->properties.viscous.at(0), 0.0052 * 180 / pi, 1e-15);
}

TEST(Quadruped, feet_stand_at_the_corners) {
  const Model model = read("quadruped");
  for (const double front : {1., -1.}) {
    for (const double left : {1., -1.}) {
      const std::string leg = std::string(front > 0 ? "F" : "H") + (left > 0 ? "L" : "R");
      const Transformd X_WF = model.find_body(leg + " foot")->X_WB;
      expect_near(X_WF.p, {front * 0.1946, left * (0.0875 + 0.014 + 0.03745 + 0.008), 0.35 - 0.32}, 1e-15);
    }
  }
}

TEST(Humanoid, segments_weigh_and_swing_as_published) {
  // de Leva 1996, table 4, males: per cent of 73 kg, length in m, radii of gyration in per cent of it (sagittal,
  // transverse, longitudinal axis; the foot's longitudinal axis is forward). Balls at the joints belong to a segment.
  struct Segment {
    std::string body;
    std::vector<std::string> balls;
    double share, length;
    Vec3d radii;
  };
  std::vector<Segment> segments{
      {"head", {"neck yoke"}, 6.94, 0.2429, {30.3, 31.5, 26.1}},
      {"thorax", {}, 15.96, 0.1707, {71.6, 45.4, 65.9}},
      {"abdomen", {"waist yoke", "waist cross"}, 16.33, 0.2155, {48.2, 38.3, 46.8}},
      {"pelvis", {}, 11.17, 0.1457, {61.5, 55.1, 58.7}},
  };
  for (const std::string side : {"left ", "right "}) {
    segments.push_back(
        {side + "upper arm", {side + "shoulder yoke", side + "shoulder cross"}, 2.71, 0.2817, {28.5, 26.9, 15.8}});
    segments.push_back(
        {side + "forearm", {side + "wrist yoke", side + "wrist cross"}, 1.62, 0.2689, {27.6, 26.5, 12.1}});
    segments.push_back({side + "hand", {}, 0.61, 0.0862, {62.8, 51.3, 40.1}});
    segments.push_back({side + "thigh", {side + "hip yoke", side + "hip cross"}, 14.16, 0.4222, {32.9, 32.9, 14.9}});
    segments.push_back({side + "shank", {side + "ankle cross"}, 4.33, 0.4340, {25.5, 24.9, 10.3}});
    segments.push_back({side + "foot", {}, 1.37, 0.2581, {12.4, 25.7, 24.5}});
  }
  const Model model = read("humanoid");
  std::size_t bodies = 0;
  for (const Segment& segment : segments) {
    SCOPED_TRACE(segment.body);
    const Body* body = model.find_body(segment.body);
    ASSERT_NE(body, nullptr);
    double mass = body->mass;
    for (const std::string& ball : segment.balls) mass += model.find_body(ball)->mass;
    bodies += 1 + segment.balls.size();
    EXPECT_NEAR(mass, 0.73 * segment.share, 1e-9);
    const auto radius = [&](double moment) { return std::sqrt(moment / body->mass) / segment.length * 100; };
    const double per_cent = 0.003;  // inertias in the file have one decimal, in kg mm²
    expect_near({radius(body->inertia.xx), radius(body->inertia.yy), radius(body->inertia.zz)}, segment.radii,
                per_cent);
  }
  EXPECT_EQ(bodies, model.bodies.size());
}

TEST(Humanoid, is_symmetric_and_stands_as_tall_as_its_segments) {
  const Model model = read("humanoid");
  Vec3d moment;
  for (const Body& body : model.bodies) moment += (body.X_WB * body.com) * body.mass;
  EXPECT_NEAR(moment.y, 0, 1e-14);
  EXPECT_NEAR(model.find_point("neck")->p_W.z, 0.070 + 0.4340 + 0.4222 + 0.6033, 1e-15);
  expect_near(model.gravity, {0, 0, -9.81}, 1e-15);
}

TEST(Aquarobot, weighs_as_published_without_its_estimated_boom) {
  const Model model = read("aquarobot");
  double boom = 0;
  for (const char* name : {"boom1", "boom2", "boom3"}) boom += model.find_body(name)->mass;
  EXPECT_NEAR(mass_of(model) - boom, 711.82, 1e-12);
}

TEST(Aquarobot, legs_reach_out_like_a_star) {
  const Model model = read("aquarobot");
  for (int leg = 0; leg < 6; ++leg) {
    const Transformd X_WF = model.find_body("leg" + std::to_string(leg + 1) + " foot")->X_WB;
    const double angle = leg * pi / 3, reach = 0.375 + 0.2 + 0.52 + 1.02;
    expect_near(X_WF.p, {reach * std::cos(angle), reach * std::sin(angle), 1}, 1e-14);
  }
}

TEST(Aquarobot, hip_inertia_is_moved_to_the_centre_of_mass) {
  // 0.07 − 5.03 · 0.1² and 0.13 − 5.03 · 0.1²: the figures that break the triangle rule.
  const Model model = read("aquarobot");
  const Body* hip = model.find_body("leg1 hip");
  ASSERT_NE(hip, nullptr);
  EXPECT_NEAR(hip->inertia.xx, 0.02, 1e-15);
  EXPECT_NEAR(hip->inertia.yy, 0.0197, 1e-15);
  EXPECT_NEAR(hip->inertia.zz, 0.0797, 1e-15);
}

TEST(Aquarobot, in_water_displaces_what_its_cylinders_do) {
  const Mechanism mech = compile(read("aquarobot_underwater")).mechanism;
  const WetReport wet = report_fluid(mech, initial_state(mech).q);
  const auto cylinder = [](double r, double L) { return pi * r * r * L; };
  const double volume =
      cylinder(0.26, 0.95) +
      6 * (cylinder(0.075, 0.2) + cylinder(0.1, 0.52) + cylinder(0.05, 1.02) + cylinder(0.225, 0.03)) +
      cylinder(0.05, 0.25) + cylinder(0.04, 0.6) + cylinder(0.03, 0.6);
  EXPECT_NEAR(wet.displaced_mass, 1025 * volume, 1e-9);
  EXPECT_GT(wet.net_weight, 0);
  EXPECT_TRUE(wet.dry.empty());
  // The pad's disc has three times its own mass of water to move: more than a scheme that lags by a step can bear.
  for (const WetBodyReport& body : wet.bodies) {
    if (body.body == "leg1 foot") {
      EXPECT_GT(body.added_mass[5] / body.mass, 3);
    }
  }
}

Vec3d velocity_of_base(Simulation& simulation) {
  const std::vector<double>& v = simulation.state().v;
  return {v[3], v[4], v[5]};
}

TEST(Remus100, runs_as_fast_as_published) {
  const Mechanism mech = compile(read("remus100")).mechanism;
  Simulation simulation(mech, {.until = 60, .tolerance = 1e-9});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_NEAR(norm(velocity_of_base(simulation)), 2.55, 0.05);  // published maximum 2.5 m/s
  EXPECT_NEAR(report_fluid(mech, initial_state(mech).q).net_weight, 0, 1e-3);
}

TEST(TwoArmSwimmer, weighs_what_it_displaces_and_swims) {
  const Mechanism mech = compile(read("two_arm_swimmer")).mechanism;
  EXPECT_NEAR(report_fluid(mech, initial_state(mech).q).net_weight, 0, 1e-9);
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-8});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_GT(std::abs(simulation.state().q[4]), 0.05);
  EXPECT_NEAR(simulation.state().q[5], 0, 1e-3);  // by symmetry
  EXPECT_LT(std::abs(simulation.energy().error), 1e-6);
}

TEST(Buoy, floats_upright_in_waves) {
  const Mechanism mech = compile(read("buoy")).mechanism;
  Simulation simulation(mech, {.until = 40, .tolerance = 1e-6});
  ASSERT_TRUE(simulation.run().ok());
  const State& s = simulation.state();
  EXPECT_GT(rotation_of(Quaternion<double>::load(s.q.data())).ez.z, 0.9);
  EXPECT_LT(std::abs(s.q[6] + 0.4), 0.6);
}

TEST(RovArm, is_nearly_neutral_and_stays_so_while_its_arm_moves) {
  const Mechanism mech = compile(read("rov_arm")).mechanism;
  const WetReport wet = report_fluid(mech, initial_state(mech).q);
  EXPECT_LT(std::abs(wet.net_weight), 0.01 * wet.mass * 9.81);
  Simulation simulation(mech, {.until = 10, .tolerance = 1e-7});
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_LT(std::abs(simulation.energy().error), 1e-3);
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Constraint types one by one: what they keep, and motions with known answers.

#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/kinematics.hpp>

#include "loops/add_a_constraint_example.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using std::numbers::pi;
using test::compiled;

const Transformd origin;

Model with_bodies(std::initializer_list<const char*> names) {
  Model model;
  model.gravity = {};
  for (const char* name : names) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  return model;
}

// Drives one joint to a value and returns all coordinates.
std::vector<double> driven(const Mechanism& mech, const std::string& joint, double value, LoopSolver* keep = nullptr) {
  std::optional<LoopSolver> own;
  if (keep == nullptr) own.emplace(mech, std::vector<Driver>{Driver{.joint = mech.find_joint(joint)}});
  LoopSolver& solver = keep == nullptr ? *own : *keep;
  std::vector<double> q = design_state(mech).q;
  // In steps of at most half a radian, so that turns are counted.
  const int steps = 1 + static_cast<int>(std::abs(value) / 0.5);
  for (int k = 1; k <= steps; ++k) {
    const Target target{value * k / steps, 0, 0, 0};
    EXPECT_TRUE(solver.assemble(q, {&target, 1}).closed());
  }
  return q;
}

double coordinate(const Mechanism& mech, const std::vector<double>& q, const std::string& joint) {
  return q[static_cast<std::size_t>(mech.joints[mech.find_joint(joint)].q)];
}

TEST(DistanceConstraint, makes_a_crank_and_a_slider_a_slider_crank) {
  Model model = with_bodies({"crank", "slider"});
  add_joint(model, "pivot", Revolute{}, "ground", "crank", origin);
  add_joint(model, "guide", Prismatic{}, "ground", "slider", frame_at({4, 0, 0}, {1, 0, 0}));
  add_constraint(model, "rod", Distance{3}, "crank", "slider", Transformd::translation({1, 0, 0}),
                 Transformd::translation({4, 0, 0}));
  const Mechanism mech = compiled(model);
  // Design position is stretched out (a dead point); turn away from it.
  LoopSolver solver(mech, {Driver{.joint = 0}});
  const std::vector<double> q = driven(mech, "pivot", 1.0, &solver);
  EXPECT_NEAR(4 + coordinate(mech, q, "guide"), std::cos(1.0) + std::sqrt(9 - std::sin(1.0) * std::sin(1.0)), 1e-13);
}

TEST(PointOnLineConstraint, keeps_a_trammel_on_its_ellipse) {  // the trammel of Archimedes
  Model model = with_bodies({"bar"});
  add_joint(model, "plane", Planar{}, "ground", "bar", origin);
  // Ends of the bar on x and y axis: a = (2, 0), b = (0, 1).
  add_constraint(model, "on x", PointOnLine{}, "ground", "bar", frame_at({0, 0, 0}, {1, 0, 0}),
                 Transformd::translation({2, 0, 0}));
  add_constraint(model, "on y", PointOnLine{}, "ground", "bar", frame_at({0, 0, 0}, {0, 1, 0}),
                 Transformd::translation({0, 1, 0}));
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech, {Driver{.joint = 0, .dof = 2}});
  std::vector<double> q = design_state(mech).q;
  const Target target{0.4, 0, 0, 0};
  ASSERT_TRUE(solver.assemble(q, {&target, 1}).closed());
  const double L = std::sqrt(5.0), angle = std::atan2(-1.0, 2.0) + 0.4;  // of the bar from b to a
  compute_positions(mech, solver.workspace(), q);
  const Vec3d a = pose_WB(mech, solver.workspace(), 0) * Vec3d{2, 0, 0},
              b = pose_WB(mech, solver.workspace(), 0) * Vec3d{0, 1, 0};
  EXPECT_NEAR(a.x, L * std::cos(angle), 1e-13);
  EXPECT_NEAR(a.y, 0, 1e-13);
  EXPECT_NEAR(b.x, 0, 1e-13);
  EXPECT_NEAR(b.y, -L * std::sin(angle), 1e-13);
}

TEST(RollingConstraint, turns_a_planet_on_its_sun_as_willis_says) {
  // Sun fixed (r = 3), arm about the centre, planet r = 1 on the arm: rolling outside, the planet turns 1 + 3/1 times.
  Model model = with_bodies({"arm", "planet"});
  add_joint(model, "arm pivot", Revolute{}, "ground", "arm", origin);
  add_joint(model, "planet pin", Revolute{}, "arm", "planet", Transformd::translation({4, 0, 0}));
  add_constraint(model, "mesh", RollingCircles{.first_radius = 3, .second_radius = 1, .keeps_contact = false}, "ground",
                 "planet", origin, Transformd::translation({4, 0, 0}));
  const Mechanism mech = compiled(model);
  const std::vector<double> q = driven(mech, "arm pivot", 4 * pi);    // two turns of the arm
  EXPECT_NEAR(coordinate(mech, q, "planet pin"), 4 * pi * 3, 1e-11);  // relative to the arm: θ_planet = 4 θ_arm
}

TEST(RollingConstraint, turns_a_wheel_inside_a_ring_backwards) {
  Model model = with_bodies({"arm", "planet"});
  add_joint(model, "arm pivot", Revolute{}, "ground", "arm", origin);
  add_joint(model, "planet pin", Revolute{}, "arm", "planet", Transformd::translation({2, 0, 0}));
  add_constraint(model, "mesh",
                 RollingCircles{.first_radius = 3, .second_radius = 1, .inside = true, .keeps_contact = false},
                 "ground", "planet", origin, Transformd::translation({2, 0, 0}));
  const Mechanism mech = compiled(model);
  const std::vector<double> q = driven(mech, "arm pivot", 2 * pi);
  EXPECT_NEAR(coordinate(mech, q, "planet pin"), -3 * 2 * pi, 1e-11);
}

TEST(RollingConstraint, rolls_a_wheel_along_a_line_and_keeps_it_there) {
  Model model = with_bodies({"wheel"});
  add_joint(model, "plane", Planar{}, "ground", "wheel", Transformd::translation({0, 0.5, 0}));
  add_constraint(model, "track", RollingOnLine{.radius = 0.5}, "ground", "wheel", origin,
                 Transformd::translation({0, 0.5, 0}));
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech, {Driver{.joint = 0, .dof = 0}});
  std::vector<double> q = design_state(mech).q;
  for (int k = 1; k <= 20; ++k) {
    const Target target{0.2 * k, 0, 0, 0};
    ASSERT_TRUE(solver.assemble(q, {&target, 1}).closed());
  }
  EXPECT_NEAR(q[1], 0, 1e-13);
  EXPECT_NEAR(q[2], -4 / 0.5, 1e-12);  // to the right it turns clockwise
}

Curve circle(double r) {
  auto curve = Curve::from(CurveFormula{fmt::format("{}*cos(s)", r), fmt::format("{}*sin(s)", r), 0, 2 * pi, true});
  return std::get<Curve>(std::move(curve));
}

// An eccentric disc with a roller on a guide has the motion of a slider-crank with rod r + ρ.
TEST(PointOnCurveConstraint, lifts_the_roller_of_an_eccentric_as_a_slider_crank_does) {
  const double e = 0.2, r = 1, roller = 0.3;
  Model model = with_bodies({"cam", "follower"});
  add_joint(model, "shaft", Revolute{}, "ground", "cam", origin);
  const double drawn = e + r + roller;
  add_joint(model, "guide", Prismatic{}, "ground", "follower", frame_at({drawn, 0, 0}, {1, 0, 0}));
  add_constraint(model, "touch", PointOnCurve{std::make_shared<Curve>(circle(r)), -roller}, "cam", "follower",
                 Transformd::translation({e, 0, 0}), Transformd::translation({drawn, 0, 0}));
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech, {Driver{.joint = 0}});
  const double angle = 1.1, speed = 2;
  const std::vector<double> q = driven(mech, "shaft", angle, &solver);
  const double L = r + roller, s = std::sin(angle), c = std::cos(angle), root = std::sqrt(L * L - e * e * s * s);
  EXPECT_NEAR(drawn + coordinate(mech, q, "guide"), e * c + root, 1e-11);
  const Target target{angle, speed, 0, 0};
  std::vector<double> v(2), a(2);
  ASSERT_TRUE(solver.velocities(q, {&target, 1}, v));
  ASSERT_TRUE(solver.accelerations(q, v, {&target, 1}, a));
  const double slope = -e * s - e * e * s * c / root;
  const double curvature =
      -e * c - e * e * (c * c - s * s) / root - e * e * e * e * s * s * c * c / (root * root * root);
  EXPECT_NEAR(v[1], slope * speed, 1e-9);
  EXPECT_NEAR(a[1], curvature * speed * speed, 1e-7);
}

// A flat follower square to its guide: lift e cos θ + r, exactly harmonic.
TEST(FaceOnCurveConstraint, lifts_a_flat_follower_harmonically) {
  const double e = 0.2, r = 1;
  Model model = with_bodies({"cam", "follower"});
  add_joint(model, "shaft", Revolute{}, "ground", "cam", origin);
  add_joint(model, "guide", Prismatic{}, "ground", "follower", frame_at({e + r, 0, 0}, {1, 0, 0}));
  const Mat3d face{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};  // Q's y axis along the guide, from the cam to the follower
  add_constraint(model, "touch", FaceOnCurve{std::make_shared<Curve>(circle(r))}, "cam", "follower",
                 Transformd::translation({e, 0, 0}), {face, {e + r, 0, 0}});
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech, {Driver{.joint = 0}});
  const std::vector<double> q = driven(mech, "shaft", 0.8, &solver);
  EXPECT_NEAR(e + r + coordinate(mech, q, "guide"), e * std::cos(0.8) + r, 1e-11);
  const Target target{0.8, 3, 0, 0};
  std::vector<double> v(2), a(2);
  ASSERT_TRUE(solver.velocities(q, {&target, 1}, v));
  ASSERT_TRUE(solver.accelerations(q, v, {&target, 1}, a));
  EXPECT_NEAR(v[1], -e * std::sin(0.8) * 3, 1e-9);
  EXPECT_NEAR(a[1], -e * std::cos(0.8) * 9, 1e-8);
}

TEST(Curve, of_a_table_passes_its_points_and_says_what_is_wrong_with_it) {
  CurveTable table{{{0, 0}, {1, 0.5}, {2, 0}, {3, -0.5}}, false};
  const Curve curve = std::get<Curve>(Curve::from(table));
  for (const auto& p : table.points) {
    const CurvePoint<double> c = curve.at(curve.nearest(p));
    EXPECT_NEAR(c.x, p[0], 1e-12);
    EXPECT_NEAR(c.y, p[1], 1e-12);
  }
  EXPECT_EQ(std::get<std::string>(Curve::from(CurveTable{{{0, 0}}, false})), "a curve needs at least 2 points");
  EXPECT_EQ(std::get<std::string>(Curve::from(CurveTable{{{0, 0}, {1, 1}, {1, 1}}, false})),
            "points 2 and 3 of the curve coincide");
  EXPECT_NE(std::get<std::string>(Curve::from(CurveFormula{"1/s", "s", 0, 1, false})).find("not smooth at s = 0"),
            std::string::npos);
}

TEST(UserConstraint, holds_a_ball_on_a_sphere_and_its_jacobian_is_right) {
  const UserConstraint tether = custom_constraint(OnSphere{2});
  test::Random random(4);
  for (int k = 0; k < 20; ++k) EXPECT_LT(check_jacobian(tether, random.pose()), 1e-14);
  Model model = with_bodies({"ball"});
  add_joint(model, "float", Free{}, "ground", "ball", Transformd::translation({2, 0, 0}));
  add_constraint(model, "tether", tether, "ground", "ball", origin, Transformd::translation({2, 0, 0}));
  const Mechanism mech = compiled(model);
  LoopSolver solver(mech);
  EXPECT_EQ(find_mobility(solver, design_state(mech).q).here, 5);
  std::vector<double> q = design_state(mech).q;
  q[4] = 1.2, q[5] = 0.7;
  ASSERT_TRUE(solver.assemble(q, {}).closed());
  EXPECT_NEAR(std::sqrt(std::pow(2 + q[4], 2) + q[5] * q[5] + q[6] * q[6]), 2, 1e-12);
}

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_dir() + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AddAConstraintPage, shows_the_example_that_is_compiled_here) {
  const std::string page = text_of("docs/add_a_constraint.md"), fence = "```";
  const std::size_t begin = page.find(fence + "cpp\n") + fence.size() + 4;
  const std::size_t end = page.find(fence, begin);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(page.substr(begin, end - begin), text_of("tests/loops/add_a_constraint_example.hpp"));
}

}  // namespace
}  // namespace trammel

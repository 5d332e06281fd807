// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Building and searching models in C++.

#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include <trammel/model.hpp>

namespace trammel {
namespace {

constexpr double few_ulps = 1e-15;  // of numbers up to 1: normalising, a cross product and a difference round each

void expect_near(const Vec3d& actual, const Vec3d& expected, double tolerance = few_ulps) {
  EXPECT_NEAR(actual.x, expected.x, tolerance);
  EXPECT_NEAR(actual.y, expected.y, tolerance);
  EXPECT_NEAR(actual.z, expected.z, tolerance);
}

void expect_near(const Transformd& actual, const Transformd& expected, double tolerance = few_ulps) {
  expect_near(actual.R.ex, expected.R.ex, tolerance);
  expect_near(actual.R.ey, expected.R.ey, tolerance);
  expect_near(actual.R.ez, expected.R.ez, tolerance);
  expect_near(actual.p, expected.p, tolerance);
}

void expect_right_handed(const Mat3d& R) {
  expect_near(cross(R.ex, R.ey), R.ez, few_ulps);
  expect_near(cross(R.ey, R.ez), R.ex);
  EXPECT_NEAR(norm(R.ez), 1, few_ulps);
}

TEST(Model, coupling_keywords_are_those_of_files) {
  EXPECT_EQ(keyword(Coupling::Kind::gear), "gear");
  EXPECT_EQ(keyword(Coupling::Kind::rack), "rack");
  EXPECT_EQ(keyword(Coupling::Kind::screw), "screw");
  EXPECT_EQ(keyword(Coupling::Kind::mimic), "mimic");
}

TEST(Model, starts_empty_with_gravity_down_z) {
  const Model model;
  EXPECT_TRUE(model.bodies.empty());
  EXPECT_EQ(model.gravity, (Vec3d{0, 0, -9.81}));
}

TEST(Model, finds_by_name_and_only_by_whole_name) {
  Model model;
  add_body(model, "arm", 1, {}, {});
  add_body(model, "arm 2", 2, {}, {});
  add_joint(model, "elbow", Revolute{}, "arm", "arm 2", {});
  model.points.push_back({"P", {1, 2, 3}, {}});

  ASSERT_NE(model.find_body("arm 2"), nullptr);
  EXPECT_EQ(model.find_body("arm 2")->mass, 2);
  EXPECT_EQ(model.find_body("arm")->mass, 1);
  EXPECT_EQ(model.find_body("ar"), nullptr);
  EXPECT_EQ(model.find_body("elbow"), nullptr);
  EXPECT_EQ(model.find_body(ground_name), nullptr);
  ASSERT_NE(model.find_joint("elbow"), nullptr);
  EXPECT_EQ(model.find_joint("elbow")->second, "arm 2");
  EXPECT_EQ(model.find_joint("P"), nullptr);
  ASSERT_NE(model.find_point("P"), nullptr);
  EXPECT_EQ(model.find_point("P")->p_W.z, 3);
  EXPECT_EQ(model.find_point("Q"), nullptr);
}

TEST(Model, add_body_keeps_what_it_is_given) {
  Model model;
  const Transformd X_WB{rotation_z(0.3), {1, 2, 3}};
  Body& body = add_body(model, "b", 2, {4, 5, 6}, {7, 8, 9, 0.1, 0.2, 0.3}, X_WB);
  EXPECT_EQ(&body, &model.bodies.back());
  EXPECT_EQ(body.name, "b");
  EXPECT_EQ(body.mass, 2);
  EXPECT_EQ(body.com, (Vec3d{4, 5, 6}));
  EXPECT_EQ(body.inertia, (Sym3d{7, 8, 9, 0.1, 0.2, 0.3}));
  EXPECT_EQ(body.X_WB, X_WB);
  EXPECT_TRUE(body.shapes.empty());
}

TEST(Model, a_joint_added_to_the_ground_sits_where_it_was_drawn) {
  Model model;
  add_body(model, "b", 1, {}, {}, Transformd::translation({1, 0, 0}));
  const Transformd X_WJ = Transformd::translation({3, 2, 0});
  const Joint& joint = add_joint(model, "j", Prismatic{}, "ground", "b", X_WJ);
  EXPECT_EQ(&joint, &model.joints.back());
  expect_near(joint.X_AF, X_WJ);
  expect_near(joint.X_BM, Transformd::translation({2, 2, 0}));
  EXPECT_EQ(keyword(joint.type), "prismatic");
  EXPECT_EQ(joint.first, "ground");
  EXPECT_FALSE(joint.cut);
}

TEST(Model, both_frames_of_a_joint_coincide_at_the_design_position) {
  Model model;
  const Transformd X_WA{exp_rotation(Vec3d{0.3, -1.1, 0.4}), {1, -2, 0.5}};
  const Transformd X_WB{exp_rotation(Vec3d{-0.7, 0.2, 1.9}), {0.2, 3, -1}};
  const Transformd X_WJ{exp_rotation(Vec3d{1.3, 0.6, -0.8}), {0.7, 0.8, 0.9}};
  add_body(model, "a", 1, {}, {}, X_WA);
  add_body(model, "b", 1, {}, {}, X_WB);
  const Joint& joint = add_joint(model, "j", Revolute{}, "a", "b", X_WJ);
  expect_near(X_WA * joint.X_AF, X_WJ);
  expect_near(X_WB * joint.X_BM, X_WJ);
}

TEST(Model, a_joint_between_bodies_that_are_not_there_is_refused_by_name) {
  Model model;
  add_body(model, "a", 1, {}, {});
  try {
    add_joint(model, "j", Revolute{}, "a", "b", {});
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "joint 'j' names body 'b', which is not in the model");
  }
  EXPECT_TRUE(model.joints.empty());
}

TEST(FrameAt, z_axis_gives_the_world_axes_exactly) {
  const Transformd X = frame_at({1, 2, 3}, {0, 0, 5});
  EXPECT_EQ(X, Transformd::translation({1, 2, 3}));
}

TEST(FrameAt, axes_along_the_world_axes_are_exact) {
  const Mat3d along_x{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};  // near x, so x of the frame is the world y
  const Mat3d along_y{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}};
  const Mat3d against_z{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  EXPECT_EQ(frame_at({}, {1, 0, 0}).R, along_x);
  EXPECT_EQ(frame_at({}, {0, 1, 0}).R, along_y);
  EXPECT_EQ(frame_at({}, {0, 0, -1}).R, against_z);
  EXPECT_EQ(frame_at({}, {-1, 0, 0}).R, (Mat3d{{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}}));
}

TEST(FrameAt, x_is_the_world_x_until_the_axis_is_within_45_degrees_of_it) {
  const double s = std::sqrt(0.5);
  expect_near(frame_at({}, {1, 0, 1}).R.ex, {s, 0, -s});
  expect_near(frame_at({}, {-0.3, 0, 0.3}).R.ex, {s, 0, s});
  expect_near(frame_at({}, {1.001, 0, 1}).R.ex, {0, 1, 0});
  expect_near(frame_at({}, {-1.001, 0, 1}).R.ex, {0, 1, 0});
}

TEST(FrameAt, is_a_right_handed_frame_for_any_axis) {
  std::mt19937 engine(4);
  const auto random = [&] { return engine() / 2147483648.0 - 1; };
  for (int i = 0; i < 200; ++i) {
    const Vec3d axis{random(), random(), random()};
    const Mat3d R = frame_at({}, axis).R;
    expect_right_handed(R);
    expect_near(R.ez * norm(axis), axis, few_ulps);
    const Vec3d towards = std::abs(R.ez.x) > std::sqrt(0.5) ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0};
    EXPECT_NEAR(dot(cross(R.ez, towards), R.ex), 0, few_ulps);
    EXPECT_GT(dot(towards, R.ex), 0.7);
  }
}

TEST(FrameAt, universal_frame_has_x_and_y_along_its_axes) {
  const Transformd X = frame_at({1, 2, 3}, {0, 2, 0}, {0, 0, -3});
  EXPECT_EQ(X.p, (Vec3d{1, 2, 3}));
  EXPECT_EQ(X.R, (Mat3d{{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}}));
}

TEST(FrameAt, universal_frame_keeps_the_first_axis_where_they_are_not_square) {
  const Mat3d R = frame_at({}, {1, 0, 0}, {1e-3, 1, 0}).R;
  expect_right_handed(R);
  EXPECT_EQ(R.ex, (Vec3d{1, 0, 0}));
  expect_near(R.ey, {0, 1, 0});
}

}  // namespace
}  // namespace trammel

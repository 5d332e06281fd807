// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every joint obeys the laws of joints, and does what its name says.

#include <algorithm>

#include <gtest/gtest.h>

#include "support/dense.hpp"
#include "support/joint_laws.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::check_joint_laws;
using test::distance;
using test::Random;

constexpr double pi = Random::pi;

// --- laws -------------------------------------------------------------------------------------------------------

TEST(Fixed, obeys_the_laws_of_joints) { check_joint_laws(Fixed{}); }
TEST(Revolute, obeys_the_laws_of_joints) { check_joint_laws(Revolute{}); }
TEST(Prismatic, obeys_the_laws_of_joints) { check_joint_laws(Prismatic{}); }
TEST(Helical, obeys_the_laws_of_joints) { check_joint_laws(Helical{.h = 0.3}); }
TEST(Helical, obeys_the_laws_of_joints_with_a_left_handed_thread) { check_joint_laws(Helical{.h = -0.02}); }
TEST(Helical, obeys_the_laws_of_joints_without_advance) { check_joint_laws(Helical{.h = 0}); }
TEST(Cylindrical, obeys_the_laws_of_joints) { check_joint_laws(Cylindrical{}); }
TEST(Universal, obeys_the_laws_of_joints) { check_joint_laws(Universal{}); }
TEST(Spherical, obeys_the_laws_of_joints) { check_joint_laws(Spherical{}); }
TEST(Planar, obeys_the_laws_of_joints) { check_joint_laws(Planar{}); }
TEST(Free, obeys_the_laws_of_joints) { check_joint_laws(Free{}); }

// --- facts ------------------------------------------------------------------------------------------------------

TEST(Revolute, turns_right_handed_about_z) {
  const double q = pi / 2;
  EXPECT_LT(distance(Revolute{}.X_FM(&q) * Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), 1e-16);
}

TEST(Prismatic, travels_along_z) {
  const double q = 0.7;
  EXPECT_EQ(Prismatic{}.X_FM(&q) * Vec3d{}, (Vec3d{0, 0, 0.7}));
}

TEST(Helical, advances_h_per_radian) {
  const double q = 2;
  EXPECT_EQ(Helical{.h = 0.25}.X_FM(&q).p, (Vec3d{0, 0, 0.5}));
  EXPECT_LT(distance(Helical{.h = 0.25}.X_FM(&q).R, rotation_z(2.0)), 1e-16);
}

TEST(Helical, finds_the_number_of_turns_from_the_advance) {
  for (const double h : {0.25, -0.25}) {
    for (const double q : {0.3, 2 * pi + 0.3, -4 * pi + 0.3, 100 * pi}) {
      double fitted = 0;
      Helical{.h = h}.q_fit(Helical{.h = h}.X_FM(&q), &fitted);
      EXPECT_NEAR(fitted, q, 1e-12);
    }
  }
}

TEST(Cylindrical, turns_first_and_travels_second) {
  const double q[] = {pi / 2, 0.4};
  const Transformd X = Cylindrical{}.X_FM(q);
  EXPECT_LT(distance(X * Vec3d{1, 0, 0}, Vec3d{0, 1, 0.4}), 1e-16);
}

TEST(Universal, turns_about_x_of_F_first_and_y_of_M_second) {
  const double first[] = {pi / 2, 0}, second[] = {0, pi / 2}, both[] = {0.3, -0.8};
  EXPECT_LT(distance(Universal{}.X_FM(first) * Vec3d{0, 1, 0}, Vec3d{0, 0, 1}), 1e-16);
  EXPECT_LT(distance(Universal{}.X_FM(second) * Vec3d{0, 0, 1}, Vec3d{1, 0, 0}), 1e-16);
  const Mat3d R = Universal{}.X_FM(both).R;
  EXPECT_LT(distance(R, rotation_x(0.3) * rotation_y(-0.8)), 1e-16);
  EXPECT_NEAR(dot(R.ey, Vec3d{1, 0, 0}), 0, 1e-16) << "the two axes of the cross stay at right angles";
}

TEST(Planar, has_x_and_y_in_F_before_the_angle) {
  const double q[] = {0.1, 0.2, pi / 2};
  const Transformd X = Planar{}.X_FM(q);
  EXPECT_EQ(X.p, (Vec3d{0.1, 0.2, 0}));
  EXPECT_LT(distance(X.R * Vec3d{1, 0, 0}, Vec3d{0, 1, 0}), 1e-16);
  const auto H = Planar{}.H_FM(q);
  EXPECT_LT(distance(X.R * H[0].v, Vec3d{1, 0, 0}), 1e-16) << "the first speed is along x of F";
}

TEST(Spherical, speed_is_expressed_in_M) {
  const double s = std::sqrt(0.5), q[] = {s, s, 0, 0};  // a quarter turn about x
  const double spin[] = {0, pi / 2, 0};                 // about y of M, which is z of F
  double out[4];
  Spherical{}.q_step(q, spin, out);
  EXPECT_LT(distance(Spherical{}.X_FM(out).R, rotation_z(pi / 2) * rotation_x(pi / 2)), 1e-15);
}

TEST(Spherical, step_keeps_the_quaternion_at_unit_length) {
  Random random(1);
  double q[4];
  Spherical{}.q_zero(q);
  for (int i = 0; i < 10000; ++i) Spherical{}.q_step(q, random.normals(3).data(), q);
  EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-15);
}

TEST(Free, velocity_is_expressed_in_M) {
  const double s = std::sqrt(0.5), q[] = {s, 0, 0, s, 1, 2, 3};  // a quarter turn about z
  const double along_x_of_M[] = {0, 0, 0, 0.5, 0, 0};
  double out[7];
  Free{}.q_step(q, along_x_of_M, out);
  EXPECT_LT(distance(Free{}.X_FM(out).p, Vec3d{1, 2.5, 3}), 1e-15);
}

TEST(Free, constant_velocity_moves_along_a_screw) {
  double q[7], out[7];
  Free{}.q_zero(q);
  const double circling[] = {0, 0, pi, pi, 0, 0};  // turning about z while driving ahead: half a circle of radius 1
  Free{}.q_step(q, circling, out);
  EXPECT_LT(distance(Free{}.X_FM(out).p, Vec3d{0, 2, 0}), 1e-15);
}

// --- run-time access --------------------------------------------------------------------------------------------

template <class J>
void expect_run_time_access_agrees(const J& joint) {
  SCOPED_TRACE(std::string(J::keyword));
  const AnyJoint any = joint;
  EXPECT_EQ(keyword(any), J::keyword);
  EXPECT_EQ(nq(any), J::nq);
  EXPECT_EQ(nv(any), J::nv);
  ASSERT_EQ(freedoms(any).size(), J::freedoms.size());
  for (std::size_t i = 0; i < J::freedoms.size(); ++i) {
    EXPECT_EQ(freedoms(any)[i].name, J::freedoms[i].name);
    EXPECT_EQ(freedoms(any)[i].dimension, J::freedoms[i].dimension);
  }
  Random random(3);
  std::array<double, 7> q{}, expected_q{};
  q_zero(any, q.data());
  joint.q_zero(expected_q.data());
  EXPECT_EQ(q, expected_q);
  const std::vector<double> v = random.normals(6);
  q_step(any, q.data(), v.data(), q.data());
  joint.q_step(expected_q.data(), v.data(), expected_q.data());
  EXPECT_EQ(q, expected_q);
  EXPECT_EQ(X_FM(any, q.data()), joint.X_FM(q.data()));
  std::array<Motion<double>, 6> columns{};
  H_FM(any, q.data(), columns);
  const auto H = joint.H_FM(q.data());
  EXPECT_TRUE(std::equal(H.begin(), H.end(), columns.begin()));
  Hdot_FM(any, q.data(), v.data(), columns);
  const auto Hdot = joint.Hdot_FM(q.data(), v.data());
  EXPECT_TRUE(std::equal(Hdot.begin(), Hdot.end(), columns.begin()));
  const Transformd X = joint.X_FM(q.data());
  q_fit(any, X, q.data());
  joint.q_fit(X, expected_q.data());
  EXPECT_EQ(q, expected_q);
}

TEST(AnyJoint, does_at_run_time_what_the_joint_does) {
  expect_run_time_access_agrees(Fixed{});
  expect_run_time_access_agrees(Revolute{});
  expect_run_time_access_agrees(Prismatic{});
  expect_run_time_access_agrees(Helical{.h = 0.3});
  expect_run_time_access_agrees(Cylindrical{});
  expect_run_time_access_agrees(Universal{});
  expect_run_time_access_agrees(Spherical{});
  expect_run_time_access_agrees(Planar{});
  expect_run_time_access_agrees(Free{});
  expect_run_time_access_agrees(Reversed<Universal>{});
  expect_run_time_access_agrees(Reversed<Spherical>{});
  expect_run_time_access_agrees(Reversed<Planar>{});
  expect_run_time_access_agrees(Reversed<Free>{});
}

TEST(AnyJoint, is_found_by_the_word_files_use) {
  const std::vector<std::string> words = joint_keywords();
  const std::vector<std::string> expected{"revolute",  "prismatic", "helical", "cylindrical", "universal",
                                          "spherical", "planar",    "free",    "fixed"};
  EXPECT_EQ(words, expected);
  for (const std::string& word : words) {
    const std::optional<AnyJoint> joint = joint_by_keyword(word);
    ASSERT_TRUE(joint.has_value());
    EXPECT_EQ(keyword(*joint), word);
  }
  EXPECT_TRUE(std::holds_alternative<Universal>(*joint_by_keyword("universal"))) << "in the file's own direction";
  EXPECT_FALSE(joint_by_keyword("custom").has_value());
  EXPECT_FALSE(joint_by_keyword("").has_value());
}

// A joint along z, its frames turned by π about x, is its own reverse: what compile() relies on.
template <class J>
void expect_turned_frames_reverse(const J& joint) {
  Random random(4);
  const Transformd turn{rotation_x(pi), {}};
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> q = random.normals(J::nq);
    EXPECT_LT(distance(turn * joint.X_FM(q.data()) * inverse(turn), inverse(joint.X_FM(q.data()))), 1e-15)
        << J::keyword;
  }
  EXPECT_TRUE(along_z<J>);
}

TEST(AlongZ, turning_the_frames_about_x_reverses_the_joint) {
  expect_turned_frames_reverse(Fixed{});
  expect_turned_frames_reverse(Revolute{});
  expect_turned_frames_reverse(Prismatic{});
  expect_turned_frames_reverse(Helical{.h = 0.3});
  expect_turned_frames_reverse(Cylindrical{});
  EXPECT_FALSE(along_z<Universal> || along_z<Spherical> || along_z<Planar> || along_z<Free>);
}

}  // namespace
}  // namespace trammel

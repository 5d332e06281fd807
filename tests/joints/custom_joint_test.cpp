// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Joints made by users: at run time through Custom, and at compile time as docs/add_a_joint.md tells.

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "joints/add_a_joint_example.hpp"
#include "support/custom_joints.hpp"
#include "support/dense.hpp"
#include "support/joint_laws.hpp"
#include "support/random.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using test::check_joint_laws;
using test::distance;

TEST(Custom, rail_obeys_the_laws_of_joints) {
  check_joint_laws(Custom{std::make_shared<test::EllipticRail>(0.7, 0.4)});
}
TEST(Custom, yaw_pitch_roll_obeys_the_laws_of_joints) {
  check_joint_laws(Custom{std::make_shared<test::YawPitchRoll>()}, {.spread = 0.1});
}

TEST(Custom, reports_what_the_user_said) {
  const AnyJoint joint = Custom{std::make_shared<test::YawPitchRoll>()};
  EXPECT_EQ(keyword(joint), "yaw-pitch-roll");
  EXPECT_EQ(nq(joint), 3);
  EXPECT_EQ(nv(joint), 3);
  ASSERT_EQ(freedoms(joint).size(), 3u);
  EXPECT_EQ(freedoms(joint)[1].name, "pitch");
}

TEST(Rolling, obeys_the_laws_of_joints) { check_joint_laws(Rolling{.radius = 0.3}); }

TEST(Rolling, travels_its_circumference_in_a_full_turn) {
  const double q = 2 * test::Random::pi;
  EXPECT_DOUBLE_EQ(Rolling{.radius = 0.3}.X_FM(&q).p.x, 2 * test::Random::pi * 0.3);
}

TEST(Rolling, does_not_slip_where_it_touches_the_rail) {
  const double q = 0.8;
  const Rolling wheel{.radius = 0.3};
  const Transformd X = wheel.X_FM(&q);
  const Motion<double> V = rotate(X.R, wheel.H_FM(&q)[0]);  // at the hub, in F
  EXPECT_LT(norm(shift(V, Vec3d{0, -0.3, 0}).v), 1e-16);    // at the lowest point
}

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_dir() + "/" + path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AddAJointPage, shows_the_example_that_is_compiled_here) {
  const std::string page = text_of("docs/add_a_joint.md"), fence = "```";
  const std::size_t begin = page.find(fence + "cpp\n") + fence.size() + 4;
  const std::size_t end = page.find(fence, begin);
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(page.substr(begin, end - begin), text_of("tests/joints/add_a_joint_example.hpp"));
}

}  // namespace
}  // namespace trammel

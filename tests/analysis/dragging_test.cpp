// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Linkages moved by hand: a point that can be somewhere gets there, loops stay closed whatever is asked for, and where it ends the words
// say why: against closed forms for the four-bar's dead points.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/dragging.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/readers.hpp>

#include "support/random.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

using At = std::size_t;
using Status = DragVerdict::Status;

Mechanism linkage(const std::string& name) {
  const ReadResult read = read_model(source_dir() + "/models/" + name + ".yaml");
  EXPECT_TRUE(read.ok()) << name;
  return compile(read.model, {.for_dynamics = false}).mechanism;
}

Vec3d place_of(const Mechanism& mech, const std::vector<double>& q, int body, const Vec3d& p_B) {
  Workspace ws(mech);
  compute_positions(mech, ws, q);
  return pose_WB(mech, ws, body) * p_B;
}

double gap_of(const Mechanism& mech, const std::vector<double>& q) {
  if (mech.is_tree()) return 0;
  LoopSolver solver(mech);
  std::vector<double> there = q;
  const AssemblyReport report = solver.assemble(there, {}, {.max_iterations = 0});
  return std::max(report.gap_m / solver.characteristic_length(), report.gap_rad);
}

TEST(Dragging, a_point_gets_to_where_an_input_would_bring_it_and_all_loops_stay_closed) {
  for (const char* name :
       {"crank_rocker", "jansen_leg", "watt_sixbar", "rssr", "slider_crank", "double_wishbone", "delta", "bennett"}) {
    const Mechanism mech = linkage(name);
    LinkageHand hand(mech, inputs_to_turn(mech));
    ASSERT_FALSE(hand.inputs().empty()) << name;
    const Driver& driver = hand.inputs().front();
    const JointInfo& joint = mech.joints[static_cast<At>(driver.joint)];
    const bool turns = freedoms(joint.type)[static_cast<At>(driver.dof)].dimension == dimension::angle;
    const double there = hand.input(0) + (turns ? 0.15 : 0.02);
    const DragVerdict turned = hand.set_input(0, there);
    ASSERT_EQ(turned.status, Status::there) << name << ": " << turned.text;
    EXPECT_NEAR(hand.input(0), there, 1e-9) << name;
    EXPECT_LT(gap_of(mech, hand.q()), 1e-9) << name;
    // Some body that this has moved.
    const std::vector<double> q = hand.q();
    hand.restart();
    int body = -1;
    double farthest = 0;
    const Vec3d p_B{0.013, 0.021, 0.008};
    for (int b = 0; b < mech.body_count(); ++b) {
      const double moved = norm(place_of(mech, q, b, p_B) - place_of(mech, hand.q(), b, p_B));
      if (moved > farthest) farthest = moved, body = b;
    }
    ASSERT_GE(body, 0) << name;
    const DragVerdict dragged = hand.drag(body, p_B, place_of(mech, q, body, p_B));
    EXPECT_EQ(dragged.status, Status::there) << name << ": " << dragged.text << ' ' << dragged.left;
    EXPECT_LT(gap_of(mech, hand.q()), 1e-9) << name;
  }
}

TEST(Dragging, loops_stay_closed_wherever_the_hand_goes) {
  Random random(11);
  for (const char* name :
       {"crank_rocker", "five_bar", "peaucellier", "stewart", "scissor_lift", "planetary", "puma560"}) {
    const Mechanism mech = linkage(name);
    LinkageHand hand(mech);
    const int body = mech.body_count() - 1;
    for (int k = 0; k < 12; ++k) {
      const Vec3d target{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      const double before = norm(target - place_of(mech, hand.q(), body, {0.01, 0, 0}));
      const DragVerdict verdict = hand.drag(body, {0.01, 0, 0}, target);
      EXPECT_LT(gap_of(mech, hand.q()), 1e-9) << name << ' ' << k;
      EXPECT_LE(verdict.left, before + 1e-12) << name;
      EXPECT_NEAR(verdict.left, norm(target - place_of(mech, hand.q(), body, {0.01, 0, 0})), 1e-9) << name;
      EXPECT_EQ(verdict.text.empty(), verdict.status == Status::there) << name;
    }
  }
}

// The crank of length a and the coupler b in line: B is a + b from O2, the rocker c and the ground d make a triangle with it:
//   cos ∠(O2 O4 B) = (c² + d² − (a + b)²)/(2 c d)
TEST(Dragging, the_rocker_of_a_four_bar_ends_where_crank_and_coupler_are_in_line) {
  const ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  const Mechanism mech = compile(read.model, {.for_dynamics = false}).mechanism;
  const auto p = [&](const char* name) { return read.model.find_point(name)->p_W; };
  const double a = norm(p("A") - p("O2")), b = norm(p("B") - p("A")), c = norm(p("B") - p("O4")),
               d = norm(p("O4") - p("O2"));
  LinkageHand hand(mech);
  const int rocker = mech.find_body("rocker");
  const Vec3d B = p("B");
  // Away from O2, along the circle about O4: clockwise beyond the end.
  const DragVerdict verdict = hand.drag(rocker, B, {10, -3, 0});
  EXPECT_EQ(verdict.status, Status::dead_point) << verdict.text;
  EXPECT_EQ(verdict.text, "dead point: 'O4' can only turn back here");
  const Vec3d there = place_of(mech, hand.q(), rocker, B);
  EXPECT_NEAR(norm(there - p("O2")), a + b, 1e-9);
  const double angle = std::acos((c * c + d * d - (a + b) * (a + b)) / (2 * c * d));
  const Vec3d r = there - p("O4"), back = p("O2") - p("O4");
  EXPECT_NEAR(std::acos(dot(r, back) / (norm(r) * norm(back))), angle, 1e-7);
  EXPECT_LT(gap_of(mech, hand.q()), 1e-10);
}

TEST(Dragging, an_input_ends_at_its_dead_point) {
  const ReadResult read = read_model(source_dir() + "/models/crank_rocker.yaml");
  const Mechanism mech = compile(read.model, {.for_dynamics = false}).mechanism;
  const Driver rocker{.joint = mech.find_joint("O4")};
  LinkageHand hand(mech, {rocker});
  const Analysis way =
      analyze(mech, {.inputs = {{.driver = rocker, .from = hand.input(0), .to = hand.input(0) + 3, .step = 0.01}}});
  ASSERT_FALSE(way.dead_points.empty());
  const DragVerdict verdict = hand.set_input(0, hand.input(0) + 3);
  EXPECT_EQ(verdict.status, Status::dead_point);
  EXPECT_EQ(verdict.text.find("dead point: 'O4' cannot go beyond "), 0U) << verdict.text;
  EXPECT_NE(verdict.text.find(" deg"), std::string::npos) << verdict.text;
  EXPECT_NEAR(hand.input(0), way.dead_points.front().value, 1e-6);
  EXPECT_LT(gap_of(mech, hand.q()), 1e-7);
}

Mechanism from_text(const std::string& text) {
  const ReadResult read = read_yaml(text, "test.yaml");
  EXPECT_TRUE(read.ok()) << read.diagnostics.to_string();
  return compile(read.model, {.for_dynamics = false}).mechanism;
}

TEST(Dragging, a_limit_is_told_in_the_models_units) {
  const Mechanism mech = from_text(R"(
trammel: 1
name: arm
units: {angle: deg}
bodies:
  arm: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}
joints:
  shoulder: {revolute: [ground, arm], at: [0, 0, 0], axis: z, limits: {lower: -20, upper: 30}}
)");
  LinkageHand hand(mech, inputs_to_turn(mech));
  const DragVerdict dragged = hand.drag(0, {2, 0, 0}, {0, 2, 0});
  EXPECT_EQ(dragged.status, Status::limit);
  EXPECT_EQ(dragged.text, "joint 'shoulder' is at its limit of 30 deg");
  EXPECT_NEAR(hand.q()[0], std::numbers::pi / 6, 1e-6);
  const DragVerdict back = hand.drag(0, {2, 0, 0}, {2, 0, 0});
  EXPECT_EQ(back.status, Status::there) << back.text;
  EXPECT_NEAR(hand.q()[0], 0, 1e-6);
  const DragVerdict turned = hand.set_input(0, -2);
  EXPECT_EQ(turned.status, Status::limit);
  EXPECT_EQ(turned.text, "joint 'shoulder' is at its limit of -20 deg");
}

TEST(Dragging, a_structure_is_locked) {
  const Mechanism mech = from_text(R"(
trammel: 1
name: triangle
bodies:
  left: {mass: 1, com: [0.5, 0.5, 0], inertia: [1, 1, 1]}
  right: {mass: 1, com: [1.5, 0.5, 0], inertia: [1, 1, 1]}
joints:
  A: {revolute: [ground, left], at: [0, 0, 0], axis: z}
  B: {revolute: [left, right], at: [1, 1, 0], axis: z}
  C: {revolute: [right, ground], at: [2, 0, 0], axis: z}
)");
  LinkageHand hand(mech);
  const DragVerdict verdict = hand.drag(0, {1, 1, 0}, {1, 3, 0});
  EXPECT_EQ(verdict.status, Status::locked);
  EXPECT_EQ(verdict.text, "the linkage is locked: its joints leave no motion");
}

// Where the path comes no nearer, what is missing is square to it.
TEST(Dragging, a_point_comes_as_near_as_its_path_does) {
  const Mechanism mech = from_text(R"(
trammel: 1
name: wheel
bodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}
joints: {hub: {revolute: [ground, wheel], at: [0, 0, 0], axis: z}}
)");
  LinkageHand hand(mech);
  const DragVerdict verdict = hand.drag(0, {1, 0, 0}, {3, 4, 7});
  EXPECT_EQ(verdict.status, Status::nearest);
  EXPECT_NEAR(hand.q()[0], std::atan2(4, 3), 1e-6);
  EXPECT_NEAR(verdict.left, std::hypot(4, 7), 1e-9);
}

// Two links stretched towards a place that is too far away.
TEST(Dragging, the_edge_of_a_reach_is_told) {
  const Mechanism mech = from_text(R"(
trammel: 1
name: two links
bodies:
  upper: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}
  lower: {mass: 1, com: [1, 0.5, 0], inertia: [1, 1, 1]}
joints:
  shoulder: {revolute: [ground, upper], at: [0, 0, 0], axis: z}
  elbow: {revolute: [upper, lower], at: [1, 0, 0], axis: z}
)");
  LinkageHand hand(mech);
  const DragVerdict verdict = hand.drag(1, {1, 1, 0}, {-3, 4, 0});
  EXPECT_EQ(verdict.status, Status::dead_point) << verdict.text;
  EXPECT_EQ(verdict.text, "the links are stretched: the point is at the edge of what it can reach");
  EXPECT_NEAR(verdict.left, 3, 1e-6);
}

}  // namespace
}  // namespace trammel::test

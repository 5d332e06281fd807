// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Assembly modes: known numbers of them, each one closed, and the drawn one among them.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/kinematics.hpp>
#include <trammel/modes.hpp>

#include "support/generators.hpp"
#include "support/random_model.hpp"

namespace trammel {
namespace {

using std::numbers::pi;
using test::compiled;
using test::LinkageCase;

double largest_gap(const Mechanism& mech, const std::vector<double>& q) {
  LoopSolver solver(mech);
  std::vector<double> phi(static_cast<std::size_t>(solver.row_count()));
  solver.residuals(q, {}, phi);
  double gap = 0;
  for (const double x : phi) gap = std::max(gap, std::abs(x));
  return gap;
}

// P. Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real postures", Advances in Robot Kinematics 1998: base
// joints, platform joints, leg lengths. Drawn wherever, the legs far from their lengths.
TEST(Modes, of_dietmaiers_platform_are_forty) {
  const Vec3d base[] = {{0, 0, 0},
                        {1.107915, 0, 0},
                        {0.549094, 0.756063, 0},
                        {0.735077, -0.223935, 0.525991},
                        {0.514188, -0.526063, -0.368418},
                        {0.590473, 0.094733, -0.205018}};
  const Vec3d platform[] = {{0, 0, 0},
                            {0.542805, 0, 0},
                            {0.956919, -0.528915, 0},
                            {0.665885, -0.353482, 1.402538},
                            {0.478359, 1.158742, 0.107672},
                            {-0.137087, -0.235121, 0.353913}};
  const double length[] = {1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071};
  Model model;
  add_body(model, "platform", 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "float", Free{}, "ground", "platform", {});
  for (int k = 0; k < 6; ++k) {
    model.constraints.push_back({.name = "leg" + std::to_string(k),
                                 .type = Distance{length[k]},
                                 .first = "ground",
                                 .second = "platform",
                                 .X_AP = Transformd::translation(base[k]),
                                 .X_BQ = Transformd::translation(platform[k]),
                                 .where = {}});
  }
  const Mechanism mech = compiled(model);
  const Modes modes = find_modes(mech, {}, {});
  EXPECT_EQ(modes.status, Modes::Status::ok);
  EXPECT_FALSE(modes.complete);
  ASSERT_EQ(modes.list.size(), 40u);
  Workspace ws(mech);
  for (const AssemblyMode& mode : modes.list) {
    compute_positions(mech, ws, mode.q);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(norm(pose_WB(mech, ws, 0) * platform[k] - base[k]), length[k], 1e-12);
  }
}

// Crank, coupler, rocker: the rocker's pin where two circles meet, above and below the line of centres.
TEST(Modes, of_a_four_bar_are_two_mirror_images) {
  const double crank = 2, coupler = 7, rocker = 9, ground_length = 6, theta = 0.7;
  const Vec3d A{crank * std::cos(theta), crank * std::sin(theta), 0}, D{ground_length, 0, 0}, z{0, 0, 1};
  const Vec3d e = (D - A) * (1 / norm(D - A));
  const double x = (dot(D - A, D - A) + coupler * coupler - rocker * rocker) / (2 * norm(D - A));
  const double y = std::sqrt(coupler * coupler - x * x);
  const Vec3d above = A + e * x + Vec3d{-e.y, e.x, 0} * y, below = A + e * x - Vec3d{-e.y, e.x, 0} * y;
  Model model;
  for (const char* name : {"crank", "coupler", "rocker"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at(A, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at(above, z));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at(D, z));
  const Mechanism mech = compiled(model);
  const Modes modes = find_modes(mech, {{.joint = 0}}, {0});
  ASSERT_EQ(modes.list.size(), 2u);
  EXPECT_TRUE(modes.list[0].drawn);
  EXPECT_FALSE(modes.list[1].drawn);
  Workspace ws(mech);
  for (const AssemblyMode& mode : modes.list) {
    compute_positions(mech, ws, mode.q);
    EXPECT_NEAR(norm(pose_WB(mech, ws, 2) * above - (mode.drawn ? above : below)), 0, 1e-12);
  }
}

TEST(Modes, are_none_where_links_cannot_meet) {
  Model model;
  for (const char* name : {"a", "b"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "A", Revolute{}, "ground", "a", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "B", Revolute{}, "ground", "b", frame_at({10, 0, 0}, {0, 0, 1}));
  model.constraints.push_back({.name = "rod",
                               .type = Distance{1.0},
                               .first = "a",
                               .second = "b",
                               .X_AP = Transformd::translation({1, 0, 0}),
                               .X_BQ = Transformd::translation({9, 0, 0}),
                               .where = {}});
  const Modes modes = find_modes(compiled(model), {{.joint = 0}}, {0}, {.starts = 200});
  EXPECT_TRUE(modes.list.empty());
  EXPECT_EQ(modes.starts, 200);
  EXPECT_EQ(modes.assembled, 0);
}

TEST(Modes, of_a_linkage_with_a_free_motion_are_not_counted) {
  Model model;
  for (const char* name : {"a", "b", "c", "d"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "j0", Revolute{}, "ground", "a", frame_at({0, 0, 0}, z));
  add_joint(model, "j1", Revolute{}, "a", "b", frame_at({0, 1, 0}, z));
  add_joint(model, "j2", Revolute{}, "b", "c", frame_at({1, 2, 0}, z));
  add_joint(model, "j3", Revolute{}, "c", "d", frame_at({2, 1, 0}, z));
  add_joint(model, "j4", Revolute{}, "d", "ground", frame_at({2, 0, 0}, z));
  const Modes modes = find_modes(compiled(model), {{.joint = 0}}, {0});
  EXPECT_EQ(modes.status, Modes::Status::under_driven);
  EXPECT_FALSE(modes.free_motions.empty());
}

RC_GTEST_PROP(Modes, close_and_hold_the_drawn_one_and_are_the_same_again, (const LinkageCase& c)) {
  const Mechanism mech = compiled(c.model());
  const std::vector<Driver> drivers = test::independent_drivers(mech);
  RC_PRE(!drivers.empty());
  const std::vector<double> inputs(drivers.size(), 0.0);
  const ModesOptions few{.starts = 60, .patience = 60};
  const Modes modes = find_modes(mech, drivers, inputs, few), again = find_modes(mech, drivers, inputs, few);
  RC_ASSERT(modes.status == Modes::Status::ok);
  RC_ASSERT(!modes.list.empty());
  RC_ASSERT(modes.list.front().drawn);
  LoopSolver solver(mech);
  for (std::size_t k = 0; k < modes.list.size(); ++k) {
    RC_ASSERT(modes.list[k].id == static_cast<int>(k) + 1);
    RC_ASSERT(largest_gap(mech, modes.list[k].q) < 1e-8 * solver.characteristic_length());
    RC_ASSERT(modes.list[k].q == again.list[k].q);
  }
}

// Two slides become parallel at 257° and 341° of the crank: between these the drawing is not reached, but its signs are known; and a
// slide that is far out makes no dead point.
TEST(Modes, knows_the_drawn_one_behind_a_slide_that_ran_to_infinity) {
  Model model;
  for (const char* name : {"crank", "coupler", "rocker", "x", "y"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  const Vec3d z{0, 0, 1};
  add_joint(model, "O2", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, z));
  add_joint(model, "A", Revolute{}, "crank", "coupler", frame_at({0, 40, 0}, z));
  add_joint(model, "B", Revolute{}, "coupler", "rocker", frame_at({120, 80, 0}, z));
  add_joint(model, "O4", Revolute{}, "ground", "rocker", frame_at({100, 0, 0}, z));
  add_joint(model, "s1", Prismatic{}, "rocker", "x", frame_at({150, 20, 0}, {std::cos(pi / 18), std::sin(pi / 18), 0}));
  add_joint(model, "r", Revolute{}, "x", "y", frame_at({150, 20, 0}, z));
  add_joint(model, "s2", Prismatic{}, "y", "ground", frame_at({150, 20, 0}, {1, 0, 0}));
  const Mechanism mech = compiled(model);
  const std::vector<Driver> drivers{{.joint = 0}};
  for (const double degrees : {100.0, 300.0}) {
    const Modes modes = find_modes(mech, drivers, {degrees * pi / 180});
    ASSERT_EQ(modes.list.size(), 2u);
    EXPECT_TRUE(modes.list[0].drawn);
    EXPECT_FALSE(modes.list[1].drawn || modes.list[0].singular || modes.list[1].singular) << degrees;
    const auto rocker = static_cast<std::size_t>(mech.joints[3].q);
    EXPECT_NEAR(modes.list[0].q[rocker] * 180 / pi, degrees == 100 ? 43.4112 : -26.6623, 1e-4);
  }
}

// A piston that may turn idly in its cylinder, on a rod that may spin: both lie where the rod's ball is on the cylinder's axis.
TEST(Modes, of_idle_links_are_told_apart_by_their_places) {
  Model model;
  for (const char* name : {"crank", "rod", "piston"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "I", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0.2, 1}));
  add_joint(model, "A", Spherical{}, "crank", "rod", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, "B", Spherical{}, "rod", "piston", frame_at({4, 0.5, 0.3}, {0, 0, 1}));
  add_joint(model, "C", Cylindrical{}, "ground", "piston", frame_at({5, 0.5, 0.3}, {1, 0, 0}));
  const Mechanism mech = compiled(model);
  for (const bool search : {false, true}) {
    const Modes modes = find_modes(mech, {{.joint = mech.find_joint("I")}}, {0}, {.search = search});
    EXPECT_EQ(modes.complete, !search);  // Chace's case 4
    ASSERT_EQ(modes.list.size(), 2u);
    const auto travel = static_cast<std::size_t>(mech.joints[mech.find_joint("C")].q + 1);
    EXPECT_NEAR(modes.list[0].q[travel], 0, 1e-9);
    EXPECT_NEAR(modes.list[1].q[travel], -6, 1e-9);  // x = 1 ± 3
  }
}

// A slide on a crank and one on the line x = 1: their pin is at y = tan θ. However far out, the crank decides where.
TEST(Modes, of_a_slide_far_out_are_determined) {
  Model model;
  for (const char* name : {"crank", "block", "pin"}) add_body(model, name, 1, {}, {1, 1, 1, 0, 0, 0});
  add_joint(model, "I", Revolute{}, "ground", "crank", frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "a", Prismatic{}, "crank", "block", frame_at({1, 0, 0}, {1, 0, 0}));
  add_joint(model, "b", Revolute{}, "block", "pin", frame_at({1, 0, 0}, {0, 0, 1}));
  add_joint(model, "c", Prismatic{}, "ground", "pin", frame_at({1, 0, 0}, {0, 1, 0}));
  const Mechanism mech = compiled(model);
  for (const double beside : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const double angle = std::numbers::pi / 2 - beside;
    const Modes modes = find_modes(mech, {{.joint = mech.find_joint("I")}}, {angle});
    ASSERT_EQ(modes.status, Modes::Status::ok) << beside;
    ASSERT_EQ(modes.list.size(), 1u) << beside;
    const auto travel = static_cast<std::size_t>(mech.joints[mech.find_joint("a")].q);
    EXPECT_NEAR(modes.list[0].q[travel] * std::cos(angle), 1 - std::cos(angle), 1e-9) << beside;
  }
}

}  // namespace
}  // namespace trammel

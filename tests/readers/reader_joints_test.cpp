// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Joints of the native format: types, frames, Denavit-Hartenberg rows, friction, limits. Expectations are worked by hand.

#include <cmath>
#include <numbers>

#include "readers/reading.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(ReaderJoints, of_all_types_are_read) {
  const Model m = read(R"(bodies: {a: {}}
joints:
  fixed:       {fixed: [ground, a]}
  revolute:    {revolute: [ground, a], at: [0, 0, 0]}
  prismatic:   {prismatic: [ground, a], at: [0, 0, 0]}
  helical:     {helical: [ground, a], at: [0, 0, 0], pitch: 0.002}
  cylindrical: {cylindrical: [ground, a], at: [0, 0, 0]}
  universal:   {universal: [ground, a], at: [0, 0, 0], axes: [x, y]}
  spherical:   {spherical: [ground, a], at: [0, 0, 0]}
  planar:      {planar: [ground, a], at: [0, 0, 0]}
  free:        {free: [ground, a]}
)");
  ASSERT_EQ(m.joints.size(), 9u);
  for (const Joint& joint : m.joints) {
    EXPECT_EQ(keyword(joint.type), joint.name);
    EXPECT_EQ(joint.first, "ground");
    EXPECT_EQ(joint.second, "a");
    EXPECT_FALSE(joint.cut);
  }
  EXPECT_EQ(m.joints.size(), joint_keywords().size());
}

TEST(ReaderJoints, remember_where_they_stood) {
  const Model m = read("bodies: {a: {}}\njoints:\n  J: {fixed: [ground, a], cut: true}\n");
  EXPECT_EQ(m.joints[0].where.line, 4);
  EXPECT_EQ(m.joints[0].where.column, 3);
  EXPECT_EQ(m.bodies[0].where.line, 2);
  EXPECT_EQ(m.bodies[0].where.column, 10);
  EXPECT_TRUE(m.joints[0].cut);
}

TEST(ReaderJoints, have_z_along_their_axis) {
  const Model m = read(R"(points: {P: [1, 2, 3], Q: [1, 2, 8]}
bodies: {a: {}}
joints:
  x:      {revolute: [ground, a], at: P, axis: x}
  minus:  {revolute: [ground, a], at: [1, 2, 3], axis: -y}
  vector: {revolute: [ground, a], at: P, axis: [0, 3, 4]}
  points: {revolute: [ground, a], at: P, axis: {from: P, to: Q}}
  tiny:   {revolute: [ground, a], at: P, axis: [0, 3e-200, 4e-200]}
  huge:   {revolute: [ground, a], at: P, axis: [0, 3e200, 4e200]}
)");
  const Vec3d expected[] = {{1, 0, 0}, {0, -1, 0}, {0, 0.6, 0.8}, {0, 0, 1}, {0, 0.6, 0.8}, {0, 0.6, 0.8}};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(distance(m.joints[i].X_AF.R.ez, expected[i]), 1e-15) << m.joints[i].name;
    EXPECT_EQ(m.joints[i].X_AF.p, (Vec3d{1, 2, 3}));
    EXPECT_EQ(m.joints[i].X_AF, m.joints[i].X_BM);
  }
}

TEST(ReaderJoints, choose_x_as_the_world_x_axis_or_y_when_that_is_near_the_axis) {
  const Model m = read(R"(bodies: {a: {}}
joints:
  z:    {revolute: [ground, a], at: [0, 0, 0], axis: z}
  x:    {revolute: [ground, a], at: [0, 0, 0], axis: x}
  half: {revolute: [ground, a], at: [0, 0, 0], axis: [1, 0, 1]}
  near: {revolute: [ground, a], at: [0, 0, 0], axis: [1.001, 0, 1]}
)");
  EXPECT_EQ(m.joints[0].X_AF.R.ex, (Vec3d{1, 0, 0}));
  EXPECT_EQ(m.joints[1].X_AF.R.ex, (Vec3d{0, 1, 0}));
  EXPECT_LT(distance(m.joints[2].X_AF.R.ex, Vec3d{1, 0, -1} * std::sqrt(0.5)), 1e-15);
  EXPECT_LT(distance(m.joints[3].X_AF.R.ex, {0, 1, 0}), 1e-15);
}

TEST(ReaderJoints, put_the_two_axes_of_a_universal_joint_along_x_and_y) {
  const Model m = read(R"(bodies: {a: {}}
joints:
  U: {universal: [ground, a], at: [0, 0, 0], axes: [z, [-2, 1e-7, 0]]}
  S: {spherical: [ground, a], at: [0, 0, 0], axes: [y, z]}
  P: {planar: [ground, a], at: [0, 0, 0], axis: y, x: [3, 5, 3]}
)");
  const Mat3d& U = m.joints[0].X_AF.R;
  EXPECT_EQ(U.ex, (Vec3d{0, 0, 1}));
  EXPECT_LT(distance(U.ey, {-1, 5e-8, 0}), 1e-14);
  EXPECT_LT(distance(transpose(U) * U, Mat3d::identity()), 1e-15);
  EXPECT_EQ(m.joints[1].X_AF.R, (Mat3d{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}));
  const Mat3d& P = m.joints[2].X_AF.R;
  EXPECT_LT(distance(P.ez, {0, 1, 0}), 1e-15);
  EXPECT_LT(distance(P.ex, Vec3d{1, 0, 1} * std::sqrt(0.5)), 1e-15);
}

TEST(ReaderJoints, carry_their_frame_on_both_bodies) {
  const Model m = read(R"(units: {angle: deg}
bodies:
  a: {pose: {at: [1, 0, 0], rpy: [0, 0, 90]}}
  b: {pose: [0, 0, 2]}
joints: {J: {revolute: [a, b], at: [1, 1, 2], axis: x}}
)");
  const Joint& J = m.joints[0];
  EXPECT_LT(distance(J.X_AF.p, {1, 0, 2}), 1e-15);
  EXPECT_LT(distance(J.X_AF.R.ez, {0, -1, 0}), 1e-15);
  EXPECT_LT(distance(J.X_BM.p, {1, 1, 0}), 1e-15);
  EXPECT_LT(distance(m.bodies[0].X_WB * J.X_AF, m.bodies[1].X_WB * J.X_BM), 1e-15);
}

TEST(ReaderJoints, given_in_a_body_are_kept_there_to_the_last_bit) {
  const Model m = read(R"(bodies:
  a: {pose: {at: [1, 0, 0], rpy: [0.1, 0.2, 0.3]}}
  b: {pose: {at: [0.1, 0, 0], rpy: [0.4, 0, 0.1], in: a}}
points: {P: [0.1, 0.2, 0.3]}
joints:
  first:  {revolute: [a, b], in: a, at: [0.1, 0.7, 0.3], axis: y}
  second: {revolute: [a, b], in: b}
  world:  {revolute: [ground, b], in: ground, at: [0, 0, 1]}
  point:  {revolute: [a, b], in: b, at: P}
)");
  EXPECT_EQ(m.joints[0].X_AF, frame_at({0.1, 0.7, 0.3}, {0, 1, 0}));
  EXPECT_LT(distance(m.bodies[0].X_WB * m.joints[0].X_AF, m.bodies[1].X_WB * m.joints[0].X_BM), 1e-15);
  EXPECT_EQ(m.joints[1].X_BM, Transformd{});
  EXPECT_EQ(m.joints[2].X_AF.p, (Vec3d{0, 0, 1}));
  EXPECT_LT(distance(m.bodies[1].X_WB * m.joints[3].X_BM.p, {0.1, 0.2, 0.3}), 1e-15);
}

TEST(ReaderJoints, take_frames_as_they_are) {
  const Model m = read(R"(bodies: {a: {pose: [0, 0, 1]}}
joints: {J: {revolute: [ground, a], frames: {first: {at: [0, 2, 1], matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1]},
                                            second: {at: [0, 2, 0], matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1]}}}}
)");
  EXPECT_EQ(m.joints[0].X_AF, (Transformd{rows(0, -1, 0, 1, 0, 0, 0, 0, 1), {0, 2, 1}}));
  EXPECT_EQ(m.joints[0].X_BM, (Transformd{rows(0, -1, 0, 1, 0, 0, 0, 0, 1), {0, 2, 0}}));
}

TEST(ReaderJoints, free_ones_have_the_axes_of_the_body) {
  const Model m = read(R"(units: {angle: deg}
bodies: {a: {mass: 1, pose: {at: [1, 0, 0], rpy: [0, 0, 90]}}}
joints: {F: {free: [ground, a], at: [1, 1, 0]}}
)");
  EXPECT_LT(distance(m.joints[0].X_AF, {rotation_z(pi / 2), {1, 1, 0}}), 1e-15);
  EXPECT_LT(distance(m.joints[0].X_BM, Transformd::translation({1, 0, 0})), 1e-15);
}

TEST(ReaderJoints, helical_ones_advance_by_the_pitch_per_turn) {
  const Model m = read(R"(units: {length: mm, angle: deg}
bodies: {a: {}}
joints:
  H: {helical: [ground, a], at: [0, 0, 0], pitch: 5}
  A: {helical: [ground, a], at: [0, 0, 0], advance: 0.5}
)");
  EXPECT_DOUBLE_EQ(std::get<Helical>(m.joints[0].type).h, 0.005 / (2 * pi));
  EXPECT_NEAR(std::get<Helical>(m.joints[1].type).h, 0.5e-3 * 180 / pi, 1e-16);  // mm per degree
}

// --- Denavit-Hartenberg -------------------------------------------------------------------------------------------

TEST(ReaderDh, modified_rows_are_craigs) {
  const Model m = read(R"(units: {angle: deg}
bodies: {a: {}, b: {}}
joints:
  J1: {revolute: [ground, a], dh: {a: 0.5, alpha: 90, d: 0.2, theta: 30}}
  J2: {prismatic: [a, b], dh: {a: 1, alpha: -90, d: 3}}
)");
  // Craig (3.6): rows (cθ, −sθ, 0, a), (sθ cα, cθ cα, −sα, −sα d), (sθ sα, cθ sα, cα, cα d)
  const double c = std::cos(pi / 6), s = 0.5;
  const Transformd X1{rows(c, -s, 0, 0, 0, -1, s, c, 0), {0.5, -0.2, 0}};
  EXPECT_LT(distance(m.bodies[0].X_WB, X1), 1e-15);
  EXPECT_EQ(m.joints[0].X_AF, m.bodies[0].X_WB);
  EXPECT_EQ(m.joints[0].X_BM, Transformd{});
  const Transformd X2{rows(1, 0, 0, 0, 0, 1, 0, -1, 0), {1, 3, 0}};
  EXPECT_LT(distance(m.joints[1].X_AF, X2), 1e-15);
  EXPECT_LT(distance(m.bodies[1].X_WB, X1 * X2), 1e-15);
}

TEST(ReaderDh, standard_rows_turn_about_the_z_axis_before_them) {
  const Model m = read(R"(units: {angle: deg}
bodies: {a: {}}
joints: {J: {revolute: [ground, a], dh: {a: 0.5, alpha: 90, d: 0.2, theta: 30, convention: standard}}}
)");
  // rows (cθ, −sθ cα, sθ sα, a cθ), (sθ, cθ cα, −cθ sα, a sθ), (0, sα, cα, d)
  const double c = std::cos(pi / 6), s = 0.5;
  const Transformd X{rows(c, 0, s, s, 0, -c, 0, 1, 0), {0.5 * c, 0.5 * s, 0.2}};
  EXPECT_LT(distance(m.bodies[0].X_WB, X), 1e-15);
  EXPECT_EQ(m.joints[0].X_AF, Transformd{});
  EXPECT_LT(distance(m.joints[0].X_BM, inverse(X)), 1e-15);
}

// X(q) of the joint equals the row with q added to θ (or to d), for both conventions and with branches.
TEST(ReaderDh, rows_move_as_their_formula_says) {
  const double a = 0.3, alpha = 0.7, d = -0.2, theta = 0.4, d_branch = 0.6, theta_branch = -1.1, q = 0.9;
  const auto Tx = [](double x) { return Transformd::translation({x, 0, 0}); };
  const auto Tz = [](double z) { return Transformd::translation({0, 0, z}); };
  const auto Rx = [](double t) { return Transformd{rotation_x(t), {}}; };
  const auto Rz = [](double t) { return Transformd{rotation_z(t), {}}; };
  const Transformd branch = Rz(theta_branch) * Tz(d_branch);
  for (const std::string type : {"revolute", "prismatic"}) {
    for (const std::string convention : {"standard", "modified"}) {
      const Model m = read("bodies: {a: {}}\njoints: {J: {" + type +
                           ": [ground, a], dh: {a: 0.3, alpha: 0.7, d: -0.2, theta: 0.4, d_branch: 0.6, "
                           "theta_branch: -1.1, convention: " +
                           convention + "}}}\n");
      const double t = theta + (type == "revolute" ? q : 0), z = d + (type == "prismatic" ? q : 0);
      const Transformd expected = convention == "modified" ? branch * Rx(alpha) * Tx(a) * Rz(t) * Tz(z)
                                                           : branch * Rz(t) * Tz(z) * Tx(a) * Rx(alpha);
      const Joint& J = m.joints[0];
      EXPECT_LT(distance(J.X_AF * X_FM(J.type, &q) * inverse(J.X_BM), expected), 1e-15) << type << " " << convention;
    }
  }
}

TEST(ReaderDh, rows_may_come_in_any_order_and_branch) {
  const Model m = read(R"(bodies: {tool: {}, left: {}, right: {}, base: {pose: [0, 0, 1]}}
joints:
  T: {revolute: [left, tool], dh: {a: 1}}
  L: {revolute: [base, left], dh: {d_branch: 2}}
  R: {revolute: [base, right], dh: {a: 5, d_branch: -2}}
)");
  EXPECT_EQ(m.bodies[0].X_WB.p, (Vec3d{1, 0, 3}));
  EXPECT_EQ(m.bodies[2].X_WB.p, (Vec3d{5, 0, -1}));
}

// --- what acts in a joint ------------------------------------------------------------------------------------------

TEST(ReaderJoints, take_friction_and_armature_in_the_units_of_each_freedom) {
  const Model m = read(R"(units: {length: mm, angle: deg, mass: g, time: ms, force: mN}
bodies: {a: {}}
joints:
  R: {revolute: [ground, a], at: [0, 0, 0], friction: {viscous: 2, dry: 3, speed: 4}, armature: 5}
  P: {prismatic: [ground, a], at: [0, 0, 0], friction: {viscous: 2, dry: 3, speed: 4}, armature: 5}
  C: {cylindrical: [ground, a], at: [0, 0, 0], friction: {viscous: [2, 3]}, armature: [4, 5]}
  S: {spherical: [ground, a], at: [0, 0, 0], friction: {viscous: 2, dry: [1, 2, 3]}}
)");
  const double deg = pi / 180;
  const auto expect = [](double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-15 * std::abs(expected)); };
  const JointProperties& R = m.joints[0].properties;
  expect(R.viscous.at(0), 2 * 1e-3 * 1e-3 * 1e-3 / deg);  // mN mm ms/deg
  expect(R.dry.at(0), 3 * 1e-6);                          // mN mm
  expect(R.dry_speed, 4 * deg / 1e-3);                    // deg/ms
  expect(R.armature.at(0), 5 * 1e-3 * 1e-6);              // g mm²
  const JointProperties& P = m.joints[1].properties;
  expect(P.viscous.at(0), 2 * 1e-3 * 1e-3 / 1e-3);  // mN ms/mm
  expect(P.dry.at(0), 3e-3);                        // mN
  expect(P.dry_speed, 4 * 1e-3 / 1e-3);             // mm/ms
  expect(P.armature.at(0), 5e-3);                   // g
  const JointProperties& C = m.joints[2].properties;
  expect(C.viscous.at(0), 2e-9 / deg);
  expect(C.viscous.at(1), 3e-3);
  expect(C.armature.at(0), 4e-9);
  expect(C.armature.at(1), 5e-3);
  EXPECT_EQ(C.dry_speed, 1e-3);
  const JointProperties& S = m.joints[3].properties;
  EXPECT_EQ(S.viscous, std::vector<double>(3, S.viscous[0]));  // one number for all three
  expect(S.dry.at(2), 3e-6);
}

TEST(ReaderJoints, take_limits_in_the_units_of_each_freedom) {
  const Model m = read(R"(units: {length: mm, angle: deg, time: min, force: kN}
bodies: {a: {}}
joints:
  R: {revolute: [ground, a], at: [0, 0, 0], limits: {lower: -90, upper: 180, velocity: 3, effort: 2}}
  P: {planar: [ground, a], at: [0, 0, 0], limits: {lower: [none, -5, -180], upper: [1, none, none]}}
  F: {free: [ground, a], limits: {velocity: [1, 1, 1, 6, 6, 6]}}
)");
  const JointProperties& R = m.joints[0].properties;
  EXPECT_DOUBLE_EQ(R.lower.at(0), -pi / 2);
  EXPECT_DOUBLE_EQ(R.upper.at(0), pi);
  EXPECT_DOUBLE_EQ(R.velocity_limit.at(0), 3 * pi / 180 / 60);
  EXPECT_DOUBLE_EQ(R.effort_limit.at(0), 2);  // kN mm
  const JointProperties& P = m.joints[1].properties;
  EXPECT_EQ(P.lower, (std::vector{-infinity, -0.005, -180 * (pi / 180)}));
  EXPECT_EQ(P.upper, (std::vector{0.001, infinity, infinity}));
  EXPECT_DOUBLE_EQ(m.joints[2].properties.velocity_limit.at(5), 6e-3 / 60);
}

}  // namespace
}  // namespace trammel::test

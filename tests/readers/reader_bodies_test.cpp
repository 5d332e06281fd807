// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies of the native format: mass from numbers and from shapes, poses of all kinds. Expectations are worked by hand.

#include <cmath>
#include <numbers>

#include "readers/reading.hpp"

namespace trammel::test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(ReaderBodies, take_numbers_in_the_units_of_the_file) {
  const Model m = read(R"(units: {length: mm, mass: g}
bodies:
  a: {mass: 250, com: [10, -20, 30], inertia: [100, 200, 250, 1, -2, 3]}
)");
  const Body& a = m.bodies[0];
  EXPECT_EQ(a.mass, 0.25);
  EXPECT_EQ(a.com, (Vec3d{0.01, -0.02, 0.03}));
  // g mm² = 1e-9 kg m²
  EXPECT_LT(distance(a.inertia, {1e-7, 2e-7, 2.5e-7, 1e-9, -2e-9, 3e-9}), 1e-21);
}

TEST(ReaderBodies, of_imperial_units_come_out_in_si) {
  const Model m = read(R"(units: {length: in, mass: lb}
bodies: {a: {density: 0.1, shape: {box: [10, 10, 10]}}}
)");
  // 1000 in³ at 0.1 lb/in³ is 100 lb = 45.359237 kg; a cube's moment is m l²/6
  EXPECT_NEAR(m.bodies[0].mass, 45.359237, 1e-13);
  EXPECT_NEAR(m.bodies[0].inertia.xx, 45.359237 * 0.254 * 0.254 / 6, 1e-14);
}

TEST(ReaderBodies, without_anything_are_massless_at_the_world_frame) {
  const Model m = read("bodies:\n  a:\n  b: {}\n");
  ASSERT_EQ(m.bodies.size(), 2u);
  for (const Body& body : m.bodies) {
    EXPECT_EQ(body.mass, 0);
    EXPECT_EQ(body.X_WB, Transformd{});
    EXPECT_EQ(body.inertia, Sym3d{});
  }
}

TEST(ReaderBodies, get_inertia_of_a_rod_from_its_ends_and_mass) {
  const Model m = read(R"(points: {P: [1, 0, 0], Q: [1, 2, 0]}
bodies: {a: {mass: 3, shape: {rod: [P, Q], radius: 0.1}}}
)");
  const Body& a = m.bodies[0];
  EXPECT_EQ(a.com, (Vec3d{1, 1, 0}));
  // along y: m r²/2; across: m (3 r² + l²)/12
  EXPECT_LT(distance(a.inertia, {1.0075, 0.015, 1.0075, 0, 0, 0}), 1e-15);
  ASSERT_EQ(a.shapes.size(), 1u);
  EXPECT_EQ(a.shapes[0].length, 2);
  EXPECT_EQ(a.shapes[0].radius, 0.1);
  EXPECT_EQ(a.shapes[0].X_BS.R.ez, (Vec3d{0, 1, 0}));
  EXPECT_FALSE(a.shapes[0].mass.has_value());
}

TEST(ReaderBodies, get_every_shape_with_its_size_and_place) {
  const Model m = read(R"(bodies:
  a:
    mass: 1
    shape:
      - {cylinder: 0.1, length: 0.5, at: [1, 0, 0], axis: x}
      - {capsule: [[0, 0, 0], [0, 0, 1]], radius: 0.2}
      - {box: [1, 2, 3], at: [0, 1, 0], rotation: {rpy: [0, 0, 1]}}
      - {sphere: 0.3, at: [0, 0, 5]}
      - {ellipsoid: [1, 2, 3]}
      - {rod: 0.7, radius: 0.1, at: [0, 0, 1], rotation: {axis_angle: [1, 0, 0, 1]}}
      - {plate: [[0, 0], [2, 0], [2, 1]], thickness: 0.01, at: [0, 0, 9]}
)");
  const auto& s = m.bodies[0].shapes;
  ASSERT_EQ(s.size(), 7u);
  EXPECT_EQ(s[0].kind, Shape::Kind::cylinder);
  EXPECT_EQ(s[0].radius, 0.1);
  EXPECT_EQ(s[0].length, 0.5);
  EXPECT_EQ(s[0].X_BS, frame_at({1, 0, 0}, {1, 0, 0}));
  EXPECT_EQ(s[1].kind, Shape::Kind::capsule);
  EXPECT_EQ(s[1].length, 1);
  EXPECT_EQ(s[1].X_BS.p, (Vec3d{0, 0, 0.5}));
  EXPECT_EQ(s[2].size, (Vec3d{1, 2, 3}));
  EXPECT_LT(distance(s[2].X_BS, {rotation_z(1.0), {0, 1, 0}}), 1e-15);
  EXPECT_EQ(s[3].radius, 0.3);
  EXPECT_EQ(s[4].size, (Vec3d{1, 2, 3}));
  EXPECT_EQ(s[5].length, 0.7);
  EXPECT_LT(distance(s[5].X_BS, {rotation_x(1.0), {0, 0, 1}}), 1e-15);
  EXPECT_EQ(s[6].outline.size(), 3u);
  EXPECT_EQ(s[6].length, 0.01);
  EXPECT_EQ(s[6].X_BS.p, (Vec3d{0, 0, 9}));
}

TEST(ReaderBodies, get_a_plate_from_corners_in_space) {
  const Model m = read(R"(bodies:
  a: {mass: 6, shape: {plate: [[1, 0, 0], [1, 2, 0], [1, 2, 4], [1, 0, 4]], thickness: 0.3}}
)");
  const Body& a = m.bodies[0];
  EXPECT_LT(distance(a.com, {1, 1, 2}), 1e-15);
  // a slab of 0.3 × 2 × 4: m/12 (b² + c²)
  EXPECT_LT(distance(a.inertia, {6. / 12 * 20, 6. / 12 * 16.09, 6. / 12 * 4.09, 0, 0, 0}), 1e-14);
}

TEST(ReaderBodies, share_their_mass_among_shapes_by_volume) {
  const Model m = read(R"(bodies:
  a: {mass: 9, shape: [{box: [1, 1, 1], at: [0, 0, 0]}, {box: [1, 1, 2], at: [3, 0, 0]}]}
)");
  const Body& a = m.bodies[0];
  EXPECT_NEAR(a.com.x, 2, 1e-15);  // 3 kg at 0, 6 kg at 3
  // 3/6 + 3·2² at x = 0; 6/12 (1 + 4) + 6·1² at x = 3, about z: 6/12 (1 + 1)
  EXPECT_NEAR(a.inertia.xx, 0.5 + 2.5, 1e-14);
  EXPECT_NEAR(a.inertia.yy, 0.5 + 12 + 2.5 + 6, 1e-14);
  EXPECT_NEAR(a.inertia.zz, 0.5 + 12 + 1 + 6, 1e-14);
}

TEST(ReaderBodies, fill_shapes_with_density_unless_they_have_their_own) {
  const Model m = read(R"(units: {length: cm, mass: g}
bodies:
  a: {density: 2, shape: [{box: [1, 1, 1]}, {box: [1, 1, 1], at: [4, 0, 0], density: 6}, {box: [1, 1, 1], mass: 10}]}
)");
  const Body& a = m.bodies[0];
  EXPECT_NEAR(a.mass, 0.018, 1e-17);
  EXPECT_NEAR(a.com.x, 0.04 * 6 / 18, 1e-17);
  EXPECT_NEAR(a.shapes[0].density.value(), 2000, 1e-12);
  EXPECT_NEAR(a.shapes[1].density.value(), 6000, 1e-12);
  EXPECT_EQ(a.shapes[2].mass.value(), 0.01);
}

TEST(ReaderBodies, leave_the_rest_of_the_mass_to_shapes_without_one) {
  const Model m = read("bodies: {a: {mass: 5, shape: [{sphere: 1, mass: 2}, {sphere: 1, at: [10, 0, 0]}]}}\n");
  EXPECT_NEAR(m.bodies[0].com.x, 6, 1e-14);
}

TEST(ReaderBodies, let_numbers_replace_what_shapes_say) {
  const Model m = read(R"(bodies:
  a: {mass: 6, com: [0, 0, 7], shape: {box: [1, 1, 1]}}
  b: {mass: 6, inertia: [1, 2, 3], shape: {box: [1, 1, 1], at: [1, 0, 0]}}
)");
  EXPECT_EQ(m.bodies[0].com, (Vec3d{0, 0, 7}));
  EXPECT_NEAR(m.bodies[0].inertia.xx, 1, 1e-15);  // that of the box at its own centre
  EXPECT_EQ(m.bodies[1].com, (Vec3d{1, 0, 0}));
  EXPECT_EQ(m.bodies[1].inertia, (Sym3d{1, 2, 3, 0, 0, 0}));
}

TEST(ReaderBodies, take_inertia_about_another_point_and_in_other_axes) {
  const Model m = read(R"(units: {angle: deg}
bodies:
  a: {mass: 2, com: [0, 0, 3], inertia: {about: [0, 0, 0], matrix: [20, 20, 1]}}
  b: {mass: 2, inertia: {matrix: [1, 2, 3], axes: {rpy: [0, 0, 90]}}}
  c: {mass: 2, inertia: {matrix: [1, 2, 2.5, 0.5, 0, 0], axes: {rpy: [0, 0, 90]}}}
  d: {mass: 2, inertia: {matrix: [1, 2, 2.5], axes: {matrix: [0, 0, 1,  1, 0, 0,  0, 1, 0]}}}
)");
  EXPECT_LT(distance(m.bodies[0].inertia, {2, 2, 1, 0, 0, 0}), 1e-14);  // 20 − 2·9
  EXPECT_LT(distance(m.bodies[1].inertia, {2, 1, 3, 0, 0, 0}), 1e-15);  // x of the numbers is y of B
  // x of the numbers is y of B, y is z, z is x
  EXPECT_LT(distance(m.bodies[3].inertia, {2.5, 1, 2, 0, 0, 0}), 1e-15);
  // (R I Rᵀ)_xy with R = Rz(90°): x' = −y, so xy changes sign
  EXPECT_LT(distance(m.bodies[2].inertia, {2, 1, 2.5, -0.5, 0, 0}), 1e-15);
}

TEST(ReaderBodies, far_from_the_origin_lose_no_digits) {
  const Model near = read("bodies: {a: {mass: 1, shape: [{sphere: 1}, {sphere: 1, at: [4, 0, 0]}]}}\n");
  const Model far =
      read("bodies: {a: {mass: 1, shape: [{sphere: 1, at: [65536, 0, 0]}, {sphere: 1, at: [65540, 0, 0]}]}}\n");
  EXPECT_LT(distance(near.bodies[0].inertia, far.bodies[0].inertia), 1e-14);
}

// --- poses ------------------------------------------------------------------------------------------------------------

TEST(ReaderPoses, are_in_the_world_and_coordinates_then_in_the_body) {
  const Model m = read(R"(units: {angle: deg}
points: {P: [1, 2, 4]}
bodies:
  a: {mass: 1, pose: {at: [1, 2, 3], rpy: [0, 0, 90]}, com: [1, 0, 0]}
  b: {mass: 1, pose: {at: [1, 2, 3], rpy: [90, 0, 0]}, com: P}
  c: {mass: 1, pose: P}
)");
  EXPECT_LT(distance(m.bodies[0].X_WB, {rows(0, -1, 0, 1, 0, 0, 0, 0, 1), {1, 2, 3}}), 1e-15);
  EXPECT_EQ(m.bodies[0].com, (Vec3d{1, 0, 0}));
  // a named point is a world point: P lies 1 above b's origin, along z of W, which is y of b
  EXPECT_LT(distance(m.bodies[1].com, {0, 1, 0}), 1e-15);
  EXPECT_EQ(m.bodies[2].X_WB.p, (Vec3d{1, 2, 4}));
}

TEST(ReaderPoses, know_four_ways_to_rotate) {
  const Model m = read(R"(units: {angle: deg}
bodies:
  rpy:  {pose: {rpy: [90, 0, 90]}}
  quat: {pose: {quaternion: [0.5, 0.5, 0.5, 0.5]}}
  axis: {pose: {axis_angle: [2, 2, 2, 120]}}
  mat:  {pose: {matrix: [0, 0, 1,  1, 0, 0,  0, 1, 0]}}
)");
  // all of them take x to y, y to z, z to x
  for (const Body& body : m.bodies) {
    EXPECT_LT(distance(body.X_WB.R, rows(0, 0, 1, 1, 0, 0, 0, 1, 0)), 2e-15) << body.name;
  }
}

TEST(ReaderPoses, roll_pitch_and_yaw_turn_about_fixed_axes_in_that_order) {
  const Model m = read("bodies: {a: {pose: {rpy: [0.1, 0.2, 0.3]}}}\n");
  EXPECT_LT(distance(m.bodies[0].X_WB.R, rotation_z(0.3) * (rotation_y(0.2) * rotation_x(0.1))), 1e-16);
}

TEST(ReaderPoses, may_be_typed_with_few_digits) {
  const Model m = read(R"(bodies:
  a: {pose: {quaternion: [0.7071, 0, 0, 0.7071]}}
  b: {pose: {matrix: [0.7071, -0.7071, 0,  0.7071, 0.7071, 0,  0, 0, 1]}}
)");
  for (const Body& body : m.bodies) {
    const Mat3d& R = body.X_WB.R;
    EXPECT_LT(distance(transpose(R) * R, Mat3d::identity()), 1e-15);
  }
  EXPECT_LT(distance(m.bodies[0].X_WB.R, rotation_z(pi / 2)), 1e-15);
  EXPECT_LT(distance(m.bodies[1].X_WB.R, rotation_z(pi / 4)), 1e-15);
}

TEST(ReaderPoses, may_be_relative_to_each_other_in_any_order) {
  const Model m = read(R"(units: {angle: deg, length: mm}
points: {P: [0, 0, 1000]}
bodies:
  tip:  {pose: {at: [100, 0, 0], in: arm}}
  arm:  {pose: {at: [0, 0, 200], rpy: [0, 0, 90], in: base}}
  base: {pose: [300, 0, 0]}
  hat:  {pose: {at: P, in: arm}}
  same: {pose: {in: ground}}
)");
  EXPECT_LT(distance(m.bodies[1].X_WB, {rotation_z(pi / 2), {0.3, 0, 0.2}}), 1e-15);
  EXPECT_LT(distance(m.bodies[0].X_WB, {rotation_z(pi / 2), {0.3, 0.1, 0.2}}), 1e-15);
  EXPECT_LT(distance(m.bodies[3].X_WB, {rotation_z(pi / 2), {0, 0, 1}}), 1e-15);  // axes of arm, at the world point
  EXPECT_EQ(m.bodies[4].X_WB, Transformd{});
}

TEST(ReaderPoses, of_free_bodies_without_one_sit_at_the_joint) {
  const Model m = read(R"(points: {P: [0, 0, 5]}
bodies:
  a: {mass: 1, com: [1, 2, 3], shape: {sphere: 1, at: P}}
joints:
  base: {free: [ground, a], at: [1, 0, 0]}
)");
  const Body& a = m.bodies[0];
  EXPECT_EQ(a.X_WB, Transformd::translation({1, 0, 0}));
  EXPECT_EQ(a.com, (Vec3d{0, 2, 3}));  // was read in world coordinates
  EXPECT_EQ(a.shapes[0].X_BS.p, (Vec3d{-1, 0, 5}));
  EXPECT_EQ(m.joints[0].X_AF, Transformd::translation({1, 0, 0}));
  EXPECT_EQ(m.joints[0].X_BM, Transformd{});
}

TEST(ReaderPoses, of_free_bodies_without_one_sit_at_the_centre_of_mass_if_the_joint_has_no_place) {
  const Model m = read(R"(bodies:
  a: {mass: 1, com: [1, 2, 3], inertia: [1, 1, 1]}
  b: {mass: 1, shape: {box: [1, 1, 1], at: [0, 4, 0]}}
joints:
  base: {free: [ground, a]}
  other: {free: [b, ground]}
)");
  EXPECT_EQ(m.bodies[0].X_WB, Transformd::translation({1, 2, 3}));
  EXPECT_EQ(m.bodies[0].com, (Vec3d{0, 0, 0}));
  EXPECT_EQ(m.bodies[0].inertia, (Sym3d{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(m.bodies[1].X_WB, Transformd::translation({0, 4, 0}));
  EXPECT_EQ(m.bodies[1].shapes[0].X_BS.p, (Vec3d{0, 0, 0}));  // the box stays where it is drawn
  EXPECT_EQ(m.joints[1].X_AF, Transformd{});
  EXPECT_EQ(m.joints[1].X_BM, Transformd::translation({0, 4, 0}));
}

TEST(ReaderPoses, of_free_bodies_with_one_stay_as_given) {
  const Model m = read(R"(units: {angle: deg}
bodies: {a: {mass: 1, com: [0, 0, 1], pose: {at: [1, 0, 0], rpy: [0, 0, 90]}}}
joints: {base: {free: [ground, a]}}
)");
  EXPECT_EQ(m.bodies[0].com, (Vec3d{0, 0, 1}));
  EXPECT_LT(distance(m.joints[0].X_AF, m.bodies[0].X_WB), 1e-16);
  EXPECT_EQ(m.joints[0].X_BM, Transformd{});
}

TEST(ReaderPoses, of_free_bodies_may_be_said_in_another_body) {
  const Model m = read(R"(units: {angle: deg}
bodies:
  hand: {pose: {at: [1, 0, 0], rpy: [0, 0, 90]}}
  ball: {mass: 1, com: [1, 2, 3]}
joints: {base: {free: [ground, ball], at: [2, 0, 3], in: hand}}
)");
  EXPECT_LT(distance(m.bodies[1].X_WB, Transformd::translation({1, 2, 3})), 1e-15);  // world axes
  EXPECT_LT(distance(m.bodies[1].com, {0, 0, 0}), 1e-15);
  EXPECT_LT(distance(m.joints[0].X_AF, Transformd::translation({1, 2, 3})), 1e-15);
  EXPECT_LT(distance(m.joints[0].X_BM, {}), 1e-15);
}

TEST(ReaderPoses, relative_to_a_free_body_follow_it_to_its_centre_of_mass) {
  const Model m = read(R"(bodies:
  arm:  {mass: 1, pose: {at: [1, 0, 0], in: hull}}
  hull: {mass: 1, com: [0, 0, 3]}
joints: {base: {free: [ground, hull]}}
)");
  EXPECT_EQ(m.bodies[0].X_WB.p, (Vec3d{1, 0, 3}));
}

}  // namespace
}  // namespace trammel::test

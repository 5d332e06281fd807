// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The limits of Chace's nine cases, by name: what becomes of the solutions where axes are parallel, cones flat, slides in a plane. Each family
// is tried in random orientations, since along the world's axes round-off is kind.

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "chace_instances.hpp"

namespace trammel {
namespace {

using chace::Arm;
using chace::Cone;
using chace::Limit;
using chace::Solution;
using chace::Status;
using test::Answer;
using test::Instance;
using test::Kind;
using test::Random;

constexpr double pi = Random::pi;
const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

Vec3d unit(const Vec3d& v) { return v * (1 / norm(v)); }
Vec3d between(const Vec3d& a, const Vec3d& b, double angle) { return a * std::cos(angle) + b * std::sin(angle); }

test::Part slide(const Vec3d& w) { return {Kind::slide, {{chace::axes_about(w), 0, 1}, 0}}; }
test::Part cone(const Vec3d& w, double polar) {
  return {Kind::cone, {chace::cone_about(chace::axes_about(w), polar), 0}};
}
test::Part arm(const Vec3d& w, double polar, double length) {
  return {Kind::arm, {chace::cone_about(chace::axes_about(w), polar), length}};
}
test::Part sphere(double length) { return {Kind::sphere, {{}, length}}; }

Instance instance(int number, const test::Part& r, const test::Part& s, const test::Part& t, const Vec3d& C) {
  const double size = std::max({norm(C), r.arm.length, s.arm.length, t.arm.length, 1e-300});
  return {number, r, s, t, C, {}, size};
}

// The same in several orientations and sizes; every solution is held against its conditions.
template <class Check>
void in_all_orientations(const Instance& drawn, Check check) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Instance there =
        i == 0 ? drawn : test::scaled(test::turned(drawn, random.rotation()), std::pow(10, random.uniform(-3, 3)));
    const Answer answer = solve(there);
    SCOPED_TRACE(fmt::format("orientation {}: {}, {}, margin {}, {} solutions\n{}", i, name_of(answer.status),
                             name_of(answer.limit), answer.margin, answer.solutions.size(), text_of(there)));
    for (const Solution& s : answer.solutions) EXPECT_LT(error_of(there, s), 5e-12);
    check(answer, there);
    if (::testing::Test::HasFailure()) return;
  }
}

void expect(const Instance& drawn, Status status, Limit limit, std::size_t count) {
  in_all_orientations(drawn, [&](const Answer& answer, const Instance&) {
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.limit, limit);
    EXPECT_EQ(answer.solutions.size(), count);
    if (status == Status::none) {
      EXPECT_LT(answer.margin, 0);
    } else {
      EXPECT_GE(answer.margin, 0);
    }
    for (const Solution& s : answer.solutions) EXPECT_FALSE(s.double_root);
  });
}

// --- case 1 -----------------------------------------------------------------------------------------------------------

TEST(ChaceCase1, without_C_has_a_vector_without_direction) {
  const auto found = chace::case1({});
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_EQ(found.limit, Limit::zero_vector);
  ASSERT_EQ(found.count, 1);
  EXPECT_EQ(found[0].r.length, 0);
  EXPECT_EQ(azimuth({}, found[0].r), 0);
  EXPECT_EQ(polar_angle({}, found[0].r), 0);
}

// --- case 2: a line meets a cone ----------------------------------------------------------------------------------------

TEST(ChaceCase2, along_a_generator_has_one_root_the_other_at_infinity) {
  const double phi = 0.6;
  const Vec3d generator = between(z, x, phi);
  expect(instance(2, cone(z, phi), slide(generator), {}, {0.3, 0.2, 0.7}), Status::solved, Limit::slide_along_generator,
         1);
  // Close to it that other root is far away, and the first one where it was.
  const Instance exact = instance(2, cone(z, phi), slide(generator), {}, {0.3, 0.2, 0.7});
  const Instance close = instance(2, cone(z, phi), slide(between(z, x, phi + 1e-6)), {}, {0.3, 0.2, 0.7});
  const Answer one = solve(exact), two = solve(close);
  ASSERT_EQ(two.solutions.size(), 2U);
  EXPECT_LT(distance_to_closest(exact, two.solutions, one.solutions[0]), 1e-5);
  EXPECT_GT(std::max(norm(two.solutions[0].r.v), norm(two.solutions[1].r.v)), 1e5);
  const std::size_t finite = norm(two.solutions[0].r.v) < 10 ? 0 : 1;
  EXPECT_EQ(one.solutions[0].mode, two.solutions[finite].mode);  // on its branch
}

TEST(ChaceCase2, along_a_generator_moved_aside_has_none) {
  const double phi = 0.6;
  expect(instance(2, cone(z, phi), slide(between(z, x, phi)), {}, {0, 0.5, 0}), Status::none,
         Limit::slide_along_generator, 0);
}

TEST(ChaceCase2, with_a_flat_cone_has_one_root) {
  expect(instance(2, cone(z, pi / 2), slide(unit({1, 2, 3})), {}, {0.3, 0.2, 0.7}), Status::solved, Limit::flat_cone,
         1);
}
TEST(ChaceCase2, with_a_flat_cone_and_a_slide_parallel_to_it_has_none_or_a_continuum) {
  expect(instance(2, cone(z, pi / 2), slide(unit({1, 2, 0})), {}, {0.3, 0.2, 0.7}), Status::none, Limit::flat_cone, 0);
  expect(instance(2, cone(z, pi / 2), slide(unit({1, 2, 0})), {}, {0.3, 0.2, 0}), Status::undetermined,
         Limit::flat_cone, 0);
}
TEST(ChaceCase2, with_a_nearly_flat_cone_has_one_root_on_either_half) {
  for (const double off : {1e-3, 1e-6, 1e-9, 1e-11}) {
    in_all_orientations(instance(2, cone(z, pi / 2 - off), slide(unit({1, 2, 3})), {}, {0.3, 0.2, 0.7}),
                        [&](const Answer& answer, const Instance&) {
                          ASSERT_EQ(answer.solutions.size(), 2U);
                          EXPECT_LT(answer.solutions[0].r.length * answer.solutions[1].r.length, 0);
                        });
  }
}

TEST(ChaceCase2, through_the_apex_has_a_vector_without_length) {
  in_all_orientations(instance(2, cone(z, 0.6), slide(unit({1, 2, 3})), {}, unit({1, 2, 3}) * 0.7),
                      [&](const Answer& answer, const Instance& at) {
                        EXPECT_EQ(answer.limit, Limit::zero_vector);
                        ASSERT_EQ(answer.solutions.size(), 1U);
                        EXPECT_TRUE(answer.solutions[0].double_root);
                        EXPECT_EQ(answer.solutions[0].r.length, 0);
                        EXPECT_NEAR(answer.solutions[0].s.length, -0.7 * at.size / 0.7, 1e-14 * at.size);
                      });
  expect(instance(2, cone(z, 0.6), slide(between(z, y, 0.6)), {}, between(z, y, 0.6) * 0.7), Status::undetermined,
         Limit::zero_vector, 0);
  EXPECT_EQ(chace::case2({}, unit({1, 2, 3}), {}).limit, Limit::zero_vector);
}

TEST(ChaceCase2, with_a_needle_for_a_cone_is_two_lines) {
  const Vec3d s = unit({1, 2, 3});
  expect(instance(2, cone(z, 0), slide(s), {}, z * 0.4 - s * 0.9), Status::solved, Limit::needle_cone, 1);
  expect(instance(2, cone(z, pi), slide(s), {}, z * 0.4 - s * 0.9), Status::solved, Limit::needle_cone, 1);
  expect(instance(2, cone(z, 0), slide(s), {}, {0.1, 0.5, 0.6}), Status::none, Limit::needle_cone, 0);
  expect(instance(2, cone(z, 0), slide(z), {}, {0.1, 0.5, 0.6}), Status::none, Limit::needle_cone, 0);
  const Answer same_line = solve(instance(2, cone(z, 0), slide(z), {}, {0, 0, 0.6}));
  EXPECT_EQ(same_line.status, Status::undetermined);
}

// --- case 3: a circle meets a cone --------------------------------------------------------------------------------------

TEST(ChaceCase3, with_a_flat_cone_has_two_roots) {
  const test::Part s = arm(unit({1, 2, 3}), 1.0, 0.8);
  expect(instance(3, cone(z, pi / 2), s, {}, {0.3, 0.2, -0.5}), Status::solved, Limit::flat_cone, 2);
  expect(instance(3, cone(z, pi / 2), s, {}, {0.3, 0.2, -1.5}), Status::none, Limit::flat_cone, 0);
}
TEST(ChaceCase3, with_a_nearly_flat_cone_has_pairs_one_on_each_half) {
  for (const double off : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    in_all_orientations(instance(3, cone(z, pi / 2 - off), arm(unit({1, 2, 3}), 1.0, 0.8), {}, {0.3, 0.2, -0.5}),
                        [&](const Answer& answer, const Instance&) {
                          ASSERT_EQ(answer.solutions.size(), 4U) << off;
                          int positive = 0;
                          for (const Solution& s : answer.solutions) positive += s.r.length > 0 ? 1 : 0;
                          EXPECT_EQ(positive, 2) << off;
                        });
  }
}
TEST(ChaceCase3, with_parallel_axes_has_two_roots) {
  expect(instance(3, cone(z, 0.6), arm(z, 1.0, 0.8), {}, {0.3, 0.2, -1}), Status::solved, Limit::parallel_axes, 2);
  expect(instance(3, cone(z, 0.6), arm(-z, 1.0, 0.8), {}, {0.3, 0.2, -0.1}), Status::solved, Limit::parallel_axes, 2);
}
TEST(ChaceCase3, about_one_axis_has_none_or_a_continuum) {
  // The circle of radius ρ stands at the height h over the apex; it lies on the cone where tan φ = ρ/h.
  const double rho = 0.8 * std::sin(1.0), h = rho / std::tan(0.6);
  expect(instance(3, cone(z, 0.6), arm(z, 1.0, 0.8), {}, z * (h - 0.8 * std::cos(1.0))), Status::undetermined,
         Limit::parallel_axes, 0);
  expect(instance(3, cone(z, 0.6), arm(z, 1.0, 0.8), {}, z * (h - 0.8 * std::cos(1.0) + 0.1)), Status::none,
         Limit::parallel_axes, 0);
}
TEST(ChaceCase3, with_a_flat_cone_and_parallel_axes_has_none_or_a_continuum) {
  const double axial = 0.8 * std::cos(1.0);
  expect(instance(3, cone(z, pi / 2), arm(z, 1.0, 0.8), {}, {0.3, 0.2, 0.1 - axial}), Status::none,
         Limit::parallel_axes, 0);
  expect(instance(3, cone(z, pi / 2), arm(z, 1.0, 0.8), {}, {0.3, 0.2, -axial}), Status::undetermined,
         Limit::parallel_axes, 0);
}
TEST(ChaceCase3, without_an_azimuth_of_s_holds_or_does_not) {
  const Vec3d r = between(z, unit({1, 1, 0}), 0.6) * 0.7, w = unit({1, 2, 3});
  for (const double polar : {0.0, pi}) {
    const Vec3d s = w * (polar == 0 ? 0.8 : -0.8);
    expect(instance(3, cone(z, 0.6), arm(w, polar, 0.8), {}, -r - s), Status::solved, Limit::needle_cone, 1);
    expect(instance(3, cone(z, 0.6), arm(w, polar, 0.8), {}, r * 1.0 + x * 0.1 - s), Status::none, Limit::needle_cone,
           0);
  }
  expect(instance(3, cone(z, 0.6), arm(w, 1, 0), {}, -r), Status::solved, Limit::needle_cone,
         1);  // an arm without length
}
TEST(ChaceCase3, with_a_needle_for_a_cone_is_a_line_and_a_circle) {
  const test::Part s = arm(unit({1, 2, 3}), 1.0, 0.8);
  const Vec3d tip = vector_at(s.arm, 0.4).v;
  expect(instance(3, cone(z, 0), s, {}, z * 0.5 - tip), Status::solved, Limit::needle_cone, 1);
  expect(instance(3, cone(z, 0), s, {}, z * 0.5 + x * 0.2 - tip), Status::none, Limit::needle_cone, 0);
  // In the plane of the circle the line meets it twice.
  expect(instance(3, cone(z, pi), arm(x, pi / 2, 0.8), {}, {0, 0.5, 0.1}), Status::solved, Limit::needle_cone, 2);
}
TEST(ChaceCase3, through_the_apex_has_a_vector_without_length) {
  const test::Part s = arm(unit({1, 2, 3}), 1.0, 0.8);
  in_all_orientations(instance(3, cone(z, 0.6), s, {}, -vector_at(s.arm, 0.4).v),
                      [&](const Answer& answer, const Instance&) {
                        EXPECT_EQ(answer.limit, Limit::zero_vector);
                        int without_length = 0;
                        for (const Solution& found : answer.solutions) {
                          without_length += found.r.length == 0 ? 1 : 0;
                          EXPECT_EQ(found.double_root, found.r.length == 0);
                        }
                        EXPECT_EQ(without_length, 1);
                      });
}

// --- cases 4 and 5 ------------------------------------------------------------------------------------------------------

TEST(ChaceCase4, with_a_rod_without_length_has_a_double_root_on_the_line_and_none_beside_it) {
  const auto on = chace::case4(0, z, {0, 0, 2});
  ASSERT_EQ(on.count, 1);
  EXPECT_TRUE(on[0].double_root);
  EXPECT_EQ(on[0].s.length, -2);
  EXPECT_EQ(chace::case4(0, z, {0.1, 0, 2}).status, Status::none);
}

TEST(ChaceCase5, with_C_along_the_axis_has_none_or_a_continuum) {
  const double rho = 0.8 * std::sin(1.0), axial = 0.8 * std::cos(1.0), r = std::hypot(rho, axial + 0.5);
  expect(instance(5, sphere(r), arm(z, 1.0, 0.8), {}, z * 0.5), Status::undetermined, Limit::parallel_axes, 0);
  expect(instance(5, sphere(r + 0.1), arm(z, 1.0, 0.8), {}, z * 0.5), Status::none, Limit::parallel_axes, 0);
}
TEST(ChaceCase5, of_a_parallelogram_folded_onto_its_pivot_is_undetermined) {
  expect(instance(5, sphere(0.8), arm(z, pi / 2, 0.8), {}, {}), Status::undetermined, Limit::parallel_axes, 0);
  expect(instance(5, sphere(0.7), arm(z, pi / 2, 0.8), {}, {}), Status::none, Limit::parallel_axes, 0);
}
TEST(ChaceCase5, without_an_azimuth_holds_or_does_not) {
  expect(instance(5, sphere(norm(Vec3d{0.3, 0.2, 1.5})), arm(z, 0, 0.8), {}, {0.3, 0.2, 0.7}), Status::solved,
         Limit::needle_cone, 1);
  expect(instance(5, sphere(1.9), arm(z, 0, 0.8), {}, {0.3, 0.2, 0.7}), Status::none, Limit::needle_cone, 0);
  expect(instance(5, sphere(1.5), arm(z, 0, 0.8), {}, {0, 0, 0.7}), Status::solved, Limit::needle_cone, 1);
}

// --- cases 6 and 7 ------------------------------------------------------------------------------------------------------

TEST(ChaceCase6, with_coplanar_slides_has_none_or_a_continuum) {
  const Vec3d a = unit({1, 2, 0}), b = unit({1, -1, 0}), c = unit({3, 1, 0});
  expect(instance(6, slide(a), slide(b), slide(c), {0.3, 0.2, 0.1}), Status::none, Limit::coplanar_slides, 0);
  expect(instance(6, slide(a), slide(b), slide(c), {0.3, 0.2, 0}), Status::undetermined, Limit::coplanar_slides, 0);
  expect(instance(6, slide(a), slide(b), slide(a), {0.3, 0.2, 0}), Status::undetermined, Limit::coplanar_slides, 0);
}
TEST(ChaceCase6, with_parallel_slides_has_none_or_a_continuum) {
  const Vec3d a = unit({1, 2, 3});
  expect(instance(6, slide(a), slide(-a), slide(a), {0.3, 0.2, 0.1}), Status::none, Limit::parallel_slides, 0);
  expect(instance(6, slide(a), slide(-a), slide(a), a * 0.3), Status::undetermined, Limit::parallel_slides, 0);
}
TEST(ChaceCase6, with_nearly_coplanar_slides_still_closes) {
  for (const double off : {1e-3, 1e-6, 1e-9, 1e-12}) {
    expect(instance(6, slide(unit({1, 2, off})), slide(unit({1, -1, 0})), slide(unit({3, 1, 0})), {0.3, 0.2, 0.1}),
           Status::solved, Limit::regular, 1);
  }
}

TEST(ChaceCase7, with_parallel_slides_has_none_or_a_continuum) {
  const test::Part t = arm(unit({1, 2, 3}), 1.0, 0.8);
  const Vec3d tip = vector_at(t.arm, 0.4).v;
  expect(instance(7, slide(z), slide(-z), t, z * 0.5 - tip), Status::undetermined, Limit::parallel_slides, 0);
  expect(instance(7, slide(z), slide(z), t, z * 0.5 + x * 0.2 - tip), Status::none, Limit::parallel_slides, 0);
}
TEST(ChaceCase7, with_its_circle_in_the_plane_of_the_slides_has_none_or_a_continuum) {
  const test::Part t = arm(z, 1.0, 0.8);
  expect(instance(7, slide(unit({1, 2, 0})), slide(unit({1, -1, 0})), t, {0.3, 0.2, -t.arm.axial()}),
         Status::undetermined, Limit::circle_in_slide_plane, 0);
  expect(instance(7, slide(unit({1, 2, 0})), slide(unit({1, -1, 0})), t, {0.3, 0.2, 0.1}), Status::none,
         Limit::circle_in_slide_plane, 0);
}
TEST(ChaceCase7, without_an_azimuth_holds_or_does_not) {
  const test::Part t = arm(unit({1, 2, 3}), 0, 0.8);
  const Vec3d a = unit({1, 2, 0}), b = unit({1, -1, 0}), tip = vector_at(t.arm, 0).v;
  expect(instance(7, slide(a), slide(b), t, a * 0.3 - b * 0.2 - tip), Status::solved, Limit::needle_cone, 1);
  expect(instance(7, slide(a), slide(b), t, a * 0.3 - b * 0.2 + z * 0.1 - tip), Status::none, Limit::needle_cone, 0);
}

// --- case 8 -------------------------------------------------------------------------------------------------------------

TEST(ChaceCase8, with_a_slide_square_to_one_axis_is_regular) {
  // r̂·w_t = 0, then r̂·w_s = 0: the other arm is eliminated. Seen along z one circle is straight and crosses the ellipse of the other
  // twice, each time with two arcs over it.
  const Vec3d oblique = unit({1, 2, 3});
  for (const double off : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
    const test::Part s = arm(oblique, 1.0, 0.8), t = arm(unit({1, 0, off}), 1.2, 0.9);
    const Vec3d C = z * 0.5 - vector_at(s.arm, 0.3).v - vector_at(t.arm, 1.1).v;
    expect(instance(8, slide(z), s, t, C), Status::solved, Limit::regular, 4);
    expect(instance(8, slide(z), t, s, C), Status::solved, Limit::regular, 4);
  }
}
TEST(ChaceCase8, with_a_slide_square_to_both_axes_has_four_roots) {
  // Seen along z both circles are straight: they cross at one point, each with two arcs over it.
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(y, 1.3, 0.9), {-0.1, -0.2, 0.4}), Status::solved,
         Limit::slide_square_to_axes, 4);
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(unit({1, 3, 0}), 1.3, 0.9), {-0.1, -0.2, 0.4}), Status::solved,
         Limit::slide_square_to_axes, 4);
  in_all_orientations(instance(8, slide(z), arm(x, 1.2, 0.8), arm(y, 1.3, 0.9), {3, -0.2, 0.4}),
                      [](const Answer& answer, const Instance&) { EXPECT_EQ(answer.status, Status::none); });
}
TEST(ChaceCase8, with_a_slide_nearly_square_to_both_axes_keeps_its_four_roots) {
  const Instance exact = instance(8, slide(z), arm(x, 1.2, 0.8), arm(y, 1.3, 0.9), {-0.1, -0.2, 0.4});
  const Answer limit = solve(exact);
  for (const double off : {1e-13, 1e-10, 1e-8, 1e-6, 1e-4}) {
    const Instance close =
        instance(8, slide(z), arm(unit({1, 0, off}), 1.2, 0.8), arm(unit({0, 1, -off}), 1.3, 0.9), {-0.1, -0.2, 0.4});
    in_all_orientations(close,
                        [&](const Answer& answer, const Instance&) { EXPECT_EQ(answer.solutions.size(), 4U) << off; });
    for (const Solution& s : solve(close).solutions)
      EXPECT_LT(distance_to_closest(exact, limit.solutions, s), 20 * off + 1e-12);
  }
}
TEST(ChaceCase8, with_everything_parallel_is_a_planar_four_bar_and_a_travel) {
  in_all_orientations(instance(8, slide(z), arm(z, 1.2, 0.8), arm(-z, 1.3, 0.9), {0.3, -0.2, 0.4}),
                      [](const Answer& answer, const Instance& at) {
                        EXPECT_EQ(answer.limit, Limit::parallel_axes);
                        ASSERT_EQ(answer.solutions.size(), 2U);
                        EXPECT_NEAR(answer.solutions[0].r.length, answer.solutions[1].r.length, 1e-14 * at.size);
                      });
  expect(instance(8, slide(z), arm(z, 1.2, 0.8), arm(-z, 1.3, 0.9), {3, -0.2, 0.4}), Status::none, Limit::parallel_axes,
         0);
  // About one axis: equal radii turn together, others do not meet.
  const double equal = 0.8 * std::sin(1.2) / std::sin(1.3);
  expect(instance(8, slide(z), arm(z, 1.2, 0.8), arm(z, 1.3, equal), {0, 0, 0.4}), Status::undetermined,
         Limit::parallel_axes, 0);
  expect(instance(8, slide(z), arm(z, 1.2, 0.8), arm(z, 1.3, 0.9), {0, 0, 0.4}), Status::none, Limit::parallel_axes, 0);
}
TEST(ChaceCase8, with_parallel_axes_square_to_the_slide_has_none_or_a_continuum) {
  const double height = 0.8 * std::cos(1.2) + 0.9 * std::cos(1.3);
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(x, 1.3, 0.9), {-height, 0.5, 0.4}), Status::undetermined,
         Limit::parallel_axes, 0);
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(x, 1.3, 0.9), {-height, 2.5, 0.4}), Status::none,
         Limit::parallel_axes, 0);
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(x, 1.3, 0.9), {0.1 - height, 0.5, 0.4}), Status::none,
         Limit::parallel_axes, 0);
  const double against = 0.8 * std::cos(1.2) - 0.9 * std::cos(1.3);
  expect(instance(8, slide(z), arm(x, 1.2, 0.8), arm(-x, 1.3, 0.9), {-against, 0.5, 0.4}), Status::undetermined,
         Limit::parallel_axes, 0);
}
TEST(ChaceCase8, with_two_circles_that_look_the_same_along_the_slide_moves) {
  const Vec3d w = unit({1, 2, 3}), mirrored = unit({-1, -2, 3});
  const test::Part s = arm(w, pi / 2, 0.8), t = arm(mirrored, pi / 2, 0.8);
  expect(instance(8, slide(z), s, t, {0, 0, 0.4}), Status::undetermined, Limit::movable, 0);
}
TEST(ChaceCase8, without_radius_is_a_line_and_a_circle) {
  const test::Part circle = arm(unit({1, 2, 3}), 1.0, 0.8), point = arm(unit({3, 1, 2}), 0, 0.5),
                   other = arm(y, pi, 0.3);
  const Vec3d tip = vector_at(circle.arm, 0.4).v, p = vector_at(point.arm, 0).v, o = vector_at(other.arm, 0).v;
  expect(instance(8, slide(z), circle, point, z * 0.7 - tip - p), Status::solved, Limit::needle_cone, 1);
  expect(instance(8, slide(z), point, circle, z * 0.7 - tip - p), Status::solved, Limit::needle_cone, 1);
  expect(instance(8, slide(z), point, circle, z * 0.7 + x * 0.1 - tip - p), Status::none, Limit::needle_cone, 0);
  expect(instance(8, slide(z), point, other, z * 0.7 - o - p), Status::solved, Limit::needle_cone, 1);
  expect(instance(8, slide(z), point, other, z * 0.7 + x * 0.1 - o - p), Status::none, Limit::needle_cone, 0);
}

// --- case 9 -------------------------------------------------------------------------------------------------------------

TEST(ChaceCase9, with_two_parallel_axes_has_four_roots_at_most) {
  for (const double sign : {1.0, -1.0}) {
    for (int place = 0; place < 3; ++place) {
      std::array<test::Part, 3> parts = {arm(z, 1.2, 0.8), arm(z * sign, 1.5, 0.9), arm(unit({1, 2, 1}), 1.0, 0.7)};
      std::rotate(parts.begin(), parts.begin() + place, parts.end());
      // t's height along z must be that of the others.
      expect(instance(9, parts[0], parts[1], parts[2], {0.3, -0.2, -0.5}), Status::solved, Limit::parallel_axes, 4);
    }
  }
}
TEST(ChaceCase9, with_nearly_parallel_axes_keeps_its_roots) {
  const Instance exact =
      instance(9, arm(z, 1.2, 0.8), arm(z, 1.5, 0.9), arm(unit({1, 2, 1}), 1.0, 0.7), {0.3, -0.2, -0.5});
  const Answer limit = solve(exact);
  for (const double off : {1e-13, 1e-10, 1e-7, 1e-4}) {
    const Instance close = instance(9, arm(z, 1.2, 0.8), arm(unit({off, 0, 1}), 1.5, 0.9),
                                    arm(unit({1, 2, 1}), 1.0, 0.7), {0.3, -0.2, -0.5});
    const Answer answer = solve(close);
    EXPECT_EQ(answer.solutions.size(), 4U) << off;
    for (const Solution& s : answer.solutions)
      EXPECT_LT(distance_to_closest(exact, limit.solutions, s), 20 * off + 1e-12);
  }
}
TEST(ChaceCase9, with_three_parallel_axes_has_none_or_a_continuum) {
  const double height = 0.8 * std::cos(1.2) + 0.9 * std::cos(1.5) - 0.7 * std::cos(1.0);
  expect(instance(9, arm(z, 1.2, 0.8), arm(z, 1.5, 0.9), arm(-z, 1.0, 0.7), {0.3, -0.2, -height}), Status::undetermined,
         Limit::parallel_axes, 0);
  expect(instance(9, arm(z, 1.2, 0.8), arm(z, 1.5, 0.9), arm(-z, 1.0, 0.7), {0.3, -0.2, 0.1 - height}), Status::none,
         Limit::parallel_axes, 0);
  expect(instance(9, arm(z, 1.2, 0.8), arm(z, 1.5, 0.9), arm(-z, 1.0, 0.7), {5, -0.2, -height}), Status::none,
         Limit::parallel_axes, 0);
}
// δ = 0 for all θ: r turns in the plane of w_s and w_t. Each root holds two solutions, mirrored in that plane.
TEST(ChaceCase9, with_a_plane_of_symmetry_has_pairs_of_mirrored_solutions) {
  const Vec3d w_s = unit({1, 0, 2}), w_t = unit({-2, 0, 1.5});
  for (int place = 0; place < 3; ++place) {
    std::array<test::Part, 3> parts = {arm(y, pi / 2, 0.3), arm(w_s, 1.2, 0.8), arm(w_t, 1.0, 0.9)};
    std::rotate(parts.begin(), parts.begin() + place, parts.end());
    in_all_orientations(
        instance(9, parts[0], parts[1], parts[2], {0.1, 0, -0.5}), [&](const Answer& answer, const Instance& at) {
          ASSERT_GE(answer.solutions.size(), 2U);
          EXPECT_EQ(answer.solutions.size() % 2, 0U);
          const Vec3d normal = (place == 0 ? at.r : place == 2 ? at.s : at.t).w();  // where the arm about y has gone
          const auto mirrored = [&](const chace::Vector& v) {
            return chace::Vector{v.v - normal * (2 * dot(v.v, normal)), v.length};
          };
          for (const Solution& s : answer.solutions) {
            EXPECT_FALSE(s.double_root);
            const Solution image{mirrored(s.r), mirrored(s.s), mirrored(s.t)};
            EXPECT_GT(difference(at, s, image), 1e-3);
            EXPECT_LT(distance_to_closest(at, answer.solutions, image), 1e-12);
          }
        });
  }
}
TEST(ChaceCase9, of_a_parallelogram_moves) {
  // r and t turn about parallel axes with equal radii, s stays.
  const test::Part r = arm(z, 1.2, 0.8), t = arm(z, pi - 1.2, 0.8), s = arm(unit({1, 2, 1}), 1.0, 0.7);
  expect(instance(9, r, s, t, -vector_at(s.arm, 0.4).v), Status::undetermined, Limit::parallel_axes, 0);
}
TEST(ChaceCase9, without_radius_is_two_circles_or_a_point) {
  const test::Part a = arm(unit({1, 2, 3}), 1.0, 0.8), b = arm(unit({3, -1, 2}), 1.3, 0.9),
                   point = arm(unit({3, 1, 2}), 0, 0.5), other = arm(y, pi, 0.3), third = arm(x, 0, 0.2);
  const Vec3d tip_a = vector_at(a.arm, 0.4).v, tip_b = vector_at(b.arm, 2).v, p = vector_at(point.arm, 0).v,
              o = vector_at(other.arm, 0).v, q = vector_at(third.arm, 0).v;
  expect(instance(9, a, b, point, -tip_a - tip_b - p), Status::solved, Limit::needle_cone, 1);
  expect(instance(9, point, a, b, x * 0.1 - tip_a - tip_b - p), Status::none, Limit::needle_cone, 0);
  expect(instance(9, other, a, point, -tip_a - o - p), Status::solved, Limit::needle_cone, 1);
  expect(instance(9, other, a, point, z * 0.1 - tip_a - o - p), Status::none, Limit::needle_cone, 0);
  expect(instance(9, other, third, point, -o - p - q), Status::solved, Limit::needle_cone, 1);
  expect(instance(9, other, third, point, z * 0.1 - o - p - q), Status::none, Limit::needle_cone, 0);
  // Circles in one plane meet twice; the same circle twice is a continuum.
  expect(instance(9, arm(z, pi / 2, 0.8), arm(z, pi / 2, 0.9), point, Vec3d{0.3, 0.1, 0} - p), Status::solved,
         Limit::needle_cone, 2);
  expect(instance(9, arm(z, pi / 2, 0.8), arm(z, pi / 2, 0.8), point, -p), Status::undetermined, Limit::needle_cone, 0);
}

// --- two dot products -------------------------------------------------------------------------------------------------

TEST(ChaceTwoDots, meet_their_products_on_random_instances) {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    const Vec3d a = random.vector(), b = random.vector(), made_from = random.vector();
    const double A = dot(made_from, a), B = dot(made_from, b), N = dot(made_from, made_from);
    const chace::TwoDots found = chace::solve_two_dots(a, A, b, B, N);
    ASSERT_EQ(found.status, Status::solved);
    ASSERT_EQ(found.count, 2);
    const double sine = norm(cross(a, b)) / (norm(a) * norm(b)), tolerance = 1e-13 / sine;
    double least = 1;
    for (const Vec3d& v : found.x) {
      EXPECT_NEAR(dot(v, a), A, 1e-13 * norm(a) * norm(v));
      EXPECT_NEAR(dot(v, b), B, tolerance * norm(b) * norm(v));
      EXPECT_NEAR(dot(v, v), N, tolerance * N);
      least = std::min(least, norm(v - made_from));
    }
    EXPECT_LT(least, tolerance * norm(made_from) / std::sqrt(std::max(found.margin, 1e-12)));
    EXPECT_GT(dot(found.x[0], cross(a, b)), 0);
    EXPECT_LT(dot(found.x[1], cross(a, b)), 0);
  }
}
TEST(ChaceTwoDots, of_parallel_vectors_have_none_or_a_circle) {
  const Vec3d a = unit({1, 2, 3});
  EXPECT_EQ(chace::solve_two_dots(a, 0.3, a * 2, 0.6, 1).status, Status::undetermined);
  EXPECT_EQ(chace::solve_two_dots(a, 0.3, a * 2, 0.6, 1).limit, Limit::parallel_axes);
  EXPECT_EQ(chace::solve_two_dots(a, 0.3, a * -2, 0.6, 1).status, Status::none);
  EXPECT_EQ(chace::solve_two_dots(a, 0.3, {}, 0, 1).status, Status::undetermined);
  EXPECT_EQ(chace::solve_two_dots({}, 0, a, 0.3, 1).status, Status::undetermined);
  EXPECT_EQ(chace::solve_two_dots({}, 0.1, a, 0.3, 1).status, Status::none);
  EXPECT_EQ(chace::solve_two_dots({}, 0, {}, 0, 1).status, Status::undetermined);
  EXPECT_EQ(chace::solve_two_dots({}, 0, {}, 0, -1).status, Status::none);
}
TEST(ChaceTwoDots, out_of_reach_have_none_and_touching_have_one) {
  EXPECT_EQ(chace::solve_two_dots(x, 0.8, y, 0.8, 1).status, Status::none);
  EXPECT_LT(chace::solve_two_dots(x, 0.8, y, 0.8, 1).margin, 0);
  EXPECT_EQ(chace::solve_two_dots(x, 1.8, y, 0, 1).status, Status::none);
  EXPECT_EQ(chace::solve_two_dots(x, 0, y, 0, -1).status, Status::none);
  const chace::TwoDots touching = chace::solve_two_dots(x, 0.6, y, 0.8, 1);
  ASSERT_EQ(touching.count, 1);
  EXPECT_TRUE(touching.double_root);
  EXPECT_LT(norm(touching.x[0] - Vec3d{0.6, 0.8, 0}), 1e-15);
  const chace::TwoDots point = chace::solve_two_dots(x, 1, unit({1, 1, 0}), std::sqrt(0.5), 1);
  ASSERT_EQ(point.count, 1);
  EXPECT_EQ(point.limit, Limit::needle_cone);
}

// --- what goes in and what is said --------------------------------------------------------------------------------------

TEST(ChaceInput, that_means_nothing_is_called_invalid) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  Random random(8);
  for (int number = 1; number <= 9; ++number) {
    for (const double bad : {nan, infinite, -infinite}) {
      Instance i = test::random_instance(number, random);
      i.C.y = bad;
      EXPECT_EQ(solve(i).status, Status::invalid) << number;
      EXPECT_TRUE(solve(i).solutions.empty());
      EXPECT_EQ(solve(i).margin, 0);
    }
    const Instance good = test::random_instance(number, random);
    for (const auto part : {&Instance::r, &Instance::s, &Instance::t}) {
      const Kind kind = (good.*part).kind;
      for (const double bad : {nan, infinite, -1.0}) {
        Instance i = good;
        (i.*part).arm.length = bad;
        if (kind == Kind::arm || kind == Kind::sphere) {
          EXPECT_EQ(solve(i).status, Status::invalid) << number << ' ' << bad;
        }
      }
      for (const double bad : {nan, infinite, 1.5, 0.0}) {
        Instance i = good;
        (i.*part).arm.cone.axes.w = (i.*part).arm.cone.axes.w * bad;
        if (kind == Kind::arm || kind == Kind::cone || kind == Kind::slide) {
          EXPECT_EQ(solve(i).status, Status::invalid) << number << ' ' << bad;
        }
        i = good;
        (i.*part).arm.cone.sin_polar = bad;
        if (kind == Kind::arm || kind == Kind::cone) {
          EXPECT_EQ(solve(i).status, Status::invalid) << number << ' ' << bad;
        }
      }
    }
  }
  EXPECT_EQ(chace::solve_two_dots(x, nan, y, 0, 1).status, Status::invalid);
  EXPECT_EQ(chace::solve_two_dots(x * infinite, 0, y, 0, 1).status, Status::invalid);
}

TEST(ChaceInput, axes_and_angles_go_to_and_fro) {
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    const chace::Axes axes =
        i % 2 == 0 ? chace::axes_about(random.direction()) : chace::axes_about(random.direction(), random.direction());
    EXPECT_LT(norm(cross(axes.l, axes.m) - axes.w), 1e-15);
    EXPECT_NEAR(norm(axes.l), 1, 1e-15);
    const double polar = random.uniform(0.1, 3), angle = random.uniform(-pi, pi), length = random.uniform(-2, 2);
    const chace::Vector v = vector_at(chace::cone_about(axes, polar), length, angle);
    EXPECT_NEAR(azimuth(axes, v), angle, 1e-14);
    EXPECT_NEAR(polar_angle(axes, v), polar, 1e-14);
    EXPECT_NEAR(norm(v.v), std::abs(length), 1e-15);
  }
  const chace::Axes given = chace::axes_about(z, {3, 0, 7});  // l along the part of the reference square to w
  EXPECT_LT(norm(given.l - x), 1e-15);
  EXPECT_LT(norm(chace::axes_about(z, z).l - chace::axes_about(z).l), 1e-15);  // a reference along w gives none
  EXPECT_EQ(chace::cone_about(given, pi / 2).cos_polar, 0);
  EXPECT_EQ(chace::cone_about(given, pi).sin_polar, 0);
}

TEST(ChaceInput, every_status_and_limit_has_a_name) {
  for (int s = 0; s <= static_cast<int>(Status::invalid); ++s) EXPECT_STRNE(name_of(static_cast<Status>(s)), "");
  for (int l = 0; l <= static_cast<int>(Limit::movable); ++l) EXPECT_STRNE(name_of(static_cast<Limit>(l)), "");
}

}  // namespace
}  // namespace trammel

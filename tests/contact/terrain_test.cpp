// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The ground seen from points.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/contacts.hpp>
#include <trammel/spatial/rotation.hpp>

#include "support/generators.hpp"

namespace trammel::test {
namespace {

Terrain plane() {
  Terrain t;
  t.kind = Terrain::Kind::plane;
  return t;
}
Terrain stairs() {
  Terrain t;
  t.kind = Terrain::Kind::steps;
  t.steps = {{1, 0.2}, {2, 0.5}, {3, 0.1}};
  return t;
}
// 4 × 3 nodes, 0.5 and 1 m apart, with heights of a slope and something on it.
Terrain grid() {
  Terrain t;
  t.kind = Terrain::Kind::grid;
  t.nx = 4, t.ny = 3;
  t.spacing_x = 0.5, t.spacing_y = 1;
  t.heights = {0, 0.1, 0.2, 0.1, 0.4, 0.3, 0.2, 0.3, 0.4, 0.5, 0.1, 0.0};
  return t;
}
Terrain slope(double a, double b) {
  Terrain t = grid();
  for (int i = 0; i < t.nx; ++i) {
    for (int j = 0; j < t.ny; ++j) t.heights[static_cast<std::size_t>(i * t.ny + j)] = a * 0.5 * i + b * j;
  }
  return t;
}

TEST(Terrain, plane_is_as_far_as_its_normal_says) {
  Terrain t = plane();
  EXPECT_EQ(find_ground(t, {3, 4, 0.5}).distance, 0.5);
  const double c = std::cos(0.3), s = std::sin(0.3);
  t.X_WT = {{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}, {1, 2, 3}};
  const GroundPoint found = find_ground(t, Vec3d{1, 2, 3} + Vec3d{s, 0, c} * 0.7 + Vec3d{c, 0, -s} * 5.0);
  EXPECT_NEAR(found.distance, 0.7, 1e-15);
  EXPECT_NEAR(norm(found.normal_W - Vec3d{s, 0, c}), 0, 1e-15);
}

TEST(Terrain, steps_have_treads_risers_and_edges) {
  const Terrain t = stairs();
  EXPECT_EQ(find_ground(t, {0.2, 9, 0.3}).distance, 0.3);
  EXPECT_EQ(find_ground(t, {1.5, 0, 0.3}).distance, 0.3 - 0.2);
  EXPECT_NEAR(find_ground(t, {0.9, 0, 0.1}).distance, 0.1, 1e-15);  // as far from the riser as from the tread
  const GroundPoint riser = find_ground(t, {0.95, 0, 0.1});
  EXPECT_NEAR(riser.distance, 0.05, 1e-15);
  EXPECT_EQ(riser.normal_W, (Vec3d{-1, 0, 0}));
  const GroundPoint within = find_ground(t, {1.02, 0, 0.1});
  EXPECT_NEAR(within.distance, -0.02, 1e-15);
  EXPECT_NEAR(within.normal_W.x, -1, 1e-12);
  const GroundPoint edge = find_ground(t, {0.97, 0, 0.24});  // 3-4-5 from the edge (1, 0.2)
  EXPECT_NEAR(edge.distance, 0.05, 1e-15);
  EXPECT_NEAR(edge.normal_W.z, 0.8, 1e-12);
  const GroundPoint down = find_ground(t, {3.02, 0, 0.3});  // behind a step down
  EXPECT_NEAR(down.distance, 0.02, 1e-12);
  EXPECT_NEAR(down.normal_W.x, 1, 1e-12);
}

TEST(Terrain, grid_has_the_heights_of_its_nodes_and_is_bilinear_between) {
  const Terrain t = grid();
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double h = t.heights[static_cast<std::size_t>(3 * i + j)];
      EXPECT_NEAR(find_ground(t, {0.5 * i, 1.0 * j, h}).distance, 0, 1e-15);
    }
  }
  EXPECT_NEAR(find_ground(t, {0.25, 0.5, (0 + 0.1 + 0.1 + 0.4) / 4}).distance, 0, 1e-15);
  EXPECT_NEAR(find_ground(t, {0.75, 1.25, 0.75 * (0.4 + 0.3) / 2 + 0.25 * (0.3 + 0.4) / 2}).distance, 0, 1e-15);
}

TEST(Terrain, grid_of_a_slope_is_that_plane) {
  const Terrain t = slope(0.3, -0.2);
  const Vec3d n = Vec3d{-0.3, 0.2, 1} * (1 / std::sqrt(1 + 0.09 + 0.04));
  for (const double reach : {0.0, 0.3}) {
    const GroundPoint found = find_ground(t, Vec3d{0.6, 0.7, 0.3 * 0.6 - 0.2 * 0.7} + n * 0.25, reach);
    EXPECT_NEAR(found.distance, 0.25, 1e-14);
    EXPECT_NEAR(norm(found.normal_W - n), 0, 1e-15);
    EXPECT_NEAR(norm(found.gradient_W - n), 0, 1e-14);
  }
}

TEST(Terrain, edge_policies) {
  Terrain t = grid();
  const Vec3d beyond{2.5, 1, 0.4};
  GroundPoint found = find_ground(t, beyond);
  EXPECT_TRUE(found.is_beyond && found.is_there);
  EXPECT_NEAR(found.distance, (0.4 - 0.1) * found.normal_W.z, 1e-15);
  EXPECT_EQ(found.normal_W.x, 0);  // level across the edge
  EXPECT_EQ(found.gradient_W.x, 0);
  t.edge = Terrain::Edge::hole;
  EXPECT_FALSE(find_ground(t, beyond).is_there);
  t.edge = Terrain::Edge::plane;
  t.edge_height = -1;
  EXPECT_EQ(find_ground(t, beyond).distance, 1.4);
  EXPECT_TRUE(find_ground(t, beyond).is_beyond);
}

TEST(Terrain, points_that_are_no_numbers_break_nothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), far = std::numeric_limits<double>::infinity();
  for (const Terrain& t : {plane(), stairs(), grid()}) {
    EXPECT_FALSE(find_ground(t, {nan, nan, nan}, 0.1).distance < 0);
    EXPECT_NO_FATAL_FAILURE(find_ground(t, {far, -far, 0}, 0.1));
  }
}

TEST(Terrain, cells_have_materials) {
  Terrain t = grid();
  t.cell_materials = {"rock", "mud"};
  t.cells = {0, 1, 1, -1, 0, 1};
  EXPECT_EQ(find_ground(t, {0.1, 0.1, 0}).cell_material, 0);
  EXPECT_EQ(find_ground(t, {0.1, 1.1, 0}).cell_material, 1);
  EXPECT_EQ(find_ground(t, {0.6, 1.1, 0}).cell_material, -1);
  EXPECT_EQ(find_ground(t, {1.4, 1.9, 0}).cell_material, 1);
}

RC_GTEST_PROP(TerrainLaws, normals_of_a_grid_turn_without_jumps_and_gradients_are_those_of_the_distance, ()) {
  const Terrain t = grid();
  const auto number = [](double from, double to) { return from + (to - from) * (*rc::gen::inRange(0, 1000001)) / 1e6; };
  const Vec3d p{number(0.01, 1.49), number(0.01, 1.99), number(-0.2, 0.8)};
  const GroundPoint here = find_ground(t, p);
  const double e = 1e-6;
  const Vec3d steps[3] = {{e, 0, 0}, {0, e, 0}, {0, 0, e}};
  const auto cell = [](const Vec3d& x) { return std::pair(std::floor(x.x / 0.5), std::floor(x.y)); };
  double gradient[3];
  bool within = true;
  for (int k = 0; k < 3; ++k) {
    const GroundPoint there = find_ground(t, p + steps[k]), back = find_ground(t, p - steps[k]);
    RC_ASSERT(norm(there.normal_W - here.normal_W) < 1e-4);
    gradient[k] = (there.distance - back.distance) / (2 * e);
    within = within && cell(p + steps[k]) == cell(p) && cell(p - steps[k]) == cell(p);
  }
  RC_PRE(within);
  RC_ASSERT(norm(here.gradient_W - Vec3d{gradient[0], gradient[1], gradient[2]}) < 1e-7);
}

RC_GTEST_PROP(TerrainLaws, a_moved_terrain_is_the_same_seen_from_moved_points, ()) {
  const auto number = [] { return *rc::gen::inRange(-1000000, 1000001) / 5e5; };
  const Vec3d turn{number(), number(), number()}, p{number(), number(), number()};
  const Transformd X{exp_rotation(turn), {number(), number(), number()}};
  for (Terrain t : {plane(), stairs(), grid()}) {
    const GroundPoint before = find_ground(t, p, 0.1);
    t.X_WT = X;
    const GroundPoint after = find_ground(t, X * p, 0.1);
    RC_ASSERT(std::abs(before.distance - after.distance) < 1e-12);
    RC_ASSERT(norm(X.R * before.normal_W - after.normal_W) < 1e-9);
  }
}

}  // namespace
}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The ground seen from points.

#include "model/terrain.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/spatial/rotation.hpp>

#include "support/generators.hpp"
#include "support/random.hpp"

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

// What a shape at p is near to, one place per part.
std::vector<GroundPoint> blocks_at(const Terrain& t, const Vec3d& p) {
  const std::vector<TerrainBlock> blocks = blocks_of_steps(t);
  std::vector<GroundPoint> found;
  int parts = 0;
  for (const TerrainBlock& block : blocks) parts = std::max(parts, block.part + 1);
  for (int part = 0; part < parts; ++part) {
    const GroundPoint at = find_block(t, blocks, part, p);
    if (at.is_there) found.push_back(at);
  }
  return found;
}

TEST(TerrainBlocks, end_at_outer_corners_only) {
  const double far = std::numeric_limits<double>::infinity();
  Terrain t = stairs();  // 0, 0.2, 0.5, 0.1 from x = 1, 2, 3 on
  std::vector<TerrainBlock> blocks = blocks_of_steps(t);
  ASSERT_EQ(blocks.size(), 4u);
  const TerrainBlock expected[] = {{-far, far, 0}, {1, 3, 0.2, true, false}, {2, 3, 0.5, true, true}, {1, far, 0.1}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(blocks[k].from, expected[k].from) << k;
    EXPECT_EQ(blocks[k].to, expected[k].to) << k;
    EXPECT_EQ(blocks[k].height, expected[k].height) << k;
    EXPECT_EQ(blocks[k].has_left, expected[k].has_left) << k;
    EXPECT_EQ(blocks[k].has_right, expected[k].has_right) << k;
  }
  t.steps = {{1, 0.5}, {2, 0}, {3, 0}};  // a ridge: the ground left and right of it is one
  blocks = blocks_of_steps(t);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].to, far);
}

TEST(TerrainBlocks, inner_corners_hold_from_both_sides) {
  const Terrain t = stairs();
  std::vector<GroundPoint> found = blocks_at(t, {1.9, 7, 0.35});  // a ball before the second riser
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].distance, 0.15, 1e-15);
  EXPECT_EQ(found[0].normal_W, (Vec3d{0, 0, 1}));
  EXPECT_NEAR(found[1].distance, 0.1, 1e-15);
  EXPECT_EQ(found[1].normal_W, (Vec3d{-1, 0, 0}));

  found = blocks_at(t, {2.001, 0, 0.198});  // a point that has sunk into both
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].distance, -0.002, 1e-15);
  EXPECT_EQ(found[0].normal_W, (Vec3d{0, 0, 1}));
  EXPECT_NEAR(found[1].distance, -0.001, 1e-15);
  EXPECT_EQ(found[1].normal_W, (Vec3d{-1, 0, 0}));

  found = blocks_at(t, {2.999, 0, 0.3});  // in the high riser, far from any corner
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].distance, 0.2, 1e-15);  // above the tread before it
  EXPECT_NEAR(found[1].distance, -0.001, 1e-15);
  EXPECT_EQ(found[1].normal_W, (Vec3d{1, 0, 0}));

  found = blocks_at(t, {2.5, 0, 0.499});  // in the highest tread: those below it are hidden
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].distance, -0.001, 1e-15);
}

TEST(TerrainBlocks, both_edges_of_a_groove_hold) {
  Terrain t = stairs();
  t.steps = {{1, -1}, {1.6, 0}};
  const std::vector<GroundPoint> found = blocks_at(t, {1.3, 0, 0.4});
  ASSERT_EQ(found.size(), 3u);  // and its bottom
  EXPECT_NEAR(found[0].distance, 0.5, 1e-15);
  EXPECT_NEAR(norm(found[0].normal_W - Vec3d{0.6, 0, 0.8}), 0, 1e-14);
  EXPECT_NEAR(found[1].distance, 1.4, 1e-15);
  EXPECT_NEAR(norm(found[2].normal_W - Vec3d{-0.6, 0, 0.8}), 0, 1e-14);
}

RC_GTEST_PROP(TerrainBlocks, are_the_ground_and_no_more, (unsigned seed)) {
  Random random(seed);
  Terrain t;
  t.kind = Terrain::Kind::steps;
  double x = random.uniform(-1, 1);
  for (int k = random.integer(1, 8); k > 0; --k) {
    x += random.uniform(0.05, 1);
    t.steps.push_back({x, random.chance(0.3) ? 0.25 * random.integer(0, 3) : random.uniform(-0.5, 1)});
  }
  t.X_WT = random.pose();
  const Vec3d p_T{random.uniform(-2, x + 2), random.uniform(-1, 1), random.uniform(-1, 2)}, p = t.X_WT * p_T;
  const GroundPoint ground = find_ground(t, p);
  // All that is found lies on the surface, and the nearest is the ground's own.
  const std::vector<TerrainBlock> blocks = blocks_of_steps(t);
  double nearest = std::numeric_limits<double>::infinity(), deepest = 0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const GroundPoint found = find_block(t, {&blocks[k], 1}, blocks[k].part, p);
    if (!found.is_there) continue;
    if (ground.distance > 0) {
      RC_ASSERT(std::abs(find_ground(t, p - found.normal_W * found.distance).distance) < 1e-12);
      RC_ASSERT(found.distance > ground.distance - 1e-12);
      if (found.distance < nearest) {
        nearest = found.distance;
        RC_ASSERT(found.distance > ground.distance + 1e-12 || norm(found.normal_W - ground.normal_W) < 1e-9);
      }
    } else {
      RC_ASSERT(found.distance > ground.distance - 1e-12);  // of two sides of a corner, neither is farther than it
      deepest = std::min(deepest, found.distance);
      nearest = std::min(nearest, norm(found.normal_W - ground.normal_W));
    }
  }
  if (ground.distance > 0) RC_ASSERT(std::abs(nearest - ground.distance) < 1e-12);
  // From within, one block leads out as the ground does; in a corner two do together.
  if (ground.distance <= 0) {
    RC_ASSERT(deepest <= 0);
    if (nearest < 1e-12) {
      RC_ASSERT(std::abs(deepest - ground.distance) < 1e-12);
    } else {
      RC_ASSERT(2 * deepest * deepest >= ground.distance * ground.distance * (1 - 1e-12));
    }
  }
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
  const GroundPoint near = find_ground(t, {1.75, 1, 0.4}), at = find_ground(t, {1.5, 1, 0.4});
  EXPECT_NEAR(near.normal_W.x / near.normal_W.z, 0.5 * at.normal_W.x / at.normal_W.z, 1e-14);  // half a cell beyond
  t.edge = Terrain::Edge::hole;
  EXPECT_FALSE(find_ground(t, beyond).is_there);
  t.edge = Terrain::Edge::plane;
  t.edge_height = -1;
  EXPECT_EQ(find_ground(t, beyond).distance, 1.4);
  EXPECT_TRUE(find_ground(t, beyond).is_beyond);
}

// On a slope that ends, and on a height of nodes, with the ball's own reach: nothing jumps where its foot passes the border or it does itself.
TEST(Terrain, balls_meet_no_jump_at_a_border_that_goes_on_level) {
  Terrain t = grid();
  for (const bool is_slope : {true, false}) {
    if (is_slope) t = slope(0.5, 0.2);
    for (const double y : {-0.2, 1.3}) {
      for (double x = 1; x < 2.5; x += 1e-4) {
        const GroundPoint here = find_ground(t, {x, y, 1}, 0.3), there = find_ground(t, {x + 1e-4, y, 1}, 0.3);
        ASSERT_LT(std::abs(here.distance - there.distance), 3e-4) << x;
        ASSERT_LT(norm(here.normal_W - there.normal_W), 1e-3) << x;
      }
    }
  }
}

// Where there is a hole or a plane beyond, the ground of the grid is under a ball as long as its centre is above it.
TEST(Terrain, under_a_ball_a_grid_ends_where_its_centre_passes_the_border) {
  Terrain t = slope(-0.5, 0);  // its foot is 0.1 m further on
  const double e = 1e-9;
  const Vec3d before{1.5 - e, 1, -0.5}, after{1.5 + e, 1, -0.5};
  const GroundPoint on = find_ground(t, before, 0.3);
  for (const Terrain::Edge edge : {Terrain::Edge::hole, Terrain::Edge::plane}) {
    t.edge = edge, t.edge_height = -2;
    EXPECT_EQ(find_ground(t, before, 0.3).distance, on.distance);
    EXPECT_FALSE(find_ground(t, before, 0.3).is_beyond);
    EXPECT_TRUE(find_ground(t, after, 0.3).is_beyond);
  }
  EXPECT_EQ(find_ground(t, after, 0.3).distance, 1.5);
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
  const Vec3d p{number(-0.6, 2.1), number(-1.1, 3.1), number(-0.2, 0.8)};
  const double reach = *rc::gen::element(0.0, 0.3), e = 1e-6;
  const GroundUnder here = find_ground_under(t, p, reach);
  const Vec3d steps[3] = {{e, 0, 0}, {0, e, 0}, {0, 0, e}};
  // The cells that are looked at: the point's own, and that of its foot.
  const auto cells = [&](const Vec3d& x) {
    const GroundPoint below = find_ground(t, x);
    const Vec3d foot = x - below.normal_W * below.distance;
    const auto cell = [](double u) { return std::floor(u); };
    return std::array{cell(x.x / 0.5), cell(x.y), cell(foot.x / 0.5), cell(foot.y)};
  };
  double gradient[3];
  Vec3d turning[3];
  bool within = true;
  for (int k = 0; k < 3; ++k) {
    const GroundPoint there = find_ground(t, p + steps[k], reach), back = find_ground(t, p - steps[k], reach);
    RC_ASSERT(norm(there.normal_W - here.normal_W) < 1e-4);
    gradient[k] = (there.distance - back.distance) / (2 * e);
    turning[k] = (there.normal_W - back.normal_W) * (1 / (2 * e));
    within = within && cells(p + steps[k]) == cells(p) && cells(p - steps[k]) == cells(p);
  }
  RC_PRE(within);
  RC_ASSERT(norm(here.gradient_W - Vec3d{gradient[0], gradient[1], gradient[2]}) < 1e-7);
  const Mat3d& N = here.turning_W;
  if (reach > 0) RC_ASSERT(norm(N.ex - turning[0]) + norm(N.ey - turning[1]) + norm(N.ez - turning[2]) < 1e-6);
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

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where things touch.

#include "contact/touch.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/spatial/rotation.hpp>

#include "model/terrain.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

using Kind = ContactShape::Kind;

ContactShape solid(Kind kind) {
  ContactShape s;
  s.kind = kind;
  s.radius = 0.3;
  s.length = 1;
  s.size = {1, 2, 3};
  return s;
}

TEST(Touch, distance_from_solids) {
  EXPECT_NEAR(find_solid(solid(Kind::sphere), {}, {0, 0, 1}).distance, 0.7, 1e-15);
  const ContactShape box = solid(Kind::box);
  EXPECT_NEAR(find_solid(box, {}, {0, 0, 2}).distance, 0.5, 1e-15);
  EXPECT_NEAR(find_solid(box, {}, {0.8, 1.4, 0}).distance, 0.5, 1e-15);  // from an edge
  EXPECT_NEAR(find_solid(box, {}, {0.4, 0, 0}).distance, -0.1, 1e-15);
  EXPECT_EQ(find_solid(box, {}, {0.4, 0, 0}).normal_W, (Vec3d{1, 0, 0}));
  const ContactShape capsule = solid(Kind::capsule);
  EXPECT_NEAR(find_solid(capsule, {}, {0.5, 0, 0.2}).distance, 0.2, 1e-15);
  EXPECT_NEAR(find_solid(capsule, {}, {0.3, 0, 0.9}).distance, 0.2, 1e-15);
  EXPECT_TRUE(std::isfinite(find_solid(capsule, {}, {0, 0, 0}).normal_W.x));
  EXPECT_TRUE(std::isfinite(find_solid(solid(Kind::sphere), {}, {0, 0, 0}).normal_W.x));
}

Contacts on_plane(Kind kind, double ring, double radius) {
  Contacts c;
  Terrain t;
  t.kind = Terrain::Kind::plane;
  c.terrain = std::make_shared<Terrain>(t);
  ContactPair pair;
  pair.second = 0;
  pair.kind = kind;
  pair.axis_B = {0, 1, 0};
  pair.ring = ring;
  pair.radius = radius;
  c.pairs = {pair};
  c.laws.resize(1);
  return c;
}

TEST(Touch, an_upright_wheel_touches_below_its_axle) {
  const Contacts c = on_plane(Kind::wheel, 0.3, 0.1);
  const Touch touch = find_touch(c, c.pairs[0], {}, {Mat3d::identity(), {5, 6, 0.395}});
  EXPECT_NEAR(touch.depth, 0.005, 1e-15);
  EXPECT_NEAR(norm(touch.p_W - Vec3d{5, 6, -0.005}), 0, 1e-15);
}

TEST(Touch, a_leaning_wheel_touches_beside_it) {
  const Contacts c = on_plane(Kind::wheel, 0.3, 0.1);
  const double a = 0.4;
  const Touch touch = find_touch(c, c.pairs[0], {}, {exp_rotation(Vec3d{a, 0, 0}), {0, 0, 0.3}});
  EXPECT_NEAR(touch.depth, 0.3 * std::cos(a) + 0.1 - 0.3, 1e-15);
  EXPECT_NEAR(std::abs(touch.p_W.y), 0.3 * std::sin(a), 1e-15);
  EXPECT_NEAR(touch.p_W.z, -touch.depth, 1e-15);
}

TEST(Touch, a_wheel_that_lies_flat_has_no_jumps) {
  const Contacts c = on_plane(Kind::wheel, 0.3, 0.1);
  Vec3d before;
  for (int k = -2000; k <= 2000; ++k) {
    const double a = 1.5707963267948966 + k * 1e-6;
    const Touch touch = find_touch(c, c.pairs[0], {}, {exp_rotation(Vec3d{a, 0, 0}), {0, 0, 0.3}});
    EXPECT_TRUE(std::isfinite(touch.depth));
    if (k > -2000) {
      EXPECT_LT(norm(touch.p_W - before), 1e-3);
    }
    before = touch.p_W;
  }
}

// A wheel touches by its rim: what lies on its axle is not touched in the middle.
TEST(Touch, a_wheel_has_no_face) {
  Contacts c = on_plane(Kind::wheel, 0.5, 0.1);
  c.shapes = {solid(Kind::sphere)};
  c.pairs[0].target = 0;
  for (const double aside : {0.0, 1e-12, 0.01}) {
    const Touch touch = find_touch(c, c.pairs[0], {}, {Mat3d::identity(), {aside, 0.35, 0}});
    EXPECT_NEAR(touch.depth, 0.4 - std::hypot(0.5 - aside, 0.35), 1e-12) << aside;
    EXPECT_NEAR(norm(touch.n_W), 1, 1e-15);
  }
}

// A wheel that is not square to a step: the normal turns as the centre passes the edge, and the depth by both.
TEST(Touch, a_wheel_askew_at_an_edge_has_the_gradient_of_its_depth) {
  Contacts c = on_plane(Kind::wheel, 0.3, 0.02);
  Terrain terrain;
  terrain.kind = Terrain::Kind::steps;
  terrain.steps = {{0, 0.1}};
  c.terrain = std::make_shared<const Terrain>(terrain);
  c.blocks = blocks_of_steps(terrain);
  Random random(5);
  int edges = 0;
  for (int k = 0; k < 200; ++k) {
    const Transformd X{exp_rotation(random.vector(1.5)), {random.uniform(-0.3, 0.1), 0, random.uniform(0.15, 0.45)}};
    for (const int part : {-1, 0, 1}) {
      c.pairs[0].part = part;
      const auto depth = [&](const Vec3d& by) { return find_touch(c, c.pairs[0], {}, {X.R, X.p + by}).depth; };
      const Touch touch = find_touch(c, c.pairs[0], {}, X);
      if (!std::isfinite(touch.depth)) continue;
      edges += std::abs(touch.n_W.x) > 0.05 && std::abs(touch.n_W.z) > 0.05;
      constexpr double h = 1e-6;
      const auto smooth = [&](const Vec3d& e) {  // no piece ends here
        return std::abs(depth(e * h) + depth(e * -h) - 2 * touch.depth) < 1e-9;
      };
      for (const Vec3d& e : {Vec3d{1, 0, 0}, Vec3d{0, 0, 1}}) {
        if (!smooth(e)) continue;
        EXPECT_NEAR(-dot(touch.gradient_W, e), (depth(e * h) - depth(e * -h)) / (2 * h), 1e-6) << k << ' ' << part;
      }
    }
  }
  EXPECT_GT(edges, 50);
}

// The nearest point of a ring, by trying all of them.
RC_GTEST_PROP(TouchLaws, a_wheel_finds_the_nearest_point_of_a_solid, ()) {
  const auto number = [] { return *rc::gen::inRange(-1000000, 1000001) / 1e6; };
  Contacts c = on_plane(Kind::wheel, 0.5, 0.1);
  const Kind kind = *rc::gen::element(Kind::sphere, Kind::box, Kind::capsule);
  c.shapes = {solid(kind)};
  c.pairs[0].target = 0;
  const Vec3d direction{number(), number(), number()};
  RC_PRE(norm(direction) > 0.1);
  const Transformd X_WB{exp_rotation(Vec3d{number(), number(), number()} * 3.0), direction * (2.5 / norm(direction))};
  const Touch touch = find_touch(c, c.pairs[0], {}, X_WB);
  double nearest = 1e9;
  for (int k = 0; k < 20000; ++k) {
    const double a = k * 2 * M_PI / 20000;
    const Vec3d q = X_WB * Vec3d{0.5 * std::cos(a), 0, 0.5 * std::sin(a)};
    nearest = std::min(nearest, find_solid(c.shapes[0], {}, q).distance);
  }
  // The nearest point can be a kink, as where the ring passes an edge of a box: then it is missed by half of what lies between two tries.
  RC_ASSERT(0.1 - nearest - touch.depth < 1e-9);
  RC_ASSERT(touch.depth - (0.1 - nearest) < 0.5 * (2 * M_PI / 20000) / 2);
}

}  // namespace
}  // namespace trammel::test

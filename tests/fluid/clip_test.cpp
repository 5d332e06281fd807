// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Wet volumes against numbers that know nothing of the formulas: chords along the normal summed over a fine grid. And laws: what is below and
// what is above make the whole, and the moment grows with the volume that a rising surface adds.

#include "fluid/clip.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace trammel::fluid {
namespace {

using test::Random;

struct Solid {
  const char* name;
  double volume, reach;
  std::function<WetVolume(const Vec3d&, double)> below;
  std::function<double(const Vec3d&)> inside;  // positive inside
};

std::vector<Solid> solids(Random& random) {
  const double r = random.uniform(0.2, 1), L = random.uniform(0.3, 2);
  const Vec3d a{random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1)}, edges = a * 2;
  const double pi = std::numbers::pi;
  return {
      {"sphere", 4.0 / 3 * pi * r * r * r, r, [=](const Vec3d& n, double d) { return clip_sphere(r, n, d); },
       [=](const Vec3d& p) { return r - norm(p); }},
      {"ellipsoid", 4.0 / 3 * pi * a.x * a.y * a.z, 1,
       [=](const Vec3d& n, double d) { return clip_ellipsoid(a, n, d); },
       [=](const Vec3d& p) {
         return 1 - norm(Vec3d{p.x / a.x, p.y / a.y, p.z / a.z});
       }},
      {"box", 8 * a.x * a.y * a.z, norm(a), [=](const Vec3d& n, double d) { return clip_box(edges, n, d); },
       [=](const Vec3d& p) {
         return std::min({a.x - std::abs(p.x), a.y - std::abs(p.y), a.z - std::abs(p.z)});
       }},
      {"cylinder", pi * r * r * L, std::hypot(r, L / 2),
       [=](const Vec3d& n, double d) { return clip_cylinder(r, L, n, d); },
       [=](const Vec3d& p) { return std::min(r - std::hypot(p.x, p.y), L / 2 - std::abs(p.z)); }},
      {"half sphere", 2.0 / 3 * pi * r * r * r, r, [=](const Vec3d& n, double d) { return clip_half_sphere(r, n, d); },
       [=](const Vec3d& p) { return std::min(r - norm(p), p.z); }},
      {"capsule", pi * r * r * L + 4.0 / 3 * pi * r * r * r, r + L / 2,
       [=](const Vec3d& n, double d) { return clip_capsule(r, L, n, d); },
       [=](const Vec3d& p) {
         return r - norm(p - Vec3d{0, 0, std::clamp(p.z, -L / 2, L / 2)});
       }},
  };
}

// Square to n, along coordinate axes, nearly so, or any.
Vec3d some_normal(Random& random) {
  const int kind = random.integer(0, 5);
  if (kind == 0) return {0, 0, random.chance(0.5) ? 1.0 : -1.0};
  if (kind == 1) return {1, 0, 0};
  Vec3d n = kind == 2 ? Vec3d{0.6, 0.8, 0} : random.direction();
  if (kind == 3) n = Vec3d{1, 0, 1e-5 * random.normal()};
  if (kind == 4) n = Vec3d{1e-9, 0, 1};
  return n * (1 / norm(n));
}

// The chord of a line p + n s inside a convex solid and below s = d, found by bisection from a point inside.
WetVolume by_chords(const Solid& solid, const Vec3d& n, double d, int count) {
  const Vec3d other = std::abs(n.x) < 0.7 ? Vec3d{1, 0.3, 0.2} : Vec3d{0.3, 1, 0.2};  // not along edges
  Vec3d u = cross(n, other);
  u = u * (1 / norm(u));
  const Vec3d v = cross(n, u);
  const double R = solid.reach, step = 2 * R / count;
  WetVolume wet;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      const Vec3d p = u * (-R + (i + 0.5) * step) + v * (-R + (k + 0.5) * step);
      const auto f = [&](double s) { return solid.inside(p + n * s); };
      double low = -R, high = R;  // the largest value of a concave function: golden section
      for (int it = 0; it < 40; ++it) {
        const double a = low + 0.381966 * (high - low), b = high - 0.381966 * (high - low);
        if (f(a) < f(b))
          low = a;
        else
          high = b;
      }
      const double middle = (low + high) / 2;
      if (f(middle) <= 0) continue;
      const auto edge = [&](double in, double out) {
        for (int it = 0; it < 40; ++it) {
          const double half = (in + out) / 2;
          (f(half) > 0 ? in : out) = half;
        }
        return in;
      };
      const double from = edge(middle, -R - 1), to = std::min(edge(middle, R + 1), d);
      if (!(to > from)) continue;
      const double part = (to - from) * step * step;
      wet += {part, (p + n * ((from + to) / 2)) * part};
    }
  }
  return wet;
}

TEST(WetVolume, is_that_of_chords_summed_over_a_grid) {
  Random random(1);
  for (int round = 0; round < 6; ++round) {
    for (const Solid& solid : solids(random)) {
      const Vec3d n = some_normal(random);
      const double d = random.uniform(-0.9, 0.9) * solid.reach;
      const WetVolume found = solid.below(n, d), expected = by_chords(solid, n, d, 160);
      EXPECT_NEAR(found.volume, expected.volume, 6e-3 * solid.volume) << solid.name;
      EXPECT_LT(norm(found.moment - expected.moment), 6e-3 * solid.volume * solid.reach) << solid.name;
    }
  }
}

TEST(WetVolume, and_what_is_dry_are_the_whole) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    for (const Solid& solid : solids(random)) {
      const Vec3d n = some_normal(random);
      const double d = random.uniform(-1.1, 1.1) * solid.reach;
      const WetVolume below = solid.below(n, d), above = solid.below(-n, -d), all = solid.below(n, 3);
      EXPECT_NEAR(below.volume + above.volume, solid.volume, 1e-8 * solid.volume) << solid.name << d;
      EXPECT_NEAR(all.volume, solid.volume, 1e-13 * solid.volume);
      EXPECT_LT(norm(below.moment + above.moment - all.moment), 1e-8 * solid.volume * solid.reach) << solid.name;
      EXPECT_GE(below.volume, -1e-14);
    }
  }
}

// dV/dd is the area of the water's face, and its moment along n is d times that: in differences to second order.
TEST(WetVolume, grows_by_slices_at_the_surface) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    for (const Solid& solid : solids(random)) {
      const Vec3d n = some_normal(random);
      const double d = random.uniform(-0.95, 0.95) * solid.reach, h = 1e-4 * solid.reach;
      const WetVolume more = solid.below(n, d + h), less = solid.below(n, d - h);
      const double area = (more.volume - less.volume) / (2 * h), moment = dot(n, more.moment - less.moment) / (2 * h);
      EXPECT_NEAR(moment, d * area, 2e-4 * solid.volume) << solid.name << " " << n.x << " " << n.z << " " << d;
      EXPECT_GE(area, -1e-9);
    }
  }
}

TEST(WetVolume, is_continuous_in_depth_and_tilt) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    for (const Solid& solid : solids(random)) {
      const Vec3d n = some_normal(random);
      const double d = random.uniform(-1, 1) * solid.reach;
      Vec3d tilted = n + random.vector(1e-9);
      tilted = tilted * (1 / norm(tilted));
      const WetVolume here = solid.below(n, d), there = solid.below(tilted, d + 1e-9);
      EXPECT_NEAR(here.volume, there.volume, 1e-7 * solid.volume + 1e-7) << solid.name;
      EXPECT_LT(norm(here.moment - there.moment), 1e-7) << solid.name;
    }
  }
}

}  // namespace
}  // namespace trammel::fluid

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// An inertia by its least moment and two columns, as lanes keep it, is the same inertia.

#include "kernels/column_inertia.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/core/scalar.hpp>

#include "support/random.hpp"

namespace trammel {
namespace {

using test::Random;

double largest_entry(const Sym3d& S) {
  double largest = 0;
  for (const double x : entries(S)) largest = std::max(largest, std::abs(x));
  return largest;
}

void expect_same(const Sym3d& I_C, const Transformd& X_OL) {
  const LinkInertia<double> in_L{2.5, {0.1, -0.2, 0.3}, I_C};
  const LinkInertia<double> found = inertia_in_world(ColumnInertia::from(in_L), X_OL);
  // Moments differ by up to six times the largest entry; some dozen roundings of that.
  const double round_off = 12 * 1.1e-16 * 6 * largest_entry(I_C);
  EXPECT_LE(largest_entry(found.I_C - rotate(X_OL.R, I_C)), round_off);
  EXPECT_EQ(found.mass, in_L.mass);
  EXPECT_LE(norm(found.com - X_OL * in_L.com), 1e-15 * (1 + norm(X_OL.p)));
}

TEST(ColumnInertia, is_the_inertia_it_was_made_of) {
  Random random(71);
  for (int i = 0; i < 2000; ++i) {
    // Not only those of real bodies: any symmetric matrix, of any size.
    const Vec3d d = random.vector(), o = random.vector();
    const double size = std::pow(10.0, 12 * random.vector().x);
    expect_same(Sym3d{d.x, d.y, d.z, o.x, o.y, o.z} * size, random.pose());
  }
}

TEST(ColumnInertia, of_balls_rods_discs_and_points) {
  Random random(72);
  const Mat3d R = random.pose().R;
  for (const Vec3d& moments : {Vec3d{2, 2, 2}, Vec3d{0, 3, 3}, Vec3d{1, 1, 2}, Vec3d{0, 0, 0}, Vec3d{1, 1, 1 + 1e-15},
                               Vec3d{1e-18, 1, 1}, Vec3d{5e-324, 1e-300, 1e-300}}) {
    const Sym3d along_axes{moments.x, moments.y, moments.z, 0, 0, 0};
    for (const Sym3d& I_C : {along_axes, rotate(R, along_axes), Sym3d{moments.z, moments.x, moments.y, 0, 0, 0},
                             Sym3d{moments.y, moments.z, moments.x, 0, 0, 0}}) {
      for (int i = 0; i < 20; ++i) expect_same(I_C, random.pose());
    }
  }
}

TEST(PrincipalAxes, are_axes_with_their_moments_in_order) {
  Random random(73);
  for (int i = 0; i < 2000; ++i) {
    const Vec3d d = random.vector(), o = random.vector() * (i % 3 == 0 ? 1e-9 : 1.0);
    const Sym3d S{d.x, d.y, d.z, o.x, o.y, o.z};
    const PrincipalAxes found = principal_axes(S);
    EXPECT_LE(found.moments[0], found.moments[1]);
    EXPECT_LE(found.moments[1], found.moments[2]);
    for (std::size_t x = 0; x < 3; ++x) {
      EXPECT_NEAR(norm(found.axes[x]), 1, 1e-14);
      EXPECT_LE(norm(S * found.axes[x] - found.axes[x] * found.moments[x]), 1e-14 * largest_entry(S));
      EXPECT_NEAR(dot(found.axes[x], found.axes[(x + 1) % 3]), 0, 1e-14);
    }
  }
}

}  // namespace
}  // namespace trammel

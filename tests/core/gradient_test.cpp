// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A gradient is a dual number along each of its directions, and dual numbers are differences.

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/spatial/transform.hpp>

#include "function_table.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::Random;

TEST(Dual, every_function_has_the_derivative_of_differences) {
  const double h = 1e-6;
  for (const auto& f : test::functions_of_one()) {
    for (const double x : f.at) {
      const Dual found = f.of_dual({x, 1});
      const double difference = (f.of_double(x + h) - f.of_double(x - h)) / (2 * h);
      EXPECT_EQ(found.value, f.of_double(x)) << f.name << " at " << x;
      EXPECT_NEAR(found.eps, difference, 1e-7 * (1 + std::abs(found.eps))) << f.name << " at " << x;
    }
  }
}

TEST(Gradient, is_a_dual_number_along_each_direction) {
  const std::array<double, 3> seeds{1, -0.3, 0};
  for (const auto& f : test::functions_of_one()) {
    for (const double x : f.at) {
      const Gradient<3> found = f.of_gradient({x, seeds});
      for (std::size_t i = 0; i < 3; ++i) {
        const Dual expected = f.of_dual({x, seeds[i]});
        EXPECT_EQ(found.value, expected.value) << f.name << " at " << x;
        EXPECT_NEAR(found.d[i], expected.eps, 1e-15 * std::abs(expected.eps)) << f.name << " at " << x;
      }
    }
  }
}

TEST(Gradient, powers_at_zero_and_of_negative_bases_have_their_derivatives) {
  using G = Gradient<1>;
  EXPECT_EQ(pow(G::variable(0, 0), 1.0).d[0], 1);
  EXPECT_EQ(pow(G::variable(0, 0), G(2)).d[0], 0);
  EXPECT_EQ(pow(G::variable(0, 0), 0.0).d[0], 0);
  EXPECT_EQ(pow(G::variable(0, -3), G(2)).d[0], -6);
  EXPECT_EQ(pow(G(0), G::variable(0, 2)).d[0], 0);
}

TEST(Gradient, compares_by_value_and_is_zero_only_with_all_its_derivatives) {
  const auto [x, y] = Gradient<2>::variables({1, 2});
  EXPECT_TRUE(x < y && y > x && x <= y && y >= x && x <= Gradient<2>(1) && x >= Gradient<2>(1));
  EXPECT_FALSE(y < x || x > y);
  EXPECT_EQ(value_of(y), 2);
  EXPECT_TRUE(is_zero(Gradient<2>()));
  EXPECT_FALSE(is_zero(Gradient<2>::variable(1, 0)));
  EXPECT_TRUE(is_constant(Gradient<2>(4)));
  EXPECT_FALSE(is_constant(x));
  static_assert((Gradient<1>::variable(0, 3) * Gradient<1>::variable(0, 3)).d[0] == 6, "arithmetic at compile time");
}

// One evaluation gives the Jacobian that dual numbers give in three; through the exponential map and its inverse.
RC_GTEST_PROP(GradientLaws, jacobian_of_a_function_of_vectors_is_that_of_duals, (std::uint32_t seed)) {
  Random random(seed);
  const Vec3d phi = random.vector(0.8), point = random.vector();
  const auto f = []<class T>(const Vec3<T>& turn, const Vec3<T>& p) {
    const Transform<T> X = exp(Motion<T>{turn, p});
    return log(X * X).w + X * p + turn * (atan2(p.x, p.y) / hypot(p.z, turn.x));
  };
  const auto x = Gradient<3>::variables({phi.x, phi.y, phi.z});
  const auto found = components(f(Vec3<Gradient<3>>{x[0], x[1], x[2]}, Vec3<Gradient<3>>::from(point)));
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3<Dual> seeded = Vec3<Dual>::from(phi);
    (i == 0 ? seeded.x : i == 1 ? seeded.y : seeded.z).eps = 1;
    const auto expected = components(f(seeded, Vec3<Dual>::from(point)));
    for (std::size_t k = 0; k < 3; ++k) {
      RC_ASSERT(found[k].value == expected[k].value);
      RC_ASSERT(std::abs(found[k].d[i] - expected[k].eps) <= 1e-12 * (1 + std::abs(expected[k].eps)));
    }
  }
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Our own sine and cosine against the C library's in long double, which valgrind computes as double.

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <trammel/core/scalar.hpp>

namespace trammel {
namespace {

// In units of the last place of the exact value.
double error_in_ulps(double found, long double exact) {
  const double nearest = static_cast<double>(exact);
  const double ulp = std::nextafter(std::abs(nearest), std::numeric_limits<double>::infinity()) - std::abs(nearest);
  return static_cast<double>(std::abs(found - exact)) / ulp;
}

void expect_close(double x) {
  const auto [s, c] = fast_sin_cos(x);
  const long double exact = x;
  EXPECT_LT(error_in_ulps(s, std::sin(exact)), 1.5) << "sine of " << x;
  EXPECT_LT(error_in_ulps(c, std::cos(exact)), 1.5) << "cosine of " << x;
}

TEST(SinCos, is_within_one_and_a_half_units_in_the_last_place_no_valgrind) {
  std::mt19937_64 random(1);
  for (const double range : {1e-8, 1e-3, 1.0, 10.0, 1e3, 1e6, 1e9, 1e15}) {
    std::uniform_real_distribution<double> angle(-range, range);
    for (int i = 0; i < 20000; ++i) expect_close(angle(random));
  }
}

// Doubles next to multiples of π/2 are where digits are lost in reductions that carry too few.
TEST(SinCos, keeps_its_digits_beside_the_zeros_no_valgrind) {
  const long double half_pi = 1.5707963267948966192313216916397514L;
  for (int n = -1000000; n <= 1000000; n += 997) {
    const double x = static_cast<double>(n * half_pi);
    expect_close(x);
    expect_close(std::nextafter(x, 10 * x));
    expect_close(std::nextafter(x, 0));
  }
}

TEST(SinCos, keeps_zero_and_tiny_angles) {
  EXPECT_EQ(fast_sin_cos(0.0).sin, 0);
  EXPECT_EQ(fast_sin_cos(0.0).cos, 1);
  EXPECT_EQ(fast_sin_cos(1e-300).sin, 1e-300);
}

TEST(SinCos, of_no_number_is_no_number) {
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(fast_sin_cos(x).sin));
    EXPECT_TRUE(std::isnan(fast_sin_cos(x).cos));
  }
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Roots of trigonometric polynomials, made from roots that are known:
//   2 sin((θ − a)/2) sin((θ − b)/2) = cos((a − b)/2) − cos(θ − (a + b)/2)

#include <algorithm>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "loops/chace/trig_polynomial.hpp"
#include "support/random.hpp"

namespace trammel::chace {
namespace {

using std::numbers::pi;
using test::Random;

constexpr double eps = std::numeric_limits<double>::epsilon();

Trig<1> with_roots(double a, double b) {
  const double middle = (a + b) / 2;
  return first_order(std::cos((a - b) / 2), -std::cos(middle), -std::sin(middle));
}
// No real root: never below `least`.
Trig<1> positive(double least, double size, double phase) {
  return first_order(least + size, size * std::cos(phase), size * std::sin(phase));
}

double noise_of(double size) { return 16 * eps * size; }

template <int n>
std::vector<double> angles(const CircleRoots<n>& roots) {
  std::vector<double> found;
  for (const CircleRoot& root : roots) {
    EXPECT_NEAR(root.x * root.x + root.y * root.y, 1, 4 * eps);
    found.push_back(std::atan2(root.y, root.x));
  }
  std::sort(found.begin(), found.end());
  return found;
}

double angle_between(double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); }

double distance_to_closest(const std::vector<double>& all, double one) {
  double least = 10;
  for (const double a : all) least = std::min(least, angle_between(a, one));
  return least;
}

template <int n>
std::vector<double> found_in(const Trig<n>& F) {
  return angles(find_roots(F, noise_of(F.size())));
}

Trig<4> product(const Trig<1>& a, const Trig<1>& b, const Trig<1>& c, const Trig<1>& d) { return (a * b) * (c * d); }

TEST(TrigPolynomial, multiplies_as_functions_do) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    Trig<2> a, b;
    for (std::size_t k = 0; k < 3; ++k) a.c[k] = random.normal(), b.c[k] = random.normal();
    for (std::size_t k = 1; k < 3; ++k) a.s[k] = random.normal(), b.s[k] = random.normal();
    const double angle = random.uniform(-pi, pi), x = std::cos(angle), y = std::sin(angle), h = 1e-5;
    EXPECT_NEAR((a * b).at(x, y), a.at(x, y) * b.at(x, y), 1e-13);
    EXPECT_NEAR((a + b).at(x, y), a.at(x, y) + b.at(x, y), 1e-14);
    EXPECT_NEAR((a - b).at(x, y), a.at(x, y) - b.at(x, y), 1e-14);
    EXPECT_NEAR(
        a.derivative().at(x, y),
        (a.at(std::cos(angle + h), std::sin(angle + h)) - a.at(std::cos(angle - h), std::sin(angle - h))) / (2 * h),
        1e-8);
    EXPECT_LE(std::abs(a.at(x, y)), a.size());
  }
}

// Angles with at least 0.05 rad between them.
std::vector<double> random_roots(int count, Random& random) {
  std::vector<double> roots;
  while (static_cast<int>(roots.size()) < count) {
    const double angle = random.uniform(-pi, pi);
    if (distance_to_closest(roots, angle) > 0.05) roots.push_back(angle);
  }
  return roots;
}

RC_GTEST_PROP(TrigRoots, all_roots_that_were_put_in_are_found_and_no_other, ()) {
  Random random(*rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()));
  for (int i = 0; i < 20; ++i) {
    const int pairs = random.integer(0, 4);
    const std::vector<double> roots = random_roots(2 * pairs, random);
    std::array<Trig<1>, 4> factor;
    for (int k = 0; k < 4; ++k) {
      factor[static_cast<std::size_t>(k)] =
          k < pairs ? with_roots(roots[static_cast<std::size_t>(2 * k)], roots[static_cast<std::size_t>(2 * k + 1)])
                    : positive(0.1, random.uniform(0, 1), random.uniform(-pi, pi));
    }
    const Trig<4> F = random.uniform(-3, 3) * product(factor[0], factor[1], factor[2], factor[3]);
    const std::vector<double> found = found_in(F);
    RC_ASSERT(found.size() == roots.size());
    const Trig<4> slope = F.derivative();
    for (const double root : roots) {
      const double steepness = std::abs(slope.at(std::cos(root), std::sin(root))) / F.size();
      RC_ASSERT(distance_to_closest(found, root) < 1e-14 / steepness);
    }
  }
}

TEST(TrigRoots, of_first_order_by_formula) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const double a = random.uniform(-pi, pi), b = a + random.uniform(0.01, 2 * pi - 0.01);
    const std::vector<double> found = found_in(with_roots(a, b));
    ASSERT_EQ(found.size(), 2U);
    EXPECT_LT(distance_to_closest(found, a), 1e-13);
    EXPECT_LT(distance_to_closest(found, b), 1e-13);
  }
  EXPECT_TRUE(found_in(first_order(1.1, 0.6, 0.8)).empty());
}

// tan(θ/2) is infinite at π; halves of the circle meet at ±π/2.
TEST(TrigRoots, at_pi_and_at_right_angles_are_not_lost) {
  for (const double angle : {pi, pi / 2, -pi / 2, 0.0}) {
    for (const double other : {1.0, -2.0}) {
      const std::vector<double> four = found_in(with_roots(angle, other) * positive(0.2, 1, 0.4));
      ASSERT_EQ(four.size(), 2U) << angle;
      EXPECT_LT(distance_to_closest(four, angle), 1e-14) << angle;
      EXPECT_LT(distance_to_closest(four, other), 1e-14) << angle;
    }
  }
  const Trig<2> all_at_once = with_roots(0, pi) * with_roots(pi / 2, -pi / 2);  // sin 2θ
  EXPECT_EQ(found_in(all_at_once).size(), 4U);
  const Trig<4> eight{{0, 0, 0, 0, 1}, {}};  // cos 4θ
  const std::vector<double> found = found_in(eight);
  ASSERT_EQ(found.size(), 8U);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(found[static_cast<std::size_t>(k)], (2 * k - 7) * pi / 8, 1e-15);
}

TEST(TrigRoots, of_lower_order_than_they_might_be_are_found_likewise) {
  EXPECT_EQ(found_in(raised<4>(with_roots(1, 2))).size(), 2U);
  EXPECT_EQ(found_in(raised<4>(with_roots(1, 2) * with_roots(-1, 3))).size(), 4U);
  EXPECT_EQ(found_in(raised<2>(with_roots(1, pi))).size(), 2U);
}

template <int n>
int multiple_count(const CircleRoots<n>& roots) {
  return static_cast<int>(std::count_if(roots.begin(), roots.end(), [](const CircleRoot& r) { return r.multiple; }));
}

TEST(TrigRoots, double_ones_are_given_once_wherever_they_are) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const double special[] = {pi, pi / 2, -pi / 2, 0};
    const double angle = i < 4 ? special[i] : random.uniform(-pi, pi);
    const Trig<4> F =
        product(with_roots(angle, angle), with_roots(angle + 1, angle - 2), positive(0.3, 1, 1), positive(0.2, 1, 2));
    const CircleRoots<4> roots = find_roots(F, noise_of(F.size()));
    ASSERT_EQ(roots.count, 3) << angle;
    EXPECT_EQ(multiple_count(roots), 1) << angle;
    for (const CircleRoot& root : roots) {
      if (root.multiple) {
        EXPECT_LT(angle_between(std::atan2(root.y, root.x), angle), 1e-7) << angle;
      }
    }
  }
}

TEST(TrigRoots, that_nearly_meet_or_nearly_met_are_told_from_double_ones_by_the_square_root_of_round_off) {
  const auto count_of = [](double distance) {  // negative: not real, that far off the circle
    const Trig<1> pair = distance >= 0 ? with_roots(0.7 - distance / 2, 0.7 + distance / 2)
                                       : with_roots(0.7, 0.7) + distance * distance / 8;
    const Trig<4> F = product(pair, positive(0.3, 1, 1), positive(0.3, 1, 2), positive(0.3, 1, 3));
    const CircleRoots<4> roots = find_roots(F, noise_of(F.size()));
    return std::pair{roots.count, multiple_count(roots)};
  };
  EXPECT_EQ(count_of(1e-5), std::pair(2, 0));
  EXPECT_EQ(count_of(1e-6), std::pair(2, 0));
  EXPECT_EQ(count_of(1e-8), std::pair(1, 1));
  EXPECT_EQ(count_of(0), std::pair(1, 1));
  EXPECT_EQ(count_of(-1e-8), std::pair(1, 1));
  EXPECT_EQ(count_of(-1e-6), std::pair(0, 0));
}

TEST(TrigRoots, of_higher_multiplicity_are_given_once) {
  for (const double angle : {0.4, pi, pi / 2}) {
    const Trig<4> triple =
        product(with_roots(angle, angle), with_roots(angle, angle + 2), positive(0.3, 1, 1), positive(0.3, 1, 2));
    const CircleRoots<4> three = find_roots(triple, noise_of(triple.size()));
    EXPECT_EQ(three.count, 2) << angle;
    const Trig<4> fourfold =
        product(with_roots(angle, angle), with_roots(angle, angle), positive(0.3, 1, 1), positive(0.3, 1, 2));
    const CircleRoots<4> one = find_roots(fourfold, noise_of(fourfold.size()));
    ASSERT_EQ(one.count, 1) << angle;
    EXPECT_TRUE(one.root[0].multiple);
    EXPECT_LT(angle_between(std::atan2(one.root[0].y, one.root[0].x), angle),
              1e-3);  // its round-off is the fourth root
  }
}

TEST(TrigRoots, of_zero_and_of_constants) {
  EXPECT_TRUE(find_roots(Trig<4>{}, 1e-15).vanishes);
  EXPECT_TRUE(find_roots(Trig<2>{}, 1e-15).vanishes);
  EXPECT_TRUE(find_roots(Trig<1>{}, 1e-15).vanishes);
  EXPECT_TRUE(find_roots(1e-17 * product(with_roots(1, 2), with_roots(1, 3), with_roots(1, 0), with_roots(2, 3)), 1e-15)
                  .vanishes);
  for (const double constant : {1.0, -1.0}) {
    EXPECT_FALSE(find_roots(Trig<4>{} + constant, 1e-15).vanishes);
    EXPECT_EQ(find_roots(Trig<4>{} + constant, 1e-15).count, 0);
    EXPECT_EQ(find_roots(Trig<1>{} + constant, 1e-15).count, 0);
  }
}

// The margin is the same wherever angles are counted from, and falls to zero with the square of the distance of two roots.
TEST(TrigRoots, have_a_margin_that_tells_how_far_two_of_them_are_from_meeting) {
  const auto margin_of = [](double distance, double turn) {
    const Trig<4> F = product(with_roots(turn - distance / 2, turn + distance / 2), positive(0.3, 1, turn + 1),
                              positive(0.3, 1, turn + 2), positive(0.3, 1, turn + 3));
    return find_roots(F, noise_of(F.size())).margin;
  };
  EXPECT_NEAR(margin_of(0.01, 0.3), margin_of(0.01, 2.9), 1e-14);
  EXPECT_NEAR(margin_of(0.01, 0.3) / margin_of(0.001, 0.3), 100, 1);
  EXPECT_NEAR(margin_of(0.001, 0.3) / margin_of(0.0001, 0.3), 100, 1);
}

TEST(TrigRoots, of_numbers_that_are_none_do_not_hang) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite}) {
    const Trig<4> F = raised<4>(first_order(1, bad, 2));
    EXPECT_LE(find_roots(F, 1e-15).count, 8);
    EXPECT_LE(find_roots(first_order(bad, 1, 2), 1e-15).count, 2);
  }
}

}  // namespace
}  // namespace trammel::chace

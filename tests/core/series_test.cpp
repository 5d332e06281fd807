// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Series carry exact time derivatives: against differences, identities and closed forms, and through poses and joints.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/core/series.hpp>
#include <trammel/joints/all_joints.hpp>

#include "function_table.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::Random;
using S4 = Series<4>;

constexpr double round_off = 1e-12;

template <int N>
double size_of(const Series<N>& x) {
  double largest = 1;
  for (const double c : x.c) largest = std::max(largest, std::abs(c));
  return largest;
}
// Largest difference of coefficients, relative to the largest of b, or 1.
template <int N>
double distance(const Series<N>& a, const Series<N>& b) {
  double largest = 0;
  for (const double c : (a - b).c) largest = std::isnan(c) ? c : std::max(largest, std::abs(c));
  return largest / size_of(b);
}
template <int N>
Series<N> random_series(Random& random, double low, double high) {
  Series<N> x(random.uniform(low, high));
  for (std::size_t k = 1; k <= N; ++k) x.c[k] = random.uniform(-2, 2);
  return x;
}

// --- against differences and closed forms -------------------------------------------------------------------------

// Derivative k of f is the difference of derivative k − 1 between two times. Both of x = t and of a curved x(t).
TEST(Series, derivatives_of_every_function_are_those_of_differences) {
  const double h = 1e-5;
  const auto straight = [](const S4& t) { return t; };
  const auto curved = [](const S4& t) { return t + t * t * (0.3 - 0.2 * t); };
  for (const auto& f : test::functions_of_one()) {
    for (const double x : f.at) {
      EXPECT_EQ(f.of_series_4(x).c[0], f.of_double(x)) << f.name << " at " << x << ": not the plain value";
      const auto expect_differences = [&](auto path) {
        const auto at = [&](double t) { return f.of_series_4(x + path(S4::time(t))); };
        const S4 found = at(0), before = at(-h), after = at(h);
        for (int k = 1; k <= 4; ++k) {
          const double difference = (after.derivative(k - 1) - before.derivative(k - 1)) / (2 * h);
          const double scale = std::max({1.0, std::abs(found.derivative(k)), std::abs(after.derivative(k - 1))});
          EXPECT_NEAR(found.derivative(k), difference, 1e-6 * scale) << f.name << " at " << x << ", derivative " << k;
        }
      };
      expect_differences(straight);
      expect_differences(curved);
      for (int k = 1; k <= 4; ++k) EXPECT_EQ(f.of_series_4(x).derivative(k), 0) << f.name << " of a constant " << x;
    }
  }
}

TEST(Series, of_first_order_are_dual_numbers) {
  for (const auto& f : test::functions_of_one()) {
    for (const double x : f.at) {
      const Dual expected = f.of_dual({x, 1.7});
      const Series<1> found = f.of_series_1(Series<1>({x, 1.7}));
      EXPECT_EQ(found.c[0], expected.value) << f.name << " at " << x;
      EXPECT_NEAR(found.c[1], expected.eps, 1e-14 * (1 + std::abs(expected.eps))) << f.name << " at " << x;
    }
  }
}

TEST(Series, has_the_derivatives_of_closed_forms) {
  const double t = 0.7, w = 3;
  const S4 swing = 2.0 * sin(w * S4::time(t)), decay = exp(-2.0 * S4::time(t)), root = sqrt(S4::time(t)),
           logarithm = log(S4::time(t));
  const double s = 2 * std::sin(w * t), c = 2 * std::cos(w * t), e = std::exp(-2 * t);
  const std::array<double, 5> swings{s, w * c, -w * w * s, -w * w * w * c, w * w * w * w * s};
  const std::array<double, 5> decays{e, -2 * e, 4 * e, -8 * e, 16 * e};
  const std::array<double, 5> roots{std::pow(t, .5), std::pow(t, -.5) / 2, -std::pow(t, -1.5) / 4,
                                    3 * std::pow(t, -2.5) / 8, -15 * std::pow(t, -3.5) / 16};
  const std::array<double, 5> logarithms{std::log(t), 1 / t, -1 / (t * t), 2 / (t * t * t), -6 / (t * t * t * t)};
  for (int k = 0; k <= 4; ++k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_NEAR(swing.derivative(k), swings[i], 1e-13 * 162) << k;
    EXPECT_NEAR(decay.derivative(k), decays[i], 1e-14 * 16) << k;
    EXPECT_NEAR(root.derivative(k), roots[i], 1e-14 * 10) << k;
    EXPECT_NEAR(logarithm.derivative(k), logarithms[i], 1e-13 * 25) << k;
  }
}

TEST(Series, is_made_of_derivatives_and_gives_them_back) {
  const std::array<double, 5> x{1, -2, 3, -4, 5};
  const S4 series = S4::from_derivatives(x);
  EXPECT_EQ(series.c, (std::array<double, 5>{1, -2, 1.5, -4. / 6, 5. / 24}));
  for (int k = 0; k <= 4; ++k) EXPECT_DOUBLE_EQ(series.derivative(k), x[static_cast<std::size_t>(k)]);
  static_assert((Series<2>::time(3) * Series<2>::time(3)).derivative(1) == 6, "arithmetic at compile time");
}

TEST(Series, compares_by_value_and_is_zero_only_with_all_its_derivatives) {
  const Series<2> a({1, 100, 0}), b({2, -100, 0});
  EXPECT_TRUE(a < b && b > a && a <= b && b >= a && a <= Series<2>(1) && a >= Series<2>(1));
  EXPECT_FALSE(b < a || a > b);
  EXPECT_EQ(value_of(a), 1);
  EXPECT_TRUE(is_zero(Series<2>()));
  EXPECT_FALSE(is_zero(Series<2>({0, 0, 1})));
  EXPECT_TRUE(is_constant(Series<2>(5)));
  EXPECT_FALSE(is_constant(a));
}

// --- powers where they are delicate -------------------------------------------------------------------------------

TEST(Series, whole_powers_at_zero_and_next_to_it_are_those_of_polynomials) {
  for (const double t : {0.0, 1e-200, -1e-200}) {
    const S4 time = S4::time(t);
    EXPECT_EQ(pow(time, 2.0).c[2], 1);
    EXPECT_EQ(pow(time, S4(3)).c[3], 1);
    EXPECT_EQ(pow(time, 4.0).c[4], 1);
    EXPECT_LT(std::abs(pow(time, 5.0).c[4]), 1e-190);
    EXPECT_EQ(distance(pow(time, 0.0), S4(1)), 0);
  }
  EXPECT_LT(distance(pow(S4::time(-2), 3.0), S4({-8, 12, -6, 1, 0})), round_off);
  EXPECT_LT(distance(pow(S4::time(-1), 50.0), S4({1, -50, 1225, -19600, 230300})), round_off);
}

// t^2.5 has the derivatives 2.5 t^1.5 and 3.75 √t, then none.
TEST(Series, broken_powers_at_zero_have_as_many_derivatives_as_exist) {
  const S4 v = pow(S4::time(0), 2.5);
  EXPECT_EQ(v.c[1], 0);
  EXPECT_EQ(v.c[2], 0);
  EXPECT_TRUE(std::isnan(v.c[3]));
  EXPECT_EQ(value_of(sqrt(S4::time(0))), 0);
  EXPECT_TRUE(std::isnan(sqrt(S4::time(0)).c[1]));
  EXPECT_TRUE(std::isnan(sqrt(pow(S4::time(0), 2.0)).c[1])) << "|t| has no derivative at 0";
  EXPECT_EQ(sqrt(pow(S4::time(0), 4.0)).c[1], 0) << "t² has";
  EXPECT_TRUE(std::isnan(cbrt(S4::time(0)).c[1]));
  EXPECT_TRUE(std::isnan(value_of(pow(S4(-1), 0.5))));
  EXPECT_TRUE(is_zero(pow(S4(0), S4::time(2)))) << "zero to any power above zero is zero";
}

// --- identities ---------------------------------------------------------------------------------------------------

RC_GTEST_PROP(SeriesLaws, functions_undo_each_other, (std::uint32_t seed)) {
  Random random(seed);
  const S4 x = random_series<4>(random, 0.5, 3), y = random_series<4>(random, -3, -0.5);
  RC_ASSERT(distance(x / y * y, x) < 100 * round_off);
  RC_ASSERT(distance(sqrt(x) * sqrt(x), x) < round_off);
  RC_ASSERT(distance(cbrt(y) * cbrt(y) * cbrt(y), y) < round_off);
  RC_ASSERT(distance(exp(log(x)), x) < 100 * round_off);
  RC_ASSERT(distance(pow(pow(x, 1.7), 1 / 1.7), x) < 100 * round_off);
  const S4 angle = random_series<4>(random, -1.4, 1.4);
  RC_ASSERT(distance(atan(tan(angle)), angle) < 1000 * round_off);
  RC_ASSERT(distance(asin(sin(angle)), angle) < 1000 * round_off);
  RC_ASSERT(distance(acos(cos(1.6 + angle)), 1.6 + angle) < 1e6 * round_off);
  const S4 turn = random_series<4>(random, -3, 3);
  RC_ASSERT(distance(atan2(x * sin(turn), x * cos(turn)), turn) < 1000 * round_off);
}

RC_GTEST_PROP(SeriesLaws, identities_hold_for_all_coefficients, (std::uint32_t seed)) {
  Random random(seed);
  const S4 x = random_series<4>(random, -3, 3), y = random_series<4>(random, -3, 3);
  const auto [s, c] = sin_cos(x);
  RC_ASSERT(distance(s * s + c * c, S4(1)) < 100 * round_off);
  RC_ASSERT(distance(sin(x + y), s * cos(y) + c * sin(y)) < round_off);
  RC_ASSERT(distance(cosh(x), 0.5 * (exp(x) + exp(-x))) < round_off);
  RC_ASSERT(distance(sinh(x), 0.5 * (exp(x) - exp(-x))) < round_off);
  RC_ASSERT(distance(tanh(x) * cosh(x), sinh(x)) < round_off);
  RC_ASSERT(distance(exp(x + y), exp(x) * exp(y)) < round_off);
  RC_ASSERT(distance((x + y) * (x - y), x * x - y * y) < round_off);
  RC_ASSERT(distance(pow(abs(x), y), exp(y * log(abs(x)))) < round_off);
  // Leibniz: (x y)'' = x'' y + 2 x' y' + x y''
  const double second = x.derivative(2) * y.c[0] + 2 * x.c[1] * y.c[1] + x.c[0] * y.derivative(2);
  RC_ASSERT(std::abs((x * y).derivative(2) - second) < round_off * (1 + std::abs(second)));
}

// A series of lower order is one of higher order cut short.
RC_GTEST_PROP(SeriesLaws, lower_orders_are_the_beginning_of_higher_ones, (std::uint32_t seed)) {
  Random random(seed);
  const S4 x = random_series<4>(random, 0.3, 0.9);
  const Series<2> x2({x.c[0], x.c[1], x.c[2]});
  const auto f = [](const auto& u) { return atan2(sqrt(u), exp(u)) * pow(u, 2.5) / asin(u) + tan(u); };
  for (std::size_t k = 0; k <= 2; ++k) RC_ASSERT(std::abs(f(x2).c[k] - f(x).c[k]) <= 1e-13 * size_of(f(x)));
}

// --- through poses and joints -------------------------------------------------------------------------------------

template <int N>
Vec3<Series<N>> rate(const Vec3<Series<N>>& a) {
  return {series_detail::rate(a.x), series_detail::rate(a.y), series_detail::rate(a.z)};
}
template <int N>
Vec3d coefficient(const Vec3<Series<N>>& a, std::size_t k) {
  return {a.x.c[k], a.y.c[k], a.z.c[k]};
}
template <int N>
Motion<double> coefficient(const Motion<Series<N>>& a, std::size_t k) {
  return {coefficient(a.w, k), coefficient(a.v, k)};
}
double size_of(const Motion<double>& a) { return norm(a.w) + norm(a.v); }

// Velocity of B in A at B's origin, in B: ω = (Rᵀ Ṙ)∨, v = Rᵀ ṗ. One order less is known than of the pose.
template <int N>
Motion<Series<N>> velocity_in_B(const Transform<Series<N>>& X) {
  const Mat3<Series<N>> W = transpose(X.R) * Mat3<Series<N>>{rate(X.R.ex), rate(X.R.ey), rate(X.R.ez)};
  return {{W.ey.z, W.ez.x, W.ex.y}, transpose_times(X.R, rate(X.p))};
}

// q(t) = q ⊕ (v t + a t²/2) has velocity v and acceleration a at t = 0, so that
//   V_FM = H_FM v,   d/dt V_FM = H_FM a + Ḣ_FM v
template <class J>
void expect_velocity_and_acceleration(const J& joint, Random& random) {
  using T = Series<2>;
  std::array<double, J::nq + 1> zero{}, q{};
  std::array<double, J::nv + 1> offset{}, v{}, a{};
  std::array<T, J::nq + 1> q_at{};
  std::array<T, J::nv + 1> step{};
  const T t = T::time(0);
  for (std::size_t i = 0; i < J::nv; ++i) {
    offset[i] = random.normal(), v[i] = random.normal(), a[i] = random.normal();
    step[i] = v[i] * t + 0.5 * a[i] * t * t;
  }
  joint.template q_zero<double>(zero.data());
  joint.template q_step<double>(zero.data(), offset.data(), q.data());
  const std::array<T, J::nq + 1> q_now = [&] {
    std::array<T, J::nq + 1> constant{};
    std::copy(q.begin(), q.end(), constant.begin());
    return constant;
  }();
  joint.template q_step<T>(q_now.data(), step.data(), q_at.data());

  Motion<double> V{}, Vdot{};
  const auto H = joint.template H_FM<double>(q.data());
  const auto Hdot = joint.template Hdot_FM<double>(q.data(), v.data());
  for (std::size_t i = 0; i < J::nv; ++i) {
    V += H[i] * v[i];
    Vdot += H[i] * a[i] + Hdot[i] * v[i];
  }
  const Motion<T> found = velocity_in_B(joint.template X_FM<T>(q_at.data()));
  EXPECT_LT(size_of(coefficient(found, 0) - V), 1e-12 * (1 + size_of(V))) << J::keyword;
  EXPECT_LT(size_of(coefficient(found, 1) - Vdot), 1e-11 * (1 + size_of(Vdot))) << J::keyword;
}

template <class... J>
void expect_velocity_and_acceleration_of_all(const std::variant<J...>*, Random& random) {
  const auto check = [&](auto joint) {
    if constexpr (!std::is_same_v<decltype(joint), Custom>) expect_velocity_and_acceleration(joint, random);
  };
  (check(J{}), ...);
}

TEST(Series, through_every_joint_gives_its_velocity_and_acceleration) {
  Random random(7);
  for (int i = 0; i < 50; ++i) expect_velocity_and_acceleration_of_all(static_cast<const AnyJoint*>(nullptr), random);
}

// R(t) = exp(φ(t)) turns with ω = J_l(φ) φ̇, and log brings φ(t) back, jerk and all; also where φ is small or zero.
TEST(Series, goes_through_exp_and_log_of_rotations) {
  Random random(11);
  for (const double scale : {0.0, 1e-12, 1e-5, 0.05, 0.19, 0.21, 1.0}) {
    const auto angle = [&](double value) { return S4({value, 1 * random.normal(), random.normal(), 0.3, -0.2}); };
    const Vec3d start = random.direction() * scale;
    const Vec3<S4> phi{angle(start.x), angle(start.y), angle(start.z)};
    const Mat3<S4> R = exp_rotation(phi);
    const Vec3<S4> w = left_jacobian(phi) * rate(phi);
    const Mat3<S4> defect = Mat3<S4>{rate(R.ex), rate(R.ey), rate(R.ez)} - skew(w) * R;
    const Vec3<S4> back = log(R);
    for (std::size_t k = 0; k <= 3; ++k) {
      for (const auto& column : {defect.ex, defect.ey, defect.ez}) {
        EXPECT_LT(norm(coefficient(column, k)), 1e-10) << "coefficient " << k << " at " << scale;
      }
    }
    for (std::size_t k = 0; k <= 4; ++k) {
      EXPECT_LT(norm(coefficient(back, k) - coefficient(phi, k)), 1e-7) << "coefficient " << k << " at " << scale;
    }
  }
}

}  // namespace
}  // namespace trammel

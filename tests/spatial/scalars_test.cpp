// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of the scalars: dual numbers carry exact derivatives, counted numbers count what the papers' tables count.

#include <functional>

#include <gtest/gtest.h>

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/spatial/transform.hpp>

namespace trammel {
namespace {

struct Unary {
  const char* name;
  std::function<Dual(const Dual&)> f;
  std::vector<double> at;
};

// The error of a central difference of step h is h² f'''/6 + ε f/h: below 1e-9 for these functions with h = 1e-5.
void expect_derivative(const char* name, const std::function<Dual(const Dual&)>& f, double x) {
  const double h = 1e-5;
  const double difference = (f({x + h}).value - f({x - h}).value) / (2 * h);
  EXPECT_NEAR(f({x, 1}).eps, difference, 1e-9) << name << " at " << x;
  EXPECT_DOUBLE_EQ(f({x, 3}).eps, 3 * f({x, 1}).eps) << name << " is not linear in the seed at " << x;
  EXPECT_EQ(f({x}).eps, 0) << name << ": a constant has no derivative";
}

TEST(Dual, derivative_of_every_function_is_that_of_differences) {
  const Unary table[] = {
      {"x + a", [](const Dual& x) { return x + 2.5; }, {-1, 0, 2}},
      {"a + x", [](const Dual& x) { return 2.5 + x; }, {-1, 0, 2}},
      {"+x", [](const Dual& x) { return +x; }, {-1, 2}},
      {"x - a", [](const Dual& x) { return x - 0.5; }, {-1, 0, 2}},
      {"a - x", [](const Dual& x) { return 0.5 - x; }, {-1, 0, 2}},
      {"-x", [](const Dual& x) { return -x; }, {-1, 0, 2}},
      {"x a", [](const Dual& x) { return x * 1.5; }, {-1, 0, 2}},
      {"x x", [](const Dual& x) { return x * x; }, {-1, 0, 2}},
      {"x / a", [](const Dual& x) { return x / 1.5; }, {-1, 0, 2}},
      {"a / x", [](const Dual& x) { return 1.5 / x; }, {-1.2, 0.9, 2}},
      {"(x x)/(1 + x)", [](const Dual& x) { return x * x / (1.0 + x); }, {0.3, 2}},
      {"sqrt", [](const Dual& x) { return sqrt(x); }, {0.5, 1, 4}},
      {"abs", [](const Dual& x) { return abs(x); }, {-1.5, 0.5}},
      {"sin", [](const Dual& x) { return sin(x); }, {-1, 0, 0.7, 3}},
      {"cos", [](const Dual& x) { return cos(x); }, {-1, 0, 0.7, 3}},
      {"sin_cos.sin", [](const Dual& x) { return sin_cos(x).sin; }, {-1, 0, 0.7, 3}},
      {"sin_cos.cos", [](const Dual& x) { return sin_cos(x).cos; }, {-1, 0, 0.7, 3}},
      {"atan2 in y", [](const Dual& x) { return atan2(x, Dual(0.8)); }, {-1, 0, 0.7, 3}},
      {"atan2 in x", [](const Dual& x) { return atan2(Dual(0.8), x); }, {-1, 0, 0.7, 3}},
      {"select true", [](const Dual& x) { return select(x < 5.0, x * x, x); }, {1.5}},
      {"select false", [](const Dual& x) { return select(x > 5.0, x * x, x); }, {1.5}},
      {"compound +=", [](Dual x) { return x += x * x; }, {1.5}},
      {"compound -=", [](Dual x) { return x -= x * x; }, {1.5}},
      {"compound *=", [](Dual x) { return x *= x + 1.0; }, {1.5}},
      {"compound /=", [](Dual x) { return x /= x * x + 1.0; }, {1.5}},
  };
  for (const Unary& row : table) {
    for (const double x : row.at) expect_derivative(row.name, row.f, x);
  }
}

TEST(Dual, compares_by_value) {
  const Dual a{1, 100}, b{2, -100};
  EXPECT_TRUE(a < b);
  EXPECT_TRUE(b > a);
  EXPECT_TRUE(a <= b && a <= Dual(1, 7));
  EXPECT_TRUE(b >= a && a >= Dual(1, 7));
  EXPECT_FALSE(b < a);
  EXPECT_FALSE(a > b);
  EXPECT_EQ(value_of(a), 1);
}

OperationCount count(const std::function<void()>& work) {
  Counted::reset_operations();
  work();
  return Counted::operations();
}
void expect_count(const OperationCount& found, long multiplications, long additions, long sin_cos_pairs = 0) {
  EXPECT_EQ(found.multiplications, multiplications);
  EXPECT_EQ(found.additions, additions);
  EXPECT_EQ(found.sin_cos, sin_cos_pairs);
}

TEST(Counted, counts_products_of_vectors_and_matrices_exactly) {
  const Vec3<Counted> a{1, 2, 3}, b{4, 5, 6};
  const Mat3<Counted> m = Mat3<Counted>::identity();
  const Sym3<Counted> s = Sym3<Counted>::diagonal(2);
  expect_count(count([&] { dot(a, b); }), 3, 2);
  expect_count(count([&] { cross(a, b); }), 6, 3);
  expect_count(count([&] { m* a; }), 9, 6);
  expect_count(count([&] { m* m; }), 27, 18);
  expect_count(count([&] { s* a; }), 9, 6);
  expect_count(count([&] { a + b; }), 0, 3);
  expect_count(count([&] { a* Counted(2); }), 3, 0);
}

TEST(Counted, counts_roots_and_divisions_as_multiplications_and_negations_as_nothing) {
  const Counted x = 2;
  expect_count(count([&] { sqrt(x); }), 1, 0);
  expect_count(count([&] { x / x; }), 1, 0);
  expect_count(count([&] { atan2(x, x); }), 1, 0);
  expect_count(count([&] { abs(-x); }), 0, 0);
  expect_count(count([&] { +x; }), 0, 0);
  expect_count(count([&] { sin_cos(x); }), 0, 0, 1);
  expect_count(count([&] { rotation_z(x); }), 0, 0, 1);
  expect_count(count([&] { select(x < x, x, x); }), 0, 0);
  Counted y = 3;
  expect_count(count([&] { y += x, y -= x, y *= x, y /= x; }), 2, 2);
}

TEST(Counted, has_the_values_of_plain_numbers) {
  const Counted x = 0.7, y = -1.3;
  EXPECT_EQ(value_of(x + y), 0.7 + -1.3);
  EXPECT_EQ(value_of(x - y), 0.7 - -1.3);
  EXPECT_EQ(value_of(x * y), 0.7 * -1.3);
  EXPECT_EQ(value_of(x / y), 0.7 / -1.3);
  EXPECT_EQ(value_of(abs(y)), 1.3);
  EXPECT_EQ(value_of(sqrt(x)), std::sqrt(0.7));
  EXPECT_EQ(value_of(sin_cos(x).sin), std::sin(0.7));
  EXPECT_EQ(value_of(sin_cos(x).cos), std::cos(0.7));
  EXPECT_EQ(value_of(atan2(x, y)), std::atan2(0.7, -1.3));
  EXPECT_TRUE(y < x && x > y && x <= x && x >= x);
  EXPECT_EQ(value_of(select(x > y, x, y)), 0.7);
}

}  // namespace
}  // namespace trammel

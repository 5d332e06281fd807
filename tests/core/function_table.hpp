// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every function of one variable that scalars offer, for double, Dual, Gradient and Series, with places to try it at.

#include <functional>
#include <vector>

#include <trammel/core/dual.hpp>
#include <trammel/core/gradient.hpp>
#include <trammel/core/series.hpp>

namespace trammel::test {

struct FunctionOfOne {
  const char* name;
  std::function<double(double)> of_double;
  std::function<Dual(const Dual&)> of_dual;
  std::function<Gradient<3>(const Gradient<3>&)> of_gradient;
  std::function<Series<1>(const Series<1>&)> of_series_1;
  std::function<Series<4>(const Series<4>&)> of_series_4;
  std::vector<double> at;
};

inline std::vector<FunctionOfOne> functions_of_one() {
  const std::vector<double> anywhere{-2.3, -1, -0.4, 0, 0.7, 1, 3}, positive{0.2, 1, 2.5, 7},
      not_zero{-2.3, -0.4, 0.7, 3}, below_one{-0.9, -0.3, 0, 0.5, 0.8};
  const auto row = [](const char* name, auto f, std::vector<double> at) {
    return FunctionOfOne{name, f, f, f, f, f, std::move(at)};
  };
  return {
      row(
          "a + x", [](const auto& x) { return 2.5 + x; }, anywhere),
      row(
          "a - x", [](const auto& x) { return 2.5 - x; }, anywhere),
      row(
          "+-x", [](const auto& x) { return +(-x); }, anywhere),
      row(
          "x a", [](const auto& x) { return x * 1.5; }, anywhere),
      row(
          "a x", [](const auto& x) { return 1.5 * x; }, anywhere),
      row(
          "x x", [](const auto& x) { return x * x; }, anywhere),
      row(
          "x / a", [](const auto& x) { return x / 1.5; }, anywhere),
      row(
          "a / x", [](const auto& x) { return 1.5 / x; }, not_zero),
      row(
          "x x/(2 + x x)", [](const auto& x) { return x * x / (2.0 + x * x); }, anywhere),
      row(
          "x += x x", [](auto x) { return x += x * x; }, anywhere),
      row(
          "x -= x x", [](auto x) { return x -= x * x; }, anywhere),
      row(
          "x *= x + 1", [](auto x) { return x *= x + 1.0; }, anywhere),
      row(
          "x /= x x + 1", [](auto x) { return x /= x * x + 1.0; }, anywhere),
      row(
          "sqrt", [](const auto& x) { return sqrt(x); }, positive),
      row(
          "cbrt", [](const auto& x) { return cbrt(x); }, not_zero),
      row(
          "abs", [](const auto& x) { return abs(x); }, not_zero),
      row("floor", [](const auto& x) { return floor(x); }, {-2.3, 0.7}),
      row("ceil", [](const auto& x) { return ceil(x); }, {-2.3, 0.7}),
      row("round", [](const auto& x) { return round(x); }, {-2.3, 0.7}),
      row(
          "sin", [](const auto& x) { return sin(x); }, anywhere),
      row(
          "cos", [](const auto& x) { return cos(x); }, anywhere),
      row(
          "sin_cos.sin", [](const auto& x) { return sin_cos(x).sin; }, anywhere),
      row(
          "sin_cos.cos", [](const auto& x) { return sin_cos(x).cos; }, anywhere),
      row("tan", [](const auto& x) { return tan(x); }, {-1, -0.4, 0, 0.7, 3}),
      row(
          "asin", [](const auto& x) { return asin(x); }, below_one),
      row(
          "acos", [](const auto& x) { return acos(x); }, below_one),
      row(
          "atan", [](const auto& x) { return atan(x); }, anywhere),
      row("atan2 in y", [](const auto& x) { return atan2(x, decltype(x + 1.0)(-0.8)); }, {-1, -0.4, 0.7, 3}),
      row(
          "atan2 in x", [](const auto& x) { return atan2(decltype(x + 1.0)(0.8), x); }, anywhere),
      row(
          "hypot", [](const auto& x) { return hypot(x, 2.0 + x); }, anywhere),
      row(
          "exp", [](const auto& x) { return exp(x); }, anywhere),
      row(
          "log", [](const auto& x) { return log(x); }, positive),
      row(
          "log2", [](const auto& x) { return log2(x); }, positive),
      row(
          "log10", [](const auto& x) { return log10(x); }, positive),
      row(
          "sinh", [](const auto& x) { return sinh(x); }, anywhere),
      row(
          "cosh", [](const auto& x) { return cosh(x); }, anywhere),
      row(
          "tanh", [](const auto& x) { return tanh(x); }, anywhere),
      row(
          "x^0", [](const auto& x) { return pow(x, 0.0); }, anywhere),
      row(
          "x^1", [](const auto& x) { return pow(x, 1.0); }, anywhere),
      row(
          "x^2", [](const auto& x) { return pow(x, 2.0); }, anywhere),
      row(
          "x^3", [](const auto& x) { return pow(x, 3.0); }, anywhere),
      row("x^7", [](const auto& x) { return pow(x, 7.0); }, {-1.1, -0.4, 0, 0.7, 1.2}),
      row(
          "x^-2", [](const auto& x) { return pow(x, -2.0); }, not_zero),
      row("x^41", [](const auto& x) { return pow(x, 41.0); }, {-1.02, -0.8, 0, 0.9}),
      row(
          "x^2.5", [](const auto& x) { return pow(x, 2.5); }, positive),
      row(
          "x^-0.3", [](const auto& x) { return pow(x, -0.3); }, positive),
      row(
          "2^x", [](const auto& x) { return pow(decltype(x + 1.0)(2.0), x); }, anywhere),
      row(
          "x^x", [](const auto& x) { return pow(x, x); }, positive),
      row(
          "select", [](const auto& x) { return select(x > 0.5, x * x, x + 3.0); }, not_zero),
  };
}

}  // namespace trammel::test

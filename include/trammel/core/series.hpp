// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A number that carries its first N derivatives with respect to time, exact to round-off: put q(t) in as a series, run
// any template of ours, and read velocity, acceleration, jerk off what comes out. Kept are Taylor coefficients,
//   x(t + h) = Σ_k x_k h^k + O(h^(N+1)),     x_k = x^(k)(t)/k!
// with which the rules of Leibniz and of the chain become short recurrences in k   [Griewank & Walther 2008, ch. 13]:
//
//   v = a b      v_k = Σ_{j=0}^{k} a_j b_{k−j}                                            (1)
//   v = a/b      a = v b, solved for v_k:  v_k = (a_k − Σ_{j<k} v_j b_{k−j})/b_0           (2)
//   v = √u       u = v², solved for v_k:   v_k = (u_k − Σ_{0<j<k} v_j v_{k−j})/(2 v_0)     (3)
//   v' = g u'    k v_k = Σ_{j=1}^{k} j u_j g_{k−j}                                         (4)
//   v = u^p      u v' = p v u':  v_k = Σ_{j=1}^{k} (j p − (k − j)) u_j v_{k−j}/(k u_0)     (5)
//
// (4) needs g_0 … g_{k−1} only, so g may be a function of v itself, found along with it: exp, sin and cos, tan.
// Where v' is a plain quotient, as of log, atan and asin, (2) gives v' and (6) integrates it: v_k = v'_{k−1}/k.

#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include <trammel/core/functions.hpp>

namespace trammel {

template <int N>
struct Series {
  static_assert(N >= 1);
  static constexpr int derivatives = N;
  static constexpr std::size_t size = N + 1;

  std::array<double, size> c{};  // Taylor coefficients

  constexpr Series() = default;
  constexpr Series(double value) : c{value} {}  // NOLINT(google-explicit-constructor): a constant does not change
  constexpr explicit Series(const std::array<double, size>& coefficients) : c(coefficients) {}

  // From the value and the derivatives: x, ẋ, ẍ, …
  static constexpr Series from_derivatives(std::array<double, size> x) {
    double factorial = 1;
    for (std::size_t k = 2; k < size; ++k) x[k] /= factorial *= static_cast<double>(k);
    return Series(x);
  }
  // Time itself: the rate is 1.
  static constexpr Series time(double t) {
    Series x(t);
    x.c[1] = 1;
    return x;
  }
  // The k-th derivative, 0 ≤ k ≤ N.
  constexpr double derivative(int k) const {
    double result = c[static_cast<std::size_t>(k)];
    for (int i = 2; i <= k; ++i) result *= i;
    return result;
  }

  constexpr Series& operator+=(const Series& b) { return *this = *this + b; }
  constexpr Series& operator-=(const Series& b) { return *this = *this - b; }
  constexpr Series& operator*=(const Series& b) { return *this = *this * b; }
  constexpr Series& operator/=(const Series& b) { return *this = *this / b; }

  friend constexpr Series operator+(const Series& a) { return a; }
  friend constexpr Series operator-(Series a) {
    for (double& x : a.c) x = -x;
    return a;
  }
  friend constexpr Series operator+(Series a, const Series& b) {
    for (std::size_t k = 0; k < size; ++k) a.c[k] += b.c[k];
    return a;
  }
  friend constexpr Series operator-(Series a, const Series& b) {
    for (std::size_t k = 0; k < size; ++k) a.c[k] -= b.c[k];
    return a;
  }
  friend constexpr Series operator*(const Series& a, const Series& b) {  // (1)
    Series v;
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j <= k; ++j) v.c[k] += a.c[j] * b.c[k - j];
    }
    return v;
  }
  friend constexpr Series operator/(const Series& a, const Series& b) {  // (2)
    Series v = a;
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t j = 0; j < k; ++j) v.c[k] -= v.c[j] * b.c[k - j];
      v.c[k] /= b.c[0];
    }
    return v;
  }
  // Constants scale.
  friend constexpr Series operator*(Series a, double s) {
    for (double& x : a.c) x *= s;
    return a;
  }
  friend constexpr Series operator*(double s, const Series& a) { return a * s; }
  friend constexpr Series operator/(Series a, double s) {
    for (double& x : a.c) x /= s;
    return a;
  }
  // Order is that of the values: branches are taken as the plain number would take them.
  friend constexpr bool operator<(const Series& a, const Series& b) { return a.c[0] < b.c[0]; }
  friend constexpr bool operator>(const Series& a, const Series& b) { return a.c[0] > b.c[0]; }
  friend constexpr bool operator<=(const Series& a, const Series& b) { return a.c[0] <= b.c[0]; }
  friend constexpr bool operator>=(const Series& a, const Series& b) { return a.c[0] >= b.c[0]; }
};

template <int N>
double value_of(const Series<N>& x) {
  return x.c[0];
}
template <int N>
bool is_zero(const Series<N>& x) {
  bool zero = true;
  for (const double coefficient : x.c) zero = zero && coefficient == 0;
  return zero;
}

namespace series_detail {

// (4): coefficient k of the v with v' = g u'.
template <int N>
double integrated_product(const Series<N>& g, const Series<N>& u, std::size_t k) {
  double sum = 0;
  for (std::size_t j = 1; j <= k; ++j) sum += static_cast<double>(j) * u.c[j] * g.c[k - j];
  return sum / static_cast<double>(k);
}
// x'; its last coefficient is unknown and left zero: (6) does not use it.
template <int N>
Series<N> rate(const Series<N>& x) {
  Series<N> v;
  for (std::size_t k = 1; k <= N; ++k) v.c[k - 1] = static_cast<double>(k) * x.c[k];
  return v;
}
// (6): the v that has this value and rate.
template <int N>
Series<N> integrated(double value, const Series<N>& rate_of_it) {
  Series<N> v(value);
  for (std::size_t k = 1; k <= N; ++k) v.c[k] = rate_of_it.c[k - 1] / static_cast<double>(k);
  return v;
}
// s' = c u', c' = s u'
template <int N>
std::pair<Series<N>, Series<N>> sinh_cosh(const Series<N>& u) {
  Series<N> s(std::sinh(u.c[0])), c(std::cosh(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k) {
    s.c[k] = integrated_product(c, u, k);
    c.c[k] = integrated_product(s, u, k);
  }
  return {s, c};
}

// (5): u^p, its value given, where u_0 ≠ 0.
template <int N>
Series<N> power(const Series<N>& u, double p, double value) {
  Series<N> v(value);
  for (std::size_t k = 1; k <= N; ++k) {
    for (std::size_t j = 1; j <= k; ++j) {
      v.c[k] += (static_cast<double>(j) * p - static_cast<double>(k - j)) * u.c[j] * v.c[k - j];
    }
    v.c[k] /= static_cast<double>(k) * u.c[0];
  }
  return v;
}
// u^p where u_0 = 0 and p > 0 is not a whole number. With s the first coefficient of u other than zero, u = O(h^s) and
// v = O(h^(s p)): below s p all coefficients are zero, from there on they do not exist.
template <int N>
Series<N> power_at_zero(const Series<N>& u, double p) {
  std::size_t s = 1;
  while (s <= N && u.c[s] == 0) ++s;
  Series<N> v;
  for (std::size_t k = 1; k <= N; ++k) {
    if (static_cast<double>(k) >= static_cast<double>(s) * p) v.c[k] = std::numeric_limits<double>::quiet_NaN();
  }
  return v;
}
template <int N>
Series<N> multiplied_power(Series<N> base, int exponent) {
  Series<N> v(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) v *= base;
    base *= base;
  }
  return v;
}

}  // namespace series_detail

template <int N>
Series<N> sqrt(const Series<N>& u) {
  if (u.c[0] == 0) return series_detail::power_at_zero(u, 0.5);
  Series<N> v(std::sqrt(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k) {  // (3)
    v.c[k] = u.c[k];
    for (std::size_t j = 1; j < k; ++j) v.c[k] -= v.c[j] * v.c[k - j];
    v.c[k] /= 2 * v.c[0];
  }
  return v;
}
template <int N>
Series<N> cbrt(const Series<N>& u) {
  if (u.c[0] == 0) return series_detail::power_at_zero(u, 1. / 3);
  return series_detail::power(u, 1. / 3, std::cbrt(u.c[0]));
}
template <int N>
Series<N> exp(const Series<N>& u) {
  Series<N> v(std::exp(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k) v.c[k] = series_detail::integrated_product(v, u, k);  // v' = v u'
  return v;
}
template <int N>
Series<N> log(const Series<N>& u) {
  return series_detail::integrated(std::log(u.c[0]), series_detail::rate(u) / u);
}
template <int N>
Series<N> log2(const Series<N>& u) {
  return series_detail::integrated(std::log2(u.c[0]), series_detail::rate(u) / u * std::numbers::log2e);
}
template <int N>
Series<N> log10(const Series<N>& u) {
  return series_detail::integrated(std::log10(u.c[0]), series_detail::rate(u) / u * std::numbers::log10e);
}
template <int N>
SinCos<Series<N>> sin_cos(const Series<N>& u) {
  Series<N> s(std::sin(u.c[0])), c(std::cos(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k) {
    s.c[k] = series_detail::integrated_product(c, u, k);   // s' =  c u'
    c.c[k] = -series_detail::integrated_product(s, u, k);  // c' = −s u'
  }
  return {s, c};
}
template <int N>
Series<N> sin(const Series<N>& u) {
  return sin_cos(u).sin;
}
template <int N>
Series<N> cos(const Series<N>& u) {
  return sin_cos(u).cos;
}
template <int N>
Series<N> tan(const Series<N>& u) {
  Series<N> v(std::tan(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k)
    v.c[k] = series_detail::integrated_product(1.0 + v * v, u, k);  // v' = (1 + v²) u'
  return v;
}
template <int N>
Series<N> asin(const Series<N>& u) {
  return series_detail::integrated(std::asin(u.c[0]), series_detail::rate(u) / sqrt((1.0 - u) * (1.0 + u)));
}
template <int N>
Series<N> acos(const Series<N>& u) {
  return series_detail::integrated(std::acos(u.c[0]), -series_detail::rate(u) / sqrt((1.0 - u) * (1.0 + u)));
}
template <int N>
Series<N> atan(const Series<N>& u) {
  return series_detail::integrated(std::atan(u.c[0]), series_detail::rate(u) / (1.0 + u * u));
}
template <int N>
Series<N> atan2(const Series<N>& y, const Series<N>& x) {
  const Series<N> swept = x * series_detail::rate(y) - y * series_detail::rate(x);
  return series_detail::integrated(std::atan2(y.c[0], x.c[0]), swept / (x * x + y * y));
}
template <int N>
Series<N> hypot(const Series<N>& x, const Series<N>& y) {
  Series<N> h = sqrt(x * x + y * y);
  h.c[0] = std::hypot(x.c[0], y.c[0]);
  return h;
}
template <int N>
Series<N> sinh(const Series<N>& u) {
  return series_detail::sinh_cosh(u).first;
}
template <int N>
Series<N> cosh(const Series<N>& u) {
  return series_detail::sinh_cosh(u).second;
}
template <int N>
Series<N> tanh(const Series<N>& u) {
  Series<N> v(std::tanh(u.c[0]));
  for (std::size_t k = 1; k <= N; ++k)
    v.c[k] = series_detail::integrated_product(1.0 - v * v, u, k);  // v' = (1 − v²) u'
  return v;
}

// Whole exponents multiply, which is right at zero and for negative bases, and where (5) would divide by a tiny base.
template <int N>
Series<N> pow(const Series<N>& x, double exponent) {
  constexpr double most_multiplied = 32;
  const double value = std::pow(x.c[0], exponent);
  Series<N> v;
  if (exponent == std::floor(exponent) && std::abs(exponent) <= most_multiplied) {
    v = series_detail::multiplied_power(x, static_cast<int>(std::abs(exponent)));
    if (exponent < 0) v = 1.0 / v;
    v.c[0] = value;
  } else if (x.c[0] == 0 && exponent > 0) {
    v = series_detail::power_at_zero(x, exponent);
  } else {
    v = series_detail::power(x, exponent, value);
  }
  return v;
}
template <int N>
Series<N> pow(const Series<N>& x, const Series<N>& y) {
  if (is_constant(y)) return pow(x, y.c[0]);
  if (is_zero(x) && y.c[0] > 0) return Series<N>(0);
  Series<N> v = exp(y * log(x));
  v.c[0] = std::pow(x.c[0], y.c[0]);
  return v;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Polynomials in cos θ and sin θ,
//   F(θ) = Σ_{k = 0…n} c_k cos kθ + s_k sin kθ
// and all their real roots. An equation of order n has at most 2n.

#include <array>
#include <cmath>
#include <cstddef>

namespace trammel::chace {

template <int n>
struct Trig {
  static constexpr std::size_t terms = n + 1;
  std::array<double, terms> c{}, s{};  // s[0] means nothing and stays zero

  // A bound of |F|, the same wherever θ is counted from.
  double size() const {
    double sum = std::abs(c[0]);
    for (std::size_t k = 1; k < terms; ++k) sum += std::sqrt(c[k] * c[k] + s[k] * s[k]);
    return sum;
  }
  // At cos θ = x, sin θ = y.
  double at(double x, double y) const {
    double sum = c[0], cos_k = x, sin_k = y;
    for (std::size_t k = 1; k < terms; ++k) {
      sum += c[k] * cos_k + s[k] * sin_k;
      const double next = cos_k * x - sin_k * y;
      sin_k = sin_k * x + cos_k * y, cos_k = next;
    }
    return sum;
  }
  Trig derivative() const {
    Trig d;
    for (std::size_t k = 1; k < terms; ++k) {
      d.c[k] = static_cast<double>(k) * s[k], d.s[k] = -static_cast<double>(k) * c[k];
    }
    return d;
  }

  friend Trig operator+(Trig a, const Trig& b) {
    for (std::size_t k = 0; k < terms; ++k) a.c[k] += b.c[k], a.s[k] += b.s[k];
    return a;
  }
  friend Trig operator-(Trig a, const Trig& b) {
    for (std::size_t k = 0; k < terms; ++k) a.c[k] -= b.c[k], a.s[k] -= b.s[k];
    return a;
  }
  friend Trig operator*(double x, Trig a) {
    for (std::size_t k = 0; k < terms; ++k) a.c[k] *= x, a.s[k] *= x;
    return a;
  }
  friend Trig operator+(Trig a, double x) {
    a.c[0] += x;
    return a;
  }
};

// c + p cos θ + q sin θ
inline Trig<1> first_order(double constant, double p, double q) { return {{constant, p}, {0, q}}; }

// The same polynomial among those of higher order.
template <int n, int m>
Trig<n> raised(const Trig<m>& a) {
  static_assert(n >= m);
  Trig<n> b;
  for (std::size_t k = 0; k <= m; ++k) b.c[k] = a.c[k], b.s[k] = a.s[k];
  return b;
}

// 2 cos i cos j = cos(i−j) + cos(i+j),  2 sin i sin j = cos(i−j) − cos(i+j),  2 sin i cos j = sin(i+j) + sin(i−j)
template <int n, int m>
Trig<n + m> operator*(const Trig<n>& a, const Trig<m>& b) {
  Trig<n + m> product;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= m; ++j) {
      const auto I = static_cast<std::size_t>(i), J = static_cast<std::size_t>(j);
      const std::size_t sum = I + J, difference = static_cast<std::size_t>(std::abs(i - j));
      const double cc = 0.5 * a.c[I] * b.c[J], ss = 0.5 * a.s[I] * b.s[J];
      const double sc = 0.5 * a.s[I] * b.c[J], cs = 0.5 * a.c[I] * b.s[J];
      product.c[sum] += cc - ss;
      product.c[difference] += cc + ss;
      product.s[sum] += sc + cs;
      product.s[difference] += i > j ? sc - cs : i < j ? cs - sc : 0;
    }
  }
  return product;
}

struct CircleRoot {
  double x = 1, y = 0;    // cos θ, sin θ
  bool multiple = false;  // F touches zero here, within its round-off
  // Of a multiple root: the tangents of the angles to the roots that it stands for, before and after it; zero where there is none.
  double before = 0, after = 0;

  // The point further on by an angle, given by its tangent.
  CircleRoot turned(double tangent) const {
    const double scale = 1 / std::sqrt(1 + tangent * tangent);
    return {(x - tangent * y) * scale, (y + tangent * x) * scale, multiple, 0, 0};
  }
};
template <int n>
struct CircleRoots {
  int count = 0;
  std::array<CircleRoot, 2 * n> root;
  double margin = 0;  // the smallest |F| at an extremum that is no root, relative to F.size(); 1 where there is none
  bool vanishes = false;  // F = 0 for all θ

  const CircleRoot* begin() const { return root.data(); }
  const CircleRoot* end() const { return root.data() + count; }
};

// All roots, in no particular order. `noise` is the round-off in F's values: an extremum that comes so close to zero is a double root.
// First order by formula; orders 2 and 4 by find_roots in trig_polynomial.cpp.
CircleRoots<1> find_roots(const Trig<1>& F, double noise);
template <int n>
CircleRoots<n> find_roots(const Trig<n>& F, double noise);
extern template CircleRoots<2> find_roots(const Trig<2>&, double);
extern template CircleRoots<4> find_roots(const Trig<4>&, double);

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All real roots of a trigonometric polynomial, by what lies between them.
//
// Between two neighbouring extrema F is monotonic: it has one root there if its signs at both differ, none otherwise. So the roots of
// F' are wanted first. On the half circle |θ| ≤ π/2 put t = tan(θ/2), which runs from −1 to 1,
//   (1 + t²)ⁿ F = Re Σ_k (c_k − i s_k) (1 + it)^{n+k} (1 − it)^{n−k}                                                     (1)
// a polynomial of degree 2n; the other half circle is this one turned by π: c_k, s_k ← (−1)^k c_k, (−1)^k s_k. No θ is at infinity.
// The real roots of a polynomial Q between −1 and 1 are found in the same way from those of Q', these from those of Q'', and so on down
// to a parabola. Leading coefficients may vanish, nothing relies on them; double roots of derivatives may be missed, they part nothing.
//
// An extremum with |F| ≤ noise is a double root and takes the place of the roots next to it. So roots that are closer together than the
// square root of the noise are given once, and two that are just not real any more, likewise. Round-off decides in which half a
// root of F' at ±π/2 is found, if at all; so ±π/2 count as extrema where F' is as small as it is beside one within the noise.

#include "loops/chace/trig_polynomial.hpp"

#include <algorithm>
#include <limits>

namespace trammel::chace {
namespace {

template <int degree>
using Polynomial = std::array<double, degree + 1>;  // coefficients of 1, t, t², …

// Real and imaginary parts of (1 + it)^{n+k} (1 − it)^{n−k}.
template <int n>
struct HalfAngleTable {
  std::array<Polynomial<2 * n>, n + 1> real{}, imaginary{};

  constexpr HalfAngleTable() {
    for (std::size_t k = 0; k <= n; ++k) {
      Polynomial<2 *n>&re = real[k], &im = imaginary[k];
      re[0] = 1;
      for (std::size_t factor = 0; factor < 2 * n; ++factor) {
        const double sign = factor < n + k ? 1 : -1;
        for (std::size_t j = 2 * n; j > 0; --j) {  // times (1 ± it)
          const double re_j = re[j] - sign * im[j - 1], im_j = im[j] + sign * re[j - 1];
          re[j] = re_j, im[j] = im_j;
        }
      }
    }
  }
};

template <int n>
Polynomial<2 * n> half_angle_polynomial(const Trig<n>& F) {  // (1)
  static constexpr HalfAngleTable<n> table;
  Polynomial<2 * n> P{};
  for (std::size_t k = 0; k <= n; ++k) {
    for (std::size_t j = 0; j < P.size(); ++j) P[j] += F.c[k] * table.real[k][j] + F.s[k] * table.imaginary[k][j];
  }
  return P;
}

template <int n>
Trig<n> turned_by_pi(Trig<n> F) {
  for (std::size_t k = 1; k <= n; k += 2) F.c[k] = -F.c[k], F.s[k] = -F.s[k];
  return F;
}

struct ValueAndSlope {
  double value = 0, slope = 0;
};
ValueAndSlope evaluate(const double* a, int degree, double t) {
  ValueAndSlope p{a[degree], 0};
  for (int j = degree - 1; j >= 0; --j) p.slope = p.slope * t + p.value, p.value = p.value * t + a[j];
  return p;
}

// The root of a polynomial that changes its sign once between low and high: Newton's method, and halving where that is not getting on.
double root_between(const double* a, int degree, double low, double high, bool rises) {
  double t = 0.5 * (low + high), last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const auto [value, slope] = evaluate(a, degree, t);
    if (value == 0) return t;
    ((value > 0) == rises ? high : low) = t;
    double next = t - value / slope;
    if (!(next > low && next < high) || std::abs(value) > 0.5 * last) next = 0.5 * (low + high);
    last = std::abs(value);
    const double step = std::abs(next - t);
    t = next;
    if (step <= std::numeric_limits<double>::epsilon() || high - low <= std::numeric_limits<double>::epsilon()) break;
  }
  return t;
}

// Roots between −1 and 1 of a + bt + ct², in order; none where it does not change its sign.
template <std::size_t capacity>
int roots_of_parabola(const double* a, std::array<double, capacity>& roots) {
  const double discriminant = a[1] * a[1] - 4 * a[0] * a[2];
  if (!(discriminant > 0)) return 0;
  const double q = -0.5 * (a[1] + std::copysign(std::sqrt(discriminant), a[1]));
  const double first = q / a[2], second = a[0] / q;  // either may be at infinity
  int count = 0;
  for (const double t : {std::min(first, second), std::max(first, second)}) {
    if (t > -1 && t < 1) roots[static_cast<std::size_t>(count++)] = t;
  }
  return count;
}

// Roots between −1 and 1, in order, where the polynomial changes its sign.
template <int degree>
int roots_within_one(const Polynomial<degree>& P, std::array<double, degree>& roots) {
  std::array<Polynomial<degree>, degree - 1> derivative;  // derivative[k] has degree − k, down to a parabola
  derivative[0] = P;
  for (std::size_t k = 1; k < derivative.size(); ++k) {
    for (std::size_t j = 0; j + k <= degree; ++j)
      derivative[k][j] = static_cast<double>(j + 1) * derivative[k - 1][j + 1];
  }
  int count = roots_of_parabola(derivative.back().data(), roots);
  for (int k = degree - 3; k >= 0; --k) {
    const double* a = derivative[static_cast<std::size_t>(k)].data();
    std::array<double, degree> found;
    int found_count = 0;
    double low = -1;
    bool low_is_positive = evaluate(a, degree - k, low).value >= 0;
    for (int i = 0; i <= count; ++i) {
      const double high = i < count ? roots[static_cast<std::size_t>(i)] : 1;
      const bool high_is_positive = evaluate(a, degree - k, high).value >= 0;
      if (low_is_positive != high_is_positive && found_count < degree - k) {
        found[static_cast<std::size_t>(found_count++)] = root_between(a, degree - k, low, high, high_is_positive);
      }
      low = high, low_is_positive = high_is_positive;
    }
    roots = found, count = found_count;
  }
  return count;
}

CircleRoot circle_point(double t, int half) {
  const double scale = (half == 0 ? 1 : -1) / (1 + t * t);
  return {(1 - t * t) * scale, 2 * t * scale, false, 0, 0};
}

// A point on the circle.
struct Mark {
  double t = 0;  // within its half
  int half = 0;
  double x = 0, y = 0, F = 0;
  bool extremum = false;  // or as good as one
  int touching = -1;      // which multiple root it belongs to, if |F| cannot be told from zero here
};

// F on both halves of the circle, and marks around it in the order of θ: −π/2, extrema, π/2, extrema.
template <int n>
struct Around {
  std::array<Polynomial<2 * n>, 2> P;
  std::array<Mark, 4 * n + 2> marks;
  int count = 0;

  Around(const Trig<n>& F, double noise) {
    const Trig<n> slope = F.derivative();
    const auto add = [&](double t, int half, bool extremum) {
      const CircleRoot p = circle_point(t, half);
      marks[static_cast<std::size_t>(count++)] = {t, half, p.x, p.y, F.at(p.x, p.y), extremum, -1};
    };
    for (int half = 0; half < 2; ++half) {
      const Trig<n> dF = half == 0 ? slope : turned_by_pi(slope);
      P[static_cast<std::size_t>(half)] = half_angle_polynomial(half == 0 ? F : turned_by_pi(F));
      std::array<double, 2 * n> extrema;
      const int extrema_count = roots_within_one<2 * n>(half_angle_polynomial(dF), extrema);
      const CircleRoot begin = circle_point(-1, half);
      const double steepness = slope.at(begin.x, begin.y);
      add(-1, half, steepness * steepness <= 4 * n * n * noise * F.size());
      for (int i = 0; i < extrema_count; ++i) add(extrema[static_cast<std::size_t>(i)], half, true);
    }
  }

  Mark& at(int i) { return marks[static_cast<std::size_t>(i % count)]; }
  CircleRoot root_between_marks(const Mark& from, const Mark& to) const {
    const double high = to.half == from.half ? to.t : 1;
    const double* polynomial = P[static_cast<std::size_t>(from.half)].data();
    return circle_point(root_between(polynomial, 2 * n, from.t, high, to.F >= 0), from.half);
  }
};

// Stretches of extrema with |F| ≤ noise are one multiple root each. Gives the smallest |F| of the other extrema.
template <int n>
double add_touching(Around<n>& around, double noise, double size, CircleRoots<n>& result) {
  const auto is_tiny = [&](int i) { return around.at(i).extremum && std::abs(around.at(i).F) <= noise; };
  int first = 0;
  while (first < around.count && is_tiny(first)) ++first;
  result.vanishes = first == around.count;
  double least = size;
  const Mark* best = nullptr;  // of the stretch that we are in
  for (int i = first; i < first + around.count && !result.vanishes; ++i) {
    Mark& mark = around.at(i);
    if (!is_tiny(i)) {
      best = nullptr;
      if (mark.extremum) least = std::min(least, std::abs(mark.F));
      continue;
    }
    if (best == nullptr) {
      if (result.count == 2 * n) continue;  // no room: more than there can be
      ++result.count;
    }
    mark.touching = result.count - 1;
    if (best == nullptr || std::abs(mark.F) < std::abs(best->F)) best = &mark;
    result.root[static_cast<std::size_t>(mark.touching)] = {best->x, best->y, true, 0, 0};
  }
  return least;
}

// Signs that change from mark to mark: simple roots, or those for which a multiple one stands. Zero counts as positive.
template <int n>
void add_crossings(Around<n>& around, CircleRoots<n>& result) {
  for (int i = 0; i < around.count; ++i) {
    const Mark &from = around.at(i), &to = around.at(i + 1);
    if ((from.F >= 0) == (to.F >= 0)) continue;
    const CircleRoot root = around.root_between_marks(from, to);
    const auto tangent_from = [&](const CircleRoot& o) {
      return (o.x * root.y - o.y * root.x) / (o.x * root.x + o.y * root.y);
    };
    if (from.touching >= 0) {
      CircleRoot& multiple = result.root[static_cast<std::size_t>(from.touching)];
      multiple.after = std::max(multiple.after, tangent_from(multiple));
    } else if (to.touching >= 0) {
      CircleRoot& multiple = result.root[static_cast<std::size_t>(to.touching)];
      multiple.before = std::min(multiple.before, tangent_from(multiple));
    } else if (result.count < 2 * n) {
      result.root[static_cast<std::size_t>(result.count++)] = root;
    }
  }
}

}  // namespace

CircleRoots<1> find_roots(const Trig<1>& F, double noise) {
  // a x + b y + e = 0 on the unit circle: the foot of the line, and h to both sides of it
  const double a = F.c[1], b = F.s[1], e = F.c[0], R2 = a * a + b * b, R = std::sqrt(R2);
  CircleRoots<1> result;
  const double size = F.size();
  if (!(R > noise)) {
    result.vanishes = std::abs(e) <= noise;
    result.margin = 1;
    return result;
  }
  const double excess = R - std::abs(e);
  const bool multiple = std::abs(excess) <= noise;
  result.margin = multiple ? 1 : std::abs(excess) / size;
  if (excess < -noise) return result;
  const double h = multiple ? 0 : std::sqrt(excess * (R + std::abs(e))) / R2;
  const double foot = multiple ? (e < 0 ? 1 : -1) / R : -e / R2;
  result.root[0] = {a * foot - b * h, b * foot + a * h, multiple, 0, 0};
  result.count = 1;
  if (!multiple) result.root[1] = {a * foot + b * h, b * foot - a * h, false, 0, 0}, result.count = 2;
  return result;
}

template <int n>
CircleRoots<n> find_roots(const Trig<n>& F, double noise) {
  CircleRoots<n> result;
  if (!(F.derivative().size() > noise)) {
    result.vanishes = std::abs(F.c[0]) <= noise;
    result.margin = 1;
    return result;
  }
  Around<n> around(F, noise);
  const double least = add_touching(around, noise, F.size(), result);
  if (!result.vanishes) add_crossings(around, result);
  result.margin = least / F.size();
  return result;
}

template CircleRoots<2> find_roots(const Trig<2>&, double);
template CircleRoots<4> find_roots(const Trig<4>&, double);

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Curves from tables and expressions.
//
// Cubic spline through points, s the chord length: with slopes m_i at the points and h_i = s_{i+1} − s_i,
//   h_i m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_{i−1} m_{i+1} = 3 (h_i d_{i−1} + h_{i−1} d_i),   d_i the chord's slope     (1)
// makes the second derivative continuous. Open ends: second derivative zero, 2 m_0 + m_1 = 3 d_0. Closed: (1) everywhere.
// [de Boor, A Practical Guide to Splines, ch. IV]

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/constraints/curve.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/core/series.hpp>

#include "core/dense.hpp"

namespace trammel {
namespace {

constexpr int pieces_of_formula = 720;
constexpr int samples_per_piece = 4;

std::array<double, 6> cubic(double a, double b, double ma, double mb, double h) {
  const double d = (b - a) / h;
  return {a, ma, (3 * d - 2 * ma - mb) / h, (ma + mb - 2 * d) / (h * h), 0, 0};
}

// Value, slope and second derivative at both ends.
std::array<double, 6> quintic(const Series<2>& a, const Series<2>& b, double h) {
  const double p0 = a.c[0], p1 = a.c[1], p2 = a.c[2];
  const double e0 = b.c[0] - p0 - h * p1 - h * h * p2, e1 = b.c[1] - p1 - 2 * h * p2, e2 = 2 * b.c[2] - 2 * p2;
  const double h2 = h * h, h3 = h2 * h;
  return {p0,
          p1,
          p2,
          (10 * e0 - 4 * h * e1 + 0.5 * h2 * e2) / h3,
          (-15 * e0 + 7 * h * e1 - h2 * e2) / (h3 * h),
          (6 * e0 - 3 * h * e1 + 0.5 * h2 * e2) / (h3 * h2)};
}

// Slopes at the points by (1).
Eigen::VectorXd spline_slopes(const std::vector<double>& s, const std::vector<double>& y, bool closed) {
  const auto n = static_cast<Eigen::Index>(closed ? y.size() - 1 : y.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  const auto step = [&](Eigen::Index i) { return s[i + 1] - s[i]; };
  const auto slope = [&](Eigen::Index i) { return (y[i + 1] - y[i]) / step(i); };
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!closed && i == 0) {
      A(0, 0) = 2, A(0, 1) = 1, b(0) = 3 * slope(0);
    } else if (!closed && i == n - 1) {
      A(i, i) = 2, A(i, i - 1) = 1, b(i) = 3 * slope(i - 1);
    } else {
      const Eigen::Index before = i == 0 ? n - 1 : i - 1;
      A(i, before) += step(i);
      A(i, i) += 2 * (step(before) + step(i));
      A(i, (i + 1) % n) += step(before);
      b(i) = 3 * (step(i) * slope(before) + step(before) * slope(i));
    }
  }
  return dense::solve(A, b);
}

}  // namespace

std::variant<Curve, std::string> Curve::from(Table table) {
  const std::size_t least = table.closed ? 3 : 2;
  if (table.points.size() < least) return fmt::format("a curve needs at least {} points", least);
  if (table.points.size() > 5000) return std::string("a curve takes at most 5000 points");
  Curve curve;
  curve.closed_ = table.closed;
  std::vector<double> x, y;
  for (const auto& p : table.points) x.push_back(p[0]), y.push_back(p[1]);
  if (table.closed) x.push_back(x[0]), y.push_back(y[0]);
  curve.knots_.push_back(0);
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double chord = std::hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
    if (!std::isfinite(chord)) return std::string("a point of the curve is not finite");
    if (chord == 0) return fmt::format("points {} and {} of the curve coincide", i, i % table.points.size() + 1);
    curve.knots_.push_back(curve.knots_.back() + chord);
  }
  const Eigen::VectorXd mx = spline_slopes(curve.knots_, x, table.closed);
  const Eigen::VectorXd my = spline_slopes(curve.knots_, y, table.closed);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double h = curve.knots_[i + 1] - curve.knots_[i];
    const auto a = static_cast<Eigen::Index>(i),
               b = static_cast<Eigen::Index>((i + 1) % static_cast<std::size_t>(mx.size()));
    curve.pieces_.push_back({cubic(x[i], x[i + 1], mx(a), mx(b), h), cubic(y[i], y[i + 1], my(a), my(b), h)});
  }
  curve.source_ = std::move(table);
  curve.refine_samples();
  return curve;
}

std::variant<Curve, std::string> Curve::from(Formula formula) {
  if (!(formula.to > formula.from)) return std::string("the curve's range of s is empty");
  const std::vector<std::string> variables{"s"};
  std::array<Series<2>, pieces_of_formula + 1> at[2];
  const double h = (formula.to - formula.from) / pieces_of_formula;
  for (int k = 0; k < 2; ++k) {
    const auto parsed = Expression::parse(k == 0 ? formula.x : formula.y, variables);
    if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
      return fmt::format("the curve's {}: {}", k == 0 ? 'x' : 'y', error->what);
    }
    for (int i = 0; i <= pieces_of_formula; ++i) {
      Series<2> s(formula.from + i * h);
      s.c[1] = 1;
      at[k][i] = std::get<Expression>(parsed).evaluate<Series<2>>(std::span<const Series<2>>(&s, 1));
      for (const double c : at[k][i].c) {
        if (!std::isfinite(c)) return fmt::format("the curve is not smooth at s = {:g}", value_of(s));
      }
    }
  }
  Curve curve;
  curve.closed_ = formula.closed;
  for (int i = 0; i <= pieces_of_formula; ++i) curve.knots_.push_back(formula.from + i * h);
  for (int i = 0; i < pieces_of_formula; ++i) {
    curve.pieces_.push_back({quintic(at[0][i], at[0][i + 1], h), quintic(at[1][i], at[1][i + 1], h)});
  }
  if (formula.closed) {
    const double gap =
        std::hypot(at[0][0].c[0] - at[0][pieces_of_formula].c[0], at[1][0].c[0] - at[1][pieces_of_formula].c[0]);
    double size = 0;
    for (int i = 0; i <= pieces_of_formula; ++i) {
      size = std::max(size, std::hypot(at[0][i].c[0] - at[0][0].c[0], at[1][i].c[0] - at[1][0].c[0]));
    }
    if (gap > 1e-9 * size) return fmt::format("the curve is not closed: its ends are {:g} m apart", gap);
  }
  curve.source_ = std::move(formula);
  curve.refine_samples();
  return curve;
}

void Curve::refine_samples() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (int k = 0; k < samples_per_piece; ++k) {
      const double s = knots_[i] + (knots_[i + 1] - knots_[i]) * k / samples_per_piece;
      const CurvePoint<double> c = at(s);
      samples_.push_back({s, c.x, c.y});
    }
  }
  const CurvePoint<double> last = at(knots_.back());
  samples_.push_back({knots_.back(), last.x, last.y});
}

std::size_t Curve::piece_of(double& s) const {
  if (closed_) {
    const double period = end() - begin();
    s -= period * std::floor((s - begin()) / period);
  }
  const auto above = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, s);
  return static_cast<std::size_t>(above - knots_.begin()) - 1;
}

namespace {
// Newton from the best sample, kept within one sample's reach, so that it cannot run to another branch.
template <class Step>
double polish(double s, double reach, const Step& step) {
  const double start = s;
  for (int i = 0; i < 50; ++i) {
    double ds = step(s);
    if (!std::isfinite(ds)) break;
    const double next = std::clamp(s + ds, start - reach, start + reach);
    if (next == s) break;
    ds = next - s;
    s = next;
    if (std::abs(ds) <= 1e-16 * (1 + std::abs(s))) break;
  }
  return s;
}
}  // namespace

double Curve::nearest(const std::array<double, 2>& p) const {
  double best = std::numeric_limits<double>::infinity(), s = begin();
  for (const auto& [at_s, x, y] : samples_) {
    const double d = std::hypot(x - p[0], y - p[1]);
    if (d < best) best = d, s = at_s;
  }
  const double reach = 2 * (end() - begin()) / static_cast<double>(pieces_.size());
  return polish(s, closed_ ? reach : std::max(reach, best), [&](double at_s) {
    const CurvePoint<double> c = at(at_s);
    const double dx = p[0] - c.x, dy = p[1] - c.y, speed2 = c.dx * c.dx + c.dy * c.dy;
    double slope = c.ddx * dx + c.ddy * dy - speed2;
    if (slope > -1e-3 * speed2) slope = -speed2;  // beyond the centre of curvature: Gauss–Newton
    return -(dx * c.dx + dy * c.dy) / slope;
  });
}

double Curve::farthest(const std::array<double, 2>& direction) const {
  const auto& e = direction;
  double best = -std::numeric_limits<double>::infinity(), s = begin();
  for (const auto& [at_s, x, y] : samples_) {
    const double height = e[0] * x + e[1] * y;
    if (height > best) best = height, s = at_s;
  }
  const double reach = 2 * (end() - begin()) / static_cast<double>(pieces_.size());
  return polish(s, reach, [&](double at_s) {
    const CurvePoint<double> c = at(at_s);
    return -(e[0] * c.dx + e[1] * c.dy) / (e[0] * c.ddx + e[1] * c.ddy);
  });
}

}  // namespace trammel

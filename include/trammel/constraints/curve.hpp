// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plane curve (x(s), y(s)), smooth to its second derivative: pieces of polynomials of fifth degree. From a table of points it is the
// interpolating cubic spline; from expressions of s it is fitted in value, first and second derivative at many places.

#include <array>
#include <string>
#include <variant>
#include <vector>

#include <trammel/core/scalar.hpp>

namespace trammel {

template <class T>
struct CurvePoint {
  T x, y, dx, dy, ddx, ddy;  // position and its derivatives by s
};

struct CurveTable {
  std::vector<std::array<double, 2>> points;  // in order; s is the chord length from the first
  bool closed = false;                        // the last point is followed by the first (do not repeat it)
};
struct CurveFormula {
  std::string x, y;  // expressions of s, in SI units
  double from = 0, to = 1;
  bool closed = false;
};

class Curve {
 public:
  using Table = CurveTable;
  using Formula = CurveFormula;
  // Fewer than two points (three for a closed curve), points that coincide, numbers that are not finite: a message.
  static std::variant<Curve, std::string> from(Table table);
  static std::variant<Curve, std::string> from(Formula formula);

  // As it was given, for writers.
  const std::variant<Table, Formula>& source() const { return source_; }
  bool closed() const { return closed_; }
  double begin() const { return knots_.front(); }
  double end() const { return knots_.back(); }

  // Beyond the ends of an open curve it goes on straight. A closed curve repeats.
  template <class T>
  CurvePoint<T> at(const T& s) const;
  // Where the curve is nearest to a point, and where it lies farthest in a direction.
  double nearest(const std::array<double, 2>& p) const;
  double farthest(const std::array<double, 2>& direction) const;

 private:
  struct Piece {
    std::array<double, 6> x{}, y{};  // coefficients of powers of s − knot
  };
  std::variant<Table, Formula> source_;
  std::vector<double> knots_;  // pieces + 1
  std::vector<Piece> pieces_;
  bool closed_ = false;

  std::size_t piece_of(double& s) const;  // brings s of a closed curve into its range
  static double polynomial(const std::array<double, 6>& c, double x);
  void refine_samples();
  std::vector<std::array<double, 3>> samples_;  // s, x, y
};

template <class T>
CurvePoint<T> Curve::at(const T& s) const {
  double where = value_of(s);
  const double given = where;
  const std::size_t i = piece_of(where);
  const T u = s + T(where - given - knots_[i]);  // from the piece's first knot
  const auto evaluate = [&u](const std::array<double, 6>& c, T& p, T& dp, T& ddp) {
    p = T(c[5]), dp = T(0), ddp = T(0);
    for (int k = 4; k >= 0; --k) {
      ddp = ddp * u + dp;
      dp = dp * u + p;
      p = p * u + T(c[static_cast<std::size_t>(k)]);
    }
    ddp = ddp * T(2);
  };
  CurvePoint<T> c;
  const double length = knots_[i + 1] - knots_[i];
  const bool before = !closed_ && i == 0 && where < knots_.front();
  const bool after = !closed_ && where > knots_.back();
  if (before || after) {  // straight on from the end
    const CurvePoint<double> e = at(before ? knots_.front() : knots_.back());
    const T beyond = before ? u : u - T(length);
    return {T(e.x) + T(e.dx) * beyond, T(e.y) + T(e.dy) * beyond, T(e.dx), T(e.dy), T(0), T(0)};
  }
  evaluate(pieces_[i].x, c.x, c.dx, c.ddx);
  evaluate(pieces_[i].y, c.y, c.dy, c.ddy);
  return c;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers over time and over the state, as files write them: formulas and tables. Part of the Model.

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trammel/core/expression.hpp>
#include <trammel/linkage.hpp>

namespace trammel {

// A C² curve through points, constant before the first and after the last: the cubic spline whose slope is zero at both ends, so that
// a motion starts and ends at rest.                                              [de Boor 1978, ch. IV: clamped spline]
// Between two points, with s ∈ [0, 1] and interval h:
//   y = (1 − s) y₀ + s y₁ + h²/6 [((1 − s)³ − (1 − s)) m₀ + (s³ − s) m₁],     m the second derivatives
class Spline {
 public:
  Spline() = default;
  // At least two points, x strictly increasing; else std::invalid_argument.
  Spline(std::vector<double> x, std::vector<double> y);

  bool empty() const { return x_.empty(); }
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& y() const { return y_; }

  template <class T>
  T at(const T& x) const {
    const double where = value_of(x);
    if (where < x_.front())
      return T(y_.front());  // at the first point derivatives are the curve's: motions begin there
    if (where >= x_.back()) return T(y_.back());
    const auto i = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), where) - x_.begin() - 1);
    const double h = x_[i + 1] - x_[i];
    const T s = (x - T(x_[i])) / T(h), r = T(1) - s;
    return r * T(y_[i]) + s * T(y_[i + 1]) +
           T(h * h / 6) * ((r * r * r - r) * T(m_[i]) + (s * s * s - s) * T(m_[i + 1]));
  }

  friend bool operator==(const Spline& a, const Spline& b) { return a.x_ == b.x_ && a.y_ == b.y_; }

 private:
  std::vector<double> x_, y_, m_;
};

// A number over time: a formula of t (or a constant), or a table.
struct Profile {
  TimeFunction formula;
  Spline table;  // SI, over seconds; where it is not empty, it counts

  Profile() = default;
  Profile(double constant) : formula(constant) {}           // NOLINT(google-explicit-constructor): it is one
  Profile(TimeFunction of_t) : formula(std::move(of_t)) {}  // NOLINT(google-explicit-constructor)
  Profile(Spline of_t) : table(std::move(of_t)) {}          // NOLINT(google-explicit-constructor)

  bool is_constant() const { return table.empty() && formula.is_constant(); }
  template <class T>
  T at(const T& t) const {
    return table.empty() ? formula.at(t) : table.at(t);
  }
};

}  // namespace trammel

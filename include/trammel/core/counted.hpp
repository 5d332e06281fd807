// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A number that counts the operations done on it, to compare an algorithm with the operation tables of the papers.
// Divisions and square roots count as multiplications, negations are free, as in those tables. The counters belong to
// the thread; read them with operations(), clear them with reset_operations().

#include <trammel/core/scalar.hpp>

namespace trammel {

struct OperationCount {
  long multiplications = 0;
  long additions = 0;
  long sin_cos = 0;  // pairs of a sine and a cosine of one angle

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
  OperationCount& operator+=(const OperationCount& b) {
    multiplications += b.multiplications, additions += b.additions, sin_cos += b.sin_cos;
    return *this;
  }
  friend OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications - b.multiplications, a.additions - b.additions, a.sin_cos - b.sin_cos};
  }
  long sum() const { return multiplications + additions + sin_cos; }
};

struct Counted {
  double value = 0;

  constexpr Counted() = default;
  constexpr Counted(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants cost nothing

  static OperationCount& operations() {
    thread_local OperationCount count;
    return count;
  }
  static void reset_operations() { operations() = {}; }

  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }
  Counted& operator*=(const Counted& b) { return *this = *this * b; }
  Counted& operator/=(const Counted& b) { return *this = *this / b; }

  friend Counted operator+(const Counted& a) { return a; }
  friend Counted operator-(const Counted& a) { return {-a.value}; }
  friend Counted operator+(const Counted& a, const Counted& b) { return added(a.value + b.value); }
  friend Counted operator-(const Counted& a, const Counted& b) { return added(a.value - b.value); }
  friend Counted operator*(const Counted& a, const Counted& b) { return multiplied(a.value * b.value); }
  friend Counted operator/(const Counted& a, const Counted& b) { return multiplied(a.value / b.value); }
  friend bool operator<(const Counted& a, const Counted& b) { return a.value < b.value; }
  friend bool operator>(const Counted& a, const Counted& b) { return a.value > b.value; }
  friend bool operator<=(const Counted& a, const Counted& b) { return a.value <= b.value; }
  friend bool operator>=(const Counted& a, const Counted& b) { return a.value >= b.value; }

  static Counted added(double result) {
    ++operations().additions;
    return {result};
  }
  static Counted multiplied(double result) {
    ++operations().multiplications;
    return {result};
  }
};

inline Counted select(bool condition, const Counted& if_true, const Counted& if_false) {
  return condition ? if_true : if_false;
}
inline double value_of(const Counted& x) { return x.value; }
inline bool is_zero(const Counted& x) { return x.value == 0; }
inline Counted sqrt(const Counted& x) { return Counted::multiplied(std::sqrt(x.value)); }
inline Counted abs(const Counted& x) { return {std::abs(x.value)}; }
inline SinCos<Counted> sin_cos(const Counted& x) {
  ++Counted::operations().sin_cos;
  return {{std::sin(x.value)}, {std::cos(x.value)}};
}
inline Counted atan2(const Counted& y, const Counted& x) { return Counted::multiplied(std::atan2(y.value, x.value)); }

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a number must offer to run through our kernels. The kernels are templates on the scalar T and use only
// + − · /, sqrt, sin, cos, atan2, comparisons and select(): never an `if` on a T, so that SIMD lanes can run them too.
//
//   double    numbers
//   Counted   numbers that count their multiplications and additions       core/counted.hpp
//   Dual      numbers that carry one derivative                              core/dual.hpp

#include <cmath>

namespace trammel {

template <class T>
struct SinCos {
  T sin, cos;
};

// Each scalar supplies these overloads beside its type.
inline double select(bool condition, double if_true, double if_false) { return condition ? if_true : if_false; }
inline SinCos<double> sin_cos(double angle) { return {std::sin(angle), std::cos(angle)}; }

// The number behind the scalar: for messages, verdicts and rank decisions, never inside a recursion.
inline double value_of(double x) { return x; }

using std::abs;
using std::atan2;
using std::sqrt;

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a number must offer to run through our kernels. The kernels are templates on the scalar T and use only
// + − · /, sqrt, sin, cos, atan2, comparisons and select(): never an `if` on a T, so that SIMD lanes can run them too.
//
//   double    numbers
//   Counted   numbers that count their multiplications and additions       core/counted.hpp
//   Dual      numbers that carry one derivative                              core/dual.hpp
//   Gradient  numbers that carry N partial derivatives                       core/gradient.hpp
//   Series    numbers that carry N derivatives with respect to time          core/series.hpp
//   Lanes     several states side by side in a SIMD register; inside the kernel library only, src/kernels/lanes.hpp

#include <cmath>

#include <trammel/core/sin_cos.hpp>

namespace trammel {

// Each scalar supplies these overloads beside its type.
inline double select(bool condition, double if_true, double if_false) { return condition ? if_true : if_false; }
inline SinCos<double> sin_cos(double angle) { return {std::sin(angle), std::cos(angle)}; }
// Zero for certain, whatever else the scalar carries: lets a kernel skip work that adds nothing.
inline bool is_zero(double x) { return x == 0; }

// The number behind the scalar: for messages, verdicts and rank decisions, never inside a recursion.
inline double value_of(double x) { return x; }

using std::abs;
using std::atan2;
using std::sqrt;

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Drag across a round bar, strip by strip. At x along the axis e the water passes with v(x) = A + B x, both square to e, and each strip is
// pushed by −k |v| v per length:
//   F = −k (A I₀ + B I₁),   M = e × (−k (A I₁ + B I₂)),     I_n = ∫ xⁿ √Q dx,   Q = a + 2b x + c x²,  a = A·A, b = A·B, c = B·B
// In closed form, s = x + b/c, h² = (ac − b²)/c², R = √(s² + h²):
//   J₀ = ½ (s R + h² asinh(s/h)),  J₁ = R³/3,  J₂ = ¼ s R³ − ¼ h² J₀
//   I₀ = √c ΔJ₀,  I₁ = √c (ΔJ₁ − s₀ ΔJ₀),  I₂ = √c (ΔJ₂ − 2 s₀ ΔJ₁ + s₀² ΔJ₀),    s₀ = b/c
// That loses digits where the bar turns slowly against its speed, |B| L ≪ |A|; there √Q is so nearly straight that Gauss's rule with four points is
// exact to round-off. At |B| L = 0.05 |A| both are good to 2e-13.

#include <cmath>
#include <type_traits>

#include <trammel/spatial/vector.hpp>

namespace trammel::fluid {

template <class T>
struct StripIntegrals {
  T I0{}, I1{}, I2{};
};

inline constexpr double gauss4_at[2] = {0.33998104358485626480, 0.86113631159405257522};
inline constexpr double gauss4_weight[2] = {0.65214515486254614263, 0.34785484513745385737};

// Over x from −half to half.
template <class T>
StripIntegrals<T> strip_integrals_by_gauss(const T& a, const T& b, const T& c, const T& half) {
  StripIntegrals<T> out;
  for (int i = 0; i < 2; ++i) {
    const T x = half * T(gauss4_at[i]), w = half * T(gauss4_weight[i]);
    const T middle = a + c * (x * x), tilt = b * (x + x);
    const T minus = sqrt(middle - tilt), plus = sqrt(middle + tilt);
    const T sum = (plus + minus) * w;
    out.I0 += sum, out.I1 += (plus - minus) * (w * x), out.I2 += sum * (x * x);
  }
  return out;
}

// b ≥ 0, so that s₂ > 0:  asinh(s₂/h) − asinh(s₁/h) = log((s₂ + R₂)/(s₁ + R₁)); where s₁ is negative, s₁ + R₁ = h²/(R₁ − s₁).
template <class T>
StripIntegrals<T> strip_integrals_in_closed_form(const T& a, const T& b, const T& c, const T& half) {
  using std::log;
  const T zero(0), over_c = T(1) / c, s0 = b * over_c;
  const T gap = a * c - b * b;  // h² c²
  const T h2 = select(gap > zero, gap * over_c * over_c, zero);
  const T s1 = s0 - half, s2 = s0 + half;
  const T R1 = sqrt(s1 * s1 + h2), R2 = sqrt(s2 * s2 + h2);
  const T down = select(s1 < zero, h2 / (R1 - s1), s1 + R1);
  const T ratio = select(h2 > zero, (s2 + R2) / down, T(1));
  const T D0 = (s2 * R2 - s1 * R1 + h2 * log(ratio)) * T(0.5);
  const T cube1 = R1 * R1 * R1, cube2 = R2 * R2 * R2, D1 = (cube2 - cube1) * T(1.0 / 3);
  const T D2 = (s2 * cube2 - s1 * cube1 - h2 * D0) * T(0.25);
  const T root_c = sqrt(c);
  return {root_c * D0, root_c * (D1 - s0 * D0), root_c * (D2 - s0 * (D1 + D1 - s0 * D0))};
}

inline bool all_of(bool condition) { return condition; }

template <class T>
StripIntegrals<T> strip_integrals(const T& a, const T& b, const T& c, const T& half) {
  constexpr double slow = 0.05;
  const auto is_quick = c * (half * half * T(4)) > a * T(slow * slow);
  // Seen from the other end b changes its sign, and I₁.
  const auto is_other_end = b < T(0);
  const T size_of_b = abs(b);
  StripIntegrals<T> out;
  if (all_of(is_quick)) {
    out = strip_integrals_in_closed_form(a, size_of_b, c, half);
  } else {
    out = strip_integrals_by_gauss(a, size_of_b, c, half);
    if constexpr (!std::is_same_v<T, double>) {
      if (any_of(is_quick)) {  // lanes differ
        const StripIntegrals<T> closed = strip_integrals_in_closed_form(a, size_of_b, c, half);
        out = {select(is_quick, closed.I0, out.I0), select(is_quick, closed.I1, out.I1),
               select(is_quick, closed.I2, out.I2)};
      }
    }
  }
  out.I1 = select(is_other_end, -out.I1, out.I1);
  return out;
}

}  // namespace trammel::fluid

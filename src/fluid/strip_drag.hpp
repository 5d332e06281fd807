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

#include <trammel/spatial/vector.hpp>

namespace trammel::fluid {

struct StripIntegrals {
  double I0 = 0, I1 = 0, I2 = 0;
};

inline constexpr double gauss4_at[2] = {0.33998104358485626480, 0.86113631159405257522};
inline constexpr double gauss4_weight[2] = {0.65214515486254614263, 0.34785484513745385737};

// Over x from −half to half.
inline StripIntegrals strip_integrals(double a, double b, double c, double half) {
  constexpr double slow = 0.05;
  const double L = 2 * half;
  if (c * L * L <= slow * slow * a) {
    StripIntegrals out;
    for (int i = 0; i < 2; ++i) {
      const double x = half * gauss4_at[i], w = half * gauss4_weight[i];
      const double middle = a + c * x * x, tilt = 2 * b * x;
      const double minus = std::sqrt(middle - tilt), plus = std::sqrt(middle + tilt);
      const double sum = w * (plus + minus);
      out.I0 += sum, out.I1 += w * x * (plus - minus), out.I2 += x * x * sum;
    }
    return out;
  }
  const double over_c = 1 / c, s0 = b * over_c;
  const double gap = a * c - b * b;  // h² c²
  const double h2 = gap > 0 ? gap * over_c * over_c : 0;
  const double s1 = s0 - half, s2 = s0 + half;
  const double R1 = std::sqrt(s1 * s1 + h2), R2 = std::sqrt(s2 * s2 + h2);
  // asinh(s₂/h) − asinh(s₁/h) = log((s₂ + R₂)/(s₁ + R₁)); where s is negative, s + R = h²/(R − s).
  double D0 = s2 * R2 - s1 * R1;
  if (h2 > 0) {
    const double up = s2 >= 0 ? s2 + R2 : h2 / (R2 - s2), down = s1 >= 0 ? s1 + R1 : h2 / (R1 - s1);
    D0 += h2 * std::log(up / down);
  }
  D0 *= 0.5;
  const double cube1 = R1 * R1 * R1, cube2 = R2 * R2 * R2, D1 = (cube2 - cube1) / 3;
  const double D2 = 0.25 * (s2 * cube2 - s1 * cube1) - 0.25 * h2 * D0;
  const double root_c = std::sqrt(c);
  return {root_c * D0, root_c * (D1 - s0 * D0), root_c * (D2 - s0 * (2 * D1 - s0 * D0))};
}

}  // namespace trammel::fluid

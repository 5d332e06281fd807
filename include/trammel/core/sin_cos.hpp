// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sine and cosine of one angle together, for the kernels on double and on SIMD lanes: inline, without a branch per lane,
// with one reduction for both. Cody and Waite's reduction [1980] to r in [−π/4, π/4],
//   x = n π/2 + r,     π/2 = P₁ + P₂ + P₃ (33, 33 and 53 bits: n P₁ and n P₂ are exact for |n| < 2²⁰)
// then polynomials in z = r²:
//   sin r = r + r z S(z),     cos r = 1 − z/2 + z² C(z)
// with coefficients from Chebyshev interpolation of S and C on [0, (π/4)²]; their errors are below 0.17 and 0.01 units
// in the last place, the whole is within 1.5. Larger angles, infinities and NaN go to the C library.

#include <bit>
#include <cmath>
#include <cstdint>

namespace trammel {

template <class T>
struct SinCos {
  T sin, cos;
};

namespace sin_cos_detail {

inline constexpr double largest_angle = 1.6e6;  // just below 2²⁰ π/2
inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
inline constexpr double half_pi_1 = 0x1.921fb54400000p+0, half_pi_2 = 0x1.0b4611a600000p-34,
                        half_pi_3 = 0x1.3198a2e037073p-69;
inline constexpr double to_integer = 0x1.8p52;  // x + c has no bits below one; its low bits are the integer

// sin r and cos r of the reduced angle r.
template <class T>
SinCos<T> on_first_octant(const T& r) {
  const T z = r * r;
  const T S =
      T(-0x1.5555555555555p-3) +
      z * (T(0x1.1111111110bb1p-7) +
           z * (T(-0x1.a01a019e8357dp-13) +
                z * (T(0x1.71de37961e4c6p-19) + z * (T(-0x1.ae600a926c89ap-26) + z * T(0x1.5e0af186af739p-33)))));
  const T C =
      T(0x1.5555555555555p-5) +
      z * (T(-0x1.6c16c16c16966p-10) +
           z * (T(0x1.a01a019f4e867p-16) +
                z * (T(-0x1.27e4fa17a41b4p-22) + z * (T(0x1.1eeb68b109173p-29) + z * T(-0x1.907d7aebd5e3dp-37)))));
  const T half_z = T(0.5) * z;
  const T near_cos = T(1) - half_z;  // its round-off is (1 − near_cos) − z/2
  return {r + r * (z * S), near_cos + (((T(1) - near_cos) - half_z) + z * z * C)};
}

template <class T>
T reduced(const T& x, const T& n) {
  const T first = x - n * T(half_pi_1), step = n * T(half_pi_2), second = first - step;  // exact but for `second`,
  return second + (((first - second) - step) - n * T(half_pi_3));                        // whose round-off this adds
}

}  // namespace sin_cos_detail

inline SinCos<double> fast_sin_cos(double x) {
  namespace d = sin_cos_detail;
  if (!(std::abs(x) < d::largest_angle)) return {std::sin(x), std::cos(x)};
  const double shifted = x * d::two_over_pi + d::to_integer;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const SinCos<double> octant = d::on_first_octant(d::reduced(x, shifted - d::to_integer));
  // Odd quadrants swap sine and cosine; the signs are those of quadrants 2, 3 and 1, 2. Bits, for a branch on a random
  // quadrant would be mispredicted every other time.
  const auto s = std::bit_cast<std::uint64_t>(octant.sin), c = std::bit_cast<std::uint64_t>(octant.cos);
  const std::uint64_t swapped = (s ^ c) & (0 - (quadrant & 1));
  return {std::bit_cast<double>((s ^ swapped) ^ ((quadrant & 2) << 62)),
          std::bit_cast<double>((c ^ swapped) ^ (((quadrant + 1) & 2) << 62))};
}

}  // namespace trammel

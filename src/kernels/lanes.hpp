// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several states side by side in one SIMD register: a scalar for the kernels. As many doubles as the registers of the
// instruction-set level hold (2, 4 or 8), so this header is only for the kernel library, which is compiled once a level.
// The compilers' own vector type serves: clang and g++ treat it alike, also with AVX-512, and g++ 12 moves it less through
// memory than std::experimental::simd, whose values are nested structs.

#include <cstdint>

#include <trammel/core/scalar.hpp>

#include "kernels/column_inertia.hpp"
#include "kernels/kept_numbers.hpp"

namespace trammel {

struct Lanes {
#if defined(__AVX512F__)
  static constexpr int width = 8;
#elif defined(__AVX__)
  static constexpr int width = 4;
#else
  static constexpr int width = 2;
#endif
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef double Register __attribute__((vector_size(width * sizeof(double))));
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef std::int64_t Bits __attribute__((vector_size(width * sizeof(double))));
  // In each lane all bits set or none.
  struct Mask {
    Bits bits;

    friend Mask operator&&(const Mask& a, const Mask& b) { return {a.bits & b.bits}; }
    friend Mask operator||(const Mask& a, const Mask& b) { return {a.bits | b.bits}; }
  };

  Register r;

  Lanes() : r{} {}
  Lanes(double x) : r(x - Register{}) {}  // NOLINT(google-explicit-constructor): the same in all lanes
  explicit Lanes(int x) : Lanes(static_cast<double>(x)) {}
  Lanes(const Register& x) : r(x) {}  // NOLINT(google-explicit-constructor)

  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  Lanes& operator*=(const Lanes& b) { return *this = *this * b; }

  friend Lanes operator-(const Lanes& a) { return -a.r; }
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return a.r + b.r; }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return a.r - b.r; }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return a.r * b.r; }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return a.r / b.r; }
  friend Mask operator<(const Lanes& a, const Lanes& b) { return {a.r < b.r}; }
  friend Mask operator>(const Lanes& a, const Lanes& b) { return {a.r > b.r}; }
};

template <>
struct KeptFor<Lanes> {
  using Number = double;
  using Inertia = ColumnInertia;
  static constexpr bool accelerations = false;  // a Batch has accelerations_W for them
};

inline Lanes select(const Lanes::Mask& condition, const Lanes& if_true, const Lanes& if_false) {
  return condition.bits ? if_true.r : if_false.r;
}
inline bool all_of(const Lanes::Mask& mask) {
  std::int64_t all = -1;
  for (int i = 0; i < Lanes::width; ++i) all &= mask.bits[i];
  return all != 0;
}
inline bool any_of(const Lanes::Mask& mask) {
  std::int64_t any = 0;
  for (int i = 0; i < Lanes::width; ++i) any |= mask.bits[i];
  return any != 0;
}
inline bool is_zero(const Lanes& x) { return all_of({x.r == Lanes::Register{}}); }
inline Lanes sqrt(const Lanes& x) {
  Lanes root;
  for (int i = 0; i < Lanes::width; ++i) root.r[i] = std::sqrt(x.r[i]);
  return root;
}
inline Lanes abs(const Lanes& x) { return select(x < Lanes(0.0), -x, x); }

// Of positive numbers that are not denormal. With x = 2^e m and m between √½ and √2:
//   log x = e log 2 + 2 (s + s³/3 + s⁵/5 + …),   s = (m − 1)/(m + 1),  |s| < 0.172
// The first term left out, s²⁰/21, is below a tenth of round-off. log 2 in two parts, the first of which e times is exact.
inline Lanes log(const Lanes& x) {
  using Register = Lanes::Register;
  // NOLINTNEXTLINE(modernize-use-using): g++ takes these attributes in a typedef
  typedef std::uint64_t Bits __attribute__((vector_size(Lanes::width * sizeof(double))));  // shifted without a sign
  constexpr std::uint64_t mantissa = 0xfffffffffffff, one = 0x3ff0000000000000, two_to_52 = 0x4330000000000000;
  constexpr double root_2 = 1.4142135623730951, bias = 4503599627370496.0 + 1023;
  constexpr double log_2_high = 0.693147180369123816490, log_2_low = 1.90821492927058770002e-10;
  const auto bits = __builtin_bit_cast(Bits, x.r);
  const Lanes m1 = __builtin_bit_cast(Register, (bits & mantissa) | one);
  const Lanes e1 = Lanes(__builtin_bit_cast(Register, (bits >> 52) | two_to_52)) - bias;
  const auto is_upper = m1 > Lanes(root_2);
  const Lanes m = select(is_upper, m1 * 0.5, m1), e = select(is_upper, e1 + 1.0, e1);
  const Lanes s = (m - 1.0) / (m + 1.0), z = s * s;
  Lanes series = 1.0 / 19;
  for (int k = 17; k > 1; k -= 2) series = series * z + 1.0 / k;
  return e * log_2_high + (s * 2.0 + (s * 2.0 * z * series + e * log_2_low));
}

// For angles so large that few ever see them: out of the way, or kernels would keep everything safe from a call.
[[gnu::noinline, gnu::cold]] inline SinCos<Lanes> sin_cos_lane_by_lane(Lanes x) {
  SinCos<Lanes> result;
  for (int i = 0; i < Lanes::width; ++i) {
    const SinCos<double> lane = fast_sin_cos(static_cast<double>(x.r[i]));
    result.sin.r[i] = lane.sin;
    result.cos.r[i] = lane.cos;
  }
  return result;
}

inline SinCos<Lanes> sin_cos(const Lanes& x) {
  namespace d = sin_cos_detail;
  if (!all_of(abs(x) < Lanes(d::largest_angle))) [[unlikely]]
    return sin_cos_lane_by_lane(x);
  const Lanes shifted = x * d::two_over_pi + d::to_integer;
  const SinCos<Lanes> octant = d::on_first_octant<Lanes>(d::reduced<Lanes>(x, shifted - d::to_integer));
  // As for double: odd quadrants swap, and the quadrant's bits give the signs.
  const auto quadrant = __builtin_bit_cast(Lanes::Bits, shifted.r);
  const auto s = __builtin_bit_cast(Lanes::Bits, octant.sin.r), c = __builtin_bit_cast(Lanes::Bits, octant.cos.r);
  const Lanes::Bits swapped = (s ^ c) & -(quadrant & 1);
  return {Lanes(__builtin_bit_cast(Lanes::Register, (s ^ swapped) ^ ((quadrant & 2) << 62))),
          Lanes(__builtin_bit_cast(Lanes::Register, (c ^ swapped) ^ (((quadrant + 1) & 2) << 62)))};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lanes whose parameters differ too: masses, lengths and friction of a mechanism are kept once a lane, where Lanes keep them once for all.
// In the kernel library only.

#include "kernels/lane_masks.hpp"

namespace trammel {

struct VariedLanes {
  static constexpr int width = Lanes::width;
  using Mask = Lanes::Mask;

  Lanes lanes;

  VariedLanes() = default;
  VariedLanes(double x) : lanes(x) {}  // NOLINT(google-explicit-constructor): the same in all lanes
  explicit VariedLanes(int x) : lanes(x) {}
  VariedLanes(const Lanes& x) : lanes(x) {}  // NOLINT(google-explicit-constructor)

  VariedLanes& operator+=(const VariedLanes& b) { return *this = *this + b; }
  VariedLanes& operator-=(const VariedLanes& b) { return *this = *this - b; }
  VariedLanes& operator*=(const VariedLanes& b) { return *this = *this * b; }

  friend VariedLanes operator-(const VariedLanes& a) { return -a.lanes; }
  friend VariedLanes operator+(const VariedLanes& a, const VariedLanes& b) { return a.lanes + b.lanes; }
  friend VariedLanes operator-(const VariedLanes& a, const VariedLanes& b) { return a.lanes - b.lanes; }
  friend VariedLanes operator*(const VariedLanes& a, const VariedLanes& b) { return a.lanes * b.lanes; }
  friend VariedLanes operator/(const VariedLanes& a, const VariedLanes& b) { return a.lanes / b.lanes; }
  friend Mask operator<(const VariedLanes& a, const VariedLanes& b) { return a.lanes < b.lanes; }
  friend Mask operator>(const VariedLanes& a, const VariedLanes& b) { return a.lanes > b.lanes; }
};

template <>
struct KeptFor<VariedLanes> {
  using Number = VariedLanes;
  using Inertia = LinkInertia<VariedLanes>;
  static constexpr bool accelerations = false;
};

inline VariedLanes select(const Lanes::Mask& condition, const VariedLanes& if_true, const VariedLanes& if_false) {
  return select(condition, if_true.lanes, if_false.lanes);
}
inline bool is_zero(const VariedLanes& x) { return is_zero(x.lanes); }
inline VariedLanes sqrt(const VariedLanes& x) { return sqrt(x.lanes); }
inline VariedLanes abs(const VariedLanes& x) { return abs(x.lanes); }
inline VariedLanes pow(const VariedLanes& x, double exponent) { return pow(x.lanes, exponent); }
inline SinCos<VariedLanes> sin_cos(const VariedLanes& x) {
  const SinCos<Lanes> found = sin_cos(x.lanes);
  return {found.sin, found.cos};
}

}  // namespace trammel

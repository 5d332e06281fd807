// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lanes need besides for laws that switch; in the kernel library only.

#include "kernels/lanes.hpp"

namespace trammel {

inline Lanes::Mask operator!(const Lanes::Mask& mask) { return {~mask.bits}; }

// For contacts that are no linear springs: few have them.
[[gnu::noinline]] inline Lanes pow(Lanes x, double exponent) {
  Lanes result;
  for (int i = 0; i < Lanes::width; ++i) result.r[i] = std::pow(x.r[i], exponent);
  return result;
}

}  // namespace trammel

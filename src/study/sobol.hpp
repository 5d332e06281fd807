// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sobol's sequence: points that fill a cube evenly. Of the first 2ᵐ points every interval [k/2ᵐ, (k+1)/2ᵐ) of every coordinate holds exactly one.

#include <cstdint>

namespace trammel::study {

inline constexpr int most_sobol_dimensions = 21;
inline constexpr int sobol_bits = 32;

// Coordinate `dimension` (from 0) of point `index` (from 0), as a binary fraction of 32 bits.
std::uint32_t sobol(std::uint32_t index, int dimension);

}  // namespace trammel::study

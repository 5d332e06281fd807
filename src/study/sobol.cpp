// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/sobol.hpp"

#include <array>

namespace trammel::study {
namespace {

// A primitive polynomial xˢ + a₁ xˢ⁻¹ + … + aₛ₋₁ x + 1 over GF(2), its inner coefficients as the bits of `a` (a₁ the highest), and the first s
// direction numbers. The choice of Joe and Kuo (2008), "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30, 2635–2654, dimensions 2 to 21.
struct Direction {
  int s;
  std::uint32_t a;
  std::array<std::uint32_t, 7> m;
};
constexpr std::array<Direction, most_sobol_dimensions - 1> directions{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Columns = std::array<std::uint32_t, sobol_bits>;

// v_k = m_k 2^(32−k), and beyond the given ones (⊕ is exclusive or)
//   v_k = a₁ v_{k−1} ⊕ … ⊕ a_{s−1} v_{k−s+1} ⊕ v_{k−s} ⊕ v_{k−s}/2ˢ                                                   (1)
constexpr Columns columns_of(const Direction& direction) {
  Columns v{};
  for (int k = 0; k < sobol_bits; ++k) {
    if (k < direction.s) {
      v[k] = direction.m[k] << (sobol_bits - 1 - k);
      continue;
    }
    v[k] = v[k - direction.s] ^ (v[k - direction.s] >> direction.s);  // (1)
    for (int j = 1; j < direction.s; ++j) {
      if ((direction.a >> (direction.s - 1 - j)) & 1u) v[k] ^= v[k - j];
    }
  }
  return v;
}

constexpr std::array<Columns, most_sobol_dimensions> all_columns() {
  std::array<Columns, most_sobol_dimensions> all{};
  for (int k = 0; k < sobol_bits; ++k) all[0][k] = 1u << (sobol_bits - 1 - k);  // van der Corput's sequence
  for (int d = 1; d < most_sobol_dimensions; ++d) all[d] = columns_of(directions[d - 1]);
  return all;
}

}  // namespace

// x = ⊕ v_k over the bits k of the index's Gray code, the order of Antonov and Saleev (1979).
std::uint32_t sobol(std::uint32_t index, int dimension) {
  static constexpr auto columns = all_columns();
  std::uint32_t gray = index ^ (index >> 1), x = 0;
  for (int k = 0; gray != 0; ++k, gray >>= 1) {
    if (gray & 1u) x ^= columns[static_cast<std::size_t>(dimension)][static_cast<std::size_t>(k)];
  }
  return x;
}

}  // namespace trammel::study

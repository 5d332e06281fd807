// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several things of one state side by side in lanes: the numbers of each lie one after the other in memory, and row k of the lanes is the
// k-th number of all of them. Squares of width × width numbers are transposed in registers on the way; in the kernel library only.

#include <cstring>
#include <utility>

namespace trammel {

// Of two rows of 2×2 blocks of `step` lanes, the left blocks of both or the right ones.
template <class Wide, int step, bool right, int... lane>
typename Wide::Register blocks_of(typename Wide::Register a, typename Wide::Register b,
                                  std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(
      a, b, ((lane & step) == 0 ? lane + (right ? step : 0) : Wide::width + lane - (right ? 0 : step))...);
}
// Every other block off the diagonal changes places with its mirror image; after steps 1, 2, 4 … the square is transposed.
template <class Wide, int step = 1>
void transpose_square(typename Wide::Register* rows) {
  if constexpr (step < Wide::width) {
    constexpr std::make_integer_sequence<int, Wide::width> lanes;
    for (int i = 0; i < Wide::width; ++i) {
      if ((i & step) != 0) continue;
      const auto a = rows[i], b = rows[i + step];
      rows[i] = blocks_of<Wide, step, false>(a, b, lanes);
      rows[i + step] = blocks_of<Wide, step, true>(a, b, lanes);
    }
    transpose_square<Wide, 2 * step>(rows);
  }
}

// `numbers` is a multiple of the width, which is at most 8.
template <int numbers, class Wide>
void into_rows(const double* const (&things)[Wide::width], Wide* rows) {
  static_assert(numbers % 8 == 0);
  for (int k = 0; k < numbers; k += Wide::width) {
    typename Wide::Register square[Wide::width];
    for (int i = 0; i < Wide::width; ++i) std::memcpy(&square[i], things[i] + k, sizeof(square[i]));
    transpose_square<Wide>(square);
    for (int i = 0; i < Wide::width; ++i) rows[k + i].r = square[i];
  }
}
template <int numbers, class Wide>
void out_of_rows(const Wide* rows, double* const (&things)[Wide::width]) {
  static_assert(numbers % 8 == 0);
  for (int k = 0; k < numbers; k += Wide::width) {
    typename Wide::Register square[Wide::width];
    for (int i = 0; i < Wide::width; ++i) square[i] = rows[k + i].r;
    transpose_square<Wide>(square);
    for (int i = 0; i < Wide::width; ++i) std::memcpy(things[i] + k, &square[i], sizeof(square[i]));
  }
}

}  // namespace trammel

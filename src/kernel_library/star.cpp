// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Lilly and Orin's algorithm on one state of doubles, compiled once for every instruction-set level.

#include "kernels/packed.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/lilly_orin/make_star_table.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT const trammel::StarTable<double>* trammel_star_kernels() {
  static constexpr auto table = trammel::make_star_table<trammel::Packed, double>();
  return &table;
}
}

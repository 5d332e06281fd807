// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All kernels on a block of states in SIMD lanes, compiled once for every instruction-set level.

#include "kernels/lanes.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/make_kernel_table.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT const trammel::KernelTable<double>* trammel_lane_kernels() {
  static constexpr auto table = trammel::make_kernel_table<trammel::Lanes, double>();
  return &table;
}
}

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// All kernels on one state of doubles, compiled once for every instruction-set level.

#include "kernels/packed.hpp"
// The scalar comes first: kernels must see its vectors.
#include "dynamics/make_kernel_table.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT const char* trammel_kernel_level() { return TRAMMEL_KERNEL_LEVEL; }
TRAMMEL_EXPORT const trammel::KernelTable<double>* trammel_double_kernels() {
  static constexpr auto table = trammel::make_kernel_table<trammel::Packed, double>();
  return &table;
}
}

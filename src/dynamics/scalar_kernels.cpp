// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where the kernels of the scalars that are used for their answers come from; those that count: counted_kernels.cpp.

#include <trammel/core/dual.hpp>

#include "dynamics/make_kernel_table.hpp"

namespace trammel {

template <>
const KernelTable<double>& kernels<double>() {
  static const KernelTable<double>* const table = trammel_double_kernels();
  return *table;
}
template <>
const KernelTable<Dual>& kernels<Dual>() {
  static constexpr KernelTable<Dual> table = make_kernel_table<Dual, Dual>();
  return table;
}

}  // namespace trammel

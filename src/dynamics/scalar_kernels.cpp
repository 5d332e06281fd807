// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Where the kernels of each scalar come from.

#include <trammel/core/counted.hpp>
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
template <>
const KernelTable<Counted>& kernels<Counted>() {
  static constexpr KernelTable<Counted> table = make_kernel_table<Counted, Counted>();
  return table;
}

}  // namespace trammel

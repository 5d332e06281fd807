// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The kernels with numbers that count operations: nobody waits for them, so they are compiled quickly.

#include <trammel/core/counted.hpp>

#include "dynamics/make_kernel_table.hpp"

namespace trammel {

template <>
const KernelTable<Counted>& kernels<Counted>() {
  static constexpr KernelTable<Counted> table = make_kernel_table<Counted, Counted>();
  return table;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The pieces of Lilly and Orin's algorithm with numbers that count operations: nobody waits for them, so they are compiled quickly.

#include "dynamics/lilly_orin/make_star_table.hpp"

namespace trammel {

const StarTable<Counted>& counted_star_kernels() {
  static constexpr StarTable<Counted> table = make_star_table<Counted, Counted>();
  return table;
}

}  // namespace trammel

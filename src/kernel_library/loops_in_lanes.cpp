// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Mechanisms with loops, on a block of states in SIMD lanes, compiled once for every instruction-set level.

#include "kernels/lanes.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/loops_in_lanes.hpp"
#include "dynamics/make_kernel_table.hpp"
#include "kernel_library/export.hpp"

namespace trammel {
namespace {

using Kernels = KernelsOn<Lanes, double>;

std::size_t scratch_numbers(const Tree& tree, const LaneRowsPlan& plan) {
  return lane_loop_scalars<Lanes>(tree.nv, plan) * Lanes::width;
}

void accelerate(const Tree& tree, double* ws, double* scratch, const LaneRowsPlan& plan, const GivenRows<double>& given,
                const double* q, const double* v, const double* tau, double* a, const LoadArrays<double>& loads,
                double settled, double* singular_joint, double* rest) {
  const auto own = [](auto* numbers) { return Kernels::own(numbers); };
  accelerate_loops<Lanes>(tree, Kernels::arrays(tree, ws), plan, {own(given.J), own(given.terms), own(given.d)}, own(q),
                          own(v), own(tau), Kernels::loads(loads), lane_loops(tree.nv, plan, own(scratch), own(a)),
                          settled, own(singular_joint), own(rest));
}

}  // namespace
}  // namespace trammel

extern "C" {
TRAMMEL_EXPORT const TrammelLoopLanes* trammel_loop_lanes() {
  static constexpr TrammelLoopLanes table{trammel::scratch_numbers, trammel::accelerate};
  return &table;
}
}

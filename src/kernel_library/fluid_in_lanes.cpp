// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies in a fluid, on a block of states in SIMD lanes, compiled once for every instruction-set level.

#include "kernels/lanes.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/make_kernel_table.hpp"
#include "fluid/lane_bodies.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT void trammel_fluid_lane_kernel(const trammel::fluid::LaneTask* task, const trammel::Tree* tree,
                                              double* ws) {
  using Kernels = trammel::KernelsOn<trammel::Lanes, double>;
  trammel::fluid::run_lanes(*task, *tree, Kernels::arrays(*tree, ws));
}
}

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Steps of several motions in SIMD lanes, compiled once for every instruction-set level.

#include "kernels/lane_masks.hpp"
// The scalar comes first, as in one_state.cpp.
#include "dynamics/make_kernel_table.hpp"
#include "kernel_library/export.hpp"
#include "simulation/lane_step.hpp"

using trammel::Lanes;

extern "C" {
TRAMMEL_EXPORT std::size_t trammel_lane_step_numbers(const trammel::Tree* tree, int points) {
  return trammel::lane_scratch_scalars<Lanes>(tree->nq, tree->nv, points) * Lanes::width;
}
TRAMMEL_EXPORT void trammel_lane_step(const trammel::LaneStepTask* task, const trammel::Tree* tree, double* ws,
                                      double* scratch) {
  using Kernels = trammel::KernelsOn<Lanes, double>;
  trammel::LaneStep<Lanes>(*task, *tree, Kernels::arrays(*tree, ws),
                           trammel::lane_scratch(tree->nq, tree->nv, reinterpret_cast<Lanes*>(scratch)))
      .run();
}
}

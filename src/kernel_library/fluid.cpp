// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies in a fluid, on one state of doubles, compiled once for every instruction-set level.

#include "kernels/lanes.hpp"
#include "kernels/packed.hpp"
// The scalars come first, as in one_state.cpp.
#include "dynamics/make_kernel_table.hpp"
#include "fluid/uniform_bodies.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT void trammel_fluid_kernel(trammel::fluid::UniformTask* task, const trammel::Tree* tree,
                                         const double* ws) {
  using Kernels = trammel::KernelsOn<trammel::Packed, double>;
  trammel::fluid::run_uniform<trammel::Lanes>(*task, *tree, Kernels::arrays(*tree, ws));
}
}

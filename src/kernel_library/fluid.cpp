// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Bodies in a fluid, on one state of doubles, compiled once for every instruction-set level.

#include "kernels/lanes.hpp"
// The scalar comes first, as in one_state.cpp.
#include "fluid/uniform_bodies.hpp"
#include "kernel_library/export.hpp"

extern "C" {
TRAMMEL_EXPORT void trammel_fluid_kernel(trammel::fluid::UniformTask* task, const trammel::Tree* tree, const double* ws,
                                         trammel::fluid::LinkReader link) {
  trammel::fluid::run_uniform<trammel::Lanes>(*task, *tree, ws, link);
}
}

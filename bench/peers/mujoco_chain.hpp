// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chains of hinges of any length in MuJoCo, whose XML nests a hundred elements at most. The document has the bodies side
// by side, each on the world; what makes them a chain, the parents of bodies and freedoms and the sizes of the inertia
// matrix, is written over in the loaded mjModel. (Chains that XML can say come out the same both ways; the comparison of
// answers would show a mistake here.)

#include <mujoco/mujoco.h>

#include <trammel/model.hpp>

namespace trammel::bench {

// Body i of ours is MuJoCo's body i + 1, freedom i its freedom i, with the same zero and direction. Throws
// std::invalid_argument for anything but a chain of hinges in the order of the bodies.
mjModel* load_hinge_chain(const Model& model);

}  // namespace trammel::bench

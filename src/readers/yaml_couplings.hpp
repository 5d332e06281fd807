// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sections `couplings` and `outputs`, which refer to joints and bodies that are already there.

#include <vector>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

// q₂ = ratio · q₁ + offset between two joint coordinates.
void read_couplings(Reading& r, const Node& section, const std::vector<JointDraft>& joints);
// Points of interest, carried by bodies.
void read_outputs(Reading& r, const Node& section);

}  // namespace trammel::readers

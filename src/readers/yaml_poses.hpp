// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where every body's frame is at the design position. Each body is placed by at most one thing (its own pose, a
// Denavit-Hartenberg row, a free joint), which may refer to one other body; so the bodies hang on chains, and each chain
// is walked to its end and back, without recursion and in any order of the file.

#include <vector>

#include "readers/yaml_bodies.hpp"
#include "readers/yaml_joints.hpp"

namespace trammel::readers {

// Fills X_WB of all bodies, and reads their contents on the way: a body on a free joint may sit at its own centre of
// mass.
void place_and_read_bodies(Reading& r, const std::vector<BodyDraft>& bodies, const std::vector<JointDraft>& joints);

}  // namespace trammel::readers

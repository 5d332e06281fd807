// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sections of what acts and happens over time, beside actuators, springs and loads.

#include <vector>

#include "readers/yaml_joints.hpp"
#include "readers/yaml_state_functions.hpp"

namespace trammel::readers {

void read_drives(Reading& r, const Node& section, const std::vector<JointDraft>& joints);  // yaml_drives.cpp
void read_bushings(Reading& r, const Node& section);                                       // yaml_bushings.cpp
void read_events(Reading& r, const Node& section, const StateNames& names);                // yaml_events.cpp
void read_simulate(Reading& r, const Node& node);                                          // yaml_simulate.cpp

// What the section `simulate` may name.
const std::vector<std::string>& integrator_words();
const std::vector<std::string>& stabilisation_words();

// Units of a bushing's stiffness at row i and column k (0 to 5, turns first); of its damping `time` is 1.
Dimension bushing_dimension(std::size_t i, std::size_t k, int time);

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ground and what touches it: environment: {terrain}, materials, contacts.

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

void read_terrain(Reading& r, const Node& node, std::size_t max_bytes);                     // yaml_terrain.cpp
void read_materials(Reading& r, const Node& section);                                       // yaml_contacts.cpp
void read_contacts(Reading& r, const Node& section);                                        // yaml_contacts.cpp
void read_impacts(Reading& r, const Node& section, const std::vector<JointDraft>& joints);  // yaml_impacts.cpp

// Units of materials.
namespace contact_dimension {
inline constexpr Dimension dissipation{.length = -1, .time = 1};
}  // namespace contact_dimension
// N/mⁿ in SI for one unit of the file.
double stiffness_in_si(const Units& units, double exponent);

}  // namespace trammel::readers

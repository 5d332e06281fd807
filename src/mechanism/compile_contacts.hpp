// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// From contact shapes and materials to pairs that may touch, each with its law.

#include <trammel/mechanism.hpp>

namespace trammel {

// Fills mechanism.contacts. Bodies, links and masses of the mechanism are there already.
void compile_contacts(const Model& model, Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace trammel

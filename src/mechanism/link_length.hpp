// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <trammel/diagnostics.hpp>
#include <trammel/mechanism.hpp>

namespace trammel {

// Warns of links in a loop that two joints hold at one point or about one line: coincident points, most likely by mistake.
void warn_of_links_without_length(const Model& model, const Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace trammel

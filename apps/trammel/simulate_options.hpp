// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a model wants to be simulated: its section `simulate:` over defaults.

#include <string>

#include <trammel/simulation.hpp>

namespace trammel::tool {

Stabilisation stabilisation_of_word(const std::string& word);
SimulationOptions options_of_model(const Mechanism& mechanism);

}  // namespace trammel::tool

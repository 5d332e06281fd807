// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state in which `simulate` starts.

#include <trammel/diagnostics.hpp>

#include "eval_state.hpp"

namespace trammel::tool {

// What is driven begins as its drive has it; coordinates and rates that the state names keep their values, the others follow from the
// loops. A state that names a driven coordinate and begins elsewhere gets a warning, an error where the start is to be strict. One whose loops cannot be
// closed so is left as it is: the simulation projects or refuses it.
void complete_start(const Mechanism& mechanism, bool strict, EvalState& start, Diagnostics& diagnostics);

}  // namespace trammel::tool

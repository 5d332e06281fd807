// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The verbs of the command line, one file each. A verb adds itself to the command line and, when called, gives the exit
// code: 0 done, 1 the question has a negative answer, 2 bad input or usage.

#include "command_line.hpp"

namespace trammel::tool {

inline constexpr int done = 0, negative_answer = 1, bad_input = 2;

void add_check(CommandLine& line);
void add_analyze(CommandLine& line);
void add_modes(CommandLine& line);
void add_draw(CommandLine& line);
void add_eval(CommandLine& line);
void add_plot(CommandLine& line);
void add_simulate(CommandLine& line);
void add_virtual_mass(CommandLine& line);
void add_impact(CommandLine& line);
void add_view(CommandLine& line);
void add_study(CommandLine& line);
void add_bench(CommandLine& line);
void add_convert(CommandLine& line);
void add_doctor(CommandLine& line);
// Hidden: what the shell may complete at the cursor. See completion/trammel.bash.
void add_complete(CommandLine& line);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The verbs of the command line, one file each. A verb adds itself to the application and, when called, sets the exit
// code: 0 done, 1 the question has a negative answer, 2 bad input or usage.

#include "command_line.hpp"

namespace trammel::tool {

inline constexpr int done = 0, negative_answer = 1, bad_input = 2;

void add_check(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_modes(CLI::App& app, int& exit_code);
void add_draw(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
// Hidden: what the shell may complete at the cursor. See completion/trammel.bash.
void add_complete(CLI::App& app, int& exit_code);

}  // namespace trammel::tool

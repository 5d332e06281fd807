// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The verbs below `trammel study`, and what they share.

#include <functional>

#include <trammel/study.hpp>

#include "command_line.hpp"

namespace trammel::tool {

void add_study_plot(Verb& study);
void add_study_optimize(Verb& study);
void add_study_submit(Verb& study);

// Runs it; a StudyError becomes a message and an exit code: 1 where something is missing still, otherwise 2.
int with_study_errors(bool json, const std::function<int()>& act);
// How many CPUs this process may use.
int usual_jobs();

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Assembly modes where a sweep begins: for `modes` and for `analyze --mode`.

#include <trammel/analysis.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/modes.hpp>

namespace trammel::tool {

// Of the coordinate, not of the time.
double first_value(const SweepInput& input);
Modes modes_at_inputs(const Mechanism& mechanism, const AnalysisOptions& options, const ModesOptions& search);
// The verdict in words.
Diagnostics under_driven(const Mechanism& mechanism, const AnalysisOptions& options,
                         const std::vector<FreeMotion>& free_motions);

}  // namespace trammel::tool

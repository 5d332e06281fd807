// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What came of an analysis, in a word and in words.

#include <string>

#include <trammel/analysis.hpp>

namespace trammel::tool {

// "ok", "imaginary" (no position at all), "cannot-assemble", "under-driven", "over-driven".
std::string status_word(const Analysis& analysis);
// A negative verdict as a message; none otherwise.
Diagnostics verdict(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// On what the figures were taken, and what that machine could do at best.

#include <string>

namespace trammel::bench {

std::string today();  // 2025-01-31
std::string cpu_name();
std::string compilers();  // of the library and, where another, of the kernels
// Where a run leaves its figures: <folder>/<date>_<cpu><suffix>.csv, in bench/results of the build folder unless told
// otherwise; those of bench/results in the source tree are what docs/performance.md shows.
std::string default_results_folder();
std::string results_path(const std::string& folder, const std::string& suffix);

// Clock in GHz, from a loop of additions each of which waits for the one before: one cycle each. 0 where that cannot be
// told (not x86-64).
double clock_ghz();
// Additions and multiplications in a nanosecond at most: two units that each do a fused multiply-add on a whole
// register of doubles every cycle, as x86-64 CPUs with FMA have; on the baseline level, which has no FMA, one addition
// and one multiplication instead, which makes half of that.
double peak_flops_per_ns(double ghz);

}  // namespace trammel::bench

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// An analysis as columns, in the units of the model's file: for tables, CSV files and plots.
//
//   O2                       inputs come first
//   A.q  A.v  A.a            coordinates of joints (A.q1, A.q2 where there are several), their rates
//   P.x … P.vx … P.ax … P.speed P.accel    points of interest
//   crank.angle              turn of each body of a planar linkage; crank.w, crank.alpha
//   drive O2                 what the input takes;  A.fx … A.force, A.nx …  reactions;  load NAME;  measure names as they are

#include <string>
#include <vector>

#include <trammel/analysis.hpp>
#include <trammel/results.hpp>

namespace trammel {

Channels channels_of(const Mechanism& mechanism, const AnalysisOptions& options, const Analysis& analysis);
// Those whose name matches one of the words: exactly, or up to a dot ("A" takes "A.q", "A.v" …). The first column stays. Words that
// match nothing are returned in `unknown`.
Channels choose_channels(const Channels& all, const std::vector<std::string>& words, std::vector<std::string>& unknown);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis_verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "modes_at_inputs.hpp"

namespace trammel::tool {

std::string status_word(const Analysis& analysis) {
  switch (analysis.status) {
    case Analysis::Status::ok:
      return std::any_of(analysis.steps.begin(), analysis.steps.end(),
                         [](const AnalysisStep& s) { return s.status != StepStatus::imaginary; })
                 ? "ok"
                 : "imaginary";
    case Analysis::Status::cannot_assemble:
      return "cannot-assemble";
    case Analysis::Status::under_driven:
      return "under-driven";
    case Analysis::Status::over_driven:
      return "over-driven";
  }
  return "";
}

Diagnostics verdict(const Mechanism& mech, const AnalysisOptions& options, const Analysis& analysis) {
  Diagnostics d;
  d.file = mech.file;
  switch (analysis.status) {
    case Analysis::Status::ok:
      if (status_word(analysis) == "imaginary") {
        d.error({}, "no-position", "the linkage has no position at any value of the inputs", "choose other inputs");
      }
      break;
    case Analysis::Status::cannot_assemble:
      d.error({}, "cannot-close",
              fmt::format("the linkage cannot close: the smallest gap found is {:.6g} {} and {:.6g} {}, at {}",
                          mech.units.from_si(analysis.assembly.gap_m, dimension::length), mech.units.length,
                          mech.units.from_si(analysis.assembly.gap_rad, dimension::angle), mech.units.angle,
                          analysis.worst_gap),
              "check the lengths of the links and where their joints are, or choose other input values");
      break;
    case Analysis::Status::under_driven:
      return under_driven(mech, options, analysis.free_motions);
    case Analysis::Status::over_driven:
      d.error({}, "over-driven",
              options.inputs.size() == 1
                  ? std::string("the linkage is locked: it has no freedom that the input could move")
                  : fmt::format("{} inputs are more than the freedoms of the linkage", options.inputs.size()),
              options.inputs.size() == 1
                  ? "remove a constraint or a link, or drive another joint; `trammel check` counts freedoms"
                  : "remove inputs, or constraints");
      break;
  }
  return d;
}

}  // namespace trammel::tool

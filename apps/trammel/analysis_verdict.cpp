// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis_verdict.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel::tool {
namespace {

std::string motion_text(const Mechanism& mech, const FreeMotion& motion) {
  std::vector<std::string> parts;
  for (const FreeMotion::Share& s : motion.shares) {
    const JointInfo& joint = mech.joints[mech.links[mech.link_of_dof[s.freedom]].joint];
    parts.push_back(joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, s.freedom - joint.v));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

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
    case Analysis::Status::under_driven: {
      std::vector<std::string> free;
      for (const FreeMotion& motion : analysis.free_motions) {
        if (!motion.idle) free.push_back(motion_text(mech, motion));
      }
      d.error(
          {}, "under-driven",
          fmt::format("{} input{} not determine the motion: {} still free, of {}", options.inputs.size(),
                      options.inputs.size() == 1 ? " does" : "s do",
                      free.size() == 1 ? "one is" : fmt::format("{} are", free.size()), fmt::join(free, "; and of ")),
          free.size() == 1 ? "add an input at one of these joints" : "add an input for each of them");
      break;
    }
    case Analysis::Status::over_driven:
      d.error({}, "over-driven",
              fmt::format("{} {} more than the freedoms of the linkage", options.inputs.size(),
                          options.inputs.size() == 1 ? "input is" : "inputs are"),
              "remove inputs, or constraints");
      break;
  }
  return d;
}

}  // namespace trammel::tool

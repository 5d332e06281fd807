// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "modes_at_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trammel::tool {

double first_value(const SweepInput& input) { return input.motion ? input.motion->at(input.from) : input.from; }

Modes modes_at_inputs(const Mechanism& mech, const AnalysisOptions& options, const ModesOptions& search) {
  std::vector<Driver> drivers;
  std::vector<double> values;
  for (const SweepInput& input : options.inputs) {
    drivers.push_back(input.driver);
    values.push_back(first_value(input));
  }
  return find_modes(mech, drivers, values, search);
}

namespace {

std::string joints_of(const Mechanism& mech, const FreeMotion& motion) {
  std::vector<std::string> parts;
  for (const FreeMotion::Share& s : motion.shares) {
    const JointInfo& joint = mech.joints[mech.links[mech.link_of_dof[s.freedom]].joint];
    parts.push_back(joint.nv == 1 ? joint.name : fmt::format("{}.{}", joint.name, s.freedom - joint.v));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Diagnostics under_driven(const Mechanism& mech, const AnalysisOptions& options,
                         const std::vector<FreeMotion>& free_motions) {
  Diagnostics d;
  d.file = mech.file;
  std::vector<std::string> free;
  for (const FreeMotion& motion : free_motions) {
    if (!motion.idle) free.push_back(joints_of(mech, motion));
  }
  d.error({}, "under-driven",
          fmt::format("{} input{} not determine the motion: {} still free, of {}", options.inputs.size(),
                      options.inputs.size() == 1 ? " does" : "s do",
                      free.size() == 1 ? "one is" : fmt::format("{} are", free.size()), fmt::join(free, "; and of ")),
          free.size() == 1 ? "add an input at one of these joints" : "add an input for each of them");
  return d;
}

}  // namespace trammel::tool

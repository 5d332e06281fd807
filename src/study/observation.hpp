// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of a model, whatever kind of run it is, as columns: over the inputs, over time, or one row for an impact. The columns of analyses
// and simulations are those that `analyze --csv` and `simulate --csv` write; of an impact, in SI:
//
//   elbow.v, before elbow.v              freedoms after and before
//   blow.impulse, blow.impulse.x …       on the first body; of a stop: on its coordinate.  blow.moment.x …, blow.work, blow.before.x …, blow.after.x …
//   energy.before, energy.after, energy.lost, energy.contacts, energy.resistance, error.momentum, error.angular, error.energy
//   JOINT.held                           size of the impulse that a joint carries

#include <string>
#include <string_view>
#include <vector>

#include <trammel/study.hpp>

namespace trammel::study {

struct Observation {
  std::string status = "done", reason;
  Channels channels;  // only those asked for; empty where there is nothing to be seen
};

// What is looked at: columns by name.
struct Wish {
  StudyRun run = StudyRun::analyze;
  bool forces = false;
  std::vector<std::string> channels;  // besides the independent one, which comes first
};

// `path` is where the model's text is from, for what it names beside it.
Observation observe(std::string_view model_text, const std::string& path, std::string_view scenario_text,
                    const Wish& wish);

// Names and units of all columns of a run, without running it. Errors of the model are in `diagnostics`.
std::vector<Channel> list_channels(std::string_view model_text, const std::string& path, std::string_view scenario_text,
                                   const std::string& scenario_path, const Wish& wish, Diagnostics& diagnostics);

}  // namespace trammel::study

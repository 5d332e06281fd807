// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `trammel simulate` says of a run: as a table on the terminal, as JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <trammel/simulation.hpp>

namespace trammel::tool {

struct SimulateResult {
  const SimulationReport& report;
  const std::vector<RecordedEvent>& events;
  const std::vector<AnalysisStep>& samples;
  AnalysisStep end;
  double seconds = 0, real_time_factor = 0;
  std::string recording;
  std::uint64_t rows = 0;
  std::vector<ContactState> contacts = {};  // at the end, per pair
};

nlohmann::ordered_json report_json(const Mechanism& mechanism, const SimulateResult& result);
void print_report(const Mechanism& mechanism, const SimulateResult& result);
// Of a run, for its recording.
nlohmann::ordered_json options_json(const SimulationOptions& options, const std::string& state);
// "step-too-small"
std::string status_id(SimulationStatus status);
// A run that did not end as wished, as a message; none otherwise.
Diagnostics verdict_on(const SimulationReport& report);

}  // namespace trammel::tool

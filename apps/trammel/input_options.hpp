// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options that name a coordinate and give it numbers: --input JOINT=from:to:step, --speed JOINT=w and the like.

#include <string>
#include <vector>

#include <trammel/analysis.hpp>
#include <trammel/diagnostics.hpp>

namespace trammel::tool {

struct InputOptions {
  std::vector<std::string> inputs, speeds, accelerations, drives;

  std::vector<std::string> joints() const;  // named by the inputs, perhaps with ".freedom"
};

struct Coordinate {
  int joint = -1, dof = 0;
  Dimension dimension;
};
// "O2" or "guide.1"; an error message otherwise.
std::string find_coordinate(const Mechanism& mechanism, const std::string& text, Coordinate& out);
// "JOINT=a:b:c" into the joint and its numbers; an error message otherwise.
std::string split_option(const std::string& text, std::size_t most_numbers, std::string& name,
                         std::vector<double>& numbers);
// The joint, with the freedom where it has several: "O2", "guide.1".
std::string input_name(const Mechanism& mechanism, const SweepInput& input);
// The inputs asked for, or those of the file; where they are needed, none is an error. False: problems say why.
bool collect_inputs(const Mechanism& mechanism, const InputOptions& options, bool needed, AnalysisOptions& out,
                    Diagnostics& problems);

}  // namespace trammel::tool

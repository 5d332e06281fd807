// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What must hold for every input, however it was damaged: the fuzz targets check these, and stop the process where one
// does not hold, so that libFuzzer keeps the input.

#include <string>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

namespace trammel::fuzz {

// Prints what does not hold and aborts.
void require(bool holds, const std::string& what);

// One input may take 5 s of CPU time, a second without sanitizers; more is as good as a hang. libFuzzer's own limit is
// by the clock on the wall, which other processes may hold up.
class TimeLimit {
 public:
  TimeLimit();
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  double begin_;
};

// Each message says what, how to mend it, and its id; on one line and short enough to be read.
void require_sound_messages(const Diagnostics& diagnostics);

// The models agree to round-off; `texts` are shown where they do not.
void require_same(const Model& first, const Model& second, const std::string& texts);

// Written as native YAML and read back it is the same model, to the last bit in SI; in its own units it can be read.
void require_native_keeps(const Model& model);

// compile() takes the model or says why not; where it takes it, kinematics and dynamics give numbers or a verdict.
void require_compiles_or_says_why(const Model& model);

// One state of the mechanism through every kernel. Numbers that are not finite are allowed where the constants of the
// mechanism themselves are beyond all that is built: those of ordinary size must give finite results or a verdict.
void require_evaluates(const Mechanism& mechanism);

}  // namespace trammel::fuzz

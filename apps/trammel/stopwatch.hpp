// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Times of jobs that are to be compared with each other on a machine that is not quiet: the jobs take turns in short
// slices, so that a disturbance hits all of them alike, and the least time per call over many turns is what the machine
// can do. Medians tell how much was disturbed.

#include <functional>
#include <string>
#include <vector>

namespace trammel::tool {

struct Job {
  std::function<void(int first, int count)> run;  // calls first … first + count − 1
  int block = 1;                                  // counts are multiples of it
};

struct Timing {
  double least_ns = 0, median_ns = 0;  // per call
  int turns = 0;                       // 0: left out, since one call takes too long
};

struct TimingOptions {
  double seconds_per_job = 0.5;  // all turns together
  double slice = 200e-6;         // seconds; long against the clock's resolution, short against the scheduler's
  double longest_call = 1.0;     // seconds; a job that needs more is left out
  int least_turns = 5;
};

std::vector<Timing> time_in_turns(const std::vector<Job>& jobs, const TimingOptions& options);

}  // namespace trammel::tool

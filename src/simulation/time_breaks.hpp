// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How loads, targets, drives and events change with time. An integrator with error control takes long steps where nothing changes and would
// step right over a pulse that none of its stages meets. So it halts where one of these functions, or a rate that a drive takes from it,
// jumps, and starts anew behind that; and where a function f bends, its steps are no longer than h = √(R/|f̈|), R the range of f in the run:
// about a quarter of a sine's period, or half of the rise of a ramp.
// Fixed steps halt at jumps too, and go on to the next time of their grid: a rule keeps its order only where all of a step lies on one side.
// At kinks, where forces or accelerations are continuous and their rates jump (knots of a table among them), steps end as well, and go on:
// an estimate of high order does not see a kink within its step, least of all in work, which depends on time alone where all is driven.

#include <functional>
#include <span>
#include <vector>

#include <trammel/simulation.hpp>

namespace trammel {

class TimeBreaks {
 public:
  // Functions are looked at this often between start and end, with fixed steps no more than four times in each. Two jumps in between that
  // cancel, a pulse that is shorter, are not found.
  static constexpr int parts = 20000;

  // The mechanism's functions may not change meanwhile. Those of the state are looked at where it is at the start, `values`, and at a few
  // others: what is gated by the state, and shut at all of them, is not found.
  TimeBreaks(const Mechanism& mechanism, double start, const SimulationOptions& options,
             std::span<const double> values);

  // The last moment before the next jump, t itself where it is one; infinity: none up to `until`.
  double next(double t, double until);
  // The next kink behind t.
  double next_kink(double t, double until);
  // How far a step from t may go; infinity: anywhere.
  double reach(double t, double until);
  // All of them up to then, in order.
  std::span<const double> all(double until);

 private:
  struct Stretch {
    double from = 0, longest = 0;  // where it begins, and the longest step in it
  };
  struct Range {
    double least = infinity, most = -infinity;
  };
  bool knows(double until);
  void find_bends(std::size_t f, const std::vector<double>& values, double from, double spacing,
                  std::span<Stretch> stretches);
  void look(double from, double to);

  std::vector<std::function<double(double)>> functions_;
  std::vector<std::function<double(double)>> rates_;  // that jump at kinks
  std::vector<Range> ranges_;
  std::vector<Stretch> stretches_;  // one after the other
  double spacing_;
  std::vector<double> breaks_, kinks_;  // ascending
  double known_until_;
};

// The last number before each jump of f between `from` and `to`, seen at places that are `to − from` over `parts` apart. `seen`, if given,
// takes the values there.
std::vector<double> find_jumps(const std::function<double(double)>& f, double from, double to, int parts,
                               std::vector<double>* seen = nullptr);

}  // namespace trammel

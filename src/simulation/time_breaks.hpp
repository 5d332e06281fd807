// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moments at which loads, targets and drives jump. An integrator with error control takes long steps where nothing changes and would step
// right over a pulse that none of its stages meets; so it halts at these moments and starts anew behind them.

#include <functional>
#include <vector>

#include <trammel/mechanism.hpp>

namespace trammel {

class TimeBreaks {
 public:
  // Functions are looked at this often between start and end. Two jumps in between that cancel, a pulse that is shorter, are not found.
  static constexpr int parts = 20000;

  // The mechanism's functions may not change meanwhile.
  TimeBreaks(const Mechanism& mechanism, double start, double end);

  // The last moment before the next jump, t itself where it is one; infinity: none up to `until`.
  double next(double t, double until);

 private:
  void look(double from, double to);

  std::vector<std::function<double(double)>> functions_;
  double spacing_;
  std::vector<double> breaks_;  // ascending
  double known_until_;
};

// The last number before each jump of f between `from` and `to`, seen at places that are `to − from` over `parts` apart.
std::vector<double> find_jumps(const std::function<double(double)>& f, double from, double to, int parts);

}  // namespace trammel

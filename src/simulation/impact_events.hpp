// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Impacts within a simulation. At an event, with everything hard that touches there (pairs of contacts, stops), velocities jump so that none of
// it is met any more (impact.hpp):
//   without friction   all at once
//   with friction      one after the other, the one that is met fastest first, until none is met faster than its `rest`
// What then flies off is apart; what stays, or was met more slowly, is held by its materials' law or the stop's stiffness. A ball that bounces
// ever lower thus comes to rest after finitely many bounces.
//
// Captures: a joint that was open takes hold of its second body where that is.

#include <memory>
#include <string>
#include <vector>

#include <trammel/impact.hpp>

#include "simulation/system.hpp"

namespace trammel {

class ImpactEvents {
 public:
  explicit ImpactEvents(System& system) : system_(system) {}

  struct Outcome {
    std::vector<RecordedEvent> events;
    std::vector<std::string> warnings;
    double driven_work = 0;  // J: done by drives, which go on as prescribed
    std::string wrong, fix;  // where it could not be done
    bool ok() const { return wrong.empty(); }
  };
  // What is met now: velocities in y jump. `jumped`: they have done so already, for another reason, and what rested may be met anew.
  Outcome meet(double t, std::span<double> y, bool jumped);
  // Joint takes hold. y must be finished afterwards.
  Outcome capture(int joint, double t, std::span<double> y);

 private:
  struct Meeting {
    bool is_stop = false;
    std::size_t index = 0;  // of the pair, or of the stop
    ImpactContact contact = {};
    double rest = 0;
    bool apart = true;  // it was, before
    double speed = 0;   // at which it is met; negative: it parts
  };
  std::vector<Meeting> find_meetings(double t, std::span<const double> y);
  void find_speeds(double t, std::span<const double> y, std::vector<Meeting>& meetings);
  bool collide(double t, std::span<double> y, std::vector<Meeting>& meetings, Outcome& out);
  bool apply(double t, std::span<double> y, const std::vector<Meeting*>& which, Outcome& out);
  ImpulseResponse& response(double t, std::span<const double> y);

  System& system_;
  std::unique_ptr<ImpulseResponse> response_;
};

}  // namespace trammel

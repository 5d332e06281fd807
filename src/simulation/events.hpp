// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Watching for events: functions of time and state, one for each thing that can happen, and on which side of zero each is. A step at
// whose end one has changed its side is searched for the first moment at which that is so.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "simulation/stepper.hpp"

namespace trammel {

class EventWatch {
 public:
  enum class Kind { event, user, stop, friction, coil, contact, grip };
  struct Watched {
    Kind kind = Kind::event;
    std::size_t index =
        0;  // in Mechanism::events, SimulationOptions::events, System::stops(), System::dry, System::coil(), pairs of contacts
    int side = 0;  // −1, 1; 0: not known yet
  };

  EventWatch(System& system, const SimulationOptions& options);

  bool empty() const { return watched_.empty(); }
  // Takes the sides as they are at (t, y).
  void look(double t, std::span<const double> y);
  // The same after what `happened`, which search() has found just before t. An expression that has met its zero there may be a little on the
  // side where it came from, once loops have been closed anew: as long as it is no further from zero than it is in 1e-10 s, it counts as
  // beyond it, or it would be met again.
  void look_after(const std::vector<Watched>& happened, double t, std::span<const double> y);
  // The first moment within the stepper's last step at which something happened; its end where nothing did. `happened` gets what did.
  // Within 1e-11 s, just after it.
  double search(Stepper& stepper, std::vector<Watched>& happened);
  const std::vector<Watched>& watched() const { return watched_; }
  // Events whose expression has had no value (0/0, the root of a negative number) at the end of a step, and when first: nothing can be seen
  // of them there.
  struct Unseen {
    std::string name;
    double t = 0;
  };
  const std::vector<Unseen>& unseen() const { return unseen_; }
  // Of all that is watched, for checkpoints.
  std::vector<double> sides() const;
  void set_sides(std::span<const double> sides);

 private:
  void evaluate(double t, std::span<const double> y);  // values_
  int side_now(std::size_t i) const;
  void note_unseen();
  double passages_within(Stepper& stepper);
  double scan(Stepper& stepper, double passages, double& from);
  void pass(std::vector<Watched>& watched) const;
  bool matters(const Watched& watched, double value) const;
  bool counts(const Watched& watched, int side_after) const;
  bool anything(double& nearest, double from, double to, std::span<const double> before) const;

  System& system_;
  const SimulationOptions& options_;
  std::vector<Watched> watched_;
  std::vector<double> values_, before_, y_, ydot_;
  std::vector<double> at_begin_;      // of the step in which search() has looked
  double searched_ = 0;               // how long that was, up to what happened
  std::vector<double> y0_, f0_, f1_;  // of scan(): the state at the beginning, rates at both ends
  double values_at_ = std::numeric_limits<double>::quiet_NaN();  // the time of values_
  bool uses_state_ = false;
  std::vector<char> told_;  // per watched, in unseen_
  std::vector<Unseen> unseen_;
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/events.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {
namespace {

using At = std::size_t;

constexpr double time_tolerance = 1e-12;  // s
constexpr double as_good_as_now = 1e-10;  // s, to which events are known

// Positive while all goes on as it does.
bool lasts_while_positive(EventWatch::Kind kind) {
  return kind == EventWatch::Kind::friction || kind == EventWatch::Kind::coil || kind == EventWatch::Kind::grip;
}

int side_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

bool is_wanted(Event::Direction direction, int side_after) {
  return direction == Event::Direction::both || (direction == Event::Direction::rising) == (side_after > 0);
}

}  // namespace

EventWatch::EventWatch(System& system, const SimulationOptions& options) : system_(system), options_(options) {
  const Mechanism& mech = system.mechanism();
  for (At i = 0; i < mech.events.size(); ++i) {
    watched_.push_back({Kind::event, i});
    uses_state_ = uses_state_ || !mech.events[i].settings.when.is_of_time();
  }
  for (At i = 0; i < options.events.size(); ++i) watched_.push_back({Kind::user, i});
  for (At i = 0; i < system.stops().size(); ++i) watched_.push_back({Kind::stop, i});
  for (At i = 0; i < system.coil_count(); ++i) watched_.push_back({Kind::coil, i});
  if (!system.switches_within_steps()) {
    for (At i = 0; i < system.dry.size(); ++i) watched_.push_back({Kind::friction, i});
    for (At i = 0; i < system.contacts().size(); ++i) watched_.push_back({Kind::contact, i});
    for (At i = 0; i < system.contacts().size(); ++i) watched_.push_back({Kind::grip, i});
  }
  values_.resize(watched_.size()), before_.resize(watched_.size());
  told_.resize(watched_.size());
  y_.resize(system.size()), ydot_.resize(system.size());
  y0_.resize(system.size()), f0_.resize(system.size()), f1_.resize(system.size());
}

// Friction: of a freedom that slips its speed in the direction of motion; of one that sticks what is left until it slips.
void EventWatch::evaluate(double t, std::span<const double> y) {
  values_at_ = t;
  const Mechanism& mech = system_.mechanism();
  const std::span<const double> state = uses_state_ ? system_.state_values(t, y) : std::span<const double>{};
  const bool any_sticks =
      std::any_of(system_.dry.begin(), system_.dry.end(), [](const auto& d) { return d.slip == 0; });
  bool any_held = false;
  for (At i = 0; i < system_.coil_count(); ++i) any_held = any_held || system_.coil(i).held != 0;
  const bool within_steps = system_.switches_within_steps();
  if (any_sticks && !within_steps) {
    system_.derivative(t, y, ydot_);
  } else if (any_held || (!system_.contacts().empty() && !within_steps)) {
    system_.find_forces(t, y);
  }
  for (At i = 0; i < watched_.size(); ++i) {
    const At k = watched_[i].index;
    switch (watched_[i].kind) {
      case Kind::event:
        values_[i] = mech.events[k].settings.when.at(t, state);
        break;
      case Kind::user:
        values_[i] = options_.events[k].when({t, system_.q(y), system_.v(y)});
        break;
      case Kind::stop:
        values_[i] = system_.stop_push(k, t, y);
        break;
      case Kind::friction: {
        const System::DryFreedom& d = system_.dry[k];
        const auto freedom = static_cast<At>(d.freedom);
        values_[i] = d.slip != 0 ? system_.v(y)[freedom] * d.slip : d.dry - std::abs(system_.friction_held()[freedom]);
        break;
      }
      case Kind::coil:
        values_[i] = system_.coil_margin(k, y);
        break;
      case Kind::contact:
        values_[i] = system_.contacts().push(k);
        break;
      case Kind::grip:
        values_[i] = system_.contacts().grip(k);
        break;
    }
  }
}

// The side on which it is now. A stop that is met to the digit, and does not push yet, is still to be met.
int EventWatch::side_now(At i) const {
  switch (watched_[i].kind) {
    case Kind::friction:
    case Kind::coil:
    case Kind::grip:
      return 1;
    case Kind::contact:
      return system_.contacts().mode(watched_[i].index).touches ? 1 : -1;
    case Kind::stop:
      return values_[i] > 0 ? 1 : -1;
    default:
      return side_of(values_[i]);
  }
}

void EventWatch::note_unseen() {
  for (At i = 0; i < watched_.size(); ++i) {
    if (!std::isnan(values_[i]) || told_[i] != 0) continue;
    told_[i] = 1;
    const Watched& w = watched_[i];
    if (w.kind == Kind::event) unseen_.push_back({system_.mechanism().events[w.index].settings.name, values_at_});
    if (w.kind == Kind::user) unseen_.push_back({options_.events[w.index].name, values_at_});
  }
}

void EventWatch::look(double t, std::span<const double> y) {
  if (empty()) return;
  evaluate(t, y);
  note_unseen();
  for (At i = 0; i < watched_.size(); ++i) watched_[i].side = side_now(i);
}

void EventWatch::look_after(const std::vector<Watched>& happened, double t, std::span<const double> y) {
  const std::vector<double> found = values_;
  look(t, y);
  for (const Watched& w : happened) {
    if (w.kind != Kind::event && w.kind != Kind::user) continue;
    const auto same = [&](const Watched& other) { return other.kind == w.kind && other.index == w.index; };
    const auto i = static_cast<At>(std::find_if(watched_.begin(), watched_.end(), same) - watched_.begin());
    const double moved = std::abs(found[i] - at_begin_[i]);
    if (std::abs(values_[i]) * searched_ <= moved * as_good_as_now) watched_[i].side = -w.side;
  }
}

std::vector<double> EventWatch::sides() const {
  std::vector<double> list;
  for (const Watched& w : watched_) list.push_back(w.side);
  return list;
}

void EventWatch::set_sides(std::span<const double> sides) {
  for (At i = 0; i < watched_.size(); ++i) watched_[i].side = static_cast<int>(sides[i]);
}

bool EventWatch::matters(const Watched& w, double value) const {
  const bool by_expression = w.kind == Kind::event || w.kind == Kind::user;
  const int side = value == 0 && by_expression ? -w.side : side_of(value);  // what meets zero to the digit has met it
  return side != 0 && w.side != 0 && side != w.side && counts(w, side);
}

// Is a change to this side one that is waited for?
bool EventWatch::counts(const Watched& w, int side) const {
  switch (w.kind) {
    case Kind::event: {
      const EventInfo& info = system_.mechanism().events[w.index];
      // What holds where it was caught keeps the expression of the catch near its zero, on either side.
      const bool holds = info.settings.action == Event::Action::capture &&
                         system_.loops()->is_active(ConstraintRow::Source::joint, info.joint);
      return !holds && is_wanted(info.settings.direction, side);
    }
    case Kind::user:
      return is_wanted(options_.events[w.index].direction, side);
    case Kind::stop:
    case Kind::contact:
      return true;  // the force begins or ends there
    case Kind::friction:
    case Kind::coil:
    case Kind::grip:
      return side < 0;
  }
  return false;
}

// Has anything happened at the values found at `to`? Then `nearest` is where the first of it is to be expected, by a straight line.
bool EventWatch::anything(double& nearest, double from, double to, std::span<const double> before) const {
  bool any = false;
  nearest = to;
  for (At i = 0; i < watched_.size(); ++i) {
    if (!matters(watched_[i], values_[i])) continue;
    any = true;
    const double share = before[i] / (before[i] - values_[i]);
    if (share > 0 && share < 1) nearest = std::min(nearest, from + share * (to - from));
  }
  return any;
}

// Takes sides that have changed without mattering.
void EventWatch::pass(std::vector<Watched>& watched) const {
  for (At i = 0; i < watched.size(); ++i) {
    if (!lasts_while_positive(watched[i].kind) && side_of(values_[i]) != 0) watched[i].side = side_of(values_[i]);
  }
}

// How often a contact could pass through the other side within the last step; y0_ gets the state at its beginning.
double EventWatch::passages_within(Stepper& stepper) {
  stepper.at(stepper.t_before(), y0_);
  return (stepper.t() - stepper.t_before()) * std::max(system_.passages_per_second(stepper.t_before(), y0_),
                                                       system_.passages_per_second(stepper.t(), stepper.y()));
}

// Long steps may hold an event and its opposite, and show neither at their end. The cubic through states and rates at both ends is looked
// at in between: it is cheap, and good enough to tell where to look closer. Returns the end of the first part in which something
// happens (the step's end where nothing does before), `from` its beginning; sides are those at `from`.
double EventWatch::scan(Stepper& stepper, double passages, double& from) {
  const double begin = stepper.t_before(), end = stepper.t(), h = end - begin;
  const At n = y_.size();
  // At least twice while a contact could pass through the other side.
  const int parts = static_cast<int>(std::clamp(std::ceil(2 * passages), 16.0, 1e5));
  if (!system_.derivative(begin, y0_, f0_) || !system_.derivative(end, stepper.y(), f1_)) return end;
  double found = end;
  for (int part = 1; part < parts; ++part) {
    const double s = static_cast<double>(part) / parts, t = begin + s * h;
    const double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s),
                 h11 = s * s * (s - 1);
    for (At i = 0; i < n; ++i) y_[i] = h00 * y0_[i] + h * h10 * f0_[i] + h01 * stepper.y()[i] + h * h11 * f1_[i];
    evaluate(t, y_);
    bool any = false;
    for (At i = 0; i < watched_.size(); ++i) any = any || matters(watched_[i], values_[i]);
    if (any) {
      stepper.at(t, y_);  // is it so?
      evaluate(t, y_);
      any = false;
      for (At i = 0; i < watched_.size(); ++i) any = any || matters(watched_[i], values_[i]);
      if (any) {
        found = t;
        break;
      }
    }
    pass(watched_);
    from = t;
  }
  return found;
}

double EventWatch::search(Stepper& stepper, std::vector<Watched>& happened) {
  happened.clear();
  if (empty()) return stepper.t();
  double from = stepper.t_before(), to = stepper.t();
  // Short steps need no looks in between, but where a contact may pass through the other side within one.
  if (const bool controlled = has_error_control(options_.integrator); controlled || !system_.switches_within_steps()) {
    const double passages = passages_within(stepper);
    if (controlled || 2 * passages > 1) to = scan(stepper, passages, from);
  }
  if (values_at_ != from) {
    stepper.at(from, y_);
    evaluate(from, y_);
  }
  before_ = at_begin_ = values_;
  searched_ = -from;
  stepper.at(to, y_);
  evaluate(to, y_);
  double guess = to;
  bool any = anything(guess, from, to, before_);
  const bool inside = any;
  // The line's guess and halving take turns: the one is quick, the other never fails.
  for (int round = 0; any && to - from > std::max(time_tolerance, 4e-16 * std::abs(to)); ++round) {
    double middle = from + (to - from) / 2;
    if (round % 3 != 2) {
      const double beyond = round % 3 == 0 ? 1 : -1;
      const double near = guess + beyond * std::max(0.01 * std::abs(guess - from), 0.4 * time_tolerance);
      if (near > from && near < to) middle = near;
    }
    stepper.at(middle, y_);
    evaluate(middle, y_);
    double next = guess;
    if (anything(next, from, middle, before_)) {
      to = middle;
      guess = next;
    } else {
      from = middle;
      before_ = values_;
      stepper.at(to, y_);  // the guess is made anew, from here to the end
      evaluate(to, y_);
      anything(guess, from, to, before_);
    }
  }
  if (inside) {
    stepper.at(to, y_);
    evaluate(to, y_);
  }
  for (At i = 0; i < watched_.size(); ++i) {
    if (matters(watched_[i], values_[i])) happened.push_back(watched_[i]);
  }
  note_unseen();
  pass(watched_);
  searched_ += to;
  return to;
}

}  // namespace trammel

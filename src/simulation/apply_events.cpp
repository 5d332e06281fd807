// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What happens at events, and what is noted of it.

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "simulation/implementation.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using simulation::rest_speed;

constexpr int most_events_at_once = 1000;  // without time going on
constexpr std::size_t most_notes = 10;

// "slide", "bolt.travel", as in channels but for what is recorded of it.
std::string name_of_freedom(const Mechanism& mech, int freedom) {
  const std::string velocity = freedom_names(mech)[static_cast<At>(freedom)];
  return velocity.substr(0, velocity.size() - std::string_view(".v").size());
}

}  // namespace

void Simulation::Implementation::note_event(RecordedEvent event, std::span<const double> before) {
  ++report.event_count;
  known = Known::nothing;  // events have used the system for other moments
  if (!options.on_event) return;
  event.t = t;
  const auto list = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  event.q_before = list(system.q(before)), event.v_before = list(system.v(before));
  event.q_after = list(system.q(std::span<const double>(y))),
  event.v_after = list(system.v(std::span<const double>(y)));
  options.on_event(event);
}

double Simulation::Implementation::stored_energy(std::span<const double> state) {
  const EnergyAudit audit = system.energy(t, state);
  return audit.kinetic + audit.potential + audit.elastic;
}

// Energy that was stored before an impact, or before a loop closed or opened, and is not any more has been lost; what has come was put in,
// by drives as far as impacts know it.
// (It is to be found before loops are switched, since a state is brought onto those that hold.)
void Simulation::Implementation::book_jump(std::span<const double> before, double stored_before) {
  if (std::equal(before.begin(), before.end(), y.begin())) return;
  const double put_in = std::exchange(driven_work, 0.0);
  system.book_input(y, put_in);
  system.book_loss(y, stored_before + put_in - stored_energy(y));
}

// Impacts that happened: false where one could not.
bool Simulation::Implementation::take(ImpactEvents::Outcome outcome, std::vector<RecordedEvent>& events) {
  for (const std::string& warning : outcome.warnings) {
    if (report.notes.size() < most_notes) tell(warning);
  }
  driven_work += outcome.driven_work;
  std::move(outcome.events.begin(), outcome.events.end(), std::back_inserter(events));
  if (!outcome.ok()) end(SimulationStatus::inconsistent, outcome.wrong, outcome.fix);
  return outcome.ok();
}

// A loop that closes across a gap moves bodies at once.
void Simulation::Implementation::tell_of_gap(const Event& event) {
  constexpr double worth_telling = 1e-6;
  const LoopDrift gap = system.gaps(y);
  if (std::max(gap.position / system.loops()->characteristic_length(), gap.orientation) < worth_telling) return;
  if (report.notes.size() >= most_notes) return;
  tell(
      fmt::format("event '{}' closes '{}' across a gap of {:.3g} m and {:.3g} rad at t = {:.9g} s: bodies leap there, "
                  "and the energy "
                  "of that is booked",
                  event.name, event.target, gap.position, gap.orientation, t));
}

// An event of the model; false where it ends the run.
bool Simulation::Implementation::apply_event(const EventInfo& info, std::vector<RecordedEvent>& events) {
  const Event& event = info.settings;
  RecordedEvent noted{.name = event.name, .kind = "expression", .text = event.when.of_time.expression.text()};
  using Source = ConstraintRow::Source;
  using Action = Event::Action;
  if (event.action == Action::open || event.action == Action::close) {
    const Source source = info.joint >= 0 ? Source::joint : info.coupling >= 0 ? Source::coupling : Source::constraint;
    const bool closes = event.action == Action::close;
    system.loops()->set_active(source, std::max({info.joint, info.coupling, info.constraint}), closes);
    noted.kind = "switch";
    noted.text = fmt::format("'{}' {}", event.target, closes ? "closes" : "opens");
    if (closes) tell_of_gap(event);
  }
  if (event.action == Action::capture) {
    if (!system.loops()->is_active(Source::joint, info.joint)) {
      std::vector<RecordedEvent> captured;
      if (!take(impacts.capture(info.joint, t, y), captured)) return false;
      noted = std::move(captured.front());
      noted.name = event.name;
    } else {
      noted.kind = "switch";
      noted.text = fmt::format("'{}' holds already", event.target);
    }
  }
  events.push_back(std::move(noted));
  if (event.action != Action::stop) return true;
  end(SimulationStatus::stopped, fmt::format("event '{}' at t = {:.12g} s", event.name, t), "");
  return false;
}

// What pushes, touches and sticks from now on.
void Simulation::Implementation::settle() {
  system.settle_stops(t, y);
  system.settle_coils(t, y);
  if (!system.switches_within_steps()) system.settle_contacts(t, y);
  system.settle_friction(t, y, rest_speed);
}

void Simulation::Implementation::take_modes(Modes& modes) const {
  modes.contacts.clear(), modes.slips.clear(), modes.coils.clear();
  for (At i = 0; i < system.contacts().size(); ++i) modes.contacts.push_back(system.contacts().mode(i));
  for (const System::DryFreedom& d : system.dry) modes.slips.push_back(d.slip);
  for (At i = 0; i < system.coil_count(); ++i) modes.coils.push_back(system.coil(i).held);
}

std::uint64_t Simulation::Implementation::count_changes(const Modes& since) const {
  std::uint64_t count = 0;
  for (At i = 0; i < since.contacts.size(); ++i) {
    const ContactForces::Mode &before = since.contacts[i], &now = system.contacts().mode(i);
    count += now.touches != before.touches || now.slips != before.slips ? 1 : 0;
  }
  for (At i = 0; i < since.slips.size(); ++i) count += system.dry[i].slip != since.slips[i] ? 1 : 0;
  return count;
}

void Simulation::Implementation::add_changes(const Modes& since, std::string_view when,
                                             std::vector<RecordedEvent>& events) const {
  const Mechanism& mech = system.mechanism();
  const auto add = [&](const std::string& name, const char* kind, std::string_view what) {
    events.push_back({.name = name, .kind = kind, .text = fmt::format("{}{}", what, when)});
  };
  for (At i = 0; i < since.contacts.size(); ++i) {
    const ContactForces::Mode &before = since.contacts[i], &now = system.contacts().mode(i);
    const std::string& name = mech.contacts.pairs[i].name;
    if (now.touches != before.touches) {
      add(name, now.touches ? "touch" : "lift", now.touches ? "touches" : "lifts off");
    } else if (now.slips != before.slips) {
      add(name, now.slips ? "slip" : "stick", now.slips ? "starts to slip" : "sticks");
    }
  }
  for (At i = 0; i < since.slips.size(); ++i) {
    const System::DryFreedom& d = system.dry[i];
    if (d.slip == since.slips[i]) continue;
    add(name_of_freedom(mech, d.freedom), d.slip == 0 ? "stick" : "slip",
        d.slip == 0  ? "comes to rest"
        : d.slip > 0 ? "starts to slip forwards"
                     : "starts to slip backwards");
  }
  for (At i = 0; i < since.coils.size(); ++i) {
    const ActingActuator& coil = system.coil(i);
    if (coil.held == since.coils[i]) continue;
    add(mech.actuators[coil.index].settings.name, "limit",
        coil.held != 0 ? "its current meets its limit" : "its current leaves its limit");
  }
}

// What happened at t; false where that ends the run. The state may jump.
bool Simulation::Implementation::apply(const std::vector<EventWatch::Watched>& happened) {
  const std::vector<double> before = y;
  std::vector<RecordedEvent> events;
  bool go_on = true, may_jump = false;
  Modes modes;
  take_modes(modes);
  const double stored_before = stored_energy(before);
  std::vector<std::size_t> stops_met;
  for (const EventWatch::Watched& w : happened) {
    switch (w.kind) {
      case EventWatch::Kind::event:
        may_jump = true;
        go_on = apply_event(system.mechanism().events[w.index], events) && go_on;
        break;
      case EventWatch::Kind::user: {
        may_jump = true;
        const UserEvent& event = options.events[w.index];
        events.push_back({.name = event.name, .kind = "user"});
        if (event.then && !event.then(t, system.q(std::span<const double>(y)), system.v(y))) {
          go_on = false;
          end(SimulationStatus::stopped, fmt::format("event '{}' at t = {:.12g} s", event.name, t), "");
        }
        break;
      }
      case EventWatch::Kind::stop:  // `side` is the one before
        if (w.side < 0) stops_met.push_back(w.index);
        break;
      case EventWatch::Kind::friction: {
        System::DryFreedom& d = system.dry[w.index];
        if (d.slip != 0) system.v(y)[static_cast<At>(d.freedom)] = 0;
        break;
      }
      case EventWatch::Kind::coil:
      case EventWatch::Kind::contact:
      case EventWatch::Kind::grip:
        break;  // settle()
    }
  }
  system.finish(t, y);
  if (may_jump) book_jump(before, stored_before);
  if (system.has_impacts()) {
    const bool jumped = may_jump && !std::equal(before.begin(), before.end(), y.begin());
    const std::vector<double> until_now = y;
    const double stored_now = stored_energy(y);
    go_on = take(impacts.meet(t, y, jumped), events) && go_on;
    system.finish(t, y);
    book_jump(until_now, stored_now);
  }
  settle();
  for (const std::size_t i : stops_met) {
    const Stop& stop = system.stops()[i];
    if (stop.impact < 0 || stop.pushes) events.push_back({.name = stop.name, .kind = "limit", .text = "touched"});
  }
  add_changes(modes, "", events);
  const std::string first = events.empty() ? std::string("?") : events.front().name;
  for (RecordedEvent& event : events) note_event(std::move(event), before);
  watch.look_after(happened, t, y);
  stepper->start(t, y);

  events_at_once_ = t - last_event_ < 1e-9 ? events_at_once_ + 1 : 0;
  last_event_ = t;
  if (events_at_once_ > most_events_at_once) {
    end(SimulationStatus::inconsistent,
        fmt::format("more than {} events follow one another at t = {:.9g} s, last '{}'", most_events_at_once, t, first),
        "look at what switches there: it may be switching itself on and off");
    return false;
  }
  return go_on;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The main loop: step, look for events, record, apply them, go on.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "simulation/events.hpp"
#include "simulation/stiffness.hpp"

namespace trammel {
namespace {

class CheckpointNumbers;

using At = std::size_t;

constexpr double default_step = 1e-3;  // s
constexpr double rest_speed = 1e-10;   // rad/s, m/s: a freedom with dry friction that is this slow is at rest
constexpr double largest_gap =
    1e-6;  // relative to the size of the mechanism, rad: wider after projection, loops are open
constexpr int most_events_at_once = 1000;   // without time going on
constexpr std::uint64_t stalling = 100000;  // steps that bring next to no
constexpr double next_to_none = 1e-8;       // share of what is left are the end of it
constexpr std::uint64_t first_look = 500;   // steps after which stiffness is looked for; then after ten times as many

// "slide", "bolt.travel", as in channels but for what is recorded of it.
std::string name_of_freedom(const Mechanism& mech, int freedom) {
  const std::string velocity = freedom_names(mech)[static_cast<At>(freedom)];
  return velocity.substr(0, velocity.size() - std::string_view(".v").size());
}

}  // namespace

class Simulation::Implementation {
 public:
  Implementation(const Mechanism& mechanism, SimulationOptions given, const std::optional<State>& start)
      : options(completed(std::move(given))), system(mechanism, options), watch(system, options) {
    const State begin = start ? *start : initial_state(mechanism);
    y = system.start(begin);
    there_.resize(y.size());
    happened_.reserve(watch.watched().size());
    t = begin.t;
    next_control = t;
    switch (options.integrator) {
      case Integrator::erk:
        stepper = make_erk_stepper(system, options);
        break;
      case Integrator::bdf:
        stepper = make_bdf_stepper(system, options);
        break;
      default:
        stepper = make_fixed_stepper(options.integrator, system, options.step);
    }
    if (options.stabilisation == Stabilisation::baumgarte && system.has_loops()) {
      const double h = options.step > 0 ? options.step : default_step;
      const double rate = options.baumgarte_rate > 0 ? std::min(options.baumgarte_rate, 0.5 / h) : 0.1 / h;
      system.loops()->set_stabilisation(rate);
    }
    std::sort(options.at.begin(), options.at.end());
    show(t, y);
  }

  SimulationReport run(double until);

  SimulationOptions options;
  System system;
  EventWatch watch;
  std::unique_ptr<Stepper> stepper;
  double t = 0;
  std::vector<double> y;
  SimulationReport report;

  // What users see: the moment that was recorded last, or where the run stands.
  State shown;
  std::vector<double> shown_y, ydot;
  std::vector<ContactState> contacts;
  enum class Known { nothing, forces, accelerations };  // what the system has found for that moment
  Known known = Known::nothing;

  void show(double at, std::span<const double> state) {
    shown.t = at;
    shown.q.assign(system.q(state).begin(), system.q(state).end());
    shown.v.assign(system.v(state).begin(), system.v(state).end());
    shown_y.assign(state.begin(), state.end());
    known = Known::nothing;
  }
  void find_forces() {
    if (known != Known::nothing) return;
    system.find_forces(shown.t, shown_y);
    known = Known::forces;
  }
  void evaluate() {
    if (known == Known::accelerations) return;
    ydot.resize(system.size());
    known = system.derivative(shown.t, shown_y, ydot) ? Known::accelerations : Known::nothing;
  }
  EnergyAudit energy_at(double at, std::span<const double> state) {
    known = Known::nothing;
    return with_error(system.energy(at, state));
  }
  EnergyAudit with_error(EnergyAudit audit) const {
    audit.error = audit.kinetic + audit.potential + audit.elastic - stored_at_start - audit.input + audit.dissipated;
    return audit;
  }

  bool prepared = false;
  double stored_at_start = 0;
  std::uint64_t records = 0, samples = 0;
  double next_control = 0;
  double record_origin = 0, last_row_time = 0;

  void exchange(CheckpointNumbers& numbers, std::vector<double>& memory);  // into a checkpoint, or out of it

  static SimulationOptions completed(SimulationOptions o) {
    if (o.integrator == Integrator::automatic) o.integrator = Integrator::erk;
    if (!has_error_control(o.integrator) && !(o.step > 0)) o.step = default_step;
    if (!(o.tolerance > 0)) throw std::invalid_argument("the tolerance of a simulation must be positive");
    return o;
  }

 private:
  bool prepare();
  bool advance(double until);  // one turn of the loop; false: the run is over
  void record_until(double end);
  void record(double at, std::span<const double> state);
  bool apply(const std::vector<EventWatch::Watched>& happened);
  // What touches and what slips, and what has changed of it since, as events.
  struct Modes {
    std::vector<ContactForces::Mode> contacts;
    std::vector<int> slips;  // of freedoms with dry friction
  };
  void take_modes(Modes& modes) const;
  std::uint64_t count_changes(const Modes& since) const;
  void add_changes(const Modes& since, std::string_view when, std::vector<RecordedEvent>& events) const;
  void note_event(RecordedEvent event, std::span<const double> before);
  void book_jump(const std::vector<EventWatch::Watched>& happened, std::span<const double> before);
  void update_controls();
  void end(SimulationStatus status, std::string text, std::string fix);
  void explain(StepOutcome outcome);
  bool has_grown_beyond_bounds() const;
  void look_for_stiffness();
  bool has_stalled(double until);
  void judge_energy();
  std::string beside_singularity();

  std::vector<EventWatch::Watched> happened_;                 // in the last step
  Modes modes_;                                               // before it
  std::vector<double> there_;                                 // a state within it
  std::uint64_t steps_at_look_ = 0, next_look_ = first_look;  // for stiffness
  double time_at_look_ = -infinity, time_of_progress_ = -infinity;
  int events_at_once_ = 0;
  double last_event_ = -infinity;
};

// --- the loop ---------------------------------------------------------------------------------------------------------------

SimulationReport Simulation::Implementation::run(double until) {
  report.status = SimulationStatus::done;
  report.integrator = options.integrator;
  if (!prepared && !prepare()) return report;
  while (t < until && advance(until)) {
  }
  // The last moment of all is recorded too where it is off the grid. It does not count: a run that goes on has not ended there.
  const bool ends = t >= options.until || report.status != SimulationStatus::done;
  if (ends && options.record_every > 0 && t != last_row_time) record(t, y);
  report.t = t;
  report.rejected = stepper->rejected;
  report.evaluations = system.evaluations;
  report.contact_passes = system.contact_passes;
  report.unresolved_steps = system.unresolved_steps;
  show(t, y);
  const double largest = report.energy.largest_error;
  report.energy = energy_at(t, y);
  report.energy.largest_error = std::max(largest, std::abs(report.energy.error));
  if (ends) judge_energy();
  return report;
}

bool Simulation::Implementation::advance(double until) {
  if (options.controller.update && t >= next_control - 1e-9 * options.controller.period) update_controls();
  const bool sampled = options.controller.update && options.controller.period > 0;
  const double stop = sampled ? std::min(until, next_control) : until;

  const bool within = system.switches_within_steps();
  if (within) take_modes(modes_);
  const StepOutcome outcome = stepper->step(stop);
  if (outcome != StepOutcome::ok) {
    explain(outcome);
    return false;
  }
  ++report.steps;
  const double taken = stepper->t() - stepper->t_before();
  report.largest_step = std::max(report.largest_step, taken);
  report.smallest_step = report.steps == 1 ? taken : std::min(report.smallest_step, taken);
  if (has_grown_beyond_bounds()) {
    explain(StepOutcome::ok);
    return false;
  }

  if (system.has_loops()) {
    const LoopDrift gap = system.gaps(stepper->y());
    const double open = std::max(gap.position / system.loops()->characteristic_length(), gap.orientation);
    if (options.stabilisation == Stabilisation::projection && !(open < largest_gap)) {
      end(SimulationStatus::inconsistent,
          fmt::format("at t = {:.9g} s the loops cannot be closed any more: they stay open by {:.3g} m, {:.3g} rad",
                      stepper->t(), gap.position, gap.orientation),
          system.mechanism().drives.empty()
              ? "use a smaller step or tolerance"
              : "the mechanism cannot go where it is driven: look at the range of its drives");
      return false;
    }
    report.drift.position = std::max(report.drift.position, gap.position);
    report.drift.orientation = std::max(report.drift.orientation, gap.orientation);
  }

  look_for_stiffness();
  if (has_stalled(until)) {
    explain(StepOutcome::step_too_small);
    return false;
  }
  const double end_time = watch.search(*stepper, happened_);
  record_until(end_time);
  std::vector<RecordedEvent> switched;
  if (within) {
    if (options.on_event) {
      add_changes(modes_, " within the step", switched);
    } else {
      report.event_count += count_changes(modes_);  // no strings where nobody reads them: steps do not allocate
    }
  }
  const std::vector<double> before = switched.empty() ? std::vector<double>{} : y;
  stepper->at(end_time, y);
  t = end_time;
  for (RecordedEvent& event : switched) note_event(std::move(event), before);
  if (!happened_.empty() && !apply(happened_)) return false;
  if (options.most_steps > 0 && report.steps >= options.most_steps && t < until) {
    end(SimulationStatus::too_many_steps, fmt::format("{} steps were taken by t = {:.9g} s", report.steps, t),
        "allow more steps, or a larger tolerance");
    return false;
  }
  if (options.go_on && !options.go_on(t)) {
    end(SimulationStatus::stopped, fmt::format("stopped at t = {:.9g} s", t), "");
    return false;
  }
  return true;
}

// The initial state is brought onto the constraints, friction decides what sticks, and the first moment is recorded.
bool Simulation::Implementation::prepare() {
  const LoopDrift gap = system.gaps(y);
  report.initial_gap = gap;
  std::vector<double> closed = y;
  if (LoopDynamics* loops = system.loops()) {
    const double open = std::max(gap.position / loops->characteristic_length(), gap.orientation);
    if (open > 1e-9 && options.strict) {
      end(SimulationStatus::cannot_assemble,
          fmt::format("the initial state leaves loops open by {:.3g} m and {:.3g} rad", gap.position, gap.orientation),
          "give coordinates that close them, or allow projection");
      return false;
    }
    std::vector<double> q(system.q(closed).begin(), system.q(closed).end());
    const ProjectionVerdict verdict = loops->project_position(q, 1e-13, 100);
    if (!verdict.closed) {
      end(SimulationStatus::cannot_assemble,
          fmt::format("the initial state cannot be closed: {} stays open by {:.3g} m, {:.3g} rad",
                      verdict.worst_row < 0 ? std::string("it")
                                            : loops->name_of(loops->rows()[static_cast<At>(verdict.worst_row)]),
                      verdict.gap_m, verdict.gap_rad),
          "start nearer to a position in which the mechanism can be assembled");
      return false;
    }
    const LoopDiagnosis rates = loops->diagnose(q, system.v(closed));
    if (options.strict && std::max(rates.rate_m, rates.rate_rad) > 1e-9) {
      end(SimulationStatus::cannot_assemble,
          fmt::format("the initial velocities break the loops by {:.3g} m/s and {:.3g} rad/s", rates.rate_m,
                      rates.rate_rad),
          "give velocities that go with the loops, or allow projection");
      return false;
    }
    std::copy(q.begin(), q.end(), closed.begin());
    loops->project_velocity(q, system.v(closed));
  }
  y = closed;
  record_origin = t;
  system.finish(t, y);
  if (options.controller.update) update_controls();
  system.settle_stops(t, y);
  system.settle_contacts(t, y);
  y[system.first_work() + 1] = 0;  // pairs that already touch have lost nothing
  system.settle_friction(t, y, rest_speed);
  stored_at_start = 0;
  const EnergyAudit first = energy_at(t, y);
  stored_at_start = first.kinetic + first.potential + first.elastic;
  watch.look(t, y);
  stepper->start(t, y);
  prepared = true;
  record(t, y);
  ++records;
  while (samples < options.at.size() && options.at[samples] <= t) {
    if (options.at[samples] == t && options.sample) options.sample({t, shown.q, shown.v});
    ++samples;
  }
  return true;
}

void Simulation::Implementation::update_controls() {
  std::vector<double> controls(system.control_count());
  system.controls_of_targets(t, controls);
  options.controller.update({t, system.q(std::span<const double>(y)), system.v(std::span<const double>(y))}, controls);
  system.set_controls(controls);
  const double period = options.controller.period;
  next_control = period > 0 ? record_origin + (std::floor((t - record_origin) / period + 1e-6) + 1) * period
                            : std::nextafter(t, infinity);
  if (prepared) stepper->start(t, y);  // the right side has jumped
}

// Moments to be recorded and sampled within the last step, up to `end_time`.
void Simulation::Implementation::record_until(double end_time) {
  const auto next_record = [&] {
    return options.record_every > 0 ? record_origin + static_cast<double>(records) * options.record_every : end_time;
  };
  while (samples < options.at.size() && options.at[samples] <= end_time) {
    stepper->at(options.at[samples], there_);
    show(options.at[samples++], there_);
    if (options.sample) options.sample({shown.t, shown.q, shown.v});
  }
  for (double at = next_record(); at <= end_time * (1 + 1e-15); at = next_record()) {
    const double where = std::min(at, end_time);
    stepper->at(where, there_);
    record(where, there_);
    ++records;
    if (!(options.record_every > 0)) break;
  }
}

void Simulation::Implementation::record(double at, std::span<const double> state) {
  show(at, state);
  last_row_time = at;
  if (!options.record) return;
  options.record({at, shown.q, shown.v});
}

// --- events -------------------------------------------------------------------------------------------------------------------

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

void Simulation::Implementation::take_modes(Modes& modes) const {
  modes.contacts.clear(), modes.slips.clear();
  for (At i = 0; i < system.contacts().size(); ++i) modes.contacts.push_back(system.contacts().mode(i));
  for (const System::DryFreedom& d : system.dry) modes.slips.push_back(d.slip);
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
}

// Energy that was stored before an impact, or before a loop closed or opened, and is not any more has been lost; what has come was put in.
void Simulation::Implementation::book_jump(const std::vector<EventWatch::Watched>& happened,
                                           std::span<const double> before) {
  const bool jumps = std::any_of(happened.begin(), happened.end(), [](const EventWatch::Watched& w) {
    return w.kind == EventWatch::Kind::user || w.kind == EventWatch::Kind::event;
  });
  if (!jumps || std::equal(before.begin(), before.end(), y.begin())) return;
  const auto stored = [this](std::span<const double> state) {
    const EnergyAudit audit = system.energy(t, state);
    return audit.kinetic + audit.potential + audit.elastic;
  };
  const double gained = stored(y) - stored(before);
  y[system.first_work() + (gained > 0 ? 0 : 1)] += std::abs(gained);
}

// What happened at t; false where that ends the run. The state may jump.
bool Simulation::Implementation::apply(const std::vector<EventWatch::Watched>& happened) {
  const Mechanism& mech = system.mechanism();
  const std::vector<double> before = y;
  std::vector<RecordedEvent> events;
  bool go_on = true;
  Modes modes;
  take_modes(modes);
  for (const EventWatch::Watched& w : happened) {
    switch (w.kind) {
      case EventWatch::Kind::event: {
        const EventInfo& info = mech.events[w.index];
        const Event& event = info.settings;
        RecordedEvent noted{.name = event.name, .kind = "expression", .text = event.when.of_time.expression.text()};
        if (event.action == Event::Action::open || event.action == Event::Action::close) {
          using Source = ConstraintRow::Source;
          const Source source = info.joint >= 0      ? Source::joint
                                : info.coupling >= 0 ? Source::coupling
                                                     : Source::constraint;
          const bool closes = event.action == Event::Action::close;
          system.loops()->set_active(source, std::max({info.joint, info.coupling, info.constraint}), closes);
          noted.kind = "switch";
          noted.text = fmt::format("'{}' {}", event.target, closes ? "closes" : "opens");
        }
        if (event.action == Event::Action::stop) {
          go_on = false;
          end(SimulationStatus::stopped, fmt::format("event '{}' at t = {:.12g} s", event.name, t), "");
        }
        events.push_back(std::move(noted));
        break;
      }
      case EventWatch::Kind::user: {
        const UserEvent& event = options.events[w.index];
        events.push_back({.name = event.name, .kind = "user"});
        if (event.then && !event.then(t, system.q(std::span<const double>(y)), system.v(y))) {
          go_on = false;
          end(SimulationStatus::stopped, fmt::format("event '{}' at t = {:.12g} s", event.name, t), "");
        }
        break;
      }
      case EventWatch::Kind::stop:  // `side` is the one before
        if (w.side < 0) events.push_back({.name = system.stops()[w.index].name, .kind = "limit", .text = "touched"});
        break;
      case EventWatch::Kind::friction: {
        System::DryFreedom& d = system.dry[w.index];
        if (d.slip != 0) system.v(y)[static_cast<At>(d.freedom)] = 0;
        break;
      }
      case EventWatch::Kind::contact:
      case EventWatch::Kind::grip:
        break;  // settle_contacts()
    }
  }
  system.finish(t, y);
  book_jump(happened, before);
  system.settle_stops(t, y);
  if (!system.switches_within_steps()) system.settle_contacts(t, y);
  system.settle_friction(t, y, rest_speed);
  add_changes(modes, "", events);
  for (RecordedEvent& event : events) note_event(std::move(event), before);
  watch.look(t, y);
  stepper->start(t, y);

  events_at_once_ = t - last_event_ < 1e-9 ? events_at_once_ + 1 : 0;
  last_event_ = t;
  if (events_at_once_ > most_events_at_once) {
    end(SimulationStatus::inconsistent,
        fmt::format("more than {} events follow one another at t = {:.9g} s, last '{}'", most_events_at_once, t,
                    events.empty() ? std::string("?") : events.front().name),
        "look at what switches there: it may be switching itself on and off");
    return false;
  }
  return go_on;
}

// --- verdicts ------------------------------------------------------------------------------------------------------------------

void Simulation::Implementation::end(SimulationStatus status, std::string text, std::string fix) {
  report.status = status;
  report.text = std::move(text);
  report.fix = std::move(fix);
}

bool Simulation::Implementation::has_grown_beyond_bounds() const {
  constexpr double bound = 1e12;
  const std::span<const double> state = stepper->y();
  const auto end_of_motion = state.begin() + static_cast<std::ptrdiff_t>(system.first_work());
  return !std::all_of(state.begin(), end_of_motion, [](double x) { return std::abs(x) < bound; });
}

// An explicit rule with error control bears any stiffness, by steps without end.
void Simulation::Implementation::look_for_stiffness() {
  if (options.integrator != Integrator::erk) return;
  if (time_at_look_ == -infinity) time_at_look_ = t, steps_at_look_ = report.steps - 1;
  const std::uint64_t taken = report.steps - steps_at_look_;
  if (taken < next_look_) return;
  const double mean = (stepper->t() - time_at_look_) / static_cast<double>(taken);
  time_at_look_ = stepper->t(), steps_at_look_ = report.steps;
  next_look_ *= 10;
  const std::uint64_t evaluations = system.evaluations;
  const std::string note = note_on(find_stiffness(system, stepper->t(), stepper->y()), mean);
  system.evaluations = evaluations;
  if (!note.empty() && report.notes.empty()) report.notes.push_back(note);
}

// Steps that are too coarse show in the balance of energy. (Not of the implicit rule: it damps what its steps do not resolve.)
void Simulation::Implementation::judge_energy() {
  if (options.integrator == Integrator::implicit) return;
  constexpr double much = 0.03;
  const EnergyAudit& e = report.energy;
  const double stored = e.kinetic + e.potential + e.elastic;
  const double moved = std::max({e.kinetic, std::abs(stored - stored_at_start), std::abs(e.input), e.dissipated});
  if (!report.ok() || !(std::abs(e.error) > much * moved) || std::abs(e.error) < 1e-9 * std::abs(stored)) return;
  const bool loose = system.has_loops() && options.stabilisation != Stabilisation::projection;
  report.notes.push_back(fmt::format(
      "energy does not balance: {:.3g} J are missing or too many, where {:.3g} J have moved; "
      "use {}{}",
      std::abs(e.error), moved, has_error_control(options.integrator) ? "a smaller tolerance" : "smaller steps",
      loose ? ", or projection" : ""));
}

bool Simulation::Implementation::has_stalled(double until) {
  if (!has_error_control(options.integrator) || report.steps % stalling != 0) return false;
  const double since = std::exchange(time_of_progress_, stepper->t());
  return since != -infinity && stepper->t() - since < next_to_none * (until - since);
}

// For messages: where loops lose rank, or nearly so, round-off of their gaps is all that accelerations show.
std::string Simulation::Implementation::beside_singularity() {
  LoopDynamics* loops = system.loops();
  if (loops == nullptr) return {};
  const State design = design_state(system.mechanism());
  const LoopDiagnosis here = loops->diagnose(system.q(y), system.v(y)), there = loops->diagnose(design.q, design.v);
  const bool beside = here.rank < there.rank || here.conditioning < 1e-4 * there.conditioning;
  return beside ? "; its loops are at a singular position there" : "";
}

// Why a step could not be taken, or what has grown beyond all bounds.
void Simulation::Implementation::explain(StepOutcome outcome) {
  const Mechanism& mech = system.mechanism();
  const double h = stepper->t() - stepper->t_before();
  if (outcome == StepOutcome::no_derivative) {
    const LoopVerdict& verdict = system.verdict();
    const std::string joint =
        verdict.joint >= 0 ? mech.joints[static_cast<At>(verdict.joint)].name : std::string("a joint");
    if (verdict.status == LoopStatus::inconsistent) {
      const std::string singular = beside_singularity();
      end(SimulationStatus::inconsistent,
          fmt::format("at t = {:.9g} s the constraints contradict each other{}{}", t,
                      verdict.joint >= 0 ? fmt::format(" and the motion prescribed for joint '{}'", joint) : "",
                      singular),
          singular.empty() || !mech.drives.empty()
              ? "drive fewer coordinates than there are freedoms, or remove what holds them"
              : "step over it: with erk, or with a larger tolerance");
    } else if (verdict.status == LoopStatus::no_inertia) {
      end(SimulationStatus::no_inertia, fmt::format("at t = {:.9g} s joint '{}' moves no inertia", t, joint),
          "give the bodies that move there some mass");
    } else if (verdict.status == LoopStatus::no_star) {
      end(SimulationStatus::inconsistent,
          fmt::format("no body held by chains alone: {}", system.loops()->why_no_star()),
          "let the solver be automatic");
    } else if (options.loop_method == LoopMethod::star || options.loop_method == LoopMethod::elimination) {
      end(SimulationStatus::diverged,
          fmt::format("at t = {:.9g} s the solver that was chosen finds no accelerations{}", t, beside_singularity()),
          "let the solver be automatic");
    } else {
      end(SimulationStatus::diverged, fmt::format("at t = {:.9g} s accelerations cannot be found", t),
          "use a smaller step or tolerance");
    }
    return;
  }
  // The freedom that has grown most.
  const std::span<const double> before = system.v(std::span<const double>(y)), after = system.v(stepper->y());
  At worst = 0;
  double growth = -1;
  for (At k = 0; k < after.size(); ++k) {
    const double size = std::isfinite(after[k]) ? std::abs(after[k]) / (1 + std::abs(before[k])) : infinity;
    if (size > growth) growth = size, worst = k;
  }
  const std::string who =
      after.empty() ? ""
                    : mech.joints[static_cast<At>(mech.links[static_cast<At>(mech.link_of_dof[worst])].joint)].name;
  const Stiffness stiff = find_stiffness(system, t, y);
  const std::string advice = advice_on(stiff, options.integrator, h > 0 ? h : options.step);
  if (outcome == StepOutcome::step_too_small) {
    const std::string singular = beside_singularity();
    end(SimulationStatus::step_too_small,
        fmt::format("at t = {:.9g} s no step is short enough for the tolerance; joint '{}' changes fastest{}", t, who,
                    singular),
        !singular.empty() ? "step over it: with erk, or with a larger tolerance"
        : advice.empty()  ? "use a larger tolerance, or look for a force that jumps there"
                          : advice);
  } else if (outcome == StepOutcome::not_converged) {
    end(SimulationStatus::diverged,
        fmt::format("at t = {:.9g} s the midpoint rule does not converge with a step of {:.3g} s", t, options.step),
        advice.empty() ? "use a smaller step" : advice);
  } else {
    end(SimulationStatus::diverged,
        fmt::format("the motion grows beyond all bounds at t = {:.9g} s, first at joint '{}' ({:.3g} in one step); "
                    "kinetic energy was {:.4g} J before",
                    stepper->t(), who, growth, energy_at(t, y).kinetic),
        advice.empty() ? "use a smaller step, or an integrator with error control" : advice);
  }
}

// --- the public face ------------------------------------------------------------------------------------------------------------

Simulation::Simulation(const Mechanism& mechanism, SimulationOptions options, const std::optional<State>& start)
    : implementation_(std::make_unique<Implementation>(mechanism, std::move(options), start)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

SimulationReport Simulation::run() { return implementation_->run(implementation_->options.until); }
SimulationReport Simulation::run(double until) { return implementation_->run(until); }
const Mechanism& Simulation::mechanism() const { return implementation_->system.mechanism(); }
const State& Simulation::state() const { return implementation_->shown; }

std::span<const double> Simulation::accelerations() {
  implementation_->evaluate();
  return implementation_->system.accelerations();
}
std::span<const double> Simulation::drive_forces() {
  if (mechanism().drives.empty()) return {};
  implementation_->evaluate();
  return implementation_->system.drive_forces();
}
std::span<const double> Simulation::actuator_forces() {
  implementation_->find_forces();
  return implementation_->system.actuator_forces();
}

std::span<const ContactState> Simulation::contacts() {
  Implementation& impl = *implementation_;
  impl.find_forces();
  const ContactForces& found = impl.system.contacts();
  impl.contacts.resize(found.size());
  for (At i = 0; i < found.size(); ++i) impl.contacts[i] = found.state(i);
  return impl.contacts;
}

EnergyAudit Simulation::energy() {
  Implementation& impl = *implementation_;
  impl.find_forces();
  const EnergyAudit audit = impl.with_error(impl.system.energy(impl.shown_y));
  impl.report.energy.largest_error = std::max(impl.report.energy.largest_error, std::abs(audit.error));
  return audit;
}

LoopDrift Simulation::gaps() { return implementation_->system.gaps(implementation_->shown_y); }

std::vector<LoopReaction> Simulation::reactions() {
  Implementation& impl = *implementation_;
  const Mechanism& mech = impl.system.mechanism();
  impl.known = Implementation::Known::nothing;
  impl.evaluate();
  if (LoopDynamics* loops = impl.system.loops()) return loops->reactions();
  Workspace ws(mech);
  compute_accelerations(mech, ws, impl.shown.q, impl.shown.v, impl.system.accelerations());
  std::vector<Force<double>> found(mech.joints.size());
  compute_reactions(mech, ws, found, impl.system.loads());
  std::vector<LoopReaction> out;
  for (At j = 0; j < found.size(); ++j) {
    const JointInfo& joint = mech.joints[j];
    out.push_back({found[j], joint.second == ground ? joint.X_BM.p : pose_WB(mech, ws, joint.second) * joint.X_BM.p});
  }
  return out;
}

bool Simulation::is_closed(int joint) const {
  LoopDynamics* loops = implementation_->system.loops();
  return loops != nullptr && loops->is_active(ConstraintRow::Source::joint, joint);
}

double Simulation::with_turns(int joint, int dof, double angle) const {
  return implementation_->system.with_turns(joint, dof, angle, implementation_->shown_y);
}

// --- checkpoints ------------------------------------------------------------------------------------------------------------------

namespace {

// The same numbers into a checkpoint and out of it. Lists bring their length with them.
class CheckpointNumbers {
 public:
  explicit CheckpointNumbers(std::vector<double>& out) : out_(&out) {}
  explicit CheckpointNumbers(std::span<const double> in) : in_(in) {}

  template <class T>
  void operator()(T& x) {
    if (out_ != nullptr) {
      out_->push_back(static_cast<double>(x));
    } else {
      if (in_.empty()) refuse();
      x = static_cast<T>(in_.front());
      in_ = in_.subspan(1);
    }
  }
  void list(std::vector<double>& x) {
    double size = static_cast<double>(x.size());
    (*this)(size);
    if (!(size >= 0 && (out_ != nullptr || size <= static_cast<double>(in_.size())))) refuse();
    x.resize(static_cast<At>(size));
    for (double& number : x) (*this)(number);
  }
  void list_of_same_length(std::vector<double>& x) {
    const At length = x.size();
    list(x);
    if (x.size() != length) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::invalid_argument("the checkpoint is of a simulation with other parts or options");
  }
  std::vector<double>* out_ = nullptr;
  std::span<const double> in_;
};

}  // namespace

void Simulation::Implementation::exchange(CheckpointNumbers& numbers, std::vector<double>& memory) {
  numbers.list_of_same_length(y);
  numbers(next_control), numbers(stored_at_start), numbers(record_origin), numbers(records);
  numbers(report.drift.position), numbers(report.drift.orientation), numbers(report.energy.largest_error);
  numbers(report.event_count), numbers(stepper->rejected);
  std::vector<double> slips;
  for (const System::DryFreedom& d : system.dry) slips.push_back(d.slip);
  numbers.list_of_same_length(slips);
  for (At i = 0; i < slips.size(); ++i) system.dry[i].slip = static_cast<int>(slips[i]);
  for (At i = 0; i < system.stops().size(); ++i) {
    bool pushes = system.stops()[i].pushes;
    numbers(pushes);
    system.set_pushes(i, pushes);
  }
  for (At i = 0; i < system.contacts().size(); ++i) {
    ContactForces::Mode mode = system.contacts().mode(i);
    numbers(mode.touches), numbers(mode.slips), numbers(mode.normal);
    system.contacts().set_mode(i, mode);
  }
  std::vector<double> sides = watch.sides();
  numbers.list_of_same_length(sides);
  watch.set_sides(sides);
  if (LoopDynamics* loops = system.loops()) {
    const Mechanism& mech = system.mechanism();
    const auto exchange_switch = [&](ConstraintRow::Source source, int index) {
      bool active = loops->is_active(source, index);
      numbers(active);
      loops->set_active(source, index, active);
    };
    for (const Loop& loop : mech.loops) exchange_switch(ConstraintRow::Source::joint, loop.closure);
    for (int k = 0; k < static_cast<int>(mech.couplings.size()); ++k) {
      exchange_switch(ConstraintRow::Source::coupling, k);
    }
    for (int k = 0; k < static_cast<int>(mech.constraints.size()); ++k) {
      exchange_switch(ConstraintRow::Source::constraint, k);
    }
    std::vector<double> turns = loops->turns();
    numbers.list_of_same_length(turns);
    loops->set_turns(turns);
  }
  memory = stepper->memory();
  numbers.list(memory);
  std::vector<double> controls(system.given_controls().begin(), system.given_controls().end());
  numbers.list(controls);
  system.set_controls(controls);
}

Checkpoint Simulation::checkpoint() const {
  Implementation& impl = *implementation_;
  Checkpoint out{.t = impl.t, .steps = impl.report.steps, .rows = impl.records};
  CheckpointNumbers numbers(out.numbers);
  std::vector<double> memory;
  impl.exchange(numbers, memory);
  return out;
}

void Simulation::restore(const Checkpoint& checkpoint) {
  Implementation& impl = *implementation_;
  impl.report = {};
  impl.report.steps = checkpoint.steps;
  impl.t = checkpoint.t;
  CheckpointNumbers numbers{std::span<const double>(checkpoint.numbers)};
  std::vector<double> memory;
  impl.exchange(numbers, memory);
  impl.last_row_time = std::numeric_limits<double>::quiet_NaN();
  while (impl.samples < impl.options.at.size() && impl.options.at[impl.samples] <= impl.t) ++impl.samples;
  impl.stepper->start(impl.record_origin, impl.y);  // the grid of fixed steps begins where it did
  impl.stepper->start(impl.t, impl.y);
  impl.stepper->recall(memory);
  impl.prepared = true;
  impl.show(impl.t, impl.y);
}

// --- words ------------------------------------------------------------------------------------------------------------------------

namespace {
struct IntegratorWord {
  Integrator integrator;
  std::string_view word;
};
constexpr IntegratorWord integrator_words[] = {
    {Integrator::automatic, "automatic"},
    {Integrator::erk, "erk"},
    {Integrator::bdf, "bdf"},
    {Integrator::rk4, "rk4"},
    {Integrator::midpoint, "midpoint"},
    {Integrator::semi_implicit, "semi-implicit"},
    {Integrator::implicit, "implicit"},
};
}  // namespace

std::string_view keyword(Integrator integrator) { return integrator_words[static_cast<At>(integrator)].word; }
std::optional<Integrator> integrator_by_keyword(std::string_view word) {
  for (const IntegratorWord& w : integrator_words) {
    if (w.word == word) return w.integrator;
  }
  return std::nullopt;
}
std::vector<std::string> integrator_keywords() {
  std::vector<std::string> words;
  for (const IntegratorWord& w : integrator_words) words.emplace_back(w.word);
  return words;
}
bool has_error_control(Integrator integrator) {
  return integrator == Integrator::automatic || integrator == Integrator::erk || integrator == Integrator::bdf;
}

std::string_view keyword(ContactState::Mode mode) {
  constexpr std::string_view words[] = {"open", "sticks", "slips"};
  return words[static_cast<At>(mode)];
}

std::string_view keyword(SimulationStatus status) {
  constexpr std::string_view words[] = {"done",           "stopped",    "diverged",        "too many steps",
                                        "step too small", "no inertia", "cannot assemble", "inconsistent"};
  return words[static_cast<At>(status)];
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The main loop: step, look for events, record, apply them, go on.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulation/implementation.hpp"
#include "simulation/stiffness.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using simulation::jerk_worth_telling;
using simulation::rest_speed;

constexpr double largest_gap =
    1e-6;  // relative to the size of the mechanism, rad: wider after projection, loops are open

}  // namespace

// --- the loop ---------------------------------------------------------------------------------------------------------------

double Simulation::Implementation::on_grid(double end) const {
  if (has_error_control(options.integrator) || !std::isfinite(end)) return end;
  return end_on_grid(prepared ? record_origin : t, options.step, end);
}

SimulationReport Simulation::Implementation::run(double until) {
  options.until = on_grid(options.until), until = on_grid(until);
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
  if (ends) {
    judge_energy();
    judge_events();
  }
  return report;
}

// The next moment at which the right side jumps by itself: a step ends there. One that is reached is left behind.
double Simulation::Implementation::next_halt(double until) {
  const bool sampled = options.controller.update && options.controller.period > 0;
  const double stop = sampled ? std::min(until, next_control) : until;
  const double before = t, first_behind = std::nextafter(t, infinity);
  if (until > jerks_until_) find_jerks(until, false);
  const bool struck = is_jerk(t);
  if (struck) {
    t = first_behind;
    if (!strike(before)) return t;
  }
  while (halts_at_breaks() && breaks.next(t, until) == t) t = std::nextafter(t, infinity);
  if (t > before) {
    stepper->start(t, y);
    // The row of this moment: behind the jump, whose own number is mostly on the grid.
    const bool wanted = options.record_every <= 0 && (struck || last_row_time != before);
    if (wanted) record(first_behind, y), ++records;
  }
  // Rules of the first order gain nothing by other halts.
  if (!halts_at_breaks()) return std::min(stop, next_jerk(t));
  const double reach = has_error_control(options.integrator) ? breaks.reach(t, until) : infinity;
  return std::min({stop, breaks.next(t, until), breaks.next_kink(t, until), reach});
}

bool Simulation::Implementation::halts_at_breaks() const {
  return options.integrator != Integrator::semi_implicit && options.integrator != Integrator::implicit;
}

bool Simulation::Implementation::advance(double until) {
  if (options.controller.update && t >= next_control - 1e-9 * options.controller.period) update_controls();
  const double stop = next_halt(until);
  if (report.status != SimulationStatus::done) return false;  // a blow without an answer

  const bool within = system.switches_within_steps();
  if (within) take_modes(modes_);
  const StepOutcome outcome = stepper->step(stop);
  if (outcome != StepOutcome::ok) {
    explain(outcome);
    return false;
  }
  const double taken = stepper->t() - stepper->t_before();
  if (stop > stepper->t_before()) {  // a run that ends on a jump has gone to the other side of it without a step
    ++report.steps;
    report.largest_step = std::max(report.largest_step, taken);
    report.smallest_step = report.steps == 1 ? taken : std::min(report.smallest_step, taken);
  }
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
    if (!drives_agree(stepper->t())) return false;
  }

  look_for_short_steps();
  look_for_turned_bushings();
  if (has_stalled(until)) {
    explain(StepOutcome::step_too_small);
    return false;
  }
  const double search_end = watch.search(*stepper, happened_);
  // At a jump, rows wait for the other side of it; a jerk has one on both.
  const bool before_jump = happened_.empty() && halts_at_breaks() && search_end < until &&
                           breaks.next(search_end, until) == search_end && !is_jerk(search_end);
  const double end_time = record_until(search_end, before_jump);
  if (end_time < search_end) {  // stopped among its rows
    happened_.clear();
    t = end_time, y = there_;
    stepper->start(t, y);
    end(SimulationStatus::stopped, fmt::format("stopped at t = {:.9g} s", t), "");
    return false;
  }
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
  largest_work = std::max(largest_work, std::abs(system.input(y)));
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

// False, with a verdict, where drives ask for velocities that the loops do not allow.
bool Simulation::Implementation::drives_agree(double at) {
  const int k = system.thwarted_drive();
  if (k < 0) return true;
  const std::vector<DriveInfo>& drives = system.mechanism().drives;
  std::vector<std::string> names;
  for (const DriveInfo& drive : drives) names.push_back(fmt::format("'{}'", drive.settings.name));
  end(SimulationStatus::inconsistent,
      names.size() == 1
          ? fmt::format("at t = {:.9g} s the loops do not let the drive {} move as it is prescribed", at, names.front())
          : fmt::format(
                "at t = {:.9g} s the drives {} contradict each other through the loops: not all can move as prescribed",
                at, fmt::join(names, ", ")),
      "drive fewer coordinates than there are freedoms, or prescribe motions that go with the loops");
  return false;
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
    if (std::max(rates.rate_m, rates.rate_rad) > 1e-6) {
      tell(
          fmt::format("the initial velocities broke the loops by {:.3g} m/s and {:.3g} rad/s; they "
                      "were projected",
                      rates.rate_m, rates.rate_rad));
    }
    std::copy(q.begin(), q.end(), closed.begin());
    loops->project_velocity(q, system.v(closed));
  }
  y = closed;
  record_origin = t;
  system.finish(t, y);
  if (!drives_agree(t)) return false;
  if (std::any_of(y.begin(), y.end(), [](double x) { return !std::isfinite(x); })) {
    stepper->start(t, y);
    explain(StepOutcome::ok);
    return false;
  }
  tell_of_smoothed_friction();
  find_jerks(options.until, true);
  if (options.controller.update) update_controls();
  system.settle_stops(t, y);
  system.settle_contacts(t, y);
  y[system.first_work() + 1] = 0;  // pairs that already touch have lost nothing
  system.settle_friction(t, y, rest_speed);
  stored_at_start = 0;
  const EnergyAudit first = energy_at(t, y);
  stored_at_start = first.kinetic + first.potential + first.elastic;
  if (system.has_impacts() && !meet_at_start()) return false;
  watch.look(t, y);
  stepper->start(t, y);
  time_of_progress_ = t;
  prepared = true;
  record(t, y);
  ++records;
  while (samples < options.at.size() && options.at[samples] <= t) {
    if (options.at[samples] == t && options.sample) options.sample({t, shown.q, shown.v});
    ++samples;
  }
  return true;
}

// What touches already and is moved together.
bool Simulation::Implementation::meet_at_start() {
  const std::vector<double> before = y;
  const double stored = stored_energy(y);
  std::vector<RecordedEvent> events;
  const bool goes_on = take(impacts.meet(t, y, true), events);
  if (events.empty()) return goes_on;
  system.finish(t, y);
  book_jump(before, stored);
  settle();
  for (RecordedEvent& event : events) note_event(std::move(event), before);
  return goes_on;
}

void Simulation::Implementation::update_controls() {
  std::vector<double> controls(system.control_count());
  system.controls_of_targets(t, controls);
  options.controller.update({t, system.q(std::span<const double>(y)), system.v(std::span<const double>(y))}, controls);
  system.set_controls(controls);
  const double period = options.controller.period;
  next_control = period > 0 ? next_on_period(record_origin, period, t) : std::nextafter(t, infinity);
  if (prepared) stepper->start(t, y);  // the right side has jumped
}

bool Simulation::Implementation::is_jerk(double at) const {
  return std::binary_search(jerks_.begin(), jerks_.end(), at);
}
double Simulation::Implementation::next_jerk(double at) const {
  const auto found = std::lower_bound(jerks_.begin(), jerks_.end(), at);
  return found == jerks_.end() ? infinity : *found;
}

// Drives have jumped since `before`, in velocity or in position: what moves with them is struck. All that this takes is put in by the
// drives. False where hard contacts that are struck too have no answer.
bool Simulation::Implementation::strike(double before) {
  const std::vector<double> y_before = y;
  known = Known::nothing;
  const EnergyAudit stored = system.energy(before, y_before);
  system.strike_by_drives(t, y);
  system.finish(t, y);
  const EnergyAudit after = system.energy(t, y);
  y[system.first_work()] +=
      after.kinetic + after.potential + after.elastic - stored.kinetic - stored.potential - stored.elastic;
  std::vector<RecordedEvent> events;
  for (const DriveInfo& drive : system.mechanism().drives) {
    const std::size_t k =
        static_cast<At>(system.mechanism().joints[static_cast<At>(drive.joint)].v + drive.settings.dof);
    const double from = system.v(std::span<const double>(y_before))[k], to = system.v(y)[k];
    if (std::abs(to - from) <= jerk_worth_telling * std::max(std::abs(from), std::abs(to))) continue;
    events.push_back({.name = drive.settings.name,
                      .kind = "blow",
                      .text = fmt::format("the drive's velocity jumps from {:.6g} to {:.6g} in SI units", from, to)});
  }
  bool goes_on = true;
  if (system.has_impacts()) {
    const std::vector<double> struck = y;
    const double stored_now = stored_energy(y);
    goes_on = take(impacts.meet(t, y, true), events);
    system.finish(t, y);
    book_jump(struck, stored_now);
  }
  settle();
  for (RecordedEvent& event : events) note_event(std::move(event), y_before);
  watch.look(t, y);
  stepper->start(t, y);
  return goes_on;
}

// Somebody has changed the right side between two runs.
void Simulation::Implementation::go_on_after_change() {
  known = Known::nothing;
  breaks = TimeBreaks(system.mechanism(), t, options, system.state_values(t, y));
  jerks_until_ = -infinity;
  if (!prepared) return;
  system.settle_coils(t, y);
  system.settle_friction(t, y, rest_speed);
  watch.look(t, y);
  stepper->start(t, y);
}

// Moments to be recorded and sampled within the last step, up to `end_time`; returns that, or where the run was stopped among many rows.
double Simulation::Implementation::record_until(double end_time, bool before_jump) {
  const auto next_record = [&] {
    return options.record_every > 0 ? record_origin + (static_cast<double>(records) + row_shift) * options.record_every
                                    : end_time;
  };
  while (samples < options.at.size() && options.at[samples] <= end_time) {
    stepper->at(options.at[samples], there_);
    show(options.at[samples++], there_);
    if (options.sample) options.sample({shown.t, shown.q, shown.v});
  }
  // Steps without length, where a jump is all that is left of a run, have had their row.
  if (!(options.record_every > 0) && (before_jump || end_time == last_row_time)) return end_time;
  const double slack = before_jump ? 0 : 1e-15;
  std::uint64_t rows = 0;
  for (double at = next_record(); at <= end_time * (1 + slack); at = next_record()) {
    const double where = std::min(at, end_time);
    stepper->at(where, there_);
    record(where, there_);
    ++records;
    if (!(options.record_every > 0)) break;
    constexpr std::uint64_t many = 1000;  // in one step: somebody may want to stop among them
    if (++rows % many == 0 && where < end_time && options.go_on) {
      const double step_from = std::exchange(t, where);  // checkpoints that are saved meanwhile are of this moment
      y.swap(there_);
      const bool goes_on = options.go_on(where);
      y.swap(there_);
      t = step_from;
      if (!goes_on) return where;
    }
  }
  return end_time;
}

void Simulation::Implementation::record(double at, std::span<const double> state) {
  show(at, state);
  last_row_time = at;
  if (!options.record) return;
  options.record({at, shown.q, shown.v});
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

std::span<const MotorState> Simulation::motors() {
  implementation_->find_forces();
  return implementation_->system.motors();
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

void Simulation::set_pull(const std::optional<Pull>& pull) {
  if (pull && (pull->body < 0 || pull->body >= mechanism().body_count())) {
    throw std::invalid_argument("nobody can pull at a body that is not there");
  }
  implementation_->system.set_pull(pull);
  implementation_->go_on_after_change();
}

void Simulation::set_drive(int drive, Profile motion) {
  if (drive < 0 || static_cast<At>(drive) >= mechanism().drives.size()) {
    throw std::invalid_argument("there is no such drive");
  }
  implementation_->system.set_drive(static_cast<At>(drive), std::move(motion));
  implementation_->go_on_after_change();
}

void Simulation::set_target(int actuator, std::vector<Profile> target) {
  if (actuator < 0 || static_cast<At>(actuator) >= mechanism().actuators.size()) {
    throw std::invalid_argument("there is no such actuator");
  }
  implementation_->system.set_target(static_cast<At>(actuator), std::move(target));
  implementation_->go_on_after_change();
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

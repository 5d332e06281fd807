// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside Simulation: what its parts share. The main loop is in simulation.cpp, what happens at events in apply_events.cpp, why a run ends in
// verdicts.cpp, checkpoints in checkpoint.cpp.

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "simulation/events.hpp"
#include "simulation/impact_events.hpp"
#include "simulation/time_breaks.hpp"

namespace trammel {

class CheckpointNumbers;  // checkpoint.cpp

namespace simulation {
constexpr double rest_speed = 1e-10;         // rad/s, m/s: a freedom with dry friction that is this slow is at rest
constexpr double jerk_worth_telling = 1e-9;  // of a drive's own position and velocity: less is round-off, no jump
constexpr std::uint64_t first_look = 500;    // steps after which stiffness is looked for; then after ten times as many
}  // namespace simulation

class Simulation::Implementation {
 public:
  Implementation(const Mechanism& mechanism, SimulationOptions given, const std::optional<State>& start)
      : options(completed(std::move(given), mechanism)),
        system(mechanism, options),
        watch(system, options),
        impacts(system),
        breaks(system.mechanism(), start ? start->t : 0.0, options, {}) {
    const State begin = start ? *start : initial_state(mechanism);
    y = system.start(begin);
    there_.resize(y.size());
    happened_.reserve(watch.watched().size());
    t = begin.t;
    next_control = t;
    breaks = TimeBreaks(system.mechanism(), t, options, system.state_values(t, y));
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
      const double h = options.step > 0 ? options.step : default_fixed_step;
      const double most = 0.5 / h, wanted = options.baumgarte_rate > 0 ? options.baumgarte_rate : 0.1 / h;
      system.set_stabilisation(std::min(wanted, most));
      if (wanted > most) {
        tell(
            fmt::format("Baumgarte's rate is {:.3g} 1/s instead of {:.3g}: no more than half over the step keeps "
                        "loops from swinging",
                        most, wanted));
      }
    }
    std::sort(options.at.begin(), options.at.end());
    show(t, y);
  }

  SimulationReport run(double until);
  void go_on_after_change();

  SimulationOptions options;
  System system;
  EventWatch watch;
  ImpactEvents impacts;
  TimeBreaks breaks;
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
  double row_shift = 0;  // from the number of rows to that of the next moment to be recorded
  double next_control = 0;
  double record_origin = 0, last_row_time = 0;
  double largest_work = 0;  // that was put in by the end of a step: a motion from rest to rest has none in the end

  void exchange(CheckpointNumbers& numbers, std::vector<double>& memory);  // into a checkpoint, or out of it

  static SimulationOptions completed(SimulationOptions o, const Mechanism& mechanism) {
    if (o.integrator == Integrator::implicit && !mechanism.impacts.empty()) {
      throw std::invalid_argument("the implicit step finds no events, at which impacts happen");
    }
    if (o.integrator == Integrator::automatic) o.integrator = Integrator::erk;
    if (!has_error_control(o.integrator) && !(o.step > 0)) o.step = default_fixed_step;
    if (!(o.tolerance > 0)) throw std::invalid_argument("the tolerance of a simulation must be positive");
    return o;
  }

 private:
  bool prepare();
  double on_grid(double end) const;
  bool drives_agree(double at);
  bool drives_part_from_here();
  bool meet_at_start();
  double next_halt(double until);
  bool advance(double until);  // one turn of the loop; false: the run is over
  double record_until(double end, bool before_jump);
  bool halts_at_breaks() const;
  bool is_jerk(double at) const;
  double next_jerk(double at) const;
  bool strike(double before);
  void record(double at, std::span<const double> state);
  bool apply(const std::vector<EventWatch::Watched>& happened);
  void tell_of_gap(const Event& event);
  bool apply_event(const EventInfo& info, std::vector<RecordedEvent>& events);
  bool take(ImpactEvents::Outcome outcome, std::vector<RecordedEvent>& events);
  void settle();
  // What touches, what slips and which currents are held, and what has changed of it since, as events.
  struct Modes {
    std::vector<ContactForces::Mode> contacts;
    std::vector<int> slips;  // of freedoms with dry friction
    std::vector<int> coils;  // ActingActuator::held
  };
  void take_modes(Modes& modes) const;
  std::uint64_t count_changes(const Modes& since) const;
  void add_changes(const Modes& since, std::string_view when, std::vector<RecordedEvent>& events) const;
  void note_event(RecordedEvent event, std::span<const double> before);
  double stored_energy(std::span<const double> state);
  double driven_work = 0;  // J: of impacts that are not booked yet
  void book_jump(std::span<const double> before, double stored_before);
  void update_controls();
  void tell(std::string note);
  void end(SimulationStatus status, std::string text, std::string fix);
  void explain(StepOutcome outcome);
  std::string without_value(double& at);
  bool has_grown_beyond_bounds() const;
  void tell_of_smoothed_friction();
  void find_jerks(double until, bool tells);
  void look_for_short_steps();
  void look_for_turned_bushings();
  std::string load_that_jumps();
  bool has_stalled(double until);
  void judge_energy();
  void judge_events();
  std::string beside_singularity();

  std::vector<EventWatch::Watched> happened_;                             // in the last step
  Modes modes_;                                                           // before it
  std::vector<double> there_;                                             // a state within it
  std::uint64_t steps_at_look_ = 0, next_look_ = simulation::first_look;  // for stiffness
  double time_at_look_ = -infinity, time_of_progress_ = -infinity;
  bool told_of_short_steps_ = false;
  std::vector<char> told_of_bushing_;
  std::vector<double> jerks_;       // the last moments before drives jump in position or velocity
  double jerks_until_ = -infinity;  // all of them up to then are known
  int events_at_once_ = 0;
  double last_event_ = -infinity;
};

}  // namespace trammel

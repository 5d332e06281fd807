// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Why a run ends, or does badly, in words.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <trammel/core/series.hpp>

#include "simulation/implementation.hpp"
#include "simulation/stiffness.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using simulation::jerk_worth_telling;

constexpr std::uint64_t stalling = 100000;  // steps that bring next to no
constexpr double next_to_none = 1e-8;       // share of what is left are the end of it
constexpr double beyond_all_forces = 1e100;

}  // namespace

void Simulation::Implementation::tell(std::string note) {
  if (options.on_note) options.on_note(note);
  report.notes.push_back(std::move(note));
}

void Simulation::Implementation::end(SimulationStatus status, std::string text, std::string fix) {
  report.status = status;
  report.text = std::move(text);
  report.fix = std::move(fix);
}

bool Simulation::Implementation::has_grown_beyond_bounds() const {
  constexpr double bound = 1e12;
  const std::span<const double> state = stepper->y();
  const auto end_of_motion = state.begin() + static_cast<std::ptrdiff_t>(system.first_work());
  const auto is_nan = [](double x) { return std::isnan(x); };
  return !std::all_of(state.begin(), end_of_motion, [](double x) { return std::abs(x) < bound; }) ||
         std::any_of(end_of_motion, state.end(), is_nan);
}

// Dry friction sticks where there is a coordinate that can be held: in the tree, and not of balls.
void Simulation::Implementation::tell_of_smoothed_friction() {
  if (!options.friction) return;
  for (const JointInfo& joint : system.mechanism().joints) {
    const std::vector<double>& list = joint.properties.dry;
    const bool closes = joint.role == JointRole::closure;
    if (std::all_of(list.begin(), list.end(), [](double x) { return x == 0; })) continue;
    if (!closes && joint.nq == joint.nv) continue;
    tell(fmt::format("dry friction of '{}'{} is smoothed below a speed of {:.3g}: it may creep where it should stick{}",
                     joint.name, closes ? ", which closes a loop," : "", joint.properties.dry_speed,
                     closes ? "; cut the loop at another joint, by --cut" : ""));
  }
}

// When drives jump in velocity, or in position: at such moments the mechanism is struck.
void Simulation::Implementation::find_jerks(double until, bool tells) {
  jerks_until_ = until;
  jerks_.clear();
  if (system.mechanism().drives.empty()) return;
  const std::span<const double> jumps = breaks.all(until);
  for (const DriveInfo& drive : system.mechanism().drives) {
    const int velocity = drive.settings.kind == Drive::Kind::position ? 1 : 0;
    const auto at = [&](double time) { return drive.settings.motion.at(Series<2>::time(time)); };
    std::array<double, 2>
        usual{};  // position and velocity over the run: next to a moment of rest all of them are small
    constexpr int looks = 64;
    for (int i = 0; i <= looks; ++i) {
      const Series<2> there = at(t + (until - t) * i / looks);
      for (int k = 0; k < 2; ++k) {
        if (std::isfinite(there.derivative(k))) usual[k] = std::max(usual[k], std::abs(there.derivative(k)));
      }
    }
    bool told = !tells;  // of the first one
    for (const double jump : jumps) {
      const Series<2> before = at(jump), after = at(std::nextafter(jump, infinity));
      const auto jumps_in = [&](int k) {
        const double size = std::max({usual[k], std::abs(before.derivative(k)), std::abs(after.derivative(k))});
        return std::abs(after.derivative(k) - before.derivative(k)) > jerk_worth_telling * size;
      };
      const bool leaps = velocity == 1 && jumps_in(0);
      if (!leaps && !jumps_in(velocity)) continue;
      jerks_.push_back(jump);
      if (std::exchange(told, true)) continue;
      tell(leaps
               ? fmt::format("drive '{}' jumps in position at t = {:.9g} s: bodies leap there, and the energy of that "
                             "is booked; prescribe a motion without jumps (ramp, table)",
                             drive.settings.name, jump)
               : fmt::format("drive '{}' jumps in velocity at t = {:.9g} s: it strikes what moves with it, as in an "
                             "impact; prescribe a motion without jumps (ramp, table) if that is not meant",
                             drive.settings.name, jump));
    }
  }
  std::sort(jerks_.begin(), jerks_.end());
  jerks_.erase(std::unique(jerks_.begin(), jerks_.end()), jerks_.end());
}

// A load that jumps with the state, next to where that is: "load 'push'". A motion that it sends back over the jump again and again never
// leaves it, and error control cuts every crossing into steps without end.
std::string Simulation::Implementation::load_that_jumps() {
  constexpr double next_to = 1e-6;
  const std::span<const double> values = system.state_values(stepper->t(), stepper->y());
  std::vector<double> state(values.begin(), values.end());
  const auto jumps = [&](const StateFunction& f) {
    for (double& x : state) {
      const double here = x, beside = next_to * std::max(1.0, std::abs(here));
      const auto along = [&](double s) {
        x = here + s;
        return f.at(stepper->t(), state);
      };
      const bool found = !find_jumps(along, -beside, beside, 1).empty();
      x = here;
      if (found) return true;
    }
    return false;
  };
  for (const LoadInfo& load : system.mechanism().loads) {
    const auto& size = load.settings.size;
    const auto& components = load.settings.components;
    if ((size && jumps(*size)) || (components && std::any_of(components->begin(), components->end(), jumps)))
      return fmt::format("load '{}'", load.settings.name);
  }
  return {};
}

// What makes error control take steps without end: forces that jump back and forth; under an explicit rule, stiffness.
void Simulation::Implementation::look_for_short_steps() {
  if (!has_error_control(options.integrator)) return;
  if (time_at_look_ == -infinity) time_at_look_ = t, steps_at_look_ = report.steps - 1;
  const std::uint64_t taken = report.steps - steps_at_look_;
  if (taken < next_look_) return;
  const double mean = (stepper->t() - time_at_look_) / static_cast<double>(taken);
  time_at_look_ = stepper->t(), steps_at_look_ = report.steps;
  next_look_ *= 10;
  constexpr double many = 1e6;
  if (mean * many < options.until - stepper->t()) {
    if (const std::string load = load_that_jumps(); !load.empty()) {
      if (told_of_short_steps_) return;
      told_of_short_steps_ = true;
      tell(fmt::format(
          "{} jumps with the state, and at t = {:.6g} s the motion goes back and forth over the jump in steps "
          "of {:.2g} s; make it smooth (tanh(x/small) instead of sign(x)), let joint friction do it, or take "
          "fixed steps",
          load, stepper->t(), mean));
      return;
    }
  }
  if (told_of_short_steps_) return;
  if (options.integrator == Integrator::bdf && system.has_loops() && mean * many < options.until - stepper->t()) {
    told_of_short_steps_ = true;
    tell(
        fmt::format("bdf creeps, at t = {:.6g} s in steps of {:.2g} s: its loops may be at a singular or locked "
                    "position; erk passes it, or says what is wrong there",
                    stepper->t(), mean));
  }
  if (options.integrator != Integrator::erk) return;
  const std::uint64_t evaluations = system.evaluations;
  const std::string note = note_on(find_stiffness(system, stepper->t(), stepper->y()), mean);
  system.evaluations = evaluations;
  told_of_short_steps_ = !note.empty();
  if (told_of_short_steps_) tell(note);
}

// The rotation vector of a bushing, and its torque with it, turns around where it passes half a turn.
void Simulation::Implementation::look_for_turned_bushings() {
  constexpr double nearly = 0.9 * std::numbers::pi;
  const Mechanism& mech = system.mechanism();
  if (mech.bushings.empty()) return;
  told_of_bushing_.resize(mech.bushings.size());
  if (std::find(told_of_bushing_.begin(), told_of_bushing_.end(), 0) == told_of_bushing_.end()) return;
  const Workspace& ws = system.motion(stepper->t(), stepper->y());
  const auto R = [&](int body) { return body == ground ? Mat3d::identity() : pose_WB(mech, ws, body).R; };
  for (At i = 0; i < mech.bushings.size(); ++i) {
    const BushingInfo& b = mech.bushings[i];
    const Mat3d R_WP = R(b.first) * b.settings.X_AP.R, R_WQ = R(b.second) * b.settings.X_BQ.R;
    const double angle = norm(log(transpose(R_WP) * R_WQ));
    if (told_of_bushing_[i] != 0 || angle < nearly) continue;
    told_of_bushing_[i] = 1;
    tell(
        fmt::format("bushing '{}' is turned by {:.3g} deg at t = {:.9g} s: at 180 deg its torque jumps to the other "
                    "side; put a spring at a joint (springs, joint) where full turns are meant",
                    b.settings.name, angle * 180 / std::numbers::pi, stepper->t()));
  }
}

// Steps that are too coarse show in the balance of energy. The implicit rule damps what its steps do not resolve, which is what it is
// for: it is told only where that is a good part of all.
void Simulation::Implementation::judge_energy() {
  const bool damps = options.integrator == Integrator::implicit;
  const double much = damps ? 0.3 : 0.03;
  const EnergyAudit& e = report.energy;
  const double stored = e.kinetic + e.potential + e.elastic;
  const double moved =
      std::max({e.kinetic, std::abs(stored - stored_at_start), std::abs(e.input), e.dissipated, largest_work});
  if (!report.ok() || !(std::abs(e.error) > much * moved) || std::abs(e.error) < 1e-9 * std::abs(stored)) return;
  if (damps) {
    tell(fmt::format(
        "the implicit rule damps what its steps do not resolve: {:.3g} J are missing or too many, where {:.3g} J have "
        "moved; use smaller steps if that motion matters",
        std::abs(e.error), moved));
    return;
  }
  const bool loose = system.has_loops() && options.stabilisation != Stabilisation::projection;
  tell(fmt::format(
      "energy does not balance: {:.3g} J are missing or too many, where {:.3g} J have moved; "
      "use {}{}",
      std::abs(e.error), moved, has_error_control(options.integrator) ? "a smaller tolerance" : "smaller steps",
      loose ? ", or projection" : ""));
}

// What has no value crosses nothing: who waits for it should know.
void Simulation::Implementation::judge_events() {
  for (const EventWatch::Unseen& event : watch.unseen()) {
    tell(fmt::format(
        "event '{}' has no value at t = {:.9g} s (a division by zero, the root of a negative number or the like): it "
        "cannot be seen there",
        event.name, event.t));
  }
}

bool Simulation::Implementation::has_stalled(double until) {
  if (!has_error_control(options.integrator) || report.steps % stalling != 0) return false;
  const double since = std::exchange(time_of_progress_, stepper->t());
  return stepper->t() - since < next_to_none * (until - since);
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

// A load, target or drive that has no finite value here or a little later: "load 'push'"; empty where all have. `at` is when.
std::string Simulation::Implementation::without_value(double& at) {
  const Mechanism& mech = system.mechanism();
  const auto is_lost = [](double x) { return !(std::abs(x) < beyond_all_forces); };
  std::vector<double> rates(y.size()), moved = y;  // on, as it moves now
  const bool moves = system.derivative(t, y, rates) &&
                     std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); });
  for (const double later : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2, options.step}) {
    const double ahead = later * std::max(1.0, std::abs(t));
    at = t + ahead;
    for (At i = 0; moves && i < y.size(); ++i) moved[i] = y[i] + ahead * rates[i];
    const std::span<const double> state = system.state_values(at, moved);
    for (const LoadInfo& load : mech.loads) {
      bool lost = load.settings.size && is_lost(load.settings.size->at(at, state));
      if (load.settings.components) {
        for (const StateFunction& f : *load.settings.components) lost = lost || is_lost(f.at(at, state));
      }
      if (lost) return fmt::format("load '{}'", load.settings.name);
    }
    for (const ActuatorInfo& actuator : mech.actuators) {
      for (const Profile& f : actuator.settings.target) {
        if (is_lost(f.at(at))) return fmt::format("the target of actuator '{}'", actuator.settings.name);
      }
    }
    for (const DriveInfo& drive : mech.drives) {
      const Series<2> motion = drive.settings.motion.at(Series<2>::time(at));
      for (const int rate : {0, 1, 2}) {
        if (is_lost(motion.derivative(rate))) return fmt::format("drive '{}'", drive.settings.name);
      }
    }
  }
  return {};
}

// Do drives ask a little later for what the loops do not allow? Under error control the steps before that shrink to nothing.
bool Simulation::Implementation::drives_part_from_here() {
  if (!system.has_loops() || system.mechanism().drives.empty()) return false;
  std::vector<double> probe;
  for (const double later : {0.0, 1e-6, 1e-4, 1e-2}) {
    probe = y;
    system.finish(t + later * std::max(1.0, std::abs(t)), probe);
    if (!drives_agree(t)) return true;
  }
  return false;
}

// Why a step could not be taken, or what has grown beyond all bounds.
void Simulation::Implementation::explain(StepOutcome outcome) {
  const Mechanism& mech = system.mechanism();
  const LoopVerdict verdict = system.verdict();  // of the step that failed; others follow
  double when = t;
  if (const std::string guilty = without_value(when); !guilty.empty()) {
    end(SimulationStatus::diverged,
        fmt::format("at t = {:.9g} s {} has no finite value, or one beyond all bounds", when, guilty),
        "look at its expression: a division by zero, a root or logarithm of what is negative there");
    return;
  }
  const bool contrary = outcome == StepOutcome::no_derivative && verdict.status == LoopStatus::inconsistent;
  if ((outcome == StepOutcome::step_too_small || contrary) && drives_part_from_here()) return;
  const double h = stepper->t() - stepper->t_before();
  if (outcome == StepOutcome::no_derivative) {
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
    const std::string singular = beside_singularity();
    end(SimulationStatus::diverged,
        fmt::format("at t = {:.9g} s the midpoint rule does not converge with a step of {:.3g} s{}", t, options.step,
                    singular),
        !singular.empty() ? "step over it: with erk or rk4"
        : advice.empty()  ? "use a smaller step"
                          : advice);
  } else {
    end(SimulationStatus::diverged,
        fmt::format("the motion grows beyond all bounds at t = {:.9g} s, first at joint '{}' ({:.3g} in one step); "
                    "kinetic energy was {:.4g} J before",
                    stepper->t(), who, growth, energy_at(t, y).kinetic),
        !advice.empty()                         ? advice
        : has_error_control(options.integrator) ? "look for a force that grows without bound: a load, an actuator, a "
                                                  "damper of the wrong sign"
                                                : "use a smaller step, or an integrator with error control");
  }
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Rollouts on the threads of a crew: first what can share lanes, block by block, then a simulation for each other case.

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include <trammel/batch.hpp>
#include <trammel/rollout.hpp>

#include "core/crew.hpp"
#include "simulation/lane_rollout.hpp"

namespace trammel {
namespace {

using At = std::size_t;

int count_controls(const Mechanism& mechanism) {
  int count = 0;
  for (const ActuatorInfo& actuator : mechanism.actuators) {
    count += actuator.settings.dof == Actuator::all_of_ball ? 3 : 1;
  }
  return count;
}

bool have_same_lengths(const Parameters<double>& a, const Parameters<double>& b) {
  return a.X_PF.size() == b.X_PF.size() && a.inertia.size() == b.inertia.size() && a.X_LB.size() == b.X_LB.size() &&
         a.X_LC.size() == b.X_LC.size() && a.M_C.size() == b.M_C.size() && a.armature.size() == b.armature.size() &&
         a.viscous.size() == b.viscous.size() && a.dry.size() == b.dry.size() &&
         a.dry_speed.size() == b.dry_speed.size();
}

}  // namespace

class Rollouts::Implementation {
 public:
  Implementation(const Mechanism& the_mechanism, RolloutOptions the_options)
      : mechanism(the_mechanism),
        options(the_options),
        control_count(count_controls(the_mechanism)),
        crew(std::max(the_options.threads, 0)) {
    if (has_error_control(options.integrator)) {
      throw std::invalid_argument("rollouts take fixed steps: rk4, midpoint, semi_implicit or implicit");
    }
    for (const double time : {options.duration, options.step}) {
      if (!(time > 0 && std::isfinite(time))) {
        throw std::invalid_argument("duration and step of rollouts must be positive");
      }
    }
    if (!(options.control_period >= 0 && options.sample_every >= 0)) {
      throw std::invalid_argument("periods of rollouts must not be negative");
    }
  }

  // Before anything runs.
  void check(At index, const RolloutCase& one) const {
    const auto refuse = [index](std::string_view what) {
      throw std::invalid_argument(fmt::format("rollout {}: {}", index, what));
    };
    if (one.start && one.fork) refuse("it begins at a state or forks from a simulation, not both");
    if (one.start && (one.start->q.size() != static_cast<At>(mechanism.nq) ||
                      one.start->v.size() != static_cast<At>(mechanism.nv))) {
      refuse(fmt::format("its start needs {} coordinates and {} velocities", mechanism.nq, mechanism.nv));
    }
    if (one.start && !std::isfinite(one.start->t)) refuse("the time at which it begins is no finite number");
    if (one.parameters && !have_same_lengths(*one.parameters, mechanism.parameters)) {
      refuse("its parameters are not those of this mechanism: lengths differ");
    }
    const auto row = static_cast<At>(control_count);
    if (!one.controls.empty() && (row == 0 || one.controls.size() % row != 0)) {
      refuse(fmt::format("controls come in rows of {} numbers; {} are no such rows", row, one.controls.size()));
    }
  }

  // Blocks of cases that lanes may take, in the order of the cases; those of a block take the same steps.
  std::vector<std::vector<At>> blocks_of(std::span<const RolloutCase> cases) const {
    std::vector<std::vector<At>> groups;
    std::map<std::tuple<double, bool, bool>, At> known;
    const double usual_begin = initial_state(mechanism).t;
    for (At i = 0; i < cases.size(); ++i) {
      const RolloutCase& one = cases[i];
      if (one.fork || (one.parameters && options.friction && has_sticking(mechanism, *one.parameters))) continue;
      const bool is_controlled = !one.controls.empty() || one.controller;
      const auto [place, is_new] = known.try_emplace(
          {one.start ? one.start->t : usual_begin, is_controlled, one.parameters != nullptr}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(i);
    }
    std::vector<std::vector<At>> blocks;
    for (const std::vector<At>& group : groups) {
      for (At first = 0; first < group.size(); first += static_cast<At>(lane_count())) {
        const At end = std::min(group.size(), first + static_cast<At>(lane_count()));
        blocks.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(first),
                            group.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    return blocks;
  }

  void run_block(const std::vector<At>& block, std::span<const RolloutCase> cases, std::span<Rollout> out) const {
    std::vector<const RolloutCase*> of;
    std::vector<Rollout*> results;
    for (const At i : block) of.push_back(&cases[i]), results.push_back(&out[i]);
    try {
      run_in_lanes(mechanism, options, of, results);
    } catch (const std::exception&) {
      for (Rollout* one : results) *one = {};  // all by themselves, so that the others are not lost
    }
  }

  // What a controller throws, or a fork that cannot be, ends this one only.
  Rollout run_guarded(At index, const RolloutCase& one) const {
    try {
      return run_alone(one);
    } catch (const std::exception& wrong) {
      Rollout out;
      out.status = SimulationStatus::stopped;
      out.text = fmt::format("rollout {}: {}", index, wrong.what());
      out.fix = one.fork ? "fork from a simulation of this mechanism with these options" : "look at its controller";
      if (one.start) out.end = *one.start;
      return out;
    }
  }

  Rollout run_alone(const RolloutCase& one) const {
    Rollout out;
    SimulationOptions settings = simulation_options(one, out);
    if (one.parameters) {
      Mechanism own = mechanism;
      own.parameters = *one.parameters;
      go(Simulation(own, std::move(settings), one.start), one, out);
    } else {
      go(Simulation(mechanism, std::move(settings), one.start), one, out);
    }
    return out;
  }

  Mechanism mechanism;
  RolloutOptions options;
  int control_count;
  mutable Crew crew;

 private:
  SimulationOptions simulation_options(const RolloutCase& one, Rollout& out) const {
    const double begin = begin_of(mechanism, one);
    SimulationOptions s;
    s.until = begin + options.duration;
    s.step = options.step;
    s.integrator = options.integrator;
    s.friction = options.friction;
    s.fluid = options.fluid;
    s.record_every = options.sample_every > 0 ? options.sample_every : options.duration;
    if (options.sample_every > 0) {
      s.record = [&out](const Moment& m) {
        out.samples.push_back(m.t);
        out.samples.insert(out.samples.end(), m.q.begin(), m.q.end());
        out.samples.insert(out.samples.end(), m.v.begin(), m.v.end());
      };
    }
    if (one.controls.empty() && !one.controller) return s;
    s.controller.period = control_period(options);
    s.controller.update = [this, &one, begin](const Moment& m, std::span<double> controls) {
      set_controls(one, options, begin, m, controls);
    };
    return s;
  }

  static void go(Simulation simulation, const RolloutCase& one, Rollout& out) {
    if (one.fork) simulation.restore(*one.fork);
    const std::uint64_t before = one.fork ? one.fork->steps : 0;
    SimulationReport report = simulation.run();
    out.status = report.status;
    out.text = std::move(report.text);
    out.fix = std::move(report.fix);
    out.steps = report.steps - before;
    out.end = simulation.state();
  }
};

Rollouts::Rollouts(const Mechanism& mechanism, RolloutOptions options)
    : implementation_(std::make_unique<Implementation>(mechanism, options)) {}
Rollouts::~Rollouts() = default;
Rollouts::Rollouts(Rollouts&&) noexcept = default;
Rollouts& Rollouts::operator=(Rollouts&&) noexcept = default;

int Rollouts::control_count() const { return implementation_->control_count; }
int Rollouts::threads() const { return implementation_->crew.threads(); }
std::string Rollouts::why_no_lanes() const {
  return trammel::why_no_lanes(implementation_->mechanism, implementation_->options);
}

std::vector<Rollout> Rollouts::run(std::span<const RolloutCase> cases) const {
  for (At i = 0; i < cases.size(); ++i) implementation_->check(i, cases[i]);
  std::vector<Rollout> out(cases.size());
  if (implementation_->options.lanes && why_no_lanes().empty()) {
    const std::vector<std::vector<At>> blocks = implementation_->blocks_of(cases);
    implementation_->crew.each(static_cast<int>(blocks.size()),
                               [&](int b) { implementation_->run_block(blocks[static_cast<At>(b)], cases, out); });
  }
  std::vector<At> alone;
  for (At i = 0; i < cases.size(); ++i) {
    if (!out[i].in_lanes) alone.push_back(i);
  }
  implementation_->crew.each(static_cast<int>(alone.size()), [&](int k) {
    const At i = alone[static_cast<At>(k)];
    out[i] = implementation_->run_guarded(i, cases[i]);
  });
  return out;
}

}  // namespace trammel

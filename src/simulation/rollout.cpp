// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Rollouts: a simulation a case, case by case on the threads of a crew.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include <trammel/rollout.hpp>

#include "core/crew.hpp"

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
    if (one.parameters && !have_same_lengths(*one.parameters, mechanism.parameters)) {
      refuse("its parameters are not those of this mechanism: lengths differ");
    }
    const auto row = static_cast<At>(control_count);
    if (!one.controls.empty() && (row == 0 || one.controls.size() % row != 0)) {
      refuse(fmt::format("controls come in rows of {} numbers; {} are no such rows", row, one.controls.size()));
    }
  }

  Rollout run(const RolloutCase& one) const {
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
  double begin_of(const RolloutCase& one) const {
    return one.fork ? one.fork->t : one.start ? one.start->t : initial_state(mechanism).t;
  }

  SimulationOptions simulation_options(const RolloutCase& one, Rollout& out) const {
    const double begin = begin_of(one), period = options.control_period > 0 ? options.control_period : options.step;
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
    s.controller.period = period;
    s.controller.update = [this, &one, begin, period](const Moment& m, std::span<double> controls) {
      if (!one.controls.empty()) {
        const std::size_t rows = one.controls.size() / controls.size();
        const double row = std::clamp(std::floor((m.t - begin) / period + 1e-6), 0.0, static_cast<double>(rows) - 1);
        std::copy_n(one.controls.begin() + static_cast<std::ptrdiff_t>(row) * control_count, control_count,
                    controls.begin());
      }
      if (one.controller) one.controller(m, controls);
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

std::vector<Rollout> Rollouts::run(std::span<const RolloutCase> cases) const {
  for (At i = 0; i < cases.size(); ++i) implementation_->check(i, cases[i]);
  std::vector<Rollout> out(cases.size());
  implementation_->crew.each(static_cast<int>(cases.size()),
                             [&](int i) { out[static_cast<At>(i)] = implementation_->run(cases[static_cast<At>(i)]); });
  return out;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the main loop sees of an integrator: one step after the other, and the state anywhere within the last one.

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulation/system.hpp"

namespace trammel {

enum class StepOutcome {
  ok,
  no_derivative,   // the system has none: System::verdict()
  step_too_small,  // error control gave up
  not_converged,   // of an implicit rule: the step is too long
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  // Begins at t with y, or goes on from there after a jump: nothing is remembered but the length of the last step.
  virtual void start(double t, std::span<const double> y) = 0;
  // One step from t(), not beyond `stop`. y() is then where it belongs: System::finish().
  virtual StepOutcome step(double stop) = 0;
  // The state at a time within the last step, finished too.
  virtual void at(double t, std::span<double> y) = 0;

  // What the next step depends on beside t and y, for checkpoints; recall() after start().
  virtual std::vector<double> memory() const { return {}; }
  virtual void recall(std::span<const double>) {}

  double t_before() const { return t_before_; }
  double t() const { return t_; }
  std::span<const double> y() const { return y_; }
  std::uint64_t rejected = 0;

 protected:
  double t_before_ = 0, t_ = 0;
  std::vector<double> y_;
};

// --- the grid of fixed steps: origin + n h ------------------------------------------------------------------------------------------------

// The next time of the grid, but not beyond `stop`; one that round-off has left just ahead of t does not count.
inline double next_on_grid(double origin, double h, double t, double stop) {
  const double next = origin + (std::floor((t - origin) / h + 1e-6) + 1) * h;
  return next > stop - 1e-6 * h ? stop : next;
}
// An end that is on the grid but for round-off is on it: a run that goes on from there is then the same, bit by bit.
inline double end_on_grid(double origin, double h, double end) {
  const double nearest = origin + std::round((end - origin) / h) * h;
  constexpr double round_off = 1e-15;
  return std::abs(nearest - end) <= round_off * std::abs(end) ? nearest : end;
}
// The next time at which a controller is asked.
inline double next_on_period(double origin, double period, double t) {
  return origin + (std::floor((t - origin) / period + 1e-6) + 1) * period;
}

std::unique_ptr<Stepper> make_fixed_stepper(Integrator integrator, System& system, double step);
std::unique_ptr<Stepper> make_erk_stepper(System& system, const SimulationOptions& options);
std::unique_ptr<Stepper> make_bdf_stepper(System& system, const SimulationOptions& options);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Explicit Runge–Kutta rules of ARKODE with error control. With the rates k_i of the stages, weights b and those of the embedded rule d,
//   Y_i = y + h Σ_j a_ij k_j,   k_i = f(t + c_i h, Y_i),   y' = y + h Σ b_i k_i,   e = h Σ (b_i − d_i) k_i                      (1)
// y' is then finished (loops closed, quaternions made unit), and of e counts what is left of it by that: ‖P e‖, P onto the motions that
// loops allow. Near a singular position round-off of the loops' gaps stands in e a millionfold, across all that can move; no step would be
// short enough. ARKODE's own driver judges e before it projects y', which is why steps are taken here.
//
// The next step is, with e₁, e₂, e₃ the last three norms and p the order of the embedded rule,                [Söderlind 2003, as in ARKODE]
//   h' = 0.9 h (1.5 e₁)^(−0.58/p) (1.5 e₂)^(0.21/p) (1.5 e₃)^(−0.1/p)                                                          (2)
//
// The state within a step is found by a shorter step of the same rule from the same beginning: it is as exact as the end.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <arkode/arkode_butcher_erk.h>

#include "simulation/stepper.hpp"

namespace trammel {
namespace {

using At = std::size_t;

// The rules of ARKODE with each order. (Its Verner rule of order 6 converges with order 3 only in the version that Debian 12 has, 5.4.)
ARKODE_ERKTableID rule_of_order(int order) {
  switch (order) {
    case 2:
      return ARKODE_HEUN_EULER_2_1_2;
    case 3:
      return ARKODE_BOGACKI_SHAMPINE_4_2_3;
    case 4:
      return ARKODE_ZONNEVELD_5_3_4;
    case 5:
    case 6:
      return ARKODE_DORMAND_PRINCE_7_4_5;
    default:
      return ARKODE_FEHLBERG_13_7_8;
  }
}

// Fehlberg's rule of order 8 with another estimate of its error. His own is the difference of rates at the beginning and the end of a step,
// and does not see a stop that is met and left in between, nor anything that depends on time alone. Seven of the stages have the times 0,
// 1/6, …, 1 of the step; a fifth difference of their rates is zero for rules up to order 5, so that b minus a share of one is a rule of
// order 5 within that of order 8. Taken is the one over the first six plus a quarter of the one over the last six: no stage is left out.
ARKodeButcherTable rule_with_its_error(int order) {
  ARKodeButcherTable rule = ARKodeButcherTable_LoadERK(rule_of_order(order));
  if (rule == nullptr) throw std::runtime_error("ARKODE has no such rule");
  if (order != 0 && order < 7) return rule;
  constexpr struct {
    int stage;
    double weight;
  } difference[] = {{0, -1}, {7, 4.75}, {9, -8.75}, {5, 7.5}, {8, -2.5}, {6, -0.25}, {10, 0.25}};
  constexpr double share = 0.01;  // with which the tolerance is about the error of a second of swinging
  for (int i = 0; i < rule->stages; ++i) rule->d[i] = rule->b[i];
  for (const auto& [stage, weight] : difference) rule->d[stage] -= share * weight;
  rule->p = 5;
  return rule;
}

// Within a step in which a force jumps with the state, the fifth difference above sees too little, and so does the rule of order 5: errors
// are a thousand times the tolerance and more. A rule of order 4 keeps it.
constexpr int order_over_jumps = 4;
bool may_jump_with_state(const StateFunction& f) { return !f.is_of_time() && f.of_time.expression.may_jump(); }
int order_for(const Mechanism& mech, int wanted) {
  const auto may_jump = [](const LoadInfo& load) {
    const auto& size = load.settings.size;
    const auto& components = load.settings.components;
    return (size && may_jump_with_state(*size)) ||
           (components && std::any_of(components->begin(), components->end(), may_jump_with_state));
  };
  return wanted == 0 && std::any_of(mech.loads.begin(), mech.loads.end(), may_jump) ? order_over_jumps : wanted;
}

constexpr int most_attempts = 60;       // at one step, each at most 0.3 of the one before
constexpr int most_without_rates = 10;  // of these, where the right side could not be found
constexpr double careful = 0.01;        // of the step before, after an event
constexpr double safety = 0.9;          // with which one step in twenty is rejected, not one in four
constexpr double of_loops = 4;          // by which P e counts: P leaves less of it than is true
constexpr double largest_growth = 20;   // of a step over the one before
constexpr double first_growth = 1e4;    // of the second over the first, which may be far too careful

class ErkStepper : public Stepper {
 public:
  ErkStepper(System& system, const SimulationOptions& options)
      : system_(system),
        longest_(options.step > 0 ? options.step : infinity),
        relative_(options.tolerance),
        weight_(system.has_loops() && options.stabilisation == Stabilisation::projection ? of_loops : 1),
        absolute_(system.tolerances(options.tolerance)),
        rule_(rule_with_its_error(order_for(system.mechanism(), options.order))),
        rates_(static_cast<At>(rule_->stages), std::vector<double>(system.size())),
        before_(system.size()),
        stage_(system.size()),
        error_(system.size()),
        next_y_(system.size()) {
    y_.resize(system.size());
  }
  ~ErkStepper() override { ARKodeButcherTable_Free(rule_); }

  void start(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), y_.begin());
    before_ = y_;
    t_ = t_before_ = t;
    // After an event (a latch opens, and what stood still flies off) the step of before may be far too long. A first one may grow
    // ten-thousandfold, so that a careful beginning costs one step. Where a start follows every step, as with a controller that has no
    // period, each would be a careful one.
    if (memory_.steps > 1) memory_.next *= careful;
    memory_.steps = 0;
    memory_.e2 = memory_.e3 = 0;
  }

  StepOutcome step(double stop) override {
    if (!take_rates(t_, y_, 0)) return StepOutcome::no_derivative;
    if (!(memory_.next > 0)) memory_.next = first_step(stop);
    double h = std::min(memory_.next, longest_);
    int without_rates = 0;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const bool last = t_ + h > stop - 1e-10 * h;
      const double next_t = last ? stop : t_ + h;
      if (last) h = stop - t_;
      if (!(h > 4e-16 * std::abs(t_)) && !last) break;
      if (!advance(t_, y_, next_t, next_y_, true)) {
        if (++without_rates == most_without_rates) return StepOutcome::no_derivative;
        h *= 0.25;
        continue;
      }
      system_.finish(next_t, next_y_);
      system_.project_error(next_y_, error_);
      const double e = weight_ * norm(error_, y_);
      const double p = rule_->p, growth = memory_.steps == 0 ? first_growth : largest_growth;
      double factor = safety * std::pow(std::max(1.5 * e, 1e-10), -0.58 / p);
      if (!(e <= 1)) {
        ++rejected;
        factor = std::isfinite(e) ? std::clamp(factor, 0.1, attempt == 0 ? 0.9 : 0.3) : 0.1;
        h *= factor;
        continue;
      }
      if (memory_.e2 > 0) factor *= std::pow(memory_.e2, 0.21 / p);
      if (memory_.e3 > 0) factor *= std::pow(memory_.e3, -0.1 / p);
      memory_.e3 = memory_.e2;
      memory_.e2 = std::max(1.5 * e, 1e-10);
      // A step that was cut short at `stop` says little about the next one.
      const double next = h * std::clamp(factor, 0.1, attempt == 0 ? growth : 1.0);
      memory_.next = last && attempt == 0 ? std::max(next, memory_.next) : next;
      ++memory_.steps;
      before_.swap(y_);
      y_.swap(next_y_);
      t_before_ = t_;
      t_ = next_t;
      return StepOutcome::ok;
    }
    return StepOutcome::step_too_small;
  }

  std::vector<double> memory() const override { return {memory_.next, memory_.e2, memory_.e3, memory_.steps}; }
  void recall(std::span<const double> memory) override {
    if (memory.size() == 4) memory_ = {memory[0], memory[1], memory[2], memory[3]};
  }

  void at(double t, std::span<double> y) override {
    if (t == t_ || t == t_before_) {
      const std::vector<double>& known = t == t_ ? y_ : before_;
      std::copy(known.begin(), known.end(), y.begin());
      return;
    }
    if (take_rates(t_before_, before_, 0) && advance(t_before_, before_, t, y, false)) system_.finish(t, y);
  }

 private:
  bool take_rates(double t, std::span<const double> y, At stage) {
    std::vector<double>& rate = rates_[stage];
    return system_.derivative(t, y, rate) &&
           std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); });
  }

  // (1) from y at t, whose rates are those of the first stage, to `out` at `end`; the error too, where it is asked for.
  bool advance(double t, std::span<const double> y, double end, std::span<double> out, bool with_error) {
    const double h = end - t;
    const At n = y.size(), stages = rates_.size();
    for (At i = 1; i < stages; ++i) {
      combine(y, h, rule_->A[i], i, stage_);
      if (!take_rates(t + rule_->c[i] * h, stage_, i)) return false;
    }
    combine(y, h, rule_->b, stages, out);
    if (!with_error) return true;
    for (At k = 0; k < n; ++k) {
      double sum = 0;
      for (At i = 0; i < stages; ++i) sum += (rule_->b[i] - rule_->d[i]) * rates_[i][k];
      error_[k] = h * sum;
    }
    return true;
  }
  void combine(std::span<const double> y, double h, const double* weights, At count, std::span<double> out) const {
    std::copy(y.begin(), y.end(), out.begin());
    for (At i = 0; i < count; ++i) {
      const double w = h * weights[i];
      if (w == 0) continue;
      for (At k = 0; k < out.size(); ++k) out[k] += w * rates_[i][k];
    }
  }

  double norm(std::span<const double> x, std::span<const double> y) const {
    double sum = 0;
    for (At i = 0; i < x.size(); ++i) {
      const double share = x[i] / (relative_ * std::abs(y[i]) + absolute_[i]);
      sum += share * share;
    }
    return std::sqrt(sum / static_cast<double>(x.size()));
  }

  // So that a step of Euler's rule would be off by about a hundredth of the tolerance.        [Hairer, Nørsett, Wanner 1993, II.4]
  double first_step(double stop) {
    const double most = std::min(longest_, stop - t_);
    const double size = norm(y_, y_), rate = norm(rates_[0], y_);
    const double guess = std::min(most, size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate);
    for (At i = 0; i < y_.size(); ++i) stage_[i] = y_[i] + guess * rates_[0][i];
    if (!take_rates(t_ + guess, stage_, 1)) return guess;
    for (At i = 0; i < y_.size(); ++i) error_[i] = (rates_[1][i] - rates_[0][i]) / guess;
    const double bend = norm(error_, y_), larger = std::max(rate, bend);
    const double h = larger > 1e-15 ? std::pow(0.01 / larger, 1.0 / (rule_->p + 1)) : std::max(1e-6, 1e-3 * guess);
    return std::min({100 * guess, h, most});
  }

  System& system_;
  double longest_, relative_, weight_;
  std::vector<double> absolute_;
  ARKodeButcherTable rule_;
  std::vector<std::vector<double>> rates_;
  std::vector<double> before_, stage_, error_, next_y_;
  struct Memory {
    double next = 0;  // step; 0: none was taken
    double e2 = 0, e3 = 0;
    double steps = 0;  // since the start
  };
  Memory memory_;
};

}  // namespace

std::unique_ptr<Stepper> make_erk_stepper(System& system, const SimulationOptions& options) {
  return std::make_unique<ErkStepper>(system, options);
}

}  // namespace trammel

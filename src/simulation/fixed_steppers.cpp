// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Fixed steps. They end on the grid t₀ + n h, also when an event lies between. No step allocates on a tree.
//
// rk4             the classical rule on y, quaternions among it: q̇ = N(q) v is perpendicular to q, and what is left of order h⁵ is
//                 taken away by making them unit
// midpoint        v_m = v + h/2 v̇(q_m, v_m),  q_m = q ⊕ h/2 v_m;   v' = v + h v̇,  q' = q_m ⊕ h/2 v_m     by fixed-point iteration.
//                 Symmetric: a step back undoes it.
// semi_implicit   v' = v + h v̇(q, v),  q' = q ⊕ h v'; the point of a free joint as free_flight.hpp says
// implicit        the same with v̇ of (M + h D + h² K) v̇ = f − h K v                       see implicit_step.cpp

#include <cmath>

#include "simulation/free_flight.hpp"
#include "simulation/stepper.hpp"

namespace trammel {
namespace {

using At = std::size_t;

class FixedStepper : public Stepper {
 public:
  FixedStepper(System& system, double h) : system_(system), h_(h), before_(system.size()), rate_(system.size()) {
    y_.resize(system.size());
  }

  void start(double t, std::span<const double> y) override {
    if (!started_) origin_ = t;
    started_ = true;
    t_ = t_before_ = t;
    std::copy(y.begin(), y.end(), y_.begin());
    before_ = y_;
  }

  StepOutcome step(double stop) override {
    const double next = next_on_grid(origin_, h_, t_, stop);
    t_before_ = t_;
    before_.swap(y_);
    const StepOutcome outcome = advance(t_before_, before_, next, y_);
    if (outcome != StepOutcome::ok) {
      y_ = before_;
      return outcome;
    }
    t_ = next;
    system_.keep_step();
    system_.finish(t_, y_);
    return outcome;
  }

  void at(double t, std::span<double> y) override {
    if (t == t_ || t == t_before_) {
      const std::vector<double>& known = t == t_ ? y_ : before_;
      std::copy(known.begin(), known.end(), y.begin());
      return;
    }
    if (advance(t_before_, before_, t, y) == StepOutcome::ok) system_.finish(t, y);
  }

 protected:
  // From y at t to `out` at the time `end`.
  virtual StepOutcome advance(double t, std::span<const double> y, double end, std::span<double> out) = 0;

  // out = y with q moved by h v and the other numbers by h times their rate.
  void move(std::span<const double> y, std::span<const double> along_v, double h, std::span<const double> rate,
            std::span<double> out) {
    const std::span<double> v = system_.v(out);
    const auto first_v = static_cast<At>(v.data() - out.data());
    for (At i = first_v; i < out.size(); ++i) out[i] = y[i] + h * rate[i];
    delta_.resize(v.size());
    for (At i = 0; i < v.size(); ++i) delta_[i] = h * along_v[i];
    step_coordinates(system_.mechanism(), system_.q(y), delta_, system_.q(out));
  }

  System& system_;
  double h_, origin_ = 0;
  bool started_ = false;
  std::vector<double> before_, rate_, delta_;
};

class RungeKutta4 : public FixedStepper {
 public:
  RungeKutta4(System& system, double h) : FixedStepper(system, h), stage_(system.size()), sum_(system.size()) {}

 protected:
  StepOutcome advance(double t, std::span<const double> y, double end, std::span<double> out) override {
    const double h = end - t;
    const At n = y.size();
    if (!system_.derivative(t, y, rate_)) return StepOutcome::no_derivative;
    for (At i = 0; i < n; ++i) sum_[i] = rate_[i], stage_[i] = y[i] + h / 2 * rate_[i];
    for (int k = 1; k <= 2; ++k) {
      if (!system_.derivative(t + h / 2, stage_, rate_)) return StepOutcome::no_derivative;
      const double ahead = k == 1 ? h / 2 : h;
      for (At i = 0; i < n; ++i) sum_[i] += 2 * rate_[i], stage_[i] = y[i] + ahead * rate_[i];
    }
    if (!system_.derivative(end, stage_, rate_)) return StepOutcome::no_derivative;
    for (At i = 0; i < n; ++i) out[i] = y[i] + h / 6 * (sum_[i] + rate_[i]);
    return StepOutcome::ok;
  }

 private:
  std::vector<double> stage_, sum_;
};

class Midpoint : public FixedStepper {
 public:
  Midpoint(System& system, double h)
      : FixedStepper(system, h), middle_(system.size()), next_(system.size()), shaken_rate_(system.size()) {}

 protected:
  StepOutcome advance(double t, std::span<const double> y, double end, std::span<double> out) override {
    const double h = end - t;
    constexpr int most_rounds = 100;
    std::copy(y.begin(), y.end(), middle_.begin());
    double least = infinity;  // change of a round
    int since_least = 0;      // rounds that have not improved on it
    double noisy = -1;        // as accelerations show round-off of the state; found where it is asked for
    for (int round = 0; round < most_rounds; ++round) {
      if (!system_.derivative(t + h / 2, middle_, rate_)) return StepOutcome::no_derivative;
      const std::span<const double> v = system_.v(std::span<const double>(y)), a = system_.accelerations();
      velocity_.resize(v.size());
      for (At i = 0; i < v.size(); ++i) velocity_[i] = v[i] + h / 2 * a[i];
      move(y, velocity_, h / 2, rate_, next_);
      double largest = 0, size = 0;
      for (At i = 0; i < system_.first_work(); ++i) {
        largest = std::max(largest, std::abs(next_[i] - middle_[i]));
        size = std::max(size, std::abs(next_[i]));
      }
      middle_.swap(next_);
      if (!std::isfinite(largest)) return StepOutcome::not_converged;
      since_least = largest < least ? 0 : since_least + 1;
      least = std::min(least, largest);
      const bool falls_no_more = since_least >= rounds_of_noise;
      if (falls_no_more && noisy < 0 && largest > noise(size, h)) noisy = noise_of_accelerations(t + h / 2, size, h);
      if (largest <= 4e-16 * size || (falls_no_more && largest <= std::max(noise(size, h), noisy))) {
        move(middle_, velocity_, h / 2, rate_, out);
        const auto first_v = static_cast<At>(system_.v(out).data() - out.data());
        for (At i = first_v; i < out.size(); ++i) out[i] = y[i] + h * rate_[i];
        return StepOutcome::ok;
      }
    }
    return StepOutcome::not_converged;
  }

 private:
  // What is left of the change when it no longer falls is round-off. A stiff contact makes it large: with L the distance from the world's
  // origin its depth is known to ε L, which gives h/2 k/m ε L of velocity; and since the rounds converge at all only where h² k/(4 m) < 1, that
  // is less than 2 ε L/h.
  static constexpr int rounds_of_noise = 3;
  static constexpr double most_noise = 1e-10;
  double noise(double size, double h) const {
    constexpr double epsilon = 2.2e-16, margin = 4;
    return std::max(most_noise * size, margin * 2 * epsilon * system_.extent() / std::abs(h));
  }

  // Beside a singular position of loops accelerations make much of the round-off of coordinates and velocities: it is tried out, by a change of
  // some units in the last place, up and down in turn. What a round changes through it is as much noise.
  double noise_of_accelerations(double t, double size, double h) {
    constexpr double epsilon = 2.2e-16, margin = 16;
    const std::span<const double> a = system_.accelerations();
    here_.assign(a.begin(), a.end());
    double largest = 0;
    for (const int pattern : {1, 2, 3}) {
      shaken_ = middle_;
      for (At i = 0; i < system_.first_work(); ++i) {
        shaken_[i] += ((i + 1) / static_cast<At>(pattern) % 2 == 0 ? 4 : -4) * epsilon * size;
      }
      if (!system_.derivative(t, shaken_, shaken_rate_)) continue;
      for (At k = 0; k < here_.size(); ++k) {
        largest = std::max(largest, std::abs(system_.accelerations()[k] - here_[k]));
      }
    }
    return margin * std::abs(h) / 2 * largest;
  }

  std::vector<double> middle_, next_, velocity_, shaken_, shaken_rate_, here_;
};

class SemiImplicit : public FixedStepper {
 public:
  SemiImplicit(System& system, double h, bool linearises) : FixedStepper(system, h), linearises_(linearises) {
    for (const JointInfo& joint : system.mechanism().joints) {
      if (joint.role != JointRole::tree || joint.reversed || !std::holds_alternative<Free>(joint.type)) continue;
      free_.push_back({static_cast<At>(joint.q), static_cast<At>(joint.v)});
    }
  }

 protected:
  StepOutcome advance(double t, std::span<const double> y, double end, std::span<double> out) override {
    const double h = end - t;
    if (linearises_) {
      if (!system_.implicit_accelerations(t, y, h)) return StepOutcome::no_derivative;
      const std::span<const double> a = system_.accelerations();
      std::copy(a.begin(), a.end(), system_.v(std::span<double>(rate_)).begin());
      system_.rates_of_rest(rate_);
    } else if (!system_.derivative(t, y, rate_)) {
      return StepOutcome::no_derivative;
    }
    const std::span<const double> v = system_.v(std::span<const double>(y)),
                                  a = system_.v(std::span<const double>(rate_));
    velocity_.resize(v.size());
    for (At i = 0; i < v.size(); ++i) velocity_[i] = v[i] + h * a[i];
    move(y, velocity_, h, rate_, out);
    const std::span<const double> q = system_.q(y);
    const std::span<double> q_out = system_.q(out), v_out = system_.v(out);
    for (const FreeJoint& joint : free_)
      fly(&q[joint.q], &v[joint.v], &velocity_[joint.v], h, &q_out[joint.q], &v_out[joint.v]);
    return StepOutcome::ok;
  }

 private:
  struct FreeJoint {
    At q = 0, v = 0;
  };
  bool linearises_;
  std::vector<FreeJoint> free_;
  std::vector<double> velocity_;
};

}  // namespace

std::unique_ptr<Stepper> make_fixed_stepper(Integrator integrator, System& system, double step) {
  switch (integrator) {
    case Integrator::midpoint:
      return std::make_unique<Midpoint>(system, step);
    case Integrator::semi_implicit:
      return std::make_unique<SemiImplicit>(system, step, false);
    case Integrator::implicit:
      return std::make_unique<SemiImplicit>(system, step, true);
    default:
      return std::make_unique<RungeKutta4>(system, step);
  }
}

}  // namespace trammel

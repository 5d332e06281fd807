// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace trammel {

// By powers of the Jacobian J of the rates, from differences: |Jⁿ d| grows with its spectral radius to the n. One multiplication tells
// little where positions and velocities have other sizes (an oscillator turns the one into ω² times the other and back), so that the mean
// growth over an even number of them counts.
Stiffness find_stiffness(System& system, double t, std::span<const double> y) {
  const std::size_t n = system.first_work();
  std::vector<double> rate(y.size()), pushed(y.begin(), y.end()), answer(y.size()), direction(n);
  if (!system.derivative(t, y, rate)) return {};
  double size = 1;
  for (std::size_t i = 0; i < n; ++i) {
    direction[i] = 1 + 0.37 * std::sin(static_cast<double>(3 * i + 1));  // no eigenvector in particular
    size = std::max(size, std::abs(y[i]));
  }
  constexpr int rounds = 30, settling = 10;
  double growth = 0;  // the sum of logarithms
  for (int round = 0;; ++round) {
    const double length = std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
    if (!(length > 0) || !std::isfinite(length)) return {};
    if (round > settling) growth += std::log(length);
    if (round == rounds) return {std::exp(growth / (rounds - settling)), system.has_impacts()};
    const double e = 1e-7 * size;
    for (std::size_t i = 0; i < n; ++i) {
      direction[i] /= length;
      pushed[i] = y[i] + e * direction[i];
    }
    if (!system.derivative(t, pushed, answer)) return {};
    for (std::size_t i = 0; i < n; ++i) direction[i] = (answer[i] - rate[i]) / e;
  }
}

std::string advice_on(const Stiffness& stiffness, Integrator integrator, double step) {
  // How far along the axes each rule is stable, times its step.
  const double reach = integrator == Integrator::rk4             ? 2.8
                       : integrator == Integrator::semi_implicit ? 2
                       : integrator == Integrator::midpoint      ? 2
                       : integrator == Integrator::erk           ? 4
                                                                 : infinity;
  if (!(stiffness.rate * step > reach)) return {};
  return fmt::format(
      "the system is stiff: it answers within {:.2g} s, so that {} would need steps below {:.2g} s; use {}bdf (error "
      "control)",
      1 / stiffness.rate, keyword(integrator), reach / stiffness.rate,
      stiffness.finds_impacts ? "" : "implicit (fixed steps) or ");
}

// Steps that resolve an oscillation to 1e-3 or better are below 1 over its rate; those that are only stable are some 5 over it.
std::string note_on(const Stiffness& stiffness, double step) {
  constexpr double resolving = 2;
  if (!(stiffness.rate * step > resolving)) return {};
  return fmt::format(
      "the system is stiff: it answers within {:.2g} s, and erk takes steps of {:.2g} s for that alone; bdf (error "
      "control){} will be quicker",
      1 / stiffness.rate, step, stiffness.finds_impacts ? "" : " or implicit (fixed steps)");
}

}  // namespace trammel

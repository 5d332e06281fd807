// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulate_options.hpp"

namespace trammel::tool {

Stabilisation stabilisation_of_word(const std::string& word) {
  return word == "baumgarte" ? Stabilisation::baumgarte
         : word == "none"    ? Stabilisation::none
                             : Stabilisation::projection;
}

SimulationOptions options_of_model(const Mechanism& mech) {
  const SimulateSettings& file = mech.simulate;
  SimulationOptions o;
  o.until = file.until.value_or(1);
  o.step = file.step.value_or(0);
  o.tolerance = file.tolerance.value_or(o.tolerance);
  o.record_every = file.record_every.value_or(0);
  o.integrator = integrator_by_keyword(file.integrator.value_or("automatic")).value_or(Integrator::automatic);
  o.stabilisation = stabilisation_of_word(file.stabilisation.value_or("projection"));
  return o;
}

}  // namespace trammel::tool

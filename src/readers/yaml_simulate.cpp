// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `simulate`: how long and how exactly to simulate, unless the command line says otherwise.

#include "readers/yaml_actuation.hpp"

namespace trammel::readers {

const std::vector<std::string>& integrator_words() {
  static const std::vector<std::string> words{"automatic", "bdf",           "erk",     "rk4",
                                              "midpoint",  "semi-implicit", "implicit"};
  return words;
}
const std::vector<std::string>& stabilisation_words() {
  static const std::vector<std::string> words{"projection", "baumgarte", "none"};
  return words;
}

void read_simulate(Reading& r, const Node& node) {
  if (node.is_null()) return;
  const Fields fields(r, node, "simulate", "simulate");
  SimulateSettings& settings = r.model.simulate;
  settings.where = node.where;
  const auto number = [&](std::string_view key, const Dimension& dimension, std::optional<double>& to) {
    if (const Node* given = fields.find(key)) to = read_positive(r, *given, fields.what(key), dimension);
  };
  const auto word = [&](std::string_view key, const std::vector<std::string>& words, std::optional<std::string>& to) {
    if (const Node* given = fields.find(key)) to = read_word(r, *given, fields.what(key), words);
  };
  constexpr Dimension time{.time = 1};
  number("until", time, settings.until);
  number("step", time, settings.step);
  number("tolerance", dimension::none, settings.tolerance);
  number("record_every", time, settings.record_every);
  word("integrator", integrator_words(), settings.integrator);
  word("stabilisation", stabilisation_words(), settings.stabilisation);
}

}  // namespace trammel::readers

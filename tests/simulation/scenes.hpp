// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small mechanisms that tests of simulations share.

#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "support/random_model.hpp"
#include "support/source_dir.hpp"

// Springs, drives and events are written here with what matters; the rest has its defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace trammel::test {

inline constexpr double g = 9.81;

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}
inline Mechanism shipped(const std::string& name) {
  const ReadResult read = read_model(source_dir() + "/models/" + name + ".yaml");
  EXPECT_TRUE(read.ok()) << name;
  return compiled(read.model);
}
inline Mechanism from_yaml(const std::string& text) {
  const ReadResult read = read_yaml(text, "test.yaml");
  EXPECT_TRUE(read.ok()) << read.diagnostics.to_string();
  return compiled(read.model);
}

// A point mass on a rod of length 1, drawn along −x, that turns about z; weight along −y.
inline Model point_pendulum() {
  Model model;
  model.gravity = {0, -g, 0};
  add_body(model, "bob", 1, {-1, 0, 0}, Sym3d{});
  add_joint(model, "pivot", Revolute{}, "ground", "bob", frame_at({0, 0, 0}, {0, 0, 1}));
  return model;
}

// Coordinates at the end of a run.
inline std::vector<double> end_of(const Mechanism& mech, const SimulationOptions& options,
                                  const std::optional<State>& start = std::nullopt) {
  Simulation simulation(mech, options, start);
  const SimulationReport report = simulation.run();
  EXPECT_TRUE(report.ok()) << report.text;
  return simulation.state().q;
}
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace trammel::test

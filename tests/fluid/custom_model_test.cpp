// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Hydrodynamic models made by users, as docs/add_a_hydrodynamic_model.md tells.

#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <trammel/readers.hpp>
#include <trammel/simulation.hpp>

#include "fluid/add_a_hydrodynamic_model_example.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(test::source_dir() + "/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(HydrodynamicModelPage, shows_the_text_that_is_compiled) {
  const std::string page = text_of("docs/add_a_hydrodynamic_model.md"), fence = "```";
  const std::size_t begin = page.find(fence + "cpp\n") + 7, end = page.find(fence, begin);
  EXPECT_EQ(page.substr(begin, end - begin), text_of("tests/fluid/add_a_hydrodynamic_model_example.hpp"));
}

const std::string file = R"yaml(trammel: 1
bodies:
  ball: {density: 1100, shape: {sphere: 0.01}, fluid: {drag: none, model: slow_ball, parameters: {radius: 0.01, viscosity: 0.5}}}
joints:
  free: {free: [ground, ball]}
environment:
  fluid: {density: 1000}
)yaml";

TEST(CustomHydrodynamics, act_by_the_name_that_files_give) {
  ASSERT_TRUE(slow_ball_is_registered);
  const ReadResult read = read_yaml(file, "ball.yaml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  const Mechanism mech = compile(read.model).mechanism;
  Simulation simulation(mech, {.until = 3, .tolerance = 1e-11});
  ASSERT_TRUE(simulation.run().ok());
  // Stokes: (m − ρV) g / (6π μ r), a fall of 2/9 Δρ g r²/μ
  EXPECT_NEAR(simulation.state().v[5], -2.0 / 9 * 100 * 9.81 * 1e-4 / 0.5, 1e-9);
  EXPECT_LT(std::abs(simulation.energy().error), 1e-10);
  EXPECT_GT(simulation.energy().dissipated, 0);
  EXPECT_EQ(read_yaml(write_yaml(read.model), "again.yaml").model.bodies[0].in_fluid->parameters,
            read.model.bodies[0].in_fluid->parameters);
}

TEST(CustomHydrodynamics, are_stable_in_the_implicit_step_at_any_length) {
  std::string stiff = file;
  stiff.replace(stiff.find("viscosity: 0.5"), 14, "viscosity: 5e4");
  const Mechanism mech = compile(read_yaml(stiff, "ball.yaml").model).mechanism;
  State s = initial_state(mech);
  s.v[3] = 1;
  Simulation simulation(mech, {.until = 1, .step = 0.1, .integrator = Integrator::implicit}, s);
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_LT(std::abs(simulation.state().v[3]), 1e-6);
}

TEST(CustomHydrodynamics, lift_a_ball_that_spins) {
  const Mechanism mech = compile(read_yaml(file, "ball.yaml").model).mechanism;
  State s = initial_state(mech);
  s.v[2] = 50, s.v[3] = 1;  // spin about z, moving along x: pushed along y
  Simulation simulation(mech, {.until = 0.01, .tolerance = 1e-10}, s);
  ASSERT_TRUE(simulation.run().ok());
  EXPECT_GT(simulation.state().q[5], 0);
}

TEST(CustomHydrodynamics, say_what_their_parameters_lack) {
  std::string wrong = file;
  wrong.replace(wrong.find(", viscosity: 0.5"), 16, "");
  EXPECT_EQ(read_yaml(wrong, "ball.yaml").diagnostics.to_string(),
            "ball.yaml:3:75: error: the model 'slow_ball' cannot be made: viscosity is missing\n"
            "  fix: mend its parameters      [hydrodynamic-model]\n");
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans for tests: a ball against a wall, a four-bar, a pendulum.

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/study.hpp>

namespace trammel::test {

// The ball's velocity after a blow by restitution e is −e times that before, and (1 − e²) of its energy is lost.
inline const std::string ball_model = R"(
trammel: 1
gravity: [0, 0, 0]
bodies: {ball: {mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}}
joints: {slide: {prismatic: [ground, ball], at: [0, 0, 0], axis: x}}
)";
inline const std::string ball_scenario = R"(
impact: 1
initial: {slide: {v: -1}}
contacts: {wall: {point: [ball, ground], at: [0, 0, 0], normal: x, restitution: 0.5}}
)";
inline const std::string ball_plan = R"yaml(trammel-study: 1
name: a ball against a wall
model: ball.yaml
run: {impact: wall.yaml}
seed: 3
samples: {latin-hypercube: 20}
parameters:
  mass: {lognormal: [2, 0.1], at: bodies.ball.mass}
  speed: {uniform: [-0.5, 3], }
  e: {values: [0, 0.5, 1], at: "scenario.contacts.wall.restitution"}
set: {"scenario.initial.slide.v": "-speed"}
keep:
  after: slide.v
  lost: energy.lost
  ratio: {expression: "lost/(mass*speed^2/2)"}
)yaml";

inline const std::string fourbar_model = R"(trammel: 1
units: {length: mm, angle: deg}
points: {O2: [0, 0, 0], A: [0, 40, 0], B: [120, 80, 0], O4: [100, 0, 0], P: [60, 110, 0]}
bodies: {crank: {mass: 0.2, com: O2, inertia: [1, 1, 1]}, coupler: {mass: 0.5, com: P, inertia: [9, 9, 15]}, rocker: {mass: 1, com: O4, inertia: [1, 1, 1]}}
joints:
  O2: {revolute: [ground, crank], at: O2, axis: z}
  A: {revolute: [crank, coupler], at: A, axis: z}
  B: {revolute: [coupler, rocker], at: B, axis: z}
  O4: {revolute: [rocker, ground], at: O4, axis: z}
outputs: {P: {point: P, on: coupler}}
inputs: {O2: {from: 0, to: 360, step: 10, speed: 60}}
)";

inline StudyPlanResult read_plan(const std::string& text, const std::string& model, const std::string& scenario = {}) {
  StudyPlan given;
  given.model_text = model, given.scenario_text = scenario, given.model_path = "model.yaml";
  return read_study_plan(text, "plan.yaml", given);
}
inline StudyPlan plan_or_fail(const std::string& text, const std::string& model, const std::string& scenario = {}) {
  StudyPlanResult read = read_plan(text, model, scenario);
  EXPECT_TRUE(read.ok()) << read.diagnostics.to_string();
  return read.plan;
}

class StudyFolderTest : public testing::Test {
 protected:
  StudyFolderTest() {
    static int count = 0;
    folder = std::filesystem::temp_directory_path() /
             ("trammel_study_" + std::to_string(getpid()) + "_" + std::to_string(++count));
  }
  ~StudyFolderTest() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string& name = "a") const { return (folder / name).string(); }
  std::filesystem::path folder;
};

}  // namespace trammel::test

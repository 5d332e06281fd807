// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What is written reads back to the same model: to the last bit in SI, to round-off in other units; and it reads well.

#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/readers.hpp>

#include "readers/model_with_everything.hpp"
#include "readers/same_model.hpp"
#include "support/custom_joints.hpp"

namespace trammel {
namespace {

using test::first_difference;
using test::model_with_everything;

RC_GTEST_PROP(Writer, reads_back_to_the_last_bit_in_si, (std::uint64_t seed)) {
  const Model model = model_with_everything(seed);
  const std::string text = write_yaml(model, true);
  const ReadResult back = read_yaml(text, "written.yaml");
  RC_LOG() << text;
  RC_ASSERT(back.diagnostics.to_string() == "");
  RC_ASSERT(first_difference(model, back.model) == "");
  RC_ASSERT(write_yaml(back.model, true) == text);
}

RC_GTEST_PROP(Writer, reads_back_to_round_off_in_any_units, (std::uint64_t seed)) {
  const Model model = model_with_everything(seed);
  const std::string text = write_yaml(model);
  const ReadResult back = read_yaml(text, "written.yaml");
  RC_LOG() << text;
  RC_ASSERT(back.diagnostics.to_string() == "");
  RC_ASSERT(back.model.units.length == model.units.length);
  RC_ASSERT(back.model.units.force == model.units.force);
  RC_ASSERT(first_difference(model, back.model, 1e-12) == "");
}

TEST(Writer, draws_a_linkage_as_an_engineer_would) {
  const std::string text = R"(trammel: 1
name: crank-rocker
units: {length: mm, angle: deg}
gravity: [0, -9810, 0]
points:
  O2: [0, 0, 0]
  A:  [0, 40, 0]
bodies:
  crank:   {mass: 0.2, shape: {rod: [[0, 0, 0], [0, 40, 0]], radius: 4}}
  coupler: {mass: 0.5, com: [60, 70, 0], inertia: [900, 900, 1500]}
  flyer:   {pose: [10, 20, 30], mass: 1}
joints:
  O2: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  A:  {revolute: [crank, coupler], at: [0, 40, 0], axis: z, friction: {viscous: 0.01}, limits: {lower: -90}}
  F:  {free: [ground, flyer]}
couplings:
  g: {gear: [O2, A], ratio: -0.5, offset: 10}
outputs:
  tip:          {point: [60, 110, 0], on: coupler}
  "true: nose": {point: [1, 0, 0], on: flyer, in: flyer}
initial:
  O2: {q: 30, v: 60}
)";
  const ReadResult read = read_yaml(text, "crank.yaml");
  ASSERT_EQ(read.diagnostics.to_string(), "");
  EXPECT_EQ(write_yaml(read.model), text);
}

TEST(Writer, breaks_long_lines_into_one_line_for_each_entry) {
  Model model;
  model.name = "m";
  Body& body = add_body(model, "b", 1, {1.0 / 3, 1.0 / 7, 1.0 / 9}, {1, 1, 1, 0.125, 0.25, 1.0 / 3},
                        {rotation_z(1.0), {1, 2, 3}});
  body.where = {};
  const std::string text = write_yaml(model);
  EXPECT_NE(text.find("  b:\n    pose: {at: [1, 2, 3], matrix: ["), std::string::npos) << text;
  EXPECT_EQ(first_difference(model, read_yaml(text, "m.yaml").model), "");
}

TEST(Writer, refuses_joints_that_only_a_program_knows) {
  Model model;
  add_body(model, "b", 1, {}, {});
  add_joint(model, "j", Custom{std::make_shared<test::EllipticRail>(2, 1)}, "ground", "b", {});
  EXPECT_THROW(write_yaml(model), std::invalid_argument);
}

}  // namespace
}  // namespace trammel

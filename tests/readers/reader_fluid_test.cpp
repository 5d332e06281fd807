// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Fluid in native files: read in the file's units, written so that it reads back, told where formats have no word for it.

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/mechanism.hpp>
#include <trammel/readers.hpp>

#include "readers/same_model.hpp"

namespace trammel {
namespace {

Model read(const std::string& text) {
  const ReadResult result = read_yaml(text, "model.yaml");
  EXPECT_EQ(result.diagnostics.to_string(), "");
  return result.model;
}
std::string messages(const std::string& text) {
  ReadResult result = read_yaml(text, "model.yaml");
  if (result.diagnostics.has_errors()) return result.diagnostics.to_string();
  return compile(result.model).diagnostics.to_string();
}

const std::string everything = R"yaml(trammel: 1
name: wet
units: {length: mm, angle: deg, time: ms}
bodies:
  hull:
    pose: {at: [100, 0, 0], rpy: [0, 0, 90]}
    mass: 2
    inertia: [1, 1, 1]
    shape: {cylinder: 50, length: 400, axis: x}
    fluid:
      hull: [{shape: {cylinder: 50, length: 400, axis: x}, drag: 1.1, drag_along: 0.2, skin_friction: 0.004, added: 0.9, added_along: 0.1},
             {shape: {box: [10, 20, 30], at: [0, 0, 60]}, drag: [1, 1.1, 1.2], added: [0.5, 0.6, 0.7]}]
      volume: 3000000
      buoyancy: [1, 2, 3]
      reference: [0, 0, 5]
      added_mass: [[0.1, 0, 0, 0, 0, 0], [0, 0.2, 0, 0, 0, 3], [0, 0, 0.3, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 2, 0], [0, 3, 0, 0, 0, 3]]
      linear_drag: [1, 2, 3, 4, 5, 6]
      quadratic_drag: [1, 1, 1, 2, 2, 2]
      fins: {rudder: {at: [-200, 0, 0], chord: x, normal: y, area: 5000, slope: 0.05, aspect: 2, stall: 14, drag: 0.02}}
      source: measured in a tank
  bare: {mass: 1, inertia: [1, 1, 1], fluid: none}
  ball: {mass: 1, shape: {sphere: 20}, fluid: {added_mass: none, drag: none}}
joints:
  free: {free: [ground, hull]}
  b: {revolute: [hull, bare], at: [0, 0, 0], axis: z}
  c: {revolute: [hull, ball], at: [0, 0, 0], axis: z}
actuators:
  screw: {thruster: hull, at: [0, 0, 0], along: x, gain: 0.5, advance: 0.1, reaction: 2, target: 10}
environment:
  fluid:
    - {density: 1.0e-6, surface: 10, depth: 20000, current: {velocity: ["0.3*sin(t/1000)", 0, "x/1000"], profile: [[0, 0.5, 0, 0], [10000, 0.1, 0, 0]]},
       acceleration: [0.001, 0, 0], waves: [{height: 500, period: 6000, direction: [1, 1, 0], phase: 30}, {height: 200, period: 3000}]}
    - {name: breeze, density: 1.2e-9, current: [4, 0, 0]}
)yaml";

TEST(FluidReader, reads_in_the_units_of_the_file) {
  const Model model = read(everything);
  ASSERT_EQ(model.fluid.media.size(), 2u);
  const Medium& water = model.fluid.media[0];
  EXPECT_EQ(water.name, "water");
  EXPECT_NEAR(water.density, 1000, 1e-9);
  EXPECT_NEAR(water.surface, 0.01, 1e-15);
  EXPECT_NEAR(model.fluid.depth, 20, 1e-12);
  EXPECT_NEAR(water.current.acceleration.x, 1, 1e-9);  // 0.001 mm/ms²
  EXPECT_NEAR(water.current.at_depth[1].x, 0.1, 1e-12);
  EXPECT_NEAR((*water.current.formula)[0].at(0.5, Vec3d{}), 0.3 * std::sin(0.5), 1e-12);
  EXPECT_NEAR((*water.current.formula)[2].at(0.0, Vec3d{2, 0, 0}), 2, 1e-12);
  ASSERT_EQ(model.fluid.waves.size(), 2u);
  EXPECT_NEAR(model.fluid.waves[0].phase, 0.52359877559829887, 1e-12);
  EXPECT_NEAR(model.fluid.waves[0].direction.y, std::sqrt(0.5), 1e-12);
  const Hydrodynamics& h = *model.bodies[0].in_fluid;
  ASSERT_EQ(h.hull.size(), 2u);
  EXPECT_NEAR(h.hull[0].shape.radius, 0.05, 1e-15);
  EXPECT_EQ(h.hull[1].drag_of_faces->z, 1.2);
  EXPECT_NEAR(*h.volume, 0.003, 1e-12);
  EXPECT_NEAR((*h.added_mass)[0], 0.1e-6, 1e-18);  // kg mm²
  EXPECT_NEAR((*h.added_mass)[11], 3e-3, 1e-15);   // kg mm
  EXPECT_NEAR((*h.linear)[35], 6, 1e-12);          // N ms/mm
  EXPECT_NEAR(*h.fins[0].slope, 0.05 * 180 / 3.14159265358979, 1e-9);
  EXPECT_FALSE(model.bodies[1].in_fluid->acts);
  EXPECT_FALSE(model.bodies[2].in_fluid->hull_drag);
  EXPECT_NEAR(model.actuators[0].thruster.advance, 0.1, 1e-12);
  EXPECT_NEAR(model.actuators[0].thruster.torque, 0.002, 1e-15);
}

TEST(FluidReader, takes_a_hull_without_a_shape_as_the_bodys_own) {
  const Model model = read(
      "trammel: 1\nbodies: {a: {mass: 1, shape: [{sphere: 0.1}, {box: [1, 1, 1]}], fluid: {hull: {drag: 0.3}}}}\n"
      "joints: {j: {free: [ground, a]}}\nenvironment: {fluid: {density: 1000}}\n");
  ASSERT_EQ(model.bodies[0].in_fluid->hull.size(), 2u);
  EXPECT_EQ(model.bodies[0].in_fluid->hull[1].drag, 0.3);
}

TEST(FluidWriter, writes_what_reads_back) {
  const Model model = read(everything);
  const Model in_si = read(write_yaml(model, true)), again = read(write_yaml(model));
  EXPECT_EQ(test::first_difference(model, in_si, 1e-12), "");
  EXPECT_EQ(test::first_difference(model, again, 1e-12), "");
  EXPECT_EQ(test::first_difference(in_si, read(write_yaml(in_si)), 0), "");
}

TEST(FluidLosses, are_told_by_formats_for_robots) {
  const Model model = read(
      "trammel: 1\nbodies: {a: {mass: 1, shape: {sphere: 0.1}, fluid: {hull: {drag: 0.3}}}}\n"
      "joints: {j: {revolute: [ground, a], at: [0, 0, 0]}}\nenvironment: {fluid: {density: 1000}}\n");
  for (const WriteResult& written : {write_urdf(model), write_mjcf(model)}) {
    const std::string told = written.diagnostics.to_string();
    EXPECT_NE(told.find("the fluid is lost: answers change"), std::string::npos) << told;
    EXPECT_NE(told.find("what bodies feel of fluids is lost: 'a'"), std::string::npos) << told;
  }
}

TEST(FluidCheck, refuses_what_cannot_be) {
  const std::string buoy =
      "trammel: 1\nbodies: {a: {mass: 1, shape: {sphere: 0.1}}}\njoints: {j: {free: [ground, a]}}\nenvironment:\n  "
      "fluid: ";
  EXPECT_EQ(messages(buoy + "{density: 1000, surface: 0, waves: {height: 3, period: 3}}\n"),
            "model.yaml:5:45: error: a wave 3 m high and 14.05 m long would break: at most 1.995 m stand\n"
            "  fix: lower it, or give it a longer period      [wave-breaks]\n");
  EXPECT_EQ(messages(buoy + "{density: 1000, waves: {height: 0.1, period: 3}}\n"),
            "model.yaml:5:33: error: waves need a free surface, gravity and water below it\n"
            "  fix: give the lowest medium a 'surface', and a depth above 0 (or none)      [wave-surface]\n");
  EXPECT_EQ(messages(buoy + "[{density: 1000, surface: 1}, {density: 1, surface: 0}]\n"),
            "model.yaml:5:40: error: the surface of air is not above that of the medium below it, or one without a "
            "surface is not the last\n"
            "  fix: list the media from the lowest to the highest, each but the last with its 'surface'      "
            "[fluid-order]\n");
  EXPECT_EQ(
      messages(buoy + "{density: 1000, surface: 0, waves: {height: 0.1, period: 3, direction: z}}\n"),
      "model.yaml:5:45: error: a wave cannot be like this\n"
      "  fix: give a period above 0, a height of 0 or more and a direction that is not vertical      [wave-numbers]\n");
  EXPECT_EQ(
      messages("trammel: 1\nbodies: {a: {mass: 1, shape: {plate: [[0, 0], [1, 0], [0, 1]], thickness: 0.1}}}\n"
               "joints: {j: {free: [ground, a]}}\nenvironment: {fluid: {density: 1000}}\n"),
      "model.yaml:2:30: warning: the fluid does not act on the plate of body 'a'\n"
      "  fix: give the body a hull of rods, cylinders, capsules, spheres, boxes or ellipsoids      [fluid-shape]\n");
}

// Each of them stands; together they would not, or would lay the bottom dry.
TEST(FluidCheck, waves_that_meet_may_break) {
  const std::string buoy =
      "trammel: 1\nbodies: {a: {mass: 1, shape: {sphere: 0.1}}}\njoints: {j: {free: [ground, a]}}\nenvironment:\n  "
      "fluid: ";
  EXPECT_EQ(
      messages(buoy + "{density: 1000, surface: 0, waves: [{height: 1.9, period: 3}, {height: 1.9, period: 3}]}\n"),
      "model.yaml:5:46: warning: where all 2 waves meet they would break: together they are 1.9 times as steep as one "
      "that just stands\n"
      "  fix: lower them; until then what happens at such crests is beyond the theory of small waves      "
      "[waves-meet]\n");
  EXPECT_EQ(
      messages(buoy + "{density: 1000, surface: 0, depth: 1, waves: [{height: 0.8, period: 5}, {height: 0.8, period: "
                      "6}, {height: 0.8, period: 7}]}\n"),
      "model.yaml:5:56: error: where the waves meet, their trough is 1.2 m deep, the water 1 m\n"
      "  fix: lower them, or give more depth      [wave-breaks]\n");
  EXPECT_EQ(
      messages(buoy + "{density: 1000, surface: 0, waves: [{height: 0.9, period: 3}, {height: 0.9, period: 3}]}\n"),
      "");
}

// Half of the published tables have derivatives, which are negative.
TEST(FluidCheck, asks_about_signs) {
  const auto told = [](const std::string& fluid) {
    return messages("trammel: 1\nbodies: {b: {mass: 1, shape: {sphere: 0.1}, fluid: {" + fluid +
                    "}}}\njoints: {j: {free: [ground, b]}}\nenvironment: {fluid: {density: 1000}}\n");
  };
  EXPECT_EQ(
      told("linear_drag: [1, 1, 1, -70, -70, 1]"),
      "model.yaml:2:52: warning: the linear drag of body 'b' is negative, -70 in row 4: it feeds motion instead of "
      "damping it\n"
      "  fix: turn its sign, if the numbers are derivatives such as X_u: matrices have the opposite sign      "
      "[hydrodynamics-sign]\n");
  EXPECT_NE(told("quadratic_drag: [-1, 1, 1, 1, 1, 1]").find("the quadratic drag of body 'b' is negative, -1 in row 1"),
            std::string::npos);
  EXPECT_NE(
      told("added_mass: [0, 0, 0, 1, 1, -60]").find("the added mass of body 'b' is negative, -60 in row 6: water"),
      std::string::npos);
  EXPECT_EQ(told("added_mass: [0, 0, 0, 1, 1, 60], linear_drag: [0, 0, 0, 1, 1, 1]"), "");
}

TEST(FluidCheck, tells_what_is_wrong_with_models_made_in_cpp) {
  Model model;
  add_body(model, "a", 1, {}, {1, 1, 1}).in_fluid->added_mass.emplace()[1] = 1;
  add_joint(model, "j", Free{}, "ground", "a", {});
  model.fluid.media = {{.density = -1}};
  model.bodies[0].in_fluid->model = "jelly";
  Fin fin;
  fin.name = "tail", fin.normal = fin.chord;
  model.bodies[0].in_fluid->fins = {fin};
  const std::string told = compile(model).diagnostics.to_string();
  for (const char* id :
       {"[fluid-density]", "[added-mass-symmetry]", "[hydrodynamic-model]", "[hydrodynamics-numbers]"}) {
    EXPECT_NE(told.find(id), std::string::npos) << told;
  }
}

}  // namespace
}  // namespace trammel

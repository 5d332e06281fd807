// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A mechanism stays the same on its way through the formats, one after the other, as far as each can say it: random
// models and the project's own robots, compared by how they move; and models that came from one format, written in the
// native one, word by word.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/readers.hpp>

#include "readers/same_model.hpp"
#include "readers/same_motion.hpp"
#include "support/random_model.hpp"
#include "support/source_dir.hpp"

namespace trammel {
namespace {

using namespace test;
namespace fs = std::filesystem;

Model through(const Model& model, Format format) {
  const WriteResult written = format == Format::urdf   ? write_urdf(model)
                              : format == Format::mjcf ? write_mjcf(model)
                                                       : WriteResult{write_yaml(model), {}};
  EXPECT_TRUE(written.ok()) << written.diagnostics.to_string();
  ReadResult back = format == Format::urdf   ? read_urdf(written.text, "through.urdf")
                    : format == Format::mjcf ? read_mjcf(written.text, "through.xml")
                                             : read_yaml(written.text, "through.yaml");
  EXPECT_TRUE(back.ok()) << back.diagnostics.to_string() << written.text;
  EXPECT_EQ(back.format, format);
  return std::move(back.model);
}

Model through(Model model, const std::vector<Format>& chain) {
  for (const Format format : chain) model = through(model, format);
  return model;
}

bool turns_in_all_directions(const Joint& joint) {
  return std::holds_alternative<Spherical>(joint.type) || std::holds_alternative<Free>(joint.type);
}

// One number for all axes of a ball, none for the armature of a free joint, one way of smoothing dry friction.
void make_sayable_in_mjcf(Model& model) {
  for (Joint& joint : model.joints) {
    JointProperties& p = joint.properties;
    p.dry_speed = JointProperties{}.dry_speed;
    if (!turns_in_all_directions(joint)) continue;
    p.dry.clear();
    for (auto* list : {&p.viscous, &p.armature})
      if (!list->empty()) list->assign(list->size(), list->front());
    if (std::holds_alternative<Free>(joint.type)) p.armature.clear();
  }
}

// No screws and balls, no armature, weight along −z, no friction in planar and free joints.
void make_sayable_in_urdf(Model& model) {
  model.gravity = {0, 0, -9.81};
  for (Joint& joint : model.joints) {
    if (std::holds_alternative<Helical>(joint.type)) joint.type = Revolute{};
    if (std::holds_alternative<Spherical>(joint.type)) joint.type = Universal{}, joint.properties = {};
    if (nv(joint.type) > 2) joint.properties = {};
    joint.properties.armature.clear();
  }
}

Model random_model_for(bool urdf, std::uint64_t seed) {
  const ModelCase model_case{static_cast<int>(1 + seed % 12), seed};
  Model model = model_case.model({.friction = seed % 2 == 0, .armature = seed % 3 == 0});
  make_sayable_in_mjcf(model);
  if (urdf) make_sayable_in_urdf(model);
  model.name = "random";
  return model;
}

// Mass matrix and bias forces say all of the dynamics. Accelerations follow by solving, which loses as many digits as
// the random equations ask for: they are compared for the robots below.
bool is_same_motion(const Model& from, const Model& to, std::uint64_t seed) {
  const MotionDifference difference = motion_difference(from, to, seed);
  RC_LOG() << difference.to_string();
  return difference.without_forward() < 1e-12;
}

RC_GTEST_PROP(Conversion, to_mjcf_and_back_to_native_keeps_the_motion, (std::uint64_t seed)) {
  const Model model = random_model_for(false, seed);
  const Model back = through(model, {Format::mjcf, Format::native});
  RC_ASSERT(is_same_motion(model, back, seed + 1));
}

RC_GTEST_PROP(Conversion, to_urdf_and_back_to_native_keeps_the_motion, (std::uint64_t seed)) {
  const Model model = random_model_for(true, seed);
  const Model back = through(model, {Format::urdf, Format::native});
  RC_ASSERT(is_same_motion(model, back, seed + 1));
}

RC_GTEST_PROP(Conversion, through_all_formats_in_either_order_keeps_the_motion, (std::uint64_t seed)) {
  const Model model = random_model_for(true, seed);
  const Model first = through(model, {Format::urdf, Format::mjcf, Format::native});
  const Model second = through(model, {Format::mjcf, Format::native, Format::urdf});
  RC_ASSERT(is_same_motion(model, first, seed + 1));
  RC_ASSERT(is_same_motion(model, second, seed + 1));
}

// The native format can say everything that the others can: what came from them is written to the last bit.
RC_GTEST_PROP(Conversion, to_native_keeps_every_word_of_a_urdf, (std::uint64_t seed)) {
  const Model model = through(random_model_for(true, seed), Format::urdf);
  RC_ASSERT(first_difference(model, through(model, Format::native)) == "");
}
RC_GTEST_PROP(Conversion, to_native_keeps_every_word_of_an_mjcf, (std::uint64_t seed)) {
  const Model model = through(random_model_for(false, seed), Format::mjcf);
  RC_ASSERT(first_difference(model, through(model, Format::native)) == "");
}

// What was read from MJCF is written so that it reads back the same, name by name.
RC_GTEST_PROP(Conversion, of_an_mjcf_to_mjcf_keeps_the_model, (std::uint64_t seed)) {
  const Model model = through(random_model_for(false, seed), Format::mjcf);
  RC_ASSERT(first_difference(model, through(model, Format::mjcf), 1e-12) == "");
}

std::vector<fs::path> files_in(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(test::source_dir()) / folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Conversion, to_native_keeps_every_word_of_the_mjcf_files_of_the_tests) {
  int compared = 0;
  for (const fs::path& file : files_in("tests/readers/mjcf", ".xml")) {
    const ReadResult read = read_model(file.string());
    if (!read.ok()) continue;  // a part that others include
    ++compared;
    EXPECT_EQ(first_difference(read.model, through(read.model, Format::native)), "") << file;
  }
  EXPECT_GE(compared, 15);
}

// --- the project's own robots -----------------------------------------------------------------------------------------

// Armature, gravity and initial values are not in a URDF: given again by hand, as its warnings say.
void put_back_what_urdf_lacks(const Model& original, Model& model) {
  model.gravity = original.gravity;
  for (const Joint& joint : original.joints) {
    const std::vector<double>& armature = joint.properties.armature;
    for (std::size_t i = 0; i < armature.size(); ++i) {
      for (Joint& other : model.joints) {
        const bool whole = other.name == joint.name;
        if (whole || other.name == fmt::format("{}_{}", joint.name, freedoms(joint.type)[i].name))
          other.properties.armature = whole ? armature : std::vector<double>{armature[i]};
      }
    }
  }
}

// In 50 random states, all to 1e-12; accelerations too, unless their equations amplify a few units of round-off to more.
void expect_same_numbers(const std::string& name, const Model& model, const std::vector<Format>& chain) {
  std::string label = name + " through";
  for (const Format format : chain)
    label += format == Format::urdf ? " URDF" : format == Format::mjcf ? " MJCF" : " native";
  Model other = through(model, chain);
  if (chain.front() == Format::urdf) put_back_what_urdf_lacks(model, other);
  MotionDifference difference;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) difference.merge(motion_difference(model, other, seed));
  fmt::print("{}{}\n", label, difference.to_string());
  EXPECT_LT(difference.without_forward(), 1e-12) << label;
  EXPECT_LT(difference.of("forward"), std::max(1e-12, 4 * difference.round_off_of_forward())) << label;
}

void expect_same_numbers_by_every_way(const std::string& name, Model model) {
  make_sayable_in_mjcf(model);
  expect_same_numbers(name, model, {Format::native});
  expect_same_numbers(name, model, {Format::mjcf});
  if (!write_urdf(model).ok()) return;  // a ball or a screw
  expect_same_numbers(name, model, {Format::urdf});
  expect_same_numbers(name, model, {Format::urdf, Format::mjcf, Format::native});
}

class Robots : public ::testing::TestWithParam<std::string> {};

TEST_P(Robots, give_the_same_numbers_through_native_urdf_and_mjcf) {
  const ReadResult read = read_model(test::source_dir() + "/models/" + GetParam() + ".yaml");
  ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
  expect_same_numbers_by_every_way(GetParam(), read.model);
}

INSTANTIATE_TEST_SUITE_P(Models, Robots,
                         ::testing::Values("puma560", "arm7", "quadruped", "humanoid", "aquarobot", "space_robot",
                                           "mixed_tree", "chain5", "double_pendulum", "pendulum", "heavy_top",
                                           "gyroscope", "free_body"),
                         [](const auto& test) { return test.param; });

// The writers have a use for this name of their own, and choose others for bodies that have it.
void rename_world(Model& model) {
  const std::string other = "world of the file";
  for (Body& body : model.bodies)
    if (body.name == "world") body.name = other;
  for (Joint& joint : model.joints)
    for (std::string* body : {&joint.first, &joint.second})
      if (*body == "world") *body = other;
}

// Those of others are not part of this repository.
TEST(RobotsOfOthers, give_the_same_numbers_through_native_urdf_and_mjcf) {
  const char* given = std::getenv("TRAMMEL_URDF_MODELS");
  const fs::path folder = given != nullptr ? fs::path(given) : fs::path(test::source_dir()) / "../shared/models";
  std::error_code error;
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".urdf") continue;
    for (const Base base : {Base::fixed, Base::free}) {
      ReadResult read = read_model(entry.path().string(), {.base = base});
      ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
      rename_world(read.model);
      read.model.couplings.clear();             // their joints move on their own here: only trees can be compared
      if (!compile(read.model).ok()) continue;  // a root without mass cannot float
      expect_same_numbers_by_every_way(entry.path().stem().string() + (base == Base::free ? " free" : ""), read.model);
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "no URDFs in " << folder << ": not compared";
}

}  // namespace
}  // namespace trammel

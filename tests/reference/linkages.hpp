// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linkages for the reference tests: read from models/, or built from points in the plane; and sweeps of one input.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/analysis.hpp>
#include <trammel/readers.hpp>

#include "support/source_dir.hpp"

namespace trammel::test {

inline constexpr double degree = std::numbers::pi / 180;

inline nlohmann::json reference_data(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/reference/data/" + name + ".json");
  return nlohmann::json::parse(file);
}

inline Mechanism compiled_linkage(const Model& model) {
  CompileResult result = compile(model);
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return std::move(result.mechanism);
}
inline Mechanism linkage(const std::string& file) {
  const ReadResult result = read_model(test::source_dir() + "/models/" + file + ".yaml");
  EXPECT_TRUE(result.ok()) << result.diagnostics.to_string();
  return compiled_linkage(result.model);
}

// Planar linkages in the plane z = 0.
inline void add_link(Model& model, const std::string& name, double mass = 1, Vec3d com = {}, double inertia = 1) {
  add_body(model, name, mass, com, {inertia, inertia, inertia, 0, 0, 0});
}
inline void add_pin(Model& model, const std::string& name, const std::string& first, const std::string& second,
                    const Vec3d& p) {
  add_joint(model, name, Revolute{}, first, second, frame_at(p, {0, 0, 1}));
}
inline void add_output(Model& model, const std::string& name, const std::string& body, const Vec3d& p) {
  model.outputs.push_back({name, body, p, {}});
}

// One input, in rad or m, from `from` to `to`.
struct Range {
  double from = 0, to = 0, step = 0, speed = 0, acceleration = 0;
};
inline SweepInput input_of(const Mechanism& mech, const std::string& joint, const Range& range) {
  SweepInput input;
  input.driver.joint = mech.find_joint(joint);
  EXPECT_GE(input.driver.joint, 0) << joint;
  input.from = range.from, input.to = range.to, input.step = range.step;
  input.speed = range.speed, input.acceleration = range.acceleration;
  return input;
}
// Every step has a position, and the inputs determine the motion.
inline Analysis sweep(const Mechanism& mech, AnalysisOptions options) {
  Analysis result = analyze(mech, options);
  EXPECT_EQ(result.status, Analysis::Status::ok);
  for (const AnalysisStep& step : result.steps) {
    EXPECT_EQ(step.status, StepStatus::ok) << "at " << step.input.front();
    EXPECT_LT(step.ledger, 1e-10) << "at " << step.input.front();
  }
  return result;
}
inline Analysis sweep(const Mechanism& mech, const std::string& joint, const Range& range, bool forces = false) {
  return sweep(mech, {.inputs = {input_of(mech, joint, range)}, .forces = forces});
}

inline const PointMotion& point(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  for (std::size_t k = 0; k < mech.outputs.size(); ++k) {
    if (mech.outputs[k].name == name) return step.points[k];
  }
  ADD_FAILURE() << "no output " << name;
  return step.points.at(0);
}
inline const JointMotion& joint(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  return step.joints.at(static_cast<std::size_t>(mech.find_joint(name)));
}
inline const BodyMotion& body(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  return step.bodies.at(static_cast<std::size_t>(mech.find_body(name)));
}
inline const JointReaction& reaction(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  return step.reactions.at(static_cast<std::size_t>(mech.find_joint(name)));
}
inline double load(const Mechanism& mech, const AnalysisStep& step, const std::string& name) {
  for (std::size_t k = 0; k < mech.loads.size(); ++k) {
    if (mech.loads[k].settings.name == name) return step.loads.at(k);
  }
  ADD_FAILURE() << "no load " << name;
  return 0;
}
// Turn about z of a body since it was drawn, −π to π.
inline double turn_z(const BodyMotion& motion) { return std::atan2(motion.X_WB.R.ex.y, motion.X_WB.R.ex.x); }
inline double same_angle(double a, double b) { return std::abs(std::remainder(a - b, 2 * std::numbers::pi)); }

// The largest error of a table, relative to the largest value of each of its columns.
class Errors {
 public:
  void add(const std::string& column, double actual, double expected) {
    Column& c = columns_[column];
    c.error = std::max(c.error, std::abs(actual - expected));
    c.size = std::max(c.size, std::abs(expected));
    if (!std::isfinite(actual)) c.error = INFINITY;
  }
  void add_angle(const std::string& column, double actual, double expected) {
    Column& c = columns_[column];
    c.error = std::max(c.error, same_angle(actual, expected));
    c.size = std::max(c.size, 1.0);
    if (!std::isfinite(actual)) c.error = INFINITY;
  }
  void add(const std::string& column, const Vec3d& actual, const Vec3d& expected) {
    Column& c = columns_[column];
    c.error = std::max(c.error, norm(actual - expected));
    c.size = std::max(c.size, norm(expected));
    if (!std::isfinite(norm(actual))) c.error = INFINITY;
  }
  // Prints the errors, and fails where one is larger than the tolerance.
  void expect_below(double tolerance, const std::string& what) const {
    EXPECT_FALSE(columns_.empty()) << what;
    for (const auto& [name, c] : columns_) {
      const double relative = c.size > 0 ? c.error / c.size : c.error;
      fmt::print("{:<52} {:.1e}\n", what + ": " + name, relative);
      EXPECT_LE(relative, tolerance) << what << ": " << name;
    }
  }

 private:
  struct Column {
    double error = 0, size = 0;
  };
  std::map<std::string, Column> columns_;
};

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// An impact as a file describes it, beside the model of the mechanism: how everything moves, where it touches, how joints resist.
//                                                                                                       docs/formats/impact.md

#include <string>
#include <string_view>
#include <vector>

#include <trammel/readers.hpp>

namespace trammel {

struct ImpactScenario {
  struct Contact {
    enum class Kind { point, rigid, capture, limit };
    std::string name;
    Kind kind = Kind::point;
    std::string first, second;  // bodies
    Vec3d p_A;                // where they touch: a point of the first body, in its frame (in the world for the ground)
    Vec3d normal_W{0, 0, 1};  // from the second body to the first
    double restitution = 0, friction = 0;
    std::string law = "stronge";
    std::string joint = "fixed";  // of a capture: its type
    Vec3d axis_W{0, 0, 1};        // of that joint; of a universal one the first
    Vec3d second_axis_W{};        // of a universal joint
    double advance = 0;           // of a helical joint, m per radian
    std::string limit_joint;      // of a limit
    int limit_dof = 0;
    bool is_upper = true;
    SourceLocation where;
  };
  struct OfJoint {
    std::string joint;
    int dof = 0;
    double size = 0;
  };
  std::string file;
  std::vector<Contact> contacts;
  double share = 0;
  std::vector<OfJoint> shares, dampers;
};

struct ScenarioResult {
  ImpactScenario scenario;
  Model model;  // that given, with the initial state of the scenario
  Diagnostics diagnostics;

  bool ok() const { return !diagnostics.has_errors(); }
};
// `file` is the name that messages show. Numbers are in the units of the model.
ScenarioResult read_impact_scenario(std::string_view text, const std::string& file, const Model& model,
                                    std::size_t max_bytes = 1u << 20);
// From a file ("-": standard input is the caller's).
ScenarioResult load_impact_scenario(const std::string& path, const Model& model);

}  // namespace trammel

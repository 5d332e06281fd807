// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state that `eval --state` reads:
//   {"q": {"joint": [..]}, "v": {..}, "a": {..}, "tau": {..},
//    "prescribed": ["joint", ..], "actuated": ["joint", ..], "wrenches": {"body": {"force": [..], "moment": [..], "at": [..]}}}
// Any part is optional. Joints left out are at the design position, at rest, without drive.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <trammel/diagnostics.hpp>
#include <trammel/dynamics.hpp>

namespace trammel::tool {

struct BodyWrench {
  int body = ground;
  Vec3d at_B;         // where it acts, in the body's frame
  Force<double> F_W;  // moment and force, world axes
};

struct EvalState {
  State state;
  std::vector<double> a, tau;    // per freedom
  std::vector<char> prescribed;  // per freedom
  std::vector<BodyWrench> wrenches;
  std::vector<char> q_named{}, v_named{}, a_named{};  // per freedom: the state gives it
  // Joints, closing ones too, for inverse dynamics with loops; empty: those of the model.
  std::optional<std::vector<int>> actuated{};
  std::map<std::string, SourceLocation> given{};  // parts of the file that say something: "q", "v", …

  bool gives(const std::string& part) const { return given.contains(part); }
  bool is_hybrid() const;
};

// Reads a state file ("-": standard input); without a path, the design position (or the model's initial state).
// All complaints go into the diagnostics.
EvalState read_state(const Mechanism& mechanism, const std::optional<std::string>& path, bool from_initial,
                     Diagnostics& diagnostics);

// Warns of parts that the state gives and what is asked for does not use.
void warn_of_unused_parts(const EvalState& state, const std::vector<std::string>& unused, const std::string& fix,
                          Diagnostics& diagnostics);

}  // namespace trammel::tool

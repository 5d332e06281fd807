// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expressions of time and state, as loads and events have them: "20*sin(t) - 3*elbow.rate". Names in them are those of
// state_variables(); numbers are in the file's units.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "readers/yaml_joints.hpp"

namespace trammel::readers {

class StateNames {
 public:
  explicit StateNames(const Model& model);

  // A name that is allowed although it is not there, because a message told why.
  void allow(const std::string& name) { add({.name = name, .dimension = {}, .of = {}}); }
  const StateVariable* find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &all_[found->second];
  }
  std::size_t size() const { return all_.size(); }
  // "t", then all others.
  std::vector<std::string> words() const;

 private:
  void add(StateVariable variable);

  std::vector<StateVariable> all_;
  std::unordered_map<std::string, std::size_t> index_;
};
// With the names of joints and outputs that could not be read.
StateNames state_names(const Reading& r, const std::vector<JointDraft>& joints, const Node& outputs);

// A number of the given dimension, or an expression of t and state.
std::optional<StateFunction> read_state_function(Reading& r, const Node& node, const std::string& what,
                                                 const Dimension& dimension, const StateNames& names);

// The text of one that gives the same values in a file with these units.
std::string text_in_units(const StateFunction& function, const Units& units, const Dimension& dimension,
                          const StateNames& names);

}  // namespace trammel::readers

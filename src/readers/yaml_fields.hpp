// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Typed access to the values of a file. Every function takes the node, says in a message what is wrong with it and how
// to mend it, and returns nothing then; `what` names the value in messages: "mass of body 'crank'". Numbers come back
// in SI.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <trammel/model.hpp>

#include "readers/yaml_tree.hpp"

namespace trammel::readers {

// Names of one section, to find things by and to guess from.
class Names {
 public:
  void add(const std::string& name) {
    index_.emplace(name, list_.size());
    list_.push_back(name);
  }
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::unordered_map<std::string, std::size_t> index_;
};

// What the pieces of the reader share: the model that grows, the names known so far (indices are those of the model's
// lists), and the messages.
struct Reading {
  Model model;
  Messages messages;
  Names points, bodies, joints;
  std::vector<bool> point_is_known;  // one for each point; false where its numbers could not be read
};

// A mapping whose keys are those of one section. Unknown keys are reported when it is made; a node that is not a
// mapping too, and all keys are then missing.
class Fields {
 public:
  // `reported` are keys to let pass, because a message about them was given already.
  Fields(Reading& reading, const Node& node, std::string_view section, std::string subject,
         const std::vector<const Node*>& reported = {});

  const Node* find(std::string_view key) const { return usable_ ? node_->find(key) : nullptr; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool usable() const { return usable_; }
  SourceLocation where() const { return node_->where; }
  const std::string& subject() const { return subject_; }
  // Says that a key is missing, unless an unknown key was reported that seems to be it.
  void report_missing(Reading& reading, std::string_view key, std::string fix) const;
  // "mass of body 'crank'"
  std::string what(std::string_view key) const { return std::string(key) + " of " + subject_; }

 private:
  const Node* node_;
  bool usable_ = true;
  std::string subject_;
  std::vector<std::string> misspelt_;  // keys that unknown ones seem to stand for
};

// "the text 'abc'", "a list", "nothing": what stands where something else should.
std::string describe(const Node& node);

bool begins_like_a_number(std::string_view text);
// "inf", ".nan" and the like, with or without a sign.
bool is_not_finite(std::string_view text);
// One number exactly as the file has it: digits in full, no hexadecimal, no words, finite.
std::optional<double> read_plain_number(Reading& r, const Node& node, const std::string& what);
std::optional<double> read_number(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);
// The same for what cannot be negative, and for what must be more than 0.
std::optional<double> read_not_negative(Reading& r, const Node& node, const std::string& what,
                                        const Dimension& dimension);
std::optional<double> read_positive(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);
// A list of exactly as many numbers as there are dimensions.
std::optional<std::vector<double>> read_numbers(Reading& r, const Node& node, const std::string& what,
                                                const std::vector<Dimension>& dimensions);
std::optional<Vec3d> read_vector(Reading& r, const Node& node, const std::string& what, const Dimension& dimension);
std::optional<bool> read_bool(Reading& r, const Node& node, const std::string& what);
std::optional<std::string> read_text(Reading& r, const Node& node, const std::string& what);
// One of these words; a near one is suggested.
std::optional<std::string> read_word(Reading& r, const Node& node, const std::string& what,
                                     const std::vector<std::string>& words);
// A list of exactly two names.
std::optional<std::pair<std::string, std::string>> read_two_names(Reading& r, const Node& node, const std::string& what,
                                                                  std::string_view example);

// Is a section there, and a mapping from names? Says so if it is something else.
bool check_section(Reading& r, const Node& section, std::string_view name, std::string_view example);
// May this key be a name? Says why not.
bool check_name(Reading& r, const Node& key, std::string_view kind);
// A body by name. Ground is `is_ground` with no index.
struct BodyRef {
  bool is_ground = false;
  std::size_t index = 0;
};
std::optional<BodyRef> find_body(Reading& r, const Node& node, const std::string& name, const std::string& what);
std::optional<BodyRef> read_body(Reading& r, const Node& node, const std::string& what);
Transformd design_pose(const Reading& r, const BodyRef& body);

}  // namespace trammel::readers

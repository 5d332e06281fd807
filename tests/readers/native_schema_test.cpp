// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The JSON Schema that editors complete and check with, against what the reader goes by. native_schema_test.py tries it
// on files.

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <trammel/joints/all_joints.hpp>
#include <trammel/units.hpp>

#include "readers/yaml_keys.hpp"
#include "support/source_dir.hpp"

namespace trammel::readers {
namespace {

using Json = nlohmann::json;
using Words = std::set<std::string>;

const Json& schema() {
  static const Json parsed = [] {
    std::ifstream stream(test::source_dir() + "/docs/formats/native.schema.json");
    return Json::parse(stream);
  }();
  return parsed;
}

// "joint revolute" is the definition "joint_revolute"; the file itself is the root.
std::string definition_name(std::string section) {
  std::replace(section.begin(), section.end(), ' ', '_');
  return section;
}
const Json& definition(const std::string& section) {
  return section == "file" ? schema() : schema().at("definitions").at(definition_name(section));
}

Words keys(const Json& object) {
  Words words;
  for (const auto& [key, value] : object.items()) words.insert(key);
  return words;
}
Words words_of(const std::vector<std::string>& list) { return {list.begin(), list.end()}; }

const Json& resolved(const Json& node) {
  const auto reference = node.find("$ref");
  if (reference == node.end()) return node;
  const std::string prefix = "#/definitions/", path = *reference;
  EXPECT_EQ(path.rfind(prefix, 0), 0u) << path;
  return schema().at("definitions").at(path.substr(prefix.size()));
}

// Definitions that a list of alternatives names: "joint_revolute", …
Words alternatives(const std::string& name) {
  Words words;
  for (const Json& one : schema().at("definitions").at(name).at("anyOf")) {
    words.insert(one.at("$ref").get<std::string>().substr(std::string("#/definitions/").size()));
  }
  return words;
}
Words sections_with_prefix(const std::string& prefix) {
  Words words;
  for (const KeyList& list : native_keys()) {
    if (list.section.rfind(prefix, 0) == 0) words.insert(definition_name(list.section));
  }
  return words;
}

void collect_references(const Json& node, Words& found) {
  if (node.is_object() && node.contains("$ref")) found.insert(node.at("$ref").get<std::string>());
  if (!node.is_structured()) return;
  for (const Json& child : node) collect_references(child, found);
}

TEST(NativeSchema, has_the_keys_of_every_section) {
  for (const KeyList& list : native_keys()) {
    ASSERT_TRUE(list.section == "file" || schema().at("definitions").contains(definition_name(list.section)))
        << list.section;
    EXPECT_EQ(keys(definition(list.section).at("properties")), words_of(list.keys)) << list.section;
    EXPECT_EQ(definition(list.section).at("additionalProperties"), false) << list.section;
  }
}

TEST(NativeSchema, has_no_section_that_the_reader_does_not_know) {
  Words sections;
  for (const KeyList& list : native_keys()) sections.insert(definition_name(list.section));
  for (const auto& [name, node] : schema().at("definitions").items()) {
    if (node.contains("properties")) {
      EXPECT_TRUE(sections.contains(name)) << name;
    }
  }
}

TEST(NativeSchema, offers_every_kind_of_joint_shape_coupling_and_actuator) {
  Words joints;
  for (const std::string& type : joint_keywords()) joints.insert("joint_" + type);
  EXPECT_EQ(alternatives("joint"), joints);
  EXPECT_EQ(alternatives("coupling"), sections_with_prefix("coupling "));
  EXPECT_EQ(alternatives("actuator"), sections_with_prefix("actuator "));
  EXPECT_EQ(alternatives("constraint"), sections_with_prefix("constraint "));
  EXPECT_EQ(alternatives("spring"), sections_with_prefix("spring "));
  Words measures = sections_with_prefix("measure ");
  measures.insert("expression");  // alone
  EXPECT_EQ(alternatives("measure"), measures);
  Words shapes = sections_with_prefix("shape ");
  EXPECT_EQ(alternatives("picture"), shapes);
  shapes.erase("shape_mesh");
  EXPECT_EQ(alternatives("solid"), shapes);
}

TEST(NativeSchema, offers_a_snippet_for_every_joint_type) {
  Words labels;
  for (const Json& snippet : schema().at("definitions").at("joint").at("defaultSnippets")) {
    const std::string type = snippet.at("label");
    labels.insert(type);
    for (const std::string& key : keys(snippet.at("body"))) {
      EXPECT_TRUE(definition("joint " + type).at("properties").contains(key)) << type << ": " << key;
    }
  }
  EXPECT_EQ(labels, words_of(joint_keywords()));
}

TEST(NativeSchema, lists_the_units_of_every_quantity) {
  for (const std::string& quantity : keys_of("units")) {
    std::string listed;
    for (const Json& unit : definition("units").at("properties").at(quantity).at("enum")) {
      listed += (listed.empty() ? "" : ", ") + unit.get<std::string>();
    }
    EXPECT_EQ(listed, known_units(quantity)) << quantity;
  }
}

TEST(NativeSchema, says_what_each_key_means) {
  for (const KeyList& list : native_keys()) {
    for (const auto& [key, node] : definition(list.section).at("properties").items()) {
      EXPECT_FALSE(resolved(node).value("description", "").empty()) << list.section << ": " << key;
    }
  }
}

TEST(NativeSchema, refers_to_all_its_definitions_and_to_nothing_else) {
  Words references, definitions;
  collect_references(schema(), references);
  for (const auto& [name, node] : schema().at("definitions").items()) definitions.insert("#/definitions/" + name);
  EXPECT_EQ(references, definitions);
}

TEST(NativeSchema, leaves_out_sections_still_to_come) {
  for (const std::string& section : coming_sections()) {
    EXPECT_FALSE(schema().at("properties").contains(section)) << section;
  }
}

}  // namespace
}  // namespace trammel::readers

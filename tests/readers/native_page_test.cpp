// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The list of keys that the reader goes by, against the documentation and against the joints there are.

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <trammel/joints/all_joints.hpp>
#include <trammel/readers.hpp>
#include <trammel/units.hpp>

#include "readers/yaml_keys.hpp"
#include "support/source_dir.hpp"

namespace trammel::readers {
namespace {

std::string page() {
  std::ifstream stream(test::source_dir() + "/docs/formats/native.md");
  return {std::istreambuf_iterator<char>(stream), {}};
}

// As a word of its own in code: `mass`, {mass: …, [mass, or mass: after a blank.
bool mentions(const std::string& text, const std::string& key) {
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const char after = at + key.size() < text.size() ? text[at + key.size()] : ' ';
    const bool begins = std::string("`{ ,").find(before) != std::string::npos;
    if (begins && (after == ':' || (before == '`' && after == '`'))) return true;
  }
  return false;
}

TEST(NativePage, documents_every_key) {
  const std::string text = page();
  for (const KeyList& list : native_keys()) {
    for (const std::string& key : list.keys) EXPECT_TRUE(mentions(text, key)) << list.section << ": " << key;
  }
  for (const std::string& section : coming_sections()) EXPECT_TRUE(mentions(text, section)) << section;
}

TEST(NativePage, has_examples_that_are_read_without_a_message) {
  const std::string text = page(), begin = "```yaml\n";
  int found = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    const ReadResult result = read_yaml(text.substr(from, text.find("```", from) - from), "native.md");
    EXPECT_EQ(result.diagnostics.to_string(), "");
    ++found;
  }
  EXPECT_GE(found, 2);
}

TEST(NativePage, documents_every_unit) {
  const std::string text = page();
  for (const std::string& quantity : keys_of("units")) {
    EXPECT_NE(text.find("| " + quantity + " | " + known_units(quantity) + " |"), std::string::npos) << quantity;
  }
}

TEST(NativeKeys, have_a_section_for_every_joint_type) {
  for (const std::string& type : joint_keywords()) EXPECT_FALSE(keys_of("joint " + type).empty()) << type;
}

TEST(NativeKeys, are_listed_once_in_each_section) {
  for (const KeyList& list : native_keys()) {
    EXPECT_EQ(std::set<std::string>(list.keys.begin(), list.keys.end()).size(), list.keys.size()) << list.section;
  }
}

TEST(NativeKeys, translate_the_words_of_other_programs) {
  EXPECT_EQ(translate_joint_type("hinge"), "revolute");
  EXPECT_EQ(translate_joint_type("6dof"), "free");
  EXPECT_EQ(translate_joint_type("revolute"), "");
  EXPECT_EQ(translate_key("body", {"point", "on"}), "on");
  EXPECT_EQ(translate_key("body", {"bodies", "joints"}), "bodies");
  EXPECT_EQ(translate_key("body", {"mass"}), "");
  EXPECT_EQ(translate_unit("degree", "angle"), "deg");
  EXPECT_EQ(translate_unit("MM", "length"), "mm");
  EXPECT_EQ(translate_unit("pounds", "mass"), "lb");
  EXPECT_EQ(translate_unit("pounds", "force"), "lbf");
  EXPECT_EQ(translate_unit("parsec", "length"), "");
  for (const std::string& type : joint_keywords()) EXPECT_EQ(translate_joint_type(type), "") << type;
}

}  // namespace
}  // namespace trammel::readers

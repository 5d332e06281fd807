// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Broken URDF files; broken_corpus.hpp says how to add one.

#include "readers/broken_corpus.hpp"

namespace trammel::test {
namespace {

const BrokenCorpus corpus{folder_of_readers() / "broken_urdf", ".urdf",
                          [](std::string_view text, const std::string& file) {
                            unsetenv("ROS_PACKAGE_PATH");
                            return read_urdf(text, file, {.package_paths = {"some/packages"}});
                          }};

class BrokenUrdf : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenUrdf, gives_exactly_the_expected_messages) { corpus.expect_messages(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenUrdf, ::testing::ValuesIn(corpus.names()), name_of);

TEST(BrokenUrdfs, are_many_and_all_have_expectations) { corpus.expect_many(60); }

TEST(BrokenUrdfs, may_be_cut_off_or_changed_anywhere) { corpus.expect_no_crash_when_damaged(); }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(HostileUrdf, nested_a_hundred_thousand_deep_is_refused) {
  const Watchdog watchdog;
  EXPECT_EQ(read_urdf("<robot name='r'>\n" + repeated("<a>", 100'000), "deep.urdf").diagnostics.to_string(),
            "deep.urdf:2:298: error: elements are nested more than 100 deep\n"
            "  fix: check that this is a model file      [xml-too-deep]\n");
  for (const std::string& text :
       {"<robot name='r'>" + repeated("<a>", 100'000), repeated("<a>", 100'000) + repeated("</a>", 100'000),
        repeated("<", 100'000), "<robot>" + repeated("<!--", 100'000), "<robot " + repeated("a='", 100'000)}) {
    EXPECT_FALSE(read_urdf(text, "deep.urdf").ok());
  }
}

TEST(HostileUrdf, with_half_a_million_elements_is_refused) {
  const Watchdog watchdog;
  const ReadResult result = read_urdf("<robot name='r'>" + repeated("<a/>", 500'000) + "</robot>", "wide.urdf");
  EXPECT_EQ(result.diagnostics.to_string(),
            "wide.urdf:1:1200009: error: the file has more than 300000 elements and attributes\n"
            "  fix: check that this is a model file      [xml-too-many-elements]\n");
}

TEST(HostileUrdf, with_as_many_attributes_or_names_as_allowed_is_read_in_time) {
  const Watchdog watchdog;
  std::string attributes = "<robot name='r'><link ", links = "<robot name='r'>";
  for (int i = 0; i < 290'000; ++i) attributes += "a" + std::to_string(i) + "='' ";
  for (int i = 0; i < 60'000; ++i) links += "<link name='link" + std::to_string(i) + "'/>";
  EXPECT_FALSE(read_urdf(attributes + "/></robot>", "wide.urdf").ok());
  EXPECT_FALSE(read_urdf(links + "</robot>", "wide.urdf").ok());
}

TEST(HostileUrdf, that_is_one_long_chain_is_read_in_time) {
  const Watchdog watchdog;
  std::string text = "<robot name='r'><link name='l0'/>";
  for (int i = 1; i < 20'000; ++i) {
    text += "<link name='l" + std::to_string(i) + "'/><joint name='j" + std::to_string(i) +
            "' type='continuous'><parent link='l" + std::to_string(i - 1) + "'/><child link='l" + std::to_string(i) +
            "'/></joint>";
  }
  const ReadResult result = read_urdf(text + "</robot>", "long.urdf");
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.model.joints.size(), 20'000u);
}

}  // namespace
}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every file in broken_urdf/ gives exactly the messages of its .expected sibling, and quickly. To add one, write the file
// and run this test with TRAMMEL_UPDATE_EXPECTED=1; then look at what it wrote as the user would.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/readers.hpp>

namespace trammel {
namespace {

namespace fs = std::filesystem;

const fs::path broken = fs::path(TRAMMEL_SOURCE_DIR) / "tests/readers/broken_urdf";

// Ends the process if reading hangs.
struct Watchdog {
  Watchdog() { alarm(20); }
  ~Watchdog() { alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> broken_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(broken)) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

class BrokenUrdf : public ::testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override { unsetenv("ROS_PACKAGE_PATH"); }
};

TEST_P(BrokenUrdf, gives_exactly_the_expected_messages) {
  const fs::path file = GetParam();
  const fs::path expected = fs::path(file).replace_extension(".expected");
  const Watchdog watchdog;
  const ReadResult result = read_urdf(contents(file), file.filename().string(), {.package_paths = {"some/packages"}});
  const std::string messages = result.diagnostics.to_string();
  if (std::getenv("TRAMMEL_UPDATE_EXPECTED") != nullptr) std::ofstream(expected, std::ios::binary) << messages;
  EXPECT_FALSE(messages.empty());
  EXPECT_EQ(messages, contents(expected));
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenUrdf, ::testing::ValuesIn(broken_files()), name_of);

TEST(BrokenUrdfs, are_many_and_all_have_expectations) {
  EXPECT_GE(broken_files().size(), 60u);
  for (const auto& entry : fs::directory_iterator(broken)) {
    if (entry.path().extension() != ".expected") continue;
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".urdf"))) << entry.path();
  }
}

TEST(BrokenUrdfs, may_be_cut_off_anywhere) {
  for (const fs::path& file : broken_files()) {
    const std::string text = contents(file);
    const std::size_t step = text.size() / 60 + 1;
    const Watchdog watchdog;
    for (std::size_t length = 0; length < text.size(); length += step) {
      const ReadResult result = read_urdf(std::string_view(text).substr(0, length), "cut.urdf");
      for (const Diagnostic& d : result.diagnostics.all()) {
        EXPECT_FALSE(d.what.empty() || d.id.empty() || d.fix.empty()) << file << " cut at " << length;
        EXPECT_LT(d.what.size() + d.fix.size(), 1200u) << file << " cut at " << length;
      }
    }
  }
}

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
}  // namespace trammel

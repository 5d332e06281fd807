// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every file in broken_mjcf/ gives exactly the messages of its .expected sibling, and quickly. To add one, write the file
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

const fs::path broken = fs::path(TRAMMEL_SOURCE_DIR) / "tests/readers/broken_mjcf";

// Ends the process if reading hangs.
struct Watchdog {
  Watchdog() { alarm(20); }
  ~Watchdog() { alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

// Included files are found from there, and messages have no folder in them.
struct InFolder {
  InFolder() : before(fs::current_path()) { fs::current_path(broken); }
  ~InFolder() { fs::current_path(before); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  fs::path before;
};

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> broken_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(broken))
    if (entry.path().extension() == ".xml") files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  return files;
}

class BrokenMjcf : public ::testing::TestWithParam<std::string> {};

TEST_P(BrokenMjcf, gives_exactly_the_expected_messages) {
  const InFolder folder;
  const Watchdog watchdog;
  const std::string file = GetParam() + ".xml", expected = GetParam() + ".expected";
  const std::string messages = read_mjcf(contents(file), file).diagnostics.to_string();
  if (std::getenv("TRAMMEL_UPDATE_EXPECTED") != nullptr) std::ofstream(expected, std::ios::binary) << messages;
  EXPECT_FALSE(messages.empty());
  EXPECT_EQ(messages, contents(expected));
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenMjcf, ::testing::ValuesIn(broken_files()),
                         [](const auto& test) { return test.param; });

TEST(BrokenMjcfFiles, are_many_and_all_have_expectations) {
  EXPECT_GE(broken_files().size(), 50u);
  for (const auto& entry : fs::directory_iterator(broken)) {
    if (entry.path().extension() != ".expected") continue;
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".xml"))) << entry.path();
  }
}

TEST(BrokenMjcfFiles, nested_a_hundred_thousand_deep_are_refused_where_they_get_too_deep) {
  const Watchdog watchdog;
  std::string text = "<mujoco>\n<worldbody>\n";
  for (int i = 0; i < 100'000; ++i) text += "<body>";
  EXPECT_EQ(read_mjcf(text, "deep.xml").diagnostics.to_string(),
            "deep.xml:3:11989: error: elements are nested more than 2000 deep\n"
            "  fix: check that this is a model file      [xml-too-deep]\n");
}

// Any file cut off anywhere, or with a character changed, is read without a crash; every message is one.
TEST(BrokenMjcfFiles, may_be_cut_off_or_changed_anywhere) {
  const InFolder folder;
  for (const std::string& name : broken_files()) {
    const std::string text = contents(name + ".xml");
    const std::size_t step = text.size() / 40 + 1;
    const Watchdog watchdog;
    for (std::size_t at = 0; at < text.size(); at += step) {
      std::string changed = text;
      changed[at] = static_cast<char>('!' + at % 90);
      for (const std::string& broken_text : {text.substr(0, at), changed}) {
        const ReadResult result = read_mjcf(broken_text, "changed.xml");
        for (const Diagnostic& d : result.diagnostics.all()) {
          EXPECT_FALSE(d.what.empty() || d.id.empty() || d.fix.empty()) << name << " at " << at;
          EXPECT_LT(d.what.size() + d.fix.size(), 1200u) << name << " at " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every file in broken/ gives exactly the messages of its .expected sibling, and quickly. To add one, write the file and
// run this test with TRAMMEL_UPDATE_EXPECTED=1; then look at what it wrote as the user would.

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

const fs::path broken = fs::path(TRAMMEL_SOURCE_DIR) / "tests/readers/broken";

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
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

class BrokenFile : public ::testing::TestWithParam<fs::path> {};

TEST_P(BrokenFile, gives_exactly_the_expected_messages) {
  const fs::path file = GetParam();
  const fs::path expected = fs::path(file).replace_extension(".expected");
  const Watchdog watchdog;
  const ReadResult result = read_yaml(contents(file), file.filename().string());
  const std::string messages = result.diagnostics.to_string();
  if (std::getenv("TRAMMEL_UPDATE_EXPECTED") != nullptr) std::ofstream(expected, std::ios::binary) << messages;
  EXPECT_FALSE(messages.empty());
  EXPECT_EQ(messages, contents(expected));
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenFile, ::testing::ValuesIn(broken_files()), name_of);

TEST(BrokenFiles, are_many_and_all_have_expectations) {
  EXPECT_GE(broken_files().size(), 60u);
  for (const auto& entry : fs::directory_iterator(broken)) {
    if (entry.path().extension() != ".expected") continue;
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".yaml"))) << entry.path();
  }
}

// Any file cut off anywhere, or with a byte changed, is read without a crash; what comes out has messages or is a model.
TEST(BrokenFiles, may_be_cut_off_anywhere) {
  for (const fs::path& file : broken_files()) {
    const std::string text = contents(file);
    const std::size_t step = text.size() / 40 + 1;
    const Watchdog watchdog;
    for (std::size_t length = 0; length < text.size(); length += step) {
      const ReadResult result = read_yaml(std::string_view(text).substr(0, length), "cut.yaml");
      for (const Diagnostic& d : result.diagnostics.all()) {
        EXPECT_FALSE(d.what.empty() || d.id.empty() || d.fix.empty()) << file << " cut at " << length;
        EXPECT_LT(d.what.size() + d.fix.size(), 1200u) << file << " cut at " << length;
      }
    }
  }
}

}  // namespace
}  // namespace trammel

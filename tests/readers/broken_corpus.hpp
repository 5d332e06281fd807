// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of the broken* folders share. Every file there gives exactly the messages of its .expected
// sibling, and quickly. To add one, write the file and run the test with TRAMMEL_UPDATE_EXPECTED=1; then look at what it
// wrote as the user would.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <trammel/readers.hpp>

#include "support/source_dir.hpp"

namespace trammel::test {

// Ends the process if reading hangs.
struct Watchdog {
  // TRAMMEL_PATIENCE multiplies the time, for runs under valgrind.
  Watchdog() {
    const char* patience = std::getenv("TRAMMEL_PATIENCE");
    alarm(20 * static_cast<unsigned>(patience == nullptr ? 1 : std::atoi(patience)));
  }
  ~Watchdog() { alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

using ReadText = std::function<ReadResult(std::string_view text, const std::string& file)>;

struct BrokenCorpus {
  std::filesystem::path folder;
  std::string extension;
  ReadText read;

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == extension) found.push_back(entry.path().stem().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string text(const std::string& name) const { return contents(folder / (name + extension)); }

  void expect_messages(const std::string& name) const {
    const std::filesystem::path expected = folder / (name + ".expected");
    const Watchdog watchdog;
    const std::string messages = read(text(name), name + extension).diagnostics.to_string();
    if (std::getenv("TRAMMEL_UPDATE_EXPECTED") != nullptr) std::ofstream(expected, std::ios::binary) << messages;
    EXPECT_FALSE(messages.empty());
    EXPECT_EQ(messages, contents(expected));
  }

  void expect_many(std::size_t at_least) const {
    EXPECT_GE(names().size(), at_least);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".expected") continue;
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(extension)))
          << entry.path();
    }
  }

  // Any file cut off anywhere, or with a character changed, is read without a crash, and every message is whole.
  void expect_no_crash_when_damaged() const {
    for (const std::string& name : names()) {
      const std::string whole = text(name);
      const std::size_t step = whole.size() / 40 + 1;
      const Watchdog watchdog;
      for (std::size_t at = 0; at < whole.size(); at += step) {
        std::string changed = whole;
        changed[at] = static_cast<char>('!' + at % 90);
        for (const std::string& damaged : {whole.substr(0, at), changed}) {
          const ReadResult result = read(damaged, "damaged" + extension);
          for (const Diagnostic& d : result.diagnostics.all()) {
            EXPECT_FALSE(d.what.empty() || d.id.empty() || d.fix.empty()) << name << " at " << at;
            EXPECT_LT(d.what.size() + d.fix.size(), 1200u) << name << " at " << at;
          }
        }
      }
    }
  }
};

inline std::filesystem::path folder_of_readers() { return std::filesystem::path(test::source_dir()) / "tests/readers"; }

inline std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace trammel::test

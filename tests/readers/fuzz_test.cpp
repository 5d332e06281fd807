// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Files damaged at random: a model that was fine, or a file from broken/, with pieces dropped, doubled, moved and
// replaced. Reading must end with a model or with messages; a model that is read must survive being written.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <trammel/readers.hpp>

#include "readers/model_with_everything.hpp"
#include "readers/same_model.hpp"
#include "support/source_dir.hpp"

namespace trammel::test {
namespace {

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : engine_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t i = 1 + below(4); i > 0; --i) text = once(std::move(text));
    return text;
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }

 private:
  std::string once(std::string text) {
    static const std::vector<std::string> words{
        "[",    "]",     "{",      "}",     ",",    ": ",   "\n",     "  ",   "- ",  "#",    "\"",       "'",
        "&a ",  "*a",    "!x ",    "<<",    "~",    "|",    ">",      "%",    "\t",  "\r",   "\xC3",     "é",
        "\xF0", "0",     "-1",     "1e9",   ".nan", "true", "ground", "none", "in",  "at",   "dh",       "x",
        "---",  "1e308", "1e-320", "mass:", "{}",   "[]",   "null",   "axis", "rpy", "free", "revolute", "quaternion"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(12), text.size() - at);
    switch (below(6)) {
      case 0:
        return text.erase(at, length);
      case 1:
        return text.insert(at, text.substr(at, length));
      case 2:
        return text.replace(at, length, words[below(words.size())]);
      case 3:
        return text.insert(at, words[below(words.size())]);
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        return text;
      default: {  // one line somewhere else
        const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(begin, end - begin) + "\n";
        return text.insert(below(text.size() + 1), line);
      }
    }
  }

  std::mt19937_64 engine_;
};

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 60; ++i) texts.push_back(write_yaml(model_with_everything(i)));
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() + "/tests/readers/broken")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

// More rounds: TRAMMEL_FUZZ_ROUNDS=1000000 test_readers --gtest_filter='Fuzz*'
TEST(Fuzz, damaged_files_give_a_model_or_messages) {
  const char* rounds_text = std::getenv("TRAMMEL_FUZZ_ROUNDS");
  const int rounds = rounds_text == nullptr ? 4000 : std::atoi(rounds_text);
  const std::vector<std::string> texts = seeds();
  Damage damage(20250117);
  int models = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = damage(texts[damage.below(texts.size())]);
    const ReadResult result = read_yaml(text, "damaged.yaml");
    for (const Diagnostic& d : result.diagnostics.all()) {
      ASSERT_FALSE(d.what.empty() || d.id.empty() || d.fix.empty()) << text;
      ASSERT_LT(d.what.size() + d.fix.size(), 1500u) << text;
      ASSERT_EQ(d.what.find('\n'), std::string::npos) << text;
    }
    if (!result.ok()) continue;
    ++models;
    const ReadResult back = read_yaml(write_yaml(result.model, true), "again.yaml");
    ASSERT_TRUE(back.ok()) << back.diagnostics.to_string() << text;
    ASSERT_EQ(first_difference(result.model, back.model), "") << text;
  }
  EXPECT_GT(models, rounds / 100);  // the damage is not so great that nothing is tested
}

}  // namespace
}  // namespace trammel::test

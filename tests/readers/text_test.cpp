// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Places in a text, and words that are safe to print.

#include <random>

#include <gtest/gtest.h>

#include "readers/messages.hpp"
#include "readers/yaml_text.hpp"

namespace trammel::readers {
namespace {

// Counted from the beginning, character by character.
SourceLocation counted(const std::string& text, std::size_t position) {
  SourceLocation place{1, 1};
  for (std::size_t i = 0; i < position; ++i) {
    if (text[i] == '\n') {
      place = {place.line + 1, 1};
    } else if ((static_cast<unsigned char>(text[i + 1]) & 0xC0) != 0x80 || i + 1 == text.size()) {
      ++place.column;
    }
  }
  return place;
}

TEST(PlaceFinder, counts_lines_and_characters_forwards_and_back) {
  const std::string text = "abc\nxäy腕z\n\n  né\r\nlast";
  PlaceFinder places(text);
  std::mt19937 engine(7);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t position = engine() % (text.size() + 1);
    if (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) continue;
    const SourceLocation found = places.at(position), expected = counted(text, position);
    ASSERT_EQ(found.line, expected.line) << position;
    ASSERT_EQ(found.column, expected.column) << position;
  }
  EXPECT_EQ(places.at(100).line, 5);
  EXPECT_EQ(places.at(100).column, 5);
}

TEST(Quote, clips_and_escapes_what_it_quotes) {
  EXPECT_EQ(quote("crank"), "'crank'");
  EXPECT_EQ(quote(std::string(1000, 'x')), "'" + std::string(40, 'x') + "…'");
  EXPECT_EQ(quote(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(quote("a\tb\nc\x1B"
                  "d\x7F"),
            "'a\\tb\\nc\\x1Bd\\x7F'");
  EXPECT_EQ(quote("\xC2\x85"
                  "é"),
            "'\\x85é'");
}

TEST(Shortest, reads_back_to_the_same_double) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-0.0), "0");
  EXPECT_EQ(shortest(1e300), "1e+300");
  EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
}

TEST(SyntaxTrouble, is_found_where_it_begins) {
  EXPECT_EQ(find_syntax_trouble("a: [1, 2\nb: 3\n")->position, 3u);
  EXPECT_EQ(find_syntax_trouble("a: {b: [1, 2}\n")->position, 7u);
  EXPECT_EQ(find_syntax_trouble("a: 'it''s\n")->position, 3u);
  EXPECT_EQ(find_syntax_trouble("a:\n \tb: 1\n")->position, 4u);
  EXPECT_EQ(find_syntax_trouble("a: 1]\n"), std::nullopt);  // part of a word
  EXPECT_EQ(find_syntax_trouble("a: ]\n")->position, 3u);
  EXPECT_EQ(find_syntax_trouble("a: \"x\\\"]\"\n# [ '\nb: don't [\n"), std::nullopt);
  EXPECT_EQ(find_syntax_trouble("a: |\n  [ { '\n\n  \"\nb: 1\n"), std::nullopt);
  EXPECT_EQ(find_syntax_trouble("a: |\n  [ {\nb: [\n")->position, 14u);
  EXPECT_EQ(find_syntax_trouble("a: [1,\n\t2]\n"), std::nullopt);  // a tab inside brackets is fine
}

}  // namespace
}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Tables for the terminal, as they are printed.

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/results.hpp>

#include "results/reading.hpp"
#include "results/utf8.hpp"

namespace trammel {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  lines.pop_back();
  return lines;
}

TEST(Table, aligns_points_and_shows_where_there_is_no_value) {
  const Channels channels{{{"crank", "deg", {0, 90, 180}}, {"rocker angle", "deg", {-12.25, nan, 1.0 / 3}}}};
  EXPECT_EQ(write_table(channels),
            "crank  rocker angle\n"
            "[deg]         [deg]\n"
            "─────  ────────────\n"
            "    0      -12.2500\n"
            "   90             –\n"
            "  180        0.3333\n");
}

TEST(Table, gives_the_largest_number_the_digits_asked_for) {
  const Channels channels{{{"t", "s", {1, 2}}, {"x", "m", {123.456789, -0.0001}}, {"y", "m", {9.99996, 1}}}};
  EXPECT_EQ(write_table(channels, {.digits = 4}),
            "  t      x    y\n"
            "[s]    [m]  [m]\n"
            "───  ─────  ───\n"
            "  1  123.5   10\n"
            "  2    0.0    1\n");
}

TEST(Table, uses_powers_of_ten_for_very_large_and_very_small_columns) {
  const Channels channels{{{"i", "", {1, 2}}, {"p", "Pa", {2.5e12, -1}}, {"d", "m", {5e-324, 1e-320}}}};
  EXPECT_EQ(write_table(channels, {.digits = 3}),
            "i         p          d\n"
            "       [Pa]        [m]\n"
            "─  ────────  ─────────\n"
            "1   2.5e+12  4.94e-324\n"
            "2  -1.0e+00  1.00e-320\n");
}

TEST(Table, leaves_out_the_middle_of_many_rows_and_counts_it) {
  Channels channels{{{"i", "", {}}}};
  for (int i = 0; i < 100; ++i) channels.columns[0].values.push_back(i);
  EXPECT_EQ(write_table(channels, {.max_rows = 3}), " i\n──\n 0\n 1\n… 97 rows left out …\n99\n");
  EXPECT_EQ(write_table(channels, {.max_rows = 99, .ascii = true}).find("... 1 row left out ...") != std::string::npos,
            true);
}

TEST(Table, puts_columns_that_do_not_fit_below) {
  const Channels channels{{{"t", "s", {1}}, {"first", "m", {2}}, {"second", "m", {3}}}};
  EXPECT_EQ(write_table(channels, {.width = 16, .ascii = true}),
            "  t  first\n"
            "[s]    [m]\n"
            "---  -----\n"
            "  1      2\n"
            "\n"
            "  t  second\n"
            "[s]     [m]\n"
            "---  ------\n"
            "  1       3\n");
}

TEST(Table, breaks_long_names_at_blanks) {
  const Channels channels{{{"t", "", {1}}, {"acceleration of the coupler point", "", {2}}}};
  EXPECT_EQ(write_table(channels),
            "   acceleration\n"
            "         of the\n"
            "        coupler\n"
            "t         point\n"
            "─  ────────────\n"
            "1             2\n");
}

TEST(Table, counts_columns_not_bytes) {
  const Channels channels{{{"θ₂", "°", {1}}, {"腕", "", {2}}, {"e\u0301", "", {3}}}};
  EXPECT_EQ(write_table(channels),
            " θ₂  腕  e\u0301\n"
            "[°]\n"
            "───  ──  ─\n"
            "  1   2  3\n");
}

TEST(Table, does_not_pass_control_characters_to_the_terminal) {
  EXPECT_EQ(write_table({{{"a\x1b[31m\xff", "", {1}}}}, {.ascii = true}), "a [31m\uFFFD\n-------\n      1\n");
}

TEST(Table, of_nothing_says_so) {
  EXPECT_EQ(write_table({}), "no values\n");
  EXPECT_EQ(write_table({{{"t", "s", {}}}}, {.ascii = true}), "  t\n[s]\n---\nno values\n");
}

RC_GTEST_PROP(TableLaws, lines_fit_into_the_terminal_and_show_no_nan, ()) {
  const int width = *rc::gen::inRange(50, 200);
  Channels channels;
  for (int c = 0; c < 6; ++c)
    channels.columns.push_back({*rc::gen::arbitrary<std::string>(), "m", *test::values_of_any_kind(20)});
  for (Channel& column : channels.columns)  // so that letters of names are not taken for numbers
    std::erase_if(column.name, [](char x) { return x == 'n' || x == 'i' || x == 'N' || x == 'I'; });
  const std::string table = write_table(channels, {.width = width, .max_rows = 10});
  RC_ASSERT(table.find("nan") == std::string::npos);
  RC_ASSERT(table.find("inf") == std::string::npos);
  for (const std::string& line : lines_of(table)) RC_ASSERT(results::columns_of(results::characters_of(line)) <= width);
}

TEST(Utf8, survives_bytes_that_are_no_text) {
  using results::characters_of;
  using results::utf8;
  EXPECT_EQ(utf8(characters_of("aé腕😀")), "aé腕😀");
  EXPECT_EQ(utf8(characters_of("\xc0\xaf")), "\uFFFD\uFFFD");            // a slash, longer than need be
  EXPECT_EQ(utf8(characters_of("\xed\xa0\x80")), "\uFFFD\uFFFD\uFFFD");  // half of a pair
  EXPECT_EQ(utf8(characters_of("\xe2\x82")), "\uFFFD\uFFFD");            // cut short
  EXPECT_EQ(utf8(characters_of("\xef\xbf\xbf")), "\uFFFD\uFFFD\uFFFD");  // U+FFFF, which XML refuses
  EXPECT_EQ(utf8(characters_of("a\tb\nc")), "a b c");
}

}  // namespace
}  // namespace trammel

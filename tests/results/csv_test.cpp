// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// CSV files give back what went in: names with any characters, numbers to the last bit.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/results.hpp>

#include "results/reading.hpp"

namespace trammel {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Csv, has_units_in_the_header_and_empty_cells_where_there_is_no_value) {
  const Channels channels{{{"crank angle", "deg", {0, 0.1, 1e-320}}, {"ratio", "1", {nan, -0.0, infinity}}}};
  EXPECT_EQ(write_csv(channels), "crank angle [deg],ratio\n0,\n0.1,-0\n1e-320,\n");
}

TEST(Csv, quotes_names_that_would_break_a_line_or_a_cell) {
  const Channels channels{{{"a,b", "", {}}, {"the \"big\" one", "m", {}}, {"two\nlines", "", {}}, {" blank", "", {}}}};
  EXPECT_EQ(write_csv(channels), "\"a,b\",\"the \"\"big\"\" one [m]\",\"two\nlines\",\" blank\"\n");
}

TEST(Csv, of_one_column_has_no_empty_lines) {
  EXPECT_EQ(write_csv({{{"x", "m", {1, nan, 2}}}}), "x [m]\n1\n\"\"\n2\n");
}

TEST(Csv, of_nothing_is_empty) { EXPECT_EQ(write_csv({}), ""); }

TEST(Csv, refuses_columns_of_different_lengths_by_name) {
  try {
    write_csv({{{"time", "s", {1, 2}}, {"force", "N", {1}}}});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "column 'force' has 1 values, 'time' has 2; fix: give each row a value, NaN where there is none");
  }
}

RC_GTEST_PROP(CsvLaws, numbers_read_back_to_the_same_bits, (const std::vector<std::uint64_t>& bits)) {
  Channels channels{{{"i", "", {}}, {"x", "m", {}}}};
  for (const std::uint64_t b : bits) {
    channels.columns[0].values.push_back(std::bit_cast<double>(b & 0x800F'FFFF'FFFF'FFFFu));  // denormals
    channels.columns[1].values.push_back(std::bit_cast<double>(b * 0x9E37'79B9'7F4A'7C15u));
  }
  const auto rows = test::parse_csv(write_csv(channels));
  RC_ASSERT(rows.size() == bits.size() + 1);
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      const double value = channels.columns[c].values[i];
      const std::string& cell = rows[i + 1].at(c);
      RC_ASSERT(cell.empty() == !std::isfinite(value));
      if (!cell.empty())
        RC_ASSERT(std::bit_cast<std::uint64_t>(std::strtod(cell.c_str(), nullptr)) ==
                  std::bit_cast<std::uint64_t>(value));
    }
}

RC_GTEST_PROP(CsvLaws, names_read_back, (const std::vector<std::string>& names)) {
  RC_PRE(!names.empty());
  Channels channels;
  for (const std::string& name : names) channels.columns.push_back({name + "x", "", {1}});
  const auto rows = test::parse_csv(write_csv(channels));
  RC_ASSERT(rows.size() == 2u);
  RC_ASSERT(rows[0].size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) RC_ASSERT(rows[0][i] == names[i] + "x");
}

}  // namespace
}  // namespace trammel

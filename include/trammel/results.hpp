// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers for people: columns of results as CSV and as a table for the terminal.
//
//   Channels sweep{{{"crank angle", "deg", angle}, {"rocker angle", "deg", rocker}, {"rocker speed", "deg/s", speed}}};
//   write_csv(sweep)                          text of a CSV file
//   write_table(sweep, {.width = 80})         for the terminal
//
// Values are in the units that the columns name: nothing is converted here. A value that is not finite means that there is none: an empty cell. Texts are
// UTF-8. Same input, same bytes.

#include <string>
#include <vector>

namespace trammel {

// --- columns ----------------------------------------------------------------------------------------------------------

struct Channel {
  std::string name;
  std::string unit;            // "" or "1": a pure number
  std::vector<double> values;  // NaN or infinite: no value there
};

// Named columns of equal length. The first is the independent one: an input angle, the time.
// The functions below throw std::invalid_argument, naming the column, when lengths differ.
struct Channels {
  std::vector<Channel> columns;
};

// A header "crank angle [deg],…" and a line for each row, as RFC 4180 but for the line ends, which are "\n". Numbers read
// back to the same double; a cell without a value is empty.
std::string write_csv(const Channels& channels);

struct TableOptions {
  int digits = 6;      // significant ones of a column's largest number; the others have as many decimals (1 … 17)
  int width = 0;       // of the terminal, in characters: columns that do not fit go below. 0: as wide as it gets
  int max_rows = 0;    // more rows than that lose their middle, and the table says how many. 0: all rows (at least 2)
  bool ascii = false;  // "-" and "..." for "–" and "…", for terminals without UTF-8
};

// Aligned columns under their names and units. Ends with a line feed.
std::string write_table(const Channels& channels, const TableOptions& options = {});

}  // namespace trammel

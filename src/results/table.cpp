// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Columns as a table for the terminal. Numbers of a column have the same decimals, so that their points stand below
// each other. Columns that do not fit into the terminal go into further tables below, each beginning with the first
// column again.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <trammel/results.hpp>

#include "results/channels.hpp"
#include "results/utf8.hpp"

namespace trammel {
namespace {

using results::characters_of;
using results::columns_of;

constexpr int gap = 2;                // blanks between columns
constexpr int narrowest_header = 12;  // names longer than that, and than their numbers, take several lines

struct Row {
  bool elided = false;
  std::size_t index = 0;
};

struct Column {
  std::vector<std::u32string> header;  // the name, broken into lines
  std::u32string unit;
  std::vector<std::u32string> cells;  // one for each Row that is not elided
  int width = 0;
};

// How a column's numbers are written: the decimals that give the largest one `digits` significant digits, less those that
// are zero in all numbers; with a power of ten where that would take more than nine digits before the point or four zeros
// after it.
struct NumberStyle {
  bool scientific = false;
  int decimals = 0;
};

int trailing_zeros(const std::string& text, int decimals) {
  const std::size_t mantissa_end = std::min(text.find('e'), text.size());
  int zeros = 0;
  while (zeros < decimals && text[mantissa_end - 1 - static_cast<std::size_t>(zeros)] == '0') ++zeros;
  return zeros;
}

std::string number(double value, const NumberStyle& style) {
  std::string text =
      style.scientific ? fmt::format("{:.{}e}", value, style.decimals) : fmt::format("{:.{}f}", value, style.decimals);
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);  // −0.000
  return text;
}

NumberStyle style_of(const std::vector<double>& values, int digits) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  if (largest == 0) return {};
  // The exponent after rounding to the digits: 9.9999996 is 10.0000.
  const std::string rounded = fmt::format("{:.{}e}", largest, digits - 1);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  NumberStyle style{exponent < -4 || exponent > 8, 0};
  style.decimals = style.scientific ? digits - 1 : std::max(0, digits - 1 - exponent);
  int needless = style.decimals;
  for (const double value : values)
    if (std::isfinite(value)) needless = std::min(needless, trailing_zeros(number(value, style), style.decimals));
  style.decimals -= needless;
  return style;
}

std::vector<Row> rows_shown(std::size_t count, int max_rows) {
  std::vector<Row> rows;
  const std::size_t most = max_rows <= 0 ? count : static_cast<std::size_t>(std::max(2, max_rows));
  const bool elide = count > most;
  const std::size_t above = elide ? (most + 1) / 2 : count, below = elide ? most / 2 : 0;
  for (std::size_t i = 0; i < above; ++i) rows.push_back({false, i});
  if (elide) rows.push_back({true, count - above - below});
  for (std::size_t i = count - below; i < count; ++i) rows.push_back({false, i});
  return rows;
}

std::u32string shortened(std::u32string text, int width, const TableOptions& options) {
  if (columns_of(text) <= width) return text;
  const std::u32string end = options.ascii ? U"..." : U"…";
  if (columns_of(end) > width) return std::u32string(static_cast<std::size_t>(std::max(0, width)), U'.');
  while (columns_of(text) > width - columns_of(end)) text.pop_back();
  return text + end;
}

// Broken at blanks into lines of `width`; words stay whole.
std::vector<std::u32string> wrapped(const std::u32string& text, int width) {
  std::vector<std::u32string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(U' ', at), text.size());
    const std::u32string word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!lines.empty() && columns_of(lines.back()) + 1 + columns_of(word) <= width)
      lines.back() += U' ' + word;
    else
      lines.push_back(word);
  }
  return lines;
}

Column column_of(const Channel& channel, const std::vector<Row>& rows, const TableOptions& options) {
  Column column;
  const NumberStyle style = style_of(channel.values, std::clamp(options.digits, 1, 17));
  for (const Row& row : rows) {
    if (row.elided) continue;
    const double value = channel.values[row.index];
    column.cells.push_back(std::isfinite(value) ? characters_of(number(value, style)) : options.ascii ? U"-" : U"–");
    column.width = std::max(column.width, columns_of(column.cells.back()));
  }
  const int widest = options.width > 0 ? std::max(column.width, options.width / 2 - gap) : 1 << 20;
  const std::string unit = results::unit_of(channel.unit);
  column.unit = shortened(characters_of(unit.empty() ? "" : "[" + unit + "]"), widest, options);
  column.width = std::max(column.width, columns_of(column.unit));
  column.header = wrapped(characters_of(channel.name), std::max(column.width, narrowest_header));
  for (std::u32string& line : column.header) {
    line = shortened(line, widest, options);
    column.width = std::max(column.width, columns_of(line));
  }
  return column;
}

// The last columns of the blocks of columns that fit beside the first one.
std::vector<std::size_t> block_ends(const std::vector<Column>& columns, int width) {
  std::vector<std::size_t> ends;
  int used = columns.front().width;
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const bool first_of_block = used == columns.front().width;
    if (width > 0 && !first_of_block && used + gap + columns[c].width > width) {
      ends.push_back(c);
      used = columns.front().width;
    }
    used += gap + columns[c].width;
  }
  ends.push_back(columns.size());
  return ends;
}

using Columns = std::vector<const Column*>;

template <typename CellOf>
std::string aligned(const Columns& line, const CellOf& cell_of) {
  std::u32string text;
  for (const Column* column : line) {
    if (column != line.front()) text.append(gap, U' ');
    const std::u32string cell = cell_of(*column);
    text.append(static_cast<std::size_t>(column->width - columns_of(cell)), U' ');
    text += cell;
  }
  while (!text.empty() && text.back() == U' ') text.pop_back();
  return results::utf8(text) + '\n';
}

std::string block_text(const Columns& columns, const std::vector<Row>& rows, const TableOptions& options) {
  std::string text;
  std::size_t height = 0;
  bool units = false;
  for (const Column* column : columns) {
    height = std::max(height, column->header.size());
    units = units || !column->unit.empty();
  }
  for (std::size_t i = 0; i < height; ++i)  // the last lines of all names stand side by side
    text += aligned(columns, [&](const Column& column) {
      const std::size_t blank = height - column.header.size();
      return i < blank ? std::u32string() : column.header[i - blank];
    });
  if (units) text += aligned(columns, [](const Column& column) { return column.unit; });
  const char32_t rule = options.ascii ? U'-' : U'─';
  text += aligned(columns,
                  [&](const Column& column) { return std::u32string(static_cast<std::size_t>(column.width), rule); });
  std::size_t cell = 0;
  for (const Row& row : rows) {
    if (row.elided) {
      text += fmt::format("{0} {1} {2} left out {0}\n", options.ascii ? "..." : "…", row.index,
                          row.index == 1 ? "row" : "rows");
    } else {
      text += aligned(columns, [&](const Column& column) { return column.cells[cell]; });
      ++cell;
    }
  }
  return text;
}

}  // namespace

std::string write_table(const Channels& channels, const TableOptions& options) {
  results::require_equal_lengths(channels);
  if (channels.columns.empty()) return "no values\n";
  const std::vector<Row> rows = rows_shown(channels.columns.front().values.size(), options.max_rows);
  std::vector<Column> columns;
  for (const Channel& channel : channels.columns) columns.push_back(column_of(channel, rows, options));

  std::string text;
  std::size_t from = 1;
  for (const std::size_t to : block_ends(columns, options.width)) {
    Columns line{&columns.front()};
    for (; from < to; ++from) line.push_back(&columns[from]);
    if (!text.empty()) text += '\n';
    text += block_text(line, rows, options);
  }
  if (rows.empty()) text += "no values\n";
  return text;
}

}  // namespace trammel

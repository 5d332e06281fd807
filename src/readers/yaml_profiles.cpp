// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_profiles.hpp"

#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"

namespace trammel::readers {

namespace {

constexpr Dimension time_dimension{.time = 1};

// Points may be so close or so far apart that a curve through them leaves the doubles.
bool is_finite(const Spline& spline) {
  for (std::size_t i = 0; i + 1 < spline.x().size(); ++i) {
    if (!std::isfinite(spline.at(spline.x()[i] + (spline.x()[i + 1] - spline.x()[i]) / 2))) return false;
  }
  return true;
}

}  // namespace

std::optional<Table> read_table(Reading& r, const Node& node, const std::string& what, const Dimension& x,
                                const Dimension& y) {
  if (!node.is_list()) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a list of rows, not {}", what, describe(node)),
                     "write [[0, 0], [1, 0.5], …]");
    return std::nullopt;
  }
  if (node.children.size() < 2) {
    r.messages.error(node.where, "list-length",
                     fmt::format("{} must have 2 rows or more, not {}", what, node.children.size()),
                     "add rows, or give one number instead of a table");
    return std::nullopt;
  }
  Table table;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& row = *node.children[i].value;
    const auto pair = read_numbers(r, row, fmt::format("row {} of {}", i + 1, what), {x, y});
    if (!pair) return std::nullopt;  // the rows after it are likely to have the same mistake
    if (!table.x.empty() && !((*pair)[0] > table.x.back())) {
      r.messages.error(
          row.where, "table-order",
          fmt::format("row {} of {} does not come after the row before it: {} is not above {}", i + 1, what,
                      row.children[0].value->text, node.children[i - 1].value->children[0].value->text),
          "sort the rows by their first number, each only once");
      return std::nullopt;
    }
    table.x.push_back((*pair)[0]);
    table.y.push_back((*pair)[1]);
  }
  return table;
}

std::optional<Profile> read_profile(Reading& r, const Node& node, const std::string& what, const Dimension& dimension) {
  if (!node.is_map()) {
    auto function = read_time_function(r, node, what, dimension);
    if (!function) return std::nullopt;
    return Profile(std::move(*function));
  }
  const Fields fields(r, node, "profile", what);
  const Node* rows = fields.find("table");
  if (rows == nullptr) {
    fields.report_missing(r, "table", "write {table: [[time, value], …]}, a number, or an expression of t");
    return std::nullopt;
  }
  auto table = read_table(r, *rows, fields.what("table"), time_dimension, dimension);
  if (!table) return std::nullopt;
  Spline spline(std::move(table->x), std::move(table->y));
  if (is_finite(spline)) return Profile(std::move(spline));
  r.messages.error(rows->where, "number-not-finite",
                   fmt::format("the curve through {} is beyond what a double holds", fields.what("table")),
                   "check the sizes and units");
  return std::nullopt;
}

std::string table_text(const NumberText& number, const Table& table, const Dimension& x, const Dimension& y) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < table.x.size(); ++i) {
    rows.push_back(flow_list({number(table.x[i], x), number(table.y[i], y)}));
  }
  return flow_list(rows);
}

std::string function_text(const NumberText& number, const TimeFunction& f, const Dimension& dimension) {
  const std::string& text = f.expression.text();
  if (f.is_constant() && (f.unit == 1 || plain_number(text))) {
    if (const auto constant = plain_number(text)) return number(*constant * f.unit, dimension);
  }
  return name_text(text_in_units(f, number.units(), dimension));
}

std::string profile_text(const NumberText& number, const Profile& profile, const Dimension& dimension) {
  if (profile.table.empty()) return function_text(number, profile.formula, dimension);
  const Table table{profile.table.x(), profile.table.y()};
  return flow_map({{"table", table_text(number, table, time_dimension, dimension)}});
}

}  // namespace trammel::readers

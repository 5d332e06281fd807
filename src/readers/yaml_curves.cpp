// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_curves.hpp"

#include <array>

#include <fmt/format.h>

#include "readers/yaml_formulas.hpp"

namespace trammel::readers {

namespace {

bool read_table(Reading& r, const Fields& fields, const Node& node, Curve::Table& table) {
  for (const char* other : {"x", "y", "from", "to"}) {
    if (const Node* beside = fields.find(other)) {
      r.messages.error(beside->where, "key-conflict",
                       fmt::format("{} has both 'points' and '{}'", fields.subject(), other),
                       "keep the points, or the expressions x and y of s");
      return false;
    }
  }
  if (!node.is_list()) {
    r.messages.error(node.where, "wrong-type",
                     fmt::format("{} must be a list of points, not {}", fields.what("points"), describe(node)),
                     "write points: [[x, y], [x, y], …]");
    return false;
  }
  bool complete = true;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const auto xy = read_numbers(r, *node.children[i].value, fmt::format("point {} of {}", i + 1, fields.subject()),
                                 {dimension::length, dimension::length});
    complete = complete && xy;
    if (xy) table.points.push_back({(*xy)[0], (*xy)[1]});
  }
  return complete;
}

// The expressions of the file give its own unit of length; those of a Curve give metres.
bool read_formula(Reading& r, const Fields& fields, Curve::Formula& formula) {
  const std::array<std::string, 1> variables{"s"};
  bool complete = true;
  for (const auto& [key, text] : {std::pair("x", &formula.x), std::pair("y", &formula.y)}) {
    const Node* node = fields.find(key);
    if (node == nullptr) {
      fields.report_missing(r, key, "give points: [[x, y], …], or x and y as expressions of s");
      complete = false;
    } else if (read_expression(r, *node, fields.what(key), variables)) {
      const double unit = r.model.units.to_si(dimension::length);
      *text = unit == 1 ? node->text : fmt::format("{}*({})", shortest(unit), node->text);
    } else {
      complete = false;
    }
  }
  for (const auto& [key, number] : {std::pair("from", &formula.from), std::pair("to", &formula.to)}) {
    const Node* node = fields.find(key);
    if (node == nullptr) continue;
    const auto given = read_constant(r, *node, fields.what(key), dimension::none);
    complete = complete && given;
    *number = given.value_or(*number);
  }
  return complete;
}

}  // namespace

std::shared_ptr<const Curve> read_curve(Reading& r, const Node& node, const std::string& what) {
  const Fields fields(r, node, "curve", what);
  if (!fields.usable()) return nullptr;
  bool closed = false;
  if (const Node* given = fields.find("closed")) {
    closed = read_bool(r, *given, fields.what("closed")).value_or(false);
  }
  Curve::Table table{{}, closed};
  Curve::Formula formula{{}, {}, 0, 1, closed};
  const Node* points = fields.find("points");
  if (points != nullptr ? !read_table(r, fields, *points, table) : !read_formula(r, fields, formula)) return nullptr;
  auto made = points != nullptr ? Curve::from(std::move(table)) : Curve::from(std::move(formula));
  if (auto* curve = std::get_if<Curve>(&made)) return std::make_shared<const Curve>(std::move(*curve));
  r.messages.error(node.where, "curve-wrong", fmt::format("{}: {}", what, std::get<std::string>(made)),
                   points != nullptr ? "give the points in order, each once, also the last of a closed curve"
                                     : "check from, to and closed; in between x and y must be smooth");
  return nullptr;
}

std::string curve_text(const Curve& curve, const NumberText& number) {
  Entries entries;
  if (const auto* table = std::get_if<Curve::Table>(&curve.source())) {
    std::vector<std::string> points;
    for (const auto& p : table->points) {
      points.push_back(flow_list({number(p[0], dimension::length), number(p[1], dimension::length)}));
    }
    entries.emplace_back("points", flow_list(points));
  } else {
    const auto& formula = std::get<Curve::Formula>(curve.source());
    const double unit = number.units().to_si(dimension::length);
    const auto text = [&](const std::string& si) { return scaled_text(si, 1, unit); };
    entries.emplace_back("x", name_text(text(formula.x)));
    entries.emplace_back("y", name_text(text(formula.y)));
    if (formula.from != 0) entries.emplace_back("from", shortest(formula.from));
    if (formula.to != 1) entries.emplace_back("to", shortest(formula.to));
  }
  if (curve.closed()) entries.emplace_back("closed", "true");
  return flow_map(entries);
}

}  // namespace trammel::readers

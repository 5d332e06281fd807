// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The section `bushings`: elastic mounts between two bodies, placed as ball joints are. Stiffness and damping by axis,
// {turn: 3 numbers, travel: 3 numbers}, or as a whole {matrix: 6 rows of 6}, turns first.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_actuation.hpp"
#include "readers/yaml_linkage.hpp"

namespace trammel::readers {

namespace {

using Matrix = std::array<double, 36>;

constexpr double round_off = 1e-9;  // of a matrix that should be symmetric, and of its pivots

// One number for all three axes, or three.
bool read_axes_of(Reading& r, const Node& node, const std::string& what, std::size_t first, int time, Matrix& to) {
  const Dimension dimension = bushing_dimension(first, first, time);
  for (std::size_t i = 0; i < 3; ++i) {
    const bool list = node.is_list() && node.children.size() == 3;
    if (node.is_list() && !list) return read_vector(r, node, what, dimension).has_value();  // for its message
    const auto number = read_not_negative(r, list ? *node.children[i].value : node,
                                          list ? fmt::format("number {} in {}", i + 1, what) : what, dimension);
    if (!number) return false;
    to[7 * (first + i)] = *number;
  }
  return true;
}

bool read_rows(Reading& r, const Node& node, const std::string& what, int time, Matrix& to) {
  if (!node.is_list() || node.children.size() != 6) {
    r.messages.error(node.where, "list-length",
                     fmt::format("{} must be a list of 6 rows of 6 numbers, not {}", what, describe(node)),
                     "give the rows of turns first, then those of travels");
    return false;
  }
  bool complete = true;
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<Dimension> dimensions;
    for (std::size_t k = 0; k < 6; ++k) dimensions.push_back(bushing_dimension(i, k, time));
    const auto row = read_numbers(r, *node.children[i].value, fmt::format("row {} of {}", i + 1, what), dimensions);
    complete = complete && row;
    if (row) std::copy(row->begin(), row->end(), to.begin() + static_cast<std::ptrdiff_t>(6 * i));
  }
  return complete;
}

bool make_symmetric(Matrix& m) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double &a = m[6 * i + k], &b = m[6 * k + i];
      const double size = std::sqrt(std::abs(m[7 * i] * m[7 * k])) + std::abs(a) + std::abs(b);
      if (!(std::abs(a - b) <= round_off * size)) return false;
      a = b;
    }
  }
  return true;
}

// By elimination with the diagonal scaled to 1: a pivot below zero is a way to move that would give energy.
bool is_never_negative(const Matrix& m) {
  Matrix scaled{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (m[7 * i] < 0) return false;
    for (std::size_t k = 0; k < 6; ++k) {
      const double size = std::sqrt(m[7 * i]) * std::sqrt(m[7 * k]);
      if (size == 0 && m[6 * i + k] != 0) return false;
      scaled[6 * i + k] = size == 0 ? 0 : m[6 * i + k] / size;
    }
  }
  for (std::size_t p = 0; p < 6; ++p) {
    const double pivot = scaled[7 * p];
    if (!(pivot >= -round_off)) return false;
    for (std::size_t i = p + 1; i < 6; ++i) {
      if (pivot <= round_off) {
        if (std::abs(scaled[6 * i + p]) > std::sqrt(round_off)) return false;
        continue;
      }
      const double factor = scaled[6 * i + p] / pivot;
      for (std::size_t k = p; k < 6; ++k) scaled[6 * i + k] -= factor * scaled[6 * p + k];
    }
  }
  return true;
}

bool read_matrix(Reading& r, const Node& node, const std::string& what, int time, Matrix& to) {
  const Fields fields(r, node, "stiffness", what);
  if (!fields.usable()) return false;
  const Node* turn = fields.find("turn");
  const Node* travel = fields.find("travel");
  const Node* matrix = fields.find("matrix");
  if (matrix != nullptr) {
    if (const Node* other = turn != nullptr ? turn : travel) {
      r.messages.error(other->where, "key-conflict",
                       fmt::format("{} has both 'matrix' and '{}'", what, turn != nullptr ? "turn" : "travel"),
                       "keep one of them");
      return false;
    }
    if (!read_rows(r, *matrix, fields.what("matrix"), time, to)) return false;
    if (!make_symmetric(to)) {
      r.messages.error(
          matrix->where, "matrix-wrong", fields.what("matrix") + " is not symmetric",
          "make it so; compare in radians: moments per travel and forces per angle are the same numbers there");
      return false;
    }
    if (!is_never_negative(to)) {
      r.messages.error(matrix->where, "matrix-wrong",
                       fields.what("matrix") + " is negative for some motion: it would drive the bodies apart",
                       "check the signs, and that no coupling exceeds the numbers on the diagonal");
      return false;
    }
    return true;
  }
  if (turn == nullptr && travel == nullptr) {
    fields.report_missing(r, "travel", "add 'turn', 'travel' or 'matrix'");
    return false;
  }
  bool complete = turn == nullptr || read_axes_of(r, *turn, fields.what("turn"), 0, time, to);
  if (travel != nullptr) complete = read_axes_of(r, *travel, fields.what("travel"), 3, time, to) && complete;
  return complete;
}

bool read_bushing(Reading& r, const Fields& fields, Bushing& bushing) {
  bool complete = true;
  if (const Node* between = fields.find("between")) {
    const auto names =
        read_two_names(r, *between, "the bodies of " + fields.subject(), "between: [first body, second body]");
    const auto first = names ? find_body(r, *between->children[0].value, names->first, fields.subject()) : std::nullopt;
    const auto second =
        names ? find_body(r, *between->children[1].value, names->second, fields.subject()) : std::nullopt;
    complete = first && second;
    if (complete) {
      bushing.first = name_of(r, *first);
      bushing.second = name_of(r, *second);
      const JointFrames frames = read_ball_frames(r, fields, *first, *second);
      bushing.X_AP = frames.X_AF;
      bushing.X_BQ = frames.X_BM;
    }
    if (complete && bushing.first == bushing.second) {
      r.messages.error(between->where, "body-twice",
                       fmt::format("{} ties {} to itself", fields.subject(), quote(bushing.first)),
                       "name two different bodies");
      complete = false;
    }
  } else {
    fields.report_missing(r, "between", "add between: [first body, second body]");
    complete = false;
  }
  const Node* stiffness = fields.find("stiffness");
  const Node* damping = fields.find("damping");
  if (stiffness != nullptr)
    complete = read_matrix(r, *stiffness, fields.what("stiffness"), 0, bushing.stiffness) && complete;
  if (damping != nullptr) complete = read_matrix(r, *damping, fields.what("damping"), 1, bushing.damping) && complete;
  if (stiffness == nullptr && damping == nullptr) {
    fields.report_missing(r, "stiffness", "add stiffness: {turn: [x, y, z], travel: [x, y, z]}, or 'damping' likewise");
    return false;
  }
  return complete;
}

}  // namespace

Dimension bushing_dimension(std::size_t i, std::size_t k, int time) {
  // A moment or a force, per angle or per length.
  return {.length = (i < 3 ? 1 : 0) - (k < 3 ? 0 : 1), .angle = k < 3 ? -1 : 0, .time = time, .force = 1};
}

void read_bushings(Reading& r, const Node& section) {
  if (!check_section(r, section, "bushings",
                     "{name: {between: [first body, second body], at: P, stiffness: {turn: 10, travel: 1000}}, …}"))
    return;
  for (const Node::Child& child : section.children) {
    if (!check_name(r, *child.key, "bushing")) continue;
    Bushing bushing;
    bushing.name = child.key->text;
    bushing.where = child.key->where;
    const Fields fields(r, *child.value, "bushing", "bushing " + quote(bushing.name));
    if (fields.usable() && read_bushing(r, fields, bushing)) r.model.bushings.push_back(std::move(bushing));
  }
}

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/dm_fields.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trammel::readers::dm {
namespace {

std::string describe(const Value& value) {
  return value.kind == Value::Kind::text ? "the text " + quote(value.text) : quote(value.text);
}

}  // namespace

std::string Fields::what(std::string_view name) const { return fmt::format("{} of {}", name, subject_); }

const Parameter* Fields::find(std::string_view name) {
  asked_.insert(name);
  const auto found = std::find_if(block_.parameters.begin(), block_.parameters.end(),
                                  [name](const Parameter& p) { return p.name == name; });
  return found == block_.parameters.end() ? nullptr : &*found;
}

std::optional<std::vector<double>> Fields::numbers(std::string_view name, std::size_t count) {
  const Parameter* found = find(name);
  if (found == nullptr) return std::nullopt;
  for (const Value& value : found->values) {
    if (value.kind == Value::Kind::number) continue;
    if (value.kind == Value::Kind::too_large) {
      messages_.error(value.where, "number-not-finite",
                      fmt::format("{} is beyond what a double holds: {}", what(name), quote(value.text)),
                      "check the sizes and units");
    } else {
      messages_.error(value.where, "not-a-number",
                      fmt::format("{} must be {}, not {}", what(name), count_of(count, "number"), describe(value)),
                      "write a number such as 2.5 or 1e-3");
    }
    return std::nullopt;
  }
  if (found->values.size() != count) {
    messages_.error(found->where, "dm-count",
                    fmt::format("{} takes {}, not {}", what(name), count_of(count, "number"), found->values.size()),
                    fmt::format("write {} followed by {}", name, count_of(count, "number")));
    return std::nullopt;
  }
  std::vector<double> list;
  list.reserve(count);
  for (const Value& value : found->values) list.push_back(value.number);
  return list;
}

std::optional<double> Fields::number(std::string_view name) {
  const auto list = numbers(name, 1);
  return list ? std::optional(list->front()) : std::nullopt;
}

std::optional<double> Fields::not_negative(std::string_view name) {
  const auto x = number(name);
  if (!x || *x >= 0) return x;
  messages_.error(find(name)->where, "number-out-of-range", fmt::format("{} is {}", what(name), shortest(*x)),
                  "give 0 or more");
  return std::nullopt;
}

std::optional<int> Fields::whole_number(std::string_view name, double most) {
  const auto x = number(name);
  if (!x) return std::nullopt;
  if (*x == std::floor(*x) && std::abs(*x) <= most) return static_cast<int>(*x);
  messages_.error(find(name)->where, "number-out-of-range", fmt::format("{} is {}", what(name), shortest(*x)),
                  fmt::format("give a whole number, {} at most", most));
  return std::nullopt;
}

std::optional<Vec3d> Fields::vector(std::string_view name) {
  const auto list = numbers(name, 3);
  if (!list) return std::nullopt;
  return Vec3d{(*list)[0], (*list)[1], (*list)[2]};
}

std::optional<std::string> Fields::text(std::string_view name) {
  const Parameter* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->values.size() == 1 && found->values[0].kind == Value::Kind::text)
    return std::string(found->values[0].text);
  messages_.error(found->where, "dm-text", fmt::format("{} is not a text in quotes", what(name)),
                  fmt::format("write {} \"…\"", name));
  return std::nullopt;
}

std::optional<Mat3d> Fields::rotation(std::string_view name) {
  const auto list = numbers(name, 9);
  if (!list) return std::nullopt;
  const std::vector<double>& m = *list;
  const Mat3d R{{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
  const Mat3d error = transpose(R) * R - Mat3d::identity();
  const double off = std::sqrt(dot(error.ex, error.ex) + dot(error.ey, error.ey) + dot(error.ez, error.ez));
  if (!(off < 1e-3) || !(dot(cross(R.ex, R.ey), R.ez) > 0)) {
    messages_.error(find(name)->where, "not-a-rotation",
                    off < 1e-3
                        ? fmt::format("{} is not a rotation: it mirrors", what(name))
                        : fmt::format("{} is not a rotation: its columns are off unit length or right angles by {}",
                                      what(name), rounded(off)),
                    "give the axes of the joint's frame as three perpendicular unit columns, row by row");
    return std::nullopt;
  }
  return off < 1e-12 ? R : rotation_of(quaternion_of(R));  // few digits: the rotation that is meant
}

std::optional<Quaternion<double>> Fields::quaternion(std::string_view name) {
  const auto list = numbers(name, 4);
  if (!list) return std::nullopt;
  const double size = std::hypot(std::hypot((*list)[0], (*list)[1]), std::hypot((*list)[2], (*list)[3]));
  if (!(size > 1e-9) || !std::isfinite(size)) {
    messages_.error(find(name)->where, "not-a-rotation",
                    fmt::format("{} has length {}, not 1", what(name), rounded(size)),
                    "give a unit quaternion x y z w; 0 0 0 1 turns nothing");
    return std::nullopt;
  }
  if (std::abs(size - 1) > 1e-3) {
    messages_.warning(
        find(name)->where, "dm-quaternion",
        fmt::format("{} has length {}, not 1: it is scaled, as DynaMechs does", what(name), rounded(size)),
        "give a unit quaternion x y z w");
  }
  return Quaternion<double>{(*list)[3] / size, (*list)[0] / size, (*list)[1] / size, (*list)[2] / size};
}

void Fields::require(std::string_view name, std::string_view followed_by) {
  if (find(name) != nullptr) return;
  messages_.error(block_.where, "dm-missing", fmt::format("{} has no {}", subject_, name),
                  fmt::format("add {} followed by {}", name, followed_by));
}

bool Fields::require_all(std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
  bool all = true;
  for (const auto& [name, followed_by] : names) {
    require(name, followed_by);
    all = all && find(name) != nullptr;
  }
  return all;
}

void Fields::tell_unread() {
  std::unordered_set<std::string_view> seen;
  for (const Parameter& p : block_.parameters) {
    const bool is_first = seen.insert(p.name).second;
    if (!is_keyword(p.name)) {
      messages_.warning(
          p.where, "dm-unknown",
          fmt::format("{} of {} is no parameter: it is skipped, as in DynaMechs", quote(p.name), subject_),
          messages_.guess_or(p.name, keywords(), "delete it"));
    } else if (!asked_.contains(p.name)) {
      messages_.warning(p.where, "dm-no-effect", fmt::format("{} has no effect here", what(p.name)), "delete it");
    } else if (!is_first) {
      messages_.warning(p.where, "dm-twice", fmt::format("{} stands here again: the first one counts", what(p.name)),
                        "delete one of the two");
    }
  }
}

}  // namespace trammel::readers::dm

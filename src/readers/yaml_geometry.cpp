// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_geometry.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "readers/yaml_keys.hpp"

namespace trammel::readers {

namespace {

constexpr double kept_as_written = 1e-12;  // a rotation to round-off, also of long chains
constexpr double mended = 1e-3;            // figures typed with few digits, such as 0.707

std::optional<Vec3d> axis_by_letter(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  const double one = negative ? -1 : 1;
  if (word == "x") return Vec3d{one, 0, 0};
  if (word == "y") return Vec3d{0, one, 0};
  if (word == "z") return Vec3d{0, 0, one};
  return std::nullopt;
}

std::optional<Vec3d> read_from_to(Reading& r, const Node& node, const std::string& what, const Transformd& X_WL) {
  const Fields fields(r, node, "direction", what);
  std::optional<Place> ends[2];
  const char* keys[2] = {"from", "to"};
  for (int i = 0; i < 2; ++i) {
    if (const Node* end = fields.find(keys[i])) {
      ends[i] = read_place(r, *end, fields.what(keys[i]));
    } else {
      fields.report_missing(r, keys[i], "write {from: P, to: Q}");
    }
  }
  if (!ends[0] || !ends[1]) return std::nullopt;
  return ends[1]->in(X_WL)-ends[0]->in(X_WL);
}

double largest_component(const Vec3d& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

// The same direction with components that can be squared: the square of 1e-200 is 0, that of 1e200 infinite.
Vec3d scaled_by_power_of_two(const Vec3d& v) {
  int exponent = 0;
  std::frexp(largest_component(v), &exponent);
  return {std::ldexp(v.x, -exponent), std::ldexp(v.y, -exponent), std::ldexp(v.z, -exponent)};
}

// Largest entry of RᵀR − 1 in size.
double distance_from_rotation(const Mat3d& R) {
  const Mat3d E = transpose(R) * R - Mat3d::identity();
  double largest = 0;
  for (const Vec3d& column : {E.ex, E.ey, E.ez}) largest = std::max(largest, largest_component(column));
  return largest;
}

// The rotation nearest to R (its polar factor), by Newton's iteration R ← (R + R⁻ᵀ)/2. [Higham 1986] It doubles the
// digits in each step: from 1e-3 to round-off in three.
Mat3d nearest_rotation(Mat3d R) {
  for (int i = 0; i < 4; ++i) {
    const Mat3d cofactors{cross(R.ey, R.ez), cross(R.ez, R.ex), cross(R.ex, R.ey)};
    R = (R + cofactors * (1 / dot(R.ex, cofactors.ex))) * 0.5;
  }
  return R;
}

std::optional<Mat3d> rotation_from_matrix(Reading& r, const Node& node, const std::string& what) {
  const auto n = read_numbers(r, node, what, std::vector<Dimension>(9));
  if (!n) return std::nullopt;
  const auto& a = *n;
  const Mat3d R{{a[0], a[3], a[6]}, {a[1], a[4], a[7]}, {a[2], a[5], a[8]}};
  const double off = distance_from_rotation(R);
  if (!(off < 2 * mended)) {
    r.messages.error(
        node.where, "not-a-rotation",
        fmt::format("{} is not a rotation: its columns are off unit length or right angles by {}", what, rounded(off)),
        "give the axes as three perpendicular unit columns, row by row");
    return std::nullopt;
  }
  if (dot(cross(R.ex, R.ey), R.ez) < 0) {
    r.messages.error(node.where, "not-a-rotation", fmt::format("{} is a reflection: its axes are left-handed", what),
                     "turn one column round");
    return std::nullopt;
  }
  return off <= kept_as_written ? R : nearest_rotation(R);
}

std::optional<Mat3d> rotation_by_key(Reading& r, std::string_view key, const Node& node, const std::string& what) {
  const Dimension angle = dimension::angle;
  if (key == "rpy") {
    const auto v = read_vector(r, node, what, angle);
    if (!v) return std::nullopt;
    return rotation_z(v->z) * rotation_y(v->y) * rotation_x(v->x);
  }
  if (key == "quaternion") {
    auto q = read_numbers(r, node, what, std::vector<Dimension>(4));
    if (!q || !check_quaternion(r, node, what, q->data())) return std::nullopt;
    return rotation_of(Quaternion<double>::load(q->data()));
  }
  if (key == "axis_angle") {
    const auto n = read_numbers(r, node, what, {dimension::none, dimension::none, dimension::none, angle});
    if (!n) return std::nullopt;
    const Vec3d axis{(*n)[0], (*n)[1], (*n)[2]};
    if (axis == Vec3d{}) {
      r.messages.error(node.where, "direction-zero", fmt::format("the axis in {} has no length", what),
                       "give a direction other than [0, 0, 0]");
      return std::nullopt;
    }
    return exp_rotation(unit(axis) * (*n)[3]);
  }
  return rotation_from_matrix(r, node, what);
}

}  // namespace

Vec3d unit(const Vec3d& v) {
  const Vec3d scaled = scaled_by_power_of_two(v);
  const double length = norm(scaled);
  return {scaled.x / length, scaled.y / length, scaled.z / length};
}

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const Transformd& X) {
  return is_finite(X.p) && is_finite(X.R.ex) && is_finite(X.R.ey) && is_finite(X.R.ez);
}

std::optional<Place> read_place(Reading& r, const Node& node, const std::string& what) {
  if (node.is_list()) {
    const auto p = read_vector(r, node, what, dimension::length);
    if (!p) return std::nullopt;
    return Place{false, *p};
  }
  const bool is_number = !node.quoted && begins_like_a_number(node.text) && !r.points.find(node.text);
  if (!node.is_scalar() || is_number) {
    r.messages.error(node.where, "wrong-type", fmt::format("{} must be a point, not {}", what, describe(node)),
                     "write the name of a point, or [x, y, z]");
    return std::nullopt;
  }
  if (const auto index = r.points.find(node.text)) {
    if (!r.point_is_known[*index]) return std::nullopt;  // reported already
    return Place{true, r.model.points[*index].p_W};
  }
  r.messages.error(node.where, "point-unknown",
                   fmt::format("{} names a point {} that is not there", what, quote(node.text)),
                   r.messages.guess_or(node.text, r.points.list(), "add it under 'points', or write [x, y, z]"));
  return std::nullopt;
}

std::optional<Vec3d> read_direction(Reading& r, const Node& node, const std::string& what, const Transformd& X_WL) {
  std::optional<Vec3d> direction;
  if (node.is_scalar()) {
    direction = axis_by_letter(node.text);
    if (direction) return direction;
    r.messages.error(node.where, "direction-unknown",
                     fmt::format("{} must be a direction, not {}", what, describe(node)),
                     "write x, y, z, -x, -y, -z, a vector [x, y, z] or {from: P, to: Q}");
    return std::nullopt;
  }
  if (node.is_map()) {
    direction = read_from_to(r, node, what, X_WL);
  } else {
    direction = read_vector(r, node, what, dimension::none);
  }
  if (!direction) return std::nullopt;
  if (!is_finite(*direction)) {
    r.messages.error(node.where, "number-not-finite", fmt::format("{} is longer than a double holds", what),
                     "check the sizes and units");
    return std::nullopt;
  }
  if (*direction == Vec3d{}) {
    r.messages.error(node.where, "direction-zero", fmt::format("{} has no length", what),
                     node.is_map() ? "name two different points" : "give a direction other than [0, 0, 0]");
    return std::nullopt;
  }
  return scaled_by_power_of_two(*direction);
}

std::optional<Mat3d> read_rotation_keys(Reading& r, const Fields& fields) {
  std::optional<std::string> chosen;
  for (const std::string& key : keys_of("rotation")) {
    const Node* node = fields.find(key);
    if (node == nullptr) continue;
    if (chosen) {
      r.messages.error(node->where, "rotation-twice",
                       fmt::format("{} has two rotations, '{}' and '{}'", fields.subject(), *chosen, key),
                       "keep one of them");
      return std::nullopt;
    }
    chosen = key;
  }
  if (!chosen) return Mat3d::identity();
  return rotation_by_key(r, *chosen, *fields.find(*chosen), fields.what(*chosen));
}

std::optional<Mat3d> read_rotation(Reading& r, const Node& node, const std::string& what) {
  const Fields fields(r, node, "rotation", what);
  return fields.usable() ? read_rotation_keys(r, fields) : std::nullopt;
}

std::optional<Transformd> read_frame(Reading& r, const Node& node, const std::string& what) {
  const Fields frame(r, node, "frame", what);
  Transformd X;
  if (const Node* at = frame.find("at")) {
    const auto p = read_vector(r, *at, frame.what("at"), dimension::length);
    if (!p) return std::nullopt;
    X.p = *p;
  }
  const auto R = read_rotation_keys(r, frame);
  if (!R || !frame.usable()) return std::nullopt;
  X.R = *R;
  return X;
}

bool check_quaternion(Reading& r, const Node& node, const std::string& what, double* wxyz) {
  const Quaternion<double> q = Quaternion<double>::load(wxyz);
  const double length = std::sqrt(squared_norm(q));
  if (!(std::abs(length - 1) < mended)) {
    r.messages.error(node.where, "quaternion-not-unit", fmt::format("{} has length {}, not 1", what, rounded(length)),
                     "give a unit quaternion [w, x, y, z]; no rotation is [1, 0, 0, 0]");
    return false;
  }
  if (std::abs(length - 1) > kept_as_written) normalized(q).store(wxyz);
  return true;
}

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Items with their classes, and poses. Orientations come in five spellings:
//   quat       w x y z, of any length but zero
//   axisangle  x y z a
//   xyaxes     the x axis, and a direction towards which y is turned until it is at right angles to x
//   zaxis      the z axis; the frame is turned to it the shortest way
//   euler      three angles; a small letter of eulerseq turns about the axis of the turned frame, a capital one about
//              that of the frame one started from

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

constexpr double too_short = 1e-14;

const char* const spellings[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

Vec3d unit(const Vec3d& v) {
  const double length = norm(v);
  return {v.x / length, v.y / length, v.z / length};
}

// The spelling to use. One in the element may meet another in its class, and MuJoCo keeps both. MuJoCo 2 then takes the
// later one of the list above, whoever says it; newer ones that of the element, but for quat, which stays behind all.
const char* find_spelling(Reading& r, const Item& item, bool& usable) {
  const char* own = nullptr;
  const char* set = nullptr;
  for (const char* spelling : spellings) {
    const Attribute* found = item.find(spelling);
    if (found == nullptr) continue;
    if (found != item.element().find(spelling)) {
      set = spelling;
    } else if (own == nullptr) {
      own = spelling;
    } else {
      r.report.error(found->place, "rotation-twice",
                     fmt::format("{} has an orientation twice, as '{}' and as '{}'", item.subject(), own, spelling),
                     "keep one of them");
      usable = false;
    }
  }
  if (own == nullptr || set == nullptr) return own != nullptr ? own : set;
  const auto rank = [](const char* spelling) {
    return std::find(std::begin(spellings), std::end(spellings), spelling);
  };
  if (rank(own) > rank(set)) return own;
  if (own == spellings[0]) {
    tell_no_effect(r.report, item, own, fmt::format("a {} whose class has '{}'", item.element().name, set));
    return set;
  }
  r.report.error(item.find(own)->place, "rotation-twice",
                 fmt::format("{} has '{}', but its class has '{}': versions of MuJoCo disagree about which counts",
                             item.subject(), own, set),
                 fmt::format("write the orientation as '{}' here too", set));
  usable = false;
  return own;
}

std::optional<Mat3d> refuse(Reading& r, const Item& item, const char* spelling, std::string what, std::string fix) {
  r.report.error(item.find(spelling)->place, "direction-zero", fmt::format("{} {}", item.what(spelling), what),
                 std::move(fix));
  return std::nullopt;
}

std::optional<Mat3d> from_quaternion(Reading& r, const Item& item, const std::vector<double>& n) {
  const Quaternion<double> q{n[0], n[1], n[2], n[3]};
  const double largest = std::max({std::abs(q.w), std::abs(q.x), std::abs(q.y), std::abs(q.z)});
  if (!(largest > too_short)) return refuse(r, item, "quat", "is zero", "give w x y z; 1 0 0 0 is no turn");
  return rotation_of(normalized(Quaternion<double>{q.w / largest, q.x / largest, q.y / largest, q.z / largest}));
}

std::optional<Mat3d> from_axis_angle(Reading& r, const Item& item, const std::vector<double>& n) {
  const Vec3d axis{n[0], n[1], n[2]};
  if (!(norm(axis) > too_short)) return refuse(r, item, "axisangle", "has no axis", "give x y z and the angle");
  return exp_rotation(unit(axis) * (n[3] * r.compiler.angle));
}

std::optional<Mat3d> from_xy(Reading& r, const Item& item, const std::vector<double>& n) {
  const Vec3d x{n[0], n[1], n[2]}, towards{n[3], n[4], n[5]};
  if (!(norm(x) > too_short) || !(norm(towards) > too_short))
    return refuse(r, item, "xyaxes", "has an axis of no length", "give two directions");
  const Vec3d ex = unit(x), ty = unit(towards);
  const Vec3d y = ty - ex * dot(ex, ty);
  if (!(norm(y) > 1e-12)) return refuse(r, item, "xyaxes", "has two parallel axes", "give two different directions");
  const Vec3d ey = unit(y);
  return Mat3d{ex, ey, cross(ex, ey)};
}

std::optional<Mat3d> from_z(Reading& r, const Item& item, const std::vector<double>& n) {
  const Vec3d z{n[0], n[1], n[2]};
  if (!(norm(z) > too_short)) return refuse(r, item, "zaxis", "has no length", "give a direction");
  return turn_z_to(z);
}

Mat3d from_euler(const Reading& r, const std::vector<double>& n) {
  Mat3d R = Mat3d::identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = r.compiler.euler[i];
    const double angle = n[i] * r.compiler.angle;
    const Mat3d turn = letter == 'x' || letter == 'X'   ? rotation_x(angle)
                       : letter == 'y' || letter == 'Y' ? rotation_y(angle)
                                                        : rotation_z(angle);
    R = letter >= 'a' ? R * turn : turn * R;
  }
  return R;
}

}  // namespace

Item Reading::item(const Element& element, const std::string& inherited, std::string what) {
  std::string class_name = inherited;
  if (const Attribute* own = element.find("class")) {
    if (defaults.has(own->value)) {
      class_name = own->value;
    } else if (own->value != "main" || !defaults.names().empty()) {
      report.error(own->place, "class-unknown",
                   fmt::format("{} has a class {} that is not there", what, quote(own->value)),
                   report.guess_or(own->value, defaults.names(),
                                   fmt::format("add <default class=\"…\"> for it, or delete the attribute")));
    }
  }
  return {element, defaults.settings(class_name, element.name), std::move(what)};
}

std::string Reading::subject(const Element& element, std::string_view kind, const std::string& around) {
  const Attribute* name = element.find("name");
  if (name != nullptr && !name->value.empty()) return fmt::format("{} {}", kind, quote(name->value));
  return around.empty() ? fmt::format("<{}>", element.name) : fmt::format("a {} of {}", kind, around);
}

Mat3d turn_z_to(const Vec3d& direction) {
  const Vec3d z = unit(direction);
  const Vec3d across{-z.y, z.x, 0};  // z axis × direction
  const double s = norm(across);
  if (s < 1e-10) return z.z > 0 ? Mat3d::identity() : rotation_x(3.14159265358979323846);
  return exp_rotation(across * (std::atan2(s, z.z) / s));
}

std::optional<Mat3d> read_orientation(Reading& r, const Item& item) {
  bool usable = true;
  const char* spelling = find_spelling(r, item, usable);
  if (!usable) return std::nullopt;
  if (spelling == nullptr) return Mat3d::identity();
  const std::string_view kind = spelling;
  const std::size_t count = kind == "xyaxes" ? 6 : kind == "zaxis" || kind == "euler" ? 3 : 4;
  const auto numbers = read_numbers(r.report, item, kind, count);
  if (!numbers) return std::nullopt;
  if (kind == "quat") return from_quaternion(r, item, *numbers);
  if (kind == "axisangle") return from_axis_angle(r, item, *numbers);
  if (kind == "xyaxes") return from_xy(r, item, *numbers);
  if (kind == "zaxis") return from_z(r, item, *numbers);
  return from_euler(r, *numbers);
}

Transformd read_pose(Reading& r, const Item& item) {
  const Vec3d p = read_vector(r.report, item, "pos").value_or(Vec3d{});
  return {read_orientation(r, item).value_or(Mat3d::identity()), p};
}

}  // namespace trammel::readers::mjcf

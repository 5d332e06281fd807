// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_writing.hpp"

#include <cmath>

#include <fmt/format.h>

#include "readers/messages.hpp"

namespace trammel::readers {

std::string matrix_text(const Mat3d& R) {
  return flow_list({shortest(R.ex.x), shortest(R.ey.x), shortest(R.ez.x), shortest(R.ex.y), shortest(R.ey.y),
                    shortest(R.ez.y), shortest(R.ex.z), shortest(R.ey.z), shortest(R.ez.z)});
}

std::string direction_text(const Vec3d& d) {
  if (d == Vec3d{1, 0, 0}) return "x";
  if (d == Vec3d{0, 1, 0}) return "y";
  if (d == Vec3d{0, 0, 1}) return "z";
  if (d == Vec3d{-1, 0, 0}) return "-x";
  if (d == Vec3d{0, -1, 0}) return "-y";
  if (d == Vec3d{0, 0, -1}) return "-z";
  return flow_list({shortest(d.x), shortest(d.y), shortest(d.z)});
}

bool Writing::same(double a, double b, double size) const {
  return tolerance_ == 0 ? a == b : std::abs(a - b) <= tolerance_ * size;
}
bool Writing::same(const Vec3d& a, const Vec3d& b, double size) const {
  return same(a.x, b.x, size) && same(a.y, b.y, size) && same(a.z, b.z, size);
}
bool Writing::same(const Transformd& a, const Transformd& b) const {
  return same(a.R.ex, b.R.ex, 1) && same(a.R.ey, b.R.ey, 1) && same(a.R.ez, b.R.ez, 1) && same(a.p, b.p, 1 + norm(a.p));
}

Transformd Writing::pose_of(const std::string& name) const {
  const Body* body = bodies_.find(name);
  return body == nullptr ? Transformd{} : body->X_WB;
}

Entries Writing::frame_entries(const Transformd& X) const {
  Entries entries;
  if (X.p != Vec3d{}) entries.emplace_back("at", number_(X.p, dimension::length));
  if (X.R != Mat3d::identity()) entries.emplace_back("matrix", matrix_text(X.R));
  return entries;
}

std::string Writing::coordinate_name(const std::string& name, int dof) const {
  const Joint* joint = joints_.find(name);
  if (joint == nullptr || nv(joint->type) == 1) return name;
  const auto index = static_cast<std::size_t>(dof);
  const std::string by_name = fmt::format("{}.{}", name, freedoms(joint->type)[index].name);
  // Unless another joint is called just that.
  return joints_.find(by_name) == nullptr ? by_name : fmt::format("{}.{}", name, dof);
}

std::string Writing::coordinate_text(const std::string& name, int dof) const {
  return name_text(coordinate_name(name, dof));
}

Dimension Writing::coordinate_dimension(const std::string& name, int dof) const {
  const Joint* joint = joints_.find(name);
  return joint == nullptr ? dimension::none : freedoms(joint->type)[static_cast<std::size_t>(dof)].dimension;
}

}  // namespace trammel::readers

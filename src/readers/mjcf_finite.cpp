// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A last look at the numbers of a model: each number of the file is finite, but what is computed from them may not be.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

namespace {

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool is_finite(const Transformd& X) {
  return is_finite(X.p) && is_finite(X.R.ex) && is_finite(X.R.ey) && is_finite(X.R.ez);
}
bool is_finite(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); });
}
bool is_finite(const Shape& s) {
  return is_finite(s.X_BS) && is_finite(s.size) && std::isfinite(s.length) && std::isfinite(s.radius);
}
bool is_finite(const std::vector<Shape>& shapes) {
  return std::all_of(shapes.begin(), shapes.end(), [](const Shape& s) { return is_finite(s); });
}

void check(Reading& r, bool finite, SourceLocation where, std::string_view kind, const std::string& name) {
  if (finite) return;
  r.report.error({0, where}, "number-not-finite",
                 fmt::format("{} {} has a number beyond what a double holds", kind, quote(name)),
                 "check the sizes and units");
}

}  // namespace

void check_finite(Reading& r) {
  const Model& model = r.model;
  for (const Body& b : model.bodies)
    check(r, is_finite(b.X_WB) && is_finite(b.visuals) && is_finite(b.collisions), b.where, "body", b.name);
  for (const Joint& j : model.joints) check(r, is_finite(j.X_AF) && is_finite(j.X_BM), j.where, "joint", j.name);
  for (const Output& o : model.outputs) check(r, is_finite(o.p_B), o.where, "site", o.name);
  for (const Actuator& a : model.actuators) check(r, std::isfinite(a.gear), a.where, "actuator", a.name);
  for (const NamedState& s : model.states) {
    const bool finite = std::all_of(s.joints.begin(), s.joints.end(),
                                    [](const NamedState::Entry& e) { return is_finite(e.q) && is_finite(e.v); });
    check(r, finite, s.where, "key", s.name);
  }
}

}  // namespace trammel::readers::mjcf

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/yaml_dh.hpp"

#include <fmt/format.h>

namespace trammel::readers {

namespace {

// A turn about x and a travel along it; the two commute. Likewise along z.
Transformd screw_x(double angle, double travel) { return {rotation_x(angle), {travel, 0, 0}}; }
Transformd screw_z(double angle, double travel) { return {rotation_z(angle), {0, 0, travel}}; }

}  // namespace

std::optional<DhRow> read_dh_row(Reading& r, const Node& node, const std::string& what) {
  const Fields fields(r, node, "dh", what);
  bool ok = fields.usable();
  const auto number = [&](std::string_view key, const Dimension& dimension) {
    const Node* given = fields.find(key);
    if (given == nullptr) return 0.0;
    const auto value = read_number(r, *given, fields.what(key), dimension);
    ok = ok && value;
    return value.value_or(0);
  };
  const double a = number("a", dimension::length), alpha = number("alpha", dimension::angle);
  const double d = number("d", dimension::length), theta = number("theta", dimension::angle);
  const Transformd branch = screw_z(number("theta_branch", dimension::angle), number("d_branch", dimension::length));

  std::string convention = "modified";
  if (const Node* given = fields.find("convention")) {
    convention = read_text(r, *given, fields.what("convention")).value_or("");
    if (convention != "modified" && convention != "standard") {
      if (given->is_scalar()) {
        r.messages.error(
            given->where, "dh-convention",
            fmt::format("{} is {}; there are two conventions", fields.what("convention"), quote(convention)),
            "write standard, or modified (Craig's)");
      }
      ok = false;
    }
  }
  if (!ok) return std::nullopt;
  if (convention == "modified") {
    const Transformd X_AB = branch * screw_x(alpha, a) * screw_z(theta, d);
    return DhRow{X_AB, X_AB, {}};
  }
  const Transformd X_FB = screw_z(theta, d) * screw_x(alpha, a);
  return DhRow{branch * X_FB, branch, inverse(X_FB)};
}

}  // namespace trammel::readers

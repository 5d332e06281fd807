// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading a few lines of a model in a test, and comparing what comes out.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <trammel/readers.hpp>

namespace trammel::test {

// The model in these lines, which must be free of messages.
inline Model read(const std::string& lines) {
  ReadResult result = read_yaml("trammel: 1\n" + lines, "test.yaml");
  EXPECT_EQ(result.diagnostics.to_string(), "");
  return std::move(result.model);
}
inline std::string messages(const std::string& lines) {
  return read_yaml("trammel: 1\n" + lines, "test.yaml").diagnostics.to_string();
}

inline double distance(const Vec3d& a, const Vec3d& b) { return norm(a - b); }
inline double distance(const Mat3d& a, const Mat3d& b) {
  return std::sqrt(dot(a.ex - b.ex, a.ex - b.ex) + dot(a.ey - b.ey, a.ey - b.ey) + dot(a.ez - b.ez, a.ez - b.ez));
}
inline double distance(const Transformd& a, const Transformd& b) { return distance(a.R, b.R) + distance(a.p, b.p); }
inline double distance(const Sym3d& a, const Sym3d& b) { return distance(full(a), full(b)); }

// A matrix as it is written on paper, row by row.
inline Mat3d rows(double xx, double xy, double xz, double yx, double yy, double yz, double zx, double zy, double zz) {
  return {{xx, yx, zx}, {xy, yy, zy}, {xz, yz, zz}};
}

}  // namespace trammel::test

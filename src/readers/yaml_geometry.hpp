// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Places, directions and rotations of a file. Each is read first and put into a frame later: numbers are in the frame L
// of whatever holds them (a body, or what `in` names; the world W otherwise), a named point is always a world point.

#include <optional>
#include <string>

#include "readers/yaml_fields.hpp"

namespace trammel::readers {

// A point by name or by numbers.
struct Place {
  bool in_world = false;  // a named point: p is p_W
  Vec3d p;

  // The place in L, whose design pose is X_WL.
  Vec3d in(const Transformd& X_WL) const { return in_world ? inverse(X_WL) * p : p; }
};
std::optional<Place> read_place(Reading& r, const Node& node, const std::string& what);

// A direction in L, from x, -y, [x, y, z] or {from: P, to: Q}. Its length is near 1, but the ratios of its components
// are exactly the file's.
std::optional<Vec3d> read_direction(Reading& r, const Node& node, const std::string& what, const Transformd& X_WL);

// A rotation written as one of the keys rpy, quaternion, axis_angle, matrix among others of a mapping; none of them is
// the identity. Numbers of quaternions and matrices that are a rotation to round-off are kept to the last bit, those
// off by less than 1e-3 are made one.
std::optional<Mat3d> read_rotation_keys(Reading& r, const Fields& fields);
// A mapping with nothing but such a key.
std::optional<Mat3d> read_rotation(Reading& r, const Node& node, const std::string& what);

// {at: [x, y, z], and one such key}: a frame in a body's frame.
std::optional<Transformd> read_frame(Reading& r, const Node& node, const std::string& what);

// Four numbers that must be a unit quaternion; mended in place as above.
bool check_quaternion(Reading& r, const Node& node, const std::string& what, double* wxyz);

Vec3d unit(const Vec3d& v);

bool is_finite(const Vec3d& v);
bool is_finite(const Transformd& X);

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Solids that bodies are made of, drawn as, touched at, and that water flows around. Part of the Model; all numbers are SI and radians.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <trammel/diagnostics.hpp>
#include <trammel/spatial/inertia.hpp>

namespace trammel {

struct Colour {
  double red = 0.5, green = 0.5, blue = 0.5, alpha = 1;  // each from 0 to 1

  friend bool operator==(const Colour&, const Colour&) = default;
};

// A solid, in the body's frame B. Mass and inertia of a body may come from its shapes; viewers and hydrodynamics use
// them too.
struct Shape {
  enum class Kind { rod, cylinder, box, sphere, capsule, ellipsoid, plate, mesh };
  Kind kind = Kind::rod;
  Transformd X_BS;                // the shape's frame: its centre, z along rod, cylinder and capsule, normal of plate
  Vec3d size;                     // box: full edges; ellipsoid: half axes
  double length = 0;              // rod, cylinder, capsule (between the sphere centres); plate: thickness
  double radius = 0;              // rod, cylinder, capsule, sphere
  std::vector<Vec3d> outline;     // plate: corners in S, z = 0, either way round
  std::string mesh;               // mesh: the file as written, e.g. "package://robot/arm.stl"; it has no volume here
  Vec3d scale{1, 1, 1};           // mesh
  std::optional<double> mass;     // of this shape; else
  std::optional<double> density;  // else shares the body's mass by volume
  std::optional<Colour> colour;
  SourceLocation where;
};
std::string_view keyword(Shape::Kind kind);
double volume(const Shape& shape);
// Inertia of the shape filled with the given mass, at B's origin in B's axes.
RigidInertia<double> inertia_of(const Shape& shape, double mass);

// From a point of B to the solid: 0 within it; NaN for a mesh, which is not opened.
double distance_to(const Shape& shape, const Vec3d& p_B);

}  // namespace trammel

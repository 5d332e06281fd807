// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a linkage has besides bodies and joints: further constraints, inputs, springs, loads, measures. Part of the Model; all numbers
// are SI and radians.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <trammel/constraints/all_constraints.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/diagnostics.hpp>

namespace trammel {

// A point carried by a body (or by the ground), in that body's frame.
struct BodyPoint {
  std::string body;
  Vec3d p_B;

  friend bool operator==(const BodyPoint&, const BodyPoint&) = default;
};

// Ties frame Q on the second body to frame P on the first. At the design position it holds, or nearly so.
struct Constraint {
  std::string name;
  AnyConstraint type;
  std::string first, second;  // body names, or "ground"
  Transformd X_AP, X_BQ;
  SourceLocation where;
};

// One coordinate of a joint that the user turns or pushes, over a range. Either by position: from, to, step are values of the
// coordinate, which moves at `speed` and `acceleration`. Or by time: `motion` is the coordinate as an expression of t, and from, to, step are
// times.
struct Input {
  std::string joint;
  int dof = 0;
  double from = 0, to = 0, step = 0;  // step 0: the one value `from`
  double speed = 0, acceleration = 0;
  std::optional<Expression> motion;  // of t, in s; gives SI units
  SourceLocation where;
};

// A spring and damper between two points, or at a joint.
struct Spring {
  std::string name;
  BodyPoint first, second;  // ends, where `joint` is empty
  std::string joint;        // or a coordinate of this joint
  int dof = 0;
  double stiffness = 0;  // N/m, or N m/rad
  double rest = 0;       // length or angle at which it is free of force
  double damping = 0;    // N s/m, or N m s/rad
  double preload = 0;    // pulls the ends together (or the coordinate down) at its rest length
  SourceLocation where;
};

// A force or couple on a body. Of known size, or a resisting load whose size the analysis finds.
struct Load {
  std::string name;
  BodyPoint at;
  Vec3d direction{1, 0, 0};        // unit vector
  bool is_couple = false;          // a moment; its point does not matter
  bool turns_along = false;        // the direction is fixed in the body, otherwise in the world
  std::optional<Expression> size;  // N or N m, an expression of t (or a constant); none: unknown, a resisting load
  // A resisting load may be bound to another one: size = ratio · size of that one + offset.
  std::string bound_to;
  double ratio = 1, offset = 0;
  SourceLocation where;
};

// A number that the designer watches.
struct Measure {
  enum class Kind {
    angle,   // between lines a–b and c–d: 0 to π; with axis: signed, about it, from the first to the second
    length,  // between points a and b
    distance_to_line,   // of point a from the line b–c
    distance_to_plane,  // of point a from the plane through b with normal `axis`; signed
    plane_angle,        // PANGLE: between line a–b and the plane with normal `axis`
    projected_angle,    // between lines a–b and c–d, both projected onto the plane with normal `axis`; signed
    polar,              // DIRECN: of a–b from `axis`: 0 to π
    azimuth,            // DIRECN: of a–b about `axis`, from `reference`
    locus,              // LOCUS: not a number but a point: see locus_point() in the library
    camber,
    caster,
    steer,               // of a wheel whose spindle runs along a–b (caster: steering axis a–b)
    transmission_angle,  // between the links that meet at joint `joints[0]`, towards joints[1] and joints[2]: 0 to π/2
    mechanical_advantage,  // of output joints[1] against input joints[0]: ratio of speeds, input over output
    instant_centre_x,
    instant_centre_y,
    instant_centre_z,  // of body bodies[0] relative to bodies[1] (or the ground)
    expression,        // of other measures and outputs by name
  };
  std::string name;
  Kind kind = Kind::length;
  std::vector<BodyPoint> points;  // a, b, c, d
  std::vector<std::string> joints, bodies;
  std::optional<Vec3d> axis, reference;  // in the world, unit vectors
  std::string text;                      // expression
  SourceLocation where;
};
std::string_view keyword(Measure::Kind kind);

// The plane a planar linkage moves in: through a point, square to a normal; x gives the direction that angles are counted from.
struct Plane {
  Vec3d point, normal{0, 0, 1}, x{1, 0, 0};
};

}  // namespace trammel

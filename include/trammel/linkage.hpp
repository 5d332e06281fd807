// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a linkage has besides bodies and joints: further constraints, inputs, springs, loads, measures. Part of the Model; all numbers
// are SI and radians.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <trammel/constraints/all_constraints.hpp>
#include <trammel/core/expression.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/units.hpp>

namespace trammel {

// A point carried by a body (or by the ground), in that body's frame.
struct BodyPoint {
  std::string body;
  Vec3d p_B;

  friend bool operator==(const BodyPoint&, const BodyPoint&) = default;
};

// A number that may change with time: an expression of t as the file has it, in the file's units, or a constant.
//   value in SI = unit · expression(t / time_unit),   t in s
struct TimeFunction {
  Expression expression;  // its one variable is t
  double unit = 1, time_unit = 1;

  TimeFunction() = default;                                // zero
  TimeFunction(double constant) : expression(constant) {}  // NOLINT(google-explicit-constructor): it is one
  explicit TimeFunction(Expression of_t, double of_value = 1, double of_time = 1)
      : expression(std::move(of_t)), unit(of_value), time_unit(of_time) {}

  bool is_constant() const { return expression.is_constant(); }
  // With Series also its rates.
  template <class T>
  T at(const T& t) const {
    const T of_file = t / T(time_unit);
    return expression.evaluate<T>(std::span<const T>(&of_file, 1)) * T(unit);
  }
};

// A number that may change with time and state: an expression of t, of coordinates of joints and their rates, and of places of outputs
// (state_variables() of the model lists the names).
//   value in SI = unit · expression(t / time_unit, x₁ / unit₁, …)
struct StateFunction {
  struct Use {
    std::string name;
    double unit = 1;  // the size in SI of the unit that it has in the expression
    int index = -1;   // in Mechanism::state_variables; compile() finds it

    friend bool operator==(const Use& a, const Use& b) { return a.name == b.name && a.unit == b.unit; }
  };
  static constexpr std::size_t most_uses = 32;

  TimeFunction of_time;   // its first variable is t
  std::vector<Use> uses;  // its further variables

  StateFunction() = default;
  StateFunction(double constant) : of_time(constant) {}           // NOLINT(google-explicit-constructor): it is one
  StateFunction(TimeFunction of_t) : of_time(std::move(of_t)) {}  // NOLINT(google-explicit-constructor)
  StateFunction(TimeFunction of_t, std::vector<Use> of_state) : of_time(std::move(of_t)), uses(std::move(of_state)) {}

  bool is_of_time() const { return uses.empty(); }
  // `state`: what find_state_values() gives; may be empty where is_of_time().
  double at(double t, std::span<const double> state = {}) const {
    if (uses.empty()) return of_time.at(t);
    std::array<double, most_uses + 1> values;
    values[0] = t / of_time.time_unit;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      values[k + 1] = state[static_cast<std::size_t>(uses[k].index)] / uses[k].unit;
    }
    return of_time.expression.evaluate<double>({values.data(), uses.size() + 1}) * of_time.unit;
  }
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
  std::optional<TimeFunction> motion;
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
  // A further pull by a table over the length (or the coordinate), straight between its points and beyond the last two.
  std::vector<double> table_at, table_force;
  // A gas spring: a further push that grows as the gas is compressed, F = force · (column / (column + length − rest))^exponent.
  struct Gas {
    double force = 0, column = 1, exponent = 1;  // N, m, 1

    friend bool operator==(const Gas&, const Gas&) = default;
  };
  std::optional<Gas> gas;
  SourceLocation where;
};

// An elastic mount between two bodies: frame Q on the second is held at frame P on the first, where both coincide at the design
// position. With e = [φ; p_PQ] the displacement of Q in P, φ its rotation vector, it stores ½ eᵀ stiffness e; damping · V, with the
// velocity V = [ω; v] of Q relative to P in P's axes, opposes the motion. 6×6, symmetric, row-major, angular part first.
struct Bushing {
  std::string name;
  std::string first, second;  // body names, or "ground"
  Transformd X_AP, X_BQ;
  std::array<double, 36> stiffness{}, damping{};
  SourceLocation where;
};

// A force or couple on a body. Of known size, or a resisting load whose size the analysis finds. A known load acts on the body as
// it is written. A resisting load is positive as exerted by the body on what resists: on the body acts −size · direction.
struct Load {
  std::string name;
  BodyPoint at;
  bool is_couple = false;    // a moment; its point does not matter
  bool turns_along = false;  // directions are along the axes of the body's frame, otherwise of the world
  // Known: three components, or a direction and a size, in N or N m. Unknown: only a direction.
  std::optional<std::array<StateFunction, 3>> components;
  Vec3d direction{1, 0, 0};  // unit vector
  std::optional<StateFunction> size;
  // A resisting load may be bound to another one: size = ratio · size of that one + offset.
  std::string bound_to;
  double ratio = 1, offset = 0;
  SourceLocation where;

  bool is_resisting() const { return !components && !size; }
};

// A number that the designer watches.
struct Measure {
  enum class Kind {
    angle,   // between lines a–b and c–d: 0 to π; with axis: signed, about it, from the first to the second
    length,  // between points a and b
    distance_to_line,   // of point a from the line b–c
    distance_to_plane,  // of point a from the plane through b with normal `axis`; signed
    plane_angle,        // PANGLE: between line a–b and the plane with normal `axis`; signed
    projected_angle,    // between lines a–b and c–d, both projected onto the plane with normal `axis`; signed
    polar,              // DIRECN: of a–b from `axis`: 0 to π
    azimuth,            // DIRECN: of a–b about `axis`, from `reference`
    locus,              // LOCUS: coordinate `component` of point a turned about the axis b–c by `turn`
    camber,  // of a wheel whose spindle runs outwards along a–b; `axis` is up, `reference` forward: positive if
             //   the top of the wheel leans outwards
    caster,  // of a steering axis that runs up along a–b, seen from the side: positive if its top leans back
    steer,   // of a wheel whose spindle runs along a–b: turn about up from square to forward, right-handed
    transmission_angle,  // between the links that meet at joint `joints[0]`, towards joints[1] and joints[2]: 0 to π/2
    mechanical_advantage,  // of output joints[1] against input joints[0]: ratio of speeds, input over output
    instant_centre_x,
    instant_centre_y,
    instant_centre_z,  // of body bodies[0] relative to bodies[1] (or the ground)
    expression,        // of other measures and outputs by name: measure_variables()
  };
  std::string name;
  Kind kind = Kind::length;
  std::vector<BodyPoint> points;  // a, b, c, d
  std::vector<std::string> joints, bodies;
  std::vector<int> dofs;                 // mechanical_advantage: of each joint
  std::optional<Vec3d> axis, reference;  // in the world, unit vectors
  double turn = 0;                       // locus
  int component = 0;                     // locus: 0, 1, 2 for x, y, z
  // The text of an expression works on numbers in the units of the file. A variable of dimension d enters it divided by unit(d), what
  // comes out is multiplied by unit(gives).
  std::string text;
  Dimension gives;
  double length_unit = 1, angle_unit = 1;
  SourceLocation where;

  double unit(const Dimension& d) const;
};
std::string_view keyword(Measure::Kind kind);

// The plane a planar linkage moves in: through a point, square to a normal; x gives the direction that angles are counted from.
struct Plane {
  Vec3d point, normal{0, 0, 1}, x{1, 0, 0};
};

}  // namespace trammel

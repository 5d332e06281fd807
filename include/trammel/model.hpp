// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The editable description of a mechanism: bodies, joints, couplings, points, with their names and where each stood in
// the file. Readers make one, C++ users may build one by hand, compile() turns it into a Mechanism. All numbers are SI
// and radians.
//
// Frames: W world; B a body's own frame; F a joint's frame on its first body A; M its frame on its second body B.
// At zero coordinates F and M coincide. The design position is the one the model is drawn in: body poses X_WB.

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <trammel/actuation.hpp>
#include <trammel/contacts.hpp>
#include <trammel/diagnostics.hpp>
#include <trammel/hydrodynamics.hpp>
#include <trammel/joints/all_joints.hpp>
#include <trammel/linkage.hpp>
#include <trammel/shape.hpp>
#include <trammel/units.hpp>

namespace trammel {

inline constexpr std::string_view ground_name = "ground";

struct Point {
  std::string name;
  Vec3d p_W;  // at the design position
  SourceLocation where;
};

struct Body {
  std::string name;
  Transformd X_WB;  // at the design position
  double mass = 0;
  Vec3d com;      // p_BC_B
  Sym3d inertia;  // at the centre of mass, in B's axes
  std::vector<Shape> shapes;
  std::vector<Shape> visuals, collisions;  // what is drawn and what can be touched, without mass
  Rare<Hydrodynamics> in_fluid;            // what it feels of the model's fluid
  SourceLocation where;
};

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// What acts in a joint, one entry per freedom (or none at all).
struct JointProperties {
  std::vector<double> viscous;   // τ = −viscous · v
  std::vector<double> dry;       // τ = −dry · sign(v), smoothed below dry_speed
  double dry_speed = 1e-3;       // rad/s or m/s at which dry friction reaches 71 % of its size
  std::vector<double> armature;  // inertia of a rotor turning with the coordinate: adds to the mass matrix's diagonal
  std::vector<double> lower, upper;                  // limits of the coordinates of one-to-one joints; ±infinity: none
  std::vector<double> velocity_limit, effort_limit;  // magnitudes; infinity: none
  // How stops push back beyond the limits, per freedom: stiffness · depth + damping · its rate (never a pull). 0 or empty: simulations
  // choose them, see docs/formats/native.md.
  std::vector<double> limit_stiffness, limit_damping;
};

struct Joint {
  std::string name;
  AnyJoint type;              // never Reversed: the file's own direction
  std::string first, second;  // body names, or "ground"
  Transformd X_AF;            // F in the first body's frame
  Transformd X_BM;            // M in the second body's frame
  JointProperties properties;
  std::vector<double> q_initial, v_initial;  // empty: zero
  bool cut = false;                          // asks compile() to close a loop here rather than elsewhere
  SourceLocation where;
};

// A linear relation between two coordinates: q[second] = ratio · q[first] + offset.
struct Coupling {
  enum class Kind { gear, belt, rack, screw, mimic };
  std::string name;
  Kind kind = Kind::gear;
  std::string first, second;  // joint names
  int first_dof = 0, second_dof = 0;
  double ratio = 1, offset = 0;
  SourceLocation where;
  // Of the pulleys of a belt, where they are known; |ratio| is the first over the second.
  std::optional<std::pair<double, double>> radii = {};
};
std::string_view keyword(Coupling::Kind kind);

// A state by name, such as a pose to start from. Joints left out are at zero.
struct NamedState {
  struct Entry {
    std::string joint;
    std::vector<double> q, v;  // empty: zero
  };
  std::string name;
  std::vector<Entry> joints;
  SourceLocation where;
};

// A point of interest, carried by a body.
struct Output {
  std::string name;
  std::string body;
  Vec3d p_B;
  SourceLocation where;
};

struct Model {
  // As the compiler would make them, but in one place, as those of Mechanism.
  Model();
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();

  std::string name;
  std::string file;  // as given to the reader; empty for models built in C++
  Units units;       // of the file, for writers and reports; the numbers here are SI
  Vec3d gravity{0, 0, -9.81};
  Fluid fluid;
  std::vector<Point> points;
  std::vector<Body> bodies;  // ground is not listed
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;
  std::vector<Output> outputs;
  std::vector<Actuator> actuators;  // read and written; they act in simulations
  std::vector<NamedState> states;
  std::vector<Constraint> constraints;
  std::vector<Input> inputs;
  std::vector<Spring> springs;
  std::vector<Bushing> bushings;
  std::vector<Load> loads;
  std::vector<Measure> measures;
  std::vector<Drive> drives;
  std::vector<Event> events;
  Terrain terrain;
  std::vector<ContactMaterial> materials;
  std::vector<ContactShape> contacts;
  std::vector<Impact> impacts;
  SimulateSettings simulate;
  std::optional<Plane> planar;  // where given, the linkage is meant to move in this plane

  const Body* find_body(std::string_view body_name) const;
  const Joint* find_joint(std::string_view joint_name) const;
  const Point* find_point(std::string_view point_name) const;
};

// What a measure is: an angle, a length, a ratio of speeds, or whatever its expression gives.
Dimension dimension_of(const Model& model, const Measure& measure);
// The names that expressions of measures may use, in the order in which Expression::parse gets them: every measure, then of every
// output name.x, name.y, name.z (where it is in the world).
struct MeasureVariable {
  std::string name;
  Dimension dimension;
};
std::vector<MeasureVariable> measure_variables(const Model& model);

// What expressions of loads and events may use besides t: of every joint whose coordinates are its freedoms' integrals each coordinate
// ("elbow"; of several freedoms "slide.travel"), of every freedom its rate ("elbow.rate", "ball.wx.rate"), of every output name.x, .y, .z.
struct StateVariable {
  enum class Kind { coordinate, rate, output };
  std::string name;
  Dimension dimension;
  Kind kind = Kind::coordinate;
  std::string of;     // joint or output
  int component = 0;  // freedom, or 0, 1, 2 for x, y, z
};
std::vector<StateVariable> state_variables(const Model& model);

// Building a model in C++: poses and joints at the design position, as in a file. The references returned hold until the
// next body or joint is added.
Body& add_body(Model& model, std::string name, double mass, Vec3d com, Sym3d inertia, Transformd X_WB = {});
// Joins two bodies that are already there (or the ground); X_WJ is where F and M sit at the design position. Throws
// std::invalid_argument when a body is not there.
Joint& add_joint(Model& model, std::string name, AnyJoint type, std::string first, std::string second,
                 const Transformd& X_WJ);
// Ties frame Q of the second body to frame P of the first, both given in the world at the design position.
Constraint& add_constraint(Model& model, std::string name, AnyConstraint type, std::string first, std::string second,
                           const Transformd& X_WP, const Transformd& X_WQ);
// A frame at p with z along the axis (of any length but zero), for revolute, prismatic, helical, cylindrical and planar
// joints. x is the world x axis, or the world y axis where x is less than 45° from the axis' line, made perpendicular
// to z.
Transformd frame_at(const Vec3d& p_W, const Vec3d& axis_W);
// A frame at p with x and y along the two axes of a universal joint. Where they are not quite at right angles, x is kept
// and y turned in their plane; they must not be parallel.
Transformd frame_at(const Vec3d& p_W, const Vec3d& first_axis_W, const Vec3d& second_axis_W);

}  // namespace trammel

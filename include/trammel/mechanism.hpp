// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A compiled mechanism: integer indices instead of names, a spanning tree, and the constants the kernels need. It is
// never changed after compile(), so any number of threads may share one.
//
//   bodies   those of the model, in its order; index −1 is the ground
//   joints   those of the model, in its order; each is a tree joint, a weld (fixed, inside a link) or a loop closure
//   links    the moving rigid parts: bodies welded together are one link. Parents come before children.
//
// A link's frame is M of the tree joint that carries it, as walked from its parent. Coordinates q and freedoms v are
// numbered link by link.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <trammel/model.hpp>
#include <trammel/tree_link.hpp>

namespace trammel {

inline constexpr int ground = -1;

struct Link {
  int parent = ground;       // link
  int body = 0;              // the body its tree joint carries
  int joint = 0;             // that joint
  AnyJoint type;             // as walked from the parent: Reversed where the file names the bodies the other way
  int q = 0, nq = 0;         // first coordinate, and how many
  int v = 0, nv = 0;         // first freedom, and how many
  int point = 0;             // the point O at which this link's 6-vectors are taken
  bool opens_point = false;  // that point is the origin of this link's frame; otherwise it is the parent's point
};

// The constants of a mechanism as numbers of scalar T, so that lanes may differ in masses and lengths.
template <class T>
struct Parameters {
  std::vector<Transform<T>> X_PF;       // per link: its joint's frame F in the parent link's frame (or in W)
  std::vector<LinkInertia<T>> inertia;  // per link: of all its bodies, in its frame
  std::vector<Transform<T>> X_LB;       // per body: its frame in its link's frame (in W for bodies fixed to ground)
  std::vector<Transform<T>> X_LC;    // per body: its axes at its centre of mass C, in its link's frame (in W likewise)
  std::vector<RigidInertia<T>> M_C;  // per body: inertia at C, in its axes
  std::vector<T> armature;           // per freedom
  std::vector<T> viscous, dry, dry_speed;  // per freedom; see JointProperties
  Vec3<T> gravity;                         // in W

  template <class S>
  static Parameters from(const Parameters<S>& other);
};

enum class JointRole { tree, weld, closure };

struct JointInfo {
  std::string name;
  JointRole role = JointRole::tree;
  AnyJoint type;                        // in the file's direction
  int first = ground, second = ground;  // bodies
  Transformd X_AF, X_BM;                // its frames on the first and on the second body
  bool reversed = false;                // the tree runs from second to first
  bool starts_open = false;             // it closes a loop from the event on that captures with it
  int link = -1;                        // the link it carries; −1 for welds and closures
  int q = -1, nq = 0, v = -1, nv = 0;   // −1 for closures: they have no coordinates of their own
  JointProperties properties;           // as the model has them; those of tree joints are in Parameters too
  std::vector<double> q_initial, v_initial;
  SourceLocation where;
};

struct BodyInfo {
  std::string name;
  int link = ground;    // ground: fixed to the world
  int parent = ground;  // the body before it in the spanning tree
  int joint = -1;       // the joint to that body
  SourceLocation where;
};

// Loop found by the spanning tree: the joint that closes it and the tree joints around it.
struct Loop {
  int closure = -1;         // joint
  std::vector<int> joints;  // from the closure's first body up to the common ancestor, then down to its second body
};

struct CouplingInfo {
  std::string name;
  Coupling::Kind kind = Coupling::Kind::gear;
  int first = -1, second = -1;        // joints
  int first_dof = 0, second_dof = 0;  // within each joint
  double ratio = 1, offset = 0;
  std::optional<std::pair<double, double>> radii = {};  // of pulleys
};

// A constraint of the model between two bodies: frame Q on the second, seen from frame P on the first.
struct ConstraintInfo {
  std::string name;
  AnyConstraint type;
  int rows = 0;
  int first = ground, second = ground;  // bodies
  Transformd X_AP, X_BQ;
  SourceLocation where;
};

struct InputInfo {
  int joint = -1;
  Input settings;
};

struct SpringInfo {
  int first = ground, second = ground;  // bodies, where joint is −1
  int joint = -1;
  Spring settings;
};

struct LoadInfo {
  int body = ground;
  int bound_to = -1;  // load
  Load settings;
};

struct BushingInfo {
  int first = ground, second = ground;  // bodies
  Bushing settings;
};

struct ActuatorInfo {
  int joint = -1;     // −1: a thruster
  int body = ground;  // of a thruster
  Actuator settings;
};

struct DriveInfo {
  int joint = -1;
  Drive settings;
};

struct EventInfo {
  // What it opens or closes; −1: nothing
  int joint = -1, coupling = -1, constraint = -1;
  Event settings;
};

struct ImpactInfo {
  int joint = -1;  // of a stop
  Impact settings;
};

// A quantity that expressions of loads and events use: see state_variables().
struct StateVariableInfo {
  StateVariable settings;
  int joint = -1, output = -1;
};

struct OutputInfo {
  std::string name;
  int body = ground;
  Vec3d p_B;
};

struct Mechanism {
  // As the compiler would make them, but in one place: in every file that copies or ends a mechanism they took seconds to compile.
  Mechanism();
  Mechanism(const Mechanism&);
  Mechanism(Mechanism&&) noexcept;
  Mechanism& operator=(const Mechanism&);
  Mechanism& operator=(Mechanism&&) noexcept;
  ~Mechanism();

  std::string name, file;
  Units units;
  std::vector<BodyInfo> bodies;
  std::vector<int> bodies_base_to_tip;  // body indices, parents first
  std::vector<JointInfo> joints;
  std::vector<Link> links;
  std::vector<TreeLink> tree_links;  // the same for the kernels
  std::vector<int> link_of_dof;      // per freedom
  std::vector<int> link_of_body;     // per body; −1: fixed to the ground
  std::vector<Loop> loops;
  std::vector<CouplingInfo> couplings;
  std::vector<OutputInfo> outputs;
  std::vector<ConstraintInfo> constraints;
  std::vector<InputInfo> inputs;
  std::vector<SpringInfo> springs;
  std::vector<BushingInfo> bushings;
  std::vector<LoadInfo> loads;
  std::vector<ActuatorInfo> actuators;
  std::vector<DriveInfo> drives;
  std::vector<EventInfo> events;
  Contacts contacts;
  std::vector<ImpactInfo> impacts;
  SimulateSettings simulate;
  Fluid fluid;
  std::vector<Hydrodynamics> hydrodynamics;  // per body; empty without a fluid
  std::vector<StateVariableInfo> state_variables;
  std::vector<Measure> measures;
  std::vector<MeasureVariable> measure_variables;  // what expressions may use: measures, then outputs' x, y, z
  std::optional<Plane> planar;
  std::vector<std::string> dof_names;  // "joint.i"
  int nq = 0, nv = 0, points = 0;
  bool has_custom_joint = false;  // then only double runs
  Parameters<double> parameters;

  int link_count() const { return static_cast<int>(links.size()); }
  int body_count() const { return static_cast<int>(bodies.size()); }
  int joint_count() const { return static_cast<int>(joints.size()); }
  bool is_tree() const { return loops.empty() && couplings.empty() && constraints.empty(); }
  // Constant time. `ground` for "ground", −2 when there is no such body; −2 when there is no such joint.
  int find_body(std::string_view body_name) const;
  int find_joint(std::string_view joint_name) const;
  static constexpr int not_found = -2;

  std::unordered_map<std::string, int> body_index, joint_index;
};

struct CompileOptions {
  std::vector<std::string> cut{};  // joints to close loops at, besides those the model marks
  std::vector<std::string>
      keep{};                // joints that should be in the tree, besides those that have inputs, couplings, springs,
                             // friction or armature
  bool for_dynamics = true;  // missing masses are errors; otherwise warnings: kinematics needs none
};

struct CompileResult {
  Mechanism mechanism;
  Diagnostics diagnostics;

  bool ok() const { return !diagnostics.has_errors(); }
};

// Chooses a spanning tree, merges welded bodies, numbers coordinates. The tree grows from the ground, taking first the
// joints whose coordinates matter (inputs, couplings, springs, friction, armature), then the one with the fewest
// freedoms, then the shallower one, then the earlier one in the file; joints marked `cut` come last. Thus the joints left over, which close the loops, have as many freedoms as can be: fewest coordinates and
// fewest constraint rows.
CompileResult compile(const Model& model, const CompileOptions& options = {});

// Time, coordinates and velocities; layout as Mechanism numbers them.
struct State {
  double t = 0;
  std::vector<double> q, v;
};
// The design position at rest.
State design_state(const Mechanism& mechanism);
// The model's `initial` section; joints it leaves out as in the design position.
State initial_state(const Mechanism& mechanism);
// q ⊕ δ for all joints.
void step_coordinates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> delta,
                      std::span<double> out);

template <class T>
template <class S>
Parameters<T> Parameters<T>::from(const Parameters<S>& o) {
  Parameters r;
  for (const auto& X : o.X_PF) r.X_PF.push_back(Transform<T>::from(X));
  for (const auto& M : o.inertia) r.inertia.push_back(LinkInertia<T>::from(M));
  for (const auto& X : o.X_LB) r.X_LB.push_back(Transform<T>::from(X));
  for (const auto& X : o.X_LC) r.X_LC.push_back(Transform<T>::from(X));
  for (const auto& M : o.M_C) r.M_C.push_back(RigidInertia<T>::from(M));
  for (const auto& x : o.armature) r.armature.push_back(T(x));
  for (const auto& x : o.viscous) r.viscous.push_back(T(x));
  for (const auto& x : o.dry) r.dry.push_back(T(x));
  for (const auto& x : o.dry_speed) r.dry_speed.push_back(T(x));
  r.gravity = Vec3<T>::from(o.gravity);
  return r;
}

}  // namespace trammel

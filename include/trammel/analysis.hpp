// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Position, velocity, acceleration and force of a linkage over the range of its inputs.
//
//   const Analysis result = analyze(mechanism, {.inputs = {{.driver = {.joint = crank}, .from = 0, .to = 6.28, .step = 0.1, .speed = 2}}});
//
// The branch of the design position is followed by continuity. Where the inputs cannot go on (a dead point), the place is found to
// round-off; stretches where no position exists are reported with their ends, and the sweep goes on behind them. All
// numbers are SI and radians, in world axes.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <trammel/linkage.hpp>
#include <trammel/loops.hpp>
#include <trammel/spatial/motion.hpp>

namespace trammel {

struct SweepInput {
  Driver driver = {};
  // Values of the coordinate, or times where `motion` is given; step 0: `from` only; one that leads away from `to`: std::invalid_argument.
  double from = 0, to = 0, step = 0;
  double speed = 0, acceleration = 0, jerk = 0;
  std::optional<TimeFunction> motion = {};  // the coordinate as a function of t
};

struct AnalysisOptions {
  std::vector<SweepInput> inputs =
      {};  // the first is the outermost loop; those with `motion` share one time, that of the first of them, and are innermost
  bool forces = false;
  bool gravity = true, inertia = true, friction = true, fluid = true;  // which forces act
  bool jerk = false;
  std::vector<double> given_drive =
      {};                          // what the inputs supply, for resisting loads to be found; empty: to be found itself
  bool newton = false;             // positions by Newton's method, also where they have a closed form
  bool as_drawn = false;           // no position solution: forces at the coordinates given, however well they close
  std::vector<double> start = {};  // coordinates of the tree to start from; empty: the design position
  // Called now and then with the share done, 0 to 1.
  std::function<void(double)> progress = {};
};

enum class StepStatus {
  ok,
  singular,   // a position, but the inputs do not determine its motion
  imaginary,  // no position
};

struct JointMotion {
  std::vector<double> q, v, a, j;
};
// Of a joint that closes a loop, read off its frames: what comes nearest while it is open. Needs compute_accelerations.
JointMotion closing_joint_motion(const Mechanism& mechanism, const Workspace& ws, const JointInfo& joint);
struct PointMotion {
  Vec3d p, v, a, j;
};
struct BodyMotion {
  Transformd X_WB;
  Vec3d w, alpha;  // rad/s, rad/s²
  Vec3d v, a;      // of the body's origin
};
struct JointReaction {
  Force<double> F_W;  // exerted by the joint's first body on its second, in world axes, at `p_W`
  Vec3d p_W;
  bool determinate = true;  // false: other values are possible too; the smallest are given
  // The linkage is planar, and forces out of its plane (and moments in it) depend on clearances and elasticity only.
  bool out_of_plane_unknown = false;
};

struct AnalysisStep {
  std::vector<double> input;  // values of the driven coordinates
  double t = 0;               // where inputs move by time
  StepStatus status = StepStatus::ok;
  bool has_motion = false;          // velocities and accelerations are there
  std::vector<double> q, v, a, j;   // of the tree
  std::vector<JointMotion> joints;  // every joint of the mechanism, closing ones too
  std::vector<PointMotion> points;  // outputs
  std::vector<BodyMotion> bodies;
  std::vector<JointReaction> reactions;  // per joint
  std::vector<Force<double>>
      constraint_forces;  // per constraint: on the second body, at frame Q's origin, in world axes
  std::vector<char> constraint_determinate, constraint_out_of_plane_unknown;  // per constraint, as of reactions
  std::vector<double> drive;     // per input: force or torque that it takes
  std::vector<double> loads;     // per load: its size
  std::vector<double> measures;  // NaN: not defined here
  bool balanced = true;          // false: no equilibrium, a free motion is pushed
  double ledger = 0;             // largest sum of forces on a body that should be zero, relative to the largest force
};

// An input value at which the motion cannot go on, or branches.
struct DeadPoint {
  int input = 0;
  double value = 0;
  bool is_limit = true;        // false: another branch crosses here, and the motion goes on
  bool at_infinity = false;    // a limit towards which a slide leaves without end; q is far out on the way
  std::vector<double> inputs;  // all of them there
  std::vector<double> q;
  double t = 0;  // where inputs move by time
};
struct ImaginaryRange {
  int input = 0;
  double from = 0, to = 0;  // ends: dead points where found, otherwise the first and last value asked for
  bool from_is_exact = false, to_is_exact = false;
  std::vector<double> inputs;   // all of them at its beginning
  double t_from = 0, t_to = 0;  // where inputs move by time: a stretch of time, in which they may turn round
};

struct Analysis {
  enum class Status { ok, cannot_assemble, under_driven, over_driven };
  Status status = Status::ok;
  AssemblyReport assembly;               // of the first position
  std::string worst_gap;                 // where it cannot close
  bool closed_form = false;              // positions have one, and it was used (closed_form.hpp)
  std::vector<FreeMotion> free_motions;  // left by the inputs; idle ones do not matter
  std::vector<AnalysisStep> steps;
  std::vector<DeadPoint> dead_points;
  std::vector<ImaginaryRange> imaginary;
  std::vector<std::string> notes;  // what a designer should know, in words
};

Analysis analyze(const Mechanism& mechanism, const AnalysisOptions& options);

// The inputs of the model.
std::vector<SweepInput> inputs_of(const Mechanism& mechanism);

// --- forces at one position --------------------------------------------------------------------------------------------

// Known forces: weight, inertia, springs, loads of known size, friction. Unknown: constraint forces, what each driver must supply,
// and the sizes of resisting loads. With as many drivers as freedoms and no resisting load the drivers' forces balance; with resisting
// loads, `given_drive` supplies the drivers' forces and the loads' sizes are found.
struct ForceProblem {
  bool gravity = true, inertia = true, friction = true;
  double t = 0;
  std::vector<double> given_drive = {};  // empty: to be found
  bool fluid = true;
};
struct ForceSolution {
  bool balanced = true;  // false: the forces cannot be in equilibrium (a free motion is pushed)
  std::vector<JointReaction> reactions;
  std::vector<Force<double>> constraint_forces;
  std::vector<char> constraint_determinate, constraint_out_of_plane_unknown;
  std::vector<double> drive, loads;
  double ledger = 0;
};
ForceSolution solve_forces(LoopSolver& solver, std::span<const double> q, std::span<const double> v,
                           std::span<const double> a, const ForceProblem& problem = {});

}  // namespace trammel

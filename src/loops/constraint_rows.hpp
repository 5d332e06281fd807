// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of Φ. Two kinds of pieces make them:
//
//   a pose block     rows that are functions of the pose X_PQ of one frame seen from another: closing joints and constraints
//   a scalar         one number: a coordinate of the tree, or a function of some X_PQ (the coordinate of a closing joint, a component
//                    of a body's pose). Couplings are s₂ − ratio s₁ − offset, drivers s − target.
//
// The gradient g = [g_w; g_v] of a row with respect to turn and travel of Q relative to P, along P's axes and at Q's origin, becomes
//   Φ_q = gᵀ R_WPᵀ (J_Q − J_P)
// with J_Q, J_P the Jacobians of second and first body, both at the point where Q's origin is.

#include <functional>
#include <variant>

#include <trammel/kinematics.hpp>
#include <trammel/loops.hpp>

#include "loops/pose_slopes.hpp"

namespace trammel {

// Coordinate k of a joint, read off the pose of its frames.
struct JointCoordinate {
  AnyJoint joint;
  int k = 0;
};
// A component of the pose of Q in P: travels, or the turn about P's z axis.
struct PoseComponent {
  Driver::Component component = Driver::Component::x;
};

struct FramePair {
  int first = ground, second = ground;  // bodies
  Transformd X_AP, X_BQ;
};

struct PoseBlock {
  FramePair frames;
  AnyConstraint constraint;
  int first_row = 0, rows = 0;
  std::array<double, max_constraint_angles> angles{};  // as counted at the last closed position
  int angle_count = 0;
};

struct Scalar {
  int joint = -1;      // whose coordinate it is; −1: a body's
  int q = -1, v = -1;  // a tree coordinate; or, where q is −1,
  FramePair frames;
  std::variant<JointCoordinate, PoseComponent> function;
  bool is_angle = false;
  double counted = 0;  // its value at the last closed position
};

struct CouplingRow {
  int first = 0, second = 0;  // scalars
  double ratio = 1, offset = 0;
  int row = 0;
};
struct DriverRow {
  int scalar = 0;
  int row = 0;
};

// The part of a row that two bodies, or one tree coordinate, have in it: the row's rate is the sum of
//   g · (V_second − V_first)      both taken at p_W, in world axes;      or, where v ≥ 0,      factor · v_v
struct RowPiece {
  int row = 0;
  int first = ground, second = ground;  // bodies
  Force<double> g_W;
  Vec3d p_W;
  int v = -1;
  double factor = 1;
  int joint = -1;  // the closing joint through which it acts, if any
};

// What a function of one pose has in rows of Φ, `factor` times, from first_row on. (Tree coordinates are in couplings besides.)
struct PosePart {
  FramePair frames;
  PoseFunction function;
  int rows = 1, first_row = 0;
  double factor = 1;
};
// The coordinate of freedom k of a joint that closes a loop, where v is q̇: a function that is no row of its own.
PosePart closing_coordinate(const JointInfo& joint, int k);

class ConstraintRows {
 public:
  ConstraintRows(const Mechanism& mechanism, const std::vector<Driver>& drivers);

  const std::vector<ConstraintRow>& rows() const { return rows_; }
  int driver_rows() const { return static_cast<int>(driver_rows_.size()); }

  // After compute_positions. Phi_q may be null; otherwise rows × nv, row-major.
  void evaluate(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q,
                std::span<const Target> targets, double* phi, double* Phi_q);
  // d²Φ/dt² with a = 0, after compute_accelerations with a = 0. Drivers: less their target's acceleration.
  void second_rates(const Mechanism& mechanism, const Workspace& ws, std::span<const double> v,
                    std::span<const Target> targets, double* out);
  // d³Φ/dt³ with zero third derivatives, by series through the whole tree. False with custom joints.
  bool third_rates(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q,
                   std::span<const double> v, std::span<const double> a, std::span<const Target> targets, double* out);

  // The forces that multipliers λ (one per row, N or N m) exert through pose functions; those of tree coordinates act inside their
  // joints. exert(first, second, F_W, p_W, joint, constraint): F_W on the second body at p_W, −F_W on the first, within that joint
  // (which it closes, couples or drives) or by that constraint; −1: neither. After compute_positions.
  using Exert =
      std::function<void(int first, int second, const Force<double>& F_W, const Vec3d& p_W, int joint, int constraint)>;
  void forces(const Mechanism& mechanism, const Workspace& ws, std::span<const double> lambda,
              const Exert& exert) const;

  // All rows, in pieces; after compute_positions. `out` keeps its memory from call to call.
  void pieces(const Mechanism& mechanism, const Workspace& ws, std::vector<RowPiece>& out) const;

  // All that poses have in rows, but for those of drivers: for higher derivatives. Full turns are left out.
  std::vector<PosePart> pose_parts() const;

  // Remembers the turns counted at this position; after compute_positions.
  void keep_turns(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q);
  void reset_turns();
  // All that it remembers of them, and back: for checkpoints. Numbers of another mechanism are refused.
  std::vector<double> turns() const;
  bool set_turns(std::span<const double> counted);

 private:
  std::vector<ConstraintRow> rows_;
  std::vector<PoseBlock> blocks_;
  std::vector<Scalar> scalars_;
  std::vector<CouplingRow> couplings_;
  std::vector<DriverRow> driver_rows_;
  std::vector<double> J_first_, J_second_;                // 6 × nv
  std::vector<double> scalar_values_, scalar_gradients_;  // per scalar; × nv

  int add_coordinate(const Mechanism& mechanism, int joint, int dof);
  int add_component(const Driver& driver);
  void add_block(const FramePair& frames, const AnyConstraint& constraint, ConstraintRow::Source source, int index);
  void relative_jacobian(const Mechanism& mechanism, const Workspace& ws, const FramePair& frames, const Vec3d& p_WQ);
  void add_gradient(const Mechanism& mechanism, const Mat3d& R_WP, const double* gradient, double* row) const;
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mechanisms with loops, couplings and further constraints: where they can be, and how they can move.
//
// The coordinates q are those of the spanning tree. Every joint that closes a loop, every coupling and every constraint adds rows to
// Φ(q) = 0. Drivers are further rows, coordinate − target = 0. With the Jacobian Φ_q (by the freedoms v) and Newton's method, as George and
// Guenter have it:
//   position       Φ_q δ = −Φ,  q ← q ⊕ δ       until |Φ| is round-off
//   velocity       Φ_q v = −Φ_t
//   acceleration   Φ_q a = −γ₂,    γ₂ = d²Φ/dt² with a = 0
//   jerk           Φ_q j = −γ₃,    γ₃ = d³Φ/dt³ with j = 0
//
//   LoopSolver solver(mechanism, {{.joint = crank}});
//   solver.assemble(q, {{.value = 0.3, .rate = 2}});
//   solver.velocities(q, targets, v);
//
// Rank decisions are taken on rows and columns made dimensionless by a characteristic length of the mechanism.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trammel/workspace.hpp>

namespace trammel {

// What is prescribed: a coordinate of a joint, or one component of the pose of a body.
struct Driver {
  enum class Component {
    x,
    y,
    z,
    turn_x,
    turn_y,
    turn_z
  };                        // of the pose in the world; turns about world axes, counted on
  int joint = -1, dof = 0;  // a joint's coordinate; or, where joint is −1,
  int body = ground;
  Vec3d p_B{};  // the point whose travel is meant
  Component component = Component::x;
};

// What a driver asks for now. Rates matter to velocities and beyond.
struct Target {
  double value = 0, rate = 0, acceleration = 0, jerk = 0;
};

// A row of Φ and who wants it.
struct ConstraintRow {
  enum class Source { joint, coupling, constraint, driver };
  Source source = Source::joint;
  int index = 0;  // joint, coupling, constraint or driver
  int row = 0;    // within it
  Dimension dimension;
};

enum class AssemblyStatus {
  assembled,
  singular,      // assembled, but at a position where the inputs do not determine the motion (a dead point)
  cannot_close,  // no position nearby fulfils the constraints
};

struct AssemblyReport {
  AssemblyStatus status = AssemblyStatus::assembled;
  double gap_m = 0,
         gap_rad = 0;  // of the joint or constraint where it is largest: what is missing, as a vector's length
  int worst_row = -1;  // the row with the largest of them
  int iterations = 0;

  bool closed() const { return status != AssemblyStatus::cannot_close; }
};

struct AssemblyOptions {
  double tolerance_m = 1e-12;  // relative to the characteristic length
  double tolerance_rad = 1e-12;
  int max_iterations = 200;
};

class LoopSolver {
 public:
  explicit LoopSolver(const Mechanism& mechanism, std::vector<Driver> drivers = {});
  ~LoopSolver();
  LoopSolver(LoopSolver&&) noexcept;
  LoopSolver& operator=(LoopSolver&&) noexcept;

  const Mechanism& mechanism() const;
  const std::vector<Driver>& drivers() const;
  // Rows of Φ; those of the drivers come last.
  const std::vector<ConstraintRow>& rows() const;
  int row_count() const { return static_cast<int>(rows().size()); }
  // "joint 'B'", "coupling 'mesh'": for messages.
  std::string name_of(const ConstraintRow& row) const;
  double characteristic_length() const;

  // Residuals and Jacobian (rows × nv, row-major), with respect to the freedoms v.
  void residuals(std::span<const double> q, std::span<const Target> targets, std::span<double> phi);
  void jacobian(std::span<const double> q, std::span<double> Phi_q);

  // Brings q onto the constraints: from near, by Newton's method (keeps the branch); from afar, by damped steps.
  AssemblyReport assemble(std::span<double> q, std::span<const Target> targets, const AssemblyOptions& options = {});
  // The same, only from near: gives up soon, and leaves q as it was, where Newton's method does not converge at once.
  bool follow(std::span<double> q, std::span<const Target> targets);

  // For a closed position. Where the drivers leave motions free (the spin of a rod between two balls), those stay zero;
  // where the system is singular the least-squares solution is given and the call returns false.
  bool velocities(std::span<const double> q, std::span<const Target> targets, std::span<double> v);
  bool accelerations(std::span<const double> q, std::span<const double> v, std::span<const Target> targets,
                     std::span<double> a);
  // Not for custom joints in the tree: returns false.
  bool jerks(std::span<const double> q, std::span<const double> v, std::span<const double> a,
             std::span<const Target> targets, std::span<double> j);

  // Forgets how often rolling circles, gears and driven angles at closing joints have turned: as at the design position.
  void reset_turns();
  // A value between 0 (dead point) and 1: the smallest singular value over the largest of Φ_q with drivers, scaled.
  double conditioning(std::span<const double> q);
  // The sign of the determinant of the rows that Newton's method uses: changes where two branches meet. 0: not square.
  int orientation(std::span<const double> q);

  Workspace& workspace();

  class Implementation;  // for trammel's own sources
  Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

// --- mobility ---------------------------------------------------------------------------------------------------------

// A motion that the constraints leave free: the freedoms that take part, each with its share (the largest is 1); those of inputs
// come first, then those of joints to the ground.
struct FreeMotion {
  struct Share {
    int freedom = 0;  // index of v
    double share = 0;
  };
  std::vector<Share> shares;
  // No other body notices it: it moves one link only, which hangs between joints of two or more freedoms each, and not the points that
  // hold it: the spin of a rod between two balls. A wheel that rolls along is not idle.
  bool idle = false;
  int idle_link = -1;
};

struct Mobility {
  int freedoms = 0;         // of all joints
  int grubler_spatial = 0;  // freedoms − 6 per loop − other rows
  std::optional<int>
      grubler_planar;  // freedoms − 3 per loop − …, where all axes are parallel and all travels square to them
  int rank_here = 0, rank_generic = 0;  // of Φ_q without drivers
  int here = 0, generic = 0;            // true mobility at this position, and at positions nearby that are not special
  std::vector<int> redundant_rows;      // rows that follow from the ones before them, at a generic position
  std::vector<FreeMotion> motions;      // at this position
  int idle = 0;                         // how many of them are

  bool is_overconstrained_but_mobile() const { return generic > 0 && !redundant_rows.empty(); }
};

// At the position q, which should be closed; drivers are not counted. Positions nearby are reached along free motions.
Mobility find_mobility(LoopSolver& solver, std::span<const double> q);
// Freedoms − 3 per loop − what constraints ask in the plane, for linkages of revolute, prismatic and planar joints that move in one plane.
std::optional<int> grubler_planar(LoopSolver& solver, std::span<const double> q);
// Do the drivers determine the motion? Judged at q or, where that is special, at a position nearby.
struct DriverVerdict {
  std::vector<FreeMotion> undriven;  // what they leave free; idle motions do no harm
  int superfluous = 0;               // drivers that contradict the constraints or each other
  bool under_driven() const {
    for (const FreeMotion& motion : undriven) {
      if (!motion.idle) return true;
    }
    return false;
  }
};
DriverVerdict judge_drivers(LoopSolver& solver, std::span<const double> q);

}  // namespace trammel

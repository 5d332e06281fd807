// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside LoopDynamics.

#include <trammel/loop_dynamics.hpp>

#include "loop_dynamics/closing_freedoms.hpp"
#include "loop_dynamics/dense_loops.hpp"
#include "loop_dynamics/loop_elimination.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {

struct MotionSlopes;  // motion_slopes.hpp
struct LoopChanges;   // loop_derivatives.cpp

// How many directions actuators can push in, of their gradients along the free motions.
int actuation_rank(const dense::Svd& actuation);

class LoopDynamics::Implementation {
 public:
  explicit Implementation(const Mechanism& mechanism);

  const Mechanism& mech;
  LoopSolver solver;
  LoopSolver::Implementation& I;  // rows, Φ, Φ_q and their scales
  Workspace& ws;
  int n = 0, m = 0;  // freedoms, rows

  std::vector<char> joint_active, coupling_active, constraint_active;  // per joint, coupling, constraint
  std::vector<char> row_active;
  std::vector<int> active;  // rows of the dense system last set up

  std::vector<ClosingFreedom> closing;  // find_closing
  std::vector<RowPiece> pieces;
  std::vector<double> gamma;  // per row; with stabilisation
  double stabilisation = 0;   // 1/s
  std::vector<double> zero;   // per freedom
  std::vector<double> J6;     // 6 × n

  std::optional<LillyOrin> star;
  std::string no_star;
  bool star_pays = true;  // none of its chains has so many links in loops that elimination is quicker
  std::optional<LoopElimination> elimination;
  std::vector<double> tau_with_friction, right;  // per freedom, per row
  std::vector<double> rates, step_forces;        // per row
  std::vector<double> step, trial;               // per freedom, per coordinate

  // The answer that reactions() speaks of.
  std::vector<double> lambda, last_q, last_v, last_a, last_tau;
  bool lambda_known = true;  // false: find_multipliers
  bool settled = false;      // what follows, and that of all λ the one is taken that goes with it
  std::vector<LoopReaction> reactions, constraint_reactions;
  std::vector<char> last_row_active, last_joint_active;
  bool same_active = true;  // these two are row_active and joint_active
  Loads last_loads;
  struct ClosingDrive {
    JointFreedom at;
    double force = 0;
  };
  std::vector<ClosingDrive> closing_drive;

  std::vector<char>& switches(ConstraintRow::Source source);
  std::vector<int> active_rows() const;
  void keep_state(std::span<const double> q, std::span<const double> v, std::span<const double> a, const Loads& loads);
  void keep_multipliers(const Eigen::VectorXd& of_active);
  void find_star_of_mechanism();
  bool all_active() const;
  // Of an answer that has none yet; `dense` at its state gets its rank.
  void find_multipliers(DenseLoops& dense);
  // See loop_reactions.cpp.
  void settle_reactions();
  void carry_by_multipliers();
  LoopReaction* carrier_of(const RowPiece& piece);
  Eigen::VectorXd carried_alone(const Eigen::VectorXd& of_active);

  // The row of v whose product with v is g · (V_second − V_first), taken at p_W.
  Eigen::VectorXd gradient(int first, int second, const Force<double>& g_W, const Vec3d& p_W);
  Eigen::MatrixXd tree_mass(std::span<const double> q, const Loads& loads);
  // Freedoms of active closing joints at the motion in the workspace.
  void find_closing(bool all, bool friction);
  // J (with rows for prescribed freedoms last) and M; leaves the motion with a = 0 in the workspace.
  DenseLoops dense_at(std::span<const double> q, std::span<const double> v, const Loads& loads,
                      std::span<const char> prescribed);
  // γ at the motion in the workspace, whose a is 0.
  void find_second_rates(std::span<const double> q, std::span<const double> v);
  double natural_acceleration(std::span<const double> v) const;  // m/s²
  int worst_prescribed(const DenseLoops::Solution& x, std::span<const char> prescribed) const;
  LoopVerdict verdict_of(const DenseLoops& dense, const DenseLoops::Solution& x) const;
  // of_prescribed: accelerations in, forces out. `kept` gets the system that was solved.
  LoopVerdict accelerate_dense(std::span<const double> q, std::span<const double> v, std::span<const char> prescribed,
                               std::span<const double> tau, std::span<double> a, Eigen::VectorXd& of_prescribed,
                               const Loads& loads, std::optional<DenseLoops>* kept = nullptr);
  LoopVerdict accelerate(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                         std::span<double> a, const Loads& loads, LoopMethod method);
  LoopVerdict accelerate_by_star(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                 std::span<double> a, const Loads& loads);
  // prescribed: accelerations in a, forces into tau.
  LoopVerdict accelerate_by_elimination(std::span<const double> q, std::span<const double> v,
                                        std::span<const char> prescribed, std::span<double> tau, std::span<double> a,
                                        const Loads& loads);

  // See loop_derivatives.cpp.
  std::vector<PosePart> parts;  // of the rows; found when derivatives are first asked for
  template <class F>
  void each_row_part(const MotionSlopes& slopes, F&& f);
  template <class F>
  void each_closing_actuator(std::span<const JointFreedom> actuated, const MotionSlopes& slopes, F&& f);
  std::vector<Eigen::Index> places_of_active_rows() const;
  Eigen::MatrixXd slopes_of_rates(const MotionSlopes& slopes);
  bool differentiate_forces(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                            const Loads& loads, MotionSlopes& slopes, LoopChanges& change);

  double scale_of_actuator(const JointFreedom& at) const;  // torques count as forces at the characteristic length

  // With stiff penalties, or with soft ones where those do not converge. Fills a and y of what is said there.
  LoopElimination::Outcome eliminate(std::span<const double> q, std::span<const char> held, const Loads& loads,
                                     std::span<const double> tau, bool with_bias, std::span<double> a,
                                     std::span<double> y, LoopElimination::Wanted wanted);

  // See projection.cpp.
  bool takes_dense_steps(LoopMethod method) const;
  double find_rates(std::span<const double> v);  // of all rows, at the motion in the workspace, with its pieces
  LoopVerdict step_by_elimination(std::span<const double> q, std::span<const char> held);
  LoopVerdict project_by_elimination(std::span<const double> q, std::span<double> v, std::span<const char> held);
  LoopVerdict step_densely(std::span<const double> q, std::span<const double> v, std::span<const char> held);
};

}  // namespace trammel

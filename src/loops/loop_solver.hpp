// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside a LoopSolver: the linear algebra, and what of it is kept between calls.

#include <Eigen/LU>

#include "loops/constraint_rows.hpp"

namespace trammel {

class LoopSolver::Implementation {
 public:
  Implementation(const Mechanism& the_mechanism, std::vector<Driver> the_drivers);

  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  const Mechanism& mech;
  std::vector<Driver> drivers;
  Workspace ws;
  ConstraintRows rows;
  int n = 0, m = 0;              // freedoms, rows
  double length = 1;             // characteristic
  Eigen::VectorXd row_scale;     // rows in rad times the length: all in m
  Eigen::VectorXd column_scale;  // freedoms in rad: one over the length
  Eigen::VectorXd phi, rhs, step, trial_phi;
  Matrix J;
  std::vector<double> q_trial;
  std::vector<double> zero_a, v_scratch;

  // The rows that Newton's method uses: as many as freedoms, independent where they were chosen.
  std::vector<int> chosen;
  bool square = false;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  Eigen::MatrixXd chosen_J;
  Eigen::VectorXd chosen_rhs, chosen_step;
  std::vector<double> q_of_J;                     // where J was evaluated last
  bool factored = false, factor_is_good = false;  // lu belongs to J
  double least_pivot = 0;                         // of the chosen rows, over the size of its column
  int best_rank = 0;                              // of all rows, seen so far

  void evaluate(std::span<const double> q, std::span<const Target> targets, bool with_jacobian);
  // J at q; nothing to do where it is there already.
  void prepare(std::span<const double> q);
  // Largest residuals in m and rad of phi.
  void gaps(AssemblyReport& report) const;
  bool is_closed(double tolerance) const;  // scaled residuals below tolerance · length
  double scaled_norm(const Eigen::VectorXd& residual) const;
  // Chooses rows at the position last evaluated; returns the rank.
  int choose_rows();
  bool factor_chosen();  // false where it is singular
  double determinant();  // of the chosen rows, scaled, at the position last evaluated; 0 where they are not square
  // The solution of J x = rhs: by the chosen rows, or in the least-squares, least-norm sense. False where the rank is less
  // than it was at other positions.
  bool solve(const Eigen::VectorXd& right, Eigen::VectorXd& x);
  // The sign of the determinant where idle spins make the rows too few; see there.
  int orientation_beside_spins(std::span<const double> q);
  std::vector<int> oriented_rows;
  Eigen::MatrixXd oriented_spins;  // axes of the idle spins in their links, a column each, where it was first asked
  // For the Jacobian last evaluated at q: takes the spins of idle links out of velocities, out of accelerations, out of jerks.
  void stop_spins(std::span<const double> q, std::span<double> v);
  void stop_spins(std::span<const double> q, std::span<const double> v, std::span<double> a);
  void stop_spins(std::span<const double> q, std::span<const double> v, std::span<const double> a, std::span<double> j);
  template <class Turns>
  void stop_turning(std::span<const double> q, const Turns& turns_of_x, std::span<double> x);
  template <class Of>
  Eigen::VectorXd turns(const Of& of) const;  // a vector of each link, one below the other
  // The motions that all rows of the Jacobian last evaluated leave free, scaled, in columns; and the turns of all links in them.
  Eigen::MatrixXd free_motions() const;
  template <class Of>
  Eigen::MatrixXd turns_in(std::span<const double> q, const Eigen::MatrixXd& N, const Of& of);
  Eigen::MatrixXd scaled_jacobian() const { return row_scale.asDiagonal() * J * column_scale.asDiagonal(); }
};

// The normal of the plane in which a linkage of revolute, prismatic and planar joints moves, if it does.
std::optional<Vec3d> planar_normal(LoopSolver::Implementation& I, std::span<const double> q);

// Rows of a scaled Jacobian that follow from the ones before them.
std::vector<int> redundant_rows_of(const Eigen::MatrixXd& A);

// Of the largest singular value, or of 1 where that is less: after scaling, entries that mean anything are of the order of 1.
inline constexpr double rank_tolerance = 1e-9;

}  // namespace trammel

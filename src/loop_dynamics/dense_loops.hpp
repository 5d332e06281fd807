// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reference solver of M x = f + Jᵀ λ, J x = d. It decides ranks by singular values and allocates; not for kernels.
//
// Rows and columns of J are made dimensionless, S = R J C = U Σ Vᵀ, and the columns of N = C V₂ are the motions that J leaves
// free. Then
//   x_p = C V₁ Σ⁻¹ U₁ᵀ R d,      (NᵀMN) y = Nᵀ(f − M x_p),      x = x_p + N y                                   (1)
//   λ   = R U₁ Σ⁻¹ V₁ᵀ C (M x − f)         the smallest where rows are redundant                               (2)
// M may be singular; NᵀMN must not be.

#include <Eigen/Core>

#include "core/dense.hpp"

namespace trammel {

inline constexpr double consistency_tolerance = 1e-9;  // of what is asked for

class DenseLoops {
 public:
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

  // Row scale R, column scale C.
  DenseLoops(const MatrixXd& J, const VectorXd& R, const VectorXd& C, const MatrixXd& M);

  Eigen::Index row_count() const { return J_.rows(); }
  int rank() const { return rank_; }
  int freedoms() const { return static_cast<int>(N_.cols()); }
  double conditioning() const;
  const MatrixXd& motions() const { return N_; }
  const MatrixXd& scaled_motions() const { return V2_; }
  const MatrixXd& mass() const { return M_; }
  void set_mass(const MatrixXd& M);  // another one, with the same rows

  bool has_inertia() const { return has_inertia_; }
  const VectorXd& motion_without_inertia() const { return weightless_; }  // scaled
  MatrixXd solve_reduced(const MatrixXd& right) const;                    // (NᵀMN)⁻¹ right

  struct Solution {
    VectorXd x, lambda;
    VectorXd missing;  // R (J x − d), not small where rows contradict each other
    bool consistent = true;
  };
  // `natural`: how large R d is by its kind; what is missing is judged by that or by R d itself, if that is larger.
  Solution solve(const VectorXd& f, const VectorXd& d, double natural = 0) const;
  // x_p and x of (1) alone, for many right sides at once, a column each. What rows contradict each other in is left out.
  MatrixXd particular(const MatrixXd& d) const;
  MatrixXd solve_motions(const MatrixXd& f, const MatrixXd& d) const;
  // (2) for joint forces that the constraints must supply; `rest` is what they cannot, scaled by C.
  VectorXd multipliers(const VectorXd& needed, VectorXd* rest = nullptr) const;
  // Takes singular values for more than zero that the rank has left out, as far as the forces need them: those of a motion that another
  // solver found, who saw no singularity. Of what is smaller than `round_off`, scaled, nothing is made. For multipliers and self_stress.
  void explain(const VectorXd& needed, double round_off);
  // Multipliers that exert nothing: columns.
  MatrixXd self_stress() const;

 private:
  MatrixXd J_, S_, M_;
  VectorXd R_, C_;
  dense::Svd svd_;
  int rank_ = 0;
  MatrixXd V2_, N_;
  VectorXd reduced_scale_;
  dense::Svd reduced_;
  bool has_inertia_ = true;
  VectorXd weightless_;
};

}  // namespace trammel

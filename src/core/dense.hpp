// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dense factorisations for rank decisions and least squares, compiled once: Eigen's templates take a compiler many seconds wherever
// they are used. Not for kernels: these allocate.

#include <vector>

#include <Eigen/Core>

namespace trammel::dense {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A = U diag(s) Vᵀ with s falling; V is square, U has as many columns as s has entries.
struct Svd {
  MatrixXd U, V;
  VectorXd s;
};
Svd svd(const MatrixXd& A);
VectorXd singular_values(const MatrixXd& A);
// The x of least norm among those that bring A x nearest to b; singular values below threshold · s(0) count as zero.
VectorXd solve(const Svd& svd, const VectorXd& b, double threshold);
// What brings b to that x; all singular values but the first `rank` count as zero.
MatrixXd pseudo_inverse(const Svd& svd, int rank);

// The same by complete orthogonal decomposition, which is cheaper. Pivots below threshold times the largest count as zero.
struct LeastNorm {
  VectorXd x;
  int rank = 0;
  double largest_pivot = 0;
};
LeastNorm least_norm(const MatrixXd& A, const VectorXd& b, double threshold);

// The x that brings A x nearest to b, where the columns of A are independent.
VectorXd least_squares(const MatrixXd& A, const VectorXd& b);

// The x with A x = b, for a square A that is regular.
VectorXd solve(const MatrixXd& A, const VectorXd& b);

// A = V diag(lambda) Vᵀ of a symmetric A, lambda ascending.
struct SymmetricEigen {
  MatrixXd V;
  VectorXd lambda;
};
SymmetricEigen symmetric_eigen(const MatrixXd& A);

// Columns of A in the order in which pivoting takes them; the first `rank` are independent.
struct PivotedColumns {
  std::vector<int> order;
  int rank = 0;
  double largest_pivot = 0;
};
PivotedColumns pivot_columns(const MatrixXd& A, double threshold);

}  // namespace trammel::dense

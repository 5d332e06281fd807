// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "core/dense.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace trammel::dense {

VectorXd solve(const Svd& svd, const VectorXd& b, double threshold) {
  VectorXd x = VectorXd::Zero(svd.V.rows());
  for (Eigen::Index k = 0; k < svd.s.size() && svd.s(k) > threshold * svd.s(0); ++k) {
    x += svd.V.col(k) * (svd.U.col(k).dot(b) / svd.s(k));
  }
  return x;
}

MatrixXd pseudo_inverse(const Svd& svd, int rank) {
  return svd.V.leftCols(rank) * svd.s.head(rank).cwiseInverse().asDiagonal() * svd.U.leftCols(rank).transpose();
}

LeastNorm least_norm(const MatrixXd& A, const VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
  cod.setThreshold(threshold);
  cod.compute(A);
  return {cod.solve(b), static_cast<int>(cod.rank()), cod.maxPivot()};
}

VectorXd least_squares(const MatrixXd& A, const VectorXd& b) { return A.householderQr().solve(b); }

VectorXd solve(const MatrixXd& A, const VectorXd& b) { return A.partialPivLu().solve(b); }

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
  return {eigen.eigenvectors(), eigen.eigenvalues()};
}

PivotedColumns pivot_columns(const MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(threshold);
  qr.compute(A);
  PivotedColumns columns{{}, static_cast<int>(qr.rank()), qr.maxPivot()};
  for (Eigen::Index k = 0; k < A.cols(); ++k) columns.order.push_back(qr.colsPermutation().indices()(k));
  return columns;
}

}  // namespace trammel::dense

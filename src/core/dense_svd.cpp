// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <Eigen/SVD>

#include "core/dense.hpp"

namespace trammel::dense {

namespace {

// Jacobi's rotations give small singular values best, but take many sweeps over a large matrix; divide and conquer has all of them to
// the round-off of the largest, which is what ranks are judged by. (Eigen's divide and conquer has Jacobi's method in it, for what has
// fewer columns than its switch: taken from there, it is compiled once.)
constexpr Eigen::Index large = 100;

Eigen::BDCSVD<MatrixXd> decompose(const MatrixXd& A, unsigned vectors) {
  Eigen::BDCSVD<MatrixXd> svd;
  const bool is_large = std::min(A.rows(), A.cols()) > large;
  constexpr Eigen::Index least_switch = 4;  // that Eigen takes
  if (!is_large) svd.setSwitchSize(static_cast<int>(std::max(least_switch, A.cols() + 1)));
  svd.compute(A, vectors);
  return svd;
}

}  // namespace

Svd svd(const MatrixXd& A) {
  const auto found = decompose(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  return {found.matrixU(), found.matrixV(), found.singularValues()};
}

VectorXd singular_values(const MatrixXd& A) { return decompose(A, 0).singularValues(); }

}  // namespace trammel::dense

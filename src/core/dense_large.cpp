// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/SVD>

#include "core/dense.hpp"

namespace trammel::dense {

Svd svd_of_large(const MatrixXd& A, bool with_vectors) {
  const Eigen::BDCSVD<MatrixXd> svd(A, with_vectors ? Eigen::ComputeThinU | Eigen::ComputeFullV : 0);
  if (!with_vectors) return {{}, {}, svd.singularValues()};
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

}  // namespace trammel::dense

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamics/lilly_orin/joint_space.hpp"

#include <cmath>

#include "core/dense.hpp"

namespace trammel {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double round_off = 1e-12;

using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;

Columns columns_at(const AnyJoint& joint, const double* q) {
  const int n = nv(joint);
  std::array<Motion<double>, 6> columns{};
  H_FM(joint, q, std::span(columns).first(static_cast<std::size_t>(n)));
  Columns H(6, n);
  for (int k = 0; k < n; ++k) {
    const auto& [w, v] = columns[static_cast<std::size_t>(k)];
    H.col(k) << w.x, w.y, w.z, v.x, v.y, v.z;
  }
  return H;
}
Matrix6 projector(const Columns& H) {
  if (H.cols() == 0) return Matrix6::Zero();
  const dense::Svd svd = dense::svd(H);
  Matrix6 P = Matrix6::Zero();
  for (Eigen::Index k = 0; k < svd.s.size() && svd.s(k) > round_off * svd.s(0); ++k) {
    const Eigen::Matrix<double, 6, 1> u = svd.U.col(k);
    P += u * u.transpose();
  }
  return P;
}
bool is_orthonormal(const Columns& H) {
  for (Eigen::Index i = 0; i < H.cols(); ++i) {
    for (Eigen::Index k = 0; k <= i; ++k) {
      if (std::abs(H.col(i).dot(H.col(k)) - (i == k ? 1 : 0)) >= round_off) return false;
    }
  }
  return true;
}

SpaceBasis basis_of(const Matrix6& P) {
  SpaceBasis basis;
  std::array<bool, 6> in{};
  int size = static_cast<int>(std::lround(P.trace()));
  for (int i = 0; i < 6; ++i) in[i] = (P.col(i) - Matrix6::Identity().col(i)).norm() < round_off;  // P e = e
  basis.all_turns = in[0] && in[1] && in[2];
  basis.all_travels = in[3] && in[4] && in[5];
  for (int i = 0; i < 6; ++i) {
    if (in[i] && !(i < 3 ? basis.all_turns : basis.all_travels)) basis.aligned[basis.aligned_count++] = i;
  }
  // What is left: P without the unit vectors that are in it.
  Matrix6 rest = P;
  for (int i = 0; i < 6; ++i) {
    if (in[i]) rest(i, i) -= 1, --size;
  }
  const dense::SymmetricEigen eigen = dense::symmetric_eigen(rest);
  for (int k = 0; k < size; ++k) {  // eigenvalues ascend: the last ones are 1
    for (int i = 0; i < 6; ++i) basis.others[basis.other_count][i] = eigen.V(i, 5 - k);
    ++basis.other_count;
  }
  return basis;
}

}  // namespace

JointSpace find_joint_space(const AnyJoint& joint) {
  if (std::holds_alternative<Custom>(joint)) return {};
  double q[7], step[6];
  q_zero(joint, q);
  JointSpace space;
  space.constant = space.orthonormal = true;
  const Matrix6 at_zero = projector(columns_at(joint, q));
  for (int trial = 0; trial < 4; ++trial) {
    const Columns H = columns_at(joint, q);
    space.constant = space.constant && (projector(H) - at_zero).cwiseAbs().maxCoeff() < round_off;
    space.orthonormal = space.orthonormal && is_orthonormal(H);
    for (int i = 0; i < 6; ++i) step[i] = 0.7 * (trial + 1) + 0.31 * i;
    q_step(joint, q, step, q);
  }
  if (space.constant) {
    space.motions = basis_of(at_zero);
    space.forces = basis_of(Matrix6::Identity() - at_zero);
  }
  return space;
}

}  // namespace trammel

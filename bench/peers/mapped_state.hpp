// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A state in a peer's coordinates, and the peer's answers in ours. With v' = T v and a' = T a + c (see
// tests/peer/peer_tree.hpp), T square here:
//   a = T⁻¹ (a' − c),   τ = Tᵀ τ',   M = Tᵀ M' T,   J = J' T
// T is often the identity; it is then not kept, which for a thousand freedoms and 64 states would be half a gigabyte.

#include <Eigen/Dense>

#include "peer/peer_tree.hpp"

namespace trammel::bench {

struct MappedState {
  Eigen::VectorXd q, v, a, tau;  // the peer's
  Eigen::MatrixXd T;             // empty: identity
  Eigen::VectorXd c;

  MappedState(const test::CoordinateMap& map, const test::RandomState& state)
      : q(map.q), v(test::as_vector(state.v)), a(test::as_vector(state.a)), tau(test::as_vector(state.tau)), c(map.c) {
    if (map.T.isIdentity(0)) return;
    T = map.T;
    v = T * v;
    a = T * a + c;
    tau = T.transpose().partialPivLu().solve(tau);
  }

  Eigen::VectorXd our_acceleration(const Eigen::VectorXd& peers) const {
    if (T.size() == 0) return peers;
    return T.partialPivLu().solve(peers - c);
  }
  Eigen::VectorXd our_force(const Eigen::VectorXd& peers) const {
    if (T.size() == 0) return peers;
    return T.transpose() * peers;
  }
  Eigen::VectorXd our_mass_matrix(const Eigen::MatrixXd& peers) const {
    return T.size() == 0 ? row_major(peers) : row_major(T.transpose() * peers * T);
  }
  Eigen::VectorXd our_jacobian(const Eigen::MatrixXd& peers) const {
    return T.size() == 0 ? row_major(peers) : row_major(peers * T);
  }

  static Eigen::VectorXd row_major(const Eigen::MatrixXd& matrix) {
    const Eigen::MatrixXd transposed = matrix.transpose();
    return Eigen::Map<const Eigen::VectorXd>(transposed.data(), transposed.size());
  }
};

}  // namespace trammel::bench

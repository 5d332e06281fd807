// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// OnSphere: Q's origin stays on a sphere of radius r about P's origin, as a ball on a string that is kept taut.
//   Φ = |p_PQ| − r

#include <trammel/constraints/constraint.hpp>

struct OnSphere {
  double radius = 1;

  std::vector<trammel::Dimension> dimensions() const { return {trammel::dimension::length}; }

  template <class T>
  void residual(const trammel::Transform<T>& X_PQ, T* out) const {
    out[0] = norm(X_PQ.p) - T(radius);
  }

  // Optional. Rows × 6: the change of Φ with a turn and a travel of Q, along P's axes and at Q's origin.
  void jacobian(const trammel::Transform<double>& X_PQ, double* G) const {
    const trammel::Vec3d e = X_PQ.p * (1 / norm(X_PQ.p));
    G[0] = G[1] = G[2] = 0;  // turning Q about its own origin changes nothing
    G[3] = e.x, G[4] = e.y, G[5] = e.z;
  }
};

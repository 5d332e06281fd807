// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How velocities and accelerations of links change with q and v: the columns of dynamics/derivative_columns.hpp, (1) to (3) there, without
// weight, for callers outside the kernels. World axes, all at one point S, fixed in W: the origin of the first link.
//   ∂_jV_l = H_j × V_l + ψ_j,    ∂_jA_l = H_j × A_l + ψ_j × V_l + φ_j,    ∂V_l/∂v_j = H_j,    ∂A_l/∂v_j = H_j × V_l + χ_j
// for all links l that freedom j carries, and zero for the others. ∂_jH_k = H_j × H_k for freedoms k of links that j carries beyond its own;
// of its own link X ∂_jH_FM,k is added.

#include <array>
#include <vector>

#include <trammel/kinematics.hpp>

namespace trammel {

struct MotionSlopes {
  struct OfFreedom {
    Motion<double> H, psi, phi, chi;
    std::array<Motion<double>, 6> own{};  // X ∂_jH_FM,k of each freedom k of its link; zero where H_FM is constant
  };
  Vec3d p_WS;
  std::vector<OfFreedom> freedoms;
  std::vector<Motion<double>> V, A;  // per link

  // After compute_accelerations at q, v, a.
  void find(const Mechanism& mechanism, const Workspace& ws, std::span<const double> q, std::span<const double> v,
            std::span<const double> a);
};

}  // namespace trammel

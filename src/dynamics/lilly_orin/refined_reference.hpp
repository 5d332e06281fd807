// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step 4 once more, where chains are far stiffer along some direction than everything is along others: a leg near a singular posture of its
// own, which need not be one of the mechanism. Its share drowns the light directions of L and r (five_steps.hpp), so that ẍ_0 is good to
// eps times the ratio of the two only. What is missing in
//   I_0 ẍ_0 + p_0 = Σ f                                                                                              (1)
// is found from what each chain exerts at ẍ_0 by its own accelerations and forces, not from L:
//   of a determined chain    f = Σ T_k (u − M v̇)_k,   v̇_k = T_k · ẍ_0 + …      with the rest of determined_chain.hpp        (2)
//   of any other             f = φᶜ h_c + φ h,  of a leg less what it carries                                        (3)
// and taken out by  L δ − Cᵀ δμ = missing,  C δ = 0.

#include "dynamics/lilly_orin/ball_tip.hpp"
#include "dynamics/lilly_orin/determined_chain.hpp"

namespace trammel {

// Pivots of L, the least over the largest: above it, so few digits are lost that a second turn would find round-off.
inline constexpr double even_enough = 1e-4;

// (2), at the reference member's dA; μ of a null row is known.
template <class T>
Force<T> force_of_determined(const ChainPlan& chain, const Grip<T>& grip, const Motion<T>& dA) {
  const DeterminedChain<T>& s = grip.determined;
  const std::array<T, 5> vdot = accelerations_of(s, chain, dA);
  const int n = chain.tip_count == 2 ? 5 : 3;
  std::array<T, 5> left{};
  for (int k = 0; k < n; ++k) {
    left[k] = s.u[k];
    for (int i = 0; i < n; ++i) {
      const bool of_two_rods = i > 0 && k > 0 && (i < 3) != (k < 3);
      if (!of_two_rods) left[k] -= s.M[std::max(i, k)][std::min(i, k)] * vdot[i];
    }
    if (chain.is_leg) left[k] -= dot(dA, s.F[k]);
  }
  const BallPath<T>& a = s.paths[0];
  if (chain.is_leg) {
    const Vec3<T> h = -(s.g[0] * left[0] + s.g[1] * left[1] + s.g[2] * left[2]);
    Force<T> F = Force<T>{cross(a.p, h), h} - (s.carried * dA + s.carried_force);
    for (int k = 0; k < 3; ++k) F -= s.F[k] * vdot[k];
    return F;
  }
  Force<T> F = grip.known;
  if (chain.tip_count == 2) {
    const BallPath<T>& b = s.paths[1];
    const Vec3<T> h = s.g[3] * left[3] + s.g[4] * left[4];
    left[0] -= dot(h, b.Z[0]);
    F += Force<T>{cross(b.p, h), h} + grip.W[5] * grip.mu[5];
  }
  const Vec3<T> h = s.g[0] * left[0] + s.g[1] * left[1] + s.g[2] * left[2];
  return F + Force<T>{cross(a.p, h), h};
}

// (3); h is found.
template <class T>
Force<T> force_of_chain(const ChainPlan& chain, Grip<T>& grip, const Motion<T>& dA) {
  if (grip.is_determined) return force_of_determined(chain, grip, dA);
  if (chain.count == 0 && grip.rows == 0) return grip.known;
  find_tip_force(grip, chain.is_leg, dA);
  Force<T> F{};
  if (grip.is_ball) {
    const Vec3<T> h{grip.h[0], grip.h[1], grip.h[2]};
    F = chain.is_leg ? Force<T>{transpose_times(grip.ball.nT, h), transpose_times(grip.ball.fT, h)}
                     : Force<T>{cross(grip.ball.p, h), h};
  } else {
    for (int j = 0; j < grip.rows; ++j) F += grip.C[j] * grip.h[j];
  }
  return chain.is_leg ? F - (grip.carried_force + grip.carried_inertia * dA) : F + grip.known;
}

// What (1) lacks at dA; I_0 and p_0 are the reference member's own.
template <class T>
Force<T> missing_at(const StarContext<T>& x, const ArticulatedInertia<T>& I_0, const Force<T>& p_0,
                    const Motion<T>& dA) {
  Force<T> missing = -(I_0 * dA + p_0);
  for (std::size_t k = 0; k < x.plan.chains.size(); ++k) {
    missing += force_of_chain(x.plan.chains[k], x.star.grips[k], dA);
  }
  return missing;
}

}  // namespace trammel

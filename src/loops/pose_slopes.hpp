// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Higher derivatives of functions of a pose X_PQ, for derivatives of the dynamics of loops.
//
// Near X_PQ poses have coordinates ξ = [w; u]: Q turned by the rotation vector w and moved by u, along P's axes,
//   R → exp(skew(w)) R,   p → p + u                                                                                  (1)
// A function f of the pose, and a motion with ξ̇ = V at ξ = 0, need
//   g_k = ∂f/∂ξ_k,     H_kl = ∂²f/∂ξ_k∂ξ_l,     C_k = Σ ∂³f/∂ξ_i∂ξ_j∂ξ_k V_i V_j                                      (2)
// f is run on Taylor series along straight lines ξ = u d, f = Σ f_n(d) uⁿ, which a constraint of a user can do too. Mixed derivatives follow
// from several lines:                                             [Griewank, Utke & Walther, Math. Comp. 69 (2000), 1117–1130]
//   g_k = f₁(e_k),   H_kk = 2 f₂(e_k),   H_kl = f₂(e_k + e_l) − f₂(e_k) − f₂(e_l),   C_k = f₃(V + e_k) − f₃(V − e_k) − 2 f₃(e_k)      (3)

#include <functional>

#include <trammel/constraints/constraint.hpp>
#include <trammel/core/series.hpp>

namespace trammel {

// The rows of a function of the pose, on series.
using PoseFunction = std::function<void(const Transform<Series<3>>& X_PQ, Series<3>* out)>;

struct PoseSlopes {
  std::array<double, 6> g{}, C{};
  std::array<std::array<double, 6>, 6> H{};
};

// Of `rows` rows at X_PQ, with V along P's axes, at Q's origin. Turns and travels are made comparable by `length`.
void pose_slopes(const PoseFunction& function, int rows, const Transformd& X_PQ, const Motion<double>& V, double length,
                 PoseSlopes* out);

}  // namespace trammel

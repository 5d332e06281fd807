// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The freedoms of joints that close loops. They are no coordinates of the tree, yet friction, rotors and motors act along
// them. With V the velocity of M relative to F, in M, the rate of freedom k and its own rate are
//   v_k = g_k · V,    v̇_k = g_k · (V̇ − Ḣ v),       g_k the rows of H⁺ = (HᵀH)⁻¹ Hᵀ                                     (1)
// so a force τ_k along it is the wrench g_k τ_k on the second body and its opposite on the first: the smallest wrench that does
// the work of τ_k.

#include <vector>

#include <trammel/kinematics.hpp>

namespace trammel {

struct ClosingFreedom {
  int joint = 0, dof = 0;
  int first = ground, second = ground;  // bodies
  Force<double> g_W{};                  // g_k in world axes
  Vec3d p_W{};                          // M's origin
  double rate = 0;                      // v_k
  double second_rate = 0;               // v̇_k at the accelerations in the workspace
  double inertia = 0;                   // of the rotor
  double friction = 0;                  // as a force: opposes the rate
};

// Of all closing joints, or only of those with friction or a rotor. Needs compute_accelerations. `out` keeps its memory.
void closing_freedoms(const Mechanism& mechanism, const Workspace& ws, bool all, bool friction,
                      std::vector<ClosingFreedom>& out);

}  // namespace trammel

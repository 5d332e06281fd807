// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What each joint transmits, welds included: Newton–Euler over single bodies, tips first. World axes.
//   F_b = force needed (link_forces.hpp), plus F_c of all bodies c beyond     exerted by the body before it
// A body fixed to the ground has A = V = 0 and takes its forces at the world's origin.

#include <algorithm>

#include <trammel/dynamics.hpp>

#include "dynamics/link_forces.hpp"
#include "kernels/link_view.hpp"

namespace trammel {
namespace {

// The force that body b needs from outside, at its point O.
Force<double> force_needed(const Mechanism& mech, const Workspace& ws, int b, const Loads& loads) {
  const int l = mech.bodies[b].link;
  const LinkView<double> L = l == ground ? LinkView<double>{} : link_view(mech, ws, l);
  const Transformd X_OC = L.X_OL * ws.parameters().X_LC[b];
  const RigidInertia<double>& M_C = ws.parameters().M_C[b];
  Force<double> F = newton_euler({M_C.mass, X_OC.p, rotate(X_OC.R, M_C.I)}, L.V, L.A, ws.parameters().gravity);
  if (loads.wrench != nullptr) F -= loads.wrench[b];
  if (l == ground) return F;
  if (loads.inertia != nullptr) F += loads.inertia[b] * L.A;
  if (loads.bias != nullptr) F += loads.bias[b];
  return F;
}

Vec3d point_of(const Mechanism& mech, const Workspace& ws, int body) {
  const int l = body == ground ? ground : mech.bodies[body].link;
  return l == ground ? Vec3d{} : link_view(mech, ws, l).p_WO;
}

}  // namespace

void compute_reactions(const Mechanism& mech, Workspace& ws, std::span<Force<double>> reactions, const Loads& loads) {
  std::fill(reactions.begin(), reactions.end(), Force<double>{});
  std::vector<Force<double>>& F = ws.forces_of_bodies();
  for (int b = 0; b < mech.body_count(); ++b) F[b] = force_needed(mech, ws, b, loads);
  for (auto it = mech.bodies_base_to_tip.rbegin(); it != mech.bodies_base_to_tip.rend(); ++it) {
    const BodyInfo& body = mech.bodies[*it];
    const JointInfo& joint = mech.joints[body.joint];
    const Vec3d p_WO = point_of(mech, ws, *it);
    const Vec3d p_WM = pose_WB(mech, ws, joint.second) * joint.X_BM.p;
    const Force<double> at_M = shift(F[*it], p_WM - p_WO);
    reactions[static_cast<std::size_t>(body.joint)] = joint.reversed ? -at_M : at_M;
    if (body.parent != ground) F[body.parent] += shift(F[*it], point_of(mech, ws, body.parent) - p_WO);
  }
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A point of a body seen from its link's point O, where the link's 6-vectors are taken.

#include <trammel/workspace.hpp>

namespace trammel {

inline int link_of(const Mechanism& mech, int body) { return body == ground ? ground : mech.bodies[body].link; }

// From O to point p_B of a body on a moving link, in W.
template <class T>
Vec3<T> p_OP(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B) {
  const int l = mech.bodies[body].link;
  return ws.p_OL[l] + ws.R_WL[l] * (ws.parameters.X_LB[body] * p_B);
}

}  // namespace trammel

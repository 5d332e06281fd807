// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Wrenches and added inertias brought to where the kernels take them: world axes, at the body's point O. Bodies fixed to
// the ground have the world's origin as their O.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "kernels/link_view.hpp"

namespace trammel {

template <class T>
void add_wrench(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const Vec3<T>& p_B, const Force<T>& F_W,
                Out<Force<T>> wrench) {
  if (body == ground) return;
  Vec3<T> p = ws.parameters().X_LB[body] * p_B;
  if (const int l = mech.bodies[body].link; l != ground) p = link_view(mech, ws, l).X_OL * p;
  wrench[static_cast<std::size_t>(body)] += shift(F_W, -p);
}

template <class T>
void add_inertia(const Mechanism& mech, const BasicWorkspace<T>& ws, int body, const ArticulatedInertia<T>& I_B,
                 Out<ArticulatedInertia<T>> inertia) {
  if (body == ground || mech.bodies[body].link == ground) return;
  const Transform<T> X_OB = link_view(mech, ws, mech.bodies[body].link).X_OL * ws.parameters().X_LB[body];
  inertia[static_cast<std::size_t>(body)] += shift(rotate(X_OB.R, I_B), -X_OB.p);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define TRAMMEL_INSTANTIATE(T)                                                                                  \
  template void add_wrench<T>(const Mechanism&, const BasicWorkspace<T>&, int, const Vec3<T>&, const Force<T>&, \
                              Out<Force<T>>);                                                                   \
  template void add_inertia<T>(const Mechanism&, const BasicWorkspace<T>&, int, const ArticulatedInertia<T>&,   \
                               Out<ArticulatedInertia<T>>);
// NOLINTEND(bugprone-macro-parentheses)
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

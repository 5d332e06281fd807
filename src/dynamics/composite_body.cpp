// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The mass matrix by composite rigid bodies, O(n·depth).               [Featherstone 2008, ch. 6; all at O, in W]
//   Ic = M + Σ children Ic;    F_k = Ic H_k;    M_ik = H_i·F_k for freedoms i of the link itself and of its ancestors
// In world axes the composites are plain sums. With added inertias (21 numbers) the composites are articulated.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "dynamics/link_forces.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {
namespace {

template <class T, class Inertia>
void fill_columns(const Mechanism& mech, BasicWorkspace<T>& ws, std::vector<Inertia>& Ic, T* M) {
  const auto entry = [&](int i, int k) -> T& { return M[static_cast<std::size_t>(i) * mech.nv + k]; };
  for (int l = mech.link_count() - 1; l >= 0; --l) {
    const Link& link = mech.links[l];
    if (link.parent != ground) Ic[link.parent] += to_parent(link, ws, Ic[l]);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      Force<T> F = Ic[l] * ws.H[k];
      for (int i = link.v; i <= k; ++i) entry(i, k) = entry(k, i) = dot(ws.H[i], F);
      for (int child = l, p = link.parent; p != ground; child = p, p = mech.links[p].parent) {
        F = to_parent(mech.links[child], ws, F);
        const Link& ancestor = mech.links[p];
        for (int i = ancestor.v; i < ancestor.v + ancestor.nv; ++i) entry(i, k) = entry(k, i) = dot(ws.H[i], F);
      }
    }
  }
}

}  // namespace

template <class T>
void mass_matrix(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, Out<T> M, const BasicLoads<T>& loads) {
  assert(M.size() == static_cast<std::size_t>(mech.nv) * mech.nv && "nv × nv");
  compute_positions(mech, ws, q);
  inertias_of_links(mech, ws);
  std::fill(M.begin(), M.end(), T(0));
  if (loads.inertia == nullptr) {
    std::copy(ws.M.begin(), ws.M.end(), ws.Mc.begin());
    fill_columns(mech, ws, ws.Mc, M.data());
  } else {
    for (int l = 0; l < mech.link_count(); ++l) ws.IA[l] = ArticulatedInertia<T>::of(ws.M[l]);
    for_each_moving_body(mech, [&](int b, int l) { ws.IA[l] += loads.inertia[b]; });
    fill_columns(mech, ws, ws.IA, M.data());
  }
  for (int k = 0; k < mech.nv; ++k) M[static_cast<std::size_t>(k) * mech.nv + k] += dof_inertia(ws, loads, k);
}

#define TRAMMEL_INSTANTIATE(T) \
  template void mass_matrix<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, Out<T>, const BasicLoads<T>&);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

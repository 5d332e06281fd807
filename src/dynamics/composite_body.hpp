// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mass matrix by composite rigid bodies, O(n·depth).               [Featherstone 2008, ch. 6; all at O, in W]
//   Ic = M + Σ children Ic;    F_k = Ic H_k;    M_ik = H_i·F_k for freedoms i of the link itself and of its ancestors
// In world axes the composites are plain sums. With added inertias (21 numbers) the composites are articulated.

#include <algorithm>

#include "dynamics/link_forces.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

template <class T, class Inertia>
TRAMMEL_KERNEL void fill_columns(Tree tree, Arrays<T> ws, Inertia LinkState<T>::*Ic, T* M) {
  const auto set = [&](int i, int k, const T& entry) {
    M[static_cast<std::size_t>(i) * tree.nv + k] = entry;
    M[static_cast<std::size_t>(k) * tree.nv + i] = entry;
  };
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink link = tree.links[l];
    const Inertia& composite = ws.links[l].*Ic;
    if (link.parent >= 0) ws.links[link.parent].*Ic += to_parent(link, ws, composite);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      Force<T> F = composite * ws.freedoms[k].H;
      for (int i = link.v; i <= k; ++i) set(i, k, dot(ws.freedoms[i].H, F));
      const TreeLink* child = &link;
      while (child->parent >= 0) {
        if (child->opens_point) F = to_parent(*child, ws, F);
        const TreeLink& ancestor = tree.links[child->parent];
        for (int i = ancestor.v; i < ancestor.v + ancestor.nv; ++i) set(i, k, dot(ws.freedoms[i].H, F));
        child = &ancestor;
      }
    }
  }
}

template <class T>
void composite_body(const Tree& tree, const Arrays<T>& ws, const T* q, T* M, const LoadArrays<T>& loads) {
  positions_base_to_tip(tree, ws, q);
  inertias_of_links(tree, ws);
  std::fill(M, M + static_cast<std::size_t>(tree.nv) * tree.nv, T(0));
  if (loads.inertias == nullptr) {
    fill_columns(tree, ws, &LinkState<T>::M, M);  // M becomes the composite
  } else {
    for (int l = 0; l < tree.link_count; ++l) ws.links[l].IA = ArticulatedInertia<T>::of(ws.links[l].M);
    for_each_moving_body(tree, [&](int b, int l) { ws.links[l].IA += loads.inertia(b); });
    fill_columns(tree, ws, &LinkState<T>::IA, M);
  }
  for (int k = 0; k < tree.nv; ++k) M[static_cast<std::size_t>(k) * tree.nv + k] += dof_inertia(ws, loads, k);
}

}  // namespace trammel

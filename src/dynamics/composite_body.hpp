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

// H_i·F for the freedoms from `first` to before `last`: arrays of plain numbers, which compilers turn into SIMD.
template <class T>
void fill_line(const T* __restrict rows_of_H, int nv, int first, int last, const Force<T>& F, T* __restrict row) {
  const auto n = components(F.n), f = components(F.f);
  const T *h0 = rows_of_H, *h1 = h0 + nv, *h2 = h1 + nv, *h3 = h2 + nv, *h4 = h3 + nv, *h5 = h4 + nv;
#if defined(__clang__)
#pragma clang loop interleave_count(1)  // lines are short
#endif
  for (int i = first; i < last; ++i) {
    row[i] = (h0[i] * n[0] + h1[i] * n[1] + h2[i] * n[2]) + (h3[i] * f[0] + h4[i] * f[1] + h5[i] * f[2]);
  }
}

// Rows up to the diagonal. The way to the base goes line by line (TreeLink::line); what lies between belongs to other branches.
template <class T, class Inertia>
TRAMMEL_KERNEL void fill_rows(Tree tree, Arrays<T> ws, Inertia LinkState<T>::*Ic, T* M) {
  for (int k = 0; k < tree.nv; ++k) {
    const auto w = components(ws.freedoms[k].H.w), v = components(ws.freedoms[k].H.v);
    for (int c = 0; c < 3; ++c) {
      ws.rows_of_H[c * tree.nv + k] = w[c];
      ws.rows_of_H[(c + 3) * tree.nv + k] = v[c];
    }
  }
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink link = tree.links[l];
    const Inertia& composite = ws.links[l].*Ic;
    if (link.parent >= 0) ws.links[link.parent].*Ic += to_parent(link, ws, composite);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      T* const row = M + static_cast<std::size_t>(k) * tree.nv;
      Force<T> F = composite * ws.freedoms[k].H;
      int last = k + 1;
      for (int line = link.line;;) {
        const TreeLink& top = tree.links[line];
        fill_line(ws.rows_of_H, tree.nv, top.v, last, F, row);
        if (top.parent < 0) {
          std::fill(row, row + top.v, T(0));
          break;
        }
        if (top.opens_point) F = to_parent(top, ws, F);
        const TreeLink& next = tree.links[top.parent];
        last = next.v + next.nv;
        std::fill(row + last, row + top.v, T(0));
        line = next.line;
      }
    }
  }
}

// Writes the transpose of a square of four times four numbers, whose rows are n numbers apart.
template <class T>
void transpose_square(const T* from, T* to, std::size_t n) {
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) to[i * n + k] = from[k * n + i];
  }
}

// The half above the diagonal, square by square: what belongs to one stays in the cache.
template <class T>
TRAMMEL_KERNEL void mirror(int n, T* M) {
  const auto at = [&](int i, int k) { return M + static_cast<std::size_t>(i) * n + k; };
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = i + 1; k < i + 4; ++k) {
      for (int above = i; above < k; ++above) *at(above, k) = *at(k, above);
    }
    int k = i + 4;
    for (; k + 4 <= n; k += 4) transpose_square(at(k, i), at(i, k), static_cast<std::size_t>(n));
    for (; k < n; ++k) {
      for (int above = i; above < i + 4; ++above) *at(above, k) = *at(k, above);
    }
  }
  for (; i < n; ++i) {
    for (int k = i + 1; k < n; ++k) *at(i, k) = *at(k, i);
  }
}

template <class T>
void composite_body(const Tree& tree, const Arrays<T>& ws, const T* q, T* M, const LoadArrays<T>& loads) {
  positions_base_to_tip(tree, ws, q);
  inertias_of_links(tree, ws);
  if (loads.inertias == nullptr) {
    fill_rows(tree, ws, &LinkState<T>::M, M);  // M becomes the composite
  } else {
    for (int l = 0; l < tree.link_count; ++l) ws.links[l].IA = ArticulatedInertia<T>::of(ws.links[l].M);
    for_each_moving_body(tree, [&](int b, int l) { ws.links[l].IA += loads.inertia(b); });
    fill_rows(tree, ws, &LinkState<T>::IA, M);
  }
  mirror(tree.nv, M);
  for (int k = 0; k < tree.nv; ++k) M[static_cast<std::size_t>(k) * tree.nv + k] += dof_inertia(ws, loads, k);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mass matrix by composite rigid bodies, O(n·depth).               [Featherstone 2008, ch. 6; all at O, in W]
//   Ic = M + Σ children Ic;    F_k = Ic H_k;    M_ik = H_i·F_k for freedoms i of the link itself and of its ancestors
// In world axes the composites are plain sums. With added inertias (21 numbers) the composites are articulated.

#include <algorithm>
#include <cstdint>

#include "dynamics/link_forces.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

struct Freedoms {
  int first = 0, end = 0;

  int count() const { return end - first; }
};
// Those of a link and of its line (TreeLink::line).
inline Freedoms line_before(const Tree& tree, int l) {
  return {tree.links[tree.links[l].line].v, tree.links[l].v + tree.links[l].nv};
}

// Where a square or strip of four columns begins, so that the last one ends with the columns: they overlap rather than leave some over.
// Those behind the first begin where i + grid is a multiple of four.
inline int next_four(int i, int end, int grid) { return std::min(i + 4 - (i + grid) % 4, std::max(i + 1, end - 4)); }

// Matrices with rows so long are larger than the nearest caches. There it counts that no strip lies across two lines of the cache: written
// one by one, rows and columns, such strips took twice the time (chain of 1000 hinges).
inline constexpr std::size_t long_row = 256;
template <class T>
int grid_of(const T* M, std::size_t n) {
  return n < long_row ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(M) / sizeof(T) % 4);
}

// Writes H_i·F_k for rows k and columns i that are ancestors of them all, at one point: into row k, and into row i as well. Both at once,
// since to copy the half below the diagonal in the end would read and write the matrix once more, which for hundreds of freedoms takes
// longer than the products.
template <class T>
void fill_rectangle(const Arrays<T>& ws, std::size_t n, Freedoms rows, Freedoms columns, T* M) {
  if constexpr (requires { typename T::Strip; }) {
    if (columns.count() >= 4) return fill_rectangle_in_strips(ws, n, rows, columns, M);
  }
  const T* h[6];
  for (std::size_t c = 0; c < 6; ++c) h[c] = ws.rows_of_H + c * n;
  for (int k = rows.first; k < rows.end; ++k) {
    const auto w = components(ws.freedoms[k].Y.n), v = components(ws.freedoms[k].Y.f);
    for (int i = columns.first; i < columns.end; ++i) {
      const T product =
          (h[0][i] * w[0] + h[1][i] * w[1] + h[2][i] * w[2]) + (h[3][i] * v[0] + h[4][i] * v[1] + h[5][i] * v[2]);
      M[k * n + i] = product;
      M[i * n + k] = product;
    }
  }
}
template <class T>
void fill_rectangle_in_strips(const Arrays<T>& ws, std::size_t n, Freedoms rows, Freedoms columns, T* M) {
  const int grid = grid_of(M, n);
  for (int k = rows.first; k < rows.end;) {
    const int height = std::min(rows.end - k, 4);
    visit_freedoms(height, [&](auto count) {
      if constexpr (count <= 4) {
        std::array<Force<T>, count> F;
        for (int r = 0; r < count; ++r) F[r] = ws.freedoms[k + r].Y;
        for (int i = columns.first; i < columns.end; i = next_four(i, columns.end, grid)) {
          const auto strip = T::Strip::products(ws.rows_of_H + i, n, F);
          strip.store(M + k * n + i, n);
          strip.store_transposed(M + i * n + k, n);
          if (i + 4 >= columns.end) break;
        }
      }
    });
    k += height;
  }
}

// The same for the rows' own freedoms, each with those before it.
template <class T>
void fill_triangle(const Arrays<T>& ws, std::size_t n, Freedoms rows, T* M) {
  if constexpr (requires { typename T::Strip; }) {
    if (rows.count() >= 4) return fill_triangle_in_squares(ws, n, rows, M);
  }
  for (int k = rows.first; k < rows.end; ++k) fill_rectangle(ws, n, {k, k + 1}, {rows.first, k + 1}, M);
}
template <class T>
void fill_triangle_in_squares(const Arrays<T>& ws, std::size_t n, Freedoms rows, T* M) {
  const int grid = grid_of(M, n);
  for (int k = rows.first;; k = next_four(k, rows.end, grid)) {
    // Beyond column k these are no numbers of the matrix; the square on the diagonal overwrites them.
    const Freedoms before{rows.first, std::max(k, rows.first + 4)};
    if (k > rows.first) fill_rectangle_in_strips(ws, n, {k, k + 4}, before, M);
    std::array<Force<T>, 4> F;
    for (int r = 0; r < 4; ++r) F[r] = ws.freedoms[k + r].Y;
    T::Strip::products(ws.rows_of_H + k, n, F).lower_half_mirrored().store(M + k * n + k, n);
    if (k + 4 >= rows.end) break;
  }
}

// The way to the base goes line by line (TreeLink::line); what lies between belongs to other branches.
template <class T, class Inertia>
TRAMMEL_KERNEL void fill_matrix(Tree tree, Arrays<T> ws, Inertia LinkState<T>::*Ic, T* M) {
  const auto n = static_cast<std::size_t>(tree.nv);
  ws.rows_of_H += grid_of(M, n);  // on the same grid as M
  bool branches = false;
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink& link = tree.links[l];
    const Inertia& composite = ws.links[l].*Ic;
    branches = branches || link.parent != l - 1;
    if (link.parent >= 0) ws.links[link.parent].*Ic += to_parent(link, ws, composite);
    for (int k = link.v; k < link.v + link.nv; ++k) {
      const auto w = components(ws.freedoms[k].H.w), v = components(ws.freedoms[k].H.v);
      for (std::size_t c = 0; c < 3; ++c) {
        ws.rows_of_H[c * n + k] = w[c];
        ws.rows_of_H[(c + 3) * n + k] = v[c];
      }
      ws.freedoms[k].Y = composite * ws.freedoms[k].H;
    }
  }
  if (branches) std::fill(M, M + n * n, T(0));
  for (int last = tree.link_count - 1; last >= 0; last = tree.links[last].line - 1) {
    const Freedoms rows = line_before(tree, last);
    fill_triangle(ws, n, rows, M);
    for (int line = tree.links[last].line; tree.links[line].parent >= 0;) {
      const TreeLink& top = tree.links[line];
      if (top.opens_point) {
        for (int k = rows.first; k < rows.end; ++k) ws.freedoms[k].Y = to_parent(top, ws, ws.freedoms[k].Y);
      }
      fill_rectangle(ws, n, rows, line_before(tree, top.parent), M);
      line = tree.links[top.parent].line;
    }
  }
}

template <class T>
void composite_body(const Tree& tree, const Arrays<T>& ws, const T* q, T* M, const LoadArrays<T>& loads) {
  positions_base_to_tip(tree, ws, q);
  inertias_of_links(tree, ws);
  if (loads.inertias == nullptr) {
    fill_matrix(tree, ws, &LinkState<T>::M, M);  // M becomes the composite
  } else {
    for (int l = 0; l < tree.link_count; ++l) ws.links[l].IA = ArticulatedInertia<T>::of(ws.links[l].M);
    for_each_moving_body(tree, [&](int b, int l) { ws.links[l].IA += loads.inertia(b); });
    fill_matrix(tree, ws, &LinkState<T>::IA, M);
  }
  for (int k = 0; k < tree.nv; ++k) M[static_cast<std::size_t>(k) * tree.nv + k] += dof_inertia(ws, loads, k);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// M = Lᵀ D L of a mass matrix, L unit lower triangular.                                         [Featherstone 2008, ch. 6.5]
// M_ki is zero unless one of the freedoms k and i carries the other; factored from the tips to the base, L keeps these zeros. So a freedom
// k costs no more than the freedoms that carry it.
//
// Matrices are nv×nv, row-major. Every row is gathered in one go from rows that are done, a strip of columns at a time, which stays in
// registers. The freedoms that k carries follow it, k + 1 to end_v − 1; those that carry it are a few stretches of successive ones.

#include <algorithm>
#include <utility>

#include "kernels/joint_dispatch.hpp"

namespace trammel {

// Calls f(first, end) for all stretches of successive freedoms that carry freedom k, towards the base; the first of them goes on to `end`.
template <class F>
void each_stretch_upto(const Tree& tree, int k, int end, F&& f) {
  for (int l = tree.link_of_dof[k]; l >= 0;) {
    const TreeLink& top = tree.links[tree.links[l].line];
    if (end > top.v) f(top.v, end);
    l = top.parent;
    if (l >= 0) end = tree.links[l].v + tree.links[l].nv;
  }
}
template <class F>
void each_stretch_before(const Tree& tree, int k, F&& f) {
  each_stretch_upto(tree, k, k, f);
}
inline int end_of_carried(const Tree& tree, int k) { return tree.links[tree.link_of_dof[k]].end_v; }

// Calls f(c, width) for strips of columns that make up first to end; width is known at compile time. Short strips take hardly less time than
// long ones, so that what is left over is one strip too. `wide` is what registers hold.
template <int wide, class F>
void each_strip(int first, int end, F&& f) {
  int c = first;
  for (; c + wide <= end; c += wide) f(c, std::integral_constant<int, wide>{});
  const auto rest = [&]<int... w>(std::integer_sequence<int, w...>) {
    static_cast<void>(((end - c == w + 1 && (f(c, std::integral_constant<int, w + 1>{}), true)) || ...));
  };
  rest(std::make_integer_sequence<int, wide - 1>{});
}
template <class T>
inline constexpr int strip_width = sizeof(T) > sizeof(double) ? 6 : 16;

// Columns c to c + width of a row.
template <class T, int width>
struct Strip {
  T x[width];

  static Strip of(const T* row, const T& scale) {
    Strip s;
    for (int w = 0; w < width; ++w) s.x[w] = row[w] * scale;
    return s;
  }
  void subtract(const T* row, const T& factor) {
    for (int w = 0; w < width; ++w) x[w] -= row[w] * factor;
  }
  void store(T* row) const {
    for (int w = 0; w < width; ++w) row[w] = x[w];
  }
};

// In place: below the diagonal L, on it 1/D. With U = D L, rows from the last on:
//   U_k = M_k − Σ_m (U_mk / D_m) U_m        over the freedoms m that k carries; of these the columns up to k
// Returns the joint nearest the tip whose inertia vanishes, or −1, as a number per lane: where D is but round-off of the diagonal of M.
template <class T>
TRAMMEL_KERNEL T factor_tip_to_base(Tree tree, T* __restrict M) {
  constexpr double round_off = 1e-13;  // as in SmallFactor
  const auto n = static_cast<std::size_t>(tree.nv);
  T singular_joint(-1);
  for (int k = tree.nv - 1; k >= 0; --k) {
    T* const row = M + k * n;
    const int end_v = end_of_carried(tree, k);
    const T diagonal = row[k];
    each_stretch_upto(tree, k, k + 1, [&](int first, int end) {
      each_strip<strip_width<T>>(first, end, [&](int c, auto width) {
        auto strip = Strip<T, width>::of(row + c, T(1));
        for (int m = k + 1; m < end_v; ++m) strip.subtract(M + m * n + c, M[m * n + k] * M[m * n + m]);
        strip.store(row + c);
      });
    });
    singular_joint = select(row[k] > T(round_off) * diagonal, singular_joint,
                            select(singular_joint < T(0), T(tree.links[tree.link_of_dof[k]].joint), singular_joint));
    row[k] = T(1) / row[k];
  }
  for (int k = 0; k < tree.nv; ++k) {
    const T over_D = M[k * n + k];
    each_stretch_before(tree, k, [&](int first, int end) {
      for (int c = first; c < end; ++c) M[k * n + c] = M[k * n + c] * over_D;
    });
  }
  return singular_joint;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// M = Lᵀ D L of a mass matrix, L unit lower triangular, and what can be done with it.          [Featherstone 2008, ch. 6.5]
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

// A ← −M⁻¹ A and B ← −M⁻¹ B, where row k of both has zeros but in columns that carry k or are carried by it. The first half keeps them. Both
// at once: factors are read once, and sums in two matrices do not wait for each other.
template <class T>
TRAMMEL_KERNEL void solve_negative(Tree tree, const T* __restrict L, T* __restrict A, T* __restrict B) {
  constexpr int wide = sizeof(T) > sizeof(double) ? 3 : strip_width<T>;
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int k = tree.nv - 1; k >= 0; --k) {  // Lᵀ y = b
    const int end_v = end_of_carried(tree, k);
    if (k + 1 == end_v) continue;
    each_stretch_upto(tree, k, end_v, [&](int first, int end) {
      each_strip<wide>(first, end, [&](int c, auto width) {
        auto a = Strip<T, width>::of(A + k * n + c, T(1)), b = Strip<T, width>::of(B + k * n + c, T(1));
        for (int m = k + 1; m < end_v; ++m) {
          const T factor = L[m * n + k];
          a.subtract(A + m * n + c, factor), b.subtract(B + m * n + c, factor);
        }
        a.store(A + k * n + c), b.store(B + k * n + c);
      });
    });
  }
  for (int k = 0; k < tree.nv; ++k) {  // L x = −D⁻¹ y
    const T minus_over_D = -L[k * n + k];
    each_strip<wide>(0, tree.nv, [&](int c, auto width) {
      auto a = Strip<T, width>::of(A + k * n + c, minus_over_D), b = Strip<T, width>::of(B + k * n + c, minus_over_D);
      each_stretch_before(tree, k, [&](int first, int end) {
        for (int i = first; i < end; ++i) {
          const T factor = L[k * n + i];
          a.subtract(A + i * n + c, factor), b.subtract(B + i * n + c, factor);
        }
      });
      a.store(A + k * n + c), b.store(B + k * n + c);
    });
  }
}

// M⁻¹ in place of the factor, both triangles. Above the diagonal stand, one after the other,
//   Y = L⁻ᵀ:        Y_i = e_i − Σ_k L_ki Y_k        over the freedoms k that i carries, rows from the last on              (1)
//   X = M⁻¹:        X_k = Y_k / D_k − Σ_i L_ki X_i  over those that carry k, from the first on                             (2)
template <class T>
TRAMMEL_KERNEL void invert(Tree tree, T* __restrict M) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int i = tree.nv - 1; i >= 0; --i) {  // (1); the ones of Y are not stored
    T* const row = M + i * n;
    for (int c = i + 1; c < tree.nv; ++c) row[c] = T(0);
    for (int k = i + 1; k < end_of_carried(tree, i); ++k) {
      const T factor = M[k * n + i];
      row[k] -= factor;
      for (int c = k + 1; c < end_of_carried(tree, k); ++c) row[c] -= M[k * n + c] * factor;
    }
  }
  for (int k = 0; k < tree.nv; ++k) {  // (2); L_ki is read below the diagonal, X_i above it
    T* const row = M + k * n;
    const T over_D = row[k];
    row[k] = T(1);
    each_strip<strip_width<T>>(k, tree.nv, [&](int c, auto width) {
      auto strip = Strip<T, width>::of(row + c, over_D);
      each_stretch_before(tree, k, [&](int first, int end) {
        for (int i = first; i < end; ++i) strip.subtract(M + i * n + c, row[i]);
      });
      strip.store(row + c);
    });
  }
  for (int j = 0; j < tree.nv; ++j) {
    for (int k = j + 1; k < tree.nv; ++k) M[k * n + j] = M[j * n + k];
  }
}

}  // namespace trammel

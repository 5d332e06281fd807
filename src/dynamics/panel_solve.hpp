// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// X = −M⁻¹ B for a panel of columns of  B = (∂τ/∂q, ∂τ/∂v, −1): the derivatives of v̇ out of those of τ, and M⁻¹.
//
// With M = Lᵀ D L, L unit lower triangular, L_ki zero unless i carries k:
//   S_k = B_k − Σ_m L_mk S_m             over the m that k carries; from the last row on                                       (1)
//   X_k = −S_k / D_k − Σ_i L_ki X_i      over the i that carry k; from the first row on                                        (2)
// The articulated-body pass has found L and D. Going through the freedoms from the tips on, it leaves  v̇_k = u_k / D_k − Y_k·A_P  with
// Y_k = U_k / D_k, and A_P = Σ H_i v̇_i beyond v̇ = 0, over the i that carry k. So
//   L_ki = Y_k·H_i                                                                                                             (3)
// A joint of several freedoms is eliminated as a whole, with its block of D. Of the block's own factor, D = lᵀ d l, l is a block of L,
// d belongs to D, and                                                                                                          (4)
//   L_ki = Σ_m l_km Y_m·H_i              over the m of the joint up to k

#include <algorithm>

#include "dynamics/derivative_panel.hpp"
#include "dynamics/small_solve.hpp"

namespace trammel {

// --- the factor ----------------------------------------------------------------------------------------------------------------

// (4): l and 1/d of the joint whose freedoms these are. D is whole; its lower triangle is read.
template <class T, int n>
void factor_joint(SmallFactor<T, n> D, FreedomDerivative<T>* freedoms, FreedomRow<T>* rows) {
  for (int k = n - 1; k >= 0; --k) {
    const T over_D = T(1) / D.at(k, k);
    auto& l = freedoms[k].l;
    rows[k].over_D = over_D;
    for (int i = 0; i < k; ++i) l[i] = D.at(k, i) * over_D;
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j <= i; ++j) D.at(i, j) -= l[i] * D.at(k, j);
    }
  }
}

// Σ_m l_km Y_m of (4), which is Y_k of (3) where a joint has but one freedom. After forward dynamics.
template <class T>
TRAMMEL_KERNEL void rows_of_factor(Tree tree, Arrays<T> ws) {
  for (int k = 0; k < tree.nv; ++k) {
    const int v = tree.links[tree.link_of_dof[k]].v;
    Force<T> Y = ws.freedoms[k].Y;
    for (int m = v; m < k; ++m) Y += ws.freedoms[m].Y * ws.freedom_derivatives[k].l[m - v];
    put_row(ws.freedom_rows[k].Y, Y.n, Y.f);
  }
}

// L in the lower triangle of a matrix; what stands elsewhere means nothing.
template <class T>
TRAMMEL_KERNEL void fill_factor(Tree tree, Arrays<T> ws, T* L) {
  const auto n = static_cast<std::size_t>(tree.nv);
  auto& H = ws.panel_columns->H;
  const auto fill = [&](const Panel& panel) {
    gather_H(ws, panel, H);
    for (int k = panel.first + 1; k < panel.end_rows; ++k) {  // (3)
      times(ws.freedom_rows[k].Y, H).store(L + k * n + panel.first, panel.count());
    }
  };
  each_panel<T>(tree, ws.places, fill, [&](int l) {
    const TreeLink& link = tree.links[l];
    for (int k = link.v; k < link.end_v; ++k) take_to_parent(link, ws, ws.freedom_rows[k].Y);
  });
  for (int k = 0; k < tree.nv; ++k) {  // (4)
    const int v = tree.links[tree.link_of_dof[k]].v;
    for (int m = v; m < k; ++m) L[k * n + m] = ws.freedom_derivatives[k].l[m - v];
  }
}

// --- the two halves ------------------------------------------------------------------------------------------------------------

// Rows of a panel that follow one another, in registers; of the first `matrices` of the three.
template <class T, int count, int matrices>
struct RowsInRegisters {
  Pack<T> x[count][matrices];

  void clear(int r) {
    for (int m = 0; m < matrices; ++m) x[r][m] = Pack<T>::all(T(0));
  }
  void load(int r, const PanelRow<T>& row, const T& scale) {
    for (int m = 0; m < matrices; ++m) x[r][m] = Pack<T>::load(row.of[m]) * scale;
  }
  void load(const PanelRow<T>* rows) {
    for (int r = 0; r < count; ++r) {
      for (int m = 0; m < matrices; ++m) x[r][m] = Pack<T>::load(rows[r].of[m]);
    }
  }
  void store(PanelRow<T>* rows) const {
    for (int r = 0; r < count; ++r) {
      for (int m = 0; m < matrices; ++m) x[r][m].store(rows[r].of[m]);
    }
  }
  // Rows first to end − 1, row i times L[i along + r across], from row r; of `some` matrices.
  template <int some = matrices>
  void subtract(const PanelRow<T>* rows, int first, int end, const T* L, std::size_t along, std::size_t across) {
    for (int i = first; i < end; ++i) {
      Pack<T> row[some];
      for (int m = 0; m < some; ++m) row[m] = Pack<T>::load(rows[i].of[m]);
      for (int r = 0; r < count; ++r) {
        const T factor = L[i * along + r * across];
        for (int m = 0; m < some; ++m) x[r][m] -= row[m] * factor;
      }
    }
  }
  void subtract_own(int from, int row, const T& factor) {
    for (int m = 0; m < matrices; ++m) x[from][m] -= x[row][m] * factor;
  }
};

// (1) for row k; where `count` is two also for row k + 1, which carries all else that row k carries. Of all this, what is not zero here: those
// that carry the panel's first column, where k is one of them, and rows first to end − 1.
template <int count, int matrices, class T>
void gather_carried(int n, const FreedomPlace* places, const Panel& panel, const T* L, PanelRow<T>* rows, int k,
                    int first, int end) {
  const auto down = static_cast<std::size_t>(n);
  const int end_third = std::clamp(panel.end, first, end);  // from there on rows are zero in the third matrix
  RowsInRegisters<T, count, matrices> sum;
  sum.load(rows + k);
  for (int m = panel.first, stop = m; stop > k + count; m = places[m].before, stop = m + 1) {
    sum.subtract(rows, std::max(places[m].first, k + count), stop, L + k, down, 1);
  }
  sum.subtract(rows, first, end_third, L + k, down, 1);
  sum.template subtract<2>(rows, end_third, end, L + k, down, 1);
  if constexpr (count == 2) sum.subtract_own(0, 1, L[(k + 1) * down + k]);
  sum.store(rows + k);
}

template <class T>
TRAMMEL_KERNEL void solve_from_tips(int n, const FreedomPlace* __restrict places, Panel panel, const T* __restrict L,
                                    PanelRow<T>* __restrict rows) {
  const auto is_pair = [&](int k, int first) { return k > first && places[k - 1].end == places[k].end; };
  for (int k = panel.end_rows - 1; k >= panel.first; --k) {
    const bool has_third = k < panel.end;
    const int end = places[k].end;
    if (is_pair(k, has_third ? panel.first : panel.end)) {
      --k;
      has_third ? gather_carried<2, 3>(n, places, panel, L, rows, k, k + 2, end)
                : gather_carried<2, 2>(n, places, panel, L, rows, k, k + 2, end);
    } else if (end > k + 1) {
      has_third ? gather_carried<1, 3>(n, places, panel, L, rows, k, k + 1, end)
                : gather_carried<1, 2>(n, places, panel, L, rows, k, k + 1, end);
    }
  }
  for (int on_line = panel.first, k = panel.first - 1; on_line >= 0; k = on_line = places[on_line].before) {
    for (const int first = places[on_line].first; k >= first; --k) {  // rows that carry the first column
      const int end = std::min(places[k].end, panel.end_rows);
      if (is_pair(k, first)) {
        --k;
        gather_carried<2, 3>(n, places, panel, L, rows, k, panel.first, end);
      } else {
        gather_carried<1, 3>(n, places, panel, L, rows, k, panel.first, end);
      }
    }
  }
}

// (2) for rows k to k + count − 1, of which each carries the next. They go to the caller's matrices too; of the third those above the panel's
// own, since below the diagonal stands L.
template <int count, int matrices, class T>
void gather_carrying(int n, const FreedomPlace* places, const Panel& panel, const FreedomRow<T>* freedoms,
                     PanelRow<T>* rows, int k, const DerivativeMatrices<T>& out) {
  const auto down = static_cast<std::size_t>(n);
  const T* const L = out.inertia + k * down;
  RowsInRegisters<T, count, matrices> sum;
  for (int r = 0; r < count; ++r) {
    if (panel.is_zero(places, k + r)) {
      sum.clear(r);
    } else {
      sum.load(r, rows[k + r], -freedoms[k + r].over_D);
    }
  }
  for (int m = k, end = k; m >= 0; m = places[m].before, end = m + 1) {
    sum.subtract(rows, places[m].first, end, L, 1, down);
  }
  if constexpr (count == 2) sum.subtract_own(1, 0, L[down + k]);
  sum.store(rows + k);
  for (int r = 0; r < count; ++r) {
    const std::size_t at = (k + r) * down + panel.first;
    sum.x[r][0].store(out.by_q + at, panel.count());
    sum.x[r][1].store(out.by_v + at, panel.count());
    if constexpr (matrices == 3) {
      if (k < panel.first) sum.x[r][2].store(out.inertia + at, panel.count());
    }
  }
}

template <class T>
TRAMMEL_KERNEL void solve_from_base(int n, const FreedomPlace* __restrict places, Panel panel,
                                    const FreedomRow<T>* __restrict freedoms, PanelRow<T>* __restrict rows,
                                    DerivativeMatrices<T> out) {
  const auto is_pair = [&](int k, int end) { return k + 1 < end && places[k + 1].first <= k; };
  for (int k = 0; k < n; ++k) {
    if (is_pair(k, panel.first)) {
      gather_carrying<2, 3>(n, places, panel, freedoms, rows, k++, out);
    } else if (k < panel.end) {
      gather_carrying<1, 3>(n, places, panel, freedoms, rows, k, out);
    } else if (is_pair(k, n)) {
      gather_carrying<2, 2>(n, places, panel, freedoms, rows, k++, out);
    } else {
      gather_carrying<1, 2>(n, places, panel, freedoms, rows, k, out);
    }
  }
  for (int k = panel.first; k < panel.end; ++k) {
    T* const row = out.inertia + static_cast<std::size_t>(k) * n;
    for (int j = k; j < panel.end; ++j) row[j] = rows[k].of[2][j - panel.first];
  }
}

}  // namespace trammel

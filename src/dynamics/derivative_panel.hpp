// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A panel: a few columns (as many as a Pack has numbers, kernels/pack.hpp) of all three matrices of derivatives, side by side. It is filled,
// solved and written to the caller's matrices before the next one is begun, so that it stays in the cache next to the processor, and what is
// read once serves three matrices. With the names of derivative_columns.hpp, row k has in column j
//   what (6) says, of the row's Y_k, Z_k and the column's H_j, φ_j, χ_j, ψ_j,       where j carries k or is of its joint,
//   what (8) says, of the row's H_k and the column's P_j, Q_j,                      where k carries j, which is of another joint,
//   zero                                                                            else.
// All columns of a panel are at one point O, and so is what rows bring. Panels go from the last to the first: behind the last one of a point
// the rows of all freedoms that it carries are taken to the point before it.

#include <algorithm>

#include "dynamics/derivative_columns.hpp"
#include "kernels/pack.hpp"

namespace trammel {

// Results; nv×nv, row-major: row k, column j is ∂(row)_k/∂(column)_j.
template <class T>
struct DerivativeMatrices {
  T *by_q, *by_v, *inertia;  // of τ: M; of v̇: M⁻¹
};

// Columns first to end − 1. From row first on, those before end_rows are carried by one of them.
struct Panel {
  int first = 0, end = 0, end_rows = 0;

  int count() const { return end - first; }
  // Whether row k has to do with none of the columns. Nobody writes such a row.
  bool is_zero(const FreedomPlace* places, int k) const { return k < first ? places[k].end <= first : k >= end_rows; }
};

template <class T>
struct PanelRow {
  static constexpr int width = Pack<T>::width;

  alignas(width * sizeof(T)) T of[3][width];  // by q; by v; M or M⁻¹
};

// What freedom k brings to row k of all panels, at the point of the next one.
template <class T>
struct FreedomRow {
  T H[6], Y[6], Z[6], G[3];  // of (6), (8), (9); Y at first that of panel_solve.hpp
  T over_D;                  // of panel_solve.hpp
};

// Components of what the columns bring.
template <class T>
struct PanelColumns {
  static constexpr int width = Pack<T>::width;
  using Six = T[6][width];

  alignas(width * sizeof(T)) Six H;
  Six phi, chi, psi, P, Q;
  double end[width];  // FreedomPlace::end
};

// Calls f(panel) for all panels, and leave_point(l) where all columns at the point that link l opens are done.
template <class T, class F, class G>
void each_panel(const Tree& tree, const FreedomPlace* places, F&& f, G&& leave_point) {
  for (int end = tree.nv; end > 0;) {
    Panel panel{end - 1, end, places[end - 1].end};
    const auto has_room = [&](int k) {
      return panel.count() < Pack<T>::width && places[k].point == places[end - 1].point;
    };
    while (panel.first > 0 && has_room(panel.first - 1)) {
      --panel.first;
      panel.end_rows = std::max(panel.end_rows, places[panel.first].end);
    }
    while (panel.end < tree.nv && has_room(panel.end)) {  // again, rather than leave some of the pack over
      panel.end_rows = std::max(panel.end_rows, places[panel.end].end);
      ++panel.end;
    }
    f(panel);
    const int l = tree.link_of_dof[panel.first];
    const TreeLink& link = tree.links[l];
    if (link.opens_point && link.parent >= 0 && link.v == panel.first) leave_point(l);
    end = panel.first;
  }
}

// --- six components ------------------------------------------------------------------------------------------------------------

template <class T>
void put_row(T* to, const Vec3<T>& a, const Vec3<T>& b) {
  const auto x = components(a), y = components(b);
  for (std::size_t c = 0; c < 3; ++c) to[c] = x[c], to[c + 3] = y[c];
}
// A row's force, or its motion, times those of the columns; its first three components, its last three, and all.
template <class T>
Pack<T> first_three(const T* row, const typename PanelColumns<T>::Six& x) {
  return Pack<T>::load(x[0]) * row[0] + Pack<T>::load(x[1]) * row[1] + Pack<T>::load(x[2]) * row[2];
}
template <class T>
Pack<T> last_three(const T* row, const typename PanelColumns<T>::Six& x) {
  return Pack<T>::load(x[3]) * row[3] + Pack<T>::load(x[4]) * row[4] + Pack<T>::load(x[5]) * row[5];
}
template <class T>
Pack<T> times(const T* row, const typename PanelColumns<T>::Six& x) {
  return first_three(row, x) + last_three(row, x);
}

// A force at the point that a link opens, taken to that of its parent: n + p × f. Of a row, and of all columns.
template <class T>
void take_to_parent(const TreeLink& link, const Arrays<T>& ws, T* F) {
  const auto p = components(ws.points[link.point].p_QO);
  F[0] += p[1] * F[5] - p[2] * F[4];
  F[1] += p[2] * F[3] - p[0] * F[5];
  F[2] += p[0] * F[4] - p[1] * F[3];
}
template <class T>
void take_columns_to_parent(const TreeLink& link, const Arrays<T>& ws, typename PanelColumns<T>::Six& F) {
  const auto p = components(ws.points[link.point].p_QO);
  for (std::size_t x = 0; x < 3; ++x) {
    const std::size_t y = (x + 1) % 3, z = (x + 2) % 3;
    Pack<T> n = Pack<T>::load(F[x]) + Pack<T>::load(F[3 + z]) * p[y];
    n -= Pack<T>::load(F[3 + y]) * p[z];
    n.store(F[x]);
  }
}

template <class T>
void gather_H(const Arrays<T>& ws, const Panel& panel, typename PanelColumns<T>::Six& to) {
  const FreedomState<T>* const freedoms = ws.freedoms + panel.first;
  Pack<T>::put_components(to, panel.count(), [=](int w) -> const Vec3<T>& { return freedoms[w].H.w; });
  Pack<T>::put_components(to + 3, panel.count(), [=](int w) -> const Vec3<T>& { return freedoms[w].H.v; });
}
template <class T>
void gather_columns(const Arrays<T>& ws, const Panel& panel, PanelColumns<T>& to) {
  using Derivative = FreedomDerivative<T>;
  const Derivative* const d = ws.freedom_derivatives + panel.first;
  const auto gather = [&](typename PanelColumns<T>::Six& six, auto Derivative::*vectors, auto first, auto second) {
    Pack<T>::put_components(six, panel.count(), [=](int w) -> const Vec3<T>& { return d[w].*vectors.*first; });
    Pack<T>::put_components(six + 3, panel.count(), [=](int w) -> const Vec3<T>& { return d[w].*vectors.*second; });
  };
  gather_H(ws, panel, to.H);
  gather(to.phi, &Derivative::phi, &Motion<T>::w, &Motion<T>::v);
  gather(to.chi, &Derivative::chi, &Motion<T>::w, &Motion<T>::v);
  gather(to.psi, &Derivative::psi, &Motion<T>::w, &Motion<T>::v);
  gather(to.P, &Derivative::P, &Force<T>::n, &Force<T>::f);
  gather(to.Q, &Derivative::Q, &Force<T>::n, &Force<T>::f);
  for (int w = 0; w < panel.count(); ++w) to.end[w] = ws.places[panel.first + w].end;
}

// --- filling -------------------------------------------------------------------------------------------------------------------

// With what the third matrix is filled.
enum class Third { mass_matrix, minus_one };

template <class T>
struct PanelEntries {
  Pack<T> by_q, by_v, third;

  static PanelEntries zero() { return {Pack<T>::all(T(0)), Pack<T>::all(T(0)), Pack<T>::all(T(0))}; }
  void store(PanelRow<T>& row) const { by_q.store(row.of[0]), by_v.store(row.of[1]), third.store(row.of[2]); }
};

// (6) and (9), in some of the columns.
template <bool added, Third third, class T>
PanelEntries<T> carried_row(const FreedomRow<T>& row, const PanelColumns<T>& x, typename Pack<T>::Mask some) {
  Pack<T> by_q = times(row.Y, x.phi) + first_three(row.Z, x.psi), by_v = times(row.Y, x.chi) + first_three(row.Z, x.H);
  if constexpr (added) {
    by_q += last_three(row.Z, x.psi) + first_three(row.G, x.H);
    by_v += last_three(row.Z, x.H);
  }
  PanelEntries<T> entries{by_q.only(some), by_v.only(some), Pack<T>::all(T(0))};
  if constexpr (third == Third::mass_matrix) entries.third = times(row.Y, x.H).only(some);
  return entries;
}
// (8), likewise; the mass matrix is symmetric and has its lower half from (6).
template <class T>
void add_carrying_row(const FreedomRow<T>& row, const PanelColumns<T>& x, typename Pack<T>::Mask some,
                      PanelEntries<T>& to) {
  to.by_q += times(row.H, x.P).only(some);
  to.by_v += times(row.H, x.Q).only(some);
}

// Here and below __restrict says that no row stored changes the columns: they stay in registers.

// Rows of the columns' own freedoms, and of those that they carry.
template <bool added, Third third, class T>
void fill_carried(const Panel panel, const FreedomPlace* __restrict places, const FreedomRow<T>* __restrict freedoms,
                  const PanelColumns<T>& __restrict x, PanelRow<T>* __restrict rows) {
  const auto columns = Pack<T>::Places::counted_from(panel.first), end = Pack<T>::Places::load(x.end);
  for (int k = panel.first; k < panel.end_rows; ++k) {
    const FreedomPlace& at = places[k];
    auto entries = carried_row<added, third>(freedoms[k], x, (end > k) & (columns < at.end_joint));
    if (at.end_joint < std::min(at.end, panel.end)) {
      add_carrying_row(freedoms[k], x, (columns > at.end_joint - 1) & (columns < at.end), entries);
    }
    if constexpr (third == Third::minus_one) {
      if (k < panel.end) entries.third = Pack<T>::all(T(-1)).only((columns > k - 1) & (columns < k + 1));
    }
    entries.store(rows[k]);
  }
}
// Rows first to last − 1, which carry the first column; the other columns of their own joint may be among the panel's.
template <bool added, Third third, class T>
void fill_carrying(const Panel panel, int first, int last, const FreedomPlace* __restrict places,
                   const FreedomRow<T>* __restrict freedoms, const PanelColumns<T>& __restrict x,
                   PanelRow<T>* __restrict rows) {
  const auto columns = Pack<T>::Places::counted_from(panel.first);
  for (int k = first; k < last; ++k) {
    const FreedomPlace& at = places[k];
    auto entries = PanelEntries<T>::zero();
    if (at.end_joint > panel.first) entries = carried_row<added, third>(freedoms[k], x, columns < at.end_joint);
    add_carrying_row(freedoms[k], x, (columns > at.end_joint - 1) & (columns < at.end), entries);
    entries.store(rows[k]);
  }
}

template <bool added, Third third, class T>
TRAMMEL_KERNEL void fill_panel(const Tree& tree, const Arrays<T>& ws, const Panel& panel) {
  PanelColumns<T>& x = *ws.panel_columns;
  gather_columns(ws, panel, x);
  fill_carried<added, third>(panel, ws.places, ws.freedom_rows, x, ws.panel_rows);
  for (int l = tree.link_of_dof[panel.first], end = panel.first;;) {
    const TreeLink& top = tree.links[tree.links[l].line];
    fill_carrying<added, third>(panel, top.v, end, ws.places, ws.freedom_rows, x, ws.panel_rows);
    l = top.parent;
    if (l < 0) return;
    end = tree.links[l].v + tree.links[l].nv;
    if (!top.opens_point) continue;
    take_columns_to_parent(top, ws, x.P);
    take_columns_to_parent(top, ws, x.Q);
  }
}

}  // namespace trammel

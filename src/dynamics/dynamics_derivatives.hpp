// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derivatives of inverse and forward dynamics, O(n·depth) for the first. Equations (1) to (9) are those of derivative_columns.hpp.
//   ∂τ/∂q, ∂τ/∂v, ∂τ/∂v̇ = M                                             by the recursion, in panels of columns (derivative_panel.hpp)
//   ∂v̇/∂q = −M⁻¹ ∂τ/∂q,   ∂v̇/∂v = −M⁻¹ ∂τ/∂v,   ∂v̇/∂τ = M⁻¹          by the factor of M that forward dynamics leaves (panel_solve.hpp)

#include "dynamics/articulated_body.hpp"
#include "dynamics/derivative_columns.hpp"
#include "dynamics/newton_euler.hpp"
#include "dynamics/panel_solve.hpp"

namespace trammel {

// --- what links carry, from the tips to the base -------------------------------------------------------------------------------

template <class T>
TRAMMEL_KERNEL void added_to_links(Tree tree, Arrays<T> ws, LoadArrays<T> loads) {
  LinkDerivative<T>* const of = ws.link_derivatives;
  for (int l = 0; l < tree.link_count; ++l) of[l].added = {}, of[l].E = {};
  for_each_moving_body(tree, [&](int b, int l) {
    of[l].added += loads.inertia(b);
    of[l].E += velocity_product(loads.inertia(b), ws.links[l].V);
  });
}
// M^C, K^C, p^C and F^C; of added inertias I⁺ᶜ and Eᶜ, from what each link has of its own (added_to_links). After velocities, inertias of
// links and the force F that each link needs, which becomes F^C.
template <bool added, class T>
TRAMMEL_KERNEL void composites_tip_to_base(Tree tree, Arrays<T> ws) {
  LinkDerivative<T>* const of = ws.link_derivatives;
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink& link = tree.links[l];
    LinkState<T>& L = ws.links[l];
    LinkDerivative<T>& C = of[l];  // so far what the children brought
    RigidInertia<T> Ic = L.M;
    VelocityMoment<T> B = VelocityMoment<T>::of(L.M, L.V);
    if (link.has_children) Ic += C.Ic, B += C.B;
    C.Ic = Ic;
    C.B = B;
    if (link.parent < 0) continue;
    LinkDerivative<T>& P = of[link.parent];
    Force<T> F = L.F;
    if (link.opens_point) Ic = to_parent(link, ws, Ic), B = to_parent(link, ws, B), F = to_parent(link, ws, F);
    ws.links[link.parent].F += F;
    if (link.is_last_child) {
      P.Ic = Ic, P.B = B;
    } else {
      P.Ic += Ic, P.B += B;
    }
    if constexpr (added) {
      P.added += to_parent(link, ws, C.added);
      P.E += to_parent(link, ws, C.E);
    }
  }
}
template <class T>
void composites_tip_to_base(const Tree& tree, const Arrays<T>& ws, const LoadArrays<T>& loads) {
  if (loads.inertias == nullptr) return composites_tip_to_base<false>(tree, ws);
  added_to_links(tree, ws, loads);
  composites_tip_to_base<true>(tree, ws);
}

// Y_k, Z_k, G_k of (6) and (9).
template <class T>
TRAMMEL_KERNEL void rows_of_freedoms(Tree tree, Arrays<T> ws, bool added) {
  for (int k = 0; k < tree.nv; ++k) {
    const LinkDerivative<T>& C = ws.link_derivatives[tree.link_of_dof[k]];
    const Motion<T>& H = ws.freedoms[k].H;
    Force<T> Y = C.Ic * H, Z{C.B.transpose_times_half(H) * T(2), {}};
    FreedomRow<T>& row = ws.freedom_rows[k];
    if (added) {
      const Force<T> of_added = C.added * H;
      const auto G = components(cross(of_added.f, ws.parameters.gravity));
      for (std::size_t c = 0; c < 3; ++c) row.G[c] = G[c];
      Y += of_added;
      Z += transpose_times(C.E, H);
    }
    put_row(row.H, H.w, H.v);
    put_row(row.Y, Y.n, Y.f);
    put_row(row.Z, Z.n, Z.f);
  }
}

// P_j, Q_j of (8). After F has become F^C.
template <class T>
TRAMMEL_KERNEL void columns_of_freedoms(Tree tree, Arrays<T> ws, bool added) {
  for (int j = 0; j < tree.nv; ++j) {
    const int l = tree.link_of_dof[j];
    const LinkDerivative<T>& C = ws.link_derivatives[l];
    FreedomDerivative<T>& d = ws.freedom_derivatives[j];
    const Motion<T>& H = ws.freedoms[j].H;
    d.P = cross_force(H, ws.links[l].F) + C.B.times(d.psi) + C.Ic * d.phi;
    d.Q = C.B.times(H) + C.Ic * d.chi;
    if (!added) continue;
    Motion<T> phi = d.phi;
    phi.v += cross(ws.parameters.gravity, H.w);
    d.P += C.E * d.psi + C.added * phi;
    d.Q += C.E * H + C.added * d.chi;
  }
}

// --- the matrices --------------------------------------------------------------------------------------------------------------

// Friction −c v_k − f v_k / s, s = √(s₀² + v²) (joint_friction.hpp), has the slope  −c − f/s + f v_k v_j / s³.
template <class T>
void subtract_slopes_of_friction(const Tree& tree, const Arrays<T>& ws, const Panel& panel, const T* v) {
  const ParameterArrays<T>& par = ws.parameters;
  for (int j = panel.first; j < panel.end; ++j) {
    ws.panel_rows[j].of[1][j - panel.first] += T(par.viscous[j]);
    const TreeLink& link = tree.links[tree.link_of_dof[j]];
    const bool is_vector = link.nq != link.nv;
    const int first = is_vector ? link.v : j, end = is_vector ? link.v + link.nv : j + 1;
    for (int k = first; k < end; ++k) {
      if (is_zero(par.dry[k])) continue;
      T squared(par.dry_speed[k] * par.dry_speed[k]);
      for (int i = first; i < end; ++i) squared += v[i] * v[i];
      const T over_s = T(par.dry[k]) / sqrt(squared);
      T slope = -over_s * v[k] * v[j] / squared;
      if (k == j) slope += over_s;
      ws.panel_rows[k].of[1][j - panel.first] += slope;
    }
  }
}

template <Third third, class T>
void fill_panel(const Tree& tree, const Arrays<T>& ws, const Panel& panel, const T* q, const T* v,
                const LoadArrays<T>& loads) {
  if (loads.inertias != nullptr) {
    fill_panel<true, third>(tree, ws, panel);
  } else {
    fill_panel<false, third>(tree, ws, panel);
  }
  slopes_of_columns(tree, ws, q, panel.first, panel.end,
                    [&](int k, int j, const T& slope) { ws.panel_rows[k].of[0][j - panel.first] += slope; });
  if (loads.friction && ws.parameters.has_friction) subtract_slopes_of_friction(tree, ws, panel, v);
}

// A panel of derivatives of τ to the caller's matrices. M is symmetric: columns of the panel are also rows, beyond the diagonal.
template <class T>
TRAMMEL_KERNEL void write_panel(int size, const FreedomPlace* __restrict places, const PanelRow<T>* __restrict rows,
                                Panel panel, DerivativeMatrices<T> out) {
  const auto n = static_cast<std::size_t>(size);
  T* const matrices[] = {out.by_q, out.by_v, out.inertia};
  for (int k = 0; k < size; ++k) {
    const bool is_zero = panel.is_zero(places, k);
    for (int m = 0; m < 3; ++m) {
      const Pack<T> row = is_zero ? Pack<T>::all(T(0)) : Pack<T>::load(rows[k].of[m]);
      row.store(matrices[m] + k * n + panel.first, panel.count());
    }
  }
  for (int j = panel.first; j < panel.end; ++j) {
    for (int k = j + 1; k < places[j].end; ++k) out.inertia[j * n + k] = rows[k].of[2][j - panel.first];
  }
}

// What stands above the diagonal, also below it.
template <class T>
TRAMMEL_KERNEL void mirror_upper(int size, T* __restrict M) {
  const auto n = static_cast<std::size_t>(size);
  for (int k = 0; k < size; ++k) {
    for (int c = 0; c < k; ++c) M[k * n + c] = M[c * n + k];
  }
}

// --- the whole -----------------------------------------------------------------------------------------------------------------

// What rows and columns of panels are made of, after velocities, accelerations, inertias of links and the force F that each needs.
template <class T>
void rows_and_columns(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a,
                      const LoadArrays<T>& loads) {
  const bool added = loads.inertias != nullptr;
  add_loads(tree, ws, loads);
  composites_tip_to_base(tree, ws, loads);
  derivative_columns(tree, ws, ws.freedom_derivatives, q, v, a);
  rows_of_freedoms(tree, ws, added);
  columns_of_freedoms(tree, ws, added);
}

// Of all freedoms that link l carries, from the point that it opens to that of its parent.
template <class T>
TRAMMEL_KERNEL void rows_to_parent(Tree tree, Arrays<T> ws, int l) {
  const TreeLink& link = tree.links[l];
  for (int k = link.v; k < link.end_v; ++k) {
    take_to_parent(link, ws, ws.freedom_rows[k].Y);
    take_to_parent(link, ws, ws.freedom_rows[k].Z);
  }
}

template <class T>
void inverse_derivatives(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a, T* tau,
                         const LoadArrays<T>& loads, const DerivativeMatrices<T>& out) {
  accelerations_base_to_tip(tree, ws, q, v, a);
  inertias_of_links(tree, ws);
  forces_of_links(ws, 0, tree.link_count);
  rows_and_columns(tree, ws, q, v, a, loads);
  const auto write = [&](const Panel& panel) {
    fill_panel<Third::mass_matrix>(tree, ws, panel, q, v, loads);
    for (int k = panel.first; k < panel.end; ++k) {
      ws.panel_rows[k].of[2][k - panel.first] += dof_inertia(ws, loads, k);
    }
    write_panel(tree.nv, ws.places, ws.panel_rows, panel, out);
  };
  each_panel<T>(tree, ws.places, write, [&](int l) { rows_to_parent(tree, ws, l); });
  for (int k = 0; k < tree.nv; ++k) {
    tau[k] = dot(ws.freedoms[k].H, ws.links[tree.link_of_dof[k]].F) + dof_inertia(ws, loads, k) * a[k];
  }
  if (loads.friction && ws.parameters.has_friction) subtract_joint_friction(tree, ws.parameters, v, tau);
}

// What derivatives need of the articulated-body pass.
template <class T>
struct KeepForDerivatives {
  LinkState<T>* links;
  LinkDerivative<T>* of_links;
  FreedomDerivative<T>* freedoms;
  FreedomRow<T>* rows;

  void link(const OwnLink<T>& own, int l) const {
    links[l].M = own.M;
    of_links[l].F = own.p;
  }
  template <int n>
  void joint(const SmallFactor<T, n>& D, SmallFactor<T, n> factored, int v) const {
    if constexpr (n == 1) {
      rows[v].over_D = factored.at(0, 0);
    } else {
      factor_joint(D, freedoms + v, rows + v);
    }
  }
};

// The force that each link needs at its acceleration, from the one it needed at v̇ = 0.
template <class T>
TRAMMEL_KERNEL void forces_after_pass(Tree tree, Arrays<T> ws) {
  for (int l = 0; l < tree.link_count; ++l) {
    LinkState<T>& L = ws.links[l];
    L.F = ws.link_derivatives[l].F + L.M * L.dA;
    if constexpr (!KeptFor<T>::accelerations) L.A += L.dA;
  }
}

// Gives a too, and the verdict: the joint whose inertia vanishes, or −1.
template <class T>
T forward_derivatives(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* tau, T* a,
                      const LoadArrays<T>& loads, const DerivativeMatrices<T>& out) {
  const T singular_joint =
      articulated_body(tree, ws, q, v, tau, a, loads, {},
                       KeepForDerivatives<T>{ws.links, ws.link_derivatives, ws.freedom_derivatives, ws.freedom_rows});
  forces_after_pass(tree, ws);
  rows_of_factor(tree, ws);
  fill_factor(tree, ws, out.inertia);
  rows_and_columns(tree, ws, q, v, a, loads);
  const auto solve = [&](const Panel& panel) {
    fill_panel<Third::minus_one>(tree, ws, panel, q, v, loads);
    solve_from_tips(tree.nv, ws.places, panel, out.inertia, ws.panel_rows);
    solve_from_base(tree.nv, ws.places, panel, ws.freedom_rows, ws.panel_rows, out);
  };
  each_panel<T>(tree, ws.places, solve, [&](int l) { rows_to_parent(tree, ws, l); });
  mirror_upper(tree.nv, out.inertia);
  return singular_joint;
}

}  // namespace trammel

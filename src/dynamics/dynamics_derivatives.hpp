// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derivatives of inverse and forward dynamics, O(n·depth) for the first. Equations (1) to (9) are those of derivative_columns.hpp.
//   ∂τ/∂q, ∂τ/∂v, ∂τ/∂v̇ = M             by the recursion
//   ∂v̇/∂q = −M⁻¹ ∂τ/∂q,   ∂v̇/∂v = −M⁻¹ ∂τ/∂v,   ∂v̇/∂τ = M⁻¹          by the factor of M, which gives v̇ itself too

#include "dynamics/articulated_body.hpp"
#include "dynamics/derivative_columns.hpp"
#include "dynamics/newton_euler.hpp"
#include "dynamics/tree_factor.hpp"

namespace trammel {

// Results; nv×nv, row-major: row k, column j is ∂(row)_k/∂(column)_j.
template <class T>
struct DerivativeMatrices {
  T *by_q, *by_v, *inertia;  // of τ: M; of v̇: M⁻¹
};

// --- what links carry, from the tips to the base -------------------------------------------------------------------------------

// M^C, K^C, p^C; of added inertias I⁺ᶜ and Eᶜ. After velocities and inertias_of_links.
template <class T>
TRAMMEL_KERNEL void composites_tip_to_base(Tree tree, Arrays<T> ws, LoadArrays<T> loads) {
  LinkDerivative<T>* const of = ws.link_derivatives;
  const bool added = loads.inertias != nullptr;
  for (int l = 0; l < tree.link_count; ++l) {
    const LinkState<T>& L = ws.links[l];
    of[l].Ic = L.M;
    of[l].B = VelocityMoment<T>::of(L.M, L.V);
    if (added) of[l].added = {}, of[l].E = {};
  }
  if (added) {
    for_each_moving_body(tree, [&](int b, int l) {
      of[l].added += loads.inertia(b);
      of[l].E += velocity_product(loads.inertia(b), ws.links[l].V);
    });
  }
  for (int l = tree.link_count - 1; l >= 0; --l) {
    const TreeLink& link = tree.links[l];
    if (link.parent < 0) continue;
    of[link.parent].Ic += to_parent(link, ws, of[l].Ic);
    of[link.parent].B += to_parent(link, ws, of[l].B);
    if (!added) continue;
    of[link.parent].added += to_parent(link, ws, of[l].added);
    of[link.parent].E += to_parent(link, ws, of[l].E);
  }
}

// Y_k, Z_k, G_k of (6) and (9).
template <class T>
TRAMMEL_KERNEL void rows_of_freedoms(Tree tree, Arrays<T> ws, bool added) {
  for (int k = 0; k < tree.nv; ++k) {
    const LinkDerivative<T>& C = ws.link_derivatives[tree.link_of_dof[k]];
    FreedomDerivative<T>& d = ws.freedom_derivatives[k];
    const Motion<T>& H = ws.freedoms[k].H;
    ws.freedoms[k].Y = C.Ic * H;
    d.Z = {C.B.transpose_times_half(H) * T(2), {}};
    if (!added) continue;
    const Force<T> Y = C.added * H;
    ws.freedoms[k].Y += Y;
    d.Z += transpose_times(C.E, H);
    d.G = cross(Y.f, ws.parameters.gravity);
  }
}

// P_j, Q_j of (8), and all columns as rows of components. After F has become F^C.
template <class T>
TRAMMEL_KERNEL void columns_of_freedoms(Tree tree, Arrays<T> ws, bool added) {
  const auto n = static_cast<std::size_t>(tree.nv);
  T* const rows = ws.derivative_rows;
  for (int j = 0; j < tree.nv; ++j) {
    const int l = tree.link_of_dof[j];
    const LinkDerivative<T>& C = ws.link_derivatives[l];
    FreedomDerivative<T>& d = ws.freedom_derivatives[j];
    const Motion<T>& H = ws.freedoms[j].H;
    d.P = cross_force(H, ws.links[l].F) + C.B.times(d.psi) + C.Ic * d.phi;
    d.Q = C.B.times(H) + C.Ic * d.chi;
    if (added) {
      Motion<T> phi = d.phi;
      phi.v += cross(ws.parameters.gravity, H.w);
      d.P += C.E * d.psi + C.added * phi;
      d.Q += C.E * H + C.added * d.chi;
    }
    const Motion<T>* const columns[] = {&H, &d.phi, &d.chi, &d.psi};
    for (std::size_t m = 0; m < 4; ++m) {
      const auto w = components(columns[m]->w), v = components(columns[m]->v);
      for (std::size_t c = 0; c < 3; ++c) {
        rows[(6 * m + c) * n + j] = w[c];
        rows[(6 * m + 3 + c) * n + j] = v[c];
      }
    }
  }
}

// --- the matrices --------------------------------------------------------------------------------------------------------------

// Six components of a force, and its product with the columns that lie in six rows.
template <class T>
struct ForceRow {
  T n[3], f[3];

  explicit ForceRow(const Force<T>& F) {
    const auto a = components(F.n), b = components(F.f);
    for (std::size_t c = 0; c < 3; ++c) n[c] = a[c], f[c] = b[c];
  }
  T with(const T* rows, std::size_t stride, std::size_t i) const {
    return turn(rows, stride, i) + travel(rows, stride, i);
  }
  T turn(const T* rows, std::size_t stride, std::size_t i) const {
    return rows[i] * n[0] + rows[stride + i] * n[1] + rows[2 * stride + i] * n[2];
  }
  T travel(const T* rows, std::size_t stride, std::size_t i) const {
    return rows[3 * stride + i] * f[0] + rows[4 * stride + i] * f[1] + rows[5 * stride + i] * f[2];
  }
};

// What freedom k has to do with those of one stretch, first to end, at the same point: all of them carry its link.
template <bool added, class T>
void fill_stretch(const Tree& tree, const T* __restrict rows, int k, const Force<T>& Y, const FreedomDerivative<T>& d,
                  int first, int end, bool is_own_link, const DerivativeMatrices<T>& out) {
  const auto n = static_cast<std::size_t>(tree.nv);
  const T *const H = rows, *const phi = rows + 6 * n, *const chi = rows + 12 * n, *const psi = rows + 18 * n;
  const ForceRow<T> y(Y), z(d.Z), p(d.P), q(d.Q);
  const auto g = components(d.G);
  T *const M_k = out.inertia + k * n, *const q_k = out.by_q + k * n, *const v_k = out.by_v + k * n;
  for (int i = first; i < end; ++i) {  // (6)
    T by_q = y.with(phi, n, i) + z.turn(psi, n, i), by_v = y.with(chi, n, i) + z.turn(H, n, i);
    if constexpr (added) {
      by_q += z.travel(psi, n, i) + (H[i] * g[0] + H[n + i] * g[1] + H[2 * n + i] * g[2]);
      by_v += z.travel(H, n, i);
    }
    M_k[i] = y.with(H, n, i);
    q_k[i] = by_q;
    v_k[i] = by_v;
  }
  if (is_own_link) return;
  for (int i = first; i < end; ++i) {  // (8)
    out.inertia[i * n + k] = M_k[i];
    out.by_q[i * n + k] = p.with(H, n, i);
    out.by_v[i * n + k] = q.with(H, n, i);
  }
}

template <bool added, class T>
TRAMMEL_KERNEL void fill_derivatives(Tree tree, Arrays<T> ws, DerivativeMatrices<T> out) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (T* matrix : {out.by_q, out.by_v, out.inertia}) std::fill(matrix, matrix + n * n, T(0));
  for (int k = 0; k < tree.nv; ++k) {
    const int own = tree.link_of_dof[k];
    Force<T> Y = ws.freedoms[k].Y;
    FreedomDerivative<T> d = ws.freedom_derivatives[k];
    const TreeLink& link = tree.links[own];
    fill_stretch<added>(tree, ws.derivative_rows, k, Y, d, link.v, link.v + link.nv, true, out);
    int end = link.v;
    for (int l = own; l >= 0;) {
      const TreeLink& top = tree.links[tree.links[l].line];
      if (end > top.v) fill_stretch<added>(tree, ws.derivative_rows, k, Y, d, top.v, end, false, out);
      l = top.parent;
      if (l < 0) break;
      end = tree.links[l].v + tree.links[l].nv;
      if (!top.opens_point) continue;
      Y = to_parent(top, ws, Y);
      d.Z = to_parent(top, ws, d.Z), d.P = to_parent(top, ws, d.P), d.Q = to_parent(top, ws, d.Q);
    }
  }
}

// Friction −c v_k − f v_k / s, s = √(s₀² + v²) (joint_friction.hpp), has the slope  −c − f/s + f v_k v_j / s³.
template <class T>
void subtract_slopes_of_friction(const Tree& tree, const ParameterArrays<T>& par, const T* v, T* tau_v) {
  const auto n = static_cast<std::size_t>(tree.nv);
  for (int k = 0; k < tree.nv; ++k) {
    tau_v[k * n + k] += T(par.viscous[k]);
    if (is_zero(par.dry[k])) continue;
    const TreeLink& link = tree.links[tree.link_of_dof[k]];
    const bool is_vector = link.nq != link.nv;
    const int first = is_vector ? link.v : k, end = is_vector ? link.v + link.nv : k + 1;
    T squared(par.dry_speed[k] * par.dry_speed[k]);
    for (int j = first; j < end; ++j) squared += v[j] * v[j];
    const T over_s = T(par.dry[k]) / sqrt(squared);
    tau_v[k * n + k] += over_s;
    for (int j = first; j < end; ++j) tau_v[k * n + j] -= over_s * v[k] * v[j] / squared;
  }
}

// --- the whole -------------------------------------------------------------------------------------------------------------------

// ∂τ/∂q, ∂τ/∂v and M, after velocities, accelerations and composites; F of the links is what each needs for itself, and becomes F^C.
template <class T>
void differentiate_forces(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a, T* tau,
                          const LoadArrays<T>& loads, const DerivativeMatrices<T>& out) {
  const bool added = loads.inertias != nullptr;
  derivative_columns(tree, ws, ws.freedom_derivatives, q, v, a);
  joint_forces_tip_to_base(tree, ws, tau);
  rows_of_freedoms(tree, ws, added);
  columns_of_freedoms(tree, ws, added);
  if (added) {
    fill_derivatives<true>(tree, ws, out);
  } else {
    fill_derivatives<false>(tree, ws, out);
  }
  add_slopes_of_columns(tree, ws, q, out.by_q);
  for (int k = 0; k < tree.nv; ++k) out.inertia[static_cast<std::size_t>(k) * tree.nv + k] += dof_inertia(ws, loads, k);
  if (loads.friction && ws.parameters.has_friction) subtract_slopes_of_friction(tree, ws.parameters, v, out.by_v);
}

template <class T>
void inverse_derivatives(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* a, T* tau,
                         const LoadArrays<T>& loads, const DerivativeMatrices<T>& out) {
  accelerations_base_to_tip(tree, ws, q, v, a);
  inertias_of_links(tree, ws);
  composites_tip_to_base(tree, ws, loads);
  forces_of_links(ws, 0, tree.link_count);
  add_loads(tree, ws, loads);
  differentiate_forces(tree, ws, q, v, a, tau, loads, out);
  for (int k = 0; k < tree.nv; ++k) tau[k] += dof_inertia(ws, loads, k) * a[k];
  if (loads.friction && ws.parameters.has_friction) subtract_joint_friction(tree, ws.parameters, v, tau);
}

// Gives a too, and the verdict: the joint whose inertia vanishes, or −1.
template <class T>
T forward_derivatives(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* tau, T* a,
                      const LoadArrays<T>& loads, const DerivativeMatrices<T>& out) {
  const T singular_joint = articulated_body(tree, ws, q, v, tau, a, loads);
  if constexpr (!KeptFor<T>::accelerations) {
    for (int l = 0; l < tree.link_count; ++l) ws.links[l].A += ws.links[l].dA;
  }
  inertias_of_links(tree, ws);
  composites_tip_to_base(tree, ws, loads);
  forces_of_links(ws, 0, tree.link_count);
  add_loads(tree, ws, loads);
  T* const bias = ws.derivative_rows;  // joint forces are not asked for: they go where the columns will stand
  differentiate_forces(tree, ws, q, v, a, bias, loads, out);
  if (tree.nv == 0) return singular_joint;
  factor_tip_to_base(tree, out.inertia);
  solve_negative(tree, out.inertia, out.by_q, out.by_v);
  invert(tree, out.inertia);
  return singular_joint;
}

}  // namespace trammel

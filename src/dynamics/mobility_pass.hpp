// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mobility G = J M⁻¹ Jᵀ of a point P of a body, in one pass from the tips to the base.
//
// Articulated inertias as in articulated_body.hpp, of a mechanism at rest:
//   U = IA H,   D = Hᵀ U + armature,   Ia = IA − U D⁻¹ Uᵀ to the parent
// Six unit wrenches at P travel from the body to the base. What a joint takes of them is its share in the answer:
//   s = Hᵀ F,    G += sᵀ D⁻¹ s,    F_P = F − U D⁻¹ s                                                          (1)
// for M⁻¹ = (1 − K)ᵀ D⁻¹ (1 − K), of which (1 − K) Jᵀ are the s of all joints.          [Rodriguez et al. 1991; force propagation]

#include "dynamics/articulated_body.hpp"
#include "kinematics/body_point.hpp"

namespace trammel {

template <class T>
using SixWrenches = std::array<Force<T>, 6>;

// Takes a link into its parent; the wrenches too, where it carries the body.
template <class T, class N>
auto mobility_step(const Tree& tree, int l, N n, const Arrays<T>& ws, const LoadArrays<T>& loads, const char* locked,
                   bool carries_body, SixWrenches<T>& F, T* G) {
  const TreeLink& link = tree.links[l];
  LinkState<T>& L = ws.links[l];
  ArticulatedInertia<T> IA = L.IA + L.M;
  InertiaSize<T> size = InertiaSize<T>::of(L.M);
  size += L.size;
  size = size.judged(IA);
  const FreedomState<T>* freedoms = &ws.freedoms[link.v];
  std::array<Force<T>, N::value> U;
  std::array<T, N::value> scale;
  SmallFactor<T, N::value> D;
  for (int k = 0; k < n; ++k) {
    const Motion<T>& H = freedoms[k].H;
    const T rotor = dof_inertia(ws, loads, link.v + k);
    U[k] = IA * H;
    for (int i = k; i < n; ++i) D.at(i, k) = dot(freedoms[i].H, U[k]);
    D.at(k, k) += rotor;
    scale[k] = size.along(H) + rotor;
  }
  const auto is_locked = [&](int k) { return locked != nullptr && locked[link.v + k] != 0; };
  for (int k = 0; k < n; ++k) {
    if (!is_locked(k)) continue;
    for (int i = 0; i < n; ++i) D.at(std::max(i, k), std::min(i, k)) = T(i == k ? 1 : 0);
    scale[k] = T(1);
    U[k] = {};
  }
  const auto regular = D.factor(scale);
  if (carries_body) {  // (1)
    std::array<std::array<T, N::value>, 6> s, x;
    for (int c = 0; c < 6; ++c) {
      for (int k = 0; k < n; ++k) s[c][k] = is_locked(k) ? T(0) : dot(freedoms[k].H, F[c]);
      x[c] = s[c];
      D.solve(x[c]);
      for (int r = 0; r <= c; ++r) {
        for (int k = 0; k < n; ++k) G[6 * r + c] += s[r][k] * x[c][k];
      }
    }
    for (int c = 0; c < 6; ++c) {
      for (int k = 0; k < n; ++k) F[c] -= U[k] * x[c][k];
      F[c] = to_parent(link, ws, F[c]);
    }
  }
  if (link.parent >= 0) {
    std::array<Force<T>, N::value> Y = U;
    D.solve(Y);
    for (int k = 0; k < n; ++k) IA.subtract_outer(Y[k], U[k]);
    ws.links[link.parent].IA += to_parent(link, ws, IA);
    ws.links[link.parent].size += to_parent(link, ws, size);
  }
  return regular;
}

// Returns the joint nearest the tip whose inertia vanishes, or −1, as a number per lane.
template <class T>
T mobility_tip_to_base(const Tree& tree, const Arrays<T>& ws, const T* q, int body, const Vec3<T>& p_B,
                       const char* locked, T* G, const LoadArrays<T>& loads) {
  positions_base_to_tip(tree, ws, q);
  inertias_of_links(tree, ws);
  clear_inertias(tree, ws);
  if (loads.inertias != nullptr) {
    for_each_moving_body(tree, [&](int b, int l) {
      ws.links[l].IA += loads.inertia(b);
      ws.links[l].size += InertiaSize<T>::of(loads.inertia(b));
    });
  }
  std::fill(G, G + 36, T(0));
  T singular_joint(-1);
  int way = link_of(tree, body);  // the link that the wrenches have come to
  if (way < 0) return singular_joint;
  const Vec3<T> p = p_OP(tree, ws, body, p_B);
  SixWrenches<T> F;
  const Vec3<T> axes[3] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
  for (std::size_t i = 0; i < 3; ++i) {
    F[i] = {axes[i], {}};
    F[i + 3] = {cross(p, axes[i]), axes[i]};
  }
  each_link_tip_to_base(tree, [=, F = &F, way = &way, verdict = &singular_joint](int l, auto n) {
    const bool carries_body = l == *way;
    const auto regular = mobility_step(tree, l, n, ws, loads, locked, carries_body, *F, G);
    if (carries_body) *way = tree.links[l].parent;
    *verdict = select(regular, *verdict, select(*verdict < T(0), T(tree.links[l].joint), *verdict));
  });
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < r; ++c) G[6 * r + c] = G[6 * c + r];
  }
  return singular_joint;
}

}  // namespace trammel

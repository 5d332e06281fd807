// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Forward and hybrid dynamics in O(n): Featherstone's articulated-body algorithm, in world axes at O, so that inertias
// pass from child to parent without a congruence.          [Featherstone 2008, ch. 7 and 9.2; McMillan et al. 1995]
//
// Base to tip: poses, velocities, ζ, rigid inertias M and bias b of links.
// Tip to base, for each link with all its children taken in:
//   IA = M + added inertia + Σ children,    pA = b + Σ children
//   U = IA H,   D = Hᵀ U + armature,   u = τ − Hᵀ pA                                     (1)
//   Ia = IA − U D⁻¹ Uᵀ,   pa = pA + Ia ζ + U D⁻¹ u           to the parent               (2)
// Base to tip:
//   v̇ = D⁻¹ (u − Uᵀ (A_P + ζ)),   A = A_P + ζ + H v̇                                     (3)
//
// A freedom k with prescribed v̇_k leaves the elimination: ζ takes H_k v̇_k, row and column k of D become those of the
// identity, U_k = u_k = 0. Its force is found at the end:  τ_k = H_k·(IA A + pA) + armature v̇_k.       (4)
// For all other freedoms (4) holds as well, with the τ_k that was given.

#include <trammel/core/counted.hpp>
#include <trammel/core/dual.hpp>
#include <trammel/dynamics.hpp>

#include "dynamics/link_forces.hpp"
#include "dynamics/small_solve.hpp"
#include "forces/joint_friction.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {
namespace {

template <class T>
struct Prescribed {
  const char* mask = nullptr;  // per freedom; null: none
  const T* a = nullptr;

  bool operator[](int k) const { return mask != nullptr && mask[k] != 0; }
};

template <class T>
void start_articulated(const Mechanism& mech, BasicWorkspace<T>& ws, const BasicLoads<T>& loads) {
  inertias_of_links(mech, ws);
  bias_of_links(mech, ws, loads, ws.pA);
  for (int l = 0; l < mech.link_count(); ++l) ws.IA[l] = ArticulatedInertia<T>::of(ws.M[l]);
  if (loads.inertia != nullptr) for_each_moving_body(mech, [&](int b, int l) { ws.IA[l] += loads.inertia[b]; });
}

// (1), (2) for one link; false if D is singular.
template <class T, class N>
bool eliminate_link(const Link& link, int l, N n, BasicWorkspace<T>& ws, const BasicLoads<T>& loads,
                    const Prescribed<T>& prescribed) {
  std::array<Force<T>, capacity<N>> U;
  std::array<T, capacity<N>> scale;
  SmallFactor<T, N> D(n);
  T* u = &ws.d[link.v];
  Force<T>* Y = &ws.Y[link.v];
  const Motion<T>* H = &ws.H[link.v];

  const T angular = trace(ws.IA[l].J), linear = trace(ws.IA[l].M);
  for (int k = 0; k < n; ++k) {
    const T rotor = dof_inertia(ws, loads, link.v + k);
    U[k] = ws.IA[l] * H[k];
    for (int i = k; i < n; ++i) D.at(i, k) = dot(H[i], U[k]);
    D.at(k, k) += rotor;
    scale[k] = angular * dot(H[k].w, H[k].w) + linear * dot(H[k].v, H[k].v) + rotor;
    u[k] = ws.tau[link.v + k] - dot(H[k], ws.pA[l]);
  }
  for (int k = 0; k < n; ++k) {
    if (!prescribed[link.v + k]) continue;
    ws.zeta[l] += H[k] * prescribed.a[link.v + k];
    for (int i = 0; i < n; ++i) D.at(std::max(i, k), std::min(i, k)) = T(i == k ? 1 : 0);
    scale[k] = T(1);
    U[k] = {};
    u[k] = T(0);
  }
  const bool regular = D.factor(scale);
  for (int k = 0; k < n; ++k) Y[k] = U[k];
  D.solve(Y);
  D.solve(u);

  if (link.parent != ground) {
    ArticulatedInertia<T> Ia = ws.IA[l];
    for (int k = 0; k < n; ++k) Ia.subtract_outer(U[k], Y[k]);
    Force<T> pa = ws.pA[l] + Ia * ws.zeta[l];
    for (int k = 0; k < n; ++k) pa += U[k] * u[k];
    ws.IA[link.parent] += to_parent(link, ws, Ia);
    ws.pA[link.parent] += to_parent(link, ws, pa);
  }
  return regular;
}

template <class T>
DynamicsVerdict eliminate_tip_to_base(const Mechanism& mech, BasicWorkspace<T>& ws, const BasicLoads<T>& loads,
                                      const Prescribed<T>& prescribed) {
  DynamicsVerdict verdict;
  for (int l = mech.link_count() - 1; l >= 0; --l) {
    const Link& link = mech.links[l];
    visit_joint(link.type, link.nv, [&](const auto&, auto n) {
      const bool regular = eliminate_link(link, l, n, ws, loads, prescribed);
      if (!regular && verdict.ok()) verdict.singular_joint = link.joint;  // those nearer the base fail in its wake
    });
  }
  return verdict;
}

// (3)
template <class T>
void accelerations_base_to_tip(const Mechanism& mech, BasicWorkspace<T>& ws, const Prescribed<T>& prescribed, T* a) {
  for (int l = 0; l < mech.link_count(); ++l) {
    const Link& link = mech.links[l];
    const Motion<T> A_in = from_parent(link, ws, ws.A) + ws.zeta[l];  // ζ already holds prescribed accelerations
    ws.A[l] = A_in;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      if (prescribed[k]) continue;
      a[k] = ws.d[k] - dot(A_in, ws.Y[k]);
      ws.A[l] += ws.H[k] * a[k];
    }
  }
}

template <class T>
DynamicsVerdict run(const Mechanism& mech, BasicWorkspace<T>& ws, const T* q, const T* v, const T* tau,
                    const BasicLoads<T>& loads, const Prescribed<T>& prescribed, T* a) {
  assert_scalar_fits<T>(mech);
  std::copy(tau, tau + mech.nv, ws.tau.begin());
  if (loads.friction) add_joint_friction(mech, ws.parameters, v, ws.tau.data());
  velocities_base_to_tip(mech, ws, q, v);
  start_articulated(mech, ws, loads);
  const DynamicsVerdict verdict = eliminate_tip_to_base(mech, ws, loads, prescribed);
  accelerations_base_to_tip(mech, ws, prescribed, a);
  return verdict;
}

}  // namespace

template <class T>
DynamicsVerdict forward_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
                                 const BasicLoads<T>& loads) {
  return run<T>(mech, ws, q.data(), v.data(), tau.data(), loads, {}, a.data());
}

template <class T>
DynamicsVerdict hybrid_dynamics(const Mechanism& mech, BasicWorkspace<T>& ws, In<T> q, In<T> v,
                                std::span<const char> prescribed, Out<T> a, Out<T> tau, const BasicLoads<T>& loads) {
  const DynamicsVerdict verdict =
      run<T>(mech, ws, q.data(), v.data(), tau.data(), loads, {prescribed.data(), a.data()}, a.data());
  // (4); ws.tau holds friction plus whatever stood in tau for the prescribed freedoms, so friction is their difference
  for (int k = 0; k < mech.nv; ++k) {
    if (prescribed[k] == 0) continue;
    const int l = mech.link_of_dof[k];
    const T friction = ws.tau[k] - tau[k];
    tau[k] = dot(ws.H[k], ws.IA[l] * ws.A[l] + ws.pA[l]) + dof_inertia(ws, loads, k) * a[k] - friction;
  }
  return verdict;
}

#define TRAMMEL_INSTANTIATE(T)                                                                                    \
  template DynamicsVerdict forward_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                               const BasicLoads<T>&);                                             \
  template DynamicsVerdict hybrid_dynamics<T>(const Mechanism&, BasicWorkspace<T>&, In<T>, In<T>,                 \
                                              std::span<const char>, Out<T>, Out<T>, const BasicLoads<T>&);
TRAMMEL_INSTANTIATE(double)
TRAMMEL_INSTANTIATE(Dual)
TRAMMEL_INSTANTIATE(Counted)

}  // namespace trammel

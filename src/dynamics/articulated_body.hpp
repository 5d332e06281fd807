// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forward and hybrid dynamics in O(n): Featherstone's articulated-body algorithm, in world axes at O, so that inertias
// pass from child to parent without a congruence.          [Featherstone 2008, ch. 7 and 9.2; McMillan et al. 1995]
//
// Accelerations are counted from those at v̇ = 0, A⁰ = A⁰_P + ζ, so that A = A⁰ + δA: the products of articulated
// inertias with ζ become products of rigid ones with A⁰, which the forces of links contain anyway.
//
// Base to tip: poses, velocities, A⁰, rigid inertias M, and p, the force each link needs at A⁰ (LinkState::F).
// Tip to base, for each link with all its children taken in:
//   IA = M + added inertia + Σ children,    pA = p + Σ children
//   U = IA H,   D = Hᵀ U + armature,   u = τ − Hᵀ pA                                     (1)
//   Ia = IA − U D⁻¹ Uᵀ,   pa = pA + U D⁻¹ u                  to the parent               (2)
// Base to tip:
//   v̇ = D⁻¹ (u − Uᵀ δA_P),   δA = δA_P + H v̇                                            (3)
//
// A freedom k with prescribed v̇_k leaves the elimination: A⁰ takes H_k v̇_k, row and column k of D become those of the
// identity, U_k = u_k = 0. Its force is found at the end:  τ_k = H_k·(IA δA + pA) + armature v̇_k.      (4)

#include "dynamics/link_forces.hpp"
#include "dynamics/small_solve.hpp"
#include "forces/joint_friction.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

template <class T>
struct Prescribed {
  const char* mask = nullptr;  // per freedom; null: none
  const T* a = nullptr;

  bool operator[](int k) const { return mask != nullptr && mask[k] != 0; }
};

// Pose, velocity and A⁰ of a link.
template <class T, class J, class N>
void outward_step(const Tree& tree, int l, const J& joint, N n, const Arrays<T>& ws, const T* q, const T* v,
                  const Prescribed<T>& prescribed) {
  const TreeLink link = tree.links[l];
  const auto placed = position_step(tree, l, joint, n, ws, q);
  const Moving<T> moving = velocity_step(tree, l, joint, n, ws, q, v, placed);
  Motion<T> A = from_parent(link, ws, &LinkState<T>::A) + moving.zeta;
  if (prescribed.mask != nullptr) {
    for (int k = 0; k < n; ++k) {
      if (prescribed[link.v + k]) A += placed.H[k] * prescribed.a[link.v + k];
    }
  }
  ws.links[l].A = A;
}

template <class T>
void start_base_to_tip(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const Prescribed<T>& prescribed) {
  each_joint_base_to_tip(
      tree, [=](int l, const auto& joint, auto n) { outward_step(tree, l, joint, n, ws, q, v, prescribed); });
}

// What a link is by itself, after its outward step: it depends on no other link, so that it is found where it is used, on
// the way back, whose recursion waits for itself and leaves time for it.
template <class T>
struct OwnLink {
  RigidInertia<T> M;
  Force<T> p;
};
template <class T>
OwnLink<T> own_link(const Arrays<T>& ws, int l) {
  const LinkState<T>& L = ws.links[l];
  const LinkInertia<T> at_C = inertia_in_world(ws.parameters.inertia[l], Transform<T>{L.R_WL, L.p_OL});
  return {at_C.at_origin(), newton_euler(at_C, L.V, L.A, ws.parameters.gravity)};
}

// Nothing taken in yet.
template <class T>
void clear_inertias(const Tree& tree, const Arrays<T>& ws) {
  for (int l = 0; l < tree.link_count; ++l) ws.links[l].IA = {}, ws.links[l].size = {};
}
// What the caller adds to forces and inertias of links, after their outward steps.
template <class T>
void add_to_links(const Tree& tree, const Arrays<T>& ws, const LoadArrays<T>& loads) {
  add_loads(tree, ws, loads);
  if (loads.inertias == nullptr) return;
  for_each_moving_body(tree, [&](int b, int l) {
    const ArticulatedInertia<T> added = loads.inertia(b);
    ws.links[l].IA += added;
    ws.links[l].size += InertiaSize<T>::of(added);
  });
}

// c + V·F, in two sums side by side: whatever follows waits for D.
template <class T>
T plus_dot(const T& c, const Motion<T>& V, const Force<T>& F) {
  return (c + V.w.x * F.n.x + V.w.y * F.n.y + V.w.z * F.n.z) + dot(V.v, F.f);
}

// (1), (2) for the freedoms from v on of a link that has taken in all its children: IA and pA become what the parent gets, if there is
// one. False (in lanes: a mask) where D is singular. `tau` null: joint forces are those of FreedomState. `keep` sees D, whole and factored.
template <class T, class N, class Keep>
auto eliminate_freedoms(int v, N n, const Arrays<T>& ws, const T* tau, const LoadArrays<T>& loads,
                        const Prescribed<T>& prescribed, const InertiaSize<T>& size, bool has_parent,
                        ArticulatedInertia<T>& IA, Force<T>& pA, const Keep& keep) {
  std::array<Force<T>, N::value> U;
  std::array<T, N::value> scale;
  SmallFactor<T, N::value> D;
  std::array<T, N::value> u;
  std::array<Force<T>, N::value> Y;
  FreedomState<T>* freedoms = &ws.freedoms[v];

  for (int k = 0; k < n; ++k) {
    const Motion<T>& H = freedoms[k].H;
    const T rotor = dof_inertia(ws, loads, v + k);
    U[k] = IA * H;
    D.at(k, k) = plus_dot(rotor, H, U[k]);
    for (int i = k + 1; i < n; ++i) D.at(i, k) = dot(freedoms[i].H, U[k]);
    scale[k] = size.along(H) + rotor;
    u[k] = (tau != nullptr ? tau[v + k] : freedoms[k].tau) - dot(H, pA);
  }
  if (prescribed.mask != nullptr) {
    for (int k = 0; k < n; ++k) {
      if (!prescribed[v + k]) continue;
      for (int i = 0; i < n; ++i) D.at(std::max(i, k), std::min(i, k)) = T(i == k ? 1 : 0);
      scale[k] = T(1);
      U[k] = {};
      u[k] = T(0);
    }
  }
  const SmallFactor<T, N::value> whole = D;
  const auto regular = D.factor(scale);
  keep(whole, D);
  Y = U;
  D.solve(Y);
  D.solve(u);
  for (int k = 0; k < n; ++k) {
    freedoms[k].Y = Y[k];
    freedoms[k].d = u[k];
  }
  if (has_parent) {
    for (int k = 0; k < n; ++k) {
      IA.subtract_outer(Y[k], U[k]);  // the sum over k is symmetric
      pA += U[k] * u[k];
    }
  }
  return regular;
}

// A link before its freedoms are eliminated: its inertia, the force it needs at A, and how large the numbers are.
template <class T>
struct GatheredLink {
  ArticulatedInertia<T> IA;
  Force<T> pA;
  InertiaSize<T> size;
};
// What the caller has added to the bodies on a link: inertia, and the force needed at A.
template <class T>
struct LinkLoads {
  ArticulatedInertia<T> inertia;
  Force<T> p;
};
template <class T>
LinkLoads<T> loads_on_link(int l, const Arrays<T>& ws, const LoadArrays<T>& loads) {
  const int first = ws.first_body[l];
  if (first < 0) return {};
  LinkLoads<T> on_link;
  if (loads.inertias != nullptr) {
    on_link.inertia = loads.inertia(first);
    for (int b = ws.next_body[first]; b >= 0; b = ws.next_body[b]) on_link.inertia += loads.inertia(b);
    on_link.p = on_link.inertia * ws.links[l].A;
  }
  for (int b = first; b >= 0; b = ws.next_body[b]) {
    if (loads.biases != nullptr) on_link.p += loads.bias(b);
    if (loads.wrenches != nullptr) on_link.p -= loads.wrench(b);
  }
  return on_link;
}

// With what the caller has added to it, and all its children, where it says that it has some: F, IA and size of `taken` hold what these and
// the caller have brought there.
template <class T>
GatheredLink<T> gathered(const TreeLink& link, const OwnLink<T>& own, const LinkState<T>& taken) {
  if (!link.has_children) return {ArticulatedInertia<T>::of(own.M), own.p, InertiaSize<T>::of(own.M)};
  GatheredLink<T> all{taken.IA + own.M, own.p + taken.F, InertiaSize<T>::of(own.M)};
  all.size += taken.size;
  all.size = all.size.judged(all.IA);
  return all;
}
template <class T>
GatheredLink<T> gathered(const TreeLink& link, const OwnLink<T>& own, const LinkLoads<T>& on_link,
                         const LinkState<T>& taken) {
  GatheredLink<T> all{on_link.inertia + own.M, own.p + on_link.p, InertiaSize<T>::of(own.M)};
  all.size += InertiaSize<T>::of(on_link.inertia);
  if (link.has_children) {
    all.IA += taken.IA;
    all.pA += taken.F;
    all.size += taken.size;
  }
  all.size = all.size.judged(all.IA);
  return all;
}

// What else becomes of what is found on the way: nothing.
struct KeepNothing {
  void link(const auto& /*own*/, int /*l*/) const {}
  void joint(const auto& /*D*/, const auto& /*factored*/, int /*v*/) const {}
};

// (1), (2) for one link of the tree: `all` becomes what goes to the parent, which P receives.
template <class T, class N, class Keep = KeepNothing>
auto eliminate_gathered(const TreeLink& link, int l, N n, const Arrays<T>& ws, const T* tau, const LoadArrays<T>& loads,
                        const Prescribed<T>& prescribed, GatheredLink<T>& all, LinkState<T>& P, const Keep& keep = {}) {
  auto& [IA, pA, size] = all;
  if (prescribed.mask != nullptr) ws.links[l].IA = IA, ws.links[l].F = pA;
  const auto keep_joint = [&](const auto& D, const auto& factored) { keep.joint(D, factored, link.v); };
  const auto regular =
      eliminate_freedoms(link.v, n, ws, tau, loads, prescribed, size, link.parent >= 0, IA, pA, keep_joint);
  if (link.parent >= 0) {
    if (link.opens_point) {
      IA = to_parent(link, ws, IA);
      pA = to_parent(link, ws, pA);
      size = to_parent(link, ws, size);
    }
    if (link.is_last_child) {
      P.IA = IA;
      P.F = pA;
      P.size = size;
    } else {
      P.IA += IA;
      P.F += pA;
      P.size += size;
    }
  }
  return regular;
}
template <class T, class N>
auto eliminate_link(const TreeLink& link, int l, N n, const Arrays<T>& ws, const T* tau, const LoadArrays<T>& loads,
                    const Prescribed<T>& prescribed, const OwnLink<T>& own, const LinkState<T>& taken,
                    LinkState<T>& P) {
  GatheredLink<T> all = gathered(link, own, taken);
  return eliminate_gathered(link, l, n, ws, tau, loads, prescribed, all, P);
}

// Whether link l is the only child of the one before it. Along such chains inertias are handed from link to link in one place, behind the
// states of all links, which stays in the cache next to the processor; each in its own link would be 29 numbers a link more to pass through.
inline bool is_handed_over(const Tree& tree, int l) {
  return tree.links[l].parent == l - 1 && tree.links[l].is_last_child;
}

// Returns the joint nearest the tip whose inertia vanishes, or −1, as a number per lane.
template <class T, class Keep = KeepNothing>
T eliminate_tip_to_base(const Tree& tree, const Arrays<T>& ws, const T* tau, const LoadArrays<T>& loads,
                        const Prescribed<T>& prescribed, const Keep& keep = {}) {
  T singular_joint(-1);
  each_link_tip_to_base(tree, [=, verdict = &singular_joint](int l, auto n) {
    TreeLink link = tree.links[l];
    if (loads.in_links) link.has_children = true, link.is_last_child = false;  // loads came before all children
    const bool from_hand = !loads.in_links && l + 1 < tree.link_count && is_handed_over(tree, l + 1);
    const bool into_hand = !loads.in_links && is_handed_over(tree, l);
    LinkState<T>& hand = ws.links[tree.link_count];
    const LinkState<T>& taken = from_hand ? hand : ws.links[l];
    LinkState<T>& P = into_hand ? hand : ws.links[std::max(link.parent, 0)];
    const OwnLink<T> own = own_link(ws, l);
    keep.link(own, l);
    GatheredLink<T> all =
        loads.act_on_bodies() ? gathered(link, own, loads_on_link(l, ws, loads), taken) : gathered(link, own, taken);
    const auto regular = eliminate_gathered(link, l, n, ws, tau, loads, prescribed, all, P, keep);
    // The first one found is named: those nearer the base fail in its wake.
    *verdict = select(regular, *verdict, select(*verdict < T(0), T(link.joint), *verdict));
  });
  return singular_joint;
}

// (3)
template <class T>
void accelerate_base_to_tip(const Tree& tree, const Arrays<T>& ws, const Prescribed<T>& prescribed, T* a) {
  each_link_base_to_tip(tree, [=](int l, auto n) {
    const TreeLink& link = tree.links[l];
    const Motion<T> dA_P = from_parent(link, ws, &LinkState<T>::dA);
    Motion<T> dA = dA_P;
    for (int k = link.v; k < link.v + n; ++k) {
      if (prescribed[k]) continue;
      const FreedomState<T>& freedom = ws.freedoms[k];
      a[k] = freedom.d - dot(dA_P, freedom.Y);
      dA += freedom.H * a[k];
    }
    ws.links[l].dA = dA;
    if constexpr (KeptFor<T>::accelerations) ws.links[l].A += dA;
  });
}

template <class T>
bool takes_friction(const Arrays<T>& ws, const LoadArrays<T>& loads) {
  return loads.friction && ws.parameters.has_friction;
}

// Gives the accelerations and the verdict: the joint nearest the tip whose inertia vanishes, or −1.
template <class T, class Keep = KeepNothing>
T articulated_body(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const T* tau, T* a,
                   const LoadArrays<T>& loads, const Prescribed<T>& prescribed = {}, const Keep& keep = {}) {
  if (takes_friction(ws, loads)) {
    for (int k = 0; k < tree.nv; ++k) ws.freedoms[k].tau = tau[k] + friction_of_freedom(tree, ws.parameters, v, k);
  }
  if (!loads.after_velocities || prescribed.mask != nullptr) start_base_to_tip(tree, ws, q, v, prescribed);
  const T singular_joint =
      eliminate_tip_to_base(tree, ws, takes_friction(ws, loads) ? nullptr : tau, loads, prescribed, keep);
  accelerate_base_to_tip(tree, ws, prescribed, a);
  return singular_joint;
}

// The same where prescribed freedoms have `a` given and `tau` found.
template <class T>
T hybrid_articulated_body(const Tree& tree, const Arrays<T>& ws, const T* q, const T* v, const char* prescribed, T* a,
                          T* tau, const LoadArrays<T>& loads) {
  const T singular_joint = articulated_body(tree, ws, q, v, tau, a, loads, {prescribed, a});
  for (int k = 0; k < tree.nv; ++k) {  // (4)
    if (prescribed[k] == 0) continue;
    const LinkState<T>& L = ws.links[tree.link_of_dof[k]];
    const FreedomState<T>& freedom = ws.freedoms[k];
    const T friction = takes_friction(ws, loads) ? friction_of_freedom(tree, ws.parameters, v, k) : T(0);
    tau[k] = dot(freedom.H, L.IA * L.dA + L.F) + dof_inertia(ws, loads, k) * a[k] - friction;
  }
  return singular_joint;
}

}  // namespace trammel

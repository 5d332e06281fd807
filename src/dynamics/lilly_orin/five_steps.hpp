// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The algorithm of Lilly and Orin, step by step.     [Lilly & Orin, "O(N) Recursive Algorithm for the Computation of Simple Closed-Chain
// Robotic Mechanism Dynamics", 1989; the rank treatment and the formula for Λ⁻¹ without a forward pass are ours]
//
// A chain k without the reference member is open. With f the force it exerts there, −f acts on its tip:
//   ẍ_tip = ẍ_open − Λ⁻¹ f,    f = φ h + φᶜ h_c                                     h known: drives and friction of the tip joint
//   φᶜᵀ (ẍ_0 − ẍ_tip) = α     ⇒     K h_c = S − φᶜᵀ ẍ_0,    K = φᶜᵀ Λ⁻¹ φᶜ,   S = α + φᶜᵀ ẍ_open
//   I_0 ẍ_0 + p_0 = Σ f       ⇒     (I_0 + Σ φᶜ K⁻¹ φᶜᵀ) ẍ_0 = Σ φᶜ K⁻¹ S − p_0 + Σ φ h
// All 6-vectors are in world axes at shared points, so that the paper's transformations X_0^k drop out; ẍ stands for δA.
//
//   1  open chains        U = IA H, D = Hᵀ U + armature, u = τ − Hᵀ(pA + IA c), Ia = IA − U D⁻¹ Uᵀ, pa = pA + IA c + U D⁻¹ u     tip to base
//   2  force propagation  E = φᶜ at the tip; E_before = (1 − U D⁻¹ Hᵀ) E                                                        tip to base
//                         K = Σ (HᵀE)ᵀ D⁻¹ (HᵀE),    φᶜᵀ ẍ_open = Σ (HᵀE)ᵀ D⁻¹ u + Eᵀ c:  by duality, so no forward pass is needed
//   3  shares             K = L Δ Lᵀ, W = L⁻¹ φᶜᵀ, y = L⁻¹ S:    φᶜ K⁻¹ φᶜᵀ = Wᵀ Δ⁻¹ W,   φᶜ K⁻¹ S = Wᵀ Δ⁻¹ y
//   4  reference member   the equation above, 6×6; where a K is singular: reference_member.hpp
//   5  chains again       h_c = L⁻ᵀ Δ⁻¹ (y − W ẍ_0);  v̇ = D⁻¹ u − D⁻¹ (HᵀE) h_c − D⁻¹ Uᵀ δA_before,  δA = δA_before + c + H v̇                        base to tip
//
// A leg (ChainPlan::is_leg) is walked the other way: the open chain hangs on the reference member, and its tip is held by the support. With
// its articulated inertia I and force p there, and E = φᶜ propagated to it, φᶜᵀ ẍ_tip = φᶜᵀ ẍ_open + Eᵀ ẍ_0 + K h_c, so that E stands for φᶜ:
//   K h_c = S − Eᵀ ẍ_0,   S = α − φᶜᵀ ẍ_open,      (I_0 + Σ I + E K⁻¹ Eᵀ) ẍ_0 = Σ E K⁻¹ S − p_0 − Σ p
// A foot that is a ball has three rows where the hip, a hinge, has five.
//
// A freedom of a tip joint with a rotor J is one more row of φᶜ: its force y_r = τ − J v̇ obeys (K + 1/J) y_r = …, that is, a
// constraint with the compliance 1/J; it is scaled by √J, so that K gets a 1 on its diagonal and S gets τ/√J. One that moves as
// prescribed is a plain row.

#include <algorithm>

#include "dynamics/lilly_orin/tips.hpp"

namespace trammel {

// LinkState::M and F of a link by itself. Those of plain chains are found where they are used (plain_chain.hpp).
template <class T>
void keep_own_link(const Arrays<T>& ws, int l) {
  const OwnLink<T> own = own_link(ws, l);
  ws.links[l].M = own.M;
  ws.links[l].F = own.p;
}

// Poses, velocities, A⁰, inertias and forces of links that are given from the base outward, their parents done.
template <class T>
TRAMMEL_KERNEL void step_outward(const StarContext<T>& x, std::span<const int> links, const T* q, const T* v) {
  for (const int l : links) {
    visit_joint(x.tree, l, [&](const auto& joint, auto n) {
      outward_step(x.tree, l, joint, n, x.ws, q, v, x.prescribed);
      if (x.plan.is_in_plain_chain[l] == 0) keep_own_link(x.ws, l);
    });
  }
}

// --- step 1: the open chain, tip to base -------------------------------------------------------------------------------

// Columns of a chain joint, and the bias of one that was cut.
template <class T>
void place_chain_joint(const StarContext<T>& x, const ChainLink& step, ChainFreedom<T>* freedoms) {
  if (step.closure >= 0) {
    const Closed<T> closed = close_joint(x.tree, x.ws, x.plan.closures[step.closure], step.link, Wanted::basis);
    for (int k = 0; k < step.nv; ++k) freedoms[k].H = closed.H[k];
    x.star.bias[step.bias] = step.second_is_here ? closed.c : -closed.c;
    return;
  }
  for (int k = 0; k < step.nv; ++k) {
    const Motion<T>& H = x.ws.freedoms[step.dof + k].H;
    freedoms[k].H = step.against ? -at_point_of(x.tree, x.ws, H, step.before, step.link) : H;
    if (x.prescribed[step.dof + k]) freedoms[k].H = {};
  }
}

template <class T, class N>
void eliminate_chain_link(const StarContext<T>& x, const ChainLink& step, N n, Grip<T>& grip,
                          const InertiaSize<T>& size, ArticulatedInertia<T>& IA, Force<T>& pA) {
  ChainFreedom<T>* freedoms = &x.star.freedoms[step.freedom];
  SmallFactor<T, N::value> D;
  std::array<Force<T>, N::value> U, Y;
  std::array<T, N::value> u, scale;
  for (int k = 0; k < n; ++k) {
    const Motion<T>& H = freedoms[k].H;
    U[k] = IA * H;
    for (int i = k; i < n; ++i) D.at(i, k) = dot(freedoms[i].H, U[k]);
    scale[k] = size.along(H);
    u[k] = -dot(H, pA);
    if (step.dof < 0) continue;
    const int dof = step.dof + k;
    if (x.prescribed[dof]) {
      D.at(k, k) = scale[k] = T(1);
      u[k] = T(0);
      continue;
    }
    const T rotor = dof_inertia(x.ws, x.loads, dof);
    u[k] += x.ws.freedoms[dof].tau;
    if (is_zero(rotor)) continue;
    D.at(k, k) += rotor;
    scale[k] += rotor;
  }
  if (!D.factor(scale) && grip.singular_joint < 0) {
    grip.singular_joint =
        step.closure >= 0 ? x.plan.closures[step.closure].joint : x.tree.links[x.tree.link_of_dof[step.dof]].joint;
  }
  Y = U;
  D.solve(Y);
  D.solve(u);
  for (int k = 0; k < n; ++k) {
    freedoms[k].Y = Y[k];
    freedoms[k].d = u[k];
    grip.scale += squared_size(freedoms[k].H, x.plan.length) * value_of(D.at(k, k));
    for (int i = k; i < n; ++i) x.star.factors[step.factor + n * i + k] = D.at(i, k);
  }
  if (step.before == -1 || x.plan.is_support[step.before]) return;
  for (int k = 0; k < n; ++k) {
    IA.subtract_outer(Y[k], U[k]);  // the sum over k is symmetric
    pA += U[k] * u[k];
  }
}

// A block: IA and pA are those of its exit, and become those that its entry gets from it.
template <class T>
void eliminate_block(const StarContext<T>& x, const ChainLink& step, Grip<T>& grip, InertiaSize<T>& size,
                     ArticulatedInertia<T>& IA, Force<T>& pA) {
  const BlockPlan& block = x.plan.blocks[step.block];
  BlockState<T>& s = x.star.blocks[step.block];
  place_block_joints(x.tree, x.ws, x.plan, block, s);
  reduce_block(x.plan, block, place_block_rows(x.tree, x.ws, x.plan, block, s), s);
  measure_block_motions(x.plan, block, s);
  place_block_bodies(x.plan, block, s);

  const int n = block.freedom_count, m = static_cast<int>(s.z_count);
  T* D = &x.star.factors[step.factor];
  std::fill(D, D + m * m, T(0));
  for (int z = 0; z < m; ++z) s.U[z] = {}, s.u[z] = s.scale[z] = T(0);
  for (const ChainLink& carried : block.links) {
    if (carried.dof < 0) continue;
    for (int f = 0; f < carried.nv; ++f) {
      const int y = carried.freedom + f, dof = carried.dof + f;
      const T rotor = dof_inertia(x.ws, x.loads, dof);
      const T* N = &s.N[y * n];
      const T tau = x.ws.freedoms[dof].tau - rotor * s.y_p[y];
      for (int z = 0; z < m; ++z) {
        s.u[z] += N[z] * tau;
        if (is_zero(rotor)) continue;
        const T JN = N[z] * rotor;
        for (int i = z; i < m; ++i) D[m * i + z] += N[i] * JN;
        s.scale[z] += N[z] * JN;
      }
    }
  }
  const InertiaSize<T> size_of_exit = size;
  ArticulatedInertia<T> I_all = IA;
  Force<T> p_all = pA;
  for (std::size_t b = 0; b < block.links.size(); ++b) {
    const ChainLink& carried = block.links[b];
    const bool is_exit = carried.link == block.exit();
    ArticulatedInertia<T> I = IA;
    InertiaSize<T> size_b = size_of_exit;
    Force<T> p = pA;
    if (!is_exit) {
      const LinkState<T>& L = x.ws.links[carried.link];
      I = ArticulatedInertia<T>::of(L.M);
      size_b = InertiaSize<T>::of(L.M);
      if (carried.collects || x.loads.inertias != nullptr) I += L.IA, size_b += L.size;
      I = at_point_of(x.tree, x.ws, I, carried.link, block.exit());
      size_b = at_point_of(x.tree, x.ws, size_b, carried.link, block.exit());
      size += size_b;
      p = at_point_of(x.tree, x.ws, L.F, carried.link, block.exit());
      I_all += I;
      p_all += p;
    }
    const Force<T> carries = I * s.c[b];
    p += carries;
    p_all += carries;
    const Motion<T>* H_b = &s.H_b[b * n];
    for (int z = 0; z < m; ++z) {
      const Force<T> IH = I * H_b[z];
      s.U[z] += IH;
      for (int i = z; i < m; ++i) D[m * i + z] += dot(H_b[i], IH);
      s.u[z] -= dot(H_b[z], p);
      s.scale[z] += size_b.along(H_b[z]);
    }
  }
  if (!factor_square(D, m, s.scale) && grip.singular_joint < 0) grip.singular_joint = block.joints.front();

  IA = I_all;
  pA = p_all;
  ChainFreedom<T>* freedoms = &x.star.freedoms[step.freedom];
  x.star.bias[step.bias] = s.c[block.exit_index];
  for (int z = 0; z < m; ++z) {
    freedoms[z].H = s.H_b[block.exit_index * n + z];
    freedoms[z].Y = s.U[z];
    freedoms[z].d = s.u[z];
    grip.scale += squared_size(freedoms[z].H, x.plan.length) * value_of(D[m * z + z]);
  }
  solve_freedoms(D, m, freedoms, &ChainFreedom<T>::Y);
  solve_freedoms(D, m, freedoms, &ChainFreedom<T>::d);
  for (int z = 0; z < m; ++z) {
    IA.subtract_outer(freedoms[z].Y, s.U[z]);  // the sum over z is symmetric
    pA += s.U[z] * freedoms[z].d;
  }
}

template <class T>
void accelerate_block(const StarContext<T>& x, const ChainLink& step, const Grip<T>& grip, const Motion<T>& dA_entry,
                      T* a) {
  const BlockPlan& block = x.plan.blocks[step.block];
  BlockState<T>& s = x.star.blocks[step.block];
  const ChainFreedom<T>* freedoms = &x.star.freedoms[step.freedom];
  const int n = block.freedom_count, m = static_cast<int>(s.z_count);
  std::copy(s.y_p, s.y_p + n, s.y);
  for (int z = 0; z < m; ++z) {
    T vdot = freedoms[z].d - dot(dA_entry, freedoms[z].Y);
    for (int j = 0; j < grip.rows; ++j) vdot -= x.star.omega[step.freedom + z][j] * grip.h[j];
    s.u[z] = vdot;
    for (int k = 0; k < n; ++k) s.y[k] += s.N[k * n + z] * vdot;
  }
  for (std::size_t b = 0; b < block.links.size(); ++b) {
    const ChainLink& carried = block.links[b];
    LinkState<T>& L = x.ws.links[carried.link];
    Motion<T> dA = dA_entry + s.c[b];
    for (int z = 0; z < m; ++z) dA += s.H_b[b * n + z] * s.u[z];
    L.dA = at_point_of(x.tree, x.ws, dA, block.exit(), carried.link);
    L.A += L.dA;
    for (int f = 0; f < carried.nv && carried.dof >= 0; ++f) a[carried.dof + f] = s.y[carried.freedom + f];
  }
}

// Of tips that stand on a link.
template <class T>
void add_known_forces(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment, int link,
                      Force<T>& pA) {
  const int first = chain.first_tip + segment.first_tip;
  for (int t = first; t < first + segment.tip_count; ++t) {
    const TipJoint<T>& joint = x.star.tips[t];
    if (!joint.has_known || x.plan.tips[t].link != link) continue;
    pA += chain.is_leg ? -joint.known : at_point_of(x.tree, x.ws, joint.known, x.plan.reference, link);
  }
}

// From the last link of a segment to its first; what is left of it goes to the link that it leaves.
template <class T>
void eliminate_segment(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment, Grip<T>& grip) {
  ArticulatedInertia<T> IA;
  InertiaSize<T> size;
  Force<T> pA;
  const int last = segment.first + segment.count - 1;
  for (int i = last; i >= segment.first; --i) {
    const ChainLink& step = x.plan.links[i];
    const LinkState<T>& L = x.ws.links[step.link];
    if (i == last) {
      IA = ArticulatedInertia<T>::of(L.M);
      pA = L.F;
      add_known_forces(x, chain, segment, step.link, pA);
    } else {
      IA = at_point_of(x.tree, x.ws, IA, x.plan.links[i + 1].link, step.link) + L.M;
      pA = at_point_of(x.tree, x.ws, pA, x.plan.links[i + 1].link, step.link) + L.F;
      size = at_point_of(x.tree, x.ws, size, x.plan.links[i + 1].link, step.link);
    }
    size += InertiaSize<T>::of(L.M);
    if (step.collects || x.loads.inertias != nullptr) IA += L.IA, size += L.size;
    size = size.judged(IA);
    if (step.block >= 0) {
      eliminate_block(x, step, grip, size, IA, pA);
      continue;
    }
    place_chain_joint(x, step, &x.star.freedoms[step.freedom]);
    if (step.closure >= 0) pA += IA * x.star.bias[step.bias];
    visit_freedoms(step.nv, [&](auto n) { eliminate_chain_link(x, step, n, grip, size, IA, pA); });
  }
  const auto taken_at = [&](const auto& quantity, int link) {
    return at_point_of(x.tree, x.ws, quantity, x.plan.links[segment.first].link, link);
  };
  if (chain.is_leg) {
    grip.carried_inertia = taken_at(IA, x.plan.reference);
    grip.carried_force = taken_at(pA, x.plan.reference);
  } else if (segment.onto >= 0) {
    LinkState<T>& onto = x.ws.links[segment.onto];
    onto.IA += taken_at(IA, segment.onto);
    onto.F += taken_at(pA, segment.onto);
    onto.size += taken_at(size, segment.onto);
  }
}

template <class T>
void eliminate_open_chain(const StarContext<T>& x, int k) {
  const ChainPlan& chain = x.plan.chains[k];
  Grip<T>& grip = x.star.grips[k];
  grip.scale = 0;
  grip.singular_joint = -1;
  for (int s = chain.first_segment + chain.segment_count - 1; s >= chain.first_segment; --s) {
    if (chain.is_plain) {
      eliminate_plain_segment(x, chain, x.plan.segments[s], grip);
    } else {
      eliminate_segment(x, chain, x.plan.segments[s], grip);
    }
  }
}

// --- step 2: forces at the tip, propagated to the base -----------------------------------------------------------------

// K and φᶜᵀ ẍ_open as they grow on the way to the base.
template <class T, int rows>
struct PropagatedForces {
  std::array<Force<T>, rows> E;
  std::array<T, rows> S;
  std::array<std::array<T, rows>, rows> K;  // lower triangle
};

template <class T, class N, int rows, class Freedom>
void propagate_through_joint(const Freedom* freedoms, const T* factors, Omega<T>* omega, N n, int first_row,
                             bool goes_on, PropagatedForces<T, rows>& at) {
  SmallFactor<T, N::value> D;
  for (int k = 0; k < n; ++k) {
    for (int i = k; i < n; ++i) D.at(i, k) = factors[n * i + k];
  }
  std::array<std::array<T, N::value>, rows> HE;
  for (int j = 0; j < rows; ++j) {
    for (int k = 0; k < n; ++k) {
      HE[j][k] = dot(freedoms[k].H, at.E[j]);
      at.S[j] += HE[j][k] * freedoms[k].d;
    }
    std::array<T, N::value> DHE = HE[j];
    D.solve(DHE);
    for (int k = 0; k < n; ++k) {
      omega[k][first_row + j] = DHE[k];
      if (goes_on) at.E[j] -= freedoms[k].Y * HE[j][k];
      for (int i = 0; i <= j; ++i) at.K[j][i] += DHE[k] * HE[i][k];
    }
  }
}

template <class T, int rows>
void propagate_through_block(const ChainLink& step, const StarArrays<T>& star, PropagatedForces<T, rows>& at) {
  ChainFreedom<T>* freedoms = &star.freedoms[step.freedom];
  BlockState<T>& s = star.blocks[step.block];
  const int m = static_cast<int>(s.z_count);
  const T* D = &star.factors[step.factor];
  for (int j = 0; j < rows; ++j) {
    for (int z = 0; z < m; ++z) s.scale[z] = s.HE[j * m + z] = dot(freedoms[z].H, at.E[j]);
    solve_square(D, m, s.scale);
    for (int z = 0; z < m; ++z) {
      star.omega[step.freedom + z][j] = s.scale[z];
      at.S[j] += s.HE[j * m + z] * freedoms[z].d;
      for (int i = 0; i <= j; ++i) at.K[j][i] += s.scale[z] * s.HE[i * m + z];
    }
    for (int z = 0; z < m; ++z) at.E[j] -= freedoms[z].Y * s.HE[j * m + z];
  }
}

// Rows of the tips beyond a segment, from its last link to its first.
template <class T, class N>
void propagate_segment(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment, Grip<T>& grip,
                       int first_row, N) {
  constexpr int rows = N::value;
  PropagatedForces<T, rows> at;
  for (int j = 0; j < rows; ++j) {
    at.E[j] = grip.E[first_row + j];
    at.S[j] = grip.S[first_row + j];
    for (int i = 0; i <= j; ++i) at.K[j][i] = grip.K[6 * (first_row + j) + first_row + i];
  }
  int before = -2;  // rows are at the point of the first link they meet
  for (int i = segment.first + segment.count - 1; i >= segment.first; --i) {
    const ChainLink& step = x.plan.links[i];
    if (before != -2 && !share_point(x.tree, before, step.link)) {
      const Vec3<T> p = between_points(x.tree, x.ws, before, step.link);
      for (int j = 0; j < rows; ++j) at.E[j] = shift(at.E[j], p);
    }
    before = step.link;
    if (step.bias >= 0) {
      for (int j = 0; j < rows; ++j) at.S[j] += dot(x.star.bias[step.bias], at.E[j]);
    }
    if (step.block >= 0) propagate_through_block(step, x.star, at);
    visit_freedoms(step.nv, [&](auto n) {
      propagate_through_joint(&x.star.freedoms[step.freedom], &x.star.factors[step.factor], &x.star.omega[step.freedom],
                              n, first_row, true, at);
    });
  }
  const int onto = chain.is_leg ? x.plan.reference : segment.onto;
  for (int j = 0; j < rows; ++j) {
    grip.E[first_row + j] = onto < 0 ? at.E[j] : at_point_of(x.tree, x.ws, at.E[j], before, onto);
    grip.S[first_row + j] = at.S[j];
    for (int i = 0; i <= j; ++i) grip.K[6 * (first_row + j) + first_row + i] = at.K[j][i];
  }
}

// The rows of a segment's tips in Grip: first, and end.
template <class T>
std::pair<int, int> rows_of(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment) {
  if (segment.tip_count == 0) return {0, 0};
  const TipJoint<T>& first = x.star.tips[chain.first_tip + segment.first_tip];
  const TipJoint<T>& last = x.star.tips[chain.first_tip + segment.first_tip + segment.tip_count - 1];
  return {static_cast<int>(first.first_row), static_cast<int>(last.first_row + last.rows)};
}

template <class T>
void propagate_forces(const StarContext<T>& x, int k) {
  const ChainPlan& chain = x.plan.chains[k];
  Grip<T>& grip = x.star.grips[k];
  if (grip.is_ball) {
    propagate_ball(x, chain, grip);
    return;
  }
  for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
    const TipJoint<T>& joint = x.star.tips[t];
    const int link = x.plan.tips[t].link, from = chain.is_leg ? link : x.plan.reference;
    for (int j = static_cast<int>(joint.first_row); j < joint.first_row + joint.rows; ++j) {
      grip.E[j] = link == -1 ? grip.C[j] : at_point_of(x.tree, x.ws, grip.C[j], from, link);
    }
  }
  for (int j = 0; j < grip.rows; ++j) {
    grip.S[j] = grip.alpha[j];
    for (int i = 0; i < j; ++i) grip.K[6 * j + i] = T(0);
    grip.K[7 * j] = T(grip.rotor[j] ? 1 : 0);
  }
  for (int s = chain.first_segment + chain.segment_count - 1; s >= chain.first_segment; --s) {
    const SegmentPlan& segment = x.plan.segments[s];
    const auto rows = rows_of(x, chain, segment);
    visit_freedoms(rows.second - rows.first, [&](auto n) {
      if (chain.is_plain) {
        propagate_plain_segment(x, chain, segment, grip, rows.first, n);
      } else {
        propagate_segment(x, chain, segment, grip, rows.first, n);
      }
    });
  }
  if (!chain.is_leg) return;
  for (int j = 0; j < grip.rows; ++j) {
    grip.S[j] = grip.alpha[j] + grip.alpha[j] - grip.S[j];  // what was added to α is taken from it
    grip.C[j] = grip.E[j];
  }
}

// --- step 3: each chain's share in the equation of the reference member ------------------------------------------------

// Below this pivot, over the diagonal entry and over the chain's own scale, ranks are looked at with care.
inline constexpr double weak_pivot = 1e-6;

// Smaller than this, over what is expected of it, a pivot is zero: its row follows from the others. Between the two nobody can tell.
inline constexpr double null_pivot = 1e-14;

// Adds row j of W and y, found, to the share.
template <class T>
void add_to_share(const Grip<T>& grip, int j, Share<T>& share) {
  const Force<T> scaled = grip.W[j] * grip.inverse_delta[j];
  if (j == 0) {
    share.inertia = outer_product(scaled, grip.W[0]);
    share.force = scaled * grip.y[0];
  } else {
    share.inertia.subtract_outer(-scaled, grip.W[j]);
    share.force += scaled * grip.y[j];
  }
}

// A row of K with what goes along with it in the elimination, as plain numbers, which compilers turn into SIMD.
template <class T>
struct EliminatedRow {
  T number[16];  // of K; y, and nothing; W: moment, nothing, force, nothing

  static constexpr int y = 6, n = 8, f = 12;

  void set_W(const Force<T>& F) {
    const auto moment = components(F.n), force = components(F.f);
    for (int i = 0; i < 3; ++i) number[n + i] = moment[i], number[f + i] = force[i];
    number[7] = number[n + 3] = number[f + 3] = T(0);
  }
  Force<T> W() const { return {{number[n], number[n + 1], number[n + 2]}, {number[f], number[f + 1], number[f + 2]}}; }
  void subtract(const T& factor, const EliminatedRow& other) {
    for (int i = 0; i < 16; ++i) number[i] -= factor * other.number[i];
  }
};

// K = L Δ Lᵀ with the largest pivot that is left, over what is expected of it, at each step, as far as they go. W and y are eliminated along.
template <class T>
void find_share_with_null_rows(Grip<T>& grip, Share<T>& share) {
  const int n = grip.rows;
  std::array<EliminatedRow<T>, 6> rows;
  std::array<std::array<T, 6>, 6> L;  // by row as given
  std::array<double, 6> expected;
  std::array<bool, 6> done{};
  for (int j = 0; j < n; ++j) {
    expected[j] = grip.rotor[j] ? 1 : grip.scale * grip.size[j];
    for (int i = 0; i < 6; ++i) {
      rows[j].number[i] = i >= n ? T(0) : grip.K[i <= j ? 6 * j + i : 6 * i + j];
    }
    rows[j].number[EliminatedRow<T>::y] = grip.S[j];
    rows[j].set_W(grip.C[j]);
  }
  double largest = 0;
  grip.least_pivot = 1;
  int rank = 0;
  const auto place = [&](int row, int position) {
    grip.order[position] = row;
    grip.W[position] = rows[row].W();
    grip.y[position] = rows[row].number[EliminatedRow<T>::y];
    for (int k = 0; k < std::min(position, rank); ++k) grip.L[6 * position + k] = L[row][k];
    done[row] = true;
  };
  for (; rank < n; ++rank) {
    int best = -1;
    double ratio = -1;
    for (int j = 0; j < n; ++j) {
      const double r = value_of(rows[j].number[j]) / expected[j];
      if (!done[j] && r > ratio) ratio = r, best = j;
    }
    if (rank == 0) largest = ratio;
    if (!(ratio > weak_pivot)) {
      grip.weak = !(ratio <= null_pivot && expected[best < 0 ? 0 : best] > 0);
      break;
    }
    grip.least_pivot = ratio / largest;
    place(best, rank);
    grip.inverse_delta[rank] = T(1) / rows[best].number[best];
    add_to_share(grip, rank, share);
    for (int j = 0; j < n; ++j) {
      if (done[j]) continue;
      L[j][rank] = rows[j].number[best] * grip.inverse_delta[rank];
      rows[j].subtract(L[j][rank], rows[best]);
    }
  }
  if (grip.weak) return;
  grip.null = n - rank;
  for (int j = 0, position = rank; j < n; ++j) {
    if (!done[j]) place(j, position++);
  }
}

// False where K is singular, or nearly.
template <class T, class N>
bool find_regular_share(Grip<T>& grip, N n, Share<T>& share) {
  SmallFactor<T, N::value> K;
  std::array<T, N::value> scale, diagonal;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i <= j; ++i) K.at(j, i) = grip.K[6 * j + i];
    diagonal[j] = scale[j] = K.at(j, j);
  }
  K.factor(scale);
  bool regular = true;
  for (int j = 0; j < n; ++j) {
    const double pivot = 1 / value_of(K.at(j, j));
    const double expected = grip.rotor[j] ? 1 : grip.scale * grip.size[j];
    // A pivot that is no number is weak too.
    regular = regular && pivot > weak_pivot * value_of(diagonal[j]) && pivot > weak_pivot * expected && expected > 0;
  }
  if (!regular) return false;
  for (int j = 0; j < n; ++j) {
    grip.order[j] = j;
    grip.W[j] = grip.C[j];
    grip.y[j] = grip.S[j];
    for (int i = 0; i < j; ++i) {
      grip.L[6 * j + i] = K.at(j, i);
      grip.W[j] -= grip.W[i] * K.at(j, i);
      grip.y[j] -= grip.y[i] * K.at(j, i);
    }
    grip.inverse_delta[j] = K.at(j, j);
    add_to_share(grip, j, share);
  }
  return true;
}

// a bᵀ where b is along a.
template <class T>
ArticulatedInertia<T> outer_product(const Force<T>& a, const Force<T>& b) {
  const auto an = components(a.n), bn = components(b.n), bf = components(b.f), af = components(a.f);
  const auto symmetric = [](const auto& p, const auto& q) {
    const T entries[6] = {p[0] * q[0], p[1] * q[1], p[2] * q[2], p[0] * q[1], p[0] * q[2], p[1] * q[2]};
    return Sym3<T>::of_entries(entries);
  };
  return {symmetric(an, bn), {a.n * bf[0], a.n * bf[1], a.n * bf[2]}, symmetric(af, bf)};
}

template <class T>
void find_share(const StarContext<T>& x, int k) {
  Grip<T>& grip = x.star.grips[k];
  Share<T>& share = x.star.shares[k];
  grip.weak = false;
  if (grip.is_ball) {
    if (grip.null == 0 && find_ball_share(x, x.plan.chains[k], grip, share)) return;
    spread_ball(x, x.plan.chains[k], grip);
    grip.is_ball = false;
  }
  share = {};
  bool regular = grip.rows == 0;
  // A chain that had null rows the last time has them still, most likely.
  if (grip.null == 0) visit_freedoms(grip.rows, [&](auto n) { regular = find_regular_share(grip, n, share); });
  grip.null = 0;
  if (!regular) find_share_with_null_rows(grip, share);
  if (!x.plan.chains[k].is_leg) {
    share.force += grip.known;
  } else {
    share.inertia += grip.carried_inertia;
    share.force -= grip.carried_force;
  }
}

// The sum, in pairs, then pairs of pairs: the same tree whoever does the adding.
template <class T>
void sum_shares(Share<T>* shares, int count) {
  for (int stride = 1; stride < count; stride *= 2) {
    for (int k = 0; k + stride < count; k += 2 * stride) {
      shares[k].inertia += shares[k + stride].inertia;
      shares[k].force += shares[k + stride].force;
    }
  }
}

// --- step 5: forces at the tips, and the chains' accelerations, base to tip --------------------------------------------

template <class T>
void find_tip_force(Grip<T>& grip, bool is_leg, const Motion<T>& dA_reference) {
  if (grip.is_ball) {
    find_ball_force(grip, is_leg, dA_reference);
    return;
  }
  const int regular = grip.rows - grip.null;
  std::array<T, 6> h;
  for (int j = 0; j < regular; ++j) h[j] = (grip.y[j] - dot(dA_reference, grip.W[j])) * grip.inverse_delta[j];
  for (int j = regular; j < grip.rows; ++j) h[j] = grip.mu[j];
  for (int j = regular - 1; j >= 0; --j) {
    for (int i = j + 1; i < grip.rows; ++i) h[j] -= h[i] * grip.L[6 * i + j];
  }
  for (int j = 0; j < grip.rows; ++j) grip.h[grip.order[j]] = h[j];
}

template <class T, class N>
void accelerate_links(const StarContext<T>& x, const ChainPlan& chain, const SegmentPlan& segment, const Grip<T>& grip,
                      const Omega<T>& h, int first_row, N rows, T* a) {
  for (int i = segment.first; i < segment.first + segment.count; ++i) {
    const ChainLink& step = x.plan.links[i];
    LinkState<T>& L = x.ws.links[step.link];
    const bool first = i == chain.first && !chain.is_leg;  // the support has no δA
    Motion<T> dA_before{};
    if (!first) dA_before = at_point_of(x.tree, x.ws, x.ws.links[step.before].dA, step.before, step.link);
    if (step.block >= 0) {
      accelerate_block(x, step, grip, dA_before, a);
      continue;
    }
    L.dA = dA_before;
    if (step.closure >= 0) L.dA += x.star.bias[step.bias];
    for (int f = 0; f < step.nv; ++f) {
      const ChainFreedom<T>& freedom = x.star.freedoms[step.freedom + f];
      if (step.dof >= 0 && x.prescribed[step.dof + f]) continue;
      T vdot = freedom.d;
      if (!first) vdot -= dot(dA_before, freedom.Y);
      for (int j = 0; j < rows; ++j) vdot -= x.star.omega[step.freedom + f][first_row + j] * h[first_row + j];
      L.dA += freedom.H * vdot;
      if (step.dof >= 0) a[step.dof + f] = vdot;
    }
    L.A += L.dA;
  }
}

// The freedoms of tip joints that are the tree's.
template <class T>
void accelerate_tree_tips(const StarContext<T>& x, const ChainPlan& chain, T* a) {
  for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
    const TipPlan& tip = x.plan.tips[t];
    if (tip.closure >= 0) continue;
    Motion<T> relative = x.ws.links[x.plan.reference].dA;
    if (chain.count > 0) relative -= at_point_of(x.tree, x.ws, x.ws.links[tip.link].dA, tip.link, x.plan.reference);
    for (int f = 0; f < tip.nv; ++f) {
      if (!x.prescribed[tip.dof + f]) a[tip.dof + f] = dot(relative, x.star.tips[t].G[f]);
    }
  }
}

template <class T>
void accelerate_chain(const StarContext<T>& x, int k, T* a) {
  const ChainPlan& chain = x.plan.chains[k];
  Grip<T>& grip = x.star.grips[k];
  if (grip.is_ball) {
    accelerate_ball_chain(x, chain, grip, false, a);
    accelerate_tree_tips(x, chain, a);
    return;
  }
  Omega<T> h = grip.h;  // as it acts from the tip
  if (chain.is_leg) {
    for (int j = 0; j < grip.rows; ++j) h[j] = -h[j];
  }
  for (int s = chain.first_segment; s < chain.first_segment + chain.segment_count; ++s) {
    const SegmentPlan& segment = x.plan.segments[s];
    const auto rows = rows_of(x, chain, segment);
    const auto accelerate = [&](auto n) {
      if (chain.is_plain) {
        accelerate_plain_segment(x, chain, segment, h, rows.first, n, a);
      } else {
        accelerate_links(x, chain, segment, grip, h, rows.first, n, a);
      }
    };
    if (rows.first == rows.second) accelerate(std::integral_constant<int, 0>{});
    visit_freedoms(rows.second - rows.first, accelerate);
  }
  accelerate_tree_tips(x, chain, a);
}

// Trees that hang on the rest.
template <class T>
TRAMMEL_KERNEL int eliminate_hanging(const StarContext<T>& x, const std::vector<int>& links) {
  int singular_joint = -1;
  for (const int l : links) {
    TreeLink link = x.tree.links[l];
    link.is_last_child =
        false;  // children add to what has been cleared, and their forces to F, which holds the link's own
    if (x.loads.inertias != nullptr) link.has_children = true;
    const LinkState<T>& L = x.ws.links[l];
    const OwnLink<T> own{L.M, link.has_children ? Force<T>{} : L.F};
    visit_freedoms(link.nv, [&](auto n) {
      const T* in_freedoms = nullptr;
      if (!eliminate_link(link, l, n, x.ws, in_freedoms, x.loads, x.prescribed, own, L,
                          x.ws.links[std::max(link.parent, 0)]) &&
          singular_joint < 0) {
        singular_joint = link.joint;
      }
    });
  }
  return singular_joint;
}

template <class T>
TRAMMEL_KERNEL void accelerate_hanging(const StarContext<T>& x, const std::vector<int>& links, T* a) {
  for (auto it = links.rbegin(); it != links.rend(); ++it) {
    const TreeLink& link = x.tree.links[*it];
    LinkState<T>& L = x.ws.links[*it];
    const Motion<T> dA_P = from_parent(link, x.ws, &LinkState<T>::dA);
    L.dA = dA_P;
    for (int k = link.v; k < link.v + link.nv; ++k) {
      if (x.prescribed[k]) continue;
      const FreedomState<T>& freedom = x.ws.freedoms[k];
      a[k] = freedom.d - dot(dA_P, freedom.Y);
      L.dA += freedom.H * a[k];
    }
    L.A += L.dA;
  }
}

}  // namespace trammel

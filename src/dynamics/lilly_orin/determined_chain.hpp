// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plain chains whose freedoms follow from the motion of the reference member, clearly: legs of three freedoms that end in a ball, as those of
// Stewart platforms and hexapods, and arms of Delta robots, a hinge that carries two rods, of two freedoms and a ball each. What
// K⁻¹ is to the others comes without K here, from the chain's mass matrix M alone, so that no inertia is articulated and no force propagated.
//
// A ball at p, from the reference member's point. Z_k: its velocity by freedom k; B ẍ_0 = a + α × p, that of the reference member there:
//   B ẍ_0 − Z v̇ = α,     M v̇ = u − Zᵀ h,      the chain exerts Bᵀ h                                    u: forces less those at v̇ = 0      (1)
// One ball, Z 3×3, g_k dual to its columns (g_i · Z_k = δ_ik):
//   v̇_k = g_k · (B ẍ_0 − α),      h = Σ g_k (u − M v̇)_k                                                                               (2)
//   φᶜ K⁻¹ φᶜᵀ = Bᵀ N B,   φᶜ K⁻¹ S = Bᵀ (Σ g_k u_k + N α),      N = Σ g_i M_ik g_kᵀ                                                     (3)
// A leg is carried by the reference member: forces F_k = I H_k of what freedom k moves, I_c and p_c of all of it:
//   B ẍ_0 + Z v̇ = α,     M v̇ + Fᵀ ẍ_0 = u + Zᵀ h,      it exerts Bᵀ h − (I_c ẍ_0 + F v̇ + p_c)                                          (4)
//   v̇_k = g_k · (α − B ẍ_0),      h = Σ g_k (M v̇ + Fᵀ ẍ_0 − u)_k                                                                       (5)
//   inertia  I_c + Bᵀ N B − Φ B − Bᵀ Φᵀ,     force  Bᵀ (N α − Σ g_k u_k) − p_c − Φ α,        Φ = Σ F_k g_kᵀ                                (6)
// Two balls, a and b: the hinge θ and rod a are a chain as above. Rod b follows, z = its freedoms, g_i dual to its Z_i and square to
// n = Z_1 × Z_2; β = B ẍ_0 − α of a ball:
//   z_i = g_i · β_b − γ_i θ̈,    γ_i = g_i · Z_θ,       n · (β_b − Z_θ θ̈) = 0,    θ̈ = t · β_a    (t = g_0 of a)                           (7)
//   the last but one is a null row: it binds the reference member.
//   M_θθ' = M_θθ − γ·(M_θz + d),   u_θ' = u_θ − γ·u_z,    d = M_θz − M_z γ,    m = Σ g_i d_i                                             (8)
//   inertia  B_aᵀ N' B_a + B_bᵀ N_z B_b + (B_aᵀ t) (B_bᵀ m)ᵀ + its transpose;     forces likewise                                        (9)
//
// Where Z is not clearly regular, or M, where a tip has a rotor or moves as prescribed, nothing is said, and the other passes do it.
// Whoever needs K all the same, to decide ranks or to share out forces that are not unique, gets it by K = Z M⁻¹ Zᵀ.

#include "dynamics/lilly_orin/ball_tip.hpp"

namespace trammel {

// Volumes that columns of Z span, over their lengths, squared; and what is left of a column, of what it was summed from, squared. Directions
// that the chain holds firmly are exact but for round-off over the volume, where K would lose digits by its square; short of what
// reference_member.hpp calls a rank less.
inline constexpr double clear_volume = 1e-7, clear_column = 1e-6;
// Below this, over what it was summed from, a moment of inertia may be round-off.
inline constexpr double clear_moment = 1e-9;

// --- tips: the balls, and how the chain's freedoms move them --------------------------------------------------------------

// The ball of a tip, and what is known to act there; false where it has more rows than three.
template <class T>
bool place_ball_of_path(const StarContext<T>& x, int t, int first_row, BallPath<T>& path) {
  const TipPlan& tip = x.plan.tips[t];
  TipJoint<T>& joint = x.star.tips[t];
  joint.first_row = first_row;
  joint.rows = 3;
  joint.known = {};
  joint.has_known = false;
  if (tip.closure >= 0) {
    place_closed_ball(x, tip, x.plan.reference, path.p, path.alpha);
    return true;
  }
  path.p = at_point(x, x.ws.links[tip.carrier].p_OL, tip.carrier, x.plan.reference);
  path.alpha = {};
  for (int k = 0; k < 3; ++k) {
    const int dof = tip.dof + k;
    if (x.prescribed[dof] || !is_zero(dof_inertia(x.ws, x.loads, dof))) return false;
    const T tau = x.ws.freedoms[dof].tau;
    if (is_zero(tau)) continue;
    const Vec3<T> moment = x.ws.freedoms[dof].H.w * tau;
    joint.known.n += tip.against ? -moment : moment;
    joint.has_known = true;
  }
  return true;
}

// False where a column is but a small difference.
template <class T>
bool move_ball(const StarContext<T>& x, const Vec3<T>& p_ball, int dof, Vec3<T>& Z, double& squared) {
  const Motion<T>& H = x.ws.freedoms[dof].H;
  const Vec3<T> p = at_point(x, p_ball, x.plan.reference, x.tree.link_of_dof[dof]);
  Z = H.v + cross(H.w, p);
  squared = value_of(dot(Z, Z));
  return squared > clear_column * (value_of(dot(H.v, H.v)) + value_of(dot(H.w, H.w)) * value_of(dot(p, p)));
}

// The first ball (0), with Z_0 … Z_2 of the chain's first three freedoms, or the second: of the hinge and the last two.
template <class T>
bool place_path(const StarContext<T>& x, const ChainPlan& chain, int which, BallPath<T>& path, double* squared) {
  const int segment = chain.first_segment + (chain.tip_count == 2 ? 1 + which : 0);
  const int t = chain.first_tip + x.plan.segments[segment].first_tip;
  if (!place_ball_of_path(x, t, 3 * which, path)) return false;
  const int* dofs = chain.dofs.data();
  return move_ball(x, path.p, dofs[0], path.Z[0], squared[0]) &&
         move_ball(x, path.p, dofs[1 + 2 * which], path.Z[1], squared[1]) &&
         move_ball(x, path.p, dofs[2 + 2 * which], path.Z[2], squared[2]);
}

// False where the chain is none of these, now.
template <class T>
bool place_determined(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip, const T* known) {
  grip.is_determined = false;
  if (!chain.may_be_determined || x.loads.inertias != nullptr || (known != nullptr && !chain.is_leg)) return false;
  DeterminedChain<T>& s = grip.determined;
  double squared[3];
  BallPath<T>& a = s.paths[0];
  if (!place_path(x, chain, 0, a, squared)) return false;
  const Vec3<T> across = cross(a.Z[1], a.Z[2]);
  const T volume = dot(a.Z[0], across);
  const double spanned = value_of(volume) * value_of(volume), lengths = squared[0] * squared[1] * squared[2];
  if (!(spanned > clear_volume * lengths)) return false;
  const T inverse = T(1) / volume;
  s.g[0] = across * inverse;
  s.g[1] = cross(a.Z[2], a.Z[0]) * inverse;
  s.g[2] = cross(a.Z[0], a.Z[1]) * inverse;
  grip.rows = 3;
  grip.null = 0;
  if (chain.tip_count == 2) {
    BallPath<T>& b = s.paths[1];
    if (!place_path(x, chain, 1, b, squared)) return false;
    const Vec3<T> n = cross(b.Z[1], b.Z[2]);
    const T area = dot(n, n);
    const double lengths_b = squared[1] * squared[2];
    if (!(value_of(area) > clear_volume * lengths_b)) return false;
    const T less = T(1) / area;
    s.g[3] = cross(b.Z[2], n) * less;
    s.g[4] = cross(n, b.Z[1]) * less;
    const Vec3<T> unit = n * (less * sqrt(area));
    const T bound = dot(unit, b.Z[0]);
    const Vec3<T> of_a = s.g[0] * bound;
    const Vec3<T> moment = cross(b.p, unit);
    grip.rows = 6;
    grip.null = 1;  // (7)
    grip.order[5] = 5;
    grip.size[5] = squared_size(Force<T>{moment, unit}, x.plan.length);
    grip.W[5] = {moment - cross(a.p, of_a), unit - of_a};
    grip.y[5] = dot(unit, b.alpha) - dot(of_a, a.alpha);
    grip.least_pivot = std::min(spanned / lengths, value_of(area) / lengths_b);
  }
  grip.known = {};
  for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
    if (x.star.tips[t].has_known) grip.known += x.star.tips[t].known;
  }
  grip.is_ball = grip.crowded = grip.weak = false;
  grip.singular_joint = -1;
  return grip.is_determined = true;
}

// --- step 1: M and u ---------------------------------------------------------------------------------------------------

// What is beyond a link, itself taken in.
template <class T>
struct Beyond {
  RigidInertia<T> M;
  Force<T> p;
};

// From the last link of a segment to its first; the freedom before `end` is its last, those up to `last` are beyond it. Where the chain goes
// on, all is left at the point of what is before the segment. False where a moment of inertia is not clear.
template <class T>
bool weigh_segment(const StarContext<T>& x, const SegmentPlan& segment, int end, int last, bool goes_on, Beyond<T>& all,
                   DeterminedChain<T>& s) {
  bool clear = true;
  const ChainLink* const steps = x.plan.links.data();
  for (int i = segment.first + segment.count - 1; i >= segment.first; --i) {
    const ChainLink& step = steps[i];
    const OwnLink<T> own = own_link(x.ws, step.link);
    all.M += own.M;
    all.p += own.p;
    if (x.loads.act_on_links()) all.p += x.ws.links[step.link].F;
    const InertiaSize<T> size = InertiaSize<T>::of(all.M);
    for (int f = step.nv - 1; f >= 0; --f) {
      const FreedomState<T>& freedom = x.ws.freedoms[step.dof + f];
      const T rotor = dof_inertia(x.ws, x.loads, step.dof + f);
      --end;
      s.F[end] = all.M * freedom.H;
      s.M[end][end] = plus_dot(rotor, freedom.H, s.F[end]);
      s.u[end] = freedom.tau - dot(freedom.H, all.p);
      for (int k = end + 1; k < last; ++k) s.M[k][end] = dot(freedom.H, s.F[k]);
      clear = clear && value_of(s.M[end][end]) > clear_moment * value_of(size.along(freedom.H));
    }
    const TreeLink& link = x.tree.links[step.link];
    if (!link.opens_point || (i == segment.first && !goes_on)) continue;
    all = {shift(all.M, -x.ws.points[link.point].p_QO), to_parent(link, x.ws, all.p)};
    for (int k = end; k < last; ++k) s.F[k] = to_parent(link, x.ws, s.F[k]);
  }
  return clear;
}

// Whether pivots of M from the last of two or three freedoms on are more than a small difference.
template <class T>
bool is_regular(const T& last, const T& corner, const T& first) {
  return value_of(last) * value_of(first) * (1 - clear_moment) > value_of(corner) * value_of(corner);
}

// That of the first freedom, all others taken out.
template <class T>
bool first_pivot_is_clear(const DeterminedChain<T>& s, int tips) {
  double pivot = value_of(s.M[0][0]) * (1 - clear_moment),
         of_others = 1;  // the first times the second, which is positive
  for (int r = 0; r < tips; ++r) {
    const double first = value_of(s.M[1 + 2 * r][1 + 2 * r]), corner = value_of(s.M[2 + 2 * r][1 + 2 * r]),
                 last = value_of(s.M[2 + 2 * r][2 + 2 * r]), m1 = value_of(s.M[1 + 2 * r][0]),
                 m2 = value_of(s.M[2 + 2 * r][0]), determinant = first * last - corner * corner;
    pivot = pivot * determinant - of_others * (m1 * m1 * last - 2 * m1 * m2 * corner + m2 * m2 * first);
    of_others *= determinant;
  }
  return pivot > 0;
}

// False where M is not clearly regular.
template <class T>
bool weigh_determined(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip) {
  DeterminedChain<T>& s = grip.determined;
  const SegmentPlan* segments = &x.plan.segments[chain.first_segment];
  const auto known_at = [&](const SegmentPlan& segment) {
    return x.star.tips[chain.first_tip + segment.first_tip].known;
  };
  if (chain.tip_count == 1) {
    Beyond<T> all{{}, known_at(segments[0])};
    if (!weigh_segment(x, segments[0], 3, 3, chain.is_leg, all, s)) return false;
    s.carried = all.M;
    s.carried_force = all.p;
  } else {
    Beyond<T> all{{}, known_at(segments[1])}, other{{}, known_at(segments[2])};
    if (!weigh_segment(x, segments[1], 3, 3, true, all, s)) return false;
    if (!weigh_segment(x, segments[2], 5, 5, true, other, s)) return false;
    all.M += other.M;
    all.p += other.p;
    if (!weigh_segment(x, segments[0], 1, 5, false, all, s)) return false;
    if (!is_regular(s.M[4][4], s.M[4][3], s.M[3][3])) return false;
  }
  return is_regular(s.M[2][2], s.M[2][1], s.M[1][1]) && first_pivot_is_clear(s, chain.tip_count);
}

// --- step 3 ------------------------------------------------------------------------------------------------------------

// Bᵀ N B of a ball at p, N symmetric.
template <class T>
ArticulatedInertia<T> inertia_at_ball(const Vec3<T>& p, const Mat3<T>& N) {
  const Mat3<T> pN{cross(p, N.ex), cross(p, N.ey), cross(p, N.ez)}, Np = transpose(pN);
  return {taken_as_symmetric(Mat3<T>{cross(p, Np.ex), cross(p, Np.ey), cross(p, Np.ez)}), pN, taken_as_symmetric(N)};
}

template <class T>
Mat3<T> outer_sum(const Vec3<T>& a0, const Vec3<T>& b0, const Vec3<T>& a1, const Vec3<T>& b1, const Vec3<T>& a2,
                  const Vec3<T>& b2) {
  return minus_outer(minus_outer(minus_outer(Mat3<T>{}, -a0, b0), -a1, b1), -a2, b2);
}

// (6), by T_k = Bᵀ g_k:  I_c − Σ (Ψ_k T_kᵀ + T_k Ψ_kᵀ),   Ψ_k = F_k − ½ Bᵀ Σ M_ik g_i.
template <class T>
void share_leg(const DeterminedChain<T>& s, const std::array<Vec3<T>, 3>& Mg, Share<T>& share) {
  const auto& [p, alpha, Z] = s.paths[0];
  const T half(0.5);
  share.inertia = ArticulatedInertia<T>::of(s.carried);
  share.force = -s.carried_force;
  for (int k = 0; k < 3; ++k) {
    const Vec3<T> minus_half = Mg[k] * -half;
    const Force<T> along{cross(p, s.g[k]), s.g[k]};
    const Force<T> psi = s.F[k] + Force<T>{cross(p, minus_half), minus_half};
    share.inertia.subtract_outer(psi, along);
    share.inertia.subtract_outer(along, psi);
    share.force += along * (dot(Mg[k], alpha) - s.u[k]) - s.F[k] * dot(s.g[k], alpha);
  }
}

// (3), (6), (9)
template <class T>
void share_determined(const ChainPlan& chain, Grip<T>& grip, Share<T>& share) {
  const DeterminedChain<T>& s = grip.determined;
  const auto& [p, alpha, Z] = s.paths[0];
  const auto& g = s.g;
  T M00 = s.M[0][0], u0 = s.u[0];
  Vec3<T> m{};
  if (chain.tip_count == 2) {  // (8)
    const Vec3<T>& Z_b = s.paths[1].Z[0];
    const T c0 = dot(g[3], Z_b), c1 = dot(g[4], Z_b);
    const T d0 = s.M[3][0] - s.M[3][3] * c0 - s.M[4][3] * c1, d1 = s.M[4][0] - s.M[4][3] * c0 - s.M[4][4] * c1;
    M00 = M00 - c0 * (s.M[3][0] + d0) - c1 * (s.M[4][0] + d1);
    u0 = u0 - c0 * s.u[3] - c1 * s.u[4];
    m = g[3] * d0 + g[4] * d1;
  }
  const std::array<Vec3<T>, 3> Mg{g[0] * M00 + g[1] * s.M[1][0] + g[2] * s.M[2][0],
                                  g[0] * s.M[1][0] + g[1] * s.M[1][1] + g[2] * s.M[2][1],
                                  g[0] * s.M[2][0] + g[1] * s.M[2][1] + g[2] * s.M[2][2]};
  if (chain.is_leg) {
    share_leg(s, Mg, share);
    return;
  }
  const Mat3<T> N = outer_sum(g[0], Mg[0], g[1], Mg[1], g[2], Mg[2]);
  const Vec3<T> Gu = g[0] * u0 + g[1] * s.u[1] + g[2] * s.u[2];
  share.inertia = inertia_at_ball(p, N);
  Vec3<T> f = Gu + N * alpha;
  if (chain.tip_count == 2) {
    const auto& [p_b, alpha_b, Z_b] = s.paths[1];
    const Mat3<T> N_b = minus_outer(minus_outer(Mat3<T>{}, g[3], -(g[3] * s.M[3][3] + g[4] * s.M[4][3])), g[4],
                                    -(g[3] * s.M[4][3] + g[4] * s.M[4][4]));
    share.inertia += inertia_at_ball(p_b, N_b);
    const Force<T> along_t{cross(p, g[0]), g[0]}, along_m{cross(p_b, m), m};
    share.inertia.subtract_outer(-along_t, along_m);
    share.inertia.subtract_outer(-along_m, along_t);
    f += g[0] * dot(m, alpha_b);
    const Vec3<T> f_b = g[3] * s.u[3] + g[4] * s.u[4] + N_b * alpha_b + m * dot(g[0], alpha);
    share.force = {cross(p, f) + cross(p_b, f_b), f + f_b};
  } else {
    share.force = {cross(p, f), f};
  }
  share.force += grip.known;
}

// Steps 1 to 3, one after the other; false where the other passes have to do it.
template <class T>
TRAMMEL_KERNEL bool determined_chain_inward(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                            Grip<T>& __restrict grip, Share<T>& __restrict share, const T* known) {
  if (!place_determined(x, chain, grip, known)) return false;
  if (!(grip.is_determined = weigh_determined(x, chain, grip))) return false;
  share_determined(chain, grip, share);
  return true;
}

// --- step 5 ------------------------------------------------------------------------------------------------------------

// β = B ẍ_0 − α
template <class T>
Vec3<T> beyond_alpha(const BallPath<T>& path, const Motion<T>& dA) {
  return dA.v + cross(dA.w, path.p) - path.alpha;
}

// (2), (5): h of one ball. Those of two are not unique: whoever decides ranks sets them.
template <class T>
void find_determined_force(const ChainPlan& chain, Grip<T>& grip, const Motion<T>& dA, const std::array<T, 5>& vdot) {
  if (chain.tip_count == 2) return;
  grip.force_is_open = false;
  const DeterminedChain<T>& s = grip.determined;
  std::array<T, 3> left{s.u[0], s.u[1], s.u[2]};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) left[k] -= s.M[std::max(i, k)][std::min(i, k)] * vdot[i];
    if (chain.is_leg) left[k] -= dot(dA, s.F[k]);
  }
  const Vec3<T> h = s.g[0] * left[0] + s.g[1] * left[1] + s.g[2] * left[2];
  const auto along = components(chain.is_leg ? -h : h);
  for (std::size_t j = 0; j < 3; ++j) grip.h[j] = along[j];
}

template <class T>
std::array<T, 5> accelerations_of(const DeterminedChain<T>& s, const ChainPlan& chain, const Motion<T>& dA) {
  std::array<T, 5> vdot{};
  Vec3<T> beta = beyond_alpha(s.paths[0], dA);
  if (chain.is_leg) beta = -beta;
  for (int k = 0; k < 3; ++k) vdot[k] = dot(s.g[k], beta);
  if (chain.tip_count == 2) {
    const Vec3<T> left = beyond_alpha(s.paths[1], dA) - s.paths[1].Z[0] * vdot[0];  // (7)
    vdot[3] = dot(s.g[3], left);
    vdot[4] = dot(s.g[4], left);
  }
  return vdot;
}

// Links of a segment, on what is before it.
template <class T>
void accelerate_along(const StarContext<T>& x, const SegmentPlan& segment, const T* vdot, Motion<T>& dA, T* a) {
  const ChainLink* const steps = x.plan.links.data();
  for (int i = segment.first; i < segment.first + segment.count; ++i) {
    const ChainLink& step = steps[i];
    const TreeLink& link = x.tree.links[step.link];
    if (link.opens_point) dA = shift(dA, x.ws.points[link.point].p_QO);  // the support has no δA
    for (int f = 0; f < step.nv; ++f) {
      dA += x.ws.freedoms[step.dof + f].H * *vdot;
      a[step.dof + f] = *vdot++;
    }
    LinkState<T>& L = x.ws.links[step.link];
    L.dA = dA;
    L.A += dA;
  }
}

template <class T>
TRAMMEL_KERNEL void accelerate_determined(const StarContext<T>& __restrict x, const ChainPlan& __restrict chain,
                                          Grip<T>& __restrict grip, bool find_forces, T* a) {
  const DeterminedChain<T>& s = grip.determined;
  const Motion<T> dA_0 = x.ws.links[x.plan.reference].dA;
  const std::array<T, 5> vdot = accelerations_of(s, chain, dA_0);
  Motion<T> dA{};
  if (chain.is_leg) dA = dA_0;
  const SegmentPlan* segments = &x.plan.segments[chain.first_segment];
  accelerate_along(x, segments[0], vdot.data(), dA, a);
  if (chain.tip_count == 2) {
    Motion<T> dA_a = dA;
    accelerate_along(x, segments[1], vdot.data() + 1, dA_a, a);
    accelerate_along(x, segments[2], vdot.data() + 3, dA, a);
  }
  grip.force_is_open = find_forces && chain.tip_count == 1;
  for (int t = chain.first_tip; t < chain.first_tip + chain.tip_count; ++t) {
    const TipPlan& tip = x.plan.tips[t];
    if (tip.closure >= 0) continue;
    const Vec3<T> turn = dA_0.w - x.ws.links[tip.link].dA.w;  // of the reference member on the tip
    for (int f = 0; f < 3; ++f) {
      const T along = dot(turn, x.ws.freedoms[tip.dof + f].H.w);
      a[tip.dof + f] = tip.against ? -along : along;
    }
  }
}

// --- for ranks, and for whoever asks about forces -------------------------------------------------------------------------

// What the chain exerts on the reference member by a tip. h of one ball is found here if nobody has set it.
template <class T>
Force<T> force_by_tip(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip, int t) {
  const DeterminedChain<T>& s = grip.determined;
  const Motion<T>& dA = x.ws.links[x.plan.reference].dA;
  const std::array<T, 5> vdot = accelerations_of(s, chain, dA);
  if (grip.force_is_open) find_determined_force(chain, grip, dA, vdot);
  const TipJoint<T>& joint = x.star.tips[t];
  const BallPath<T>& path = s.paths[static_cast<std::size_t>(joint.first_row / 3)];
  const T* const along = &grip.h[static_cast<std::size_t>(joint.first_row)];
  const Vec3<T> h{along[0], along[1], along[2]};
  Force<T> F{cross(path.p, h), h};
  if (!chain.is_leg) return F + joint.known;
  F -= s.carried * dA + s.carried_force;  // (4)
  for (int k = 0; k < 3; ++k) F -= s.F[k] * vdot[k];
  return F;
}

// Rows as five_steps.hpp has them: K = Z M⁻¹ Zᵀ, S = α ± Z M⁻¹ u, and of a leg what it is with its tip free:
//   E = Bᵀ − F M⁻¹ Zᵀ,   I_c − F M⁻¹ Fᵀ,   p_c + F M⁻¹ u
template <class T, int n>
void spread_freedoms(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip) {
  const DeterminedChain<T>& s = grip.determined;
  SmallFactor<T, n> M;
  std::array<T, n> scale{}, d;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i <= k; ++i) M.at(k, i) = k > 2 && i > 0 && i < 3 ? T(0) : s.M[k][i];  // rods do not meet
    d[k] = s.u[k];
  }
  M.factor(scale);  // it was clear
  M.solve(d);
  std::array<std::array<T, n>, 6> Z{};
  for (int j = 0; j < grip.rows; ++j) {
    const int which = j / 3;
    for (int k = 0; k < 3; ++k) Z[j][k == 0 ? 0 : k + 2 * which] = components(s.paths[which].Z[k])[j % 3];
  }
  grip.scale = 0;
  for (int k = 0; k < n; ++k) {
    std::array<T, n> column{};
    column[k] = T(1);
    M.solve(column);
    grip.scale += squared_size(x.ws.freedoms[chain.dofs[k]].H, x.plan.length) * value_of(column[k]);
  }
  std::array<Force<T>, n> F;
  std::copy(s.F.begin(), s.F.begin() + n, F.begin());
  M.solve(F);  // F M⁻¹
  const Mat3<T> e = Mat3<T>::identity();
  const Vec3<T> unit[3] = {e.ex, e.ey, e.ez};
  for (int j = 0; j < grip.rows; ++j) {
    const BallPath<T>& path = s.paths[j / 3];
    grip.C[j] = {cross(path.p, unit[j % 3]), unit[j % 3]};
    grip.size[j] = squared_size(grip.C[j], x.plan.length);
    grip.rotor[j] = false;
    std::array<T, n> ZM = Z[j];
    M.solve(ZM);
    T open(0);
    for (int k = 0; k < n; ++k) open += Z[j][k] * d[k];
    grip.S[j] = components(path.alpha)[j % 3] + (chain.is_leg ? -open : open);
    for (int i = 0; i <= j; ++i) {
      grip.K[6 * j + i] = T(0);
      for (int k = 0; k < n; ++k) grip.K[6 * j + i] += ZM[k] * Z[i][k];
    }
    for (int k = 0; k < n && chain.is_leg; ++k) grip.C[j] -= F[k] * Z[j][k];
  }
  if (!chain.is_leg) return;
  grip.carried_inertia = ArticulatedInertia<T>::of(s.carried);
  grip.carried_force = s.carried_force;
  for (int k = 0; k < n; ++k) {
    grip.carried_inertia.subtract_outer(F[k], s.F[k]);
    grip.carried_force += F[k] * s.u[k];
  }
}
template <class T>
void spread_determined(const StarContext<T>& x, const ChainPlan& chain, Grip<T>& grip) {
  if (chain.tip_count == 1) {
    spread_freedoms<T, 3>(x, chain, grip);
  } else {
    spread_freedoms<T, 5>(x, chain, grip);
  }
}

}  // namespace trammel

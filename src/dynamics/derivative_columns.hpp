// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How forces through joints change with q, v and v̇: the recursion behind derivatives.hpp. World axes, all at O (link_state.hpp).
// The ideas are those of Carpentier & Mansard 2018, and of Singh, Russell & Wensing 2022 for joints of several freedoms; joints whose H_FM
// depends on q are added here.
//
// Freedom j belongs to the joint of link p, whose parent is λ; ∂_j is the change with q ⊕ δ e_j: all links l from p on are displaced by H_j.
// Let A' = A − [0; g], so that weight is an acceleration; X stands for X_OL, and a dash of a joint's own columns H_FM along e_j is
//   ∂_jH = Ḣ_FM(e_j),      w_j = X ∂_jH v                                                       (zero where H_FM is constant)
// What moves with l turns with it, so ∂_j of a motion m fixed in l is H_j × m, of a force f  H_j ×* f. Beyond that, by Jacobi's identity:
//   ∂_jV_l  = H_j × V_l + ψ_j                        ψ_j = V_λ × H_j + w_j                                                  (1)
//   ∂_jA'_l = H_j × A'_l + ψ_j × V_l + φ_j           φ_j = A'_λ × H_j + V_λ × (V_λ × H_j)
//                                                          + 2 V_λ × w_j − w_j × (H v) + X (∂_jH v̇ + ∂_jḢ v)               (2)
//   ∂V_l/∂v_j = H_j,   ∂A_l/∂v_j = H_j × V_l + χ_j   χ_j = ψ_j + Ḣ_j,   Ḣ_j = V_p × H_j + X Ḣ_FM,j                          (3)
// With F_l = M_l A'_l + V_l ×* M_l V_l the force that link l needs:
//   ∂_jF_l = H_j ×* F_l + B_l ψ_j + M_l φ_j,         ∂F_l/∂v_j = B_l H_j + M_l χ_j                                          (4)
//   B_l x = V_l ×* M_l x + x ×* M_l V_l − M_l (V_l × x)
// B is simpler than it looks. A particle of mass m at r with velocity u gets of it the acceleration 2 x_w × u, so
//   B x = [2 K x_w; 2 x_w × p],     K = Σ m ((r·u) 1 − u rᵀ),   p = Σ m u                                                   (5)
// for a rigid link, with its first moment h and second moment I about O:   K = (v·h) 1 − v hᵀ − ω × (½ tr I − I),   p = m v + ω × h.
// Sums over the links that p carries, itself included, are M^C, K^C, p^C and F^C. As τ_k = H_k·F^C (k of link i), and H_k moves with p
// where p carries i, so that its turn and that of F^C make up for each other:
//   k of a link that p carries:   ∂_jτ_k = Z_k·ψ_j + Y_k·φ_j,   ∂τ_k/∂v_j = Z_k·H_j + Y_k·χ_j,   M_kj = Y_k·H_j            (6)
//                                 Y_k = M^C_i H_k,   Z_k = [2 (K^Cᵀ H_k,w + p^C × H_k,v); 0]                of link i
//   k of p itself:                the same, and ∂_jτ_k gets X ∂_jH_k · F^C                                                  (7)
//   k of a link that carries p:   ∂_jτ_k = H_k·P_j,   P_j = H_j ×* F^C + B^C ψ_j + M^C φ_j                      of link p
//                                 ∂τ_k/∂v_j = H_k·Q_j,   Q_j = B^C H_j + M^C χ_j                                            (8)
//   all others:                   zero
//
// What callers add (LoadArrays) is held in the bodies: wrenches, biases and added inertias keep their components in body axes while bodies
// are displaced. Wrenches and biases are then a part of F^C and need no more. Of an added inertia I⁺ the force is I⁺ A, without weight:
//   ∂_j(I⁺A) = H_j ×* I⁺A + E ψ_j + I⁺ (φ_j + [0; g × H_j,w]),    ∂(I⁺A)/∂v_j = E H_j + I⁺ χ_j,    E x = −I⁺ (V × x)         (9)
// so Y_k gets I⁺ᶜ H_k, Z_k gets Eᶜᵀ H_k, and ∂_jτ_k the product of H_j,w with G_k = (I⁺ᶜ H_k)_f × g.

#include <algorithm>

#include "dynamics/link_forces.hpp"
#include "kinematics/tree_passes.hpp"

namespace trammel {

// x ↦ E x of (9): a map from motion to force without any symmetry.
template <class T>
struct MotionToForce {
  Mat3<T> nw, nv, fw, fv;

  MotionToForce& operator+=(const MotionToForce& b) {
    nw += b.nw, nv += b.nv, fw += b.fw, fv += b.fv;
    return *this;
  }
  friend Force<T> operator*(const MotionToForce& E, const Motion<T>& x) {
    return {E.nw * x.w + E.nv * x.v, E.fw * x.w + E.fv * x.v};
  }
};
template <class T>
Force<T> transpose_times(const MotionToForce<T>& E, const Motion<T>& x) {
  return {transpose_times(E.nw, x.w) + transpose_times(E.fw, x.v),
          transpose_times(E.nv, x.w) + transpose_times(E.fv, x.v)};
}
// Taken at B instead of A: a motion [w; v] at B is [w; v + p_AB × w] at A, a force [n; f] at A is [n − p_AB × f; f] at B.
template <class T>
MotionToForce<T> shift(const MotionToForce<T>& E, const Vec3<T>& p_AB) {
  const Mat3<T> S = skew(p_AB);
  const Mat3<T> nw = E.nw + E.nv * S, fw = E.fw + E.fv * S;
  return {nw - S * fw, E.nv - S * E.fv, fw, E.fv};
}
// E of (9)
template <class T>
MotionToForce<T> velocity_product(const ArticulatedInertia<T>& I, const Motion<T>& V) {
  const Mat3<T> w = skew(-V.w), v = skew(-V.v), Ht = transpose(I.H), J = full(I.J), M = full(I.M);
  return {J * w + I.H * v, I.H * w, Ht * w + M * v, M * w};
}

// K and p of (5): of one link, then of all that it carries.
template <class T>
struct VelocityMoment {
  Mat3<T> K;
  Vec3<T> p;

  static VelocityMoment of(const RigidInertia<T>& M, const Motion<T>& V) {
    const Mat3<T> I = full(M.I);
    const Vec3<T> half_trace_w = V.w * (T(0.5) * trace(M.I));
    const Mat3<T> turning{cross(V.w, I.ex), cross(V.w, I.ey), cross(V.w, I.ez)};
    const Mat3<T> K = minus_outer(turning, V.v, M.h);
    return {plus_skew(plus_trace(K, dot(V.v, M.h)), -half_trace_w), V.v * M.mass - cross(M.h, V.w)};
  }
  VelocityMoment& operator+=(const VelocityMoment& b) {
    K += b.K, p += b.p;
    return *this;
  }
  // B x
  Force<T> times(const Motion<T>& x) const { return {(K * x.w) * T(2), cross(x.w, p) * T(2)}; }
  // The angular part of Bᵀ H; the other is zero.
  Vec3<T> transpose_times_half(const Motion<T>& H) const { return transpose_times(K, H.w) + cross(p, H.v); }

  static Mat3<T> plus_trace(const Mat3<T>& A, const T& s) { return A + Mat3<T>::identity() * s; }
};
// Taken at B: r becomes r − p_AB.
template <class T>
VelocityMoment<T> shift(const VelocityMoment<T>& at_A, const Vec3<T>& p_AB) {
  const Vec3<T> d = -p_AB;
  return {VelocityMoment<T>::plus_trace(minus_outer(at_A.K, at_A.p, d), dot(at_A.p, d)), at_A.p};
}

// What the derivatives keep of a link, beside LinkState.
template <class T>
struct LinkDerivative {
  VelocityMoment<T> B;          // of the link and all that it carries
  RigidInertia<T> Ic;           // likewise
  ArticulatedInertia<T> added;  // likewise, I⁺ᶜ; only where inertias are added, as E
  MotionToForce<T> E;
  Force<T> F;  // of the link alone at v̇ = 0, in forward dynamics
};
// And of a freedom j, as a column of (6) and (8); rows: FreedomRow.
template <class T>
struct FreedomDerivative {
  Motion<T> psi, phi, chi;  // (1), (2), (3)
  Force<T> P, Q;            // of (8)
  T l[Custom::max_nv];      // row of l of panel_solve.hpp
};

// (1) to (3) of the joint of one link, after its velocity and acceleration. `a` null: no freedom accelerates.
template <class T, class J, class N>
void derivative_columns_step(const Tree& tree, int l, const J& joint, N n, const Arrays<T>& ws,
                             FreedomDerivative<T>* derivatives, const T* q, const T* v, const T* a) {
  const TreeLink& link = tree.links[l];
  const LinkState<T>& L = ws.links[l];
  const Motion<T> V_P = from_parent(link, ws, &LinkState<T>::V);
  Motion<T> A_P = from_parent(link, ws, &LinkState<T>::A);
  A_P.v -= ws.parameters.gravity;
  for (int j = 0; j < n; ++j) {
    const Motion<T>& H = ws.freedoms[link.v + j].H;
    const Motion<T> psi = cross_motion(V_P, H);
    Motion<T> chi = psi + psi;  // of a joint of one freedom, whose H v × H is zero
    if (n > 1 || !J::constant_H) chi = psi + cross_motion(L.V, H);
    derivatives[link.v + j].psi = psi;
    derivatives[link.v + j].phi = cross_motion(A_P, H) + cross_motion(V_P, psi);
    derivatives[link.v + j].chi = chi;
  }
  if constexpr (!J::constant_H) {
    const Transform<T> X_OL{L.R_WL, L.p_OL};
    const Motion<T> Hv = L.V - V_P;
    const auto Hdot = joint.template Hdot_FM<T>(q + link.q, v + link.v);
    for (int j = 0; j < n; ++j) {
      std::array<T, Custom::max_nv> along{};
      along[j] = T(1);
      const auto slope = joint.template Hdot_FM<T>(q + link.q, along.data());
      const auto slope_of_rate = joint.template Hdot_along<T>(q + link.q, v + link.v, along.data());
      Motion<T> w{}, rest{};
      for (int k = 0; k < n; ++k) {
        w += slope[k] * v[link.v + k];
        rest += slope_of_rate[k] * v[link.v + k];
        if (a != nullptr) rest += slope[k] * a[link.v + k];
      }
      w = X_OL * w;
      FreedomDerivative<T>& d = derivatives[link.v + j];
      d.psi += w;
      d.phi += cross_motion(V_P, w) * T(2) - cross_motion(w, Hv) + X_OL * rest;
      d.chi += w + X_OL * Hdot[j];
    }
  }
}
template <class T>
void derivative_columns(const Tree& tree, const Arrays<T>& ws, FreedomDerivative<T>* derivatives, const T* q,
                        const T* v, const T* a) {
  each_joint_base_to_tip(tree, [=](int l, const auto& joint, auto n) {
    derivative_columns_step(tree, l, joint, n, ws, derivatives, q, v, a);
  });
}

// (7), for joints whose H_FM depends on q; after F has become F^C. Calls add(k, j, slope) for columns first to end − 1.
template <class T, class Add>
void slopes_of_columns(const Tree& tree, const Arrays<T>& ws, const T* q, int first, int end, const Add& add) {
  for (int l = tree.link_of_dof[first]; l <= tree.link_of_dof[end - 1]; ++l) {
    const TreeLink& link = tree.links[l];
    visit_joint(tree, l, [&]<class J>(const J& joint, auto n) {
      if constexpr (!J::constant_H) {
        const Transform<T> X_OL{ws.links[l].R_WL, ws.links[l].p_OL};
        for (int j = std::max(first - link.v, 0); j < std::min<int>(n, end - link.v); ++j) {
          std::array<T, Custom::max_nv> along{};
          along[j] = T(1);
          const auto slope = joint.template Hdot_FM<T>(q + link.q, along.data());
          for (int k = 0; k < n; ++k) add(link.v + k, link.v + j, dot(X_OL * slope[k], ws.links[l].F));
        }
      }
    });
  }
}

}  // namespace trammel

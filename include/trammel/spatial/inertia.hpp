// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inertias as maps from motion to force, both at one point O and in one frame.
//   rigid, 10 numbers:        n = I_O ω + h × v,   f = m v − h × ω        h = m p_OC
//   articulated, 21 numbers:  n = J ω + H v,       f = Hᵀ ω + M v         J, M symmetric, H any 3×3

#include <trammel/spatial/transform.hpp>

namespace trammel {

template <class T>
struct RigidInertia {
  T mass{};
  Vec3<T> h;  // first moment about O: mass times the position of the centre of mass
  Sym3<T> I;  // second moment about O

  template <class S>
  static RigidInertia from(const RigidInertia<S>& o) {
    return {T(o.mass), Vec3<T>::from(o.h), Sym3<T>::from(o.I)};
  }
  // From the inertia at the centre of mass C, as model files give it.
  static RigidInertia at_com(const T& mass, const Vec3<T>& p_OC, const Sym3<T>& I_C) {
    return {mass, p_OC * mass, I_C + point_inertia(mass, p_OC)};
  }
  // m (|p|² 1 − p pᵀ): Steiner's term.
  static Sym3<T> point_inertia(const T& mass, const Vec3<T>& p) { return mixed_moment(p, p * mass); }

  RigidInertia& operator+=(const RigidInertia& b) {
    mass += b.mass;
    h += b.h;
    I += b.I;
    return *this;
  }
  friend Force<T> operator*(const RigidInertia& M, const Motion<T>& V) {
    return {M.I * V.w + cross(M.h, V.v), V.v * M.mass - cross(M.h, V.w)};
  }
  friend bool operator==(const RigidInertia&, const RigidInertia&) = default;
};

// The inertia of a link as its parameters give it, in the link's frame: mass, centre of mass, moments about that.
template <class T>
struct LinkInertia {
  T mass{};
  Vec3<T> com;
  Sym3<T> I_C;

  template <class S>
  static LinkInertia from(const LinkInertia<S>& o) {
    return {T(o.mass), Vec3<T>::from(o.com), Sym3<T>::from(o.I_C)};
  }
  RigidInertia<T> at_origin() const { return RigidInertia<T>::at_com(mass, com, I_C); }
};

// An inertia known at B's origin in B's axes, seen at A's origin in A's axes:
//   h' = R h + m p,   I' = R I Rᵀ + (2 p·Rh + m p²) 1 − (p (Rh)ᵀ + (Rh) pᵀ + m p pᵀ)
template <class T>
RigidInertia<T> operator*(const Transform<T>& X_AB, const RigidInertia<T>& M_B) {
  const Vec3<T>& p = X_AB.p;
  const Vec3<T> Rh = X_AB.R * M_B.h;
  const Vec3<T> mp = p * M_B.mass;
  const Vec3<T> a = Rh + Rh + mp;  // p aᵀ + a pᵀ over 2 is p (Rh)ᵀ + (Rh) pᵀ + m p pᵀ
  return {M_B.mass, Rh + mp, rotate(X_AB.R, M_B.I) + mixed_moment(p, a)};
}

template <class T>
struct ArticulatedInertia {
  Sym3<T> J;
  Mat3<T> H;
  Sym3<T> M;

  template <class S>
  static ArticulatedInertia from(const ArticulatedInertia<S>& o) {
    return {Sym3<T>::from(o.J), Mat3<T>::from(o.H), Sym3<T>::from(o.M)};
  }
  static ArticulatedInertia of(const RigidInertia<T>& rigid) {
    return {rigid.I, skew(rigid.h), Sym3<T>::diagonal(rigid.mass)};
  }
  ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    J += b.J;
    H += b.H;
    M += b.M;
    return *this;
  }
  friend ArticulatedInertia operator+(const ArticulatedInertia& a, const RigidInertia<T>& b) {
    return {a.J + b.I, plus_skew(a.H, b.h), plus_diagonal(a.M, b.mass)};
  }
  friend Force<T> operator*(const ArticulatedInertia& A, const Motion<T>& V) {
    return {A.J * V.w + A.H * V.v, transpose_times(A.H, V.w) + A.M * V.v};
  }
  // A −= a bᵀ where the sum of all such terms is symmetric.
  void subtract_outer(const Force<T>& a, const Force<T>& b) {
    J = minus_outer(J, a.n, b.n);
    H = minus_outer(H, a.n, b.f);
    M = minus_outer(M, a.f, b.f);
  }
};

// The same inertia, same axes, taken at B instead of A; with S = skew(p_BA):
//   M' = M,   H' = H + S M,   J' = J − H S + S H'ᵀ
template <class T>
ArticulatedInertia<T> shift(const ArticulatedInertia<T>& I_A, const Vec3<T>& p_AB) {
  const Mat3<T> S = skew(-p_AB);
  const Mat3<T> H = I_A.H + S * full(I_A.M);
  return {I_A.J + symmetric_part(S * transpose(H) - I_A.H * S), H, I_A.M};
}
template <class T>
RigidInertia<T> shift(const RigidInertia<T>& M_A, const Vec3<T>& p_AB) {
  const Vec3<T> p = -p_AB, mp = p * M_A.mass;
  return {M_A.mass, M_A.h + mp, M_A.I + mixed_moment(p, M_A.h + M_A.h + mp)};
}
// The same inertia, same point, seen from a frame A in which its own frame B has axes R_AB.
template <class T>
ArticulatedInertia<T> rotate(const Mat3<T>& R_AB, const ArticulatedInertia<T>& I_B) {
  return {rotate(R_AB, I_B.J), R_AB * I_B.H * transpose(R_AB), rotate(R_AB, I_B.M)};
}

}  // namespace trammel

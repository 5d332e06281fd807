// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Six-vectors, angular part first: motions V = [ω; v] and forces F = [n; f], both taken at one point and expressed in
// one frame that the name of the variable tells. [Featherstone 2008, ch. 2]

#include <trammel/spatial/vector.hpp>

namespace trammel {

template <class T>
struct Motion {
  Vec3<T> w;  // angular
  Vec3<T> v;  // linear, of the material point that coincides with the reference point

  template <class S>
  static Motion from(const Motion<S>& o) {
    return {Vec3<T>::from(o.w), Vec3<T>::from(o.v)};
  }
  Motion& operator+=(const Motion& b) { return *this = *this + b; }
  Motion& operator-=(const Motion& b) { return *this = *this - b; }
  friend Motion operator-(const Motion& a) { return {-a.w, -a.v}; }
  friend Motion operator+(const Motion& a, const Motion& b) { return {a.w + b.w, a.v + b.v}; }
  friend Motion operator-(const Motion& a, const Motion& b) { return {a.w - b.w, a.v - b.v}; }
  friend Motion operator*(const Motion& a, const T& s) { return {a.w * s, a.v * s}; }
  friend bool operator==(const Motion&, const Motion&) = default;
};

template <class T>
struct Force {
  Vec3<T> n;  // moment about the reference point
  Vec3<T> f;  // force

  template <class S>
  static Force from(const Force<S>& o) {
    return {Vec3<T>::from(o.n), Vec3<T>::from(o.f)};
  }
  Force& operator+=(const Force& b) { return *this = *this + b; }
  Force& operator-=(const Force& b) { return *this = *this - b; }
  friend Force operator-(const Force& a) { return {-a.n, -a.f}; }
  friend Force operator+(const Force& a, const Force& b) { return {a.n + b.n, a.f + b.f}; }
  friend Force operator-(const Force& a, const Force& b) { return {a.n - b.n, a.f - b.f}; }
  friend Force operator*(const Force& a, const T& s) { return {a.n * s, a.f * s}; }
  friend bool operator==(const Force&, const Force&) = default;
};

// Power of a force on a motion, both at the same point.
template <class T>
T dot(const Motion<T>& V, const Force<T>& F) {
  return dot(V.w, F.n) + dot(V.v, F.f);
}
// V × M: rate of a motion that is fixed in a body moving with V.
template <class T>
Motion<T> cross_motion(const Motion<T>& V, const Motion<T>& M) {
  return {cross(V.w, M.w), cross(V.w, M.v) + cross(V.v, M.w)};
}
// V ×* F: rate of a force that is fixed in a body moving with V.
template <class T>
Force<T> cross_force(const Motion<T>& V, const Force<T>& F) {
  return {cross(V.w, F.n) + cross(V.v, F.f), cross(V.w, F.f)};
}

// The same motion or force, same axes, taken at another point; p_AB leads from the old point A to the new point B.
template <class T>
Motion<T> shift(const Motion<T>& V_A, const Vec3<T>& p_AB) {
  return {V_A.w, V_A.v + cross(V_A.w, p_AB)};
}
template <class T>
Force<T> shift(const Force<T>& F_A, const Vec3<T>& p_AB) {
  return {F_A.n - cross(p_AB, F_A.f), F_A.f};
}
template <class T>
Motion<T> rotate(const Mat3<T>& R, const Motion<T>& V) {
  return {R * V.w, R * V.v};
}
template <class T>
Force<T> rotate(const Mat3<T>& R, const Force<T>& F) {
  return {R * F.n, R * F.f};
}

}  // namespace trammel

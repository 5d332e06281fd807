// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// In and out of dual numbers: seed a direction, read values and derivatives off.

#include <trammel/core/dual.hpp>
#include <trammel/spatial/inertia.hpp>

namespace trammel::test {

// a + ε b
inline Vec3<Dual> seeded(const Vec3d& a, const Vec3d& b) { return {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}}; }
inline Motion<Dual> seeded(const Motion<double>& a, const Motion<double>& b) {
  return {seeded(a.w, b.w), seeded(a.v, b.v)};
}

inline Vec3d values(const Vec3<Dual>& a) { return {a.x.value, a.y.value, a.z.value}; }
inline Vec3d derivatives(const Vec3<Dual>& a) { return {a.x.eps, a.y.eps, a.z.eps}; }
inline Mat3d values(const Mat3<Dual>& a) { return {values(a.ex), values(a.ey), values(a.ez)}; }
inline Mat3d derivatives(const Mat3<Dual>& a) { return {derivatives(a.ex), derivatives(a.ey), derivatives(a.ez)}; }
inline Motion<double> values(const Motion<Dual>& a) { return {values(a.w), values(a.v)}; }
inline Motion<double> derivatives(const Motion<Dual>& a) { return {derivatives(a.w), derivatives(a.v)}; }
inline Transformd values(const Transform<Dual>& X) { return {values(X.R), values(X.p)}; }

// The vector of a skew matrix, the mean of its two halves.
inline Vec3d vee(const Mat3d& a) { return Vec3d{a.ey.z - a.ez.y, a.ez.x - a.ex.z, a.ex.y - a.ey.x} * 0.5; }
// The velocity of a moving pose X_AB(t) = value + ε rate: of B in A, at B's origin, expressed in B.
//   ω = (Rᵀ Ṙ)∨,   v = Rᵀ ṗ
inline Motion<double> velocity_in_B(const Transform<Dual>& X) {
  const Mat3d Rt = transpose(values(X.R));
  return {vee(Rt * derivatives(X.R)), Rt * derivatives(X.p)};
}

}  // namespace trammel::test

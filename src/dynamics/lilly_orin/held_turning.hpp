// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step 4 where three null rows hold the turning of the reference member, as the arms of a Delta robot hold that of its platform: the rows
// n_j · α + f_j · a = y_j, with g_j dual to the n_j, leave its shift a alone free:
//   α = α_0 + B a,     α_0 = Σ g_j y_j,     B = −Σ g_j f_jᵀ                                                               (1)
//   L = (J, H; Hᵀ, M),   [α; a] = [α_0; 0] + Z a,   Z = (B; 1),   L [α; a] − Cᵀ μ = [r_n; r_f],   ZᵀCᵀ = 0:
//   (M + HᵀB + Bᵀ(H + J B)) a = r_f − Hᵀα_0 + Bᵀ(r_n − J α_0)                                                              (2)
//   μ_j = g_j · (J α + H a − r_n)                                                                                         (3)
// Two inverses of 3×3 by cofactors, where bound_reference.hpp makes six directions orthonormal, each after those before it. Where the rows
// hold a shift too, or something is not clear, nothing is found, and it is left to that.

#include "dynamics/lilly_orin/bound_reference.hpp"
#include "dynamics/lilly_orin/determined_chain.hpp"

namespace trammel {

// What the n_j span, over the product of the lengths of the rows with their forces, squared: so B is not large, and (2) loses no digits.
inline constexpr double clear_turning = 1e-3;

// A null row W of a chain, W ẍ = y. `whole`: how long it was before others were taken from it, squared.
template <class T>
struct TurningRow {
  Force<T> W;
  T y;
  double whole;
};

// Over the determinant, columns dual to those of A: the transpose of its inverse.
template <class T>
Mat3<T> cofactors(const Mat3<T>& A) {
  return {cross(A.ey, A.ez), cross(A.ez, A.ex), cross(A.ex, A.ey)};
}

template <class T>
struct HeldTurning {
  Motion<T> acceleration;
  std::array<T, 3> mu;
  double least = 1;  // of what a row which binds has new, squared: that of its moment alone
  double even = 1;   // least pivot of the inertia along what is free, over the largest
};

// False where it is not clear.
template <class T>
bool solve_held_turning(const std::array<TurningRow<T>, 3>& rows, double length, const ArticulatedInertia<T>& L,
                        const Force<T>& r, HeldTurning<T>& found) {
  const Mat3<T> across = cofactors(Mat3<T>{rows[0].W.n, rows[1].W.n, rows[2].W.n});
  const T volume = dot(rows[0].W.n, across.ex);
  const double per_length = 1 / (length * length), squared = value_of(volume) * value_of(volume);
  const double first = value_of(dot(rows[0].W.n, rows[0].W.n)), area = value_of(dot(across.ez, across.ez));
  found.least =
      per_length * std::min({first / rows[0].whole, area / (first * rows[1].whole), squared / (area * rows[2].whole)});
  double lengths = 1;
  for (const TurningRow<T>& row : rows) lengths *= squared_size(row.W, length) / per_length;
  if (!(squared > clear_turning * lengths && found.least > clearly_independent * clearly_independent)) return false;

  const Mat3<T> g = across * (T(1) / volume);
  const Vec3<T> alpha_0 = g * Vec3<T>{rows[0].y, rows[1].y, rows[2].y};  // (1)
  const Mat3<T> B =
      minus_outer(minus_outer(minus_outer(Mat3<T>{}, g.ex, rows[0].W.f), g.ey, rows[1].W.f), g.ez, rows[2].W.f);
  const Mat3<T> J = full(L.J), Ht = transpose(L.H), Bt = transpose(B);
  const Mat3<T> D = full(L.M) + Ht * B + Bt * (L.H + J * B);  // (2)
  const Vec3<T> left = r.f - Ht * alpha_0 + Bt * (r.n - J * alpha_0);

  const Mat3<T> D_across = cofactors(D);
  const T determinant = dot(D.ex, D_across.ex);
  const double pivot = value_of(components(D.ex)[0]), minor = value_of(components(D_across.ez)[2]);
  const double largest = std::max({pivot, value_of(components(D.ey)[1]), value_of(components(D.ez)[2])});
  const double summed =
      value_of(trace(L.M)) + value_of(trace(L.J)) * value_of(dot(B.ex, B.ex) + dot(B.ey, B.ey) + dot(B.ez, B.ez));
  const double clear = clear_pivot * largest, last = value_of(determinant) / minor;
  found.even = std::min({pivot, minor / pivot, last}) / largest;
  if (!(largest > clear_moment * summed && pivot > clear && minor > clear * pivot && last > clear)) {
    return false;
  }
  const Vec3<T> a = D_across * left * (T(1) / determinant);
  const Vec3<T> alpha = alpha_0 + B * a;
  found.acceleration = {alpha, a};
  const Vec3<T> held = J * alpha + L.H * a - r.n;  // (3)
  found.mu = {dot(g.ex, held), dot(g.ey, held), dot(g.ez, held)};
  return true;
}

// Of the null rows of all chains; forces go to them. `more`: what is to be added to an answer (refined_reference.hpp).
template <class T>
bool solve_held_turning(const StarContext<T>& x, const ArticulatedInertia<T>& L, const Force<T>& r, bool more,
                        HeldTurning<T>& found) {
  std::array<TurningRow<T>, 3> rows;
  std::array<T*, 3> mu;
  std::size_t count = 0;
  for (std::size_t k = 0; k < x.plan.chains.size(); ++k) {
    Grip<T>& grip = x.star.grips[k];
    for (int j = grip.rows - grip.null; j < grip.rows; ++j, ++count) {
      if (count == 3) return false;
      rows[count] = {grip.W[j], more ? T(0) : grip.y[j], grip.size[grip.order[j]]};
      mu[count] = &grip.mu[j];
    }
  }
  if (count < 3 || !solve_held_turning(rows, x.plan.length, L, r, found)) return false;
  for (std::size_t i = 0; i < 3; ++i) *mu[i] = more ? *mu[i] + found.mu[i] : found.mu[i];
  return true;
}

}  // namespace trammel

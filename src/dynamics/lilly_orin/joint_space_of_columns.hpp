// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bases made from the columns of a joint at run time; see joint_space.hpp.

#include <trammel/spatial/motion.hpp>

#include "dynamics/small_solve.hpp"

namespace trammel {

template <class T>
T inner(const Motion<T>& a, const Motion<T>& b) {
  return dot(a.w, b.w) + dot(a.v, b.v);
}

// The forces G dual to the columns H of a joint at M's origin (any axes): H_iᵀ G_k = δ_ik, G in the span of H. With them
//   F = G τ has HᵀF = τ, and v = Gᵀ V where V = H v.          G = H (HᵀH)⁻¹
template <class T, int n>
void find_dual_forces(const std::array<Motion<T>, n>& H, Force<T>* G) {
  SmallFactor<T, n> gram;
  std::array<T, n> scale;
  for (int k = 0; k < n; ++k) {
    for (int i = k; i < n; ++i) gram.at(i, k) = inner(H[i], H[k]);
    scale[k] = gram.at(k, k);
  }
  gram.factor(scale);
  std::array<Motion<T>, n> dual = H;
  gram.solve(dual);
  for (int k = 0; k < n; ++k) G[k] = {dual[k].w, dual[k].v};
}

template <class T>
Motion<T> unit_motion(int direction) {
  const Mat3<T> e = Mat3<T>::identity();
  const Vec3<T>& axis = direction % 3 == 0 ? e.ex : direction % 3 == 1 ? e.ey : e.ez;
  return direction < 3 ? Motion<T>{axis, {}} : Motion<T>{{}, axis};
}

// Gram and Schmidt, twice over.
template <class T>
Motion<T> orthogonal_part(Motion<T> x, const Motion<T>* basis, int n) {
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < n; ++i) x -= basis[i] * inner(basis[i], x);
  }
  return x;
}

// An orthonormal basis of the forces that do no work on n motions H, all at M's origin, any axes; returns 6 − n. Greedy: the unit force
// farthest from what is there comes next.
template <class T>
int find_workless_forces(const Motion<T>* H, int n, Force<T>* out) {
  std::array<Motion<T>, 6> basis;
  for (int k = 0; k < n; ++k) {
    const Motion<T> x = orthogonal_part(H[k], basis.data(), k);
    basis[k] = x * (T(1) / sqrt(inner(x, x)));
  }
  for (int k = n; k < 6; ++k) {
    Motion<T> best{};
    T longest(0);
    for (int direction = 5; direction >= 0; --direction) {
      const Motion<T> x = orthogonal_part(unit_motion<T>(direction), basis.data(), k);
      const T squared = inner(x, x);
      if (value_of(squared) > 1.001 * value_of(longest)) best = x, longest = squared;
    }
    basis[k] = best * (T(1) / sqrt(longest));
    out[k - n] = {basis[k].w, basis[k].v};
  }
  return 6 - n;
}

}  // namespace trammel

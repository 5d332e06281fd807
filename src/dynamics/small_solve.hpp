// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// D = L Δ Lᵀ of the small symmetric matrix of one joint (n ≤ 6), and solves with it; all loops unroll.

#include <array>

namespace trammel {

template <class T, int n>
class SmallFactor {
 public:
  T& at(int i, int j) { return entries_[i * n + j]; }

  // In place; the lower triangle is read and replaced by L, the diagonal by 1/Δ. False (in lanes: a mask) if a pivot is
  // but round-off of `scale`, a bound on the terms its diagonal entry was summed from: D is singular. Round-off of pivots before
  // it comes with the square of L.
  auto factor(std::array<T, n> scale) {
    auto regular = at(0, 0) > T(round_off) * scale[0];
    at(0, 0) = T(1) / at(0, 0);
    for (int j = 1; j < n; ++j) {
      for (int k = 0; k < j; ++k) {
        const T scaled = at(j, k);     // L_jk Δ_k so far
        at(j, k) = scaled * at(k, k);  // L_jk
        at(j, j) -= at(j, k) * scaled;
        scale[j] += at(j, k) * at(j, k) * scale[k];
        for (int i = j + 1; i < n; ++i) at(i, j) -= at(i, k) * at(j, k);
      }
      regular = regular && at(j, j) > T(round_off) * scale[j];
      at(j, j) = T(1) / at(j, j);
    }
    return regular;
  }

  // x ← D⁻¹ x
  template <class X>
  void solve(std::array<X, n>& x) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) x[j] -= x[k] * at(j, k);
    }
    for (int j = n - 1; j >= 0; --j) {
      x[j] = x[j] * at(j, j);
      for (int i = j + 1; i < n; ++i) x[j] -= x[i] * at(i, j);
    }
  }

 private:
  // 450 units in the last place: a joint of six freedoms leaves some hundred.
  static constexpr double round_off = 1e-13;

  std::array<T, n * n> entries_;
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// D = L Δ Lᵀ of the small symmetric matrix of one joint (at most 6×6), and solves with it. N is an integral_constant
// where the joint type is known, so that all loops unroll.

#include <array>
#include <type_traits>

namespace trammel {

template <class N>
inline constexpr int capacity = 6;
template <int n>
inline constexpr int capacity<std::integral_constant<int, n>> = n;

template <class T, class N>
class SmallFactor {
 public:
  explicit SmallFactor(N count) : n(count) {}

  T& at(int i, int j) { return entries_[i * capacity<N> + j]; }

  // In place; the lower triangle is read and replaced by L, the diagonal by 1/Δ. False if a pivot is but round-off of
  // `scale`, a bound on the terms its diagonal entry was summed from: D is singular.
  template <class Scale>
  bool factor(const Scale& scale) {
    bool regular = true;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) {
        const T scaled = at(j, k);     // L_jk Δ_k so far
        at(j, k) = scaled * at(k, k);  // L_jk
        at(j, j) -= at(j, k) * scaled;
        for (int i = j + 1; i < n; ++i) at(i, j) -= at(i, k) * at(j, k);
      }
      regular = regular && value_of(at(j, j)) > round_off * value_of(scale[j]);
      at(j, j) = T(1) / at(j, j);
    }
    return regular;
  }

  // x ← D⁻¹ x
  template <class X>
  void solve(X& x) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) x[j] -= x[k] * at(j, k);
    }
    for (int j = n - 1; j >= 0; --j) {
      x[j] = x[j] * at(j, j);
      for (int i = j + 1; i < n; ++i) x[j] -= x[i] * at(i, j);
    }
  }

 private:
  static constexpr double round_off = 1e-14;  // 45 units in the last place

  N n;
  std::array<T, capacity<N> * capacity<N>> entries_{};
};

}  // namespace trammel

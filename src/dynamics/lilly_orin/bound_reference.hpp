// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step 4 where chains have null rows and it is clear which: the reference member is bound by C ẍ = d, the null rows W and y of all chains,
//   L ẍ − Cᵀ μ = r                                                                                                    (1)
// Rows are made orthonormal one after the other, and complete to a basis of all six directions:
//   C = T Q,  T z = d;    Z ⟂ Q;     ẍ = Qᵀ z + Z s,    (ZᵀLZ) s = Zᵀ (r − L Qᵀ z)                                        (2)
//   Tᵀ μ = Q (L ẍ − r)                                                                                                 (3)
// A row that follows from those before it takes no force; it must say the same as they do. All in lengths: [ℓ α; a], [n/ℓ; f].
//
// Where rows are nearly dependent, or something else is not clear, nothing is found, and reference_member.hpp decides with care.

#include "dynamics/lilly_orin/five_steps.hpp"
#include "dynamics/lilly_orin/star_kernels.hpp"

namespace trammel {

// What a row has new, over the length that it had: more than the first, it binds; less than the second, it is redundant.
inline constexpr double clearly_independent = 1e-5, clearly_dependent = 1e-10;

template <class T>
struct BoundReference {
  using Six = std::array<T, 6>;

  double length = 1;
  int held = 0;         // rows of Q
  bool unique = true;   // no row is redundant
  double residual = 0;  // of redundant rows, m/s²
  double least = 1;     // part that a row which binds has new
  Six a;                // ẍ, scaled

  static T product(const Six& x, const Six& y) {
    T sum = x[0] * y[0];
    for (std::size_t i = 1; i < 6; ++i) sum += x[i] * y[i];
    return sum;
  }
  static void add(Six& x, const Six& y, const T& factor) {
    for (std::size_t i = 0; i < 6; ++i) x[i] += y[i] * factor;
  }
  Six scaled(const Force<T>& F) const {
    const auto n = components(F.n), f = components(F.f);
    const T less(1 / length);
    return {n[0] * less, n[1] * less, n[2] * less, f[0], f[1], f[2]};
  }
  Motion<T> acceleration() const {
    const T less(1 / length);
    return {{a[0] * less, a[1] * less, a[2] * less}, {a[3], a[4], a[5]}};
  }

  // (2): one more row; false where it is not clear whether it binds. `whole`: how long it was before others were taken from it. Of tips of
  // one chain that hold against each other nothing is left.
  bool add_row(const Force<T>& W, const T& d, double whole, int& place) {
    Six row = scaled(W);
    T known = d;
    Six along{};
    const T before = product(row, row);
    T after = before;
    for (int turn = 0; turn < 2 && held > 0; ++turn) {
      for (int k = 0; k < held; ++k) {
        const T t = product(row, Q_[k]);
        along[k] += t;
        add(row, Q_[k], -t);
      }
      after = product(row, row);
      if (value_of(after) > 0.01 * value_of(before))
        break;  // so little was lost that a second turn finds round-off only
    }
    for (int k = 0; k < held; ++k) known -= along[k] * z_[k];
    const T rest = sqrt(after);
    place = -1;
    if (value_of(rest) > clearly_independent * whole && held < 6) {
      const T inverse = T(1) / rest;
      least = std::min(least, value_of(rest) / whole);
      for (std::size_t i = 0; i < 6; ++i) row[i] = row[i] * inverse;
      T_[held] = along;
      inverse_[held] = inverse;
      z_[held] = known * inverse;
      place = held;
      Q_[held++] = row;
      return true;
    }
    if (!(value_of(rest) <= clearly_dependent * whole)) return false;
    unique = false;
    residual = std::max(residual, std::abs(value_of(known)) / whole);
    return true;
  }

  // (2): L, r; false where L vanishes along a direction that is free.
  bool solve(const std::array<Six, 6>& L, const Six& r) {
    complete_basis();
    bool regular = true;
    const auto go_on = [&](auto free) { regular = solve_along<decltype(free)::value>(L, r); };
    if (held == 6) {
      go_on(std::integral_constant<int, 0>{});
    } else {
      visit_freedoms(6 - held, go_on);
    }
    return regular;
  }
  const T& force(int place) const { return mu_[place]; }

 private:
  std::array<Six, 6> Q_, T_;  // T_: below the diagonal
  Six inverse_{};             // of its diagonal
  Six z_{}, mu_{};

  template <int free>
  bool solve_along(const std::array<Six, 6>& L, const Six& r) {
    a = {};
    for (int k = 0; k < held; ++k) add(a, Q_[k], z_[k]);
    Six left = r;
    for (std::size_t i = 0; i < 6; ++i) left[i] -= product(L[i], a);
    std::array<Six, 6> LZ, D;
    Six s{};
    for (int k = 0; k < free; ++k) {
      for (std::size_t i = 0; i < 6; ++i) LZ[k][i] = product(L[i], Q_[held + k]);
      for (int i = 0; i <= k; ++i) D[k][i] = product(LZ[k], Q_[held + i]);
      s[k] = product(left, Q_[held + k]);
    }
    double largest = 0;
    for (int k = 0; k < free; ++k) largest = std::max(largest, value_of(D[k][k]));
    for (int j = 0; j < free; ++j) {  // D = L Δ Lᵀ
      for (int k = 0; k < j; ++k) {
        const T with_delta = D[j][k];
        D[j][k] = with_delta * D[k][k];
        D[j][j] -= D[j][k] * with_delta;
        for (int i = j + 1; i < free; ++i) D[i][j] -= D[i][k] * D[j][k];
      }
      if (!(value_of(D[j][j]) > 1e-10 * largest)) return false;
      D[j][j] = T(1) / D[j][j];
    }
    for (int j = 0; j < free; ++j) {
      for (int k = 0; k < j; ++k) s[j] -= s[k] * D[j][k];
    }
    for (int j = free - 1; j >= 0; --j) {
      s[j] = s[j] * D[j][j];
      for (int i = j + 1; i < free; ++i) s[j] -= s[i] * D[i][j];
    }
    for (int k = 0; k < free; ++k) {
      add(a, Q_[held + k], s[k]);
      add(left, LZ[k], -s[k]);  // r − L ẍ
    }
    for (int k = held - 1; k >= 0; --k) {  // (3)
      mu_[k] = -product(Q_[k], left);
      for (int i = k + 1; i < held; ++i) mu_[k] -= T_[i][k] * mu_[i];
      mu_[k] = mu_[k] * inverse_[k];
    }
    return true;
  }

  // Unit vectors, that which has most new first: `left`, of its square.
  void complete_basis() {
    std::array<double, 6> left;
    for (std::size_t i = 0; i < 6; ++i) {
      left[i] = 1;
      for (int k = 0; k < held; ++k) left[i] -= value_of(Q_[k][i]) * value_of(Q_[k][i]);
    }
    for (int n = held; n < 6; ++n) {
      const auto best = static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
      Six e{};
      e[best] = T(1);
      // A sixth of its square at least is new, so that one turn leaves but round-off along the others.
      for (int k = 0; k < n; ++k) add(e, Q_[k], -Q_[k][best]);
      const T inverse = T(1) / sqrt(T(left[best]));
      for (std::size_t i = 0; i < 6; ++i) {
        e[i] = e[i] * inverse;
        left[i] -= value_of(e[i]) * value_of(e[i]);
      }
      Q_[n] = e;
    }
  }
};

// The whole of step 4; forces of null rows go to their chains.
template <class T>
bool solve_bound_reference(const StarContext<T>& x, const std::array<T, 21>& inertia, const Force<T>& force,
                           BoundReference<T>& found) {
  found = {};
  found.length = x.plan.length;
  const int chains = static_cast<int>(x.plan.chains.size());
  for (int k = 0; k < chains; ++k) {
    Grip<T>& grip = x.star.grips[k];
    for (int j = grip.rows - grip.null; j < grip.rows; ++j) {
      int place = -1;
      if (!found.add_row(grip.W[j], grip.y[j], std::sqrt(grip.size[grip.order[j]]), place)) return false;
      grip.places[j] = place;
    }
  }
  std::array<typename BoundReference<T>::Six, 6> L;
  const double less = 1 / x.plan.length;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) {
      const double scale = (i < 3 ? less : 1) * (k < 3 ? less : 1);
      L[i][k] = L[k][i] = inertia[lower_entry[i][k]] * T(scale);
    }
  }
  if (!found.solve(L, found.scaled(force))) return false;
  for (int k = 0; k < chains; ++k) {
    Grip<T>& grip = x.star.grips[k];
    for (int j = grip.rows - grip.null; j < grip.rows; ++j) {
      grip.mu[j] = grip.places[j] < 0 ? T(0) : found.force(grip.places[j]);
    }
  }
  return true;
}

}  // namespace trammel

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
// Three rows are left to held_turning.hpp where they hold the turning. Where rows are nearly dependent, or something else is not clear,
// nothing is found, and reference_member.hpp decides with care.

#include "dynamics/lilly_orin/five_steps.hpp"
#include "dynamics/lilly_orin/star_kernels.hpp"

namespace trammel {

// What a row has new, over the length that it had: more than the first, it binds; less than the second, it is redundant.
inline constexpr double clearly_independent = 1e-5, clearly_dependent = 1e-10;

template <class T>
struct BoundReference {
  double length = 1;
  int held = 0;         // rows of Q
  bool unique = true;   // no row is redundant
  double residual = 0;  // of redundant rows, m/s²
  double least = 1;     // part that a row which binds has new, squared
  double even = 1;      // least pivot of the inertia along what is free, over the largest

  Force<T> scaled(const Force<T>& F) const { return {F.n * T(1 / length), F.f}; }
  Motion<T> acceleration() const { return motion(a_); }

  // (2): one more row; false where it is not clear whether it binds. `whole`: how long it was before others were taken from it, squared. Of
  // tips of one chain that hold against each other nothing is left. Its parts along Q, which is orthonormal, do not wait for each other.
  bool add_row(const Force<T>& W, const T& d, double whole, int& place) {
    const double binds = clearly_independent * clearly_independent * whole,
                 follows = clearly_dependent * clearly_dependent * whole;
    Force<T> row = scaled(W);
    T known = d;
    std::array<T, 6> along{};
    const T before = product(row, row);
    T after = before;
    for (int turn = 0; turn < 2 && held > 0; ++turn) {
      const Force<T> given = row;
      for (int k = 0; k < held; ++k) {
        const T part = product(given, Q_[k]);
        along[k] += part;
        row -= Q_[k] * part;
      }
      after = product(row, row);
      // So little was lost that a second turn finds round-off only; or so much that nothing is left for it.
      if (value_of(after) > 0.01 * value_of(before) || value_of(after) <= follows) break;
    }
    for (int k = 0; k < held; ++k) known -= along[k] * z_[k];
    place = -1;
    if (value_of(after) > binds && held < 6) {
      const T inverse = T(1) / sqrt(after);
      least = std::min(least, value_of(after) / whole);
      T_[held] = along;
      inverse_[held] = inverse;
      z_[held] = known * inverse;
      place = held;
      Q_[held++] = row * inverse;
      return true;
    }
    if (!(value_of(after) <= follows)) return false;
    unique = false;
    residual = std::max(residual, std::abs(value_of(known)) / std::sqrt(whole));
    return true;
  }

  // (2): L, r, not scaled; false where L vanishes along a direction that is free.
  bool solve(const ArticulatedInertia<T>& L, const Force<T>& r) {
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
  std::array<Force<T>, 6> Q_;
  Force<T> a_;                         // ẍ, scaled
  std::array<std::array<T, 6>, 6> T_;  // below the diagonal
  std::array<T, 6> inverse_{};         // of its diagonal
  std::array<T, 6> z_{}, mu_{};

  static T product(const Force<T>& x, const Force<T>& y) { return dot(Motion<T>{x.n, x.f}, y); }
  Motion<T> motion(const Force<T>& x) const { return {x.n * T(1 / length), x.f}; }

  template <int free>
  bool solve_along(const ArticulatedInertia<T>& L, const Force<T>& r) {
    a_ = {};
    for (int k = 0; k < held; ++k) a_ += Q_[k] * z_[k];
    Force<T> left = scaled(r - L * motion(a_));
    std::array<Force<T>, 6> LZ;
    std::array<std::array<T, 6>, 6> D;
    std::array<T, 6> s{};
    for (int k = 0; k < free; ++k) {
      LZ[k] = scaled(L * motion(Q_[held + k]));
      for (int i = 0; i <= k; ++i) D[k][i] = product(LZ[k], Q_[held + i]);
      s[k] = product(left, Q_[held + k]);
    }
    double largest = 0;
    for (int k = 0; k < free; ++k) largest = std::max(largest, value_of(D[k][k]));
    even = 1;
    for (int j = 0; j < free; ++j) {  // D = L Δ Lᵀ
      for (int k = 0; k < j; ++k) {
        const T with_delta = D[j][k];
        D[j][k] = with_delta * D[k][k];
        D[j][j] -= D[j][k] * with_delta;
        for (int i = j + 1; i < free; ++i) D[i][j] -= D[i][k] * D[j][k];
      }
      even = std::min(even, value_of(D[j][j]) / largest);
      if (!(even > 1e-10)) return false;
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
      a_ += Q_[held + k] * s[k];
      left -= LZ[k] * s[k];  // r − L ẍ
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
    std::array<std::array<T, 6>, 6> numbers;  // of Q
    std::array<double, 6> left;
    left.fill(1);
    const auto take = [&](int k) {
      const auto n = components(Q_[k].n), f = components(Q_[k].f);
      numbers[k] = {n[0], n[1], n[2], f[0], f[1], f[2]};
      for (std::size_t i = 0; i < 6; ++i) left[i] -= value_of(numbers[k][i]) * value_of(numbers[k][i]);
    };
    for (int k = 0; k < held; ++k) take(k);
    for (int n = held; n < 6; ++n) {
      const auto best = static_cast<std::size_t>(std::max_element(left.begin(), left.end()) - left.begin());
      const auto entry = [&](std::size_t i) { return T(i == best ? 1 : 0); };
      Force<T> e{{entry(0), entry(1), entry(2)}, {entry(3), entry(4), entry(5)}};
      // A sixth of its square at least is new, so that one turn leaves but round-off along the others.
      for (int k = 0; k < n; ++k) e -= Q_[k] * numbers[k][best];
      Q_[n] = e * (T(1) / sqrt(T(left[best])));
      take(n);
    }
  }
};

// The whole of step 4; forces of null rows go to their chains. `more`: what is to be added to an answer (refined_reference.hpp).
template <class T>
bool solve_bound_reference(const StarContext<T>& x, const ArticulatedInertia<T>& inertia, const Force<T>& force,
                           bool more, BoundReference<T>& found) {
  found.length = x.plan.length;
  const int chains = static_cast<int>(x.plan.chains.size());
  for (int k = 0; k < chains; ++k) {
    Grip<T>& grip = x.star.grips[k];
    for (int j = grip.rows - grip.null; j < grip.rows; ++j) {
      int place = -1;
      const T y = more ? T(0) : grip.y[j];
      if (!found.add_row(grip.W[j], y, grip.size[grip.order[j]], place)) return false;
      grip.places[j] = place;
    }
  }
  if (!found.solve(inertia, force)) return false;
  for (int k = 0; k < chains; ++k) {
    Grip<T>& grip = x.star.grips[k];
    for (int j = grip.rows - grip.null; j < grip.rows; ++j) {
      const T mu = grip.places[j] < 0 ? T(0) : found.force(grip.places[j]);
      grip.mu[j] = more ? grip.mu[j] + mu : mu;
    }
  }
  return true;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step 4 where the K of some chain is singular or nearly: in the directions of null(K) the tip cannot accelerate, whatever the force.
// To put pinv(K) for K⁻¹ would drop that; it binds the reference member. With K = Σ λᵢ uᵢ uᵢᵀ, U₀ the null vectors of all chains:
//   h_c = K⁺ (S − φᶜᵀ a) + U₀ μ,     C a = d,    C = stack(U₀ᵀ φᶜᵀ),  d = stack(U₀ᵀ S)                                      (1)
//   L a − Cᵀ μ = r,                  L = I_0 + Σ φᶜ K⁺ φᶜᵀ,   r = Σ φᶜ K⁺ S − p                                              (2)
// Solved without forming L, whose large entries (1/λ) would drown the others: L = RᵀR, R the triangle that Givens' rotations make
// of the rows I_0^½ and uᵢᵀφᶜᵀ/√λᵢ. Likewise C is kept as a triangle, so that the cost is O(m):
//   a = a_p + Z z,   a_p = C⁺ d,   Z = null(C),   (RZ)ᵀ(RZ) z = (RZ)ᵀ(y − R a_p) − Zᵀ p                                        (3)
//   μ = C (CᵀC)⁺ (L a − r): of least norm; unique where the rows of C are independent                                        (4)
// found by C's triangle and improved once, since CᵀC squares its condition. Rows are made dimensionless by a characteristic
// length before ranks are decided, and a direction counts as null below 1e-11 of the largest: dropping it then costs 1e-11, keeping
// it √1e11 units of round-off. Where (1) has no solution then, smaller ones are kept too.

#include <array>
#include <span>

#include <trammel/lilly_orin.hpp>

namespace trammel {

// A chain's K in its eigenvectors, with rows of unit length. Matrices are 6×6 whatever the number of rows, so that nothing is
// allocated: eigenvectors first … 5 are of K, the null ones before the others. Column-major; plain numbers, since no header beside
// the kernels may know Eigen.
struct SplitK {
  int first = 6, first_regular = 6;
  std::array<double, 36> U;
  std::array<double, 6> lambda, s;
  std::array<double, 36> B;    // φᶜᵀ, scaled by s
  std::array<double, 6> S, h;  // likewise
};

// A chain as the reference member sees it, in doubles.
struct HeldBy {
  int rows = 0;
  std::array<std::array<double, 6>, 6> C;  // φᶜ: rows [n; f]
  std::array<double, 36> K;                // lower triangle, row-major with 6 columns
  std::array<double, 6> S, h;              // h: found
  std::array<bool, 6> rotor;
  std::array<double, 6> size;  // of rows, squared, [n/length; f]: of a leg before they were propagated
  double scale = 0;
  SplitK split;  // scratch
};

struct ReferenceEquation {
  std::array<double, 36> inertia;          // I_0, symmetric; then L
  std::array<double, 6> force;             // p: what it needs at ẍ_0 = 0
  std::array<double, 6> acceleration;      // found
  std::array<double, 36> inverse_inertia;  // found: Z ((RZ)ᵀRZ)⁻¹ Zᵀ
};

void solve_with_ranks(ReferenceEquation& reference, std::span<HeldBy> chains, double length, StarReport& report);

}  // namespace trammel

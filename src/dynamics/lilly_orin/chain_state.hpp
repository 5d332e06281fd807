// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the five steps find out about chains; each entry tells which step fills it. World axes. The links' own state is in LinkState;
// their accelerations are counted from A⁰, those at v̇ = 0 of the *tree*: A = A⁰ + δA (articulated_body.hpp). So δA passes a tree
// joint as H v̇ alone, in either direction, and velocity products are left in the joints that were cut, as c in δA = δA_before + c + H v̇.

#include <array>

#include <trammel/core/counted.hpp>

#include "dynamics/lilly_orin/plan.hpp"
#include "kernels/link_state.hpp"

namespace trammel {

// A freedom of a joint inside a chain.
template <class T>
struct ChainFreedom {
  Motion<T> H;  // its column in the chain's direction, at the link's point O; zero where prescribed       step 1
  Force<T> Y;   // (U D⁻¹) column                                                                           step 1
  T d{};        // (D⁻¹ u): the acceleration of the open chain beyond what the link before brings            step 1
  std::array<T, 6>
      omega{};  // (D⁻¹ Hᵀ E), per row of the tip: acceleration by a unit force there, likewise              step 2
};

template <class T>
struct ChainTip {
  int rows = 0;  // of the tip joint: n_c, and one for each freedom with a rotor or a prescribed acceleration
  std::array<Force<T>, 6>
      C;  // φᶜ: forces on the reference member, at its point O                                     tips
  std::array<bool, 6>
      rotor{};  // the row is a rotor's                                                                  tips
  std::array<T, 6>
      alpha{};  // what Cᵀ (δA_reference − δA_tip) must be                                                 tips
  std::array<Force<T>, 6>
      G;             // dual to the tip joint's freedoms: moved by H, held by nothing                           tips
  Force<T> known{};  // φ h: G times the known forces of the tip joint                                         tips
  std::array<T, 36>
      K{};  // φᶜᵀ Λ⁻¹ φᶜ, lower triangle, row-major with 6 columns                                    step 2
  std::array<T, 6>
      S{};  // α + φᶜᵀ ẍ_open                                                                          step 2
  std::array<T, 36>
      L{};  // K = L Δ Lᵀ                                                                              step 3
  std::array<T, 6> inverse_delta{};  //   step 3
  std::array<Force<T>, 6>
      W;  // L⁻¹ φᶜᵀ                                                                                 step 3
  std::array<T, 6>
      y{};  // L⁻¹ S                                                                                   step 3
  std::array<T, 6>
      h{};  // h_c: the force on the reference member is φ h + φᶜ h_c                                  step 5
  std::array<double, 6>
      size{};  // of the rows of φᶜ, squared, as forces                                                      tips
  ArticulatedInertia<T>
      carried_inertia;     // of a leg: what it is to the reference member with its tip free                 step 1
  Force<T> carried_force;  // likewise                                                                       step 1
  double scale = 0;  // a bound on the size of Λ⁻¹, 1/kg                                                        step 1
  bool weak = false;  // K is singular, or nearly: ranks must be decided                                        step 3
  int singular_joint =
      -1;  // its inertia vanishes                                                                   step 1
};

// A chain's share of the equation of the reference member: φᶜ K⁻¹ φᶜᵀ and φᶜ K⁻¹ S + φ h.
template <class T>
struct Share {
  ArticulatedInertia<T> inertia;
  Force<T> force;
};

template <class T>
struct BlockState;

template <class T>
struct StarArrays {
  ArticulatedInertia<T>* reference_inertia = nullptr;  // I_0 and all shares                          step 4
  ChainFreedom<T>* freedoms = nullptr;
  T* factors = nullptr;  // D of each chain joint, factored                          step 1
  Motion<T>* bias =
      nullptr;  // per closure: c, in the direction of the chain, at the link's point, or of a tip at the reference's    tips, step 1
  BlockState<T>* blocks = nullptr;  // per block: see blocks.hpp                          step 1
  ChainTip<T>* tips = nullptr;
  Share<T>* shares = nullptr;  // per chain; summed in pairs
};

}  // namespace trammel

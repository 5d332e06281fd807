// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the five steps find out about chains; each entry tells which step fills it. World axes. The links' own state is in LinkState;
// their accelerations are counted from A⁰, those at v̇ = 0 of the *tree*: A = A⁰ + δA (articulated_body.hpp). So δA passes a tree
// joint as H v̇ alone, in either direction, and velocity products are left in the joints that were cut, as c in δA = δA_before + c + H v̇.

#include <array>
#include <cstdint>

#include <trammel/core/counted.hpp>

#include "dynamics/lilly_orin/plan.hpp"
#include "kernels/link_state.hpp"

namespace trammel {

// A freedom of a joint inside a chain; of plain chains FreedomState holds the same.
template <class T>
struct ChainFreedom {
  Motion<T> H;  // its column in the chain's direction, at the link's point O; zero where prescribed       step 1
  Force<T> Y;   // (U D⁻¹) column                                                                           step 1
  T d{};        // (D⁻¹ u): the acceleration of the open chain beyond what the link before brings            step 1
};
// (D⁻¹ Hᵀ E), per row of the tip: its acceleration by a unit force there, likewise                          step 2
template <class T>
using Omega = std::array<T, 6>;

// What a tip joint is now.
template <class T>
struct TipJoint {
  std::array<Force<T>, 6> G;  // dual to its freedoms: moved by H, held by nothing                           tips
  Force<T> known{};           // φ h: G times its known forces                                               tips
  bool has_known = false;     // it is more than zero                                            tips
  std::int64_t first_row = 0, rows = 0;  // in Grip                                                          tips
};

// The three rows of a ball, side by side; see ball_tip.hpp.
template <class T>
struct BallGrip {
  Vec3<T> p;      // the ball, from the reference member's point O, or that of a leg's last link                   tips
  Vec3<T> alpha;  //                                                                                               tips
  Mat3<T> nT, fT;  // Eᵀ, propagated                                                                              step 2
  Sym3<T> K;       //                                                                                             step 2
  Vec3<T> S;       //                                                                                             step 2
  Mat3<T>
      inverse_K;  //                                                                                             step 3
};

// A chain whose freedoms follow from the motion of the reference member; see determined_chain.hpp.
template <class T>
struct BallPath {
  Vec3<T> p;                 // the ball, from the reference member's point O                                  tips
  Vec3<T> alpha;             //                                                                                tips
  std::array<Vec3<T>, 3> Z;  // its velocity by a unit of each freedom on the way                              tips
};
template <class T>
struct DeterminedChain {
  std::array<BallPath<T>, 2> paths;   // of the first three freedoms; of the first and the last two         tips
  std::array<Vec3<T>, 5> g;           // dual to Z, per freedom                                             tips
  std::array<Force<T>, 5> F;          // I H: what moves with each freedom resists with                     step 1
  std::array<std::array<T, 5>, 5> M;  // mass matrix, lower triangle; what couples two rods is not filled   step 1
  std::array<T, 5> u;                 // joint forces less those that v̇ = 0 needs                           step 1
  RigidInertia<T> carried;            // of a leg: all of it                                                step 1
  Force<T> carried_force;             // likewise                                                           step 1
};

// How a chain holds the reference member: all its tips, row after row.
template <class T>
struct Grip {
  bool is_ball = false;  // its rows are in `ball`, and C … y are not filled                           tips, step 3
  BallGrip<T> ball;
  bool is_determined =
      false;  // by what is in `determined`; of C … y only null rows are filled             tips, step 1
  DeterminedChain<T> determined;
  bool force_is_open =
      false;     // of such a chain: h is not found yet                                                step 5
  int rows = 0;  // n_c of each joint, and one for each of its freedoms with a rotor or a prescribed acceleration
  std::array<Force<T>, 6> C;    // φᶜ: forces on the reference member, at its point O                         tips
  std::array<bool, 6> rotor{};  // the row is a rotor's                                                       tips
  std::array<T, 6> alpha{};     // what Cᵀ (δA_reference − δA_tip) must be                                    tips
  std::array<double, 6> size{};  // of the rows of φᶜ, squared, as forces                                      tips
  Force<T> known{};              // of all its tip joints                                                      tips
  double scale = 0;         // a bound on the size of Λ⁻¹, 1/kg                                           step 1
  int singular_joint = -1;  // its inertia vanishes                                                       step 1
  ArticulatedInertia<T> carried_inertia;  // of a leg: what it is to the reference member with its tip free     step 1
  Force<T> carried_force;                 // likewise                                                           step 1
  std::array<Force<T>, 6> E;  // φᶜ, propagated                                                             step 2
  std::array<T, 36> K{};  // φᶜᵀ Λ⁻¹ φᶜ, lower triangle, row-major with 6 columns                       step 2
  std::array<T, 6> S{};   // α + φᶜᵀ ẍ_open                                                             step 2
  std::array<T, 36> L{};  // K = L Δ Lᵀ                                                                 step 3
  std::array<T, 6> inverse_delta{};  // step 3
  std::array<Force<T>, 6> W;  // L⁻¹ φᶜᵀ                                                                    step 3
  std::array<T, 6> y{};       // L⁻¹ S                                                                      step 3
  // Where Δ has zeros: rows of W, y, L and Δ are those of `order`, the last `null` of which have no Δ. In their directions the tip
  // cannot accelerate: they bind the reference member, W ẍ_0 = y.
  int null = 0;                 //                                                                            step 3
  std::array<int, 6> order{};   //                                                                            step 3
  double least_pivot = 1;       // over the largest, scaled; null ones left out                               step 3
  bool weak = false;            // K is nearly singular: ranks must be decided with care                      step 3
  bool crowded = false;         // tips have more than six rows                                               tips
  std::array<T, 6> mu{};        // forces of null rows                                                        step 4
  std::array<int, 6> places{};  // of null rows among those that bind the reference member; −1: redundant     step 4
  std::array<T, 6> h{};         // h_c: the force on the reference member is φ h + φᶜ h_c                     step 5
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
  Omega<T>* omega = nullptr;      // per freedom
  Vec3<T>* ball_omega = nullptr;  // likewise, of chains that hold by a ball
  T* factors = nullptr;           // D of each chain joint, factored                          step 1
  Motion<T>* bias =
      nullptr;  // per closure: c, in the direction of the chain, at the link's point, or of a tip at the reference's    tips, step 1
  BlockState<T>* blocks = nullptr;  // per block: see blocks.hpp                          step 1
  Grip<T>* grips = nullptr;         // per chain
  TipJoint<T>* tips = nullptr;      // per tip
  Share<T>* shares = nullptr;       // per chain; summed in pairs
};

}  // namespace trammel

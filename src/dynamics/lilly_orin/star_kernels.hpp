// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces of Lilly and Orin's algorithm (five_steps.hpp) as plain functions on plain numbers, as kernel_table.hpp has those of trees: for
// double in libtrammel-kernels.so, for Counted in libtrammel. `star` is memory of numbers() numbers on a 64-byte boundary, which
// prepare() has seen; it holds what is found out about chains. Whoever calls decides on the order, and on threads: functions of
// different chains may run side by side.

#include <array>
#include <cstddef>

#include "dynamics/lilly_orin/plan.hpp"
#include "kernels/link_state.hpp"

namespace trammel {

// Row i, column k ≤ i of an articulated inertia, among its 21 numbers.
inline constexpr int lower_entry[6][6] = {
    {0}, {3, 1}, {4, 5, 2}, {6, 7, 8, 15}, {9, 10, 11, 18, 16}, {12, 13, 14, 19, 20, 17}};

template <class T>
struct StarCall {
  Tree tree;
  T *ws = nullptr, *star = nullptr;
  const StarPlan* plan = nullptr;
  LoadArrays<T> loads;
  const char* prescribed = nullptr;  // per freedom; null: none is
  T* a = nullptr;                    // accelerations: those prescribed are in it
};

// What all chains together say after step 3.
struct StarSummary {
  int rows = 0;
  int singular_joint = -1;
  bool crowded = false;
  bool weak = false;  // a K is nearly singular: ranks must be decided with care
  int null = 0;       // rows in whose directions tips cannot accelerate
  double least_pivot = 1;
  double block_residual = 0, block_conditioning = 1;
};

// What came of step 4.
struct ReferenceSummary {
  bool found = false;
  int held = 0;
  bool unique = true;
  double residual = 0;
  double conditioning = 1;  // of the rows that bind: squared, as pivots are
  double even = 1;          // least pivot of the inertia along what is free, over the largest
};

// What ranks are decided by; see Grip.
template <class T>
struct GripView {
  int rows = 0;
  std::array<bool, 6> rotor{};
  double scale = 0;
  std::array<std::array<T, 6>, 6> C{};
  std::array<T, 36> K{};
  std::array<T, 6> S{}, known{};
  std::array<double, 6> size{};
};

template <class T>
struct StarTable {
  std::size_t (*numbers)(const StarPlan&);
  void (*prepare)(const StarPlan&, T* star);

  // Joint forces with friction; poses, velocities, A⁰ and forces of links whose parents are done; loads; a clean slate.
  void (*take_forces)(const StarCall<T>&, const T* v, const T* tau);
  void (*outward_some)(const StarCall<T>&, const int* links, int count, const T* q, const T* v);
  void (*add_loads)(const StarCall<T>&);
  void (*clear)(const StarCall<T>&);

  void (*place_tips)(const StarCall<T>&, int chain, const T* known);  // null: no known forces at closed tips
  void (*open_chain)(const StarCall<T>&, int chain);                  // step 1
  void (*propagate)(const StarCall<T>&, int chain);                   // step 2
  void (*share)(const StarCall<T>&, int chain);                       // step 3
  void (*inward)(const StarCall<T>&, int first, int end,
                 const T* known);           // these four, for some chains; known: 6 a tip
  StarSummary (*rest)(const StarCall<T>&);  // trees that hang on the reference member and the support
  void (*sum_shares)(const StarCall<T>&);
  ReferenceSummary (*solve)(const StarCall<T>&, int null);  // step 4, where it is clear which rows bind
  void (*tip_force)(const StarCall<T>&, int chain);
  void (*accelerate)(const StarCall<T>&, int chain);                        // step 5
  void (*again)(const StarCall<T>&, int first, int end, bool find_forces);  // these two, for some chains
  void (*accelerate_rest)(const StarCall<T>&);

  // Everything above up to rest(), and from sum_shares() on, if the latter solves; in one thread.
  StarSummary (*until_reference)(const StarCall<T>&, const T* q, const T* v, const T* tau, const T* known);
  ReferenceSummary (*from_reference)(const StarCall<T>&, int null);

  // For ranks: the inertia of the reference member and its legs (21 numbers, as entries()) and force at O; the tips; and back again.
  void (*reference)(const StarCall<T>&, T* inertia, T* force);
  void (*grip)(const StarCall<T>&, int chain, GripView<T>&);
  void (*set_reference)(const StarCall<T>&, const T* dA);
  void (*set_tip_force)(const StarCall<T>&, int chain, const T* h);
  // What the chain exerts on the reference member by a tip, an index of StarPlan::tips, at O: six numbers.
  void (*force_at_tip)(const StarCall<T>&, int chain, int tip, T* force);
  // Of what solve() solved.
  void (*effective_inertia)(const StarCall<T>&, T* inertia);
};

const StarTable<Counted>& counted_star_kernels();

}  // namespace trammel

extern "C" const trammel::StarTable<double>* trammel_star_kernels();

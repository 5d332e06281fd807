// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bars of one state, several side by side in lanes: a register holds the same number of as many bars, whatever bodies they belong to. Their
// constants are laid out in rows once, when the model is set up.

#include <vector>

#include <trammel/core/aligned_array.hpp>

#include "fluid/part_forces.hpp"

namespace trammel::fluid {

// Of one bar; with T = lanes, of a block of bars: numbers only.
template <class T>
struct PlacedBar {
  Vec3<T> c_L, e_L;  // its middle and its axis, in the link's frame
  T volume{};        // that is displaced
  Bar<T> bar;
};

// Numbers of a Sum that are found of a bar, and of its damping, with zeros behind them.
inline constexpr int sum_numbers = 32, damping_numbers = 24;

// Of a body: the sum over its parts, and how its link moves. What is found of a bar is stored in whole registers.
struct alignas(64) Found {
  Sum sum;
  Motion<double> V;  // at O
  Vec3d u, p_WO;     // the fluid's velocity around the body; O
};

struct BarLane {
  int link = 0;
  std::size_t body = 0;  // among those that are in the fluid
  Sum* sum = nullptr;    // for the kernel to set; that of the body for its first part
};

struct BarRows {
  std::vector<BarLane> lanes;      // those without a bar of their own repeat the first of their block
  AlignedArray<double> constants;  // PlacedBar of lanes, per block
  AlignedArray<double> dampings;   // damping_numbers a lane; scratch
  std::vector<Sum> more;           // of parts that are not the first; scratch
};

// Of all parts that have a place; blocks as wide as the kernels' lanes. `found`: per body.
BarRows lay_out_bars(const WetBodies& wet, std::vector<Found>& found);

}  // namespace trammel::fluid

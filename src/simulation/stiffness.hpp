// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How fast a system would move back if it were pushed: the largest eigenvalue of ∂ẏ/∂y, by power iteration with differences. What an
// explicit rule must resolve with its step, whether or not anything moves that fast.

#include <string>

#include "simulation/system.hpp"

namespace trammel {

struct Stiffness {
  double rate = 0;             // 1/s
  bool finds_impacts = false;  // which implicit steps do not
};
Stiffness find_stiffness(System& system, double t, std::span<const double> y);
// What to do about it with this integrator and step; empty where stiffness is not the trouble.
std::string advice_on(const Stiffness& stiffness, Integrator integrator, double step);
// Of a run with error control that goes on, with steps so long on average: what keeps them short, if that is stiffness.
std::string note_on(const Stiffness& stiffness, double step);

}  // namespace trammel

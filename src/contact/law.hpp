// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The normal force of a pair of contacts as a function of depth and its rate. Pure.
//   F = k dⁿ (1 + a ḋ) + b ḋ                                                                  [Hunt & Crossley 1975; b: Kelvin–Voigt]
// Restitution with b = 0 and no other force does not depend on k, n or the mass: with y = a v_in, z = a v_out,
//   y − ln(1 + y) = −z − ln(1 − z)
// Below d = 0 it goes on as an odd function, so that a stage of an integrator that looks beyond the moment of parting finds it smooth.

#include <cmath>

#include <trammel/contacts.hpp>

namespace trammel {

struct NormalForce {
  double force = 0;                  // may be negative: then nothing pushes
  double elastic = 0;                // k dⁿ
  double by_depth = 0, by_rate = 0;  // derivatives
  double energy = 0;                 // stored
};

inline NormalForce normal_force(const ContactLaw& law, double depth, double rate) {
  const double size = std::abs(depth);
  const double slope = law.exponent == 1 ? law.stiffness : law.stiffness * std::pow(size, law.exponent - 1);  // k dⁿ⁻¹
  NormalForce out;
  out.elastic = slope * depth;
  const double factor = 1 + law.dissipation * rate;
  out.force = out.elastic * factor + law.damping * rate;
  out.by_depth = law.exponent * slope * factor;
  out.by_rate = law.dissipation * out.elastic + law.damping;
  out.energy = out.elastic * depth / (law.exponent + 1);
  return out;
}

}  // namespace trammel

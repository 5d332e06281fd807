// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The normal force of a pair of contacts as a function of depth and its rate. Pure.
//   F = k dⁿ (1 + a ḋ) + b ḋ                                                                  [Hunt & Crossley 1975; b: Kelvin–Voigt]
// Restitution with b = 0 and no other force does not depend on k, n or the mass: with y = a v_in, z = a v_out,
//   y − ln(1 + y) = −z − ln(1 − z)
// Below d = 0 it goes on as an odd function, so that a stage of an integrator that looks beyond the moment of parting finds it smooth.

#include <cmath>
#include <type_traits>

#include <trammel/contacts.hpp>

namespace trammel {

template <class T>
struct NormalForceOf {
  T force{};                // may be negative: then nothing pushes
  T elastic{};              // k dⁿ
  T by_depth{}, by_rate{};  // derivatives
  T energy{};               // stored
};
using NormalForce = NormalForceOf<double>;

template <class T>
NormalForceOf<T> normal_force(const ContactLaw& law, const T& depth, const std::type_identity_t<T>& rate) {
  using std::pow;
  T slope(law.stiffness);  // k dⁿ⁻¹
  if (law.exponent != 1) slope = T(law.stiffness) * pow(abs(depth), law.exponent - 1);
  NormalForceOf<T> out;
  out.elastic = slope * depth;
  const T factor = T(1) + T(law.dissipation) * rate;
  out.force = out.elastic * factor + T(law.damping) * rate;
  out.by_depth = T(law.exponent) * slope * factor;
  out.by_rate = T(law.dissipation) * out.elastic + T(law.damping);
  out.energy = out.elastic * depth / T(law.exponent + 1);
  return out;
}

}  // namespace trammel

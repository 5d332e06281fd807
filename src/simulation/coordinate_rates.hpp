// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// From freedoms to coordinates: q̇ = N(q) v. Where a joint has as many of the one as of the other, q̇ = v; otherwise it is the derivative
// of q ⊕ ε v at ε = 0, taken with dual numbers (of custom joints by differences).

#include <span>

#include <trammel/mechanism.hpp>

namespace trammel {

void coordinate_rates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v,
                      std::span<double> qdot);
// The v whose rates of coordinates come nearest to qdot: v = N⁺ q̇.
void freedoms_of_coordinates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> qdot,
                             std::span<double> v);
// Quaternions, of coordinates that have drifted off, made unit again: q ⊕ 0.
void make_unit(const Mechanism& mechanism, std::span<double> q);

}  // namespace trammel

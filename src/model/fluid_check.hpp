// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Can a fluid be as the model says, and can bodies feel it that way? compile() asks.

#include <trammel/model.hpp>

namespace trammel {

void check_fluid(const Model& model, Diagnostics& diagnostics);
// What the body feels, its hull taken from its shapes where it has none of its own.
Hydrodynamics hydrodynamics_of(const Body& body);

// How far a 6×6 matrix is from being symmetric, over its largest entry.
double asymmetry(const Hydrodynamics::Matrix& matrix);
// Shapes that water is known to flow around.
bool has_hydrodynamics(Shape::Kind kind);

// Of regular waves on water of this depth, the highest before they break: 0.142 λ tanh(k depth).       [Miche 1944]
double breaking_height(double wave_number, double depth);

}  // namespace trammel

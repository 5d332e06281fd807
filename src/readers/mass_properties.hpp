// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mass, centre of mass and inertia of a body made of solid shapes.

#include <optional>
#include <string>
#include <vector>

#include <trammel/model.hpp>

namespace trammel::readers {

struct MassProperties {
  double mass = 0;
  Vec3d com;      // in the frame the shapes are in
  Sym3d inertia;  // at the com
};

// A shape with its own mass or density weighs that. The others share what is left of `total` by volume, or weigh
// nothing if no total is given. If all have their own and they do not add up to the total, all are scaled to it.
MassProperties mass_of_shapes(const std::vector<Shape>& shapes, std::optional<double> total);

// What of it, or of its shapes, is beyond what a double holds: "volume of the sphere", "mass", …; empty where all is
// finite.
std::string find_overflow(const std::vector<Shape>& shapes, const MassProperties& sum);

// What the shapes with a mass or density of their own weigh together, and whether that is all of them.
struct OwnMass {
  double sum = 0;
  bool complete = true;
};
OwnMass own_mass(const std::vector<Shape>& shapes);

}  // namespace trammel::readers

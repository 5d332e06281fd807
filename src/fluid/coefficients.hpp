// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Added mass and drag of simple solids, from theory where there is one, otherwise from tables, each with a word on where it is from.

#include <string>

#include <trammel/hydrodynamics.hpp>

namespace trammel::fluid {

// Carlson's R_D(x, y, z): symmetric in x and y.                             [B. C. Carlson, Numer. Math. 33 (1979) 1–16]
double carlson_rd(double x, double y, double z);

// Added mass of an ellipsoid in ideal fluid, over that of the displaced fluid: three of translation, three of rotation in m².
// [H. Lamb, Hydrodynamics, 6th ed. 1932, §§ 114, 115]
//   α_i = abc ∫ dλ / ((a_i² + λ) Δ),   k_i = α_i/(2 − α_i)
//   k_x' = (b² − c²)² (γ − β) / (5 (2 (b² − c²) + (b² + c²)(β − γ)))
struct LambFactors {
  Vec3d translation, rotation;
};
LambFactors lamb_factors(const Vec3d& half_axes);

// Of a part of a hull, in its frame S at its centre, where by symmetry all is diagonal. Over the density.
struct AddedMass {
  Vec3d rotation, translation;  // m⁵, m³
  std::string source;
};
AddedMass added_mass_of(const HullPart& part);

// Drag areas, ½ C A, without the density.
struct DragAreas {
  double across = 0,
         along = 0;  // round bars: per length of the axis; for the whole bar. Sphere: both the same, for all of it
  Vec3d faces;       // box and ellipsoid: ½ C A of x, y, z
  Vec3d rotation;    // M = −ρ rotation |ω| ω, by axes: m⁵
  std::string source;
};
DragAreas drag_areas_of(const HullPart& part);

// Straight between the points of a table, constant beyond them.
struct TablePoint {
  double at, value;
};

}  // namespace trammel::fluid

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Virtual masses over directions: in a plane, or on the sphere by longitude (in the plane, from its first axis to its second) and
// latitude (out of it, towards first × second).

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <trammel/floating.hpp>

namespace trammel::tool {

inline constexpr double degree = 0.017453292519943295;  // rad

struct DirectionPlane {
  Vec3d first, second;
  std::string names;

  Vec3d at(double longitude, double latitude = 0) const;  // rad
};
// "x,y", "z,-x"; nothing where these are no two axes.
std::optional<DirectionPlane> parse_plane(const std::string& text);

// One direction, and the mass or the angle found there.
struct Extreme {
  double longitude = 0, latitude = 0;  // deg
  double value = 0;
};

struct Directions {
  std::vector<double> longitudes, latitudes;  // deg; in a plane the latitude is 0

  bool is_sphere() const { return latitudes.size() > 1; }
  std::size_t size() const { return longitudes.size() * latitudes.size(); }
};
Directions directions_in_plane(double step);   // 0 … 360, both ends
Directions directions_on_sphere(double step);  // the middles of cells

struct VirtualMasses {
  double share = 0;  // by which joints resist
  std::vector<double> G = std::vector<double>(36);
  std::vector<double> projected, absolute, deviation;  // kg, kg, deg: for each latitude all longitudes
  Extreme heaviest, lightest, steepest;                // m_p, m_a, deviation: of all directions, not of those listed
  VirtualMassEllipsoid ellipsoid;
};

// All but `share` and G from G.
void fill(const DirectionPlane& plane, const Directions& directions, VirtualMasses& masses);

}  // namespace trammel::tool

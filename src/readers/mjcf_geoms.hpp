// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Geoms: what a body looks like, what of it can be touched, and, where nothing else says so, what it weighs.

#include "readers/mass_properties.hpp"
#include "readers/mjcf_reading.hpp"

namespace trammel::readers::mjcf {

struct Geom {
  std::optional<Shape> shape;   // none for planes, height fields and what could not be read
  double mass = 0;              // by its own `mass`, or by density and volume
  bool weighs_unknown = false;  // a mesh: its volume is not known here
  bool hollow = false;          // its mass is on its surface
  int group = 0;
  bool drawn = true;
  bool collides = true;
  Place place;
};

// `X_BF` is the frame in which the geom stands, in the body's.
Geom read_geom(Reading& r, const Item& item, const Transformd& X_BF);

// What it says of its mass, other than zero, where the body's mass is not that of its geoms.
void tell_weightless(Reading& r, const Item& item);

// Mass, centre of mass and inertia of a body from those of its geoms whose group the compiler takes. Nothing when there
// are none.
std::optional<MassProperties> mass_of_geoms(Reading& r, const std::vector<Geom>& geoms, const std::string& body,
                                            bool moves);

}  // namespace trammel::readers::mjcf

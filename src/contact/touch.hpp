// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where two things touch: how deep, where, which way. Geometry alone, at given poses.

#include <trammel/contacts.hpp>

namespace trammel {

struct Touch {
  bool is_there = true;  // false over a hole in the terrain
  double depth = 0;      // negative: apart
  Vec3d n_W;             // unit, from the first body to the second
  Vec3d gradient_W;      // −∂depth/∂centre; n but for the smoothing of a terrain
  Vec3d p_W;             // the point of the second body that is deepest
  Vec3d centre_W;        // the point, or centre of sphere or wheel
  int law = 0;           // in Contacts::laws
};

// The pair at the poses of its bodies (the identity for the ground).
Touch find_touch(const Contacts& contacts, const ContactPair& pair, const Transformd& X_WA, const Transformd& X_WB);

// A solid seen from a point: distance to its surface (negative within) and the direction away from it, in the world.
struct SolidPoint {
  double distance = 0;
  Vec3d normal_W;
};
SolidPoint find_solid(const ContactShape& solid, const Transformd& X_WB, const Vec3d& p_W);

}  // namespace trammel

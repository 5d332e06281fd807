// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of a solid lies below a plane: its volume and where the centre of that volume is, in closed form and continuous however the solid
// dips. All in the solid's own frame S, whose origin is its centre; below is n·p ≤ d, n a unit vector.

#include <trammel/spatial/vector.hpp>

namespace trammel::fluid {

struct WetVolume {
  double volume = 0;
  Vec3d moment;  // volume times the position of its centre

  Vec3d centre() const { return volume > 0 ? moment * (1 / volume) : Vec3d{}; }
  WetVolume& operator+=(const WetVolume& b) {
    volume += b.volume;
    moment += b.moment;
    return *this;
  }
  friend WetVolume operator-(const WetVolume& a, const WetVolume& b) {
    return {a.volume - b.volume, a.moment - b.moment};
  }
};

WetVolume clip_sphere(double radius, const Vec3d& n, double d);
WetVolume clip_ellipsoid(const Vec3d& half_axes, const Vec3d& n, double d);
WetVolume clip_box(const Vec3d& edges, const Vec3d& n, double d);
// Along z, as long as `length`; of the capsule that is the distance of the spheres' centres.
WetVolume clip_cylinder(double radius, double length, const Vec3d& n, double d);
WetVolume clip_capsule(double radius, double length, const Vec3d& n, double d);
// |p| ≤ radius, p·z ≥ 0.
WetVolume clip_half_sphere(double radius, const Vec3d& n, double d);

}  // namespace trammel::fluid

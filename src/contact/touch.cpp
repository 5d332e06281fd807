// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "contact/touch.hpp"

#include <algorithm>
#include <cmath>

#include "model/terrain.hpp"

namespace trammel {
namespace {

using At = std::size_t;

// A wheel that lies flat touches nowhere in particular: nearer than this to flat, the point moves to the centre.
constexpr double nearly_flat = 1e-3;

SolidPoint away_from(const Vec3d& offset, double radius) {
  const double length = norm(offset);
  return {length - radius, length > 0 ? offset * (1 / length) : Vec3d{0, 0, 1}};
}

// Outside, the offset from the nearest point of the box; inside, the nearest face.
SolidPoint find_box(const Vec3d& half, const Vec3d& p) {
  const Vec3d nearest{std::clamp(p.x, -half.x, half.x), std::clamp(p.y, -half.y, half.y),
                      std::clamp(p.z, -half.z, half.z)};
  if (const Vec3d offset = p - nearest; dot(offset, offset) > 0) return away_from(offset, 0);
  const double gaps[3] = {std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
  const auto side = [](double x) { return x < 0 ? -1.0 : 1.0; };
  if (gaps[2] >= gaps[0] && gaps[2] >= gaps[1]) return {gaps[2], {0, 0, side(p.z)}};
  if (gaps[1] >= gaps[0]) return {gaps[1], {0, side(p.y), 0}};
  return {gaps[0], {side(p.x), 0, 0}};
}

SolidPoint in_own_frame(const ContactShape& solid, const Vec3d& p) {
  switch (solid.kind) {
    case ContactShape::Kind::box:
      return find_box(solid.size * 0.5, p);
    case ContactShape::Kind::capsule: {
      const Vec3d on_axis{0, 0, std::clamp(p.z, -solid.length / 2, solid.length / 2)};
      const Vec3d offset = p - on_axis;
      if (dot(offset, offset) == 0) return {-solid.radius, {1, 0, 0}};
      return away_from(offset, solid.radius);
    }
    default:
      return away_from(p, solid.radius);
  }
}

// How a wheel's plane lies to a normal n: the direction from the axle to the rim that goes deepest, and how deep for a unit of radius.
struct Lean {
  Vec3d down_W;
  double reach = 1;
};
Lean lean_of(const Vec3d& axis_W, const Vec3d& n_W) {
  const Vec3d in_plane = n_W - axis_W * dot(axis_W, n_W);
  const double length = norm(in_plane);
  return {in_plane * (-1 / std::max(length, nearly_flat)), length * length / std::max(length, nearly_flat)};
}

// The point of a ring that is nearest to a convex solid, by going to and fro: nearest on the solid, nearest on the ring. From what lies on the
// axle all points of the ring are as far: then any will do.
Vec3d nearest_on_ring(const ContactShape& solid, const Transformd& X_WA, const Vec3d& centre, const Vec3d& axis,
                      double ring) {
  constexpr int most_rounds = 60;
  const double enough = 1e-15 * ring;
  Vec3d q = centre;
  for (int round = 0; round < most_rounds; ++round) {
    const SolidPoint seen = find_solid(solid, X_WA, q);
    const Vec3d offset = q - seen.normal_W * seen.distance - centre;
    Vec3d in_plane = offset - axis * dot(axis, offset);
    if (dot(in_plane, in_plane) == 0) in_plane = cross(axis, std::abs(axis.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0});
    const double length = norm(in_plane);
    const Vec3d next = centre + in_plane * (ring / length);
    const double moved = norm(next - q);
    q = next;
    if (moved <= enough) break;
  }
  return q;
}

Touch on_terrain(const Contacts& contacts, const ContactPair& pair, const Transformd& X_WB) {
  Touch out;
  out.centre_W = X_WB * pair.p_B;
  const double reach = pair.ring + pair.radius;
  const GroundUnder ground = pair.part < 0 ? find_ground_under(*contacts.terrain, out.centre_W, reach)
                                           : find_block(*contacts.terrain, contacts.blocks, pair.part, out.centre_W);
  out.law = pair.law + 1 + ground.cell_material;
  out.is_there = ground.is_there;
  out.n_W = ground.normal_W;
  out.gradient_W = ground.gradient_W;
  out.depth = pair.radius - ground.distance;
  out.p_W = out.centre_W - out.n_W * pair.radius;
  if (pair.kind == ContactShape::Kind::wheel) {
    const Lean lean = lean_of(X_WB.R * pair.axis_B, out.n_W);
    out.p_W += lean.down_W * pair.ring;
    out.depth += lean.reach * pair.ring;
    out.gradient_W += transpose_times(ground.turning_W, lean.down_W) * pair.ring;  // n turns as the centre moves
  }
  return out;
}

}  // namespace

SolidPoint find_solid(const ContactShape& solid, const Transformd& X_WB, const Vec3d& p_W) {
  const Transformd X_WG = X_WB * solid.X_BG;
  SolidPoint found = in_own_frame(solid, inverse(X_WG) * p_W);
  found.normal_W = X_WG.R * found.normal_W;
  return found;
}

Touch find_touch(const Contacts& contacts, const ContactPair& pair, const Transformd& X_WA, const Transformd& X_WB) {
  if (pair.target < 0) return on_terrain(contacts, pair, X_WB);
  const ContactShape& solid = contacts.shapes[static_cast<At>(pair.target)];
  Touch out;
  out.law = pair.law;
  out.centre_W = X_WB * pair.p_B;
  const Vec3d nearest = pair.kind == ContactShape::Kind::wheel && pair.ring > 0
                            ? nearest_on_ring(solid, X_WA, out.centre_W, X_WB.R * pair.axis_B, pair.ring)
                            : out.centre_W;
  const SolidPoint seen = find_solid(solid, X_WA, nearest);
  out.n_W = out.gradient_W = seen.normal_W;
  out.depth = pair.radius - seen.distance;
  out.p_W = nearest - seen.normal_W * pair.radius;
  return out;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Contacts that are not over the terrain that was given: legal, but seldom meant.

#include <fmt/format.h>

#include <trammel/kinematics.hpp>
#include <trammel/simulation.hpp>

namespace trammel {

Diagnostics terrain_warnings(const Mechanism& mech, const State& state) {
  Diagnostics out;
  out.file = mech.file;
  if (!mech.contacts.terrain) return out;
  const Terrain& terrain = *mech.contacts.terrain;
  Workspace ws(mech);
  compute_positions(mech, ws, state.q);
  int last_shape = -1;
  for (const ContactPair& pair : mech.contacts.pairs) {
    if (pair.target >= 0 || pair.shape == last_shape) continue;
    const Vec3d p_W = pose_WB(mech, ws, pair.second) * pair.p_B;
    if (!find_ground(terrain, p_W).is_beyond) continue;
    last_shape = pair.shape;
    const ContactShape& shape = mech.contacts.shapes[static_cast<std::size_t>(pair.shape)];
    const Vec3d p_T = inverse(terrain.X_WT) * p_W;
    const std::string where = fmt::format(
        "contact '{}' starts beyond the terrain, at x = {:.6g} m, y = {:.6g} m of a grid of {:.6g} m by {:.6g} m",
        shape.name, p_T.x, p_T.y, (terrain.nx - 1) * terrain.spacing_x, (terrain.ny - 1) * terrain.spacing_y);
    switch (terrain.edge) {
      case Terrain::Edge::clamp:
        out.warning(shape.where, "terrain-beyond", where + ": its edge goes on there at the same height",
                    "move the terrain or the mechanism, or say edge: hole or edge: {plane: height}");
        break;
      case Terrain::Edge::hole:
        out.warning(shape.where, "terrain-beyond", where + ": nothing is there to hold it",
                    "move the terrain or the mechanism, or say edge: clamp");
        break;
      case Terrain::Edge::plane:
        out.warning(shape.where, "terrain-beyond",
                    where + fmt::format(": a plane at {:.6g} m is there", terrain.edge_height),
                    "move the terrain or the mechanism, where that is not meant");
        break;
    }
  }
  return out;
}

}  // namespace trammel

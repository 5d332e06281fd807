// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ground seen from the centre of something round, with all that its depth depends on.

#include <span>
#include <vector>

#include <trammel/contacts.hpp>

namespace trammel {

struct GroundUnder : GroundPoint {
  Mat3d turning_W{
      {}, {}, {}};  // how the normal changes with the centre, ∂n/∂c, where reach > 0; of grids and edges of steps
};
// As find_ground().
GroundUnder find_ground_under(const Terrain& terrain, const Vec3d& c_W, double reach);

std::vector<TerrainBlock> blocks_of_steps(const Terrain& terrain);
// The nearest of the blocks of a part, of those whose nearest point is not hidden from c; is_there is false where all are.
GroundUnder find_block(const Terrain& terrain, std::span<const TerrainBlock> blocks, int part, const Vec3d& c_W);

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ground seen from the centre of something round, with all that its depth depends on.

#include <trammel/contacts.hpp>

namespace trammel {

struct GroundUnder : GroundPoint {
  Mat3d turning_W{{}, {}, {}};  // how the normal changes with the centre, ∂n/∂c, where reach > 0; 0 but on grids
};
// As find_ground().
GroundUnder find_ground_under(const Terrain& terrain, const Vec3d& c_W, double reach);

}  // namespace trammel

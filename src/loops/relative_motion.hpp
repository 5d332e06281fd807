// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the frames of a joint move against each other, read off the bodies that carry them: for joints that close a loop
// and have no coordinates of their own.

#include <trammel/kinematics.hpp>

namespace trammel {

struct RelativeMotion {
  Transformd X_FM;
  Motion<double> V,
      A;  // velocity of M relative to F, and its rate component by component; both in M's axes at its origin
};
// Needs compute_accelerations.
RelativeMotion relative_motion(const Mechanism& mechanism, const Workspace& ws, const JointInfo& joint);

}  // namespace trammel

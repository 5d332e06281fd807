// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scratch for the kernels: made once for a mechanism, then nothing allocates. One workspace per thread.
//
// All 6-vectors and inertias of a link are in world axes, taken at the link's point O. O is fixed in W and coincides,
// at this instant, with the origin of the frame of the link that opens it: the first of each tree, any link on a free
// joint, and every 16th of a long chain. So inertias of neighbours add without a congruence, and numbers stay as small
// as the mechanism even when it is 10 km from the world's origin.

#include <trammel/mechanism.hpp>

namespace trammel {

template <class T>
struct BasicWorkspace {
  explicit BasicWorkspace(const Mechanism& mechanism);

  Parameters<T> parameters;  // the mechanism's; a user may vary masses and lengths here

  // Per point, by compute_positions:
  std::vector<Vec3<T>> p_WO;  // O in W
  std::vector<Vec3<T>> p_QO;  // O from the parent link's point Q (from W's origin for the first link of a tree), in W

  // Per link:
  std::vector<Mat3<T>> R_WL;       // axes of the link's frame                         compute_positions
  std::vector<Vec3<T>> p_OL;       // its origin, from O, in W                         compute_positions
  std::vector<Motion<T>> V;        // velocity of the link at O, in W                  compute_velocities
  std::vector<Motion<T>> zeta;     // ζ = d/dt(H) v, at O, in W                        compute_velocities
  std::vector<Motion<T>> A;        // acceleration: d/dt V with O held fixed           compute_accelerations, *_dynamics
  std::vector<RigidInertia<T>> M;  // rigid inertia at O, in W                         compute_inertias
  std::vector<RigidInertia<T>> Mc;        // composite inertia of the link and all beyond     mass_matrix
  std::vector<ArticulatedInertia<T>> IA;  // articulated inertia at O, in W                forward_dynamics
  std::vector<Force<T>> pA;               // its bias force at O, in W                        forward_dynamics
  std::vector<Force<T>> F;  // force through the link's joint at O, in W        inverse_dynamics, mass_matrix

  // Per freedom:
  std::vector<Motion<T>> H;     // column of the joint's motion space at O, in W    compute_positions
  std::vector<Motion<T>> Hdot;  // its rate, O held fixed                           compute_motion_rates
  std::vector<Force<T>> Y;      // (U D⁻¹) column: force per acceleration, at O     forward_dynamics
  std::vector<T> d;             // (D⁻¹ u)                                          forward_dynamics
  std::vector<T> tau;           // joint forces with friction taken in              forward_dynamics
};

using Workspace = BasicWorkspace<double>;

}  // namespace trammel

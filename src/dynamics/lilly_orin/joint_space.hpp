// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two spaces of a general joint, at its frame M: φ, the motions it leaves free, and φᶜ, the forces it can transmit, which do
// no work on them. Most joints have the same spaces in M in all positions, whatever basis H_FM takes in them: these are found
// once, by trying, and their bases chosen so that placing them in the world costs little:
//   - all three travels (a ball joint's forces) or all three turns: along the world's axes;
//   - others along the axes of M, as far as they go;
//   - what is left (a screw's coupling of turn and travel) orthonormal to those.
// A universal joint's spaces turn with it: they are made anew at every position, from H_FM.

#include <array>

#include <trammel/joints/all_joints.hpp>

namespace trammel {

// A subspace of the six dimensions of motions, or of forces, in M. Directions 0…2 are angular, 3…5 linear.
struct SpaceBasis {
  bool all_turns = false, all_travels = false;
  int aligned_count = 0, other_count = 0;
  std::array<int, 6> aligned{};
  std::array<std::array<double, 6>, 6> others{};

  int size() const { return 3 * (int{all_turns} + int{all_travels}) + aligned_count + other_count; }
};

struct JointSpace {
  bool constant = false;     // in M; else the bases are empty
  bool orthonormal = false;  // the columns of H_FM, in all positions
  SpaceBasis motions, forces;
};
// By trying positions; the joint as it is walked.
JointSpace find_joint_space(const AnyJoint& joint);

// Writes the basis of forces as seen from O, where M has the pose X_OM; returns how many.
template <class T>
int place_forces(const SpaceBasis& basis, const Transform<T>& X_OM, Force<T>* out) {
  const auto& [R, p] = X_OM;
  Force<T>* next = out;
  if (basis.all_travels) {
    const Mat3<T> e = Mat3<T>::identity(), p_cross = skew(p);
    *next++ = {p_cross.ex, e.ex};
    *next++ = {p_cross.ey, e.ey};
    *next++ = {p_cross.ez, e.ez};
  }
  if (basis.all_turns) {
    const Mat3<T> e = Mat3<T>::identity();
    *next++ = {e.ex, {}};
    *next++ = {e.ey, {}};
    *next++ = {e.ez, {}};
  }
  for (int i = 0; i < basis.aligned_count; ++i) {
    const int direction = basis.aligned[i];
    const Vec3<T>& axis = direction % 3 == 0 ? R.ex : direction % 3 == 1 ? R.ey : R.ez;
    *next++ = direction < 3 ? Force<T>{axis, {}} : Force<T>{cross(p, axis), axis};
  }
  for (int i = 0; i < basis.other_count; ++i) {
    const auto& b = basis.others[i];
    *next++ = X_OM * Force<T>{{T(b[0]), T(b[1]), T(b[2])}, {T(b[3]), T(b[4]), T(b[5])}};
  }
  return static_cast<int>(next - out);
}
template <class T>
int place_motions(const SpaceBasis& basis, const Transform<T>& X_OM, Motion<T>* out) {
  const auto& [R, p] = X_OM;
  Motion<T>* next = out;
  if (basis.all_travels) {
    const Mat3<T> e = Mat3<T>::identity();
    *next++ = {{}, e.ex};
    *next++ = {{}, e.ey};
    *next++ = {{}, e.ez};
  }
  if (basis.all_turns) {
    const Mat3<T> e = Mat3<T>::identity(), p_cross = skew(p);
    *next++ = {e.ex, p_cross.ex};
    *next++ = {e.ey, p_cross.ey};
    *next++ = {e.ez, p_cross.ez};
  }
  for (int i = 0; i < basis.aligned_count; ++i) {
    const int direction = basis.aligned[i];
    const Vec3<T>& axis = direction % 3 == 0 ? R.ex : direction % 3 == 1 ? R.ey : R.ez;
    *next++ = direction < 3 ? turn_about(axis, p) : travel_along(axis);
  }
  for (int i = 0; i < basis.other_count; ++i) {
    const auto& b = basis.others[i];
    *next++ = X_OM * Motion<T>{{T(b[0]), T(b[1]), T(b[2])}, {T(b[3]), T(b[4]), T(b[5])}};
  }
  return static_cast<int>(next - out);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loop v₁ + v₂ + v₃ + C = 0 itself, with one unknown in each vector: cases 8 and 9 find their solutions by elimination, which loses
// digits, and get them back here by Newton's method. Each vector keeps its conditions (axis, angle, length) to the last digit.

#include "loops/chace/common.hpp"

namespace trammel::chace {

// A vector with one unknown: a slide x w, or an arm at cos θ = x, sin θ = y.
struct Member {
  Axes axes;
  double axial = 0, radial = 0, length = 0;  // of an arm
  bool slides = false;
  double x = 1, y = 0;

  static Member slide(const Vec3d& direction) { return {{{}, {}, direction}, 0, 0, 0, true, 0, 0}; }
  static Member turn(const Arm& arm) { return {arm.cone.axes, arm.axial(), arm.radial(), arm.length, false, 1, 0}; }

  Vec3d value() const { return slides ? axes.w * x : axes.w * axial + (axes.l * x + axes.m * y) * radial; }
  Vec3d rate() const { return slides ? axes.w : (axes.m * x - axes.l * y) * radial; }  // by length or angle
  void step(double by);
  // The azimuth at which an arm comes closest to v.
  void turn_towards(const Vec3d& v);
  Vector vector() const { return {value(), slides ? x : length}; }
};

struct ThreeMembers {
  std::array<Member, 3> member;
  Vec3d C{};

  Vec3d gap() const { return member[0].value() + member[1].value() + member[2].value() + C; }
};

// Closes the loop from near, as well as it can be.
struct Closed {
  double gap = 0;  // that is left
  double determinant =
      0;  // of the directions in which the unknowns move the loop, as unit vectors: zero at dead points
};
Closed close_loop(ThreeMembers& loop);

}  // namespace trammel::chace

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rolling: circle 2 about Q's origin rolls without slip on circle 1 about P's origin, both in planes square to the common
// z axis. With β the direction of the centre line in P and θ the turn of Q relative to P, both about z, equal arcs
// have passed the point of contact when
//   outside each other      r₁ β = r₂ (θ − β) + const     (centres r₁ + r₂ apart)
//   2 inside 1, r₁ > r₂     r₁ β = r₂ (β − θ) + const     (centres r₁ − r₂ apart)
// and with σ = +1 outside, −1 inside, both are (r₁ + σ r₂) β − σ r₂ θ = const. A second row keeps the centres at that distance, unless
// something else does (an arm).

#include <trammel/constraints/constraint.hpp>

namespace trammel {

struct RollingCircles {
  double first_radius = 1, second_radius = 1;
  bool inside = false;        // circle 2 runs within circle 1
  bool keeps_contact = true;  // the distance of the centres is held too
  double phase = 0;           // the constant, in m: zero where β = θ = 0

  static constexpr std::string_view keyword = "rolling";
  static constexpr int angles = 2;

  double side() const { return inside ? -1 : 1; }
  std::vector<Dimension> dimensions() const { return std::vector<Dimension>(keeps_contact ? 2 : 1, dimension::length); }
  template <class T>
  void read_angles(const Transform<T>& X_PQ, T* out) const {
    out[0] = atan2(X_PQ.p.y, X_PQ.p.x);
    out[1] = atan2(X_PQ.R.ex.y - X_PQ.R.ey.x, X_PQ.R.ex.x + X_PQ.R.ey.y);
  }
  template <class T>
  void residual(const Transform<T>& X_PQ, const double* full_turns, T* out) const {
    T angle[2];
    read_angles(X_PQ, angle);
    const double between_centres = first_radius + side() * second_radius;
    out[0] = T(between_centres) * (angle[0] + T(full_turns[0])) -
             T(side() * second_radius) * (angle[1] + T(full_turns[1])) - T(phase);
    if (keeps_contact) out[1] = sqrt(X_PQ.p.x * X_PQ.p.x + X_PQ.p.y * X_PQ.p.y) - T(between_centres);
  }
};

// A circle about Q's origin that rolls without slip on the line through P's origin along x, in the plane square to z. The circle lies on
// the side of +y:  x + r θ = const,  y = r.
struct RollingOnLine {
  double radius = 1;
  bool keeps_contact = true;
  double phase = 0;

  static constexpr std::string_view keyword = "rolling_on_line";
  static constexpr int angles = 1;

  std::vector<Dimension> dimensions() const { return std::vector<Dimension>(keeps_contact ? 2 : 1, dimension::length); }
  template <class T>
  void read_angles(const Transform<T>& X_PQ, T* out) const {
    out[0] = atan2(X_PQ.R.ex.y - X_PQ.R.ey.x, X_PQ.R.ex.x + X_PQ.R.ey.y);
  }
  template <class T>
  void residual(const Transform<T>& X_PQ, const double* full_turns, T* out) const {
    T angle;
    read_angles(X_PQ, &angle);
    out[0] = X_PQ.p.x + T(radius) * (angle + T(full_turns[0])) - T(phase);
    if (keeps_contact) out[1] = X_PQ.p.y - T(radius);
  }
};

}  // namespace trammel

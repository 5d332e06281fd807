// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Point on curve (a slot, or a cam with a roller): Q's origin stays at a given distance from a curve that lies in P's xy plane; what
// it does along P's z is free. Face on curve (a cam with a flat follower): the line through Q's origin along Q's x axis stays
// tangent to the curve, which lies on its side of −y.
//
// With the foot point c(s) of Q's origin p,   (p − c(s)) · c'(s) = 0,   and the unit normal n to the left of the curve,
//   Φ = n(s) · (p − c(s)) − offset                                                                                 (1)
// For the face, with unit normal e (Q's y axis), the touching point is where the tangent is along the face,  e · c'(s) = 0,
//   Φ = e · (p − c(s))                                                                                             (2)
// In both s moves along without changing Φ to first order. s is found on plain numbers; Newton's step on numbers that carry
// derivatives then supplies its derivatives, one more order each time.

#include <memory>

#include <trammel/constraints/constraint.hpp>
#include <trammel/constraints/curve.hpp>

namespace trammel {

struct PointOnCurve {
  std::shared_ptr<const Curve> curve;
  double offset = 0;  // of the point to the left of the curve, as seen along −z: a roller's radius, with sign

  static constexpr std::string_view keyword = "point_on_curve";

  std::vector<Dimension> dimensions() const { return {dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    const double start = curve->nearest({value_of(X_PQ.p.x), value_of(X_PQ.p.y)});
    T s(start);
    for (int order = 0; order < 4; ++order) {
      const CurvePoint<T> c = curve->at(s);
      const T dx = X_PQ.p.x - c.x, dy = X_PQ.p.y - c.y;
      const T slope = c.ddx * dx + c.ddy * dy - c.dx * c.dx - c.dy * c.dy;
      s = s - (dx * c.dx + dy * c.dy) / slope;
    }
    const CurvePoint<T> c = curve->at(s);
    const T speed = sqrt(c.dx * c.dx + c.dy * c.dy);
    out[0] = (c.dx * (X_PQ.p.y - c.y) - c.dy * (X_PQ.p.x - c.x)) / speed - T(offset);  // (1)
  }
};

struct FaceOnCurve {
  std::shared_ptr<const Curve> curve;

  static constexpr std::string_view keyword = "face_on_curve";

  std::vector<Dimension> dimensions() const { return {dimension::length}; }
  template <class T>
  void residual(const Transform<T>& X_PQ, T* out) const {
    const T ex = X_PQ.R.ey.x, ey = X_PQ.R.ey.y;
    T s(curve->farthest({value_of(ex), value_of(ey)}));
    for (int order = 0; order < 4; ++order) {
      const CurvePoint<T> c = curve->at(s);
      s = s - (ex * c.dx + ey * c.dy) / (ex * c.ddx + ey * c.ddy);
    }
    const CurvePoint<T> c = curve->at(s);
    out[0] = ex * (X_PQ.p.x - c.x) + ey * (X_PQ.p.y - c.y);  // (2)
  }
};

}  // namespace trammel

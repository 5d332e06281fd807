// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Helical: a turn by θ about z that advances h·θ along z, as a screw does.

#include <trammel/joints/joint.hpp>

namespace trammel {

struct Helical {
  double h = 0;  // m per radian; a thread of pitch s per turn has h = s/2π

  static constexpr std::string_view keyword = "helical";
  static constexpr int nq = 1, nv = 1;
  static constexpr bool constant_H = true;
  static constexpr std::array<Freedom, 1> freedoms{{{"angle", dimension::angle}}};

  template <class T>
  Transform<T> X_FM(const T* q) const {
    return {rotation_z(q[0]), {T(0), T(0), T(h) * q[0]}};
  }
  template <class T>
  MotionColumns<T, 1> H_FM(const T*) const {
    return {{{{T(0), T(0), T(1)}, {T(0), T(0), T(h)}}}};
  }
  template <class T>
  MotionColumns<T, 1> Hdot_FM(const T*, const T*) const {
    return {};
  }
  template <class T>
  Transform<T> placed(const Transform<T>& X_WF, const T* q) const {
    return {turned_about_z(X_WF.R, q[0]), X_WF.p + X_WF.R.ez * (T(h) * q[0])};
  }
  template <class T>
  MotionColumns<T, 1> columns_at(const Transform<T>& X_OM, const T*) const {
    const Vec3<T>& z = X_OM.R.ez;
    return {{{z, cross(X_OM.p, z) + z * T(h)}}};
  }
  static constexpr std::array<Dimension, 5> closure_dimensions{dimension::length, dimension::length, dimension::length,
                                                               dimension::angle, dimension::angle};
  template <class T>
  void closure(const Transform<T>& X, T* out) const {
    T angle;
    q_fit(X, &angle);
    closure_at(X, angle, out);
  }
  // With the angle counted by someone who has followed it: of a fine thread the advance does not tell the turn.
  template <class T>
  void closure_at(const Transform<T>& X, const T& angle, T* out) const {
    out[0] = X.p.x, out[1] = X.p.y, out[2] = X.p.z - T(h) * angle;
    align_z(X.R, out + 3);
  }
  template <class T>
  void q_zero(T* q) const {
    set_zero<nq>(q);
  }
  template <class T>
  void q_step(const T* q, const T* dq, T* out) const {
    add_step<nq>(q, dq, out);
  }
  // The advance tells the number of turns, the rotation the angle within the turn.
  template <class T>
  void q_fit(const Transform<T>& X, T* q) const {
    const T angle = fit_angle_z(X.R);
    if (h == 0) {
      q[0] = angle;
      return;
    }
    const T error = X.p.z / T(h) - angle;
    q[0] = angle + T(two_pi) * T(std::round(value_of(error) / two_pi));
  }

  static constexpr double two_pi = 6.283185307179586476925286766559;
};

}  // namespace trammel

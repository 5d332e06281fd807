// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a joint is. It lets frame M (on the second body) move relative to frame F (on the first):
//   pose       X_FM(q)
//   velocity   V_FM = H_FM(q) v, of M relative to F, at M's origin, **expressed in M**
//   its rate   d/dt V_FM = H_FM v̇ + Ḣ_FM v, component by component in M
//   its slope  of joints whose H_FM is not constant: how Ḣ_FM(q, v) changes while q moves with u and v is held, Hdot_along
// At q_zero F and M coincide. Algorithms visit joints and never name them: a new joint is one file that meets this
// concept, one line in all_joints.hpp, and one line of tests, check_joint_laws(MyJoint{}).   docs/add_a_joint.md

#include <array>
#include <concepts>
#include <string_view>

#include <trammel/spatial/transform.hpp>
#include <trammel/units.hpp>

namespace trammel {

// How one freedom is called and measured in files and reports.
struct Freedom {
  std::string_view name;  // "angle", "travel", "wx"
  Dimension dimension;    // of the coordinate: dimension::angle or dimension::length
};

template <class T, std::size_t n>
using MotionColumns = std::array<Motion<T>, n>;

template <class J, class T>
concept JointOver = requires(const J& joint, const T* q, const T* v, T* out, const Transform<T>& X) {
  { joint.template X_FM<T>(q) } -> std::same_as<Transform<T>>;
  { joint.template H_FM<T>(q) } -> std::same_as<MotionColumns<T, J::nv>>;
  { joint.template Hdot_FM<T>(q, v) } -> std::same_as<MotionColumns<T, J::nv>>;
  joint.template q_zero<T>(out);
  joint.template q_step<T>(q, v,
                           out);  // q ⊕ δ: from q along the velocity δ, held in M, for unit time; q and out may be one
  joint.template q_fit<T>(X, out);  // the q whose X_FM is nearest to X; exact where X is within reach
};

// For derivatives of the dynamics: needed where H_FM depends on q.
template <class J, class T>
concept HasSlopeOver = requires(const J& joint, const T* q, const T* v, const T* u) {
  { joint.template Hdot_along<T>(q, v, u) } -> std::same_as<MotionColumns<T, J::nv>>;
};
template <class J>
concept KnowsItsSlope = J::constant_H || HasSlopeOver<J, double>;

template <class J>
concept JointType = JointOver<J, double> && KnowsItsSlope<J> && requires {
  { J::keyword } -> std::convertible_to<std::string_view>;
  { J::nq } -> std::convertible_to<int>;           // coordinates
  { J::nv } -> std::convertible_to<int>;           // freedoms
  { J::constant_H } -> std::convertible_to<bool>;  // H_FM does not depend on q
  { J::freedoms } -> std::convertible_to<std::array<Freedom, J::nv>>;
};

// A joint may offer two shortcuts that save the multiplications by its zeros and ones; kernels take them where they are.
// The laws check them against X_FM and H_FM.
//   placed<T>(X_WF, q)      = X_WF X_FM
//   columns_at<T>(X_OM, q)  = X_OM H_FM,    where X_OM has the axes of M and its origin, seen from a point O
template <class T, class J>
Transform<T> place_joint(const J& joint, const Transform<T>& X_WF, const T* q) {
  if constexpr (requires { joint.template placed<T>(X_WF, q); }) {
    return joint.template placed<T>(X_WF, q);
  } else {
    return X_WF * joint.template X_FM<T>(q);
  }
}
template <class T, class J>
auto place_columns(const J& joint, const Transform<T>& X_OM, const T* q) {
  if constexpr (requires { joint.template columns_at<T>(X_OM, q); }) {
    return joint.template columns_at<T>(X_OM, q);
  } else {
    auto H = joint.template H_FM<T>(q);
    for (Motion<T>& column : H) column = X_OM * column;
    return H;
  }
}
// A turn about an axis through p, and a travel along it, as seen at O.
template <class T>
Motion<T> turn_about(const Vec3<T>& axis, const Vec3<T>& p) {
  return {axis, cross(p, axis)};
}
template <class T>
Motion<T> travel_along(const Vec3<T>& axis) {
  return {{}, axis};
}

// Closing a loop, a joint asks that X_FM, now given by the two bodies, be one that it allows: 6 − nv residuals, each in m or
// rad near zero, zero exactly there. Written so that to first order they are components of the displacement of M from
// where the joint would have it, along the axes of F; their gradients span the joint's constraint space φᶜ.
//   closure_dimensions          what each residual is: length or angle
//   closure<T>(X_FM, residuals)
//
// The two turns that bring M's z axis onto F's, as 2 tan(θ/2) about x and y: of ±z, which agree in z × z' = 0, only one will do.
template <class T>
void align_z(const Mat3<T>& R, T* out) {
  const T scale = T(2) / (T(1) + R.ez.z);
  out[0] = -R.ez.y * scale;
  out[1] = R.ez.x * scale;
}
// The turn that brings M's axes onto F's, as 2 tan(θ/2) times its axis (twice the Rodrigues vector).
template <class T>
void align_axes(const Mat3<T>& R, T* out) {
  const T scale = T(2) / (T(1) + R.ex.x + R.ey.y + R.ez.z);
  out[0] = (R.ey.z - R.ez.y) * scale;
  out[1] = (R.ez.x - R.ex.z) * scale;
  out[2] = (R.ex.y - R.ey.x) * scale;
}

// For joints with v = q̇.
template <int n, class T>
void add_step(const T* q, const T* dq, T* out) {
  for (int i = 0; i < n; ++i) out[i] = q[i] + dq[i];
}
template <int n, class T>
void set_zero(T* out) {
  for (int i = 0; i < n; ++i) out[i] = T(0);
}
// The turn about z that is nearest to R: maximises trace(Rz(θ)ᵀ R).
template <class T>
T fit_angle_z(const Mat3<T>& R) {
  return atan2(R.ex.y - R.ey.x, R.ex.x + R.ey.y);
}

}  // namespace trammel

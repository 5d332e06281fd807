// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The spatial algebra spelt out in dense matrices, for comparison: every map is written from its definition, none is
// taken from the library. Angular part first.
//   motion:  Ad(X_AB) = [R 0; p× R  R],   force:  Ad(X_AB)⁻ᵀ = [R p× R; 0 R]
//   ad(V) = [ω× 0; v× ω×],   ad*(V) = −ad(V)ᵀ

#include <Eigen/Dense>

#include <trammel/spatial/inertia.hpp>

namespace trammel::test {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

inline Eigen::Vector3d dense(const Vec3d& a) { return {a.x, a.y, a.z}; }
inline Eigen::Matrix3d dense(const Mat3d& a) {
  Eigen::Matrix3d m;
  m << dense(a.ex), dense(a.ey), dense(a.ez);
  return m;
}
inline Eigen::Matrix3d dense(const Sym3d& a) {
  Eigen::Matrix3d m;
  m << a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz;
  return m;
}
inline Vector6 dense(const Motion<double>& V) {
  Vector6 v;
  v << dense(V.w), dense(V.v);
  return v;
}
inline Vector6 dense(const Force<double>& F) {
  Vector6 v;
  v << dense(F.n), dense(F.f);
  return v;
}
inline Vec3d vec3(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }
inline Motion<double> motion(const Vector6& v) { return {vec3(v.head<3>()), vec3(v.tail<3>())}; }
inline Force<double> force(const Vector6& v) { return {vec3(v.head<3>()), vec3(v.tail<3>())}; }

inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}
inline Matrix6 blocks(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b, const Eigen::Matrix3d& c,
                      const Eigen::Matrix3d& d) {
  Matrix6 m;
  m << a, b, c, d;
  return m;
}
inline Matrix6 motion_map(const Transformd& X) {
  const Eigen::Matrix3d R = dense(X.R);
  return blocks(R, Eigen::Matrix3d::Zero(), cross_matrix(dense(X.p)) * R, R);
}
inline Matrix6 force_map(const Transformd& X) {
  const Eigen::Matrix3d R = dense(X.R);
  return blocks(R, cross_matrix(dense(X.p)) * R, Eigen::Matrix3d::Zero(), R);
}
inline Matrix6 motion_cross(const Motion<double>& V) {
  const Eigen::Matrix3d w = cross_matrix(dense(V.w));
  return blocks(w, Eigen::Matrix3d::Zero(), cross_matrix(dense(V.v)), w);
}
inline Matrix6 force_cross(const Motion<double>& V) { return -motion_cross(V).transpose(); }

// [I_O  h×; −h×  m 1]
inline Matrix6 dense(const RigidInertia<double>& M) {
  const Eigen::Matrix3d h = cross_matrix(dense(M.h));
  return blocks(dense(M.I), h, -h, M.mass * Eigen::Matrix3d::Identity());
}
inline Matrix6 dense(const ArticulatedInertia<double>& A) {
  return blocks(dense(A.J), dense(A.H), dense(A.H).transpose(), dense(A.M));
}
// A rigid body from its definition: mass, centre of mass and inertia there; taken at O, C at p_OC.
inline Matrix6 dense_inertia(double mass, const Vec3d& p_OC, const Eigen::Matrix3d& I_C) {
  const Eigen::Matrix3d c = cross_matrix(dense(p_OC));
  return blocks(I_C - mass * c * c, mass * c, -mass * c, mass * Eigen::Matrix3d::Identity());
}

// The largest difference, relative to the largest entry (or to 1 where all are smaller).
template <class A, class B>
double relative_error(const A& a, const B& b) {
  if (a.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

inline double distance(const Vec3d& a, const Vec3d& b) { return (dense(a) - dense(b)).cwiseAbs().maxCoeff(); }
inline double distance(const Mat3d& a, const Mat3d& b) { return (dense(a) - dense(b)).cwiseAbs().maxCoeff(); }
inline double distance(const Motion<double>& a, const Motion<double>& b) {
  return (dense(a) - dense(b)).cwiseAbs().maxCoeff();
}
inline double distance(const Force<double>& a, const Force<double>& b) {
  return (dense(a) - dense(b)).cwiseAbs().maxCoeff();
}
inline double distance(const Transformd& a, const Transformd& b) {
  return std::max(distance(a.R, b.R), distance(a.p, b.p));
}

}  // namespace trammel::test

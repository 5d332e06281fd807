// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loops/relative_motion.hpp"

#include "loops/pose_series.hpp"

namespace trammel {
namespace {

Transform<Series<2>> motion_of(const Mechanism& mech, const Workspace& ws, int body, const Transformd& X_BF) {
  if (body == ground) return Transform<Series<2>>::from(X_BF);
  return pose_series(pose_WB(mech, ws, body) * X_BF, velocity_W(mech, ws, body, X_BF.p),
                     acceleration_W(mech, ws, body, X_BF.p));
}

Vec3d derivative(const Vec3<Series<2>>& x, int k) { return {x.x.derivative(k), x.y.derivative(k), x.z.derivative(k)}; }

}  // namespace

RelativeMotion relative_motion(const Mechanism& mech, const Workspace& ws, const JointInfo& joint) {
  const Transform<Series<2>> X =
      inverse(motion_of(mech, ws, joint.first, joint.X_AF)) * motion_of(mech, ws, joint.second, joint.X_BM);
  const Transformd X_FM{{derivative(X.R.ex, 0), derivative(X.R.ey, 0), derivative(X.R.ez, 0)}, derivative(X.p, 0)};
  // Ṙ = R skew(ω_M), R̈ = R (skew(ω)² + skew(ω̇)): from the rows of Rᵀ Ṙ and Rᵀ R̈.
  const Mat3d Rt = transpose(X_FM.R);
  const Mat3d first = Rt * Mat3d{derivative(X.R.ex, 1), derivative(X.R.ey, 1), derivative(X.R.ez, 1)};
  const Mat3d second = Rt * Mat3d{derivative(X.R.ex, 2), derivative(X.R.ey, 2), derivative(X.R.ez, 2)};
  const auto axial = [](const Mat3d& S) {
    return Vec3d{0.5 * (S.ey.z - S.ez.y), 0.5 * (S.ez.x - S.ex.z), 0.5 * (S.ex.y - S.ey.x)};
  };
  const Vec3d w = axial(first), alpha = axial(second);
  const Vec3d v = Rt * derivative(X.p, 1);
  return {X_FM, {w, v}, {alpha, Rt * derivative(X.p, 2) - cross(w, v)}};
}

}  // namespace trammel

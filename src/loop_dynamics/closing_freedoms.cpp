// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loop_dynamics/closing_freedoms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>

#include "loops/relative_motion.hpp"

namespace trammel {
namespace {

using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6>;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Vector6 column(const Motion<double>& m) {
  Vector6 c;
  c << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z;
  return c;
}

double entry(const std::vector<double>& list, int k) { return list.empty() ? 0.0 : list[static_cast<std::size_t>(k)]; }

bool acts(const JointProperties& p) {
  const auto any = [](const std::vector<double>& list) {
    return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
  };
  return any(p.viscous) || any(p.dry) || any(p.armature);
}

}  // namespace

void closing_freedoms(const Mechanism& mech, const Workspace& ws, bool all, bool friction,
                      std::vector<ClosingFreedom>& out) {
  out.clear();
  for (const Loop& loop : mech.loops) {
    const JointInfo& joint = mech.joints[loop.closure];
    const JointProperties& p = joint.properties;
    const int n = joint.nv;
    if (n == 0 || !(all || acts(p))) continue;
    const RelativeMotion motion = relative_motion(mech, ws, joint);
    std::array<double, 7> q{};
    std::array<Motion<double>, 6> H, Hdot;
    q_fit(joint.type, motion.X_FM, q.data());
    const auto count = static_cast<std::size_t>(n);
    H_FM(joint.type, q.data(), std::span(H).first(count));
    Columns columns(6, n);
    for (int k = 0; k < n; ++k) columns.col(k) = column(H[static_cast<std::size_t>(k)]);
    const Square inverse_of_gram = Square(columns.transpose() * columns).llt().solve(Square::Identity(n, n));
    const Rows left_inverse = inverse_of_gram * columns.transpose();
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> v = left_inverse * column(motion.V);  // (1)
    Hdot_FM(joint.type, q.data(), v.data(), std::span(Hdot).first(count));
    Vector6 rest = column(motion.A);
    for (int k = 0; k < n; ++k) rest -= column(Hdot[static_cast<std::size_t>(k)]) * v(k);
    const Transformd X_WM = joint.second == ground ? joint.X_BM : pose_WB(mech, ws, joint.second) * joint.X_BM;
    const double whole = v.norm();  // dry friction of a ball works against the whole rotation
    for (int k = 0; k < n; ++k) {
      ClosingFreedom f{.joint = loop.closure, .dof = k, .first = joint.first, .second = joint.second};
      const auto g = left_inverse.row(k);
      f.g_W = {X_WM.R * Vec3d{g(0), g(1), g(2)}, X_WM.R * Vec3d{g(3), g(4), g(5)}};
      f.p_W = X_WM.p;
      f.rate = v(k);
      f.second_rate = g.dot(rest);
      f.inertia = entry(p.armature, k);
      if (friction) {
        const double speed = joint.nq == joint.nv ? v(k) : whole;
        f.friction = -entry(p.viscous, k) * v(k);
        if (entry(p.dry, k) != 0) f.friction -= entry(p.dry, k) * v(k) / std::hypot(speed, p.dry_speed);
      }
      out.push_back(f);
    }
  }
}

}  // namespace trammel

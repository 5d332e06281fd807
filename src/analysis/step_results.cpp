// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A joint that closes a loop has no coordinates of its own; they are read off the motion of its frames. With V, A the velocity of M
// relative to F and its rate, both in M:
//   q = q_fit(X_FM),   v = H⁺ V,   v̇ = H⁺ (V̇ − Ḣ v),   v̈ = H⁺ (V̈ − 2 Ḣ v̇ − Ḧ v)                                   (1)

#include "analysis/step_results.hpp"

#include <cmath>

#include <Eigen/Core>

#include <trammel/dynamics.hpp>

#include "core/dense.hpp"
#include "loops/pose_series.hpp"
#include "loops/relative_motion.hpp"
#include "loops/tree_series.hpp"

namespace trammel {
namespace {

Eigen::Matrix<double, 6, 1> column(const Motion<double>& m) {
  Eigen::Matrix<double, 6, 1> c;
  c << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z;
  return c;
}

using S3 = Series<3>;

// A frame fixed to a body.
Transform<S3> frame_series(const Mechanism& mech, const Workspace& ws, const std::vector<Transform<S3>>& X_WL, int body,
                           const Transformd& X_BF) {
  const int link = body == ground ? ground : mech.bodies[body].link;
  if (body == ground) return Transform<S3>::from(X_BF);
  const Transform<S3> X_LF = Transform<S3>::from(ws.parameters().X_LB[body] * X_BF);
  return link == ground ? X_LF : X_WL[static_cast<std::size_t>(link)] * X_LF;
}

Motion<double> derivative(const Motion<S3>& m, int k) {
  const auto of = [k](const Vec3<S3>& x) { return Vec3d{x.x.derivative(k), x.y.derivative(k), x.z.derivative(k)}; };
  return {of(m.w), of(m.v)};
}

// v̈ of (1); the rest of the joint's motion is known.
template <class J>
std::vector<double> closing_jerk(const J& joint, const Motion<S3>& V, const JointMotion& motion) {
  std::array<S3, 7> q;
  const std::array<double, 6> unknown{};  // Ḧ does not depend on it
  coordinate_series(joint, motion.q.data(), motion.v.data(), motion.a.data(), unknown.data(), q.data());
  const auto H = joint.template H_FM<S3>(q.data());
  Motion<double> rest = derivative(V, 2);
  Eigen::MatrixXd columns(6, J::nv);
  for (int k = 0; k < J::nv; ++k) {
    columns.col(k) = column(derivative(H[k], 0));
    rest = rest - derivative(H[k], 1) * (2 * motion.a[k]) - derivative(H[k], 2) * motion.v[k];
  }
  const Eigen::VectorXd jerks = dense::least_squares(columns, column(rest));
  return {jerks.begin(), jerks.end()};
}

void find_closing_jerk(const JointInfo& joint, const Transform<S3>& X_FM, JointMotion& motion) {
  const Mat3<S3> Rt = transpose(X_FM.R);
  const Mat3<S3> S = Rt * Mat3<S3>{rate(X_FM.R.ex), rate(X_FM.R.ey), rate(X_FM.R.ez)};  // skew(ω)
  const Motion<S3> V{{S.ey.z, S.ez.x, S.ex.y}, Rt * rate(X_FM.p)};
  std::visit(
      [&]<class J>(const J& type) {
        if constexpr (!std::is_same_v<J, Custom>) {
          if constexpr (J::nv > 0) motion.j = closing_jerk(type, V, motion);
        }
      },
      joint.type);
}

}  // namespace

JointMotion closing_joint_motion(const Mechanism& mech, const Workspace& ws, const JointInfo& joint) {
  const auto [X_FM, V, A] = relative_motion(mech, ws, joint);
  JointMotion motion;
  motion.q.resize(static_cast<std::size_t>(joint.nq));
  motion.v.assign(static_cast<std::size_t>(joint.nv), 0.0);
  motion.a.assign(static_cast<std::size_t>(joint.nv), 0.0);
  q_fit(joint.type, X_FM, motion.q.data());
  if (joint.nv == 0) return motion;
  std::vector<Motion<double>> H(static_cast<std::size_t>(joint.nv)), Hdot(H.size());
  H_FM(joint.type, motion.q.data(), H);
  Eigen::MatrixXd columns(6, joint.nv);
  for (int k = 0; k < joint.nv; ++k) columns.col(k) = column(H[k]);
  const Eigen::VectorXd rates = dense::least_squares(columns, column(V));  // (1)
  for (int k = 0; k < joint.nv; ++k) motion.v[k] = rates(k);
  Hdot_FM(joint.type, motion.q.data(), motion.v.data(), Hdot);
  Motion<double> rest = A;
  for (int k = 0; k < joint.nv; ++k) rest = rest - Hdot[k] * motion.v[k];
  const Eigen::VectorXd second_rates = dense::least_squares(columns, column(rest));
  for (int k = 0; k < joint.nv; ++k) motion.a[k] = second_rates(k);
  return motion;
}

static void fill_jerks(const Mechanism& mech, const Workspace& ws, AnalysisStep& step) {
  const std::vector<Transform<S3>> X_WL = link_series(mech, ws, step.q, step.v, step.a, step.j);
  for (std::size_t k = 0; k < mech.outputs.size(); ++k) {
    const OutputInfo& output = mech.outputs[k];
    const Vec3<S3> p = frame_series(mech, ws, X_WL, output.body, Transformd::translation(output.p_B)).p;
    step.points[k].j = {p.x.derivative(3), p.y.derivative(3), p.z.derivative(3)};
  }
  for (std::size_t k = 0; k < mech.joints.size(); ++k) {
    const JointInfo& joint = mech.joints[k];
    if (joint.role == JointRole::tree) continue;
    const Transform<S3> X_WF = frame_series(mech, ws, X_WL, joint.first, joint.X_AF);
    find_closing_jerk(joint, inverse(X_WF) * frame_series(mech, ws, X_WL, joint.second, joint.X_BM), step.joints[k]);
  }
}

void fill_motion(const Mechanism& mech, Workspace& ws, AnalysisStep& step) {
  compute_accelerations(mech, ws, step.q, step.v, step.a);
  step.joints.clear();
  for (const JointInfo& joint : mech.joints) {
    if (joint.role != JointRole::tree) {
      step.joints.push_back(closing_joint_motion(mech, ws, joint));
      continue;
    }
    const auto part = [](const std::vector<double>& all, int first, int count) {
      return all.empty() ? std::vector<double>{}
                         : std::vector<double>(all.begin() + first, all.begin() + first + count);
    };
    step.joints.push_back({part(step.q, joint.q, joint.nq), part(step.v, joint.v, joint.nv),
                           part(step.a, joint.v, joint.nv), part(step.j, joint.v, joint.nv)});
  }
  step.points.clear();
  for (const OutputInfo& output : mech.outputs) {
    if (output.body == ground) {
      step.points.push_back({output.p_B, {}, {}, {}});
      continue;
    }
    step.points.push_back({pose_WB(mech, ws, output.body) * output.p_B,
                           velocity_W(mech, ws, output.body, output.p_B).v,
                           acceleration_W(mech, ws, output.body, output.p_B).v,
                           {}});
  }
  if (!step.j.empty()) fill_jerks(mech, ws, step);
  step.bodies.clear();
  for (int b = 0; b < mech.body_count(); ++b) {
    const Motion<double> V = velocity_W(mech, ws, b), A = acceleration_W(mech, ws, b);
    step.bodies.push_back({pose_WB(mech, ws, b), V.w, A.w, V.v, A.v});
  }
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A joint that closes a loop has no coordinates of its own; they are read off the motion of its frames. With V, A the velocity of M
// relative to F and its rate, both in M:
//   q = q_fit(X_FM),   v = H⁺ V,   a = H⁺ (A − Ḣ v)                                                              (1)

#include "analysis/step_results.hpp"

#include <cmath>

#include <Eigen/Core>

#include <trammel/dynamics.hpp>

#include "core/dense.hpp"
#include "loops/pose_series.hpp"
#include "loops/relative_motion.hpp"

namespace trammel {
namespace {

Eigen::Matrix<double, 6, 1> column(const Motion<double>& m) {
  Eigen::Matrix<double, 6, 1> c;
  c << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z;
  return c;
}

// Third derivatives of points, by series through the tree.
std::vector<Vec3d> point_jerks(const Mechanism& mech, const Workspace& ws, const AnalysisStep& step) {
  using S3 = Series<3>;
  std::vector<Transform<S3>> X_WL(mech.links.size());
  std::array<S3, 7> coordinates;
  for (std::size_t l = 0; l < mech.links.size(); ++l) {
    const Link& link = mech.links[l];
    const Transform<S3> X_PF = Transform<S3>::from(ws.parameters().X_PF[l]);
    const Transform<S3> X_WF = link.parent == ground ? X_PF : X_WL[static_cast<std::size_t>(link.parent)] * X_PF;
    std::visit(
        [&]<class J>(const J& joint) {
          if constexpr (!std::is_same_v<J, Custom>) {
            coordinate_series(joint, step.q.data() + link.q, step.v.data() + link.v, step.a.data() + link.v,
                              step.j.data() + link.v, coordinates.data());
            X_WL[l] = place_joint(joint, X_WF, static_cast<const S3*>(coordinates.data()));
          }
        },
        link.type);
  }
  std::vector<Vec3d> jerks;
  for (const OutputInfo& output : mech.outputs) {
    const int link = output.body == ground ? ground : mech.bodies[output.body].link;
    if (link == ground) {
      jerks.push_back({});
      continue;
    }
    const Vec3<S3> p =
        X_WL[static_cast<std::size_t>(link)] * Vec3<S3>::from(ws.parameters().X_LB[output.body] * output.p_B);
    jerks.push_back({p.x.derivative(3), p.y.derivative(3), p.z.derivative(3)});
  }
  return jerks;
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
  if (!step.j.empty()) {
    const std::vector<Vec3d> jerks = point_jerks(mech, ws, step);
    for (std::size_t k = 0; k < jerks.size(); ++k) step.points[k].j = jerks[k];
  }
  step.bodies.clear();
  for (int b = 0; b < mech.body_count(); ++b) {
    const Motion<double> V = velocity_W(mech, ws, b), A = acceleration_W(mech, ws, b);
    step.bodies.push_back({pose_WB(mech, ws, b), V.w, A.w, V.v, A.v});
  }
}

}  // namespace trammel

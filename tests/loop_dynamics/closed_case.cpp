// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "closed_case.hpp"

#include "analysis/step_results.hpp"

namespace trammel::test {
namespace {

// All that stood on the ground stands on a body that floats.
void set_afloat(Model& model, Random& random) {
  for (Joint& joint : model.joints) {
    if (joint.first == ground_name) joint.first = "raft";
    if (joint.second == ground_name) joint.second = "raft";
  }
  for (Constraint& c : model.constraints) {
    if (c.first == ground_name) c.first = "raft";
    if (c.second == ground_name) c.second = "raft";
  }
  const double mass = random.uniform(0.5, 4);
  add_body(model, "raft", mass, random.vector(0.2), random.inertia_at_com(mass));
  add_joint(model, "afloat", Free{}, std::string(ground_name), "raft", random.pose());
}

Model prepared_model(LinkageCase& c, const ClosedOptions& options) {
  if (options.oracle) c.seed -= c.seed % 3 == 1 ? 1 : 0;
  Model model = c.model();
  Random random(c.seed + 77);
  if (options.floating && random.chance(0.3)) set_afloat(model, random);
  if (options.couplings) {
    std::vector<std::string> names;
    for (const Joint& joint : model.joints) {
      if (nv(joint.type) > 0 && nq(joint.type) == nv(joint.type)) names.push_back(joint.name);
    }
    if (names.size() >= 2) {
      const int first = random.integer(0, static_cast<int>(names.size()) - 1);
      int second = random.integer(0, static_cast<int>(names.size()) - 2);
      if (second >= first) ++second;
      Coupling coupling;
      coupling.name = "mesh";
      coupling.first = names[static_cast<std::size_t>(first)];
      coupling.second = names[static_cast<std::size_t>(second)];
      coupling.ratio = random.uniform(-2, 2);
      model.couplings.push_back(coupling);
    }
  }
  if (options.friction && random.chance(0.6)) {
    for (Joint& joint : model.joints) {
      if (std::holds_alternative<Free>(joint.type)) continue;
      for (int i = 0; i < nv(joint.type); ++i) {
        joint.properties.viscous.push_back(random.uniform(0.1, 1));
        joint.properties.dry.push_back(nq(joint.type) == nv(joint.type) ? random.uniform(0.1, 1) : 0.5);
        joint.properties.armature.push_back(random.uniform(0.1, 1));
      }
      joint.properties.dry_speed = 0.3;
    }
  }
  return model;
}

}  // namespace

ClosedCase::ClosedCase(LinkageCase c, const ClosedOptions& options) : ClosedCase(prepared_model(c, options), c.seed) {}

ClosedCase::ClosedCase(Model the_model, std::uint64_t seed) : model(std::move(the_model)), mech(compiled(model)) {
  Random random(seed + 13);
  q = design_state(mech).q;
  v = random.normals(mech.nv);
  tau = random.normals(mech.nv, 3);
  // Smallest change that the constraints allow; by their rows alone, so that nothing under test is used.
  LoopSolver solver(mech);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(solver.row_count(), mech.nv);
  solver.jacobian(q, {J.data(), static_cast<std::size_t>(J.size())});
  if (J.rows() == 0) return;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(1e-9);
  cod.compute(J);
  const Eigen::VectorXd step = cod.solve(J * vector(v));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= step(static_cast<Eigen::Index>(i));
}

JointStates ClosedCase::states() const {
  AnalysisStep step;
  step.q = q, step.v = v, step.a.resize(nv());
  Workspace ws(mech);
  fill_motion(mech, ws, step);
  JointStates out = zero_states(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    out.q[j] = step.joints[j].q;
    out.v[j] = step.joints[j].v;
    const JointInfo& joint = mech.joints[j];
    for (int i = 0; joint.role == JointRole::tree && i < joint.nv; ++i) {
      out.tau[j][static_cast<std::size_t>(i)] = tau[static_cast<std::size_t>(joint.v + i)];
    }
  }
  return out;
}

PerJoint accelerations_of_joints(const ClosedCase& c, const std::vector<double>& a) {
  AnalysisStep step;
  step.q = c.q, step.v = c.v, step.a = a;
  Workspace ws(c.mech);
  fill_motion(c.mech, ws, step);
  PerJoint out;
  for (const JointMotion& joint : step.joints) out.push_back(joint.a);
  return out;
}

}  // namespace trammel::test

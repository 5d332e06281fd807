// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "star_case.hpp"

namespace trammel::test {
namespace {

AnyJoint random_pair(Random& random, bool may_be_fixed) {
  switch (random.integer(0, may_be_fixed ? 8 : 7)) {
    case 0:
    case 1:
      return Revolute{};
    case 2:
      return Prismatic{};
    case 3:
      return Helical{random.uniform(-0.3, 0.3)};
    case 4:
      return Cylindrical{};
    case 5:
      return Universal{};
    case 6:
      return Spherical{};
    case 7:
      return Planar{};
    default:
      return Fixed{};
  }
}

// Velocity coordinates of a joint, from its relative velocity in M.
std::vector<double> fit_velocity(const AnyJoint& joint, const std::vector<double>& q, const Vector6& V) {
  const int n = nv(joint);
  std::vector<Motion<double>> columns(static_cast<std::size_t>(n));
  H_FM(joint, q.data(), columns);
  Eigen::MatrixXd H(6, n);
  for (int k = 0; k < n; ++k) H.col(k) = dense(columns[static_cast<std::size_t>(k)]);
  if (n == 0) return {};
  const Eigen::VectorXd v = H.completeOrthogonalDecomposition().solve(V);
  return {v.data(), v.data() + n};
}

}  // namespace

JointStates all_joint_states(const Model& model, const Mechanism& mechanism, const std::vector<double>& q,
                             const std::vector<double>& v, const std::vector<double>& tau) {
  JointStates states = zero_states(model);
  Workspace ws(mechanism);
  compute_velocities(mechanism, ws, q, v);
  for (std::size_t j = 0; j < mechanism.joints.size(); ++j) {
    const JointInfo& joint = mechanism.joints[j];
    if (joint.role == JointRole::tree) {
      states.q[j].assign(q.begin() + joint.q, q.begin() + joint.q + joint.nq);
      states.v[j].assign(v.begin() + joint.v, v.begin() + joint.v + joint.nv);
      states.tau[j].assign(tau.begin() + joint.v, tau.begin() + joint.v + joint.nv);
    } else if (joint.role == JointRole::closure) {
      const Transformd X_WF = pose_WB(mechanism, ws, joint.first) * joint.X_AF;
      const Transformd X_WM = pose_WB(mechanism, ws, joint.second) * joint.X_BM;
      q_fit(joint.type, inverse(X_WF) * X_WM, states.q[j].data());
      const Motion<double> of_second = velocity_W(mechanism, ws, joint.second, joint.X_BM.p);
      const Vec3d p_A = inverse(pose_WB(mechanism, ws, joint.first)) * X_WM.p;
      const Motion<double> of_first = velocity_W(mechanism, ws, joint.first, p_A);
      states.v[j] = fit_velocity(joint.type, states.q[j], dense(rotate(transpose(X_WM.R), of_second - of_first)));
    }
  }
  return states;
}

std::vector<double> allowed_velocity(const Mechanism& mechanism, const std::vector<double>& q,
                                     const std::vector<double>& v) {
  LoopSolver solver(mechanism);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(solver.row_count(), mechanism.nv);
  if (J.rows() == 0) return v;
  solver.jacobian(q, {J.data(), static_cast<std::size_t>(J.size())});
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(1e-9);
  Eigen::VectorXd x = vector(v);
  for (int turn = 0; turn < 2; ++turn) x -= svd.solve(Eigen::VectorXd(J * x));
  return {x.data(), x.data() + x.size()};
}

namespace {

// What is left open counts over the square of the least singular value in accelerations: two methods that place bodies on different ways
// round a loop would not agree.
void close_to_round_off(LoopSolver& solver, std::vector<double>& q) {
  const Mechanism& mechanism = solver.mechanism();
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> J(solver.row_count(), mechanism.nv);
  if (J.rows() == 0) return;
  std::vector<double> phi(static_cast<std::size_t>(J.rows())), step(static_cast<std::size_t>(mechanism.nv));
  for (int turn = 0; turn < 2; ++turn) {
    solver.residuals(q, {}, phi);
    solver.jacobian(q, {J.data(), static_cast<std::size_t>(J.size())});
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-9);
    Eigen::Map<Eigen::VectorXd>(step.data(), mechanism.nv) = -svd.solve(vector(phi));
    step_coordinates(mechanism, q, step, q);
  }
}

}  // namespace

ClosedCase::ClosedCase(Model the_model, std::uint64_t seed, double speed)
    : model(std::move(the_model)), mechanism(compiled(model)), q(design_state(mechanism).q) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {  // closures have no coordinates for these to act along
    if (mechanism.joints[j].role == JointRole::closure) model.joints[j].properties = {};
  }
  Random random(seed);
  std::vector<double> any(static_cast<std::size_t>(mechanism.nv));
  for (double& x : any) x = 0.4 * random.normal();
  LoopSolver solver(mechanism);
  std::vector<double> moved = q;
  step_coordinates(mechanism, q, allowed_velocity(mechanism, q, any), moved);
  if (solver.assemble(moved, {}).closed()) q = moved;
  close_to_round_off(solver, q);
  for (double& x : any) x = speed * random.normal();
  v = allowed_velocity(mechanism, q, any);
  for (std::size_t k = 0; k < v.size(); ++k) tau.push_back(random.normal());
  states = all_joint_states(model, mechanism, q, v, tau);
}

Model random_star(std::uint64_t seed, const RandomStarOptions& options) {
  Random random(seed);
  Model model;
  model.name = "random star";
  model.gravity = random.vector(5);
  const auto add = [&](const std::string& name) {
    const double mass = random.uniform(0.2, 3);
    add_body(model, name, mass, random.vector(0.3), random.inertia_at_com(mass), random.pose());
  };
  const auto join = [&](const AnyJoint& type, const std::string& a, const std::string& b) -> Joint& {
    const bool turned = random.chance(0.4);
    Joint& joint = add_joint(model, "joint " + std::to_string(model.joints.size()), type, turned ? b : a,
                             turned ? a : b, {random.rotation(), random.vector(0.7)});
    const auto n = static_cast<std::size_t>(nv(type));
    if (options.friction && random.chance(0.3)) joint.properties.viscous.assign(n, random.uniform(0, 0.3));
    if (options.rotors && random.chance(0.3)) {
      for (std::size_t k = 0; k < n; ++k) joint.properties.armature.push_back(random.uniform(0.01, 0.5));
    }
    return joint;
  };
  const auto hang = [&](const std::string& on) {
    if (!options.trees || !random.chance(0.25)) return;
    const std::string name = "leaf " + std::to_string(model.bodies.size());
    add(name);
    join(random_pair(random, false), on, name);
    if (random.chance(0.5)) return;
    const std::string next = "leaf " + std::to_string(model.bodies.size());
    add(next);
    join(random_pair(random, false), name, next);
  };
  const std::string ground_body(ground_name);
  add("reference");
  hang("reference");
  hang(ground_body);
  if (random.chance(options.floating)) {
    add_joint(model, "float", Free{}, ground_body, "reference", random.pose());
  }
  for (int c = 0; c < options.chains; ++c) {
    std::string before = ground_body;
    const std::size_t first_joint = model.joints.size();
    std::vector<std::size_t> in_chain;
    std::vector<std::string> passed{ground_body};
    int freedoms = 0;
    const int links = random.integer(options.ample ? 2 : 0, options.links);
    for (int i = 0; i < links || (options.ample && freedoms < 6); ++i) {
      const std::string name = "link " + std::to_string(c) + "." + std::to_string(i);
      add(name);
      const AnyJoint type = random_pair(random, false);
      in_chain.push_back(model.joints.size());
      join(type, before, name);
      freedoms += nv(type);
      if (options.loops > 0 && random.chance(options.loops)) {
        const std::size_t back = std::min<std::size_t>(passed.size(), random.chance(0.3) ? 2 : 1);
        const std::string around = "around " + name;
        add(around);
        join(random_pair(random, false), passed[passed.size() - back], around);
        join(random_pair(random, false), around, name).cut = random.chance(0.3);
        hang(around);
      }
      before = name;
      passed.push_back(name);
      hang(name);
    }
    in_chain.push_back(model.joints.size());
    if (passed.size() > 1 && random.chance(options.branches)) {  // three rows at each tip
      const auto tip = [&]() -> AnyJoint { return random.chance(0.7) ? AnyJoint(Spherical{}) : AnyJoint(Planar{}); };
      join(tip(), before, "reference").properties = {};
      std::string from = passed[static_cast<std::size_t>(random.integer(1, static_cast<int>(passed.size()) - 1))];
      for (int i = random.integer(0, 2); i > 0; --i) {
        const std::string name = "branch " + std::to_string(c) + "." + std::to_string(i);
        add(name);
        join(random_pair(random, false), from, name).cut = options.anywhere && random.chance(0.3);
        hang(name);
        from = name;
      }
      join(tip(), from, "reference").properties = {};
    } else {
      join(random_pair(random, first_joint != in_chain.back()), before, "reference");
    }
    if (options.anywhere) {
      model.joints[in_chain[static_cast<std::size_t>(random.integer(0, static_cast<int>(in_chain.size()) - 1))]].cut =
          true;
    }
  }
  return model;
}

}  // namespace trammel::test

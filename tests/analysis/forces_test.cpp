// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Forces in linkages over random ones: against the dense oracle, which knows nothing of trees and loops, against virtual work, and
// body by body.

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <trammel/analysis.hpp>
#include <trammel/dynamics.hpp>

#include "support/generators.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::compiled;
using test::LinkageCase;
using test::Random;

// A linkage, driven, at a closed position with some motion.
struct Driven {
  Model model;
  Mechanism mech;
  std::vector<Driver> drivers;
  Analysis analysis;

  explicit Driven(const LinkageCase& c) : Driven(c.model(), c.seed) {}
  Driven(Model the_model, std::uint64_t seed, const std::vector<std::string>& cut = {})
      : model(std::move(the_model)), mech(compiled(model, cut)), drivers(test::independent_drivers(mech)) {
    analyze_at_drawing(seed);
  }
  Driven(Model the_model, std::uint64_t seed, const std::vector<std::string>& cut, std::vector<Driver> the_drivers)
      : model(std::move(the_model)), mech(compiled(model, cut)), drivers(std::move(the_drivers)) {
    analyze_at_drawing(seed);
  }

  void analyze_at_drawing(std::uint64_t seed) {
    if (drivers.empty()) return;
    Random random(seed + 5);
    AnalysisOptions options;
    options.forces = true;
    options.jerk = true;
    for (const Driver& driver : drivers) {
      SweepInput input;
      input.driver = driver;
      input.speed = random.normal();
      input.acceleration = random.normal();
      options.inputs.push_back(input);
    }
    analysis = analyze(mech, options);
  }
  const AnalysisStep& step() const { return analysis.steps.front(); }
};

// Friction and rotors at all joints, so that some of them are at joints that close a loop.
void add_friction_and_rotors(Model& model, std::uint64_t seed) {
  Random random(seed + 9);
  for (Joint& joint : model.joints) {
    for (int i = 0; i < nv(joint.type); ++i) {
      joint.properties.viscous.push_back(random.uniform(0.1, 1));
      joint.properties.dry.push_back(nq(joint.type) == nv(joint.type) ? random.uniform(0.1, 1) : 0.5);
      joint.properties.armature.push_back(random.uniform(0.1, 1));
    }
    joint.properties.dry_speed = 0.3;
  }
}

void compare_with_oracle(const Driven& d) {
  RC_ASSERT(d.analysis.status == Analysis::Status::ok);
  const AnalysisStep& step = d.step();
  RC_PRE(step.status == StepStatus::ok);
  test::JointStates states = test::zero_states(d.model);
  test::OracleLoads loads;
  loads.prescribed.resize(d.model.joints.size());
  for (std::size_t j = 0; j < d.model.joints.size(); ++j) {
    states.q[j] = step.joints[j].q;
    states.v[j] = step.joints[j].v;
    loads.prescribed[j].resize(step.joints[j].v.size());
  }
  for (const Driver& driver : d.drivers)
    loads.prescribed[driver.joint][driver.dof] = step.joints[driver.joint].a[driver.dof];
  const test::OracleAnswer answer = oracle_dynamics(d.model, states, loads);
  RC_PRE(answer.residual < 1e-8);

  double size = 1;
  for (const Force<double>& F : answer.reaction) size = std::max(size, norm(F.f) + norm(F.n));
  RC_PRE(size < 1e6);  // far from dead points
  for (std::size_t k = 0; k < d.drivers.size(); ++k) {
    RC_ASSERT(std::abs(step.drive[k] - answer.tau[d.drivers[k].joint][d.drivers[k].dof]) < 1e-8 * size);
  }
  for (std::size_t j = 0; j < d.model.joints.size(); ++j) {
    for (std::size_t i = 0; i < step.joints[j].a.size(); ++i) {
      RC_ASSERT(std::abs(step.joints[j].a[i] - answer.a[j][i]) < 1e-7 * size);
    }
    if (!step.reactions[j].determinate) continue;
    Vec3d f = step.reactions[j].F_W.f - answer.reaction[j].f, n = step.reactions[j].F_W.n - answer.reaction[j].n;
    if (step.reactions[j].out_of_plane_unknown) f.z = n.x = n.y = 0;  // all planar ones lie in the xy plane
    RC_ASSERT(norm(f) < 1e-7 * size);
    RC_ASSERT(norm(n) < 1e-7 * size);
  }
  // The oracle's reactions are unique exactly where no joint is flagged.
  const bool flagged = std::any_of(step.reactions.begin(), step.reactions.end(),
                                   [](const JointReaction& r) { return !r.determinate || r.out_of_plane_unknown; });
  RC_ASSERT(flagged == (answer.rank < answer.constraint_rows));
}

RC_GTEST_PROP(LinkageForces, are_those_of_the_dense_oracle, (LinkageCase c)) {
  c.seed -= c.seed % 3 == 1 ? 1 : 0;  // the oracle knows joints, not other constraints
  const Driven d(c);
  RC_PRE(!d.drivers.empty());
  compare_with_oracle(d);
}

RC_GTEST_PROP(LinkageForces, are_those_of_the_dense_oracle_with_friction_and_rotors_at_closing_joints_too,
              (LinkageCase c)) {
  c.seed -= c.seed % 3 == 1 ? 1 : 0;
  Model model = c.model();
  add_friction_and_rotors(model, c.seed);
  const Driven d(std::move(model), c.seed);
  RC_PRE(!d.drivers.empty());
  compare_with_oracle(d);
}

// A spring at a joint does the same whether the loop is cut there or elsewhere.
RC_GTEST_PROP(LinkageForces, of_springs_at_joints_do_not_depend_on_the_cut, (const LinkageCase& c)) {
  Model model = c.model();
  Random random(c.seed + 11);
  for (const Joint& joint : model.joints) {
    if (nq(joint.type) != nv(joint.type)) continue;
    for (int i = 0; i < nv(joint.type); ++i) {
      Spring spring;
      spring.name = "spring " + joint.name + std::to_string(i);
      spring.joint = joint.name;
      spring.dof = i;
      spring.stiffness = random.uniform(1, 5);
      spring.damping = random.uniform(0.1, 1);
      spring.rest = random.normal();
      spring.preload = random.normal();
      model.springs.push_back(spring);
    }
  }
  const Driven d(model, c.seed);
  RC_PRE(!d.drivers.empty());
  RC_PRE(!d.mech.loops.empty());
  RC_PRE(d.step().status == StepStatus::ok);
  double size = 1;
  for (const JointReaction& r : d.step().reactions) size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n));
  RC_PRE(size < 1e6);
  const std::vector<int>& around = d.mech.loops.front().joints;
  for (const int j : around) {
    const Driven other(model, c.seed, {d.mech.joints[j].name}, d.drivers);
    if (other.mech.joints[j].role == JointRole::tree) continue;  // several were to be cut: not all can be
    RC_ASSERT(other.step().status == StepStatus::ok);
    for (std::size_t k = 0; k < d.drivers.size(); ++k) {
      RC_ASSERT(std::abs(other.step().drive[k] - d.step().drive[k]) < 1e-8 * size);
    }
  }
}

// A joint has one motion, read off its coordinates or off its frames.
RC_GTEST_PROP(LinkageMotion, of_joints_up_to_the_jerk_does_not_depend_on_the_cut, (const LinkageCase& c)) {
  const Model model = c.model();
  const Driven d(model, c.seed);
  RC_PRE(!d.drivers.empty());
  RC_PRE(!d.mech.loops.empty());
  RC_PRE(d.step().status == StepStatus::ok);
  double size = 1;
  for (const JointMotion& joint : d.step().joints) {
    RC_ASSERT(joint.j.size() == joint.v.size());
    for (const double j : joint.j) size = std::max(size, std::abs(j));
  }
  RC_PRE(size < 1e6);
  for (const int cut : d.mech.loops.front().joints) {
    const Driven other(model, c.seed, {d.mech.joints[cut].name}, d.drivers);
    if (other.mech.joints[cut].role == JointRole::tree) continue;  // several were to be cut: not all can be
    RC_ASSERT(other.step().status == StepStatus::ok);
    for (std::size_t k = 0; k < d.mech.joints.size(); ++k) {
      const JointMotion &one = d.step().joints[k], &same = other.step().joints[k];
      for (std::size_t i = 0; i < one.v.size(); ++i) {
        RC_ASSERT(std::abs(one.v[i] - same.v[i]) < 1e-8 * size);
        RC_ASSERT(std::abs(one.a[i] - same.a[i]) < 1e-8 * size);
        RC_ASSERT(std::abs(one.j[i] - same.j[i]) < 1e-8 * size);
      }
    }
  }
}

// Nor do the forces, indeterminate ones among them: of these the least are given.
RC_GTEST_PROP(LinkageForces, at_all_joints_do_not_depend_on_the_cut, (const LinkageCase& c)) {
  const Model model = c.model();
  const Driven d(model, c.seed);
  RC_PRE(!d.drivers.empty());
  RC_PRE(!d.mech.loops.empty());
  RC_PRE(d.step().status == StepStatus::ok && d.step().balanced);
  double size = 1;
  for (const JointReaction& r : d.step().reactions) size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n));
  RC_PRE(size < 1e4);
  for (const int cut : d.mech.loops.front().joints) {
    const Driven other(model, c.seed, {d.mech.joints[cut].name}, d.drivers);
    if (other.mech.joints[cut].role == JointRole::tree) continue;  // several were to be cut: not all can be
    RC_ASSERT(other.step().status == StepStatus::ok);
    for (std::size_t j = 0; j < d.mech.joints.size(); ++j) {
      const JointReaction &one = d.step().reactions[j], &same = other.step().reactions[j];
      RC_ASSERT(norm(one.F_W.f - same.F_W.f) + norm(one.F_W.n - same.F_W.n) < 1e-7 * size);
      RC_ASSERT(one.determinate == same.determinate);
    }
  }
}

// Newton and Euler for each body, from what was reported alone.
void check_balance(const Driven& d) {
  const AnalysisStep& step = d.step();
  Workspace ws(d.mech);
  compute_accelerations(d.mech, ws, step.q, step.v, step.a);
  double size = 1;
  for (const JointReaction& r : step.reactions)
    size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n) + norm(r.p_W) * norm(r.F_W.f));
  for (int b = 0; b < d.mech.body_count(); ++b) {
    const Body& body = d.model.bodies[b];
    const Vec3d C = pose_WB(d.mech, ws, b) * body.com;
    const Mat3d R = pose_WB(d.mech, ws, b).R;
    const Vec3d a = acceleration_W(d.mech, ws, b, body.com).v;
    const Vec3d omega = step.bodies[b].w, alpha = step.bodies[b].alpha;
    const Sym3d I = rotate(R, body.inertia);
    Vec3d f = (d.model.gravity - a) * body.mass;
    Vec3d n = -(I * alpha + cross(omega, I * omega));
    for (std::size_t j = 0; j < d.mech.joints.size(); ++j) {
      const JointReaction& r = step.reactions[j];
      const double sign = d.mech.joints[j].second == b ? 1 : d.mech.joints[j].first == b ? -1 : 0;
      if (d.mech.joints[j].second == d.mech.joints[j].first) continue;
      f += r.F_W.f * sign;
      n += (r.F_W.n + cross(r.p_W - C, r.F_W.f)) * sign;
    }
    for (std::size_t k = 0; k < d.mech.constraints.size(); ++k) {
      const ConstraintInfo& info = d.mech.constraints[k];
      const Vec3d p = info.second == ground ? info.X_BQ.p : pose_WB(d.mech, ws, info.second) * info.X_BQ.p;
      const double sign = info.second == b ? 1 : info.first == b ? -1 : 0;
      f += step.constraint_forces[k].f * sign;
      n += (step.constraint_forces[k].n + cross(p - C, step.constraint_forces[k].f)) * sign;
    }
    RC_ASSERT(norm(f) < 1e-10 * size);
    RC_ASSERT(norm(n) < 1e-10 * size);
  }
}

RC_GTEST_PROP(LinkageForces, balance_every_body, (const LinkageCase& c)) {
  const Driven d(c);
  RC_PRE(!d.drivers.empty());
  RC_PRE(d.step().status == StepStatus::ok);
  check_balance(d);
}

// Gears act within the joints that they couple, whether the loop is cut there or elsewhere.
RC_GTEST_PROP(LinkageForces, balance_every_body_with_gears_at_closing_joints, (const LinkageCase& c)) {
  Model model = c.model();
  Random random(c.seed + 13);
  std::vector<std::string> turning;
  for (const Joint& joint : model.joints) {
    if (std::holds_alternative<Revolute>(joint.type)) turning.push_back(joint.name);
  }
  RC_PRE(turning.size() > 1u);
  Coupling gear;
  gear.name = "gear";
  gear.first = turning[0], gear.second = turning[1];
  gear.ratio = random.uniform(0.5, 2);
  model.couplings.push_back(gear);
  for (int cut = 0; cut < 2; ++cut) {
    const Driven d(model, c.seed, {turning[static_cast<std::size_t>(cut)]});
    RC_PRE(!d.drivers.empty());
    RC_PRE(d.analysis.status == Analysis::Status::ok);
    RC_PRE(d.step().status == StepStatus::ok);
    RC_ASSERT(d.step().balanced);
    check_balance(d);
  }
}

// Power of the drives is the rate of the energy.
RC_GTEST_PROP(LinkageForces, do_the_work_that_the_energy_gains, (const LinkageCase& c)) {
  const Driven d(c);
  RC_PRE(!d.drivers.empty());
  const AnalysisStep& step = d.step();
  RC_PRE(step.status == StepStatus::ok);
  double power = 0, size = 1;
  for (std::size_t k = 0; k < d.drivers.size(); ++k) {
    const double term = step.drive[k] * step.joints[d.drivers[k].joint].v[d.drivers[k].dof];
    power += term;
    size += std::abs(term);
  }
  Workspace ws(d.mech);
  compute_accelerations(d.mech, ws, step.q, step.v, step.a);
  double gain = 0;
  for (int b = 0; b < d.mech.body_count(); ++b) {
    const Body& body = d.model.bodies[b];
    const Vec3d v = velocity_W(d.mech, ws, b, body.com).v, a = acceleration_W(d.mech, ws, b, body.com).v;
    const Vec3d omega = step.bodies[b].w, alpha = step.bodies[b].alpha;
    const Sym3d I = rotate(pose_WB(d.mech, ws, b).R, body.inertia);
    const double kinetic = body.mass * dot(v, a) + dot(omega, I * alpha), weight = -body.mass * dot(d.model.gravity, v);
    gain += kinetic + weight;
    size += std::abs(kinetic) + std::abs(weight);
  }
  RC_ASSERT(std::abs(power - gain) < 1e-9 * size);
}

}  // namespace
}  // namespace trammel

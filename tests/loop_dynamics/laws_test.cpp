// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of the dynamics of loops, over random mechanisms: 2 to 8 bodies, up to 5 loops and a coupling, all joints and constraints,
// redundant ones among them, on the ground and afloat, with friction and rotors at joints in the tree and at those that close loops.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "closed_case.hpp"

namespace trammel {
namespace {

using test::ClosedCase;
using test::ClosedOptions;
using test::LinkageCase;
using test::Random;
using test::vector;
using Matrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

struct Moved {
  std::vector<double> a;
  double size = 1;  // largest acceleration
};

// Accelerations; positions near which the constraints are almost singular give answers of any size, and are left out.
Moved forward(const ClosedCase& c, LoopDynamics& dynamics, LoopMethod method = LoopMethod::automatic) {
  Moved out{std::vector<double>(c.nv()), 1};
  const LoopVerdict verdict = dynamics.forward(c.q, c.v, c.tau, out.a, {}, method);
  RC_ASSERT(verdict.ok());
  for (const double x : out.a) out.size = std::max(out.size, std::abs(x));
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-3);
  return out;
}

RC_GTEST_PROP(LoopDynamics, accelerates_as_the_constraints_allow, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  // d²Φ/dt² by central differences of Φ along q(t), without the second rates that the solver uses: Φ(q ⊕ (v h + a h²/2)).
  LoopSolver solver(c.mech);
  const auto phi_at = [&](double h) {
    std::vector<double> step(c.nv()), q(c.q.size());
    for (std::size_t i = 0; i < step.size(); ++i) step[i] = h * c.v[i] + 0.5 * h * h * moved.a[i];
    step_coordinates(c.mech, c.q, step, q);
    Eigen::VectorXd phi(solver.row_count());
    solver.residuals(q, {}, {phi.data(), static_cast<std::size_t>(phi.size())});
    return phi;
  };
  const double h = 1e-3;
  if (solver.row_count() == 0) return;
  const Eigen::VectorXd once = phi_at(h) + phi_at(-h), twice = phi_at(2 * h) + phi_at(-2 * h);
  const Eigen::VectorXd second = (16 * once - twice) / (12 * h * h);  // Φ(0) = 0
  double speed = 1;
  for (const double x : c.v) speed = std::max(speed, std::abs(x));
  const double scale = (speed * speed + moved.size) * (speed * speed + moved.size) * (1 + moved.size);
  RC_ASSERT(second.lpNorm<Eigen::Infinity>() < 1e-7 * scale);
}

RC_GTEST_PROP(LoopDynamics, is_that_of_the_dense_oracle, (const LinkageCase& l)) {
  const ClosedCase c(l, {.oracle = true});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  const test::JointStates states = c.states();
  const test::OracleAnswer oracle = oracle_dynamics(c.model, states);
  double size = moved.size;
  for (const Force<double>& F : oracle.reaction) size = std::max(size, norm(F.f) + norm(F.n));
  RC_PRE(oracle.residual < 1e-9 * size);
  const test::PerJoint a = accelerations_of_joints(c, moved.a);
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t i = 0; i < a[j].size(); ++i) RC_ASSERT(std::abs(a[j][i] - oracle.a[j][i]) < 1e-9 * size);
  }
  const std::vector<LoopReaction> reactions = dynamics.reactions();
  bool flagged = false;
  for (std::size_t j = 0; j < reactions.size(); ++j) {
    flagged = flagged || !reactions[j].determinate;
    if (!reactions[j].determinate) continue;
    RC_ASSERT(norm(reactions[j].F_W.f - oracle.reaction[j].f) < 1e-9 * size);
    RC_ASSERT(norm(reactions[j].F_W.n - oracle.reaction[j].n) < 1e-9 * size);
  }
  RC_ASSERT(flagged == (oracle.rank < oracle.constraint_rows));
}

// Newton and Euler for every body by itself, with the reactions that were found, determinate or not: of closing joints, tree joints,
// constraints. So they carry the motion, whichever of several possible values they have.
RC_GTEST_PROP(LoopDynamics, has_reactions_that_move_every_body, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  const std::vector<LoopReaction> reactions = dynamics.reactions();
  const std::vector<LoopReaction> constraint = dynamics.constraint_forces();
  Workspace ws(c.mech);
  compute_accelerations(c.mech, ws, c.q, c.v, moved.a);
  std::vector<Force<double>> at_com(c.mech.bodies.size());
  double size = 1;
  const auto add = [&](int body, const Force<double>& F, const Vec3d& p_W, double sign) {
    size = std::max(size, norm(F.f) + norm(F.n));
    if (body == ground) return;
    const Vec3d com = pose_WB(c.mech, ws, body) * c.model.bodies[static_cast<std::size_t>(body)].com;
    Force<double>& sum = at_com[static_cast<std::size_t>(body)];
    sum.f += F.f * sign;
    sum.n += (F.n + cross(p_W - com, F.f)) * sign;
  };
  for (std::size_t j = 0; j < reactions.size(); ++j) {
    add(c.mech.joints[j].second, reactions[j].F_W, reactions[j].p_W, 1);
    add(c.mech.joints[j].first, reactions[j].F_W, reactions[j].p_W, -1);
  }
  for (std::size_t k = 0; k < constraint.size(); ++k) {
    const ConstraintInfo& info = c.mech.constraints[k];
    const Vec3d p = info.second == ground ? info.X_BQ.p : pose_WB(c.mech, ws, info.second) * info.X_BQ.p;
    add(info.second, constraint[k].F_W, p, 1);
    add(info.first, constraint[k].F_W, p, -1);
  }
  for (int b = 0; b < c.mech.body_count(); ++b) {
    const Body& body = c.model.bodies[static_cast<std::size_t>(b)];
    const Motion<double> V = velocity_W(c.mech, ws, b, body.com), A = acceleration_W(c.mech, ws, b, body.com);
    const Mat3d R = pose_WB(c.mech, ws, b).R;
    const Sym3d I = rotate(R, body.inertia);
    const Vec3d f = (A.v - c.model.gravity) * body.mass, n = I * A.w + cross(V.w, I * V.w);
    RC_ASSERT(norm(at_com[static_cast<std::size_t>(b)].f - f) < 1e-9 * size * moved.size);
    RC_ASSERT(norm(at_com[static_cast<std::size_t>(b)].n - n) < 1e-9 * size * moved.size);
  }
}

// Constraint forces do no work: power of drives and friction is the rate of energy, whose parts at t ± h are compared.
RC_GTEST_PROP(LoopDynamics, gains_the_energy_that_is_supplied, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  double power = 0;
  std::vector<double> friction(c.nv());
  Workspace ws(c.mech);
  compute_velocities(c.mech, ws, c.q, c.v);
  friction_forces(c.mech, ws, c.v, friction);
  for (std::size_t i = 0; i < c.nv(); ++i) power += (c.tau[i] + friction[i]) * c.v[i];
  const test::JointStates states = c.states();
  for (std::size_t j = 0; j < c.mech.joints.size(); ++j) {
    const JointInfo& joint = c.mech.joints[j];
    const JointProperties& p = joint.properties;
    if (joint.role != JointRole::closure || p.viscous.empty()) continue;
    double whole = 0;
    for (const double v : states.v[j]) whole = std::hypot(whole, v);
    for (std::size_t i = 0; i < states.v[j].size(); ++i) {
      const double v = states.v[j][i], speed = joint.nq == joint.nv ? v : whole;
      power -= p.viscous[i] * v * v + p.dry[i] * v * v / std::hypot(speed, p.dry_speed);
    }
  }
  const auto energy_at = [&](double h) {
    std::vector<double> step(c.nv()), v(c.nv()), q(c.q.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
      step[i] = h * c.v[i] + 0.5 * h * h * moved.a[i];
      v[i] = c.v[i] + h * moved.a[i];
    }
    step_coordinates(c.mech, c.q, step, q);
    compute_velocities(c.mech, ws, q, v);
    const Energy<double> energy = compute_energy(c.mech, ws, v);
    return energy.kinetic + energy.potential + dynamics.closing_rotor_energy(q, v);
  };
  const double h = 2e-4;
  const double rate = (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) / (12 * h);
  const double speed = 1 + vector(c.v).lpNorm<Eigen::Infinity>();
  const double scale = std::max(1.0, energy_at(0)) * std::pow(speed + moved.size, 2);
  RC_ASSERT(std::abs(rate - power) < 1e-7 * scale);
}

RC_GTEST_PROP(LoopDynamics, does_not_depend_on_the_joint_that_is_cut, (const LinkageCase& l)) {
  ClosedCase c(l, {.oracle = true, .friction = true, .couplings = l.seed % 2 == 0});
  RC_PRE(!c.mech.loops.empty());
  // No drive at joints, since other joints close the loops now: weight, friction and motion do all.
  std::fill(c.tau.begin(), c.tau.end(), 0.0);
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  const std::vector<LoopReaction> reactions = dynamics.reactions();
  const test::JointStates states = c.states();
  const test::PerJoint a = accelerations_of_joints(c, moved.a);

  Model other_model = c.model;
  Random random(l.seed + 31);
  for (Joint& joint : other_model.joints) joint.cut = random.chance(0.5);
  ClosedCase other(other_model, l.seed);
  for (std::size_t j = 0; j < other.mech.joints.size(); ++j) {
    const JointInfo& joint = other.mech.joints[j];
    if (joint.role != JointRole::tree) continue;
    std::copy(states.q[j].begin(), states.q[j].end(), other.q.begin() + joint.q);
    std::copy(states.v[j].begin(), states.v[j].end(), other.v.begin() + joint.v);
  }
  std::fill(other.tau.begin(), other.tau.end(), 0.0);
  LoopDynamics other_dynamics(other.mech);
  const Moved other_moved = forward(other, other_dynamics);
  const test::PerJoint other_a = accelerations_of_joints(other, other_moved.a);
  const std::vector<LoopReaction> other_reactions = other_dynamics.reactions();
  double size = std::max(moved.size, other_moved.size);
  for (const LoopReaction& r : reactions) size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n));
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t i = 0; i < a[j].size(); ++i) RC_ASSERT(std::abs(a[j][i] - other_a[j][i]) < 1e-8 * size);
    RC_ASSERT(reactions[j].determinate == other_reactions[j].determinate);  // and where not, the smallest are the same
    RC_ASSERT(norm(reactions[j].F_W.f - other_reactions[j].F_W.f) < 1e-8 * size);
    RC_ASSERT(norm(reactions[j].F_W.n - other_reactions[j].F_W.n) < 1e-8 * size);
  }
}

// Forces that produce the accelerations of forward dynamics: those that acted, where they are the only ones; smallest ones otherwise.
RC_GTEST_PROP(LoopDynamics, inverse_undoes_forward, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  std::vector<JointFreedom> all;
  for (std::size_t j = 0; j < c.mech.joints.size(); ++j) {
    const JointInfo& joint = c.mech.joints[j];
    for (int i = 0; joint.role == JointRole::tree && i < joint.nv; ++i) all.push_back({static_cast<int>(j), i});
  }
  std::vector<double> u(all.size()), again(c.nv()), tau(c.nv());
  const ActuationVerdict verdict = dynamics.inverse(c.q, c.v, moved.a, all, u);
  RC_ASSERT(verdict.ok());
  for (std::size_t k = 0; k < all.size(); ++k) {
    tau[static_cast<std::size_t>(c.mech.joints[static_cast<std::size_t>(all[k].joint)].v + all[k].dof)] = u[k];
  }
  RC_ASSERT(dynamics.forward(c.q, c.v, tau, again).ok());
  RC_ASSERT((vector(again) - vector(moved.a)).lpNorm<Eigen::Infinity>() < 1e-8 * moved.size);
  // As few actuators as there are freedoms: the same, and unique.
  const IndependentMass independent = dynamics.independent_mass(c.q);
  std::vector<JointFreedom> few;
  for (const int k : independent.freedoms) {
    const JointInfo& joint = c.mech.joints[static_cast<std::size_t>(
        c.mech.links[static_cast<std::size_t>(c.mech.link_of_dof[static_cast<std::size_t>(k)])].joint)];
    few.push_back({c.mech.find_joint(joint.name), k - joint.v});
  }
  std::vector<double> exact(few.size());
  const ActuationVerdict of_few = dynamics.inverse(c.q, c.v, moved.a, few, exact);
  RC_ASSERT(of_few.ok() && of_few.unique);
  std::fill(tau.begin(), tau.end(), 0.0);
  for (std::size_t k = 0; k < few.size(); ++k) tau[static_cast<std::size_t>(independent.freedoms[k])] = exact[k];
  RC_ASSERT(dynamics.forward(c.q, c.v, tau, again).ok());
  double largest = moved.size;
  for (const double x : exact) largest = std::max(largest, std::abs(x));
  RC_ASSERT((vector(again) - vector(moved.a)).lpNorm<Eigen::Infinity>() < 1e-8 * largest);
  // One fewer cannot produce it, unless by chance.
  if (few.size() > 1) {
    few.pop_back();
    exact.pop_back();
    RC_ASSERT(!dynamics.inverse(c.q, c.v, moved.a, few, exact).possible);
  }
}

RC_GTEST_PROP(LoopDynamics, prescribed_accelerations_take_the_forces_that_give_them, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  const IndependentMass independent = dynamics.independent_mass(c.q);
  std::vector<char> prescribed(c.nv());
  std::vector<double> a = moved.a, tau = c.tau, again(c.nv());
  Random random(l.seed + 3);
  for (const int k : independent.freedoms) {
    if (random.chance(0.5))
      prescribed[static_cast<std::size_t>(k)] = 1, a[static_cast<std::size_t>(k)] += random.normal();
  }
  const std::vector<double> wanted = a;
  RC_ASSERT(dynamics.hybrid(c.q, c.v, prescribed, a, tau).ok());
  RC_ASSERT(dynamics.forward(c.q, c.v, tau, again).ok());
  double size = 1;
  for (const double x : a) size = std::max(size, std::abs(x));
  for (const double x : tau) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < c.nv(); ++i) {
    RC_ASSERT(std::abs(again[i] - a[i]) < 1e-8 * size);
    if (prescribed[i] != 0) RC_ASSERT(std::abs(a[i] - wanted[i]) < 1e-9 * size);
    if (prescribed[i] == 0) RC_ASSERT(tau[i] == c.tau[i]);
  }
}

// The nearest velocity in the sense of kinetic energy: what was taken away is orthogonal to all that is allowed; twice changes nothing.
RC_GTEST_PROP(LoopDynamics, projects_velocities_along_the_mass_matrix, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const std::vector<double> given = Random(l.seed + 5).normals(c.mech.nv);
  std::vector<double> v = given;
  RC_ASSERT(dynamics.project_velocity(c.q, v).ok());
  const LoopDiagnosis diagnosis = dynamics.diagnose(c.q, v);
  RC_PRE(diagnosis.conditioning > 1e-3);
  RC_ASSERT(diagnosis.rate_m < 1e-12 && diagnosis.rate_rad < 1e-12);
  const IndependentMass independent = dynamics.independent_mass(c.q);
  const auto f = static_cast<Eigen::Index>(independent.freedoms.size());
  if (f > 0) {
    // Tᵀ M (v − given) = 0 by accelerations: M x = f for f = M (v − given) has the work Tᵀ f. M from unit kinetic energies:
    const Eigen::Map<const Matrix> T(independent.T.data(), c.mech.nv, f);
    std::vector<double> rows(c.nv() * c.nv());
    Workspace ws(c.mech);
    mass_matrix(c.mech, ws, c.q, rows);
    Eigen::MatrixXd M = Eigen::Map<const Matrix>(rows.data(), c.mech.nv, c.mech.nv);
    // Rotors of closing joints: their energy is a quadratic form of v.
    const auto energy = [&](const Eigen::VectorXd& x) {
      return dynamics.closing_rotor_energy(c.q, std::vector<double>(x.begin(), x.end()));
    };
    const Eigen::VectorXd change = vector(v) - vector(given);
    for (Eigen::Index k = 0; k < f; ++k) {
      const Eigen::VectorXd t = T.col(k);
      const double rotors = 0.5 * (energy(change + t) - energy(change - t));
      const double scale = 1 + (M * t).cwiseAbs().dot(change.cwiseAbs()) + energy(change + t);
      RC_ASSERT(std::abs(t.dot(M * change) + rotors) < 1e-9 * scale);
    }
  }
  const std::vector<double> once = v;
  RC_ASSERT(dynamics.project_velocity(c.q, v).ok());
  // Rates are known to the last digits of velocities; what is allowed is found from them, 1000 times less well at worst.
  RC_ASSERT((vector(v) - vector(once)).lpNorm<Eigen::Infinity>() <
            1e-12 * (1 + vector(once).lpNorm<Eigen::Infinity>()));
}

RC_GTEST_PROP(LoopDynamics, projects_positions_once_and_for_all, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-2);
  std::vector<double> q(c.q.size());
  step_coordinates(c.mech, c.q, Random(l.seed + 6).normals(c.mech.nv, 1e-3), q);
  const ProjectionVerdict verdict = dynamics.project_position(q);
  RC_PRE(dynamics.diagnose(q, c.v).rank == dynamics.diagnose(c.q, c.v).rank);
  RC_ASSERT(verdict.closed);
  const LoopDiagnosis diagnosis = dynamics.diagnose(q, c.v);
  RC_ASSERT(diagnosis.gap_m < 1e-11 && diagnosis.gap_rad < 1e-11);
  const std::vector<double> once = q;
  RC_ASSERT(dynamics.project_position(q).closed);
  RC_ASSERT((vector(q) - vector(once)).lpNorm<Eigen::Infinity>() < 1e-12);
}

// Steps onto the constraints, and prescribed accelerations, by elimination and densely; with some freedoms held.
RC_GTEST_PROP(LoopDynamics, projects_and_prescribes_alike_by_all_methods, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const LoopDiagnosis diagnosis = dynamics.diagnose(c.q, c.v);
  RC_PRE(diagnosis.conditioning > 1e-2);
  const bool redundant = !diagnosis.redundant.empty();
  Random random(l.seed + 8);
  std::vector<char> held(c.nv());
  for (const int k : dynamics.independent_mass(c.q).freedoms) held[static_cast<std::size_t>(k)] = random.chance(0.3);
  const std::vector<double> given = random.normals(c.mech.nv);
  std::vector<double> off(c.q.size());
  step_coordinates(c.mech, c.q, random.normals(c.mech.nv, 1e-4), off);
  std::vector<std::vector<double>> q, v, a, tau;
  for (const LoopMethod method : {LoopMethod::dense, LoopMethod::elimination, LoopMethod::automatic}) {
    v.push_back(given), q.push_back(off), a.push_back(given), tau.push_back(c.tau);
    RC_ASSERT(dynamics.project_velocity(c.q, v.back(), held, method).ok());
    for (std::size_t k = 0; k < c.nv(); ++k) RC_ASSERT(held[k] == 0 || std::abs(v.back()[k] - given[k]) < 1e-9);
    const ProjectionVerdict verdict = dynamics.project_position(q.back(), 1e-12, 20, {}, method);
    RC_ASSERT(verdict.closed);
    RC_ASSERT(dynamics.hybrid(c.q, c.v, held, a.back(), tau.back(), {}, method).ok());
    const double size = 1 + vector(a.back()).lpNorm<Eigen::Infinity>();
    for (std::size_t k = 0; k < c.nv(); ++k) RC_ASSERT(held[k] == 0 || std::abs(a.back()[k] - given[k]) < 1e-9 * size);
    for (std::size_t k = 0; k < c.nv(); ++k) RC_ASSERT(held[k] != 0 || tau.back()[k] == c.tau[k]);
    RC_ASSERT((vector(v.back()) - vector(v[0])).lpNorm<Eigen::Infinity>() < 1e-9 * (1 + vector(v[0]).norm()));
    // Beside a closed position redundant rows contradict each other, or are redundant no longer: no step is the right one.
    RC_ASSERT(redundant || (vector(q.back()) - vector(q[0])).lpNorm<Eigen::Infinity>() < 1e-10);
    RC_ASSERT(test::error_of(a.back(), a[0]) < 1e-8);
    RC_ASSERT(test::error_of(tau.back(), tau[0]) < 1e-8);
  }
}

// A wrench at a frame accelerates it by Λ⁻¹: forward dynamics with and without the wrench.
RC_GTEST_PROP(LoopDynamics, has_the_operational_inertia_that_wrenches_show, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  const Moved moved = forward(c, dynamics);
  Random random(l.seed + 8);
  const int body = random.integer(0, c.mech.body_count() - 1);
  const Vec3d p_B = random.vector();
  const Force<double> F = random.force();
  const OperationalInertia inertia = dynamics.operational_inertia(c.q, body, p_B);
  RC_ASSERT(inertia.status == LoopStatus::ok);
  Workspace ws(c.mech);
  compute_accelerations(c.mech, ws, c.q, c.v, moved.a);
  const auto before = test::dense(acceleration_W(c.mech, ws, body, p_B));
  std::vector<Force<double>> wrench(c.mech.bodies.size());
  add_wrench(c.mech, ws, body, p_B, F, std::span(wrench));
  std::vector<double> pushed(c.nv());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, pushed, {.wrench = wrench.data()}).ok());
  compute_accelerations(c.mech, ws, c.q, c.v, pushed);
  const auto after = test::dense(acceleration_W(c.mech, ws, body, p_B));
  const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> inverse(inertia.inverse),
      Lambda(inertia.inertia);
  const double size = std::max({moved.size, after.lpNorm<Eigen::Infinity>(), inverse.lpNorm<Eigen::Infinity>()});
  RC_ASSERT((inverse * test::dense(F) - (after - before)).lpNorm<Eigen::Infinity>() < 1e-9 * size);
  if (inertia.rank == 6) {
    const Eigen::Matrix<double, 6, 6> product = inverse * Lambda;
    RC_ASSERT((product - Eigen::Matrix<double, 6, 6>::Identity()).lpNorm<Eigen::Infinity>() < 1e-5);
  }
}

// Kinetic energy on independent coordinates is that of the mechanism.
RC_GTEST_PROP(LoopDynamics, has_a_mass_matrix_on_independent_coordinates, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-3);
  const IndependentMass mass = dynamics.independent_mass(c.q);
  RC_ASSERT(mass.independent);
  const auto f = static_cast<Eigen::Index>(mass.freedoms.size());
  RC_ASSERT(f == dynamics.diagnose(c.q, c.v).freedoms);
  Eigen::VectorXd independent(f);
  for (Eigen::Index k = 0; k < f; ++k)
    independent(k) = c.v[static_cast<std::size_t>(mass.freedoms[static_cast<std::size_t>(k)])];
  const Eigen::Map<const Matrix> M(mass.M.data(), f, f), T(mass.T.data(), c.mech.nv, f);
  RC_ASSERT((T * independent - vector(c.v)).lpNorm<Eigen::Infinity>() <
            1e-9 * (1 + vector(c.v).lpNorm<Eigen::Infinity>()));
  Workspace ws(c.mech);
  compute_velocities(c.mech, ws, c.q, c.v);
  const double kinetic = compute_energy(c.mech, ws, c.v).kinetic + dynamics.closing_rotor_energy(c.q, c.v);
  RC_ASSERT(std::abs(0.5 * independent.dot(M * independent) - kinetic) < 1e-9 * (1 + kinetic));
  if (f >= 1) {
    std::vector<int> twice = mass.freedoms;
    twice.push_back(twice.front());
    RC_ASSERT(!dynamics.independent_mass(c.q, twice).independent);
  }
}

// Where one body is held by chains, Lilly and Orin's method, elimination and the dense method give the same motion and the same reactions.
RC_GTEST_PROP(LoopDynamics, is_the_same_by_all_methods, (const LinkageCase& l)) {
  const ClosedCase c(l, {.oracle = true, .friction = l.seed % 4 == 0});
  LoopDynamics dynamics(c.mech);
  const bool is_star = dynamics.star() != nullptr;
  RC_PRE(is_star);
  const Moved dense = forward(c, dynamics, LoopMethod::dense);
  const std::vector<LoopReaction> expected = dynamics.reactions();
  double size = dense.size;
  for (const LoopReaction& r : expected) size = std::max(size, norm(r.F_W.f) + norm(r.F_W.n));
  for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination}) {
    const Moved moved = forward(c, dynamics, method);
    RC_ASSERT((vector(moved.a) - vector(dense.a)).lpNorm<Eigen::Infinity>() < 1e-9 * size);
    const std::vector<LoopReaction> found = dynamics.reactions();
    for (std::size_t j = 0; j < found.size(); ++j) {
      RC_ASSERT(found[j].determinate == expected[j].determinate);
      RC_ASSERT(norm(found[j].F_W.f - expected[j].F_W.f) < 1e-8 * size);
      RC_ASSERT(norm(found[j].F_W.n - expected[j].F_W.n) < 1e-8 * size);
    }
  }
  std::vector<double> a(c.nv());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, a).method == LoopMethod::star);
}

// A closure let go is a closure that is not there.
RC_GTEST_PROP(LoopDynamics, with_closures_let_go_is_that_of_the_model_without_them, (const LinkageCase& l)) {
  const ClosedCase c(l, {.couplings = l.seed % 2 == 0});
  LoopDynamics dynamics(c.mech);
  using Source = ConstraintRow::Source;
  for (const Loop& loop : c.mech.loops) dynamics.set_active(Source::joint, loop.closure, false);
  for (std::size_t k = 0; k < c.mech.couplings.size(); ++k)
    dynamics.set_active(Source::coupling, static_cast<int>(k), false);
  for (std::size_t k = 0; k < c.mech.constraints.size(); ++k)
    dynamics.set_active(Source::constraint, static_cast<int>(k), false);
  std::vector<double> a(c.nv()), tree(c.nv()), again(c.nv());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, a).ok());
  Workspace ws(c.mech);
  RC_ASSERT(forward_dynamics(c.mech, ws, c.q, c.v, c.tau, tree).ok());
  RC_ASSERT(test::error_of(a, tree) < 1e-9);
  for (const Loop& loop : c.mech.loops) dynamics.set_active(Source::joint, loop.closure, true);
  for (std::size_t k = 0; k < c.mech.couplings.size(); ++k)
    dynamics.set_active(Source::coupling, static_cast<int>(k), true);
  for (std::size_t k = 0; k < c.mech.constraints.size(); ++k)
    dynamics.set_active(Source::constraint, static_cast<int>(k), true);
  LoopDynamics fresh(c.mech);
  RC_ASSERT(fresh.forward(c.q, c.v, c.tau, a).ok());
  RC_ASSERT(dynamics.forward(c.q, c.v, c.tau, again).ok());
  RC_ASSERT(a == again);
}

// A triangle of three bars is rigid, whatever swings on it: what is left of its motion is round-off, and no motion.
TEST(LoopDynamics, of_a_body_that_is_held_fast_there_is_no_operational_inertia) {
  Model model;
  model.gravity = {0, -9.81, 0};
  constexpr Sym3d inertia{0.1, 0.12, 0.14, 0, 0, 0};
  for (const char* name : {"left", "right", "top", "hung"}) add_body(model, name, 1, {0.3, 0.2, 0}, inertia);
  const std::string ground_body(ground_name);
  add_joint(model, "A", Revolute{}, ground_body, "left", Transformd{});
  add_joint(model, "C", Revolute{}, "left", "top", Transformd::translation({0.37, 0.81, 0}));
  add_joint(model, "B", Revolute{}, "top", "right", Transformd::translation({0.93, 0.44, 0}));
  add_joint(model, "O", Revolute{}, ground_body, "right", Transformd::translation({1.13, 0.02, 0}));
  add_joint(model, "stay", Revolute{}, ground_body, "top", Transformd::translation({0.61, 1.27, 0}));
  add_joint(model, "swing", Spherical{}, "top", "hung", Transformd::translation({0.71, 0.93, 0.1}));
  const Mechanism mech = test::compiled(model);
  LoopDynamics dynamics(mech);
  const std::vector<double> q = design_state(mech).q;
  for (int b = 0; b < mech.body_count(); ++b) {
    const OperationalInertia found = dynamics.operational_inertia(q, b, {0.1, 0.2, 0.3});
    EXPECT_EQ(found.rank, mech.bodies[static_cast<std::size_t>(b)].name == "hung" ? 3 : 0) << b;
  }
}

// The accelerations of a whole joint given at random: where the loops do not allow them, nobody says that it could be.
RC_GTEST_PROP(LoopDynamics, tells_prescribed_accelerations_that_cannot_be, (const LinkageCase& l)) {
  const ClosedCase c(l, {.friction = false});
  LoopDynamics dynamics(c.mech);
  RC_PRE(dynamics.diagnose(c.q, c.v).conditioning > 1e-2);
  test::Random random(l.seed + 3);
  for (const JointInfo& joint : c.mech.joints) {
    if (joint.role != JointRole::tree || joint.nv == 0) continue;
    std::vector<char> prescribed(c.nv());
    std::vector<double> given(c.nv());
    for (int k = joint.v; k < joint.v + joint.nv; ++k) {
      prescribed[static_cast<std::size_t>(k)] = 1;
      given[static_cast<std::size_t>(k)] = random.normal();
    }
    const auto answer = [&](LoopMethod method) {
      std::vector<double> a = given, tau = c.tau;
      return dynamics.hybrid(c.q, c.v, prescribed, a, tau, {}, method);
    };
    const LoopVerdict dense = answer(LoopMethod::dense);
    const bool cannot_be = dense.status == LoopStatus::inconsistent && dense.residual > 1e-3;
    if (!cannot_be) continue;
    RC_ASSERT(!answer(LoopMethod::elimination).ok());
    RC_ASSERT(!answer(LoopMethod::automatic).ok());
  }
}

}  // namespace
}  // namespace trammel

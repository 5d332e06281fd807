// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Forces at one position. Newton–Euler over the spanning tree gives the joint forces τ that the motion needs with weight, springs,
// known loads and the fluid acting. They must come from the constraints, the drivers and the resisting loads:
//   τ = Φ_qᵀ λ + Φ_dᵀ u − Σ_k s_k Q_k                                                                                (1)
// with λ the multipliers of the constraint rows, u what the drivers supply, s_k the size of resisting load k (positive as exerted
// by the body on the load) and Q_k the joint forces of that load at size 1. Rows and columns are scaled as for rank decisions, and
// a solution is taken. Where (1) has null vectors, forces can circulate without a load (self-stress): every joint through which one of
// them passes is statically indeterminate, and of all solutions the one with the least forces is given.

#include <cmath>

#include <trammel/analysis.hpp>
#include <trammel/applied_forces.hpp>
#include <trammel/dynamics.hpp>
#include <trammel/fluid_forces.hpp>

#include "analysis/step_results.hpp"
#include "core/dense.hpp"
#include "kernels/link_view.hpp"
#include "loop_dynamics/tree_statics.hpp"
#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

constexpr double equilibrium_tolerance = 1e-8;

// What acts along the coordinates of a joint that closes a loop, as a force of its first body on its second, in M at M's origin:
// springs, friction and the rotor's inertia, each a force τ_k on coordinate k. Every F with Hᵀ F = τ does their work; this is the
// smallest.
Force<double> closing_joint_force(const Mechanism& mech, const Workspace& ws, int j, const ForceProblem& problem) {
  const JointInfo& joint = mech.joints[j];
  const JointProperties& p = joint.properties;
  const auto entry = [](const std::vector<double>& list, int k) { return list.empty() ? 0.0 : list[k]; };
  const JointMotion motion = closing_joint_motion(mech, ws, joint);
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(joint.nv);
  double whole = 0;  // dry friction of a ball works against the whole rotation
  for (const double v : motion.v) whole = std::hypot(whole, v);
  for (int k = 0; k < joint.nv; ++k) {
    const double v = motion.v[k], speed = joint.nq == joint.nv ? v : whole;
    if (joint.nq == joint.nv) tau(k) += joint_spring_force(mech, j, k, motion.q[k], v);
    if (problem.friction) tau(k) -= entry(p.viscous, k) * v + entry(p.dry, k) * v / std::hypot(speed, p.dry_speed);
    tau(k) -= entry(p.armature, k) * motion.a[k];
  }
  if (tau.isZero(0)) return {};
  std::vector<Motion<double>> H(static_cast<std::size_t>(joint.nv));
  H_FM(joint.type, motion.q.data(), H);
  Eigen::MatrixXd columns(6, joint.nv);
  for (int k = 0; k < joint.nv; ++k) {
    columns.col(k) << H[k].w.x, H[k].w.y, H[k].w.z, H[k].v.x, H[k].v.y, H[k].v.z;
  }
  const Eigen::VectorXd F = dense::least_norm(columns.transpose(), tau, rank_tolerance).x;
  return {{F(0), F(1), F(2)}, {F(3), F(4), F(5)}};
}

// Forces that hold each other: of every joint on its second body at M's origin, and of every constraint, in world axes.
struct SelfStress {
  std::vector<Force<double>> joints, constraints;
};

double size_of(const Force<double>& F, double length) { return norm(F.f) + norm(F.n) / length; }

// In a planar linkage a self-stress within the plane matters; what is out of it is told apart.
void mark_indeterminate(const SelfStress& stress, const Vec3d* normal, double length, ForceSolution& solution) {
  const auto in_plane = [&](const Force<double>& F) -> Force<double> {
    if (normal == nullptr) return F;
    return {*normal * dot(*normal, F.n), F.f - *normal * dot(*normal, F.f)};
  };
  double largest = 0;
  for (const auto* list : {&stress.joints, &stress.constraints}) {
    for (const Force<double>& F : *list) largest = std::max(largest, size_of(F, length));
  }
  const double counts = 1e-7 * largest;
  for (std::size_t j = 0; j < stress.joints.size(); ++j) {
    const Force<double> in = in_plane(stress.joints[j]);
    const Force<double> out{stress.joints[j].n - in.n, stress.joints[j].f - in.f};
    if (size_of(in, length) > counts) solution.reactions[j].determinate = false;
    if (size_of(out, length) > counts) solution.reactions[j].out_of_plane_unknown = true;
  }
  for (std::size_t c = 0; c < stress.constraints.size(); ++c) {
    const Force<double> in = in_plane(stress.constraints[c]);
    const Force<double> out{stress.constraints[c].n - in.n, stress.constraints[c].f - in.f};
    if (size_of(in, length) > counts) solution.constraint_determinate[c] = 0;
    if (size_of(out, length) > counts) solution.constraint_out_of_plane_unknown[c] = 1;
  }
}

// Of all solutions r − Σ c_k s_k, with s_k the self-stresses, the one whose forces at all joints and constraints have the least sum of
// squares, moments over the length: it depends neither on the cut nor on the order of joints. Returns c.
Eigen::VectorXd relax(const std::vector<SelfStress>& stresses, double length, ForceSolution& solution) {
  const auto rows = static_cast<Eigen::Index>(6 * (solution.reactions.size() + solution.constraint_forces.size()));
  Eigen::MatrixXd S(rows, static_cast<Eigen::Index>(stresses.size()));
  Eigen::VectorXd r(rows);
  const auto put = [&](auto&& column, Eigen::Index at, const Force<double>& F) {
    column.template segment<6>(6 * at) << F.f.x, F.f.y, F.f.z, F.n.x / length, F.n.y / length, F.n.z / length;
  };
  const auto joints = static_cast<Eigen::Index>(solution.reactions.size());
  for (Eigen::Index j = 0; j < joints; ++j) {
    put(r, j, solution.reactions[j].F_W);
    for (Eigen::Index k = 0; k < S.cols(); ++k) put(S.col(k), j, stresses[k].joints[j]);
  }
  for (Eigen::Index c = 0; 6 * (joints + c) < rows; ++c) {
    put(r, joints + c, solution.constraint_forces[c]);
    for (Eigen::Index k = 0; k < S.cols(); ++k) put(S.col(k), joints + c, stresses[k].constraints[c]);
  }
  Eigen::VectorXd shares = dense::least_norm(S, r, rank_tolerance).x;
  const auto relieve = [&](Force<double>& F, auto&& of) {
    for (Eigen::Index k = 0; k < S.cols(); ++k) {
      F.f -= of(stresses[k]).f * shares(k);
      F.n -= of(stresses[k]).n * shares(k);
    }
  };
  for (std::size_t j = 0; j < solution.reactions.size(); ++j)
    relieve(solution.reactions[j].F_W, [&](const SelfStress& s) { return s.joints[j]; });
  for (std::size_t c = 0; c < solution.constraint_forces.size(); ++c)
    relieve(solution.constraint_forces[c], [&](const SelfStress& s) { return s.constraints[c]; });
  return shares;
}

// The motion is known, so what the fluid does is known too, added mass and all. Needs compute_accelerations.
void add_fluid_forces(const Mechanism& mech, const Workspace& ws, double t, std::span<Force<double>> wrench) {
  FluidForces fluid(mech);
  if (fluid.empty()) return;
  std::vector<ArticulatedInertia<double>> inertia(mech.bodies.size());
  std::vector<Force<double>> bias(mech.bodies.size());
  fluid.clear_and_add(mech, ws, t, inertia, bias);
  for (std::size_t b = 0; b < mech.bodies.size(); ++b) {
    if (mech.bodies[b].link == ground) continue;
    wrench[b] += -(inertia[b] * link_view(mech, ws, mech.bodies[b].link).A + bias[b]);
  }
}

}  // namespace

ForceSolution solve_forces(LoopSolver& solver, std::span<const double> q, std::span<const double> v_given,
                           std::span<const double> a_given, const ForceProblem& problem) {
  LoopSolver::Implementation& I = solver.implementation();
  const Mechanism& mech = I.mech;
  const int n = I.n, m = I.m, driven = I.rows.driver_rows();
  const std::vector<double> rest(static_cast<std::size_t>(n), 0.0);
  const std::span<const double> v = problem.inertia ? v_given : std::span<const double>(rest);
  const std::span<const double> a = problem.inertia ? a_given : std::span<const double>(rest);

  I.evaluate(q, {}, true);  // Φ_q
  Workspace ws(mech);
  if (!problem.gravity) {
    Parameters<double> weightless = mech.parameters;
    weightless.gravity = {};
    ws.set_parameters(mech, weightless);
  }
  compute_accelerations(mech, ws, q, v, a);
  ForceSolution solution;
  solution.loads.assign(mech.loads.size(), 0.0);
  std::vector<Force<double>> wrench(mech.bodies.size());
  std::vector<double> spring_tau(static_cast<std::size_t>(n), 0.0), tau(static_cast<std::size_t>(n), 0.0);
  add_spring_forces(mech, ws, q, v, wrench, spring_tau);
  std::vector<double> state_values(mech.state_variables.size());
  find_state_values(mech, ws, q, v, state_values);
  add_known_loads(mech, ws, problem.t, state_values, wrench, solution.loads);
  if (problem.fluid) add_fluid_forces(mech, ws, problem.t, wrench);

  std::vector<Force<double>> closing(mech.joints.size());  // of joints that close a loop
  for (const Loop& loop : mech.loops) {
    const JointInfo& joint = mech.joints[loop.closure];
    const Transformd X_WM = joint.second == ground ? joint.X_BM : pose_WB(mech, ws, joint.second) * joint.X_BM;
    const Force<double> F_M = closing_joint_force(mech, ws, loop.closure, problem);
    const Force<double> F{X_WM.R * F_M.n, X_WM.R * F_M.f};
    const auto on = [&](int body, const Force<double>& force) {
      if (body == ground) return;
      add_wrench(mech, ws, body, inverse(pose_WB(mech, ws, body)) * X_WM.p, force, std::span(wrench));
    };
    on(joint.second, F);
    on(joint.first, -F);
    closing[loop.closure] = F;
  }

  // Resisting loads: one unknown for each that is bound to no other; offsets of bound ones are known loads.
  std::vector<int> unknown_loads;
  const bool finds_loads = !problem.given_drive.empty();
  std::vector<std::vector<Force<double>>> unit_wrenches;
  for (int k = 0; k < static_cast<int>(mech.loads.size()); ++k) {
    const LoadInfo& load = mech.loads[k];
    if (!load.settings.is_resisting() || load.bound_to >= 0 || !finds_loads) continue;
    unknown_loads.push_back(k);
    std::vector<Force<double>> unit(mech.bodies.size());
    add_unit_load(mech, ws, k, -1, unit);
    for (int b = 0; b < static_cast<int>(mech.loads.size()); ++b) {
      if (mech.loads[b].bound_to == k) add_unit_load(mech, ws, b, -mech.loads[b].settings.ratio, unit);
    }
    unit_wrenches.push_back(std::move(unit));
  }
  for (int b = 0; finds_loads && b < static_cast<int>(mech.loads.size()); ++b) {
    if (mech.loads[b].bound_to >= 0) add_unit_load(mech, ws, b, -mech.loads[b].settings.offset, wrench);
  }

  const Loads known{.wrench = wrench.data(), .friction = problem.friction};
  inverse_dynamics(mech, ws, q, v, a, tau, known);
  Eigen::VectorXd needed(n);
  for (int i = 0; i < n; ++i) needed(i) = tau[i] - spring_tau[i];
  const double applied_size = needed.cwiseProduct(I.column_scale).norm();

  // Columns of (1): constraint rows, driver rows (unless given), load sizes.
  const int unknown_drives = finds_loads ? 0 : driven;
  const int columns = m - driven + unknown_drives + static_cast<int>(unknown_loads.size());
  Eigen::MatrixXd A(n, columns);
  const Eigen::MatrixXd S = I.scaled_jacobian();
  A.leftCols(m - driven + unknown_drives) = S.topRows(m - driven + unknown_drives).transpose();
  std::vector<double> without(static_cast<std::size_t>(n)), with(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < unknown_loads.size(); ++k) {
    std::vector<Force<double>> both = wrench;
    for (std::size_t b = 0; b < both.size(); ++b) both[b] += unit_wrenches[k][b];
    inverse_dynamics(mech, ws, q, v, a, with, Loads{.wrench = both.data(), .friction = problem.friction});
    for (int i = 0; i < n; ++i)
      A(i, columns - static_cast<int>(unknown_loads.size()) + static_cast<int>(k)) =
          (tau[i] - with[i]) * I.column_scale(i);
  }
  Eigen::VectorXd right = needed.cwiseProduct(I.column_scale);
  if (finds_loads) {
    for (int d = 0; d < driven && d < static_cast<int>(problem.given_drive.size()); ++d) {
      right -= S.row(m - driven + d).transpose() * (problem.given_drive[d] / I.row_scale(m - driven + d));
    }
  }

  Eigen::VectorXd y = Eigen::VectorXd::Zero(columns);
  Eigen::MatrixXd null(columns, 0);
  if (columns > 0) {
    const dense::Svd svd = dense::svd(A);
    const bool is_zero = svd.s(0) <= rank_tolerance;
    if (!is_zero) y = dense::solve(svd, right, rank_tolerance);
    Eigen::Index rank = 0;
    while (!is_zero && rank < svd.s.size() && svd.s(rank) > rank_tolerance * svd.s(0)) ++rank;
    null = svd.V.rightCols(columns - rank);
  }
  const double missing = (A * y - right).norm();
  const double largest_force = std::max({applied_size, right.norm(), (A * y).norm()});
  solution.balanced = missing <= equilibrium_tolerance * largest_force;
  solution.ledger = largest_force > 0 ? missing / largest_force : 0;

  // Multipliers in N and N m: rows in rad were scaled by the length.
  const auto multipliers = [&](const Eigen::VectorXd& scaled, bool with_given) {
    std::vector<double> lambda(static_cast<std::size_t>(m), 0.0);
    for (int r = 0; r < m - driven + unknown_drives; ++r) lambda[r] = scaled(r) * I.row_scale(r);
    if (with_given && finds_loads) {
      for (int d = 0; d < driven; ++d) lambda[m - driven + d] = problem.given_drive[d];
    }
    return lambda;
  };
  const std::vector<double> lambda = multipliers(y, true);
  for (int d = 0; d < driven; ++d) solution.drive.push_back(lambda[m - driven + d]);
  for (std::size_t k = 0; k < unknown_loads.size(); ++k) {
    const double size = y(columns - static_cast<int>(unknown_loads.size()) + static_cast<int>(k));
    solution.loads[unknown_loads[k]] = size;
    for (std::size_t b = 0; b < wrench.size(); ++b) {
      const Force<double>& u = unit_wrenches[k][b];
      wrench[b] += Force<double>{u.n * size, u.f * size};
    }
    for (int b = 0; b < static_cast<int>(mech.loads.size()); ++b) {
      const LoadInfo& bound = mech.loads[b];
      if (bound.bound_to == unknown_loads[k]) solution.loads[b] = bound.settings.ratio * size + bound.settings.offset;
    }
  }

  // Reactions: closing joints from their multipliers, tree joints from the balance of bodies.
  solution.constraint_forces.assign(mech.constraints.size(), Force<double>{});
  solution.reactions.assign(mech.joints.size(), JointReaction{});
  const auto place_M = [&](int j) {
    const JointInfo& joint = mech.joints[j];
    return joint.second == ground ? joint.X_BM.p : pose_WB(mech, ws, joint.second) * joint.X_BM.p;
  };
  I.rows.forces(mech, ws, lambda,
                [&](int first, int second, const Force<double>& F, const Vec3d& p, int joint, int constraint) {
                  const auto on = [&](int body, const Force<double>& force) {
                    if (body != ground)
                      add_wrench(mech, ws, body, inverse(pose_WB(mech, ws, body)) * p, force, std::span(wrench));
                  };
                  on(second, F);
                  on(first, -F);
                  if (constraint >= 0) {
                    solution.constraint_forces[constraint] += F;
                  } else if (joint >= 0) {
                    const Vec3d r = p - place_M(joint);
                    closing[joint] += Force<double>{F.n + cross(r, F.f), F.f};
                  }
                });
  compute_accelerations(mech, ws, q, v, a);
  std::vector<Force<double>> reactions(mech.joints.size());
  compute_reactions(mech, ws, reactions, Loads{.wrench = wrench.data(), .friction = problem.friction});
  for (int j = 0; j < mech.joint_count(); ++j) {
    const bool closes = mech.joints[j].role == JointRole::closure;
    solution.reactions[j] = {closes ? closing[j] : reactions[j], place_M(j), true};
  }

  // Self-stresses: forces at all joints and constraints that need no load.
  const std::optional<Vec3d> normal = null.cols() > 0 ? planar_normal(I, q) : std::nullopt;
  solution.constraint_determinate.assign(mech.constraints.size(), 1);
  solution.constraint_out_of_plane_unknown.assign(mech.constraints.size(), 0);
  std::vector<SelfStress> stresses;
  for (Eigen::Index k = 0; k < null.cols(); ++k) {
    SelfStress stress{std::vector<Force<double>>(mech.joints.size()),
                      std::vector<Force<double>>(mech.constraints.size())};
    TreeStatics statics(mech);
    I.rows.forces(mech, ws, multipliers(null.col(k), false),
                  [&](int first, int second, const Force<double>& F, const Vec3d& p, int joint, int constraint) {
                    statics.add(second, F, p);
                    statics.add(first, -F, p);
                    if (joint >= 0) statics.add_at_joint(joint, F, p);
                    if (constraint >= 0) stress.constraints[constraint] += F;
                  });
    statics.propagate();
    for (int j = 0; j < mech.joint_count(); ++j) {
      const Force<double>& F = statics.at_joint(j);
      stress.joints[j] = {F.n - cross(place_M(j), F.f), F.f};
    }
    mark_indeterminate(stress, normal ? &*normal : nullptr, I.length, solution);
    stresses.push_back(std::move(stress));
  }
  // Where the sizes of resisting loads are determined, no self-stress changes them.
  const auto load_rows = static_cast<Eigen::Index>(unknown_loads.size());
  const bool loads_stay = null.cols() == 0 || load_rows == 0 || null.bottomRows(load_rows).cwiseAbs().maxCoeff() < 1e-9;
  if (!stresses.empty() && loads_stay) {
    const Eigen::VectorXd shares = relax(stresses, I.length, solution);
    const std::vector<double> taken = multipliers(null * shares, false);
    for (int d = 0; d < driven; ++d) solution.drive[d] -= taken[m - driven + d];
  }
  return solution;
}

}  // namespace trammel

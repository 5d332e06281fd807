// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reactions with loops: closing joints from their multipliers and from what acts along their freedoms; tree joints and welds from
// the balance of bodies, on which all of that acts as wrenches. Null vectors of Φ_qᵀ are forces that circulate without a load
// (self-stress): every joint and constraint that one of them passes through is statically indeterminate. Then of all multipliers
// λ + Z z that go with the motion those are taken for which joints and constraints together carry least:
//   min over z of  Σ |f + f_z|² + |n + n_z|² / length²        each at its own place
// which depends neither on where the loops were cut nor on who solved, as the smallest multipliers would.

#include <cmath>

#include "loop_dynamics/implementation.hpp"
#include "loop_dynamics/tree_statics.hpp"

namespace trammel {
namespace {

Vec3d place_of_M(const Mechanism& mech, const Workspace& ws, const JointInfo& joint) {
  return joint.second == ground ? joint.X_BM.p : pose_WB(mech, ws, joint.second) * joint.X_BM.p;
}
Vec3d place_of_Q(const Mechanism& mech, const Workspace& ws, const ConstraintInfo& constraint) {
  return constraint.second == ground ? constraint.X_BQ.p : pose_WB(mech, ws, constraint.second) * constraint.X_BQ.p;
}

Force<double> times(const Force<double>& F, double s) { return {F.n * s, F.f * s}; }
// A force at p taken at r.
Force<double> moved(const Force<double>& F, const Vec3d& p, const Vec3d& r) { return {F.n + cross(p - r, F.f), F.f}; }

}  // namespace

// Exerts what closing joints and constraints do on the bodies, and notes what each of them carries.
void LoopDynamics::Implementation::carry_by_multipliers() {
  std::vector<Force<double>> wrench(mech.bodies.size());
  if (last_loads.wrench != nullptr) std::copy_n(last_loads.wrench, wrench.size(), wrench.begin());
  const auto exert = [&](int first, int second, const Force<double>& F, const Vec3d& p_W) {
    const auto on = [&](int body, const Force<double>& force) {
      if (body == ground) return;
      add_wrench(mech, ws, body, trammel::inverse(pose_WB(mech, ws, body)) * p_W, force, std::span(wrench));
    };
    on(second, F);
    on(first, -F);
  };
  reactions.assign(mech.joints.size(), {});
  constraint_reactions.assign(mech.constraints.size(), {});
  for (std::size_t j = 0; j < mech.joints.size(); ++j) reactions[j].p_W = place_of_M(mech, ws, mech.joints[j]);
  for (std::size_t k = 0; k < mech.constraints.size(); ++k) {
    constraint_reactions[k].p_W = place_of_Q(mech, ws, mech.constraints[k]);
  }
  for (const RowPiece& piece : pieces) {
    const double size = lambda[static_cast<std::size_t>(piece.row)];
    if (piece.v >= 0 || size == 0) continue;
    const Force<double> F = times(piece.g_W, size);
    exert(piece.first, piece.second, F, piece.p_W);
    if (LoopReaction* carrier = carrier_of(piece)) carrier->F_W += moved(F, piece.p_W, carrier->p_W);
  }
  for (const ClosingFreedom& c : closing) {
    double force = c.friction - c.inertia * c.second_rate;
    for (const ClosingDrive& drive : closing_drive) {
      if (drive.at.joint == c.joint && drive.at.dof == c.dof) force += drive.force;
    }
    if (force == 0) continue;
    const Force<double> F = times(c.g_W, force);
    exert(c.first, c.second, F, c.p_W);
    LoopReaction& carrier = reactions[static_cast<std::size_t>(c.joint)];
    carrier.F_W += moved(F, c.p_W, carrier.p_W);
  }
  Loads loads = last_loads;
  loads.wrench = wrench.data();
  std::vector<Force<double>> of_tree(mech.joints.size());
  compute_reactions(mech, ws, of_tree, loads);
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    if (mech.joints[j].role != JointRole::closure) reactions[j].F_W = of_tree[j];
  }
}

LoopReaction* LoopDynamics::Implementation::carrier_of(const RowPiece& piece) {
  if (piece.joint >= 0) return &reactions[static_cast<std::size_t>(piece.joint)];
  const ConstraintRow& row = I.rows.rows()[static_cast<std::size_t>(piece.row)];
  if (row.source != ConstraintRow::Source::constraint) return nullptr;
  return &constraint_reactions[static_cast<std::size_t>(row.index)];
}

// What joints, then constraints carry, six numbers each, when multipliers `of_active` act alone.
Eigen::VectorXd LoopDynamics::Implementation::carried_alone(const Eigen::VectorXd& of_active) {
  TreeStatics statics(mech);
  std::vector<Force<double>> constraints(mech.constraints.size());
  std::vector<double> of_row(static_cast<std::size_t>(m));
  for (std::size_t r = 0; r < active.size(); ++r) {
    of_row[static_cast<std::size_t>(active[r])] = of_active(static_cast<Eigen::Index>(r));
  }
  for (const RowPiece& piece : pieces) {
    const double size = of_row[static_cast<std::size_t>(piece.row)];
    if (piece.v >= 0 || size == 0) continue;
    const Force<double> F = times(piece.g_W, size);
    statics.add(piece.second, F, piece.p_W);
    statics.add(piece.first, -F, piece.p_W);
    if (piece.joint >= 0) {
      statics.add_at_joint(piece.joint, F, piece.p_W);
    } else if (const LoopReaction* carrier = carrier_of(piece)) {
      constraints[static_cast<std::size_t>(carrier - constraint_reactions.data())] += moved(F, piece.p_W, carrier->p_W);
    }
  }
  statics.propagate();
  Eigen::VectorXd all(6 * (mech.joints.size() + constraints.size()));
  Eigen::Index next = 0;
  const auto write = [&](const Force<double>& F) {
    const Vec3d moment = F.n * (1 / I.length);
    all.segment<6>(next) << moment.x, moment.y, moment.z, F.f.x, F.f.y, F.f.z;
    next += 6;
  };
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    write(moved(statics.at_joint(static_cast<int>(j)), {}, reactions[j].p_W));
  }
  for (const Force<double>& F : constraints) write(F);
  return all;
}

void LoopDynamics::Implementation::settle_reactions() {
  if (settled) return;
  row_active.swap(last_row_active);  // as they were when the motion was found
  joint_active.swap(last_joint_active);
  compute_accelerations(mech, ws, last_q, last_v, last_a);
  DenseLoops dense = dense_at(last_q, last_v, last_loads, {});
  find_multipliers(dense);
  compute_accelerations(mech, ws, last_q, last_v, last_a);
  find_closing(true, last_loads.friction);
  I.rows.pieces(mech, ws, pieces);
  carry_by_multipliers();

  const Eigen::MatrixXd Z = dense.self_stress();
  if (Z.cols() > 0) {
    const auto item = [&](std::size_t i) -> LoopReaction& {
      return i < reactions.size() ? reactions[i] : constraint_reactions[i - reactions.size()];
    };
    const std::size_t items = reactions.size() + constraint_reactions.size();
    Eigen::MatrixXd alone(6 * items, Z.cols());
    Eigen::VectorXd carried(6 * items);
    for (Eigen::Index k = 0; k < Z.cols(); ++k) alone.col(k) = carried_alone(Z.col(k));
    for (std::size_t i = 0; i < items; ++i) {
      const auto at = static_cast<Eigen::Index>(6 * i);
      const Force<double>& F = item(i).F_W;
      carried.segment<6>(at) << F.n.x / I.length, F.n.y / I.length, F.n.z / I.length, F.f.x, F.f.y, F.f.z;
      for (Eigen::Index k = 0; k < Z.cols(); ++k) {
        const double size = alone.col(k).segment<6>(at).norm();
        if (size > 1e-7 * alone.col(k).lpNorm<Eigen::Infinity>()) item(i).determinate = false;
      }
    }
    const Eigen::VectorXd z = dense::solve(dense::svd(alone), -carried, 1e-12);
    const Eigen::VectorXd more = alone * z, of_rows = Z * z;
    for (std::size_t i = 0; i < items; ++i) {
      if (item(i).determinate) continue;
      const auto e = more.segment<6>(static_cast<Eigen::Index>(6 * i));
      item(i).F_W += Force<double>{Vec3d{e(0), e(1), e(2)} * I.length, {e(3), e(4), e(5)}};
    }
    for (std::size_t r = 0; r < active.size(); ++r) {
      lambda[static_cast<std::size_t>(active[r])] += of_rows(static_cast<Eigen::Index>(r));
    }
  }
  row_active.swap(last_row_active);
  joint_active.swap(last_joint_active);
  settled = true;
}

std::span<const double> LoopDynamics::multipliers() {
  implementation_->settle_reactions();
  return implementation_->lambda;
}
std::vector<LoopReaction> LoopDynamics::reactions() {
  implementation_->settle_reactions();
  return implementation_->reactions;
}
std::vector<LoopReaction> LoopDynamics::constraint_forces() {
  implementation_->settle_reactions();
  return implementation_->constraint_reactions;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Reactions with loops: closing joints from their multipliers and from what acts along their freedoms; tree joints and welds from
// the balance of bodies, on which all of that acts as wrenches. Null vectors of Φ_qᵀ are forces that circulate without a load
// (self-stress): every joint that one of them passes through is statically indeterminate.

#include <cmath>

#include "loop_dynamics/implementation.hpp"
#include "loop_dynamics/tree_statics.hpp"

namespace trammel {
namespace {

Vec3d place_of_M(const Mechanism& mech, const Workspace& ws, const JointInfo& joint) {
  return joint.second == ground ? joint.X_BM.p : pose_WB(mech, ws, joint.second) * joint.X_BM.p;
}

Force<double> times(const Force<double>& F, double s) { return {F.n * s, F.f * s}; }

}  // namespace

std::vector<LoopReaction> LoopDynamics::reactions() {
  Implementation& impl = *implementation_;
  const Mechanism& mech = impl.mech;
  Workspace& ws = impl.ws;
  impl.find_multipliers();
  compute_accelerations(mech, ws, impl.last_q, impl.last_v, impl.last_a);
  impl.find_closing(true, impl.last_loads.friction);
  impl.I.rows.pieces(mech, ws, impl.pieces);

  std::vector<Force<double>> wrench(mech.bodies.size()), through(mech.joints.size());
  if (impl.last_loads.wrench != nullptr) std::copy_n(impl.last_loads.wrench, wrench.size(), wrench.begin());
  const auto exert = [&](int first, int second, const Force<double>& F, const Vec3d& p_W, int joint) {
    const auto on = [&](int body, const Force<double>& force) {
      if (body == ground) return;
      add_wrench(mech, ws, body, trammel::inverse(pose_WB(mech, ws, body)) * p_W, force, std::span(wrench));
    };
    on(second, F);
    on(first, -F);
    if (joint < 0) return;
    const Vec3d r = p_W - place_of_M(mech, ws, mech.joints[static_cast<std::size_t>(joint)]);
    through[static_cast<std::size_t>(joint)] += Force<double>{F.n + cross(r, F.f), F.f};
  };
  for (const RowPiece& piece : impl.pieces) {
    const double lambda = impl.lambda[static_cast<std::size_t>(piece.row)];
    if (piece.v < 0 && lambda != 0) {
      exert(piece.first, piece.second, times(piece.g_W, lambda), piece.p_W, piece.joint);
    }
  }
  for (const ClosingFreedom& c : impl.closing) {
    double force = c.friction - c.inertia * c.second_rate;
    for (const Implementation::ClosingDrive& drive : impl.closing_drive) {
      if (drive.at.joint == c.joint && drive.at.dof == c.dof) force += drive.force;
    }
    if (force != 0) exert(c.first, c.second, times(c.g_W, force), c.p_W, c.joint);
  }
  Loads loads = impl.last_loads;
  loads.wrench = wrench.data();
  std::vector<Force<double>> of_tree(mech.joints.size());
  compute_reactions(mech, ws, of_tree, loads);
  std::vector<LoopReaction> out;
  for (std::size_t j = 0; j < mech.joints.size(); ++j) {
    const JointInfo& joint = mech.joints[j];
    out.push_back({joint.role == JointRole::closure ? through[j] : of_tree[j], place_of_M(mech, ws, joint), true});
  }

  // Self-stress.
  const DenseLoops dense = impl.dense_at(impl.last_q, impl.last_v, impl.last_loads, {});
  const Eigen::MatrixXd null = dense.self_stress();
  TreeStatics statics(mech);
  std::vector<double> of_row(static_cast<std::size_t>(impl.m));
  for (Eigen::Index k = 0; k < null.cols(); ++k) {
    statics.clear();
    std::fill(of_row.begin(), of_row.end(), 0.0);
    for (std::size_t r = 0; r < impl.active.size(); ++r) {
      of_row[static_cast<std::size_t>(impl.active[r])] = null(static_cast<Eigen::Index>(r), k);
    }
    for (const RowPiece& piece : impl.pieces) {
      const double lambda = of_row[static_cast<std::size_t>(piece.row)];
      if (piece.v >= 0 || lambda == 0) continue;
      const Force<double> F = times(piece.g_W, lambda);
      statics.add(piece.second, F, piece.p_W);
      statics.add(piece.first, -F, piece.p_W);
      if (piece.joint >= 0) statics.add_at_joint(piece.joint, F, piece.p_W);
    }
    statics.propagate();
    std::vector<double> size(mech.joints.size());
    double largest = 0;
    for (std::size_t j = 0; j < size.size(); ++j) {
      const Force<double>& F = statics.at_joint(static_cast<int>(j));
      size[j] = norm(F.f) + norm(F.n - cross(out[j].p_W, F.f)) / impl.I.length;
      largest = std::max(largest, size[j]);
    }
    for (std::size_t j = 0; j < size.size(); ++j) {
      if (size[j] > 1e-7 * largest) out[j].determinate = false;
    }
  }
  return out;
}

std::vector<Force<double>> LoopDynamics::constraint_forces() {
  Implementation& impl = *implementation_;
  impl.find_multipliers();
  compute_positions(impl.mech, impl.ws, impl.last_q);
  impl.I.rows.pieces(impl.mech, impl.ws, impl.pieces);
  std::vector<Force<double>> out(impl.mech.constraints.size());
  for (const RowPiece& piece : impl.pieces) {
    const ConstraintRow& row = impl.I.rows.rows()[static_cast<std::size_t>(piece.row)];
    if (row.source != ConstraintRow::Source::constraint) continue;
    out[static_cast<std::size_t>(row.index)] += times(piece.g_W, impl.lambda[static_cast<std::size_t>(piece.row)]);
  }
  return out;
}

}  // namespace trammel

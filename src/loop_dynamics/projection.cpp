// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Steps onto the constraints, the shortest in the sense of the mass matrix: M x = Φ_qᵀ λ, Φ_q x = d, with d = −Φ_q v for velocities and
// d = −Φ for positions. By elimination, in O(n); densely where that is as fast, or where it does not find an answer.
//
// Whatever multipliers the iteration of elimination has come to, if M x = Φ_qᵀ λ holds x is the shortest of those that have its Φ_q x. So
// a step onto rows that contradict each other in their last digits, as redundant ones do beside a closed position, is a good step
// nevertheless: by how much it closes the gap decides.

#include <algorithm>
#include <cmath>

#include "kernels/link_view.hpp"
#include "loop_dynamics/implementation.hpp"

namespace trammel {

using Eigen::VectorXd;

namespace {

constexpr double round_off = 1e-15;   // of rates, over the terms that they are summed from
constexpr double allowed = 1e-9;      // of the rates that were given
constexpr int few_freedoms = 8;       // up to here dense steps take no longer, and they decide on ranks
constexpr double good_step = 0.1;     // of the gap: what is left after a step by elimination that is taken
constexpr double longest_step = 0.5;  // of the characteristic length, in one freedom
constexpr int most_halvings = 10;
constexpr double closed_within = 100;  // tolerances

}  // namespace

bool LoopDynamics::Implementation::takes_dense_steps(LoopMethod method) const {
  return method == LoopMethod::dense || (method != LoopMethod::elimination && n <= few_freedoms);
}

// Returns the largest of the terms that they are summed from, rows in rad times the length.
double LoopDynamics::Implementation::find_rates(std::span<const double> v) {
  std::fill(rates.begin(), rates.end(), 0.0);
  double largest = 0;
  const auto along = [&](int body, const Force<double>& g_W, const Vec3d& p_W) {
    const int link = body == ground ? ground : mech.bodies[static_cast<std::size_t>(body)].link;
    if (link == ground) return 0.0;
    const LinkView<double> view = link_view(mech, ws, link);
    return dot(view.V.w, g_W.n) + dot(view.V.v + cross(view.V.w, p_W - view.p_WO), g_W.f);
  };
  for (const RowPiece& piece : pieces) {
    double& rate = rates[static_cast<std::size_t>(piece.row)];
    const double second =
        piece.v >= 0 ? piece.factor * v[static_cast<std::size_t>(piece.v)] : along(piece.second, piece.g_W, piece.p_W);
    const double first = piece.v >= 0 ? 0 : along(piece.first, piece.g_W, piece.p_W);
    rate += second - first;
    largest = std::max(largest, (std::abs(second) + std::abs(first)) * I.row_scale(piece.row));
  }
  return largest;
}

// `right` is d; what is found is in `step`. The motion in the workspace is at q, with the pieces of its rows.
LoopVerdict LoopDynamics::Implementation::step_by_elimination(std::span<const double> q, std::span<const char> held) {
  find_closing(false, false);
  const LoopElimination::Outcome outcome =
      eliminate(q, held, {}, zero, false, step, step_forces, LoopElimination::Wanted::step);
  LoopVerdict verdict;
  verdict.method = LoopMethod::elimination;
  if (!outcome.regular) {
    verdict.status = LoopStatus::no_inertia;
    verdict.joint = outcome.singular_joint;
    return verdict;
  }
  verdict.status = outcome.converged ? LoopStatus::ok : LoopStatus::not_converged;
  verdict.residual = outcome.residual;
  verdict.row = outcome.worst_row;
  verdict.iterations = outcome.iterations;
  return verdict;
}

// Of velocities v, or, where there are none, for d = −Φ.
LoopVerdict LoopDynamics::Implementation::step_densely(std::span<const double> q, std::span<const double> v,
                                                       std::span<const char> held) {
  const DenseLoops dense = dense_at(q, v.empty() ? std::span<const double>(zero) : v, {}, held);
  VectorXd d = VectorXd::Zero(dense.row_count());
  for (std::size_t r = 0; r < active.size(); ++r) {
    d(static_cast<Eigen::Index>(r)) =
        v.empty() ? -I.phi(active[r]) : -I.J.row(active[r]).dot(Eigen::Map<const VectorXd>(v.data(), n));
  }
  const DenseLoops::Solution found = dense.solve(VectorXd::Zero(n), d);
  LoopVerdict verdict = verdict_of(dense, found);
  if (verdict.status == LoopStatus::inconsistent) verdict.status = LoopStatus::ok;  // the best there is
  if (verdict.ok()) std::copy(found.x.begin(), found.x.end(), step.begin());
  return verdict;
}

// Steps with the same factors until nothing is left of the rates but round-off: what v and a step have in common cancels, and
// leaves that of both.
LoopVerdict LoopDynamics::Implementation::project_by_elimination(std::span<const double> q, std::span<double> v,
                                                                 std::span<const char> held) {
  LoopVerdict verdict;
  verdict.method = LoopMethod::elimination;
  const std::vector<double> given(v.begin(), v.end());
  double first = 0, before = infinity, size = 0,
         terms = 0;  // terms: of what was given too, of which little may be left
  for (int turn = 0;; ++turn) {
    compute_accelerations(mech, ws, q, v, zero);
    I.rows.pieces(mech, ws, pieces);
    terms = std::max(terms, find_rates(v));
    size = 0;
    for (std::size_t r = 0; r < right.size(); ++r) {
      right[r] = -rates[r];
      if (row_active[r] != 0) size = std::max(size, std::abs(rates[r]) * I.row_scale(static_cast<Eigen::Index>(r)));
    }
    if (turn == 0) first = size;
    verdict.residual = size;
    if (size <= round_off * terms || size > good_step * before) break;
    if (turn == 0) {
      const LoopVerdict found = step_by_elimination(q, held);
      if (!found.ok()) return found;
    } else if (!elimination->solve(zero, false, right, step, step_forces, LoopElimination::Wanted::step).converged) {
      break;
    }
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += step[k];
    before = size;
    ++verdict.iterations;
  }
  if (size > allowed * first) {
    std::copy(given.begin(), given.end(), v.begin());
    verdict.status = LoopStatus::not_converged;
  }
  return verdict;
}

LoopVerdict LoopDynamics::project_velocity(std::span<const double> q, std::span<double> v, std::span<const char> held,
                                           LoopMethod method) {
  Implementation& impl = *implementation_;
  if (!impl.takes_dense_steps(method)) {
    const LoopVerdict verdict = impl.project_by_elimination(q, v, held);
    if (verdict.ok() || method == LoopMethod::elimination) return verdict;
  }
  const LoopVerdict verdict = impl.step_densely(q, v, held);
  for (std::size_t k = 0; k < v.size() && verdict.ok(); ++k) v[k] += impl.step[k];
  return verdict;
}

namespace {

// Whether a position becomes closed: largest |Φ| of rows that are active, over the characteristic length.
double gap_of(const LoopSolver::Implementation& I, std::span<const char> row_active, ProjectionVerdict& verdict) {
  double largest = 0;
  verdict.gap_m = verdict.gap_rad = 0;
  for (int r = 0; r < I.m; ++r) {
    if (row_active[static_cast<std::size_t>(r)] == 0) continue;
    const bool turns = I.rows.rows()[static_cast<std::size_t>(r)].dimension == dimension::angle;
    double& worst = turns ? verdict.gap_rad : verdict.gap_m;
    worst = std::max(worst, std::abs(I.phi(r)));
    if (std::abs(I.phi(r)) * I.row_scale(r) > largest) {
      largest = std::abs(I.phi(r)) * I.row_scale(r), verdict.worst_row = r;
    }
  }
  return largest / I.length;
}

}  // namespace

ProjectionVerdict LoopDynamics::project_position(std::span<double> q, double tolerance, int max_iterations,
                                                 std::span<const char> held, LoopMethod method) {
  Implementation& impl = *implementation_;
  LoopSolver::Implementation& I = impl.I;
  ProjectionVerdict verdict;
  I.evaluate(q, {}, false);
  double size = gap_of(I, impl.row_active, verdict);
  std::vector<double>& trial = impl.trial;
  const VectorXd& scale = I.column_scale;
  // Along `step` from q, into trial. It is short by mass, not by angle: a light body may turn so far that rows bend; then half is tried.
  const auto follow = [&] {
    double longest = 0;
    for (int k = 0; k < impl.n; ++k)
      longest = std::max(longest, std::abs(impl.step[static_cast<std::size_t>(k)]) / scale(k));
    double share = longest > longest_step * I.length ? longest_step * I.length / longest : 1;
    double next = infinity;
    for (int halvings = 0; halvings < most_halvings && !(next < size); ++halvings, share = 0.5) {
      for (double& x : impl.step) x *= share;
      step_coordinates(impl.mech, q, impl.step, trial);
      I.evaluate(trial, {}, false);
      next = gap_of(I, impl.row_active, verdict);
    }
    return next;
  };
  // The gap that is left.
  const auto step_and_follow = [&](bool densely) {
    if (densely) {
      verdict.status = impl.step_densely(q, {}, held).status;
    } else {
      compute_accelerations(impl.mech, impl.ws, q, impl.zero, impl.zero);
      I.rows.evaluate(impl.mech, impl.ws, q, {}, I.phi.data(), nullptr);
      I.rows.pieces(impl.mech, impl.ws, impl.pieces);
      for (int r = 0; r < impl.m; ++r) impl.right[static_cast<std::size_t>(r)] = -I.phi(r);
      verdict.status = impl.step_by_elimination(q, held).status;
    }
    return verdict.status == LoopStatus::ok ? follow() : infinity;
  };
  bool densely = impl.takes_dense_steps(method);
  while (size > tolerance && verdict.iterations < max_iterations) {
    ++verdict.iterations;
    double next = step_and_follow(densely);
    const bool is_closed = size <= closed_within * tolerance;  // what is left of the gap is round-off
    if (!densely && !(next < good_step * size) && !is_closed && method != LoopMethod::elimination) {
      densely = true;
      next = step_and_follow(densely);
    }
    if (!(next < size)) {  // round-off, or no position nearby
      if (is_closed) verdict.status = LoopStatus::ok;
      I.evaluate(q, {}, false);
      size = gap_of(I, impl.row_active, verdict);
      break;
    }
    std::copy(trial.begin(), trial.end(), q.begin());
    size = next;
  }
  verdict.closed = verdict.status == LoopStatus::ok && size <= closed_within * tolerance;
  if (!verdict.closed && verdict.status == LoopStatus::ok) verdict.status = LoopStatus::inconsistent;
  if (verdict.closed) I.rows.keep_turns(impl.mech, impl.ws, q);
  return verdict;
}

}  // namespace trammel

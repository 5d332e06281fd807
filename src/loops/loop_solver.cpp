// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Assembly, velocities, accelerations of mechanisms with loops.
//
// Near a closed position Newton's method runs on as many independent rows as there are freedoms; the others follow from them, and are
// checked in the end. From afar it is Levenberg–Marquardt on all rows,
//   (JᵀJ + μ 1) δ = −Jᵀ Φ,    J, Φ, δ scaled,    μ falling as steps succeed       [Nielsen 1999; Nocedal & Wright, ch. 10]
// solved by QR of [J; √μ 1], which needs no rank decision: redundant rows and free motions do no harm.

#include "loops/loop_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/dense.hpp"
#include "loops/tree_series.hpp"

namespace trammel {
namespace {

constexpr double turn_limit = 0.5;  // rad: the longest step of one iteration, so that it stays on its branch

// The size of a mechanism: the mean distance of joints and constraints from their centre, at the design position.
double size_of(const Mechanism& mech, Workspace& ws) {
  compute_positions(mech, ws, design_state(mech).q);
  std::vector<Vec3d> places;
  const auto add = [&](int body, const Transformd& X) {
    places.push_back(body == ground ? X.p : pose_WB(mech, ws, body) * X.p);
  };
  for (const JointInfo& joint : mech.joints) add(joint.first, joint.X_AF), add(joint.second, joint.X_BM);
  for (const ConstraintInfo& c : mech.constraints) add(c.first, c.X_AP), add(c.second, c.X_BQ);
  Vec3d centre;
  for (const Vec3d& p : places) centre += p * (1.0 / static_cast<double>(places.size()));
  double sum = 0;
  for (const Vec3d& p : places) sum += norm(p - centre);
  return sum > 0 ? sum / static_cast<double>(places.size()) : 1;
}

}  // namespace

LoopSolver::Implementation::Implementation(const Mechanism& the_mechanism, std::vector<Driver> the_drivers)
    : mech(the_mechanism), drivers(std::move(the_drivers)), ws(mech), rows(mech, drivers) {
  n = mech.nv;
  m = static_cast<int>(rows.rows().size());
  length = size_of(mech, ws);
  row_scale.resize(m);
  for (int r = 0; r < m; ++r) row_scale(r) = rows.rows()[r].dimension == dimension::angle ? length : 1;
  column_scale.resize(n);
  for (const Link& link : mech.links) {
    const std::vector<Freedom> list = freedoms(link.type);
    for (int i = 0; i < link.nv; ++i) column_scale(link.v + i) = list[i].dimension == dimension::angle ? 1 / length : 1;
  }
  phi.resize(m), rhs.resize(m), step.resize(n), trial_phi.resize(m);
  q_trial.resize(static_cast<std::size_t>(mech.nq));
  zero_a.assign(static_cast<std::size_t>(n), 0.0);
  v_scratch.assign(static_cast<std::size_t>(n), 0.0);
}

void LoopSolver::Implementation::evaluate(std::span<const double> q, std::span<const Target> targets,
                                          bool with_jacobian) {
  compute_positions(mech, ws, q);
  if (with_jacobian) J.resize(m, n);  // many mechanisms are too large for it and do without
  rows.evaluate(mech, ws, q, targets, phi.data(), with_jacobian ? J.data() : nullptr);
  if (!with_jacobian) return;
  q_of_J.assign(q.begin(), q.end());
  factored = false;
}

void LoopSolver::Implementation::prepare(std::span<const double> q) {
  if (!std::equal(q.begin(), q.end(), q_of_J.begin(), q_of_J.end())) evaluate(q, {}, true);
}

void LoopSolver::Implementation::gaps(AssemblyReport& report) const {
  double worst = -1;
  report.gap_m = report.gap_rad = 0;
  double m_here = 0, rad_here = 0;  // of one joint or constraint: its rows are components of a vector
  for (int r = 0; r < m; ++r) {
    const ConstraintRow &row = rows.rows()[r], &before = rows.rows()[std::max(0, r - 1)];
    if (row.source != before.source || row.index != before.index) m_here = rad_here = 0;
    if (row.dimension == dimension::angle) {
      report.gap_rad = std::max(report.gap_rad, rad_here = std::hypot(rad_here, phi(r)));
    } else {
      report.gap_m = std::max(report.gap_m, m_here = std::hypot(m_here, phi(r)));
    }
    const double scaled = std::abs(phi(r)) * row_scale(r);
    if (!(scaled <= worst)) worst = scaled, report.worst_row = r;
  }
}

double LoopSolver::Implementation::scaled_norm(const Eigen::VectorXd& residual) const {
  double sum = 0;
  for (int r = 0; r < m; ++r) sum += (row_scale(r) * residual(r)) * (row_scale(r) * residual(r));
  return std::sqrt(sum);
}

bool LoopSolver::Implementation::is_closed(double tolerance) const {
  for (int r = 0; r < m; ++r) {
    if (!(std::abs(phi(r)) * row_scale(r) <= tolerance * length)) return false;
  }
  return true;
}

int LoopSolver::Implementation::choose_rows() {
  if (m == 0 || n == 0) return 0;
  // Drivers first, so that they are among the chosen whenever they can be: QR of Jᵀ with them leading.
  const int driven = rows.driver_rows();
  const Eigen::MatrixXd S = scaled_jacobian();
  Eigen::MatrixXd transposed(n, m);
  std::vector<int> order;
  for (int r = m - driven; r < m; ++r) order.push_back(r);
  for (int r = 0; r < m - driven; ++r) order.push_back(r);
  for (int k = 0; k < m; ++k) transposed.col(k) = S.row(order[k]).transpose();
  const dense::PivotedColumns columns = dense::pivot_columns(transposed, rank_tolerance);
  const int rank = columns.largest_pivot > rank_tolerance ? columns.rank : 0;
  if (rank < best_rank && square) return rank;  // a special position: keep the rows of a better one
  best_rank = std::max(best_rank, rank);
  square = rank == n;
  chosen.clear();
  factored = false;
  for (int k = 0; k < rank; ++k) chosen.push_back(order[columns.order[k]]);
  std::sort(chosen.begin(), chosen.end());
  if (square) {
    chosen_J.resize(n, n);
    chosen_rhs.resize(n);
    chosen_step.resize(n);
    lu = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  }
  return rank;
}

bool LoopSolver::Implementation::factor_chosen() {
  if (factored) return factor_is_good;
  for (int k = 0; k < n; ++k) {
    for (int c = 0; c < n; ++c) chosen_J(k, c) = row_scale(chosen[k]) * J(chosen[k], c) * column_scale(c);
  }
  lu.compute(chosen_J);
  // Over the size of its column: where a slide is far out, all that turns has long arms.
  least_pivot = 1;
  for (int k = 0; k < n; ++k) {
    const double size = chosen_J.col(k).cwiseAbs().maxCoeff();
    least_pivot = std::min(least_pivot, size > 0 ? std::abs(lu.matrixLU()(k, k)) / size : 0);
  }
  factored = true;
  factor_is_good = least_pivot > rank_tolerance;
  return factor_is_good;
}

double LoopSolver::Implementation::determinant() {
  if (!square) return 0;
  factor_chosen();
  return lu.determinant();
}

bool LoopSolver::Implementation::solve(const Eigen::VectorXd& right, Eigen::VectorXd& x) {
  if (square && factor_chosen()) {
    for (int k = 0; k < n; ++k) chosen_rhs(k) = row_scale(chosen[k]) * right(chosen[k]);
    chosen_step = lu.solve(chosen_rhs);
    for (int c = 0; c < n; ++c) x(c) = chosen_step(c) * column_scale(c);
    return true;
  }
  if (m == 0 || n == 0) {
    x.setZero();
    return true;
  }
  const dense::LeastNorm found = dense::least_norm(scaled_jacobian(), row_scale.cwiseProduct(right), rank_tolerance);
  const int rank = found.largest_pivot > rank_tolerance ? found.rank : 0;
  x.setZero();
  if (rank > 0) x = column_scale.cwiseProduct(found.x);
  best_rank = std::max(best_rank, rank);
  return rank == best_rank;
}

// What rows and drivers leave free turns idle links about themselves, such as a rod between two balls. Of all solutions x that one
// is taken in which those do not spin, which depends on no choice of coordinates. With ω_l(n) the turn of link l in the free
// motion n, and α instead of ω(x) for accelerations:
//   Σ_l ω_l(n) · ω_l(x) = 0    for all n
// The motions that all rows leave free, N, and the turns of all links in each of them, W: a link that spins idly does not turn along W.
//   Wᵀ ω = 0,   Wᵀ α = 0,   Wᵀ (ω̈ − ω × α) = 0                                                                     (2)
// The second and third are the derivatives of the first: W, an axis fixed in its link, turns with ω, and ω·(ω × W) = 0.
template <class Turns>
void LoopSolver::Implementation::stop_turning(std::span<const double> q, const Turns& turns_of_x, std::span<double> x) {
  const Eigen::MatrixXd N = free_motions();
  if (N.cols() == 0) return;
  const Eigen::MatrixXd W = turns_in(q, N, [&](int l) { return velocity_W(mech, ws, mech.links[l].body).w; });
  // Free motions in which nothing turns have turns of round-off, whatever their scale: these are not told from none by their ratio alone.
  constexpr double turns_at_all = 1e-11;
  const dense::LeastNorm spin = dense::least_norm(W, turns_of_x(), turns_at_all);
  if (spin.largest_pivot <= turns_at_all) return;
  Eigen::Map<Eigen::VectorXd>(x.data(), n) -= column_scale.cwiseProduct(N * spin.x);
}

Eigen::MatrixXd LoopSolver::Implementation::free_motions() const {
  if (m == 0 || n == 0) return Eigen::MatrixXd::Identity(n, n);
  const dense::Svd svd = dense::svd(scaled_jacobian());
  const Eigen::VectorXd& s = svd.s;
  int rank = 0;
  for (Eigen::Index k = 0; k < s.size(); ++k) rank += s(k) > rank_tolerance * std::max(s(0), 1.0) ? 1 : 0;
  return svd.V.rightCols(n - rank);
}

template <class Of>
Eigen::MatrixXd LoopSolver::Implementation::turns_in(std::span<const double> q, const Eigen::MatrixXd& N,
                                                     const Of& of) {
  Eigen::MatrixXd W(3 * mech.link_count(), N.cols());
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    const Eigen::VectorXd motion = column_scale.cwiseProduct(N.col(k));
    compute_velocities(mech, ws, q, std::span<const double>(motion.data(), static_cast<std::size_t>(n)));
    W.col(k) = turns(of);
  }
  return W;
}

template <class Of>
Eigen::VectorXd LoopSolver::Implementation::turns(const Of& of) const {
  Eigen::VectorXd w(3 * mech.link_count());
  for (int l = 0; l < mech.link_count(); ++l) {
    const Vec3d turn = of(l);
    w.segment<3>(3 * l) << turn.x, turn.y, turn.z;
  }
  return w;
}

void LoopSolver::Implementation::stop_spins(std::span<const double> q, std::span<double> v) {
  const auto of_v = [&] {
    compute_velocities(mech, ws, q, v);
    return turns([&](int l) { return velocity_W(mech, ws, mech.links[l].body).w; });
  };
  stop_turning(q, of_v, v);
}
void LoopSolver::Implementation::stop_spins(std::span<const double> q, std::span<const double> v, std::span<double> a) {
  const auto of_a = [&] {
    compute_accelerations(mech, ws, q, v, a);
    return turns([&](int l) { return acceleration_W(mech, ws, mech.links[l].body).w; });
  };
  stop_turning(q, of_a, a);
}
void LoopSolver::Implementation::stop_spins(std::span<const double> q, std::span<const double> v,
                                            std::span<const double> a, std::span<double> j) {
  const auto of_j = [&] {
    const std::vector<Transform<Series<3>>> X_WL = link_series(mech, ws, q, v, a, j);
    return turns([&](int l) {
      const Mat3<Series<3>>& R = X_WL[static_cast<std::size_t>(l)].R;
      const Mat3<Series<3>> S = Mat3<Series<3>>{rate(R.ex), rate(R.ey), rate(R.ez)} * transpose(R);  // skew(ω)
      const auto derivative = [&](int k) {
        return Vec3d{S.ey.z.derivative(k), S.ez.x.derivative(k), S.ex.y.derivative(k)};
      };
      return derivative(2) - cross(derivative(0), derivative(1));
    });
  };
  stop_turning(q, of_j, j);
}

LoopSolver::LoopSolver(const Mechanism& mechanism, std::vector<Driver> drivers)
    : implementation_(std::make_unique<Implementation>(mechanism, std::move(drivers))) {}
LoopSolver::~LoopSolver() = default;
LoopSolver::LoopSolver(LoopSolver&&) noexcept = default;
LoopSolver& LoopSolver::operator=(LoopSolver&&) noexcept = default;

const Mechanism& LoopSolver::mechanism() const { return implementation_->mech; }
const std::vector<Driver>& LoopSolver::drivers() const { return implementation_->drivers; }
const std::vector<ConstraintRow>& LoopSolver::rows() const { return implementation_->rows.rows(); }
double LoopSolver::characteristic_length() const { return implementation_->length; }
Workspace& LoopSolver::workspace() { return implementation_->ws; }

std::string LoopSolver::name_of(const ConstraintRow& row) const {
  const Mechanism& mech = implementation_->mech;
  switch (row.source) {
    case ConstraintRow::Source::joint:
      return fmt::format("joint '{}'", mech.joints[row.index].name);
    case ConstraintRow::Source::coupling:
      return fmt::format("coupling '{}'", mech.couplings[row.index].name);
    case ConstraintRow::Source::constraint:
      return fmt::format("constraint '{}'", mech.constraints[row.index].name);
    case ConstraintRow::Source::driver: {
      const Driver& driver = implementation_->drivers[row.index];
      return driver.joint >= 0 ? fmt::format("input '{}'", mech.joints[driver.joint].name)
                               : fmt::format("input on body '{}'", mech.bodies[driver.body].name);
    }
  }
  return "";
}

void LoopSolver::residuals(std::span<const double> q, std::span<const Target> targets, std::span<double> phi) {
  Implementation& I = *implementation_;
  I.evaluate(q, targets, false);
  std::copy(I.phi.begin(), I.phi.end(), phi.begin());
}

void LoopSolver::jacobian(std::span<const double> q, std::span<double> Phi_q) {
  Implementation& I = *implementation_;
  I.evaluate(q, {}, true);
  std::copy(I.J.data(), I.J.data() + I.J.size(), Phi_q.begin());
}

bool LoopSolver::follow(std::span<double> q, std::span<const Target> targets) {
  Implementation& I = *implementation_;
  std::copy(q.begin(), q.end(), I.q_trial.begin());
  double last = infinity;
  for (int iteration = 0; iteration < 12; ++iteration) {
    I.evaluate(I.q_trial, targets, true);
    double size = 0;  // of the chosen rows, scaled
    for (const int r : I.chosen) size = std::max(size, std::abs(I.phi(r)) * I.row_scale(r));
    double largest = 1;  // a coordinate has a round-off of its own size: a crank that has turned many times
    for (const double x : I.q_trial) largest = std::max(largest, std::abs(x));
    const bool round_off = size <= 1e-15 * I.length || (size <= 1e-13 * I.length * largest && size >= 0.5 * last);
    if (round_off) {
      if (!I.is_closed(1e-10)) return false;  // a row that was left out does not follow from the others
      std::copy(I.q_trial.begin(), I.q_trial.end(), q.begin());
      I.rows.keep_turns(I.mech, I.ws, q);
      return true;
    }
    if (!(size < 4 * last)) return false;
    I.rhs = -I.phi;
    if (!I.solve(I.rhs, I.step)) return false;  // where idle freedoms are left: the shortest step
    if (!(I.step.cwiseQuotient(I.column_scale).cwiseAbs().maxCoeff() <= turn_limit * I.length)) return false;
    step_coordinates(I.mech, I.q_trial, {I.step.data(), static_cast<std::size_t>(I.n)}, I.q_trial);
    last = size;
  }
  return false;
}

AssemblyReport LoopSolver::assemble(std::span<double> q, std::span<const Target> targets,
                                    const AssemblyOptions& options) {
  Implementation& I = *implementation_;
  AssemblyReport report;
  if (I.m == 0) return report;  // nothing to close
  double mu = -1, nu = 2;
  Eigen::MatrixXd augmented(I.m + I.n, I.n);
  Eigen::VectorXd right(I.m + I.n);
  I.evaluate(q, targets, true);
  double size = I.scaled_norm(I.phi);
  const double tolerance = std::min(options.tolerance_m, options.tolerance_rad);
  for (; report.iterations < options.max_iterations; ++report.iterations) {
    if (I.n == 0 || !(size > 1e-15 * I.length) || !std::isfinite(size)) break;
    const Eigen::MatrixXd S = I.scaled_jacobian();
    const Eigen::VectorXd scaled_phi = I.row_scale.cwiseProduct(I.phi);
    if (mu < 0) mu = 1e-3 * S.colwise().squaredNorm().maxCoeff() * std::min(1.0, size / I.length);
    const double floor = 1e-3 * std::min(1.0, size * size / (I.length * I.length)) + 1e-300;
    augmented.topRows(I.m) = S;
    augmented.bottomRows(I.n) = std::sqrt(std::max(mu, floor)) * Eigen::MatrixXd::Identity(I.n, I.n);
    right.head(I.m) = -scaled_phi;
    right.tail(I.n).setZero();
    Eigen::VectorXd d = dense::least_squares(augmented, right);
    const double longest = d.size() == 0 ? 0 : d.cwiseAbs().maxCoeff();
    if (longest > turn_limit * I.length) d *= turn_limit * I.length / longest;
    I.step = I.column_scale.cwiseProduct(d);
    step_coordinates(I.mech, q, {I.step.data(), static_cast<std::size_t>(I.n)}, I.q_trial);
    I.evaluate(I.q_trial, targets, true);
    const double trial = I.scaled_norm(I.phi);
    if (trial < size) {
      const bool done = I.is_closed(tolerance) && trial > 0.5 * size;  // no further than round-off
      const double predicted = size * size - (S * d + scaled_phi).squaredNorm();
      const double gain = (size * size - trial * trial) / std::max(predicted, 1e-300);
      const bool stalled = size - trial < 1e-9 * size && trial > 1e-10 * I.length;
      std::copy(I.q_trial.begin(), I.q_trial.end(), q.begin());
      size = trial;
      const double g = 2 * gain - 1;
      mu *= std::max(1.0 / 9, 1 - g * g * g);
      nu = 2;
      if (done || stalled) break;
    } else {
      I.evaluate(q, targets, true);
      if (I.is_closed(tolerance) || longest < 1e-14 * I.length) break;
      mu *= nu;
      nu *= 2;
      if (mu > 1e30) break;
    }
  }
  I.evaluate(q, targets, true);
  I.gaps(report);
  if (!(report.gap_m <= 100 * options.tolerance_m * I.length) || !(report.gap_rad <= 100 * options.tolerance_rad)) {
    report.status = AssemblyStatus::cannot_close;
    return report;
  }
  I.rows.keep_turns(I.mech, I.ws, q);
  const int before = I.best_rank;
  const int rank = I.choose_rows();
  if (rank < before) report.status = AssemblyStatus::singular;
  return report;
}

bool LoopSolver::velocities(std::span<const double> q, std::span<const Target> targets, std::span<double> v) {
  Implementation& I = *implementation_;
  I.prepare(q);
  I.rhs.setZero();
  const int driven = I.rows.driver_rows();
  for (int d = 0; d < driven && d < static_cast<int>(targets.size()); ++d) I.rhs(I.m - driven + d) = targets[d].rate;
  const bool ok = I.solve(I.rhs, I.step);
  std::copy(I.step.begin(), I.step.end(), v.begin());
  if (ok && !I.square) I.stop_spins(q, v);
  return ok;
}

bool LoopSolver::accelerations(std::span<const double> q, std::span<const double> v, std::span<const Target> targets,
                               std::span<double> a) {
  Implementation& I = *implementation_;
  I.prepare(q);
  compute_accelerations(I.mech, I.ws, q, v, I.zero_a);
  I.rows.second_rates(I.mech, I.ws, v, targets, I.rhs.data());
  I.rhs = -I.rhs;
  const bool ok = I.solve(I.rhs, I.step);
  std::copy(I.step.begin(), I.step.end(), a.begin());
  if (ok && !I.square) I.stop_spins(q, v, a);
  return ok;
}

bool LoopSolver::jerks(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                       std::span<const Target> targets, std::span<double> j) {
  Implementation& I = *implementation_;
  I.prepare(q);
  if (!I.rows.third_rates(I.mech, I.ws, q, v, a, targets, I.rhs.data())) return false;
  I.rhs = -I.rhs;
  const bool ok = I.solve(I.rhs, I.step);
  std::copy(I.step.begin(), I.step.end(), j.begin());
  if (ok && !I.square && !I.mech.has_custom_joint) I.stop_spins(q, v, a, j);
  return ok;
}

void LoopSolver::reset_turns() { implementation_->rows.reset_turns(); }

double LoopSolver::conditioning(std::span<const double> q) {
  Implementation& I = *implementation_;
  I.evaluate(q, {}, true);
  if (I.m == 0 || I.n == 0) return 1;
  const Eigen::VectorXd s = dense::singular_values(I.scaled_jacobian());
  const int rank = std::max(1, std::min<int>(std::max(I.best_rank, 1), static_cast<int>(s.size())));
  return s(0) > 0 ? s(rank - 1) / s(0) : 0;
}

// With N, the motions that all rows leave free, as further rows, the matrix is square. The sign of its determinant depends on the
// directions of N; these are compared by the turns of the idle links, whose axes are fixed in them.
//   sign det [S; Nᵀ] · sign det(W₀ᵀ W),    W: ω of all links in the motions N, in the links' own axes
int LoopSolver::Implementation::orientation_beside_spins(std::span<const double> q) {
  if (m == 0 || n == 0) return 0;
  const Eigen::MatrixXd S = scaled_jacobian(), N = free_motions();
  const Eigen::MatrixXd W = turns_in(q, N, [&](int l) {
    const int body = mech.links[l].body;
    return transpose(pose_WB(mech, ws, body).R) * velocity_W(mech, ws, body).w;
  });
  const int rank = n - static_cast<int>(N.cols());
  if (oriented_spins.size() == 0) {
    choose_rows();
    oriented_rows = chosen;
    oriented_spins = W;
  }
  if (N.cols() == 0 || N.cols() != oriented_spins.cols() || static_cast<int>(oriented_rows.size()) != rank) return 0;
  Eigen::MatrixXd square_rows(n, n);
  for (int k = 0; k < rank; ++k) square_rows.row(k) = S.row(oriented_rows[static_cast<std::size_t>(k)]);
  square_rows.bottomRows(n - rank) = N.transpose();
  const Eigen::PartialPivLU<Eigen::MatrixXd> of_rows(square_rows), of_spins(oriented_spins.transpose() * W);
  for (int k = 0; k < n; ++k) {
    if (std::abs(of_rows.matrixLU()(k, k)) < 1e-6 * square_rows.col(k).cwiseAbs().maxCoeff()) return 0;
  }
  const double sign = of_rows.determinant() * of_spins.determinant();
  return sign > 0 ? 1 : sign < 0 ? -1 : 0;
}

int LoopSolver::orientation(std::span<const double> q) {
  Implementation& I = *implementation_;
  I.prepare(q);
  if (!I.square) return I.orientation_beside_spins(q);
  if (!I.factor_chosen()) return 0;
  // A position closed on a singular one is so to half the digits: the sign there means nothing.
  if (I.least_pivot < 1e-6) return 0;
  return I.lu.determinant() > 0 ? 1 : -1;
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Every question becomes M x = f + Jᵀ λ, J x = d, with J the rows of Φ_q that are active. Closing joints add to M and f what acts
// along their freedoms k, whose rates are v̇_k = G_k a + c_k (closing_freedoms.hpp; D rotor, τ_f friction):
//   M += Σ G_kᵀ D_k G_k,     f += Σ G_kᵀ (τ_f,k − D_k c_k)                                                          (1)

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/finite.hpp"
#include "loop_dynamics/implementation.hpp"

namespace trammel {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Links of a chain that loops tie to each other: the star's method takes O(n³) for them, elimination O(n).
constexpr std::size_t largest_block = 12;
// Of how a body would move without constraints.
constexpr double held_fast = 1e-12;

Eigen::Map<const VectorXd> vector(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

template <class... Found>
LoopVerdict judged(LoopVerdict verdict, Found... found) {
  if (verdict.ok() && !(all_finite<double>(found) && ...)) verdict.status = LoopStatus::not_finite;
  return verdict;
}

}  // namespace

LoopDynamics::Implementation::Implementation(const Mechanism& mechanism)
    : mech(mechanism), solver(mechanism), I(solver.implementation()), ws(I.ws), n(mechanism.nv), m(I.m) {
  joint_active.assign(mech.joints.size(), 1);
  coupling_active.assign(mech.couplings.size(), 1);
  constraint_active.assign(mech.constraints.size(), 1);
  row_active.assign(static_cast<std::size_t>(m), 1);
  for (std::size_t j = 0; j < mech.joints.size(); ++j) joint_active[j] = mech.joints[j].starts_open ? 0 : 1;
  for (std::size_t r = 0; r < row_active.size(); ++r) {
    const ConstraintRow& row = I.rows.rows()[r];
    if (row.source == ConstraintRow::Source::joint) row_active[r] = joint_active[static_cast<std::size_t>(row.index)];
  }
  last_row_active = row_active;
  last_joint_active = joint_active;
  lambda.assign(static_cast<std::size_t>(m), 0.0);
  gamma.assign(static_cast<std::size_t>(m), 0.0);
  zero.assign(static_cast<std::size_t>(n), 0.0);
  last_q = design_state(mech).q;
  last_v = last_a = last_tau = zero;
  J6.resize(static_cast<std::size_t>(6 * n));
  tau_with_friction = zero;
  right = rates = step_forces = gamma;
  step = zero;
  trial.resize(static_cast<std::size_t>(mech.nq));
  // Once, for the topology and for the memory that lists keep.
  compute_accelerations(mech, ws, last_q, zero, zero);
  I.rows.pieces(mech, ws, pieces);
  closing_freedoms(mech, ws, true, true, closing);
  closing_freedoms(mech, ws, false, true, closing);
  elimination.emplace(mech, pieces, m, closing);
  find_star_of_mechanism();
}

void LoopDynamics::Implementation::find_star_of_mechanism() {
  if (!closing.empty()) {
    no_star = "joint '" + mech.joints[static_cast<std::size_t>(closing.front().joint)].name +
              "' closes a loop and has friction or a rotor";
    return;
  }
  const Star found = find_star(mech);
  no_star = found.why_not;
  if (!found.found()) return;
  star.emplace(mech, found);
  for (const StarChain& chain : found.chains) {
    for (const StarBlock& block : chain.blocks) star_pays = star_pays && block.links.size() <= largest_block;
  }
}

bool LoopDynamics::Implementation::all_active() const {
  return std::all_of(row_active.begin(), row_active.end(), [](char on) { return on != 0; });
}

std::vector<char>& LoopDynamics::Implementation::switches(ConstraintRow::Source source) {
  if (source == ConstraintRow::Source::coupling) return coupling_active;
  return source == ConstraintRow::Source::constraint ? constraint_active : joint_active;
}

std::vector<int> LoopDynamics::Implementation::active_rows() const {
  std::vector<int> list;
  for (int r = 0; r < m; ++r) {
    if (row_active[static_cast<std::size_t>(r)] != 0) list.push_back(r);
  }
  return list;
}

void LoopDynamics::Implementation::keep_state(std::span<const double> q, std::span<const double> v,
                                              std::span<const double> a, const Loads& loads) {
  std::copy(q.begin(), q.end(), last_q.begin());
  std::copy(v.begin(), v.end(), last_v.begin());
  std::copy(a.begin(), a.end(), last_a.begin());
  last_loads = loads;
  if (!same_active) {
    last_row_active = row_active;
    last_joint_active = joint_active;
    same_active = true;
  }
  lambda_known = true;
  settled = false;
  closing_drive.clear();
}

void LoopDynamics::Implementation::find_multipliers(DenseLoops& dense) {
  VectorXd needed = VectorXd::Zero(n);
  if (!lambda_known) {
    inverse_dynamics(mech, ws, last_q, last_v, last_a, {needed.data(), static_cast<std::size_t>(n)}, last_loads);
    needed -= vector(last_tau);
  } else {
    for (const int r : active) needed += I.J.row(r).transpose() * lambda[static_cast<std::size_t>(r)];
  }
  const VectorXd inertial = dense.mass() * vector(last_a);
  const double terms =
      I.column_scale.cwiseProduct(inertial).norm() + I.column_scale.cwiseProduct(vector(last_tau)).norm();
  dense.explain(needed, 1e-11 * terms);
  if (!lambda_known) keep_multipliers(dense.multipliers(needed));
  lambda_known = true;
}

VectorXd LoopDynamics::Implementation::gradient(int first, int second, const Force<double>& g, const Vec3d& p_W) {
  VectorXd row = VectorXd::Zero(n);
  const auto add = [&](int body, double sign) {
    if (body == ground || mech.bodies[body].link == ground) return;
    jacobian_W(mech, ws, body, trammel::inverse(pose_WB(mech, ws, body)) * p_W, J6);
    const double in_W[6] = {g.n.x, g.n.y, g.n.z, g.f.x, g.f.y, g.f.z};
    for (int k = 0; k < 6; ++k) row += sign * in_W[k] * Eigen::Map<const VectorXd>(J6.data() + k * n, n);
  };
  add(second, 1);
  add(first, -1);
  return row;
}

MatrixXd LoopDynamics::Implementation::tree_mass(std::span<const double> q, const Loads& loads) {
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> M(n, n);
  mass_matrix(mech, ws, q, {M.data(), static_cast<std::size_t>(M.size())}, loads);
  return M;
}

void LoopDynamics::Implementation::find_closing(bool all, bool friction) {
  closing_freedoms(mech, ws, all, friction, closing);
  std::erase_if(closing, [&](const ClosingFreedom& f) { return joint_active[static_cast<std::size_t>(f.joint)] == 0; });
}

DenseLoops LoopDynamics::Implementation::dense_at(std::span<const double> q, std::span<const double> v,
                                                  const Loads& loads, std::span<const char> prescribed) {
  I.evaluate(q, {}, true);
  MatrixXd M = tree_mass(q, loads);
  compute_accelerations(mech, ws, q, v, zero);
  find_closing(false, loads.friction);
  for (const ClosingFreedom& f : closing) {  // (1)
    if (f.inertia == 0) continue;
    const VectorXd G = gradient(f.first, f.second, f.g_W, f.p_W);
    M += f.inertia * G * G.transpose();
  }
  active = active_rows();
  std::vector<int> held;
  for (int k = 0; k < static_cast<int>(prescribed.size()); ++k) {
    if (prescribed[static_cast<std::size_t>(k)] != 0) held.push_back(k);
  }
  const auto rows = static_cast<Eigen::Index>(active.size()), all = rows + static_cast<Eigen::Index>(held.size());
  MatrixXd J = MatrixXd::Zero(all, n);
  VectorXd R(all);
  for (Eigen::Index r = 0; r < rows; ++r) {
    J.row(r) = I.J.row(active[static_cast<std::size_t>(r)]);
    R(r) = I.row_scale(active[static_cast<std::size_t>(r)]);
  }
  for (Eigen::Index r = rows; r < all; ++r) {
    const int k = held[static_cast<std::size_t>(r - rows)];
    J(r, k) = 1;
    R(r) = 1 / I.column_scale(k);
  }
  return {J, R, I.column_scale, M};
}

void LoopDynamics::Implementation::keep_multipliers(const VectorXd& of_active) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t r = 0; r < active.size(); ++r) {
    lambda[static_cast<std::size_t>(active[r])] = of_active(static_cast<Eigen::Index>(r));
  }
}

LoopVerdict LoopDynamics::Implementation::verdict_of(const DenseLoops& dense, const DenseLoops::Solution& x) const {
  LoopVerdict verdict;
  if (x.missing.size() > 0) {
    Eigen::Index worst = 0;
    verdict.residual = x.missing.cwiseAbs().maxCoeff(&worst);
    if (worst < static_cast<Eigen::Index>(active.size())) verdict.row = active[static_cast<std::size_t>(worst)];
  }
  if (!dense.has_inertia()) {
    Eigen::Index largest = 0;
    dense.motion_without_inertia().cwiseAbs().maxCoeff(&largest);
    verdict.status = LoopStatus::no_inertia;
    verdict.joint = mech.links[mech.link_of_dof[static_cast<std::size_t>(largest)]].joint;
  } else if (!x.consistent) {
    verdict.status = LoopStatus::inconsistent;
  }
  return verdict;
}

// The joint whose prescribed acceleration is furthest from being had; −1: none is missed.
int LoopDynamics::Implementation::worst_prescribed(const DenseLoops::Solution& x,
                                                   std::span<const char> prescribed) const {
  auto row = static_cast<Eigen::Index>(active.size());
  double worst = consistency_tolerance * x.missing.cwiseAbs().maxCoeff();
  int joint = -1;
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    if (prescribed[k] == 0) continue;
    const double missed = std::abs(x.missing(row++));
    if (missed > worst) worst = missed, joint = mech.links[static_cast<std::size_t>(mech.link_of_dof[k])].joint;
  }
  return joint;
}

LoopVerdict LoopDynamics::Implementation::accelerate_dense(std::span<const double> q, std::span<const double> v,
                                                           std::span<const char> prescribed,
                                                           std::span<const double> tau, std::span<double> a,
                                                           VectorXd& of_prescribed, const Loads& loads,
                                                           std::optional<DenseLoops>* kept) {
  VectorXd f(n);
  bias_forces(mech, ws, q, v, {f.data(), static_cast<std::size_t>(n)}, loads);
  f = vector(tau) - f;
  const DenseLoops dense = dense_at(q, v, loads, prescribed);
  find_second_rates(q, v);
  for (const ClosingFreedom& c : closing) {
    const double force = c.friction - c.inertia * c.second_rate;
    if (force != 0) f += force * gradient(c.first, c.second, c.g_W, c.p_W);  // (1)
  }
  const auto rows = static_cast<Eigen::Index>(active.size());
  VectorXd d(rows + of_prescribed.size());
  for (Eigen::Index r = 0; r < rows; ++r) {
    d(r) = -gamma[static_cast<std::size_t>(active[static_cast<std::size_t>(r)])];
  }
  d.tail(of_prescribed.size()) = of_prescribed;
  const DenseLoops::Solution found = dense.solve(f, d, natural_acceleration(v));
  LoopVerdict verdict = verdict_of(dense, found);
  if (verdict.status == LoopStatus::inconsistent) verdict.joint = worst_prescribed(found, prescribed);
  if (verdict.status == LoopStatus::no_inertia) return verdict;
  std::copy(found.x.begin(), found.x.end(), a.begin());
  of_prescribed = found.lambda.tail(of_prescribed.size());
  keep_multipliers(found.lambda.head(rows));
  if (kept != nullptr) *kept = dense;
  return verdict;
}

LoopVerdict LoopDynamics::Implementation::accelerate_by_star(std::span<const double> q, std::span<const double> v,
                                                             std::span<const double> tau, std::span<double> a,
                                                             const Loads& loads) {
  LoopVerdict verdict;
  verdict.method = LoopMethod::star;
  if (!star || !all_active()) {
    verdict.status = LoopStatus::no_star;
    return verdict;
  }
  const StarReport report = star->forward_dynamics(q, v, tau, a, loads);
  verdict.residual = report.residual;
  if (report.singular_joint >= 0) {
    verdict.status = LoopStatus::weightless_chain;
    verdict.joint = report.singular_joint;
  } else if (!report.determined) {
    verdict.status = LoopStatus::no_inertia;
    verdict.joint = mech.links[static_cast<std::size_t>(star->star().reference)].joint;
  } else if (report.residual > 0 && report.residual > consistency_tolerance * natural_acceleration(v)) {
    verdict.status = LoopStatus::inconsistent;
  }
  return verdict;
}

// Second rates are velocities squared over lengths: where they should be zero they are round-off of that. Beside weight,
// or a rad/s² in a million seconds, what is smaller still is rest.
double LoopDynamics::Implementation::natural_acceleration(std::span<const double> v) const {
  double speed = 0;
  for (int k = 0; k < n; ++k) speed = std::max(speed, std::abs(v[static_cast<std::size_t>(k)]) / I.column_scale(k));
  return std::max({speed * speed / I.length, norm(ws.parameters().gravity), 1e-6 * I.length});
}

void LoopDynamics::Implementation::find_second_rates(std::span<const double> q, std::span<const double> v) {
  I.rows.second_rates(mech, ws, v, {}, gamma.data());
  if (stabilisation == 0) return;
  I.rows.pieces(mech, ws, pieces);
  find_rates(v);
  I.rows.evaluate(mech, ws, q, {}, I.phi.data(), nullptr);
  for (int r = 0; r < m; ++r) {
    gamma[static_cast<std::size_t>(r)] +=
        stabilisation * (2 * rates[static_cast<std::size_t>(r)] + stabilisation * I.phi(r));
  }
}

LoopElimination::Outcome LoopDynamics::Implementation::eliminate(std::span<const double> q, std::span<const char> held,
                                                                 const Loads& loads, std::span<const double> tau,
                                                                 bool with_bias, std::span<double> a,
                                                                 std::span<double> y, LoopElimination::Wanted wanted) {
  const std::span<const double> scale(I.row_scale.data(), static_cast<std::size_t>(m));
  LoopElimination::Outcome outcome;
  for (const double stiffness : {LoopElimination::stiff, LoopElimination::soft}) {
    const int before = outcome.iterations;
    outcome = elimination->factor({mech, ws, q, pieces, row_active, closing, scale, loads, held}, stiffness);
    if (!outcome.regular) continue;
    outcome = elimination->solve(tau, with_bias, right, a, y, wanted);
    outcome.iterations += before;
    if (outcome.converged) break;
  }
  return outcome;
}

LoopVerdict LoopDynamics::Implementation::accelerate_by_elimination(std::span<const double> q,
                                                                    std::span<const double> v,
                                                                    std::span<const char> prescribed,
                                                                    std::span<double> tau, std::span<double> a,
                                                                    const Loads& loads) {
  // What is prescribed is part of the motion from which accelerations are counted.
  std::fill(step.begin(), step.end(), 0.0);
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    if (prescribed[k] != 0) step[k] = a[k];
  }
  compute_accelerations(mech, ws, q, v, step);
  find_closing(false, loads.friction);
  I.rows.pieces(mech, ws, pieces);
  find_second_rates(q, v);
  for (std::size_t r = 0; r < gamma.size(); ++r) right[r] = -gamma[r];
  for (const RowPiece& piece : pieces) {  // second rates know no accelerations of coordinates
    if (piece.v >= 0)
      right[static_cast<std::size_t>(piece.row)] -= piece.factor * step[static_cast<std::size_t>(piece.v)];
  }
  std::fill(tau_with_friction.begin(), tau_with_friction.end(), 0.0);
  if (loads.friction) friction_forces(mech, ws, v, tau_with_friction);
  for (std::size_t k = 0; k < tau.size(); ++k) tau_with_friction[k] += tau[k];

  LoopVerdict verdict;
  verdict.method = LoopMethod::elimination;
  const LoopElimination::Outcome outcome =
      eliminate(q, prescribed, loads, tau_with_friction, true, a, lambda, LoopElimination::Wanted::answer);
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    if (prescribed[k] != 0) a[k] = step[k];
  }
  if (!outcome.regular) {
    verdict.status = LoopStatus::no_inertia;
    verdict.joint = outcome.singular_joint;
    return verdict;
  }
  if (!prescribed.empty()) {
    elimination->forces_of_held(a, step);
    for (std::size_t k = 0; k < prescribed.size(); ++k) {
      if (prescribed[k] != 0) tau[k] += step[k] - tau_with_friction[k];  // less friction, whatever stood there
    }
  }
  for (double& x : lambda) x = -x;  // y = −λ
  verdict.residual = outcome.residual;
  verdict.row = outcome.worst_row;
  verdict.iterations = outcome.iterations;
  if (!outcome.converged) verdict.status = LoopStatus::not_converged;
  return verdict;
}

// --- the public face --------------------------------------------------------------------------------------------------

LoopDynamics::LoopDynamics(const Mechanism& mechanism) : implementation_(std::make_unique<Implementation>(mechanism)) {}
LoopDynamics::~LoopDynamics() = default;
LoopDynamics::LoopDynamics(LoopDynamics&&) noexcept = default;
LoopDynamics& LoopDynamics::operator=(LoopDynamics&&) noexcept = default;

const Mechanism& LoopDynamics::mechanism() const { return implementation_->mech; }
const std::vector<ConstraintRow>& LoopDynamics::rows() const { return implementation_->solver.rows(); }
std::string LoopDynamics::name_of(const ConstraintRow& row) const { return implementation_->solver.name_of(row); }
double LoopDynamics::characteristic_length() const { return implementation_->I.length; }
EliminationFacts LoopDynamics::elimination() const {
  const EliminationOrder& order = implementation_->elimination->order();
  return {order.operations(), order.largest_neighbourhood(), implementation_->elimination->operations()};
}
const std::string& LoopDynamics::why_no_star() const { return implementation_->no_star; }
const LillyOrin* LoopDynamics::star() const { return implementation_->star ? &*implementation_->star : nullptr; }

void LoopDynamics::set_active(ConstraintRow::Source source, int index, bool active) {
  Implementation& impl = *implementation_;
  if (source == ConstraintRow::Source::driver) throw std::invalid_argument("drivers cannot be switched here");
  if (source == ConstraintRow::Source::joint &&
      impl.mech.joints.at(static_cast<std::size_t>(index)).role != JointRole::closure) {
    throw std::invalid_argument("joint '" + impl.mech.joints[static_cast<std::size_t>(index)].name +
                                "' closes no loop: have it cut (CompileOptions::cut) to switch it");
  }
  impl.switches(source).at(static_cast<std::size_t>(index)) = active ? 1 : 0;
  impl.same_active = false;
  for (int r = 0; r < impl.m; ++r) {
    const ConstraintRow& row = impl.I.rows.rows()[static_cast<std::size_t>(r)];
    if (row.source == source && row.index == index) impl.row_active[static_cast<std::size_t>(r)] = active ? 1 : 0;
  }
}

bool LoopDynamics::is_active(ConstraintRow::Source source, int index) const {
  return implementation_->switches(source).at(static_cast<std::size_t>(index)) != 0;
}

LoopVerdict LoopDynamics::Implementation::accelerate(std::span<const double> q, std::span<const double> v,
                                                     std::span<const double> tau, std::span<double> a,
                                                     const Loads& loads, LoopMethod method) {
  std::copy(tau.begin(), tau.end(), last_tau.begin());
  if (method == LoopMethod::star || (method == LoopMethod::automatic && star_pays && stabilisation == 0)) {
    const LoopVerdict verdict = judged(accelerate_by_star(q, v, tau, a, loads), a);
    if (verdict.ok()) {
      keep_state(q, v, a, loads);
      lambda_known = false;
    }
    if (verdict.ok() || method == LoopMethod::star) return verdict;
  }
  if (!all_finite<double>(q) || !all_finite<double>(v) || !all_finite<double>(tau)) {
    std::fill(a.begin(), a.end(), std::numeric_limits<double>::quiet_NaN());
    return {.status = LoopStatus::not_finite};
  }
  if (method != LoopMethod::dense) {
    const LoopVerdict verdict = judged(accelerate_by_elimination(q, v, {}, last_tau, a, loads), a);
    if (verdict.ok() || method == LoopMethod::elimination) {
      if (verdict.ok()) keep_state(q, v, a, loads);
      return verdict;
    }
  }
  VectorXd none(0);
  const LoopVerdict verdict = accelerate_dense(q, v, {}, tau, a, none, loads);
  if (verdict.status != LoopStatus::no_inertia) keep_state(q, v, a, loads);
  return judged(verdict, a);
}

LoopVerdict LoopDynamics::forward(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                  std::span<double> a, const Loads& loads, LoopMethod method) {
  return implementation_->accelerate(q, v, tau, a, loads, method);
}

LoopVerdict LoopDynamics::hybrid(std::span<const double> q, std::span<const double> v, std::span<const char> prescribed,
                                 std::span<double> a, std::span<double> tau, const Loads& loads, LoopMethod method) {
  Implementation& impl = *implementation_;
  if (method == LoopMethod::star) return {.status = LoopStatus::no_star, .method = LoopMethod::star};
  const auto keep = [&] {
    impl.keep_state(q, v, a, loads);
    std::copy(tau.begin(), tau.end(), impl.last_tau.begin());
  };
  if (!impl.takes_dense_steps(method)) {
    const LoopVerdict verdict = impl.accelerate_by_elimination(q, v, prescribed, tau, a, loads);
    if (verdict.ok()) keep();
    if (verdict.ok() || method == LoopMethod::elimination) return judged(verdict, a, tau);
  }
  std::vector<double> given(tau.begin(), tau.end()), wanted;
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    if (prescribed[k] == 0) continue;
    given[k] = 0;
    wanted.push_back(a[k]);
  }
  VectorXd of_prescribed = vector(wanted);
  const LoopVerdict verdict = impl.accelerate_dense(q, v, prescribed, given, a, of_prescribed, loads);
  if (verdict.status == LoopStatus::no_inertia) return verdict;
  Eigen::Index next = 0;
  for (std::size_t k = 0; k < prescribed.size(); ++k) {
    if (prescribed[k] != 0) tau[k] = of_prescribed(next++);
  }
  keep();
  return judged(verdict, a, tau);
}

double LoopDynamics::Implementation::scale_of_actuator(const JointFreedom& at) const {
  const Freedom freedom =
      freedoms(mech.joints[static_cast<std::size_t>(at.joint)].type)[static_cast<std::size_t>(at.dof)];
  return freedom.dimension == dimension::angle ? I.length : 1;
}

int actuation_rank(const dense::Svd& actuation) {
  const double smallest = rank_tolerance * std::max(actuation.s(0), 1.0);
  int rank = 0;
  while (rank < actuation.s.size() && actuation.s(rank) > smallest) ++rank;
  return rank;
}

ActuationVerdict LoopDynamics::inverse(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                                       std::span<const JointFreedom> actuated, std::span<double> u,
                                       const Loads& loads) {
  Implementation& impl = *implementation_;
  const int n = impl.n;
  const DenseLoops dense = impl.dense_at(q, v, loads, {});
  impl.I.rows.second_rates(impl.mech, impl.ws, v, {}, impl.gamma.data());
  ActuationVerdict verdict;
  const VectorXd of_v = impl.I.J * vector(v), of_a = impl.I.J * vector(a);
  // Judged by the motion itself: single rows may ask for nothing but round-off.
  const double speed = n == 0 ? 0 : vector(v).cwiseQuotient(impl.I.column_scale).cwiseAbs().maxCoeff();
  double size = n == 0 ? 0 : vector(a).cwiseQuotient(impl.I.column_scale).cwiseAbs().maxCoeff();
  size = std::max(size, speed * speed / impl.I.length);
  double gap_v = 0, gap_a = 0;
  for (const int r : impl.active) {
    const double scale = impl.I.row_scale(r), g = impl.gamma[static_cast<std::size_t>(r)];
    const double of_row_v = scale * std::abs(of_v(r)), of_row_a = scale * std::abs(of_a(r) + g);
    gap_v = std::max(gap_v, of_row_v);
    gap_a = std::max(gap_a, of_row_a);
    size = std::max(size, scale * std::abs(g));
    if (std::max(of_row_v, of_row_a) > verdict.residual || verdict.worst_row < 0) {
      verdict.residual = std::max(of_row_v, of_row_a), verdict.worst_row = r;
    }
  }
  // Nothing may move but round-off, as in a structure: beside weight that is rest.
  const double natural = std::max(size, norm(impl.ws.parameters().gravity));
  verdict.consistent =
      gap_v <= 1e-6 * speed + 1e-9 * std::sqrt(natural * impl.I.length) && gap_a <= 1e-6 * size + 1e-9 * natural;

  // What the motion needs, less what acts: N rows of it must come from the actuators.
  VectorXd needed(n);
  inverse_dynamics(impl.mech, impl.ws, q, v, a, {needed.data(), static_cast<std::size_t>(n)}, loads);
  compute_accelerations(impl.mech, impl.ws, q, v, a);
  impl.find_closing(true, loads.friction);
  MatrixXd B = MatrixXd::Zero(n, static_cast<Eigen::Index>(actuated.size()));
  VectorXd B_scale(B.cols());
  for (const ClosingFreedom& c : impl.closing) {
    const double force = c.inertia * c.second_rate - c.friction;
    if (force != 0) needed += force * impl.gradient(c.first, c.second, c.g_W, c.p_W);
  }
  for (Eigen::Index k = 0; k < B.cols(); ++k) {
    const JointFreedom& at = actuated[static_cast<std::size_t>(k)];
    const JointInfo& joint = impl.mech.joints[static_cast<std::size_t>(at.joint)];
    B_scale(k) = impl.scale_of_actuator(at);
    if (joint.role == JointRole::tree) {
      B(joint.v + at.dof, k) = 1;
      continue;
    }
    for (const ClosingFreedom& c : impl.closing) {
      if (c.joint == at.joint && c.dof == at.dof) B.col(k) = impl.gradient(c.first, c.second, c.g_W, c.p_W);
    }
  }
  const MatrixXd& N = dense.motions();
  VectorXd drive = VectorXd::Zero(B.cols());
  const VectorXd asked = N.transpose() * needed;
  double supplied = 0;
  if (B.cols() > 0 && N.cols() > 0) {
    const dense::Svd svd = dense::svd(N.transpose() * B * B_scale.asDiagonal());
    const int rank = actuation_rank(svd);
    drive = B_scale.cwiseProduct(dense::pseudo_inverse(svd, rank) * asked);
    verdict.unique = rank == B.cols();
    supplied = (N.transpose() * B * drive).norm();
  } else if (B.cols() > 0) {
    verdict.unique = false;
  }
  const VectorXd short_of = asked - N.transpose() * B * drive;
  // Round-off of what was summed up, not of what is left of it, tells zero.
  const double whole = std::max({asked.norm(), supplied, 1e-12 * impl.I.column_scale.cwiseProduct(needed).norm()});
  verdict.missing = whole > 0 ? std::min(1.0, short_of.norm() / whole) : 0;
  verdict.possible =
      short_of.norm() <= 1e-8 * whole || short_of.norm() <= 1e-12 * impl.I.column_scale.cwiseProduct(needed).norm();
  VectorXd rest;
  const VectorXd lambda = dense.multipliers(needed - B * drive, &rest);
  if (!verdict.possible) rest.cwiseAbs().maxCoeff(&verdict.unsupported);
  for (Eigen::Index k = 0; k < B.cols(); ++k) u[static_cast<std::size_t>(k)] = drive(k);
  impl.keep_multipliers(lambda);
  impl.keep_state(q, v, a, loads);
  for (Eigen::Index k = 0; k < B.cols(); ++k) {
    const JointFreedom& at = actuated[static_cast<std::size_t>(k)];
    if (impl.mech.joints[static_cast<std::size_t>(at.joint)].role == JointRole::closure) {
      impl.closing_drive.push_back({at, drive(k)});
    }
  }
  return verdict;
}

std::vector<double> LoopDynamics::turns() const { return implementation_->I.rows.turns(); }
bool LoopDynamics::set_turns(std::span<const double> counted) { return implementation_->I.rows.set_turns(counted); }

void LoopDynamics::set_stabilisation(double rate) { implementation_->stabilisation = rate; }

LoopDiagnosis LoopDynamics::diagnose(std::span<const double> q, std::span<const double> v) {
  Implementation& impl = *implementation_;
  LoopSolver::Implementation& I = impl.I;
  I.evaluate(q, {}, true);
  impl.active = impl.active_rows();
  LoopDiagnosis out;
  out.rows = static_cast<int>(impl.active.size());
  MatrixXd S(out.rows, impl.n);
  double worst = -1, worst_rate = -1;
  for (int r = 0; r < out.rows; ++r) {
    const int row = impl.active[static_cast<std::size_t>(r)];
    const double scale = I.row_scale(row), gap = std::abs(I.phi(row)), rate = std::abs(I.J.row(row).dot(vector(v)));
    S.row(r) = scale * I.J.row(row).cwiseProduct(I.column_scale.transpose());
    const bool turns = I.rows.rows()[static_cast<std::size_t>(row)].dimension == dimension::angle;
    (turns ? out.gap_rad : out.gap_m) = std::max(turns ? out.gap_rad : out.gap_m, gap);
    (turns ? out.rate_rad : out.rate_m) = std::max(turns ? out.rate_rad : out.rate_m, rate);
    if (scale * gap > worst) worst = scale * gap, out.worst_row = row;
    if (scale * rate > worst_rate) worst_rate = scale * rate, out.worst_rate = row;
  }
  if (out.rows > 0 && impl.n > 0) {
    const VectorXd s = dense::singular_values(S);
    while (out.rank < s.size() && s(out.rank) > rank_tolerance * std::max(s(0), 1.0)) ++out.rank;
    if (out.rank > 0) out.conditioning = s(out.rank - 1) / s(0);
  }
  for (const int r : redundant_rows_of(S)) out.redundant.push_back(impl.active[static_cast<std::size_t>(r)]);
  out.freedoms = impl.n - out.rank;
  return out;
}

double LoopDynamics::closing_rotor_energy(std::span<const double> q, std::span<const double> v) {
  Implementation& impl = *implementation_;
  compute_accelerations(impl.mech, impl.ws, q, v, impl.zero);
  impl.find_closing(false, false);
  double energy = 0;
  for (const ClosingFreedom& f : impl.closing) energy += 0.5 * f.inertia * f.rate * f.rate;
  return energy;
}

OperationalInertia LoopDynamics::operational_inertia(std::span<const double> q, int body, const Vec3d& p_B) {
  Implementation& impl = *implementation_;
  const DenseLoops dense = impl.dense_at(q, impl.zero, {}, {});
  OperationalInertia out;
  if (!dense.has_inertia()) {
    out.status = LoopStatus::no_inertia;
    return out;
  }
  using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  Eigen::Map<RowMajor6> inverse(out.inverse), inertia(out.inertia);
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J(6, impl.n);
  jacobian_W(impl.mech, impl.ws, body, p_B, {J.data(), static_cast<std::size_t>(J.size())});
  // Turns as travels at the characteristic length: then singular values can be compared.
  Eigen::Matrix<double, 6, 1> scale;
  scale << impl.I.length, impl.I.length, impl.I.length, 1, 1, 1;
  const MatrixXd JN = J * dense.motions();
  // Of a body that the constraints hold fast what is left is round-off of how it would move without them.
  const double terms = (scale.asDiagonal() * J * impl.I.column_scale.asDiagonal()).norm();
  inverse.setZero();
  if ((scale.asDiagonal() * JN).norm() > held_fast * terms) inverse = JN * dense.solve_reduced(JN.transpose());
  const dense::Svd svd = dense::svd(MatrixXd(scale.asDiagonal() * inverse * scale.asDiagonal()));
  out.rank = 0;
  MatrixXd pseudo = MatrixXd::Zero(6, 6);
  for (int k = 0; k < 6 && svd.s(k) > rank_tolerance * svd.s(0) && svd.s(k) > 0; ++k, ++out.rank) {
    pseudo += svd.V.col(k) * svd.U.col(k).transpose() / svd.s(k);
  }
  inertia = scale.asDiagonal() * pseudo * scale.asDiagonal();
  return out;
}

IndependentMass LoopDynamics::independent_mass(std::span<const double> q, std::span<const int> freedoms) {
  Implementation& impl = *implementation_;
  const DenseLoops dense = impl.dense_at(q, impl.zero, {}, {});
  IndependentMass out;
  const int f = dense.freedoms();
  if (f == 0) {
    out.independent = freedoms.empty();
    return out;
  }
  if (freedoms.empty()) {
    const dense::PivotedColumns pivots = dense::pivot_columns(dense.scaled_motions().transpose(), rank_tolerance);
    out.freedoms.assign(pivots.order.begin(), pivots.order.begin() + f);
    std::sort(out.freedoms.begin(), out.freedoms.end());
  } else {
    out.freedoms.assign(freedoms.begin(), freedoms.end());
  }
  out.independent = static_cast<int>(out.freedoms.size()) == f;
  if (!out.independent) return out;
  MatrixXd chosen(f, f), chosen_scaled(f, f);
  for (int k = 0; k < f; ++k) {
    chosen.row(k) = dense.motions().row(out.freedoms[static_cast<std::size_t>(k)]);
    chosen_scaled.row(k) = dense.scaled_motions().row(out.freedoms[static_cast<std::size_t>(k)]);
  }
  const VectorXd s = dense::singular_values(chosen_scaled);
  out.independent = s(f - 1) > rank_tolerance;
  if (!out.independent) return out;
  const dense::Svd svd = dense::svd(chosen);
  const MatrixXd T = dense.motions() * (svd.V * svd.s.cwiseInverse().asDiagonal() * svd.U.transpose());
  const MatrixXd M = T.transpose() * dense.mass() * T;
  for (int i = 0; i < f; ++i) {
    for (int k = 0; k < f; ++k) out.M.push_back(M(i, k));
  }
  for (int i = 0; i < impl.n; ++i) {
    for (int k = 0; k < f; ++k) out.T.push_back(T(i, k));
  }
  return out;
}

}  // namespace trammel

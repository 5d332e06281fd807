// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives of steps. A change has the columns (δq, δv, δτ) of where the step begins; rows of δq are on the tangent space, rows of dq are
// those of coordinates. Where v is q̇ both are one. Elsewhere (balls, free bodies) there are per joint
//   N    q̇ = N(q) v                                    U    change of the coordinates made unit with the coordinates
//   T    N⁺ U: from dq to δq at the unit coordinates    W    change of N(q) v with δq at constant v
//   D₁, D₂   changes of q ⊕ δ with q and with δ, on the tangent space at its end
// all by dual numbers through the joint's own q_step, W by series along two lines: with c₂(s) the second coefficient of (q ⊕ u e) ⊕ s u v,
//   W e = (c₂(1) − c₂(−1)) / 2
//
// semi_implicit, implicit    δv' = δv + h δv̇,    δq' = D₁ δq + D₂ h δv';    of free joints besides what free_flight.hpp does, by dual numbers too
// rk4                        of each stage  δq = T dq,   dv̇ = v̇_q δq + v̇_v dv + v̇_τ δτ,   dq̇ = N dv + W δq,   summed up as the stages are

#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>

#include <trammel/core/dual.hpp>
#include <trammel/core/series.hpp>
#include <trammel/step_derivatives.hpp>

#include "simulation/coordinate_rates.hpp"
#include "simulation/free_flight.hpp"

namespace trammel {
namespace {

using At = std::size_t;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr int most_q = Custom::max_nq, most_v = Custom::max_nv;
using SmallNV = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_q, most_v>;  // nq × nv
using SmallVN = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_v, most_q>;
using SmallNN = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_q, most_q>;
using SmallVV = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_v, most_v>;

// f(joint) for the joints of the list, which run on all numbers.
template <class F>
void visit_joint_type(const AnyJoint& type, F&& f) {
  std::visit(
      [&]<class J>(const J& joint) {
        if constexpr (!std::is_same_v<J, Custom>) {
          if constexpr (J::nv > 0) f(joint);
        }
      },
      type);
}

// q ⊕ δ on dual numbers: column of what changes along (dq, dδ).
template <class J>
void step_along(const J& joint, const double* q, const double* dq, const double* delta, const double* ddelta,
                double* change) {
  std::array<Dual, J::nq> from, to;
  std::array<Dual, J::nv> by;
  for (At i = 0; i < from.size(); ++i) from[i] = Dual(q[i], dq[i]);
  for (At i = 0; i < by.size(); ++i) by[i] = Dual(delta[i], ddelta[i]);
  joint.template q_step<Dual>(from.data(), by.data(), to.data());
  for (At i = 0; i < to.size(); ++i) change[i] = to[i].eps;
}

constexpr double zeros[most_q] = {};

template <class J>
SmallNV rates_matrix(const J& joint, const double* q) {
  SmallNV N(J::nq, J::nv);
  for (int k = 0; k < J::nv; ++k) {
    double unit[most_v] = {};
    unit[k] = 1;
    step_along(joint, q, zeros, zeros, unit, N.col(k).data());
  }
  return N;
}
SmallVN left_inverse(const SmallNV& N) {
  const SmallVV gram = N.transpose() * N;
  return gram.llt().solve(SmallVV::Identity(gram.rows(), gram.cols())) * N.transpose();
}
// T at coordinates that need not be unit.
template <class J>
SmallVN tangent_of_coordinates(const J& joint, const double* q, const SmallNV& N_at_unit) {
  SmallNN U(J::nq, J::nq);
  for (int k = 0; k < J::nq; ++k) {
    double unit[most_q] = {};
    unit[k] = 1;
    step_along(joint, q, unit, zeros, zeros, U.col(k).data());
  }
  return left_inverse(N_at_unit) * U;
}
template <class J>
SmallNV slopes_of_rates(const J& joint, const double* q, const double* v) {
  using S = Series<2>;
  SmallNV W(J::nq, J::nv);
  for (int k = 0; k < J::nv; ++k) {
    std::array<S, J::nq> at[2];
    for (const int side : {0, 1}) {
      std::array<S, J::nq> from, middle;
      std::array<S, J::nv> along, then;
      for (At i = 0; i < from.size(); ++i) from[i] = S(q[i]);
      for (At i = 0; i < then.size(); ++i) then[i].c[1] = side == 0 ? v[i] : -v[i];
      along[static_cast<At>(k)].c[1] = 1;
      joint.template q_step<S>(from.data(), along.data(), middle.data());
      joint.template q_step<S>(middle.data(), then.data(), at[side].data());
    }
    for (int i = 0; i < J::nq; ++i) W(i, k) = (at[0][static_cast<At>(i)].c[2] - at[1][static_cast<At>(i)].c[2]) / 2;
  }
  return W;
}

}  // namespace

class DifferentiatedStep::Implementation {
 public:
  Implementation(const Mechanism& mechanism, Integrator the_integrator, double step)
      : mech(mechanism), ws(mechanism), integrator(the_integrator), h(step), n(mechanism.nv), nq(mechanism.nq) {
    const auto size = static_cast<At>(n);
    a.resize(size), v_new.resize(size), delta.resize(size), dof_inertia.assign(size, 0.0);
    a_q.resize(n, n), a_v.resize(n, n), a_tau.resize(n, n);
    q_stage.resize(static_cast<At>(nq)), q_unit = q_rate = q_sum = q_start = q_stage;
    v_stage.resize(size), v_sum = v_start = v_stage;
    tangent.resize(n, 3 * n), dv_stage = da = dv_sum = dv_start = tangent;
    if (integrator == Integrator::rk4) dq_stage.resize(nq, 3 * n), dq_rate = dq_sum = dq_start = dq_stage;
  }

  const Mechanism& mech;
  Workspace ws;
  Integrator integrator;
  double h;
  Eigen::Index n, nq;
  std::vector<double> a, v_new, delta, dof_inertia;
  Matrix a_q, a_v, a_tau;
  std::vector<double> q_stage, q_unit, q_rate, q_sum, q_start, v_stage, v_sum, v_start;
  Matrix tangent, dv_stage, da, dv_sum, dv_start;  // nv × 3nv
  Matrix dq_stage, dq_rate, dq_sum, dq_start;      // nq × 3nv

  static std::span<double> numbers(Matrix& m) { return {m.data(), static_cast<At>(m.size())}; }

  DynamicsVerdict accelerate(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                             const Loads& loads) {
    return forward_dynamics_derivatives<double>(mech, ws, q, v, tau, a, {numbers(a_q), numbers(a_v), numbers(a_tau)},
                                                loads);
  }

  DynamicsVerdict euler(std::span<const double> q, std::span<const double> v, std::span<const double> tau, Loads loads,
                        std::span<double> q_next, std::span<double> v_next, const StepMatrices& out) {
    if (integrator == Integrator::implicit && loads.friction) {
      const std::vector<double>& viscous = ws.parameters().viscous;
      for (At k = 0; k < dof_inertia.size(); ++k) {
        dof_inertia[k] = h * viscous[k] + (loads.dof_inertia == nullptr ? 0 : loads.dof_inertia[k]);
      }
      loads.dof_inertia = dof_inertia.data();
    }
    const DynamicsVerdict verdict = accelerate(q, v, tau, loads);
    if (!verdict.ok()) return verdict;
    for (At k = 0; k < a.size(); ++k) v_new[k] = v[k] + h * a[k], delta[k] = h * v_new[k];
    std::copy(q.begin(), q.end(), q_start.begin());
    std::copy(v.begin(), v.end(), v_start.begin());
    step_coordinates(mech, q_start, delta, q_next);  // q_next and v_next may be q and v, which are not read any more
    std::copy(v_new.begin(), v_new.end(), v_next.begin());

    Eigen::Map<Matrix> A(out.A.data(), 2 * n, 2 * n), B(out.B.data(), 2 * n, n);
    A.block(n, 0, n, n) = h * a_q;
    A.block(n, n, n, n) = h * a_v;
    for (Eigen::Index k = 0; k < n; ++k) A(n + k, n + k) += 1;
    B.bottomRows(n) = h * a_tau;
    A.topRows(n) = h * A.bottomRows(n);
    B.topRows(n) = h * B.bottomRows(n);
    for (const Link& link : mech.links) {
      if (link.nq == link.nv) {
        for (int k = link.v; k < link.v + link.nv; ++k) A(k, k) += 1;
        continue;
      }
      if (const Free* joint = std::get_if<Free>(&link.type)) {
        fly(&q_start[static_cast<At>(link.q)], &v_start[static_cast<At>(link.v)], &v_new[static_cast<At>(link.v)], h,
            &q_next[static_cast<At>(link.q)], &v_next[static_cast<At>(link.v)]);
        fly_rows(*joint, link, v_start, q_next, A, B);
      } else {
        visit_joint_type(link.type, [&](const auto& other) { turn_rows(other, link, q_next, A, B); });
      }
    }
    return verdict;
  }

  // (δq', δv') = S (δq, δv, δ(v + h v̇)) of a free joint, whose rows hold h times and once the last of these.
  void fly_rows(const Free& joint, const Link& link, std::span<const double> v, std::span<const double> q_next,
                Eigen::Map<Matrix>& A, Eigen::Map<Matrix>& B) {
    const double *q = q_start.data() + link.q, *v_from = v.data() + link.v, *next = v_new.data() + link.v;
    const SmallVN inverse = left_inverse(rates_matrix(joint, q_next.data() + link.q));
    const SmallNV N = rates_matrix(joint, q);
    Eigen::Matrix<double, 12, 18> S;
    for (int k = 0; k < 18; ++k) {
      std::array<Dual, 7> from, to;
      std::array<Dual, 6> v0, v1, by, end;
      for (int i = 0; i < 7; ++i) from[static_cast<At>(i)] = Dual(q[i], k < 6 ? N(i, k) : 0);
      for (int i = 0; i < 6; ++i) {
        const At at = static_cast<At>(i);
        v0[at] = Dual(v_from[i], k == 6 + i ? 1 : 0), v1[at] = Dual(next[i], k == 12 + i ? 1 : 0);
        by[at] = v1[at] * Dual(h), end[at] = v1[at];
      }
      joint.q_step<Dual>(from.data(), by.data(), to.data());
      fly(from.data(), v0.data(), v1.data(), Dual(h), to.data(), end.data());
      Eigen::Matrix<double, 7, 1> dq;
      for (int i = 0; i < 7; ++i) dq(i) = to[static_cast<At>(i)].eps;
      S.col(k).head<6>() = inverse.lazyProduct(dq);
      for (int i = 0; i < 6; ++i) S(6 + i, k) = end[static_cast<At>(i)].eps;
    }
    const auto apply = [&](Eigen::Map<Matrix>& rows) {
      for (Eigen::Index c = 0; c < rows.cols(); ++c) {
        const Eigen::Matrix<double, 6, 1> last = rows.col(c).segment<6>(n + link.v);
        rows.col(c).segment<6>(link.v) = S.topRightCorner<6, 6>() * last;
        rows.col(c).segment<6>(n + link.v) = S.bottomRightCorner<6, 6>() * last;
      }
    };
    apply(A), apply(B);
    A.block<6, 6>(link.v, link.v) += S.topLeftCorner<6, 6>();
    A.block<6, 6>(link.v, n + link.v) += S.block<6, 6>(0, 6);
    A.block<6, 6>(n + link.v, link.v) += S.bottomLeftCorner<6, 6>();
    A.block<6, 6>(n + link.v, n + link.v) += S.block<6, 6>(6, 6);
  }

  // δq' = D₁ δq + D₂ (h δv') of one joint, whose rows hold h δv' already.
  template <class J>
  void turn_rows(const J& joint, const Link& link, std::span<const double> q_next, Eigen::Map<Matrix>& A,
                 Eigen::Map<Matrix>& B) {
    const double *q = q_start.data() + link.q, *by = delta.data() + link.v;
    const SmallVN inverse = left_inverse(rates_matrix(joint, q_next.data() + link.q));
    const SmallNV N = rates_matrix(joint, q);
    SmallNV with_q(J::nq, J::nv), with_delta(J::nq, J::nv);
    for (int k = 0; k < J::nv; ++k) {
      double unit[most_v] = {};
      unit[k] = 1;
      step_along(joint, q, N.col(k).data(), by, zeros, with_q.col(k).data());
      step_along(joint, q, zeros, by, unit, with_delta.col(k).data());
    }
    const SmallVV D1 = inverse * with_q, D2 = inverse * with_delta;
    const auto times_D2 = [&](auto&& rows) {  // column by column: no memory is asked for
      Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_v, 1> before;
      for (Eigen::Index c = 0; c < rows.cols(); ++c) before = rows.col(c), rows.col(c) = D2.lazyProduct(before);
    };
    times_D2(A.middleRows(link.v, link.nv));
    times_D2(B.middleRows(link.v, link.nv));
    A.block(link.v, link.v, link.nv, link.nv) += D1;
  }

  // --- rk4 ------------------------------------------------------------------------------------------------------------------------

  // Calls f(link, joint) for joints with quaternions, plain(link) for the others.
  template <class F, class Plain>
  void each_link(F&& f, Plain&& plain) {
    for (const Link& link : mech.links) {
      if (link.nq == link.nv) {
        plain(link);
      } else {
        visit_joint_type(link.type, [&](const auto& joint) { f(link, joint); });
      }
    }
  }

  // q_unit and δq = T dq of coordinates q with the change dq.
  void make_tangent(std::span<const double> q, const Matrix& dq, Matrix& out) {
    std::copy(q.begin(), q.end(), q_unit.begin());
    make_unit(mech, q_unit);
    each_link(
        [&](const Link& link, const auto& joint) {
          const SmallNV N = rates_matrix(joint, q_unit.data() + link.q);
          const SmallVN T = tangent_of_coordinates(joint, q.data() + link.q, N);
          out.middleRows(link.v, link.nv) = T.lazyProduct(dq.middleRows(link.q, link.nq));
        },
        [&](const Link& link) { out.middleRows(link.v, link.nv) = dq.middleRows(link.q, link.nq); });
  }
  // dq = N δq at unit coordinates, and dq̇ = N dv + W δq.
  void rates_of_coordinates() {
    coordinate_rates(mech, q_unit, v_stage, q_rate);
    each_link(
        [&](const Link& link, const auto& joint) {
          const double* q = q_unit.data() + link.q;
          const SmallNV N = rates_matrix(joint, q), W = slopes_of_rates(joint, q, v_stage.data() + link.v);
          dq_rate.middleRows(link.q, link.nq) = N.lazyProduct(dv_stage.middleRows(link.v, link.nv));
          dq_rate.middleRows(link.q, link.nq) += W.lazyProduct(tangent.middleRows(link.v, link.nv));
        },
        [&](const Link& link) { dq_rate.middleRows(link.q, link.nq) = dv_stage.middleRows(link.v, link.nv); });
  }

  DynamicsVerdict runge_kutta(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                              const Loads& loads, std::span<double> q_next, std::span<double> v_next,
                              const StepMatrices& out) {
    start(q, v);
    q_stage = q_start, v_stage = v_start, dq_stage = dq_start, dv_stage = dv_start;
    std::fill(q_sum.begin(), q_sum.end(), 0.0), std::fill(v_sum.begin(), v_sum.end(), 0.0);
    dq_sum.setZero(), dv_sum.setZero();
    constexpr double weight[4] = {1, 2, 2, 1}, ahead[4] = {0.5, 0.5, 1, 0};
    for (At stage = 0; stage < 4; ++stage) {
      make_tangent(q_stage, dq_stage, tangent);
      const DynamicsVerdict verdict = accelerate(q_unit, v_stage, tau, loads);
      if (!verdict.ok()) return verdict;
      rates_of_coordinates();
      da.noalias() = a_q * tangent;
      da.noalias() += a_v * dv_stage;
      da.rightCols(n) += a_tau;
      const double w = weight[stage], s = h * ahead[stage];
      for (At i = 0; i < q_sum.size(); ++i) q_sum[i] += w * q_rate[i], q_stage[i] = q_start[i] + s * q_rate[i];
      for (At i = 0; i < v_sum.size(); ++i) v_sum[i] += w * a[i], v_stage[i] = v_start[i] + s * a[i];
      dq_sum += w * dq_rate, dv_sum += w * da;
      dq_stage = dq_start + s * dq_rate, dv_stage = dv_start + s * da;
    }
    for (At i = 0; i < q_sum.size(); ++i) q_stage[i] = q_start[i] + h / 6 * q_sum[i];
    for (At i = 0; i < v_sum.size(); ++i) v_next[i] = v_start[i] + h / 6 * v_sum[i];
    dq_stage = dq_start + h / 6 * dq_sum, dv_stage = dv_start + h / 6 * dv_sum;
    make_tangent(q_stage, dq_stage, tangent);
    std::copy(q_unit.begin(), q_unit.end(), q_next.begin());
    Eigen::Map<Matrix> A(out.A.data(), 2 * n, 2 * n), B(out.B.data(), 2 * n, n);
    A.topRows(n) = tangent.leftCols(2 * n), A.bottomRows(n) = dv_stage.leftCols(2 * n);
    B.topRows(n) = tangent.rightCols(n), B.bottomRows(n) = dv_stage.rightCols(n);
    return {};
  }

  void start(std::span<const double> q, std::span<const double> v) {
    std::copy(q.begin(), q.end(), q_start.begin());
    std::copy(v.begin(), v.end(), v_start.begin());
    dq_start.setZero(), dv_start.setZero();
    for (Eigen::Index k = 0; k < n; ++k) dv_start(k, n + k) = 1;
    each_link(
        [&](const Link& link, const auto& joint) {
          dq_start.block(link.q, link.v, link.nq, link.nv) = rates_matrix(joint, q_start.data() + link.q);
        },
        [&](const Link& link) {
          for (int k = 0; k < link.nv; ++k) dq_start(link.q + k, link.v + k) = 1;
        });
  }
};

DifferentiatedStep::DifferentiatedStep(const Mechanism& mechanism, Integrator integrator, double step) {
  if (integrator != Integrator::semi_implicit && integrator != Integrator::implicit && integrator != Integrator::rk4) {
    throw std::invalid_argument("steps of '" + std::string(keyword(integrator)) +
                                "' are not differentiated: take semi_implicit, implicit or rk4");
  }
  if (!(step > 0) || !std::isfinite(step)) throw std::invalid_argument("the length of a step must be positive");
  if (!mechanism.loops.empty() || !mechanism.couplings.empty() || !mechanism.constraints.empty()) {
    throw std::invalid_argument(
        "steps of mechanisms with loops, couplings or constraints are not differentiated: "
        "LoopDynamics::forward_derivatives has the derivatives of their accelerations");
  }
  if (mechanism.has_custom_joint) {
    throw std::invalid_argument("steps of mechanisms with custom joints are not differentiated");
  }
  implementation_ = std::make_unique<Implementation>(mechanism, integrator, step);
}
DifferentiatedStep::~DifferentiatedStep() = default;
DifferentiatedStep::DifferentiatedStep(DifferentiatedStep&&) noexcept = default;
DifferentiatedStep& DifferentiatedStep::operator=(DifferentiatedStep&&) noexcept = default;

double DifferentiatedStep::step() const { return implementation_->h; }

DynamicsVerdict DifferentiatedStep::advance(std::span<const double> q, std::span<const double> v,
                                            std::span<const double> tau, std::span<double> q_next,
                                            std::span<double> v_next, const StepMatrices& matrices,
                                            const Loads& loads) {
  Implementation& impl = *implementation_;
  if (impl.integrator == Integrator::rk4) return impl.runge_kutta(q, v, tau, loads, q_next, v_next, matrices);
  return impl.euler(q, v, tau, loads, q_next, v_next, matrices);
}

}  // namespace trammel

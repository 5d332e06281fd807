// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "impact/contact_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trammel::impact {
namespace {

using dense::MatrixXd;
using dense::VectorXd;

constexpr double not_met = 1e-8;      // of the speeds: what is left of what was asked for
constexpr double independent = 1e-9;  // of a row's own answer: what is left of it while the rows that push hold

// Per row 1/√mobility: with p = D p̃, u = D⁻¹ ũ all rows answer by numbers up to 1.
VectorXd scales_of(const VectorXd& mobility) {
  VectorXd d(mobility.size());
  const double most = mobility.maxCoeff();
  for (Eigen::Index i = 0; i < d.size(); ++i) {
    const bool moves = mobility(i) > 1e-13 * most;
    d(i) = most > 0 ? 1 / std::sqrt(moves ? mobility(i) : most) : 1;
  }
  return d;
}

MatrixXd truncated(const MatrixXd& W, double least) {
  const dense::Svd svd = dense::svd(W);
  if (svd.s.size() == 0 || svd.s.minCoeff() > least) return W;
  MatrixXd out = MatrixXd::Zero(W.rows(), W.cols());
  for (Eigen::Index i = 0; i < svd.s.size(); ++i) {
    if (svd.s(i) > least) out += svd.s(i) * svd.U.col(i) * svd.V.col(i).transpose();
  }
  return out;
}

// p ≥ 0, w = W p + b ≥ 0, p·w = 0: the conditions of min ½ pᵀ W p + bᵀ p over p ≥ 0. Rows push one more at a time, the most violated first. While
// the impulse of a new row q grows by t, those that push already change by −r t, r = W_AA⁻¹ W_Aq, so that their w stay zero, and w_q
// grows by z t, z = W_qq − W_qA r; one that would begin to pull is let go. Rows that push stay independent. Where z = 0 and none
// is let go, w_q cannot be helped: none.                                                   [Goldfarb and Idnani 1983, in the multipliers alone]
std::optional<VectorXd> complementary(const MatrixXd& W, const VectorXd& b, double small) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const Eigen::Index n = b.size();
  VectorXd p = VectorXd::Zero(n), w = b;
  Rows pushing;
  for (Eigen::Index round = 0; round < 100 + 20 * n; ++round) {
    Eigen::Index q = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      const bool pushes = std::find(pushing.begin(), pushing.end(), i) != pushing.end();
      if (!pushes && w(i) < -small && (q < 0 || w(i) < w(q))) q = i;
    }
    if (q < 0) return p;
    for (bool is_in = false; !is_in;) {
      VectorXd r;
      double z = W(q, q);
      if (!pushing.empty()) {
        r = dense::solve(part_of(W, pushing), part_of(VectorXd(W.col(q)), pushing));
        z -= part_of(VectorXd(W.row(q)), pushing).dot(r);
      }
      const double until_met = W(q, q) > no_motion && z > independent * W(q, q) ? -w(q) / z : never;
      double until_gone = never;
      std::size_t goes = 0;
      for (std::size_t j = 0; j < pushing.size(); ++j) {
        const double rate = r(static_cast<Eigen::Index>(j));
        if (rate > 0 && p(pushing[j]) / rate < until_gone) until_gone = p(pushing[j]) / rate, goes = j;
      }
      const double t = std::min(until_met, until_gone);
      if (std::isinf(t)) return std::nullopt;
      p(q) += t;
      for (std::size_t j = 0; j < pushing.size(); ++j) p(pushing[j]) -= t * r(static_cast<Eigen::Index>(j));
      is_in = until_met <= until_gone;
      if (is_in) {
        pushing.push_back(q);
      } else {
        p(pushing[goes]) = 0;
        pushing.erase(pushing.begin() + static_cast<std::ptrdiff_t>(goes));
      }
      w = W * p + b;
    }
  }
  return std::nullopt;
}

// Rows that depend on each other, as four feet of a table, share what some of them could do alone: the least impulses with the same answer,
// where none of them pulls.
VectorXd shared(const MatrixXd& W, const VectorXd& b, const VectorXd& p, double small) {
  const VectorXd change = W * p;
  Rows held;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    if (p(i) > 0 || std::abs(change(i) + b(i)) <= small) held.push_back(i);
  }
  if (held.empty()) return p;
  const VectorXd x = dense::least_norm(part_of(W, held), part_of(change, held), 1e-11).x;
  const double most = x.cwiseAbs().maxCoeff();
  if (x.minCoeff() < -1e-12 * most) return p;
  VectorXd out = VectorXd::Zero(p.size());
  for (std::size_t i = 0; i < held.size(); ++i) out(held[i]) = std::max(0.0, x(static_cast<Eigen::Index>(i)));
  return (W * out - change).cwiseAbs().maxCoeff() <= small ? out : p;
}

// The k of (3), for u_c and β = e p_c. With p_p(k), what k β makes approach is held, and
//   T(k) = ½ k² βᵀWβ − ½ p_pᵀWp_p                    energy that the two give, as u_cᵀβ = 0 and u'ᵀp_p = 0                  (4)
//   dT/dk = βᵀu',    u' = u_c + k Wβ + W p_p                                                                                (5)
// The velocities after are those nearest to v_c + k M⁻¹Jᵀβ, in the sense of kinetic energy, of the cone of all that approach nowhere. Half the
// square of what is nearest in a cone is convex and has it as its gradient, which is (5); and T(0) = 0, dT/dk(0) = u_cᵀβ = 0. So T never
// falls, and where it is not zero for all k (all of β is held, as in a body that is jammed: nothing comes back, k = 0) it grows without
// bound: T = due has one root. From k = 1 the first guess is the root where p_p ∝ k; Newton's steps of a convex function come to the root
// from above, but for the first, which may come from below.
std::optional<double> stretch(const MatrixXd& W, const VectorXd& u_c, const VectorXd& back, double due, double small) {
  double k = 1;
  for (int round = 0; round < 100; ++round) {
    const VectorXd r = k * back, u_r = u_c + W * r;
    const std::optional<VectorXd> p_p = complementary(W, u_r, small);
    if (!p_p) return std::nullopt;
    const VectorXd answer = W * *p_p;
    const double T = 0.5 * (r.dot(W * r) - p_p->dot(answer));  // (4)
    if (round == 0) {
      if (!(due > 0 && T > 0.5 * no_motion * back.squaredNorm())) return 0;
      k = std::sqrt(due / T);
      continue;
    }
    const double step = (T - due) / back.dot(u_r + answer);  // (5)
    k -= step;
    if (std::abs(step) <= 1e-12 * k) break;
  }
  return k;
}

}  // namespace

MatrixXd part_of(const MatrixXd& W, const Rows& which) {
  const auto n = static_cast<Eigen::Index>(which.size());
  MatrixXd out(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < n; ++k)
      out(i, k) = W(which[static_cast<std::size_t>(i)], which[static_cast<std::size_t>(k)]);
  }
  return out;
}
VectorXd part_of(const VectorXd& x, const Rows& which) {
  VectorXd out(static_cast<Eigen::Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i) out(static_cast<Eigen::Index>(i)) = x(which[i]);
  return out;
}
RowProblem part_of(const RowProblem& problem, const Rows& which) {
  return {.W = part_of(problem.W, which),
          .u = part_of(problem.u, which),
          .mobility = part_of(problem.mobility, which),
          .speed = part_of(problem.speed, which)};
}

std::vector<Rows> coupled_rows(const RowProblem& problem) {
  const VectorXd d = scales_of(problem.mobility);
  const Eigen::Index n = d.size();
  const auto coupled = [&](Eigen::Index i, Eigen::Index k) {
    return d(i) * d(k) * std::max(std::abs(problem.W(i, k)), std::abs(problem.W(k, i))) > no_motion;
  };
  std::vector<char> taken(static_cast<std::size_t>(n));
  std::vector<Rows> groups;
  for (Eigen::Index first = 0; first < n; ++first) {
    if (taken[static_cast<std::size_t>(first)] != 0) continue;
    Rows group{first};
    taken[static_cast<std::size_t>(first)] = 1;
    for (std::size_t next = 0; next < group.size(); ++next) {
      for (Eigen::Index k = 0; k < n; ++k) {
        if (taken[static_cast<std::size_t>(k)] != 0 || !coupled(group[next], k)) continue;
        taken[static_cast<std::size_t>(k)] = 1;
        group.push_back(k);
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

MatrixXd without_round_off(const RowProblem& problem) {
  return truncated(problem.W, no_motion * problem.mobility.maxCoeff());
}

MatrixXd without_round_off(const MatrixXd& W, const VectorXd& mobility) {
  const VectorXd d = scales_of(mobility), back = d.cwiseInverse();
  return back.asDiagonal() * truncated(d.asDiagonal() * W * d.asDiagonal(), no_motion) * back.asDiagonal();
}

std::optional<VectorXd> solve_blocking(const RowProblem& problem, const VectorXd& wanted) {
  const VectorXd d = scales_of(problem.mobility);
  const MatrixXd W = d.asDiagonal() * problem.W * d.asDiagonal();
  const VectorXd y = d.cwiseProduct(wanted), speed = d.cwiseProduct(problem.speed);
  const dense::Svd svd = dense::svd(W);
  VectorXd x = VectorXd::Zero(y.size()), reached = x;
  for (Eigen::Index i = 0; i < svd.s.size(); ++i) {
    if (svd.s(i) <= no_motion) continue;
    const double along = svd.U.col(i).dot(y);
    x += along / svd.s(i) * svd.V.col(i);
    reached += along * svd.U.col(i);
  }
  if ((reached - y).norm() > not_met * (y.norm() + speed.norm())) return std::nullopt;
  return VectorXd(d.cwiseProduct(x));
}

std::optional<VectorXd> solve_pushing(const RowProblem& problem, const VectorXd& e, ImpactLaw law) {
  const VectorXd d = scales_of(problem.mobility);
  const MatrixXd W = truncated(d.asDiagonal() * problem.W * d.asDiagonal(), no_motion);
  const VectorXd u = d.cwiseProduct(problem.u);
  const double small = no_approach * d.cwiseProduct(problem.speed).cwiseAbs().maxCoeff();
  if (law == ImpactLaw::newton) {
    VectorXd b = u;
    for (Eigen::Index i = 0; i < b.size(); ++i) b(i) *= u(i) < 0 ? 1 + e(i) : 1;
    const std::optional<VectorXd> p = complementary(W, b, small);  // (1)
    if (!p) return std::nullopt;
    return VectorXd(d.cwiseProduct(shared(W, b, *p, small)));
  }
  std::optional<VectorXd> p = complementary(W, u, small);  // (2)
  if (!p) return std::nullopt;
  p = shared(W, u, *p, small);
  VectorXd back = e.cwiseProduct(*p);
  if (law == ImpactLaw::stronge) {  // (3)
    double took = 0, gives = 0;
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const double work = -0.5 * (*p)(i)*u(i);
      took += work, gives += e(i) * e(i) * work;
    }
    const std::optional<double> k = stretch(W, u + W * *p, back, std::clamp(gives, 0.0, std::max(0.0, took)), small);
    if (!k) return std::nullopt;
    back *= *k;
  }
  *p += back;
  const VectorXd after = u + W * *p;
  const std::optional<VectorXd> more = complementary(W, after, small);
  if (!more) return std::nullopt;
  return VectorXd(d.cwiseProduct(*p + shared(W, after, *more, small)));
}

}  // namespace trammel::impact

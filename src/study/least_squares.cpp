// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// With z = (x − least)/(most − least), residuals r(z) and J = ∂r/∂z by differences, one step solves
//   (JᵀJ + λ D) δ = −Jᵀ r,    D = diag(JᵀJ) + ε tr(JᵀJ) I                                                             (1)
// and z + δ, cut off at the bounds, is taken where it lowers |r|². λ falls after a step that was taken and rises after one that was not.
// Marquardt (1963), J. Soc. Indust. Appl. Math. 11, 431–441. ε keeps (1) solvable where a direction of z changes nothing, as where a crank
// begins its turn.

#include "study/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace trammel::study {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double difference = 1e-6;  // of z, for J
constexpr double small_diagonal = 1e-9;

class Search {
 public:
  Search(const LeastSquaresProblem& problem, const std::vector<double>& start) : problem_(problem), z_(start.size()) {
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      z_[i] = std::clamp((start[k] - problem.least[k]) / (problem.most[k] - problem.least[k]), 0.0, 1.0);
    }
  }

  LeastSquaresResult run() {
    r_ = evaluate(z_);
    double lambda = 1e-2;
    while (r_.size() > 0 && may_go_on() && find_jacobian()) {
      const double before = r_.squaredNorm();
      if (before == 0 || !take_step(lambda)) break;
      const double after = r_.squaredNorm();
      stalled_ = before - after < 1e-4 * before ? stalled_ + 1 : 0;
      if (stalled_ >= 3) break;
    }
    return {x_of(z_), std::vector<double>(r_.begin(), r_.end()), evaluations_};
  }

 private:
  bool may_go_on() const { return evaluations_ + z_.size() < problem_.evaluations; }

  std::vector<double> x_of(const Vector& z) const {
    std::vector<double> x(static_cast<std::size_t>(z.size()));
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = problem_.least[k] + (problem_.most[k] - problem_.least[k]) * z[static_cast<Eigen::Index>(k)];
    return x;
  }

  Vector evaluate(const Vector& z) {
    ++evaluations_;
    const std::vector<double> r = problem_.residuals(x_of(z));
    Vector out = Eigen::Map<const Vector>(r.data(), static_cast<Eigen::Index>(r.size()));
    if (!out.allFinite()) out.resize(0);
    return out;
  }

  // Forward differences, inward at the upper bound and where the forward one is not feasible.
  bool find_jacobian() {
    J_.setZero(r_.size(), z_.size());
    for (Eigen::Index i = 0; i < z_.size(); ++i) {
      double h = z_[i] + difference > 1 ? -difference : difference;
      Vector r;
      for (int attempt = 0; attempt < 2 && r.size() == 0; ++attempt, h = -h) {
        Vector z = z_;
        z[i] += h;
        r = evaluate(z);
        if (r.size() == r_.size()) J_.col(i) = (r - r_) / h;
      }
    }
    return true;
  }

  bool take_step(double& lambda) {
    const Matrix A = J_.transpose() * J_;
    const Vector g = J_.transpose() * r_;
    const Vector D = A.diagonal().array() + small_diagonal * A.trace();
    for (int attempt = 0; attempt < 14 && may_go_on(); ++attempt) {
      Matrix damped = A;
      damped.diagonal() += lambda * D;
      const Vector z = (z_ - damped.ldlt().solve(g)).cwiseMax(0.0).cwiseMin(1.0);  // (1)
      const Vector r = evaluate(z);
      if (r.size() == r_.size() && r.squaredNorm() < r_.squaredNorm()) {
        z_ = z, r_ = r;
        lambda = std::max(lambda / 5, 1e-12);
        return true;
      }
      lambda *= 4;
    }
    return false;
  }

  const LeastSquaresProblem& problem_;
  Vector z_, r_;
  Matrix J_;
  int evaluations_ = 0, stalled_ = 0;
};

}  // namespace

LeastSquaresResult solve_least_squares(const LeastSquaresProblem& problem, const std::vector<double>& start) {
  return Search(problem, start).run();
}

}  // namespace trammel::study

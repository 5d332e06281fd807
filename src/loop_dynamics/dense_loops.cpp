// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "loop_dynamics/dense_loops.hpp"

#include <algorithm>
#include <cmath>

#include "loops/loop_solver.hpp"

namespace trammel {
namespace {

constexpr double no_inertia_below = 1e-13;  // of the largest singular value of NᵀMN, scaled to ones on its diagonal
constexpr double smallest_of_all = 1e-13;   // singular value, of the largest: below it all is round-off

}  // namespace

DenseLoops::DenseLoops(const MatrixXd& J, const VectorXd& R, const VectorXd& C, const MatrixXd& M)
    : J_(J), S_(R.asDiagonal() * J * C.asDiagonal()), R_(R), C_(C) {
  const Eigen::Index n = M.rows();
  if (J.rows() > 0 && n > 0) {
    svd_ = dense::svd(S_);
    const double smallest = rank_tolerance * std::max(svd_.s(0), 1.0);
    while (rank_ < svd_.s.size() && svd_.s(rank_) > smallest) ++rank_;
    V2_ = svd_.V.rightCols(n - rank_);
  } else {
    V2_ = MatrixXd::Identity(n, n);
  }
  N_ = C.asDiagonal() * V2_;
  set_mass(M);
}

void DenseLoops::set_mass(const MatrixXd& M) {
  M_ = M;
  has_inertia_ = true;
  if (N_.cols() == 0) return;
  MatrixXd reduced = N_.transpose() * M * N_;
  reduced_scale_ = reduced.diagonal();
  const double largest = reduced_scale_.maxCoeff();
  for (Eigen::Index k = 0; k < reduced_scale_.size(); ++k) {
    const double d = reduced_scale_(k);
    reduced_scale_(k) = d > no_inertia_below * largest ? 1 / std::sqrt(d) : 0;
  }
  reduced = reduced_scale_.asDiagonal() * reduced * reduced_scale_.asDiagonal();
  reduced_ = dense::svd(reduced);
  const Eigen::Index last = reduced_.s.size() - 1;
  has_inertia_ = reduced_.s(last) > no_inertia_below * reduced_.s(0);
  if (!has_inertia_) {
    VectorXd y = reduced_.V.col(last);
    for (Eigen::Index k = 0; k < y.size(); ++k) {
      if (reduced_scale_(k) > 0) y(k) *= reduced_scale_(k) * std::sqrt(largest);
    }
    weightless_ = V2_ * y;
  }
}

double DenseLoops::conditioning() const { return rank_ == 0 ? 1 : svd_.s(rank_ - 1) / svd_.s(0); }

Eigen::MatrixXd DenseLoops::solve_reduced(const MatrixXd& right) const {
  const MatrixXd scaled = reduced_scale_.asDiagonal() * right;
  return reduced_scale_.asDiagonal() *
         (reduced_.V * (reduced_.s.cwiseInverse().asDiagonal() * (reduced_.U.transpose() * scaled)));
}

DenseLoops::Solution DenseLoops::solve(const VectorXd& f, const VectorXd& d, double natural) const {
  Solution out;
  out.x = VectorXd::Zero(M_.rows());
  const VectorXd wanted = R_.cwiseProduct(d);
  if (rank_ > 0) {
    const VectorXd along = svd_.U.leftCols(rank_).transpose() * wanted;
    out.x = C_.cwiseProduct(svd_.V.leftCols(rank_) * along.cwiseQuotient(svd_.s.head(rank_)));  // (1)
  }
  out.missing = R_.cwiseProduct(J_ * out.x) - wanted;
  const double size = std::max(wanted.size() == 0 ? 0.0 : wanted.cwiseAbs().maxCoeff(), natural);
  out.consistent = out.missing.size() == 0 || out.missing.cwiseAbs().maxCoeff() <= consistency_tolerance * size;
  if (N_.cols() > 0) out.x += N_ * solve_reduced(N_.transpose() * (f - M_ * out.x));
  out.lambda = multipliers(M_ * out.x - f);
  return out;
}

Eigen::MatrixXd DenseLoops::particular(const MatrixXd& d) const {
  if (rank_ == 0) return MatrixXd::Zero(M_.rows(), d.cols());
  const MatrixXd along = svd_.U.leftCols(rank_).transpose() * (R_.asDiagonal() * d);
  return C_.asDiagonal() * (svd_.V.leftCols(rank_) * (svd_.s.head(rank_).cwiseInverse().asDiagonal() * along));
}

Eigen::MatrixXd DenseLoops::solve_motions(const MatrixXd& f, const MatrixXd& d) const {
  MatrixXd x = particular(d);
  if (N_.cols() > 0) x += N_ * solve_reduced(N_.transpose() * (f - M_ * x));
  return x;
}

Eigen::VectorXd DenseLoops::multipliers(const VectorXd& needed, VectorXd* rest) const {
  const VectorXd scaled = C_.cwiseProduct(needed);
  VectorXd lambda = VectorXd::Zero(J_.rows());
  if (rank_ > 0) {
    const VectorXd along = svd_.V.leftCols(rank_).transpose() * scaled;
    lambda = R_.cwiseProduct(svd_.U.leftCols(rank_) * along.cwiseQuotient(svd_.s.head(rank_)));  // (2)
  }
  if (rest != nullptr) *rest = V2_ * (V2_.transpose() * scaled);
  return lambda;
}

void DenseLoops::explain(const VectorXd& needed, double round_off) {
  const VectorXd scaled = C_.cwiseProduct(needed);
  const double enough = consistency_tolerance * scaled.norm() + round_off;
  while (rank_ < svd_.s.size() && svd_.s(rank_) > smallest_of_all * svd_.s(0) &&
         (V2_.transpose() * scaled).norm() > enough) {
    V2_ = svd_.V.rightCols(M_.rows() - ++rank_);
  }
}

Eigen::MatrixXd DenseLoops::self_stress() const {
  if (J_.rows() == 0) return MatrixXd(0, 0);
  if (M_.rows() == 0) return R_.asDiagonal() * MatrixXd::Identity(J_.rows(), J_.rows());
  return R_.asDiagonal() * dense::svd(S_.transpose()).V.rightCols(J_.rows() - rank_);
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "dynamics/lilly_orin/reference_member.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace trammel {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double null_eigenvalues[] = {
    1e-13, 1e-14};                       // over the largest of the chain; the second where the first leaves a residual
constexpr double no_residual = 1e-10;    // of what is asked of the rows
constexpr double null_of_scale = 1e-13;  // over the bound on its Λ⁻¹: round-off
constexpr double dependent_rows = 1e-9;  // singular values of C, whose rows have unit length

// min |T a − t|: an upper triangle and its right-hand side, which take rows one by one.
struct Triangle {
  Matrix6 T = Matrix6::Zero();
  Vector6 t = Vector6::Zero();
  double left_over = 0;  // squared length of the right-hand sides that no row is left for

  void add(Vector6 row, double value) {
    for (int j = 0; j < 6; ++j) {
      if (row(j) == 0) continue;
      Eigen::JacobiRotation<double> turn;
      turn.makeGivens(T(j, j), row(j));
      const double c = turn.c(), s = -turn.s();  // [c s; −s c] makes row(j) zero
      for (int i = j; i < 6; ++i) {
        const double above = T(j, i), below = row(i);
        T(j, i) = c * above + s * below;
        row(i) = -s * above + c * below;
      }
      row(j) = 0;
      const double above = t(j);
      t(j) = c * above + s * value;
      value = -s * above + c * value;
    }
    left_over += value * value;
  }
};

// SplitK with Eigen's arithmetic.
struct Split {
  Eigen::Map<Matrix6> U, B;
  Eigen::Map<Vector6> lambda, s, S, h;
  int &first, &first_regular;

  explicit Split(SplitK& k)
      : U(k.U.data()),
        B(k.B.data()),
        lambda(k.lambda.data()),
        s(k.s.data()),
        S(k.S.data()),
        h(k.h.data()),
        first(k.first),
        first_regular(k.first_regular) {}
};

void split(HeldBy& chain, double length, double null_eigenvalue) {
  const int n = chain.rows;
  Split out(chain.split);
  out.first = 6 - n;
  out.B.setZero();
  out.s.setZero();
  out.S.setZero();
  double plain = 0;  // largest diagonal entry of rows that are not rotors'
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < 6; ++i) out.B(j, i) = chain.C[j][i] / (i < 3 ? length : 1);
    out.s(j) = 1 / std::sqrt(chain.size[j]);
    if (!chain.rotor[j]) plain = std::max(plain, chain.K[7 * j] * out.s(j) * out.s(j));
  }
  for (int j = 0; j < n; ++j) {
    if (chain.rotor[j]) out.s(j) = std::sqrt((plain > 0 ? plain : 1) / chain.K[7 * j]);
  }
  Matrix6 K = Matrix6::Zero();
  for (int j = 0; j < n; ++j) {
    out.B.row(j) *= out.s(j);
    out.S(j) = chain.S[j] * out.s(j);
    for (int i = 0; i <= j; ++i) K(j, i) = K(i, j) = chain.K[6 * j + i] * out.s(j) * out.s(i);
  }
  out.h.setZero();
  const double below_all = -1 - K.trace();
  for (int j = n; j < 6; ++j) K(j, j) = below_all;
  const Eigen::SelfAdjointEigenSolver<Matrix6> eigen(K);
  out.U = eigen.eigenvectors();
  out.lambda = eigen.eigenvalues();
  const double threshold = std::max(null_eigenvalue * out.lambda(5), null_of_scale * chain.scale);
  out.first_regular = out.first;
  while (out.first_regular < 6 && !(out.lambda(out.first_regular) > threshold)) ++out.first_regular;
}

class RankedSolver {
 public:
  RankedSolver(std::span<HeldBy> chains, double length, double null_eigenvalue, const Matrix6& I_0, const Vector6& p)
      : chains_(chains), p_(p), own_(I_0) {
    for (HeldBy& chain : chains_) {
      chain.split.first = chain.split.first_regular = 6;
      if (chain.rows > 0) split(chain, length, null_eigenvalue);
    }
  }

  void run(StarReport& report) {
    gather(report);
    solve(report);
  }
  const Vector6& acceleration() const { return a_; }
  Matrix6 inertia() const { return R_.T.transpose() * R_.T; }
  const Matrix6& inverse_inertia() const { return inverse_; }

 private:
  std::span<HeldBy> chains_;
  Vector6 p_;
  Eigen::SelfAdjointEigenSolver<Matrix6> own_;
  Triangle R_, C_;
  int null_rows_ = 0;
  Vector6 a_ = Vector6::Zero();
  Matrix6 inverse_ = Matrix6::Zero();

  // The triangles of (1) and (2).
  void gather(StarReport& report) {
    R_ = C_ = {};
    null_rows_ = report.rank = 0;
    for (int i = 0; i < 6; ++i) {
      R_.add(std::sqrt(std::max(own_.eigenvalues()(i), 0.0)) * own_.eigenvectors().col(i), 0);
    }
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (HeldBy& chain : chains_) {
      const Split k(chain.split);
      for (int i = k.first; i < 6; ++i) {
        const Vector6 row = k.B.transpose() * k.U.col(i);
        const double value = k.U.col(i).dot(k.S);
        if (i < k.first_regular) {
          C_.add(row, value);
        } else {
          const double root = std::sqrt(k.lambda(i));
          R_.add(row / root, value / root);
          least = std::min(least, k.lambda(i));
          largest = std::max(largest, k.lambda(i));
        }
      }
      null_rows_ += k.first_regular - k.first;
      report.rank += 6 - k.first_regular;
    }
    if (largest > 0) report.conditioning = least / largest;
  }

  // (3), (4)
  void solve(StarReport& report) {
    const Eigen::JacobiSVD<Matrix6, Eigen::NoQRPreconditioner> svd(C_.T, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vector6& sigma = svd.singularValues();
    const Matrix6& V = svd.matrixV();
    int held = 0;
    while (held < 6 && sigma(held) > dependent_rows * std::max(1.0, sigma(0))) ++held;
    const Vector6 Ut = svd.matrixU().transpose() * C_.t;
    Vector6 a = Vector6::Zero();
    for (int i = 0; i < held; ++i) a += V.col(i) * (Ut(i) / sigma(i));
    double open = C_.left_over;
    for (int i = held; i < 6; ++i) open += Ut(i) * Ut(i);
    report.held = held;
    report.forces_unique = null_rows_ == held;
    report.residual = std::sqrt(open);
    if (held < 6) move_freely(V, held, a, report);

    const auto least_norm = [&](const Vector6& w) {  // (CᵀC)⁺ w
      Vector6 mu = Vector6::Zero();
      for (int i = 0; i < held; ++i) mu += V.col(i) * (V.col(i).dot(w) / (sigma(i) * sigma(i)));
      return mu;
    };
    Vector6 w = R_.T.transpose() * (R_.T * a - R_.t) + p_;
    Vector6 mu = least_norm(w);
    for (HeldBy& chain : chains_) {
      const Split k(chain.split);
      for (int i = k.first; i < k.first_regular; ++i) {
        const Vector6 row = k.B.transpose() * k.U.col(i);
        w -= row * row.dot(mu);
      }
    }
    mu += least_norm(w);
    for (HeldBy& chain : chains_) {
      Split k(chain.split);
      for (int i = k.first; i < 6; ++i) {
        const Vector6 row = k.B.transpose() * k.U.col(i);
        k.h += k.U.col(i) * (i < k.first_regular ? row.dot(mu) : (k.U.col(i).dot(k.S) - row.dot(a)) / k.lambda(i));
      }
    }
    a_ += a;
  }

  // The part of a in null(C), and the inverse of the inertia there.
  void move_freely(const Matrix6& V, int held, Vector6& a, StarReport& report) {
    const int free = 6 - held;
    Matrix6 Z = Matrix6::Zero();
    Z.leftCols(free) = V.rightCols(free);
    Triangle RZ;
    for (int i = 0; i < 6; ++i) RZ.add((R_.T.row(i) * Z).transpose(), R_.t(i) - R_.T.row(i).dot(a));
    const double size = RZ.T.diagonal().cwiseAbs().maxCoeff();
    for (int i = free; i < 6; ++i) RZ.T(i, i) = size, RZ.t(i) = 0;  // nothing moves there
    report.determined = RZ.T.diagonal().cwiseAbs().minCoeff() > 1e-12 * size && size > 0;
    if (!report.determined) return;
    Vector6 z = RZ.t - RZ.T.transpose().triangularView<Eigen::Lower>().solve(Vector6(Z.transpose() * p_));
    z = RZ.T.triangularView<Eigen::Upper>().solve(z).eval();
    a += Z * z;
    const Matrix6 root = RZ.T.triangularView<Eigen::Upper>().solve(Matrix6(Matrix6::Identity()));
    inverse_ = Z * root * root.transpose() * Z.transpose();
  }
};

double largest_demand(std::span<const HeldBy> chains) {
  double largest = 0;
  for (const HeldBy& chain : chains) {
    for (int j = 0; j < chain.rows; ++j) largest = std::max(largest, std::abs(chain.S[j]) / std::sqrt(chain.size[j]));
  }
  return largest;
}

}  // namespace

void solve_with_ranks(ReferenceEquation& reference, std::span<HeldBy> chains, double length, StarReport& report) {
  // Scaled: a = [ℓ α; a], forces [n/ℓ; f].
  Vector6 scaling;
  scaling << Eigen::Vector3d::Constant(1 / length), Eigen::Vector3d::Ones();
  const Matrix6 I_0 = scaling.asDiagonal() * Eigen::Map<const Matrix6>(reference.inertia.data()) * scaling.asDiagonal();
  const Vector6 p = scaling.cwiseProduct(Eigen::Map<const Vector6>(reference.force.data()));
  RankedSolver solver(chains, length, null_eigenvalues[0], I_0, p);
  solver.run(report);
  if (report.residual > no_residual * largest_demand(chains)) {
    // Directions that are held but contradict each other are not held, if they are more than round-off.
    RankedSolver again(chains, length, null_eigenvalues[1], I_0, p);
    StarReport second = report;
    again.run(second);
    if (second.residual < 0.1 * report.residual && second.determined) {
      report = second;
      solver = again;
    } else {
      solver = RankedSolver(chains, length, null_eigenvalues[0], I_0, p);
      solver.run(report);
    }
  }
  for (HeldBy& chain : chains) {
    for (int j = 0; j < chain.rows; ++j) chain.h[j] = chain.split.h[j] * chain.split.s[j];
  }
  const Vector6 unscaling = scaling.cwiseInverse();
  Eigen::Map<Matrix6>(reference.inertia.data()) = unscaling.asDiagonal() * solver.inertia() * unscaling.asDiagonal();
  Eigen::Map<Vector6>(reference.acceleration.data()) = scaling.cwiseProduct(solver.acceleration());
  Eigen::Map<Matrix6>(reference.inverse_inertia.data()) =
      scaling.asDiagonal() * solver.inverse_inertia() * scaling.asDiagonal();
}

}  // namespace trammel

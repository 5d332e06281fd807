// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "simulation/coordinate_rates.hpp"

#include <array>
#include <cmath>

#include <Eigen/Cholesky>

#include <trammel/core/dual.hpp>

namespace trammel {
namespace {

using At = std::size_t;

// Central differences, twice, so that the error is of fourth order: ~1e-13 of q.
void rates_of_custom(const Custom& custom, const double* q, const double* v, double* qdot) {
  const AnyJoint joint(custom);
  const int n = nv(joint), m = nq(joint);
  double speed = 0;
  for (int i = 0; i < n; ++i) speed = std::max(speed, std::abs(v[i]));
  std::fill_n(qdot, m, 0.0);
  if (speed == 0) return;
  double delta[Custom::max_nv], ahead[Custom::max_nq], behind[Custom::max_nq];
  const double e = 1e-3 / speed;
  for (const auto& [step, weight] : {std::pair{e, 4.0 / 3}, std::pair{2 * e, -1.0 / 3}}) {
    for (int i = 0; i < n; ++i) delta[i] = step * v[i];
    q_step(joint, q, delta, ahead);
    for (int i = 0; i < n; ++i) delta[i] = -step * v[i];
    q_step(joint, q, delta, behind);
    for (int i = 0; i < m; ++i) qdot[i] += weight * (ahead[i] - behind[i]) / (2 * step);
  }
}

template <class J>
void rates_of(const J& joint, const double* q, const double* v, double* qdot) {
  if constexpr (std::is_same_v<J, Custom>) {
    rates_of_custom(joint, q, v, qdot);
  } else if constexpr (J::nv > 0) {
    std::array<Dual, J::nq> at, next;
    std::array<Dual, J::nv> along;
    for (At i = 0; i < at.size(); ++i) at[i] = Dual(q[i]);
    for (At i = 0; i < along.size(); ++i) along[i] = Dual(0, v[i]);
    joint.template q_step<Dual>(at.data(), along.data(), next.data());
    for (At i = 0; i < next.size(); ++i) qdot[i] = next[i].eps;
  }
}

// By the normal equations, NᵀN v = Nᵀ q̇, which are well conditioned: columns of N are turns of one quaternion and travels.
void freedoms_of(const AnyJoint& joint, const double* q, const double* qdot, double* v) {
  const int n = nv(joint), m = nq(joint);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Custom::max_nq, Custom::max_nv> N(m, n);
  for (int k = 0; k < n; ++k) {
    double unit[Custom::max_nv] = {};
    unit[k] = 1;
    std::visit([&](const auto& type) { rates_of(type, q, unit, N.col(k).data()); }, joint);
  }
  const Eigen::Map<const Eigen::VectorXd> given(qdot, m);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Custom::max_nv, Custom::max_nv> gram =
      N.transpose() * N;
  Eigen::Map<Eigen::VectorXd>(v, n) = gram.llt().solve(N.transpose() * given);
}

}  // namespace

void freedoms_of_coordinates(const Mechanism& mech, std::span<const double> q, std::span<const double> qdot,
                             std::span<double> v) {
  for (const Link& link : mech.links) {
    const auto c = static_cast<At>(link.q), k = static_cast<At>(link.v);
    if (link.nq == link.nv) {
      std::copy_n(&qdot[c], link.nv, &v[k]);
    } else {
      freedoms_of(link.type, &q[c], &qdot[c], &v[k]);
    }
  }
}

void coordinate_rates(const Mechanism& mech, std::span<const double> q, std::span<const double> v,
                      std::span<double> qdot) {
  for (const Link& link : mech.links) {
    const auto c = static_cast<At>(link.q), k = static_cast<At>(link.v);
    if (link.nq == link.nv) {
      std::copy_n(&v[k], link.nv, &qdot[c]);
    } else {
      std::visit([&](const auto& joint) { rates_of(joint, &q[c], &v[k], &qdot[c]); }, link.type);
    }
  }
}

void make_unit(const Mechanism& mech, std::span<double> q) {
  constexpr double none[Custom::max_nv] = {};
  for (const Link& link : mech.links) {
    double* own = &q[static_cast<At>(link.q)];
    if (link.nq != link.nv) q_step(link.type, own, none, own);
  }
}

}  // namespace trammel

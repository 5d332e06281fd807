// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Motion over time for tests, from forward_dynamics alone: the fifth-order Runge–Kutta formula of Dormand and Prince
// (1980), six evaluations a step, with a fixed step. Spherical and free joints go through
//   q̇ = ½ q ∘ (0, ω),   ṗ = R u

#include <cmath>
#include <functional>
#include <stdexcept>

#include <Eigen/Dense>

#include <trammel/dynamics.hpp>

#include "support/dense.hpp"

namespace trammel::test {

inline void joint_rate(const JointInfo& joint, const double* q, const double* v, double* rate) {
  const bool free = std::holds_alternative<Free>(joint.type);
  if (!free && !std::holds_alternative<Spherical>(joint.type)) {
    for (int i = 0; i < joint.nv; ++i) rate[i] = v[i];
    return;
  }
  const Quaternion<double> rotation = Quaternion<double>::load(q);
  (rotation * Quaternion<double>{0, v[0] / 2, v[1] / 2, v[2] / 2}).store(rate);
  if (!free) return;
  const Vec3d p_dot = rotation_of(rotation) * Vec3d{v[3], v[4], v[5]};
  rate[4] = p_dot.x, rate[5] = p_dot.y, rate[6] = p_dot.z;
}

class Integrator {
 public:
  Integrator(const Mechanism& mechanism, std::span<const double> q, std::span<const double> v, double step)
      : mech_(mechanism), ws_(mechanism), tau_(v.size(), 0.0), step_(step), y_(mechanism.nq + mechanism.nv) {
    y_ << Eigen::Map<const Eigen::VectorXd>(q.data(), mechanism.nq),
        Eigen::Map<const Eigen::VectorXd>(v.data(), mechanism.nv);
  }

  // Forward to time t in equal steps no longer than the one asked for. `after_step` sees every one of them.
  void advance_to(
      double t, const std::function<void()>& after_step = [] {}) {
    const int steps = static_cast<int>(std::ceil((t - t_) / step_ - 1e-9));
    for (int i = 0; i < steps; ++i) {
      take_step((t - t_) / (steps - i));
      after_step();
    }
    t_ = t;
  }
  std::span<const double> q() const { return {y_.data(), static_cast<std::size_t>(mech_.nq)}; }
  std::span<const double> v() const { return {y_.data() + mech_.nq, static_cast<std::size_t>(mech_.nv)}; }
  double energy() {
    compute_velocities(mech_, ws_, q(), v());
    const Energy<double> energy = compute_energy(mech_, ws_, v());
    return energy.kinetic + energy.potential;
  }

 private:
  Eigen::VectorXd rate(const Eigen::VectorXd& y) {
    const double* q = y.data();
    const double* v = y.data() + mech_.nq;
    const std::size_t nq = static_cast<std::size_t>(mech_.nq), nv = static_cast<std::size_t>(mech_.nv);
    Eigen::VectorXd dy(y.size());
    for (const JointInfo& joint : mech_.joints)
      if (joint.nv > 0) joint_rate(joint, q + joint.q, v + joint.v, dy.data() + joint.q);
    const DynamicsVerdict verdict = forward_dynamics(mech_, ws_, {q, nq}, {v, nv}, tau_, {dy.data() + mech_.nq, nv});
    if (!verdict.ok()) throw std::runtime_error("the acceleration is not determined");
    return dy;
  }

  void take_step(double h) {
    const Eigen::VectorXd k1 = rate(y_);
    const Eigen::VectorXd k2 = rate(y_ + h * (k1 / 5));
    const Eigen::VectorXd k3 = rate(y_ + h * (k1 * 3 / 40 + k2 * 9 / 40));
    const Eigen::VectorXd k4 = rate(y_ + h * (k1 * 44 / 45 - k2 * 56 / 15 + k3 * 32 / 9));
    const Eigen::VectorXd k5 =
        rate(y_ + h * (k1 * 19372 / 6561 - k2 * 25360 / 2187 + k3 * 64448 / 6561 - k4 * 212 / 729));
    const Eigen::VectorXd k6 =
        rate(y_ + h * (k1 * 9017 / 3168 - k2 * 355 / 33 + k3 * 46732 / 5247 + k4 * 49 / 176 - k5 * 5103 / 18656));
    y_ += h * (k1 * 35 / 384 + k3 * 500 / 1113 + k4 * 125 / 192 - k5 * 2187 / 6784 + k6 * 11 / 84);
    t_ += h;
  }

  const Mechanism& mech_;
  Workspace ws_;
  std::vector<double> tau_;
  double step_, t_ = 0;
  Eigen::VectorXd y_;
};

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two joints a library user might write.

#include <trammel/joints/custom.hpp>

namespace trammel::test {

// A slider on an elliptic rail in the x-y plane, turning with the rail's parameter s:
//   p_FM = (a sin s, b (1 − cos s), 0),  R_FM = Rz(s)
class EllipticRail : public CustomJoint {
 public:
  EllipticRail(double a, double b) : a_(a), b_(b) {}

  std::string_view keyword() const override { return "elliptic rail"; }
  int nq() const override { return 1; }
  std::vector<Freedom> freedoms() const override { return {{"parameter", dimension::angle}}; }
  Transform<double> X_FM(const double* q) const override {
    return {rotation_z(q[0]), {a_ * std::sin(q[0]), b_ * (1 - std::cos(q[0])), 0}};
  }
  // Rz(s)ᵀ (a cos s, b sin s, 0) = (a c² + b s², (b − a) s c, 0)
  void H_FM(const double* q, std::span<Motion<double>> columns) const override {
    const double s = std::sin(q[0]), c = std::cos(q[0]);
    columns[0] = {{0, 0, 1}, {a_ * c * c + b_ * s * s, (b_ - a_) * s * c, 0}};
  }
  void Hdot_FM(const double* q, const double* v, std::span<Motion<double>> columns) const override {
    const double s2 = std::sin(2 * q[0]), c2 = std::cos(2 * q[0]);
    columns[0] = {{}, {(b_ - a_) * s2 * v[0], (b_ - a_) * c2 * v[0], 0}};
  }
  void q_zero(double* q) const override { q[0] = 0; }
  void q_step(const double* q, const double* dq, double* out) const override { out[0] = q[0] + dq[0]; }
  void q_fit(const Transform<double>& X, double* q) const override { q[0] = fit_angle_z(X.R); }

 private:
  double a_, b_;
};

// A ball joint in yaw, pitch and roll: R_FM = Rz(ψ) Ry(θ) Rx(φ), v = q̇. Singular at θ = ±π/2.
class YawPitchRoll : public CustomJoint {
 public:
  std::string_view keyword() const override { return "yaw-pitch-roll"; }
  int nq() const override { return 3; }
  std::vector<Freedom> freedoms() const override {
    return {{"yaw", dimension::angle}, {"pitch", dimension::angle}, {"roll", dimension::angle}};
  }
  Transform<double> X_FM(const double* q) const override {
    return {rotation_z(q[0]) * rotation_y(q[1]) * rotation_x(q[2]), {}};
  }
  // Seen in M the yaw axis is Rx(φ)ᵀ Ry(θ)ᵀ ez = (−sin θ, cos θ sin φ, cos θ cos φ), the pitch axis Rx(φ)ᵀ ey.
  void H_FM(const double* q, std::span<Motion<double>> columns) const override {
    const double st = std::sin(q[1]), ct = std::cos(q[1]), sf = std::sin(q[2]), cf = std::cos(q[2]);
    columns[0] = {{-st, ct * sf, ct * cf}, {}};
    columns[1] = {{0, cf, -sf}, {}};
    columns[2] = {{1, 0, 0}, {}};
  }
  void Hdot_FM(const double* q, const double* v, std::span<Motion<double>> columns) const override {
    const double st = std::sin(q[1]), ct = std::cos(q[1]), sf = std::sin(q[2]), cf = std::cos(q[2]);
    columns[0] = {{-ct * v[1], -st * sf * v[1] + ct * cf * v[2], -st * cf * v[1] - ct * sf * v[2]}, {}};
    columns[1] = {{0, -sf * v[2], -cf * v[2]}, {}};
    columns[2] = {};
  }
  void q_zero(double* q) const override { q[0] = q[1] = q[2] = 0; }
  void q_step(const double* q, const double* dq, double* out) const override {
    for (int i = 0; i < 3; ++i) out[i] = q[i] + dq[i];
  }
  void q_fit(const Transform<double>& X, double* q) const override {
    const Mat3d& R = X.R;
    q[0] = std::atan2(R.ex.y, R.ex.x);
    q[1] = std::atan2(-R.ex.z, std::hypot(R.ey.z, R.ez.z));
    q[2] = std::atan2(R.ey.z, R.ez.z);
  }
};

}  // namespace trammel::test

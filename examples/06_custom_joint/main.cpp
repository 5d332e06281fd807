// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// A joint that trammel does not know: a bead on a cycloidal wire, hung like a bowl.
//   p_FM = r (s + sin s, 1 − cos s, 0),  no rotation;   −π < s < π, the lowest point at s = 0
// Huygens' tautochrone: measured along the wire, σ = 4 r sin(s/2), the bead is a harmonic oscillator,
// σ̈ = −g σ / (4 r), whatever the amplitude. The program holds forward_dynamics to that.

#include <cmath>
#include <cstdio>
#include <memory>

#include <trammel/trammel.hpp>

namespace {

class CycloidWire : public trammel::CustomJoint {
 public:
  explicit CycloidWire(double r) : r_(r) {}

  std::string_view keyword() const override { return "cycloid wire"; }
  int nq() const override { return 1; }
  std::vector<trammel::Freedom> freedoms() const override { return {{"parameter", trammel::dimension::angle}}; }

  trammel::Transform<double> X_FM(const double* q) const override {
    return trammel::Transform<double>::translation({r_ * (q[0] + std::sin(q[0])), r_ * (1 - std::cos(q[0])), 0});
  }
  void H_FM(const double* q, std::span<trammel::Motion<double>> columns) const override {
    columns[0] = {{}, {r_ * (1 + std::cos(q[0])), r_ * std::sin(q[0]), 0}};
  }
  void Hdot_FM(const double* q, const double* v, std::span<trammel::Motion<double>> columns) const override {
    columns[0] = {{}, {-r_ * std::sin(q[0]) * v[0], r_ * std::cos(q[0]) * v[0], 0}};
  }
  void q_zero(double* q) const override { q[0] = 0; }
  void q_step(const double* q, const double* dq, double* out) const override { out[0] = q[0] + dq[0]; }
  // The height alone tells |s|, the side its sign.
  void q_fit(const trammel::Transform<double>& X, double* q) const override {
    q[0] = std::copysign(std::acos(std::fmax(-1, std::fmin(1, 1 - X.p.y / r_))), X.p.x);
  }

 private:
  double r_;
};

}  // namespace

int main() {
  constexpr double g = 9.81, r = 0.25;
  trammel::Model model;
  model.gravity = {0, -g, 0};
  add_body(model, "bead", 0.1, {}, {});
  add_joint(model, "wire", trammel::Custom{std::make_shared<CycloidWire>(r)}, "ground", "bead", {});
  const trammel::CompileResult compiled = trammel::compile(model);
  if (!compiled.ok()) {
    std::printf("%s", compiled.diagnostics.to_string().c_str());
    return 2;
  }
  trammel::Workspace ws(compiled.mechanism);

  std::printf("      s   along the wire   its acceleration      -g/(4r) of it\n");
  double worst = 0;
  for (const double s : {0.2, 0.8, 1.6, 2.4}) {
    const double q[1] = {s}, v[1] = {1.5}, tau[1] = {0};
    double a[1] = {};
    if (!trammel::forward_dynamics(compiled.mechanism, ws, q, v, tau, a).ok()) return 1;
    const double sigma = 4 * r * std::sin(s / 2);
    const double sigma_rate2 = 2 * r * std::cos(s / 2) * a[0] - r * std::sin(s / 2) * v[0] * v[0];
    std::printf("%7.1f %14.6f m %14.6f m/s2 %13.6f m/s2\n", s, sigma, sigma_rate2, -g / (4 * r) * sigma);
    worst = std::fmax(worst, std::abs(sigma_rate2 + g / (4 * r) * sigma));
  }
  return worst < 1e-13 ? 0 : 1;
}

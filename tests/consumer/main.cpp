// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// What a project outside the tree does with an installed trammel: builds a double pendulum in C++, holds its
// accelerations against the closed form, reads the same mechanism from a YAML text, and asks for a recording. Ends with 1 when a number is off.

#include <cmath>
#include <cstdio>
#include <string_view>

#include <trammel/trammel.hpp>

namespace {

constexpr double g = 9.81, m1 = 1.5, m2 = 0.5, l1 = 1.0, l2 = 0.8;
constexpr double q[2] = {0.7, -1.1}, v[2] = {0.4, 2.0}, tau[2] = {0.3, -0.2};  // elbow relative to the upper rod

constexpr std::string_view text = R"(
trammel: 1
name: double pendulum
units: {length: mm}
gravity: [0, -9810, 0]
points: {O: [0, 0, 0], A: [0, -1000, 0], B: [0, -1800, 0]}
bodies:
  upper: {mass: 1.5, com: A}
  lower: {mass: 0.5, com: B}
joints:
  shoulder: {revolute: [ground, upper], at: O, axis: z}
  elbow:    {revolute: [upper, lower], at: A, axis: z}
)";

// Two point masses at the ends of massless rods that hang down at zero coordinates.
trammel::Model double_pendulum() {
  trammel::Model model;
  model.name = "double pendulum";
  model.gravity = {0, -g, 0};
  add_body(model, "upper", m1, {0, -l1, 0}, {});
  add_body(model, "lower", m2, {0, -l1 - l2, 0}, {});
  add_joint(model, "shoulder", trammel::Revolute{}, "ground", "upper", trammel::frame_at({0, 0, 0}, {0, 0, 1}));
  add_joint(model, "elbow", trammel::Revolute{}, "upper", "lower", trammel::frame_at({0, -l1, 0}, {0, 0, 1}));
  return model;
}

// M a + h = τ, the textbook equations in the relative angles, solved by Cramer's rule.
void closed_form(double (&a)[2]) {
  const double c = std::cos(q[1]), s = std::sin(q[1]), s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]);
  const double M22 = m2 * l2 * l2, M12 = M22 + m2 * l1 * l2 * c, M11 = (m1 + m2) * l1 * l1 + M12 + m2 * l1 * l2 * c;
  const double f2 = tau[1] - m2 * l1 * l2 * s * v[0] * v[0] - m2 * g * l2 * s12;
  const double f1 = tau[0] + m2 * l1 * l2 * s * (2 * v[0] + v[1]) * v[1] - (m1 + m2) * g * l1 * s1 - m2 * g * l2 * s12;
  const double det = M11 * M22 - M12 * M12;
  a[0] = (M22 * f1 - M12 * f2) / det;
  a[1] = (M11 * f2 - M12 * f1) / det;
}

bool agrees(const char* origin, const trammel::Model& model) {
  const trammel::CompileResult compiled = trammel::compile(model);
  if (!compiled.ok()) {
    std::printf("%s\n", compiled.diagnostics.to_string().c_str());
    return false;
  }
  trammel::Workspace ws(compiled.mechanism);
  double a[2] = {}, expected[2] = {};
  closed_form(expected);
  const bool solved = trammel::forward_dynamics(compiled.mechanism, ws, q, v, tau, a).ok();
  const double error = std::hypot(a[0] - expected[0], a[1] - expected[1]) / std::hypot(expected[0], expected[1]);
  std::printf("%-9s a = %.12g, %.12g rad/s^2; closed form off by %.1e\n", origin, a[0], a[1], error);
  return solved && error < 1e-13;
}

// Recordings need libraries of others, which an installed package must find again.
bool records() {
  try {
    trammel::read_recording("there_is_none.h5");
  } catch (const trammel::RecordingError& error) {
    std::printf("%s\n", error.what());
    return error.id() == "recording-unreadable";
  }
  return false;
}

}  // namespace

int main() {
  std::printf("trammel %.*s\n", static_cast<int>(trammel::version().size()), trammel::version().data());
  const trammel::ReadResult read = trammel::read_yaml(text, "double_pendulum.yaml");
  if (!read.ok()) std::printf("%s\n", read.diagnostics.to_string().c_str());
  const bool built_agrees = agrees("from C++", double_pendulum());
  const bool read_agrees = read.ok() && agrees("from YAML", read.model);
  return built_agrees && read_agrees && records() ? 0 : 1;
}

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Derivatives in closed form: a double pendulum of point masses, and a free body; and what they cost.

#include <cmath>

#include <gtest/gtest.h>

#include <trammel/core/counted.hpp>
#include <trammel/derivatives.hpp>

#include "support/prepared.hpp"

namespace trammel {
namespace {

// Two masses of 1 kg on rods of 1 m, θ₁ from straight down, θ₂ relative to the first. With c = cos θ₂, s = sin θ₂:
//   τ₁ = (3 + 2c) a₁ + (1 + c) a₂ − s (2 v₁ v₂ + v₂²) + g (2 sin θ₁ + sin(θ₁ + θ₂))
//   τ₂ = (1 + c) a₁ + a₂ + s v₁² + g sin(θ₁ + θ₂)                                        [any textbook, e.g. Craig 1989, ch. 6]
struct DoublePendulum {
  static constexpr double g = 9.81;

  static Mechanism mechanism() {
    Model model;
    model.gravity = {0, -g, 0};
    add_body(model, "upper", 1, {0, -1, 0}, {});
    add_body(model, "lower", 1, {0, -2, 0}, {});
    add_joint(model, "shoulder", Revolute{}, "ground", "upper", frame_at({}, {0, 0, 1}));
    add_joint(model, "elbow", Revolute{}, "upper", "lower", frame_at({0, -1, 0}, {0, 0, 1}));
    return test::compiled(model);
  }
};

TEST(DoublePendulum, has_the_derivatives_of_the_textbook) {
  const Mechanism mechanism = DoublePendulum::mechanism();
  Workspace ws(mechanism);
  const double g = DoublePendulum::g;
  test::Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> q = random.normals(2), v = random.normals(2), a = random.normals(2);
    const double s = std::sin(q[1]), c = std::cos(q[1]), c1 = std::cos(q[0]), c12 = std::cos(q[0] + q[1]);
    const double tau_q[4] = {g * (2 * c1 + c12),
                             -2 * s * a[0] - s * a[1] - c * (2 * v[0] * v[1] + v[1] * v[1]) + g * c12, g * c12,
                             -s * a[0] + c * v[0] * v[0] + g * c12};
    const double tau_v[4] = {-2 * s * v[1], -2 * s * (v[0] + v[1]), 2 * s * v[0], 0};
    const double M[4] = {3 + 2 * c, 1 + c, 1 + c, 1};
    std::vector<double> tau(2), by_q(4), by_v(4), inertia(4);
    inverse_dynamics_derivatives<double>(mechanism, ws, q, v, a, tau, {by_q, by_v, inertia});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(by_q[i], tau_q[i], 1e-13 * (1 + std::abs(tau_q[i]))) << "∂τ/∂q " << i;
      EXPECT_NEAR(by_v[i], tau_v[i], 1e-13 * (1 + std::abs(tau_v[i]))) << "∂τ/∂v " << i;
      EXPECT_NEAR(inertia[i], M[i], 1e-14 * M[0]) << "M " << i;
    }
    std::vector<double> found(2), a_q(4), a_v(4), a_tau(4);
    ASSERT_TRUE(forward_dynamics_derivatives<double>(mechanism, ws, q, v, tau, found, {a_q, a_v, a_tau}).ok());
    const double det = M[0] * M[3] - M[1] * M[2];
    const double inverse[4] = {M[3] / det, -M[1] / det, -M[2] / det, M[0] / det};
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(found[r], a[r], 1e-12 * (1 + std::abs(a[r])));
      for (std::size_t k = 0; k < 2; ++k) {
        const double expected_q = -(inverse[2 * r] * tau_q[k] + inverse[2 * r + 1] * tau_q[2 + k]);
        const double expected_v = -(inverse[2 * r] * tau_v[k] + inverse[2 * r + 1] * tau_v[2 + k]);
        EXPECT_NEAR(a_q[2 * r + k], expected_q, 1e-11 * (1 + std::abs(expected_q)));
        EXPECT_NEAR(a_v[2 * r + k], expected_v, 1e-11 * (1 + std::abs(expected_v)));
        EXPECT_NEAR(a_tau[2 * r + k], inverse[2 * r + k], 1e-11);
      }
    }
  }
}

// Euler's equations in the body: τ = I α + ω × I ω, so ∂τ/∂ω δ = δ × I ω + ω × I δ. By q only weight changes, which turns in the body:
// f = m (a + ω × v − Rᵀ g), and −∂(Rᵀ g) = −(Rᵀ g) × δ.
TEST(FreeBody, has_the_derivatives_of_euler) {
  Model model;
  model.gravity = {0, 0, -9.81};
  add_body(model, "stone", 2, {}, {0.1, 0.2, 0.3, 0, 0, 0});
  add_joint(model, "base", Free{}, "ground", "stone", Transformd{});
  const Mechanism mechanism = test::compiled(model);
  Workspace ws(mechanism);
  test::Random random(1);
  std::vector<double> q(7);
  step_coordinates(mechanism, design_state(mechanism).q, random.normals(6), q);
  const std::vector<double> v = random.normals(6), a = random.normals(6);
  std::vector<double> tau(6), by_q(36), by_v(36), M(36);
  inverse_dynamics_derivatives<double>(mechanism, ws, q, v, a, tau, {by_q, by_v, M});
  const Vec3d w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]};
  const Vec3d Iw{0.1 * w.x, 0.2 * w.y, 0.3 * w.z};
  compute_positions(mechanism, ws, q);
  const Vec3d g_B = transpose_times(pose_WB(mechanism, ws, 0).R, model.gravity);
  const Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double inertia[3] = {0.1, 0.2, 0.3};
  const auto expect_column = [](const std::vector<double>& matrix, std::size_t j, const Vec3d& n, const Vec3d& f) {
    const double expected[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(matrix[6 * k + j], expected[k], 1e-12) << k << ", " << j;
  };
  for (std::size_t j = 0; j < 3; ++j) {
    expect_column(by_v, j, cross(axes[j], Iw) + cross(w, axes[j] * inertia[j]), cross(axes[j], u) * 2.0);
    expect_column(by_v, j + 3, {}, cross(w, axes[j]) * 2.0);
    expect_column(by_q, j, {}, cross(g_B, axes[j]) * -2.0);
    expect_column(by_q, j + 3, {}, {});
  }
}

// --- cost ------------------------------------------------------------------------------------------------------------------------

// `arms` chains of `length` hinges each on one body: as many freedoms, not as deep.
Model comb(int arms, int length) {
  Model model;
  add_body(model, "hub", 1, {}, {0.1, 0.1, 0.1, 0, 0, 0});
  add_joint(model, "hub", Revolute{}, "ground", "hub", frame_at({}, {0, 0, 1}));
  for (int i = 0; i < arms; ++i) {
    for (int k = 0; k < length; ++k) {
      const std::string name = std::to_string(i) + "." + std::to_string(k);
      const Vec3d at{static_cast<double>(k), static_cast<double>(i), 0};
      add_body(model, name, 1, at + Vec3d{0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
      add_joint(model, name, Revolute{}, k == 0 ? "hub" : std::to_string(i) + "." + std::to_string(k - 1), name,
                frame_at(at, k % 2 == 0 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0}));
    }
  }
  return model;
}

double multiplications(const Model& model) {
  const Mechanism mechanism = test::compiled(model);
  BasicWorkspace<Counted> ws(mechanism);
  const auto n = static_cast<std::size_t>(mechanism.nv);
  const std::vector<Counted> x(n, Counted(0.3));
  std::vector<Counted> tau(n), by_q(n * n), by_v(n * n), M(n * n);
  Counted::reset_operations();
  inverse_dynamics_derivatives<Counted>(mechanism, ws, x, x, x, tau, {by_q, by_v, M});
  return static_cast<double>(Counted::operations().multiplications);
}

// O(n·depth): arms beside each other cost the same each; along a chain the cost of a link grows by the same with each link before it.
TEST(Cost, of_derivatives_grows_with_the_number_of_freedoms_times_their_depth) {
  const double two = multiplications(comb(2, 8)), four = multiplications(comb(4, 8)), six = multiplications(comb(6, 8));
  EXPECT_EQ(six - four, four - two);
  // Chains shorter than 16 links, which have one point: second differences are constant.
  const double a = multiplications(comb(1, 4)), b = multiplications(comb(1, 6)), c = multiplications(comb(1, 8)),
               d = multiplications(comb(1, 10));
  EXPECT_EQ((d - c) - (c - b), (c - b) - (b - a));
}

}  // namespace
}  // namespace trammel

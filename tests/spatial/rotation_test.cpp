// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of rotations: matrices, quaternions, exp and log, Jacobians, and the quotients that need series near zero. The
// angles asked for lie at zero, far below round-off, on both sides of every switch to a series, and around π.

#include <gtest/gtest.h>

#include <trammel/spatial/transform.hpp>

#include "support/dense.hpp"
#include "support/duals.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::dense;
using test::derivatives;
using test::distance;
using test::Random;
using test::seeded;
using test::values;
using test::vee;

constexpr double pi = Random::pi;
constexpr double round_off = 4e-16;

// Angles below π, dense where formulas change.
std::vector<double> telling_angles() {
  std::vector<double> angles{0, 1e-300, 1e-160, 1e-20, 1e-12, 1e-9, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03};
  for (const double edge : {2e-3, 0.1, 0.2, 0.5, 1.0, 2.0}) {
    for (const double factor : {0.999999, 1.0, 1.000001}) angles.push_back(edge * factor);
  }
  for (const double below_pi : {1.0, 0.1, 1e-3, 1e-6, 1e-9, 1e-12}) angles.push_back(pi - below_pi);
  return angles;
}

double orthonormality_error(const Mat3d& R) {
  const Eigen::Matrix3d r = dense(R);
  return (r.transpose() * r - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
}

// --- series helpers ---------------------------------------------------------------------------------------------

// Σ_k terms(k) x^k in long double, to the last bit for |x| ≤ 16: an independent reference.
template <class Coefficient>
long double long_series(long double x, Coefficient coefficient) {
  long double sum = 0;
  for (int k = 30; k >= 0; --k) sum = sum * x + coefficient(k);
  return sum;
}
long double inverse_factorial(int n) { return 1 / std::tgamma(static_cast<long double>(n) + 1); }
long double sign(int k) { return k % 2 == 0 ? 1 : -1; }

long double reference_sinc(long double t2) {
  return long_series(t2, [](int k) { return sign(k) * inverse_factorial(2 * k + 1); });
}
long double reference_one_minus_cos(long double t2) {
  return long_series(t2, [](int k) { return sign(k) * inverse_factorial(2 * k + 2); });
}
long double reference_theta_minus_sin(long double t2) {
  return long_series(t2, [](int k) { return sign(k) * inverse_factorial(2 * k + 3); });
}
// (sin h − h cos h)/h³ over 4 sin h / h, h = θ/2.
long double reference_half_cot(long double t2) {
  const long double numerator = long_series(
      t2 / 4, [](int k) { return sign(k) * (inverse_factorial(2 * k + 2) - inverse_factorial(2 * k + 3)); });
  return numerator / (4 * reference_sinc(t2 / 4));
}
long double reference_coefficient_4(long double t2) {
  return long_series(t2, [](int k) { return sign(k) * inverse_factorial(2 * k + 4); });
}
long double reference_coefficient_5(long double t2) {
  return long_series(t2,
                     [](int k) { return sign(k) * static_cast<long double>(k + 1) * inverse_factorial(2 * k + 5); });
}

struct Helper {
  const char* name;
  double (*function)(const double&);
  Dual (*dual)(const Dual&);
  long double (*reference)(long double);
  double tolerance;  // relative to the value at zero: some round-offs, times what the closed form cancels
};
const Helper helpers[] = {
    {"sinc", sinc<double>, sinc<Dual>, reference_sinc, 4e-16},
    {"one_minus_cos_over_square", one_minus_cos_over_square<double>, one_minus_cos_over_square<Dual>,
     reference_one_minus_cos, 8e-16},
    {"theta_minus_sin_over_cube", theta_minus_sin_over_cube<double>, theta_minus_sin_over_cube<Dual>,
     reference_theta_minus_sin, 1e-15},
    {"one_minus_half_cot_over_square", one_minus_half_cot_over_square<double>, one_minus_half_cot_over_square<Dual>,
     reference_half_cot, 2e-15},
    {"twist_coefficient_4", twist_coefficient_4<double>, twist_coefficient_4<Dual>, reference_coefficient_4, 2e-15},
    {"twist_coefficient_5", twist_coefficient_5<double>, twist_coefficient_5<Dual>, reference_coefficient_5, 8e-15},
};

void expect_agreement(const Helper& helper, double angle) {
  const double theta2 = angle * angle, at_zero = static_cast<double>(helper.reference(0));
  const auto expected = static_cast<double>(helper.reference(theta2));
  EXPECT_NEAR((helper.function(theta2) - expected) / at_zero, 0, helper.tolerance)
      << helper.name << " at θ = " << angle;
}

TEST(Series, helpers_agree_with_extended_precision_on_both_sides_of_their_switch) {
  for (const Helper& helper : helpers) {
    for (const double angle : telling_angles()) expect_agreement(helper, angle);
    for (double angle = 0.001; angle < 3.2; angle += 0.00371) expect_agreement(helper, angle);
  }
}

TEST(Series, derivatives_of_helpers_agree_with_extended_precision) {
  for (const Helper& helper : helpers) {
    for (double angle : telling_angles()) {
      const long double theta2 = angle * angle, h = 1e-5L;
      const long double expected = (helper.reference(theta2 + h) - helper.reference(theta2 - h)) / (2 * h);
      EXPECT_NEAR(helper.dual({angle * angle, 1}).eps / static_cast<double>(expected), 1, 1e-9)
          << helper.name << " at θ = " << angle;
    }
  }
}

// --- matrices and quaternions -----------------------------------------------------------------------------------

TEST(Rotation, about_an_axis_turns_the_next_axis_towards_the_one_after) {
  const double a = 0.3, s = std::sin(a), c = std::cos(a);
  EXPECT_EQ(rotation_x(a) * (Vec3d{0, 1, 0}), (Vec3d{0, c, s}));
  EXPECT_EQ(rotation_y(a) * (Vec3d{0, 0, 1}), (Vec3d{s, 0, c}));
  EXPECT_EQ(rotation_z(a) * (Vec3d{1, 0, 0}), (Vec3d{c, s, 0}));
  EXPECT_EQ(rotation_x(a) * (Vec3d{1, 0, 0}), (Vec3d{1, 0, 0}));
  EXPECT_EQ(rotation_y(a) * (Vec3d{0, 1, 0}), (Vec3d{0, 1, 0}));
  EXPECT_EQ(rotation_z(a) * (Vec3d{0, 0, 1}), (Vec3d{0, 0, 1}));
}

TEST(Rotation, is_orthonormal_and_right_handed) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const double angle = random.uniform(-10, 10);
    for (const Mat3d& R :
         {rotation_x(angle), rotation_y(angle), rotation_z(angle), random.rotation(), exp_rotation(random.vector(2))}) {
      EXPECT_LT(orthonormality_error(R), 2e-15);
      EXPECT_NEAR(dense(R).determinant(), 1, 2e-15);
    }
  }
}

TEST(Rotation, exp_about_an_axis_is_the_rotation_about_it) {
  for (const double angle : telling_angles()) {
    EXPECT_LT(distance(exp_rotation(Vec3d{angle, 0, 0}), rotation_x(angle)), round_off) << angle;
    EXPECT_LT(distance(exp_rotation(Vec3d{0, angle, 0}), rotation_y(angle)), round_off) << angle;
    EXPECT_LT(distance(exp_rotation(Vec3d{0, 0, angle}), rotation_z(angle)), round_off) << angle;
  }
}

TEST(Rotation, log_undoes_exp_at_every_size_of_angle) {
  Random random(2);
  for (const double angle : telling_angles()) {
    for (int i = 0; i < 20; ++i) {
      const Vec3d phi = random.direction() * angle;
      const Vec3d through_quaternion = log(exp_quaternion(phi)), through_matrix = log(exp_rotation(phi));
      EXPECT_LE(distance(through_quaternion, phi), 8e-16 * angle) << angle;
      // A matrix holds an angle to round-off of 1, not of the angle.
      EXPECT_LE(distance(through_matrix, phi), 2e-15) << angle;
    }
  }
}

TEST(Rotation, exp_quaternion_has_unit_length_at_every_size_of_angle) {
  Random random(3);
  for (const double angle : telling_angles()) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_NEAR(squared_norm(exp_quaternion(random.direction() * angle)), 1, 6e-16) << angle;
    }
  }
}

TEST(Rotation, exp_undoes_log_for_any_rotation) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const Mat3d R = random.rotation();
    EXPECT_LT(distance(exp_rotation(log(R)), R), 4e-15);
    EXPECT_LE(norm(log(R)), pi * (1 + 1e-15));
  }
}

TEST(Rotation, log_of_a_half_turn_has_length_pi) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const Vec3d axis = random.direction();
    const Vec3d phi = log(Quaternion<double>{0, axis.x, axis.y, axis.z});
    EXPECT_NEAR(norm(phi), pi, 1e-15);
    EXPECT_LT(norm(cross(phi, axis)), 1e-15);
  }
}

TEST(Quaternion, product_is_the_product_of_the_matrices) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const auto a = quaternion_of(random.rotation()), b = quaternion_of(random.rotation());
    EXPECT_LT(distance(rotation_of(a * b), rotation_of(a) * rotation_of(b)), 2e-15);
  }
}

TEST(Quaternion, matrix_does_not_depend_on_length_or_sign) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const auto q = quaternion_of(random.rotation());
    const double s = random.uniform(-3, 3);
    EXPECT_LT(distance(rotation_of(Quaternion<double>{s * q.w, s * q.x, s * q.y, s * q.z}), rotation_of(q)), 1e-15);
  }
}

// Each of the four formulas is taken when its component is the largest; the others are tiny or zero.
TEST(Quaternion, comes_back_from_its_matrix_in_all_four_branches) {
  Random random(8);
  for (int largest = 0; largest < 4; ++largest) {
    for (const double rest : {0.0, 1e-12, 1e-6, 0.01, 0.3, 0.55}) {
      for (int i = 0; i < 20; ++i) {
        double c[4];
        for (double& x : c) x = rest * random.uniform(-1, 1);
        c[largest] = random.chance(0.5) ? 1 : -1;
        Quaternion<double> q = normalized(Quaternion<double>{c[0], c[1], c[2], c[3]});
        if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
        const Quaternion<double> back = quaternion_of(rotation_of(q));
        EXPECT_GE(back.w, 0);
        // With w = 0 both signs name the same rotation.
        const double same = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z < 0 ? -1 : 1;
        EXPECT_NEAR(back.w, same * q.w, 1e-15);
        EXPECT_NEAR(back.x, same * q.x, 1e-15);
        EXPECT_NEAR(back.y, same * q.y, 1e-15);
        EXPECT_NEAR(back.z, same * q.z, 1e-15);
      }
    }
  }
}

TEST(Quaternion, stores_w_first) {
  double numbers[4];
  Quaternion<double>{1, 2, 3, 4}.store(numbers);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[3], 4);
  EXPECT_EQ(Quaternion<double>::load(numbers).y, 3);
}

// --- Jacobians --------------------------------------------------------------------------------------------------

TEST(LeftJacobian, is_the_rate_of_the_exponential) {
  Random random(9);
  for (const double angle : telling_angles()) {
    for (int i = 0; i < 10; ++i) {
      const Vec3d phi = random.direction() * angle, rate = random.vector();
      const Mat3<Dual> R = exp_rotation(seeded(phi, rate));
      const Vec3d w = vee(derivatives(R) * transpose(values(R)));  // Ṙ Rᵀ = skew(ω)
      EXPECT_LT(distance(left_jacobian(phi) * rate, w), 2e-14) << angle;
    }
  }
}

TEST(LeftJacobian, times_its_inverse_is_one) {
  Random random(10);
  std::vector<double> angles = telling_angles();
  for (double beyond = 3.2; beyond < 6; beyond += 0.1) angles.push_back(beyond);
  for (const double angle : angles) {
    const Vec3d phi = random.direction() * angle;
    const double growth = 1 / std::abs(2 * pi - angle);  // the inverse is infinite at a full turn
    EXPECT_LT(distance(left_jacobian(phi) * inverse_left_jacobian(phi), Mat3d::identity()), 4e-15 * (1 + growth));
  }
}

}  // namespace
}  // namespace trammel

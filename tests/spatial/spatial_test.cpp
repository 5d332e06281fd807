// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Laws of poses, motions, forces and inertias, each against dense 6×6 matrices written from the definitions.

#include <gtest/gtest.h>

#include "support/dense.hpp"
#include "support/duals.hpp"
#include "support/random.hpp"

namespace trammel {
namespace {

using test::dense;
using test::distance;
using test::Matrix6;
using test::Random;
using test::relative_error;
using test::seeded;

constexpr double tight = 1e-14;
constexpr int samples = 200;

template <class Law>
void for_random(std::uint64_t seed, Law law) {
  Random random(seed);
  for (int i = 0; i < samples; ++i) law(random);
}

// --- vectors and matrices ---------------------------------------------------------------------------------------

TEST(Vector, products_agree_with_dense_ones) {
  for_random(1, [](Random& random) {
    const Vec3d a = random.vector(), b = random.vector();
    const Mat3d m{random.vector(), random.vector(), random.vector()};
    const Mat3d n{random.vector(), random.vector(), random.vector()};
    const Sym3d s = symmetric_part(m);
    EXPECT_NEAR(dot(a, b), dense(a).dot(dense(b)), tight);
    EXPECT_NEAR(norm(a), dense(a).norm(), tight);
    EXPECT_LT((dense(cross(a, b)) - dense(a).cross(dense(b))).norm(), tight);
    EXPECT_LT((dense(skew(a)) - test::cross_matrix(dense(a))).norm(), tight);
    EXPECT_LT((dense(m * n) - dense(m) * dense(n)).norm(), tight);
    EXPECT_LT((dense(m * a) - dense(m) * dense(a)).norm(), tight);
    EXPECT_LT((dense(transpose_times(m, a)) - dense(m).transpose() * dense(a)).norm(), tight);
    EXPECT_LT((dense(transpose(m)) - dense(m).transpose()).norm(), tight);
    EXPECT_LT((dense(s) - 0.5 * (dense(m) + dense(m).transpose())).norm(), tight);
    EXPECT_LT((dense(full(s)) - dense(s)).norm(), tight);
    EXPECT_LT((dense(s * a) - dense(s) * dense(a)).norm(), tight);
    EXPECT_LT((dense(outer(a)) - dense(a) * dense(a).transpose()).norm(), tight);
    EXPECT_LT((dense(rotate(m, s)) - dense(m) * dense(s) * dense(m).transpose()).norm(), 1e-13);
    EXPECT_LT((dense(s + s * 2.0 - s) - 2 * dense(s)).norm(), tight);
    EXPECT_LT((dense(m + n * 2.0 - m) - 2 * dense(n)).norm(), tight);
    EXPECT_LT((dense(-a + b * 3.0 - 2.0 * a) - (3 * dense(b) - 3 * dense(a))).norm(), tight);
  });
}

// --- poses ------------------------------------------------------------------------------------------------------

TEST(Transform, is_a_group) {
  for_random(2, [](Random& random) {
    const Transformd a = random.pose(), b = random.pose(), c = random.pose();
    EXPECT_LT(distance((a * b) * c, a * (b * c)), tight);
    EXPECT_LT(distance(a * inverse(a), Transformd{}), tight);
    EXPECT_LT(distance(inverse(a) * a, Transformd{}), tight);
    EXPECT_EQ(distance(a * Transformd{}, a), 0);
    EXPECT_LT(distance(inverse(a * b), inverse(b) * inverse(a)), tight);
  });
}

TEST(Transform, carries_points_one_after_the_other) {
  for_random(3, [](Random& random) {
    const Transformd X_AB = random.pose(), X_BC = random.pose();
    const Vec3d p_CQ = random.vector();
    EXPECT_LT(distance((X_AB * X_BC) * p_CQ, X_AB * (X_BC * p_CQ)), tight);
    EXPECT_EQ(Transformd::translation({1, 2, 3}) * Vec3d{}, (Vec3d{1, 2, 3}));
  });
}

TEST(Transform, maps_motions_and_forces_as_its_dense_matrices_do) {
  for_random(4, [](Random& random) {
    const Transformd X = random.pose();
    const Motion<double> V = random.motion();
    const Force<double> F = random.force();
    EXPECT_LT(relative_error(dense(X * V), test::motion_map(X) * dense(V)), tight);
    EXPECT_LT(relative_error(dense(X * F), test::force_map(X) * dense(F)), tight);
  });
}

// --- motions and forces -----------------------------------------------------------------------------------------

TEST(Power, does_not_depend_on_frame_or_point) {
  for_random(5, [](Random& random) {
    const Transformd X = random.pose();
    const Motion<double> V = random.motion();
    const Force<double> F = random.force();
    const Vec3d p = random.vector();
    EXPECT_NEAR(dot(X * V, X * F), dot(V, F), 1e-13);
    EXPECT_NEAR(dot(shift(V, p), shift(F, p)), dot(V, F), 1e-13);
    EXPECT_NEAR(dot(rotate(X.R, V), rotate(X.R, F)), dot(V, F), tight);
  });
}

TEST(Shift, is_the_transform_by_the_opposite_translation) {
  for_random(6, [](Random& random) {
    const Vec3d p_AB = random.vector();
    const Transformd X_BA = Transformd::translation(-p_AB);
    const Motion<double> V = random.motion();
    const Force<double> F = random.force();
    EXPECT_LT(distance(shift(V, p_AB), X_BA * V), tight);
    EXPECT_LT(distance(shift(F, p_AB), X_BA * F), tight);
  });
}

TEST(Shift, takes_the_velocity_of_the_point_it_goes_to) {
  const Motion<double> spin_about_origin{{0, 0, 2}, {0, 0, 0}};
  EXPECT_EQ(shift(spin_about_origin, Vec3d{1, 0, 0}).v, (Vec3d{0, 2, 0}));
  const Force<double> pull_up_at_A{{0, 0, 0}, {0, 0, 3}};
  EXPECT_EQ(shift(pull_up_at_A, Vec3d{1, 0, 0}).n, (Vec3d{0, 3, 0}));  // seen from B the pull acts at −x
}

TEST(CrossProducts, agree_with_dense_ones_and_obey_their_identities) {
  for_random(7, [](Random& random) {
    const Motion<double> V = random.motion(), U = random.motion(), W = random.motion();
    const Force<double> F = random.force();
    const Transformd X = random.pose();
    EXPECT_LT(relative_error(dense(cross_motion(V, U)), test::motion_cross(V) * dense(U)), tight);
    EXPECT_LT(relative_error(dense(cross_force(V, F)), test::force_cross(V) * dense(F)), tight);
    EXPECT_LT(distance(cross_motion(V, U), -cross_motion(U, V)), tight);
    EXPECT_LT(distance(cross_motion(V, V), Motion<double>{}), tight);
    // Power of a motion and a force that a body carries along does not change.
    EXPECT_NEAR(dot(cross_motion(V, U), F) + dot(U, cross_force(V, F)), 0, 1e-13);
    // Jacobi
    const Motion<double> jacobi =
        cross_motion(V, cross_motion(U, W)) + cross_motion(U, cross_motion(W, V)) + cross_motion(W, cross_motion(V, U));
    EXPECT_LT(distance(jacobi, Motion<double>{}), 1e-13);
    // The product does not depend on the frame.
    EXPECT_LT(distance(X * cross_motion(V, U), cross_motion(X * V, X * U)), 1e-13);
    EXPECT_LT(distance(X * cross_force(V, F), cross_force(X * V, X * F)), 1e-13);
  });
}

// --- exponential of twists --------------------------------------------------------------------------------------

TEST(Twist, log_undoes_exp_at_every_size_of_angle) {
  Random random(8);
  for (const double angle : {0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.0999, 0.1001, 0.5, 1.0, 1.999, 2.001, 3.0, 3.14}) {
    for (int i = 0; i < 20; ++i) {
      const Motion<double> twist{random.direction() * angle, random.vector()};
      EXPECT_LT(distance(log(exp(twist)), twist), 4e-14) << angle;
    }
  }
}

TEST(Twist, exp_moves_along_a_screw) {
  for_random(9, [](Random& random) {
    const Motion<double> twist = random.motion();
    const Transformd whole = exp(twist), half = exp(twist * 0.5);
    EXPECT_LT(distance(half * half, whole), tight);
    EXPECT_LT(distance(exp(-twist), inverse(whole)), tight);
    EXPECT_LT(distance(whole * twist, twist), 1e-13) << "the twist is fixed in the body it moves";
  });
}

TEST(Twist, left_jacobian_is_the_rate_of_exp) {
  Random random(10);
  for (const double angle :
       {0.0, 1e-9, 1e-6, 1e-3, 0.0999, 0.1001, 0.4999, 0.5001, 1.0, 1.9999, 2.0001, 3.0, 4.0, 6.0}) {
    for (int i = 0; i < 20; ++i) {
      const Motion<double> twist{random.direction() * angle, random.vector()}, rate = random.motion();
      const Transform<Dual> X = exp(seeded(twist, rate));
      const Motion<double> V = test::values(X) * test::velocity_in_B(X);  // at the fixed frame's origin, in its axes
      EXPECT_LT(distance(left_jacobian(twist) * rate, V), 4e-14) << angle;
    }
  }
}

// --- rigid inertia ----------------------------------------------------------------------------------------------

TEST(RigidInertia, at_com_is_the_dense_inertia) {
  for_random(11, [](Random& random) {
    const double mass = random.uniform(0.1, 5);
    const Vec3d com = random.vector();
    const Sym3d I_C = random.inertia_at_com(mass);
    const auto M = RigidInertia<double>::at_com(mass, com, I_C);
    EXPECT_LT(relative_error(dense(M), test::dense_inertia(mass, com, dense(I_C))), tight);
  });
}

TEST(RigidInertia, times_motion_is_the_dense_product) {
  for_random(12, [](Random& random) {
    const RigidInertia<double> M = random.rigid_inertia();
    const Motion<double> V = random.motion();
    EXPECT_LT(relative_error(dense(M * V), dense(M) * dense(V)), tight);
  });
}

TEST(RigidInertia, transform_is_the_dense_congruence) {
  for_random(13, [](Random& random) {
    const Transformd X = random.pose();
    const RigidInertia<double> M = random.rigid_inertia();
    const Matrix6 map = test::force_map(X);
    EXPECT_LT(relative_error(dense(X * M), map * dense(M) * map.transpose()), tight);
  });
}

TEST(RigidInertia, shift_is_the_dense_congruence) {
  for_random(14, [](Random& random) {
    const Vec3d p = random.vector();
    const RigidInertia<double> M = random.rigid_inertia();
    const Matrix6 map = test::force_map(Transformd::translation(-p));
    EXPECT_LT(relative_error(dense(shift(M, p)), map * dense(M) * map.transpose()), tight);
  });
}

TEST(RigidInertia, sum_is_the_inertia_of_the_bodies_welded_together) {
  for_random(15, [](Random& random) {
    RigidInertia<double> sum = random.rigid_inertia();
    const RigidInertia<double> a = sum, b = random.rigid_inertia();
    sum += b;
    EXPECT_LT(relative_error(dense(sum), dense(a) + dense(b)), tight);
  });
}

// --- articulated inertia ----------------------------------------------------------------------------------------

ArticulatedInertia<double> random_articulated(Random& random) {
  const Mat3d a{random.vector(), random.vector(), random.vector()},
      b{random.vector(), random.vector(), random.vector()};
  return {symmetric_part(a), {random.vector(), random.vector(), random.vector()}, symmetric_part(b)};
}

TEST(ArticulatedInertia, of_a_rigid_body_is_its_inertia) {
  for_random(16, [](Random& random) {
    const RigidInertia<double> M = random.rigid_inertia();
    EXPECT_EQ(relative_error(dense(ArticulatedInertia<double>::of(M)), dense(M)), 0);
  });
}

TEST(ArticulatedInertia, times_motion_is_the_dense_product) {
  for_random(17, [](Random& random) {
    const auto A = random_articulated(random);
    const Motion<double> V = random.motion();
    EXPECT_LT(relative_error(dense(A * V), dense(A) * dense(V)), tight);
  });
}

TEST(ArticulatedInertia, shift_and_rotate_are_dense_congruences) {
  for_random(18, [](Random& random) {
    const auto A = random_articulated(random);
    const Vec3d p = random.vector();
    const Mat3d R = random.rotation();
    const Matrix6 shifted = test::force_map(Transformd::translation(-p)), turned = test::force_map({R, {}});
    EXPECT_LT(relative_error(dense(shift(A, p)), shifted * dense(A) * shifted.transpose()), tight);
    EXPECT_LT(relative_error(dense(rotate(R, A)), turned * dense(A) * turned.transpose()), tight);
  });
}

TEST(ArticulatedInertia, sum_and_outer_products_are_dense_ones) {
  for_random(19, [](Random& random) {
    ArticulatedInertia<double> A = random_articulated(random);
    Matrix6 expected = dense(A);
    const auto B = random_articulated(random);
    A += B;
    expected += dense(B);
    // U D⁻¹ Uᵀ for two columns: each a bᵀ is not symmetric, their sum is.
    const Force<double> u = random.force(), v = random.force();
    const double duu = 1.3, duv = -0.4, dvv = 0.9;
    const Force<double> ud = u * duu + v * duv, vd = u * duv + v * dvv;
    A.subtract_outer(ud, u);
    A.subtract_outer(vd, v);
    expected -= dense(ud) * dense(u).transpose() + dense(vd) * dense(v).transpose();
    EXPECT_LT(relative_error(dense(A), expected), tight);
  });
}

TEST(Spatial, numbers_go_into_dual_numbers_and_back_unchanged) {
  Random random(20);
  const Transformd X = random.pose();
  const RigidInertia<double> M = random.rigid_inertia();
  const auto A = random_articulated(random);
  const Motion<double> V = random.motion();
  const Force<double> F = random.force();
  EXPECT_EQ(test::values(Transform<Dual>::from(X)), X);
  EXPECT_EQ(test::values(Motion<Dual>::from(V)), V);
  EXPECT_EQ(test::values(Force<Dual>::from(F).n), F.n);
  const Force<Dual> MV = RigidInertia<Dual>::from(M) * Motion<Dual>::from(V);
  EXPECT_EQ(test::values(MV.n), (M * V).n);
  EXPECT_EQ(test::values(MV.f), (M * V).f);
  const Force<Dual> AV = ArticulatedInertia<Dual>::from(A) * Motion<Dual>::from(V);
  EXPECT_EQ(test::values(AV.n), (A * V).n);
  EXPECT_EQ(test::values(AV.f), (A * V).f);
}

}  // namespace
}  // namespace trammel

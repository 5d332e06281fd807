// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/joint_laws.hpp"

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "support/dense.hpp"
#include "support/random.hpp"

namespace trammel::test {
namespace {

class JointLaws {
 public:
  JointLaws(const JointUnderTest& joint, const JointLawOptions& options)
      : joint_(joint), options_(options), random_(options.seed) {}

  void check() {
    SCOPED_TRACE(joint_.name());
    zero_is_the_design_position();
    constant_H_is_constant();
    for (int i = 0; i < options_.states; ++i) {
      const Coordinates q = random_q(i);
      const Coordinates v = random_.normals(joint_.nv());
      H_is_the_velocity(q, v);
      slope_is_that_of_the_rate(q, v, random_.normals(joint_.nv()));
      steps_follow_the_velocity(q, v);
      steps_form_a_flow(q, v);
      fit_is_exact_within_reach(q);
      shortcuts_change_nothing(q);
    }
  }
  void check_nearest() {
    SCOPED_TRACE(joint_.name());
    for (int i = 0; i < options_.states; ++i) fit_is_nearest_out_of_reach(random_q(i));
  }

  // States near zero, in the midst, and far out: several turns away.
  Coordinates random_q(int i) {
    const double scale = i % 8 == 6 ? 1e-9 : i % 8 == 7 ? 10 : 1;
    Coordinates q = zeros();
    joint_.zero(q);
    return stepped(q, random_.normals(joint_.nv(), scale * options_.spread));
  }
  Coordinates random_v() { return random_.normals(joint_.nv()); }

  Motion<double> velocity(const Coordinates& q, const Coordinates& v) const {
    Motion<double> V{};
    const Columns H = joint_.H(q);
    for (std::size_t k = 0; k < v.size(); ++k) V += H[k] * v[k];
    return V;
  }

 private:
  static constexpr double round_off = 1e-13;

  Coordinates zeros() const { return Coordinates(static_cast<std::size_t>(joint_.nq())); }
  Coordinates stepped(const Coordinates& q, const Coordinates& delta) const {
    Coordinates out = zeros();
    joint_.step(q.data(), delta.data(), out.data());
    return out;
  }
  static Coordinates scaled(Coordinates v, double s) {
    for (double& x : v) x *= s;
    return v;
  }
  static double scale_of(const Transformd& X) { return 1 + norm(X.p); }

  void shortcuts_change_nothing(const Coordinates& q) {
    const Transformd X = random_.pose();
    const double scale = scale_of(X) * scale_of(joint_.X(q));
    EXPECT_LT(distance(joint_.placed(X, q), X * joint_.X(q)), round_off * scale) << "placed is not X_WF X_FM";
    const Columns H = joint_.H(q), at = joint_.columns_at(X, q);
    for (std::size_t k = 0; k < H.size(); ++k) {
      EXPECT_LT(distance(at[k], X * H[k]), round_off * scale) << "columns_at is not X_OM H_FM, column " << k;
    }
  }

  void zero_is_the_design_position() {
    EXPECT_EQ(joint_.freedoms().size(), static_cast<std::size_t>(joint_.nv()));
    ASSERT_LE(joint_.nv(), joint_.nq());
    ASSERT_LE(joint_.nq(), Custom::max_nq);
    Coordinates q = zeros();
    joint_.zero(q);
    EXPECT_EQ(distance(joint_.X(q), Transformd{}), 0) << "F and M coincide at q_zero";
    const Columns H = joint_.H(q);
    ASSERT_EQ(H.size(), static_cast<std::size_t>(joint_.nv()));
    if (H.empty()) return;
    Eigen::MatrixXd columns(6, joint_.nv());
    for (int k = 0; k < joint_.nv(); ++k) columns.col(k) = dense(H[static_cast<std::size_t>(k)]);
    EXPECT_GT(columns.jacobiSvd().singularValues().minCoeff(), 1e-3) << "the columns of H_FM depend on each other";
  }

  void constant_H_is_constant() {
    if (!joint_.constant_H()) return;
    Coordinates q = zeros();
    joint_.zero(q);
    const Columns at_zero = joint_.H(q);
    for (int i = 0; i < options_.states; ++i) EXPECT_EQ(joint_.H(random_q(i)), at_zero);
  }

  void H_is_the_velocity(const Coordinates& q, const Coordinates& v) {
    const auto [V, H_rate] = joint_.rates(q, v, 0);
    const double tolerance = joint_.rate_tolerance() * scale_of(joint_.X(q));
    EXPECT_LT(distance(velocity(q, v), V), tolerance) << "H_FM v is not the velocity of X_FM";
    const Columns Hdot = joint_.Hdot(q, v);
    ASSERT_EQ(Hdot.size(), H_rate.size());
    for (std::size_t k = 0; k < Hdot.size(); ++k) {
      EXPECT_LT(distance(Hdot[k], H_rate[k]), tolerance) << "Hdot_FM, column " << k;
    }
  }

  // Fourth-order differences.
  void slope_is_that_of_the_rate(const Coordinates& q, const Coordinates& v, const Coordinates& u) {
    constexpr double h = 1e-3;
    const auto at = [&](double s) { return joint_.Hdot(stepped(q, scaled(u, s)), v); };
    const Columns ahead = at(h), behind = at(-h), far_ahead = at(2 * h), far_behind = at(-2 * h);
    const Columns slope = joint_.Hdot_along(q, v, u);
    ASSERT_EQ(slope.size(), ahead.size());
    for (std::size_t k = 0; k < slope.size(); ++k) {
      const Motion<double> expected = ((ahead[k] - behind[k]) * 8.0 - (far_ahead[k] - far_behind[k])) * (1 / (12 * h));
      EXPECT_LT(distance(slope[k], expected), 1e-8 * scale_of(joint_.X(q))) << "Hdot_along, column " << k;
    }
  }

  void steps_follow_the_velocity(const Coordinates& q, const Coordinates& delta) {
    const Coordinates end = stepped(q, delta);
    const Motion<double> V = joint_.rates(q, delta, 1).first;
    EXPECT_LT(distance(velocity(end, delta), V), joint_.rate_tolerance() * scale_of(joint_.X(end)))
        << "q_step leaves the path of constant velocity";
  }

  void steps_form_a_flow(const Coordinates& q, const Coordinates& delta) {
    const Coordinates end = stepped(q, delta), half = scaled(delta, 0.5);
    const double tolerance = round_off * (scale_of(joint_.X(q)) + scale_of(joint_.X(end)));
    expect_same_pose(stepped(q, scaled(delta, 0)), q, tolerance, "a step of zero moves");
    expect_same_pose(stepped(end, scaled(delta, -1)), q, tolerance, "a step back does not return");
    expect_same_pose(stepped(stepped(q, half), half), end, tolerance, "two half steps are not one step");
    Coordinates in_place = q;
    joint_.step(in_place.data(), delta.data(), in_place.data());
    EXPECT_EQ(in_place, end) << "q_step in place";
  }

  void fit_is_exact_within_reach(const Coordinates& q) {
    Coordinates fitted = zeros();
    joint_.fit(joint_.X(q), fitted);
    expect_same_pose(fitted, q, round_off * scale_of(joint_.X(q)), "q_fit misses a pose within reach");
  }

  // Rotation weighs so much more than position that position decides only what rotation leaves open.
  static double miss(const Transformd& a, const Transformd& b) {
    const Eigen::Matrix3d turn = dense(a.R) - dense(b.R);
    const Eigen::Vector3d gap = dense(a.p) - dense(b.p);
    return 1e6 * turn.squaredNorm() + gap.squaredNorm();
  }
  void fit_is_nearest_out_of_reach(const Coordinates& q) {
    const double out_of_reach = 1e-4, aside = 1e-3;
    const Transformd X = joint_.X(q);
    const Motion<double> error{random_.vector(out_of_reach), random_.vector(out_of_reach)};
    const Transformd target = X * exp(error);
    Coordinates fitted = zeros();
    joint_.fit(target, fitted);
    const double at_fit = miss(joint_.X(fitted), target);
    for (std::size_t k = 0; k < static_cast<std::size_t>(joint_.nv()); ++k) {
      for (const double side : {aside, -aside}) {
        Coordinates delta(static_cast<std::size_t>(joint_.nv()));
        delta[k] = side;
        const double beside = miss(joint_.X(stepped(fitted, delta)), target);
        // A quadratic bowl has its bottom at the fit: beside − at_fit is the same on both sides; here it is at least half
        // of what the step alone costs, which fails when the fit is off by a quarter of the step or more.
        const double step_alone = miss(joint_.X(stepped(fitted, delta)), joint_.X(fitted));
        EXPECT_GT(beside - at_fit, 0.5 * step_alone) << "q_fit is not nearest in freedom " << k;
      }
    }
  }

  void expect_same_pose(const Coordinates& a, const Coordinates& b, double tolerance, const char* otherwise) const {
    EXPECT_LT(distance(joint_.X(a), joint_.X(b)), tolerance) << otherwise;
  }

  const JointUnderTest& joint_;
  JointLawOptions options_;
  Random random_;
};

}  // namespace

void check_laws_one_way(const JointUnderTest& joint, const JointLawOptions& options) {
  JointLaws(joint, options).check();
}

void check_fit_is_nearest(const JointUnderTest& joint, const JointLawOptions& options) {
  JointLaws(joint, options).check_nearest();
}

// The same joint walked from the second body to the first, with the same coordinates.
void check_is_reverse(const JointUnderTest& there, const JointUnderTest& back, const JointLawOptions& options) {
  SCOPED_TRACE("reversed " + there.name());
  JointLaws laws_there(there, options);
  const JointLaws laws_back(back, options);
  for (int i = 0; i < options.states; ++i) {
    const Coordinates q = laws_there.random_q(i), v = laws_there.random_v();
    const Transformd X = there.X(q);
    const double tolerance = 1e-13 * (1 + norm(X.p));
    EXPECT_LT(distance(back.X(q), inverse(X)), tolerance);
    EXPECT_LT(distance(laws_back.velocity(q, v), -(X * laws_there.velocity(q, v))), tolerance);
  }
}

void check_is_same(const JointUnderTest& one, const JointUnderTest& other, const JointLawOptions& options) {
  SCOPED_TRACE("reversed twice: " + one.name());
  JointLaws laws(one, options);
  for (int i = 0; i < options.states; ++i) {
    const Coordinates q = laws.random_q(i), v = laws.random_v();
    const double tolerance = 1e-13 * (1 + norm(one.X(q).p));
    EXPECT_LT(distance(one.X(q), other.X(q)), tolerance);
    const Columns H = one.H(q), other_H = other.H(q), Hdot = one.Hdot(q, v), other_Hdot = other.Hdot(q, v);
    for (std::size_t k = 0; k < H.size(); ++k) {
      EXPECT_LT(distance(H[k], other_H[k]), tolerance);
      EXPECT_LT(distance(Hdot[k], other_Hdot[k]), tolerance * 10);
    }
  }
}

}  // namespace trammel::test

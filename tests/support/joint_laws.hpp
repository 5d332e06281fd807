// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line of tests for a joint: check_joint_laws(Helical{.h = 0.3}). What every joint must obey:
//
//   at zero       X_FM(q_zero) = 1, and the columns of H_FM are independent
//   velocity      along q ⊕ s v, the velocity of X_FM in M is H_FM v, and the rate of H_FM's columns is Ḣ_FM
//   steps         q ⊕ 0 = q;  (q ⊕ δ) ⊕ −δ = q;  two half steps are one step;  q and the result may be one array;
//                 after a finite step the velocity is still H_FM δ
//   fitting       X_FM(q_fit(X_FM(q))) = X_FM(q); of a pose out of reach the nearest in rotation is taken, and of
//                 those the nearest in position (to first order in how far it is out of reach)
//   reversed      X = X_FM⁻¹, velocity −X_FM·V_FM, all of the above again, and reversed twice it is itself
//
// Rates come from dual numbers; for Custom, which runs on double only, from differences extrapolated to fourth order.

#include <array>
#include <vector>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <trammel/core/counted.hpp>
#include <trammel/joints/all_joints.hpp>

#include "support/dense.hpp"
#include "support/duals.hpp"
#include "support/random.hpp"

namespace trammel::test {

struct JointLawOptions {
  double spread = 1.0;  // deviation of the random steps that reach the states tried, in rad and m
  int states = 40;
  std::uint64_t seed = 1;
};

using Columns = std::vector<Motion<double>>;
using Coordinates = std::vector<double>;

// How the laws speak to a joint of the list, or to one that is not on it (yet).
template <class J>
struct JointAccess {
  static_assert(JointType<J>);
  static_assert(JointOver<J, Dual> && JointOver<J, Counted>);
  static constexpr double rate_tolerance = 1e-12;  // dual numbers: round-off only

  J joint;

  std::string name() const { return std::string(J::keyword); }
  int nq() const { return J::nq; }
  int nv() const { return J::nv; }
  std::vector<Freedom> freedoms() const { return {J::freedoms.begin(), J::freedoms.end()}; }
  Transformd X(const Coordinates& q) const { return joint.template X_FM<double>(q.data()); }
  Columns H(const Coordinates& q) const { return list(joint.template H_FM<double>(q.data())); }
  Columns Hdot(const Coordinates& q, const Coordinates& v) const {
    return list(joint.template Hdot_FM<double>(q.data(), v.data()));
  }
  void zero(Coordinates& q) const { joint.template q_zero<double>(q.data()); }
  void step(const double* q, const double* dq, double* out) const { joint.template q_step<double>(q, dq, out); }
  void fit(const Transformd& pose, Coordinates& q) const { joint.template q_fit<double>(pose, q.data()); }

  // Velocity of X(q ⊕ s v) at s, in M, and the rate of the columns of H there.
  std::pair<Motion<double>, Columns> rates(const Coordinates& q, const Coordinates& v, double s) const {
    std::array<Dual, J::nq + 1> from, moved;
    std::array<Dual, J::nv + 1> delta;
    for (std::size_t i = 0; i < q.size(); ++i) from[i] = q[i];
    for (std::size_t i = 0; i < v.size(); ++i) delta[i] = Dual(s, 1) * Dual(v[i]);
    joint.template q_step<Dual>(from.data(), delta.data(), moved.data());
    Columns H_rate;
    for (const Motion<Dual>& column : joint.template H_FM<Dual>(moved.data())) H_rate.push_back(derivatives(column));
    return {velocity_in_B(joint.template X_FM<Dual>(moved.data())), H_rate};
  }

 private:
  template <std::size_t n>
  static Columns list(const MotionColumns<double, n>& columns) {
    return {columns.begin(), columns.end()};
  }
};

template <>
struct JointAccess<Custom> {
  static constexpr double rate_tolerance = 1e-9;  // fourth-order differences of step 1e-3

  Custom joint;

  std::string name() const { return std::string(keyword(any())) + (joint.reversed ? " (reversed)" : ""); }
  int nq() const { return trammel::nq(any()); }
  int nv() const { return trammel::nv(any()); }
  std::vector<Freedom> freedoms() const { return trammel::freedoms(any()); }
  Transformd X(const Coordinates& q) const { return X_FM(any(), q.data()); }
  Columns H(const Coordinates& q) const {
    Columns columns(static_cast<std::size_t>(nv()));
    H_FM(any(), q.data(), columns);
    return columns;
  }
  Columns Hdot(const Coordinates& q, const Coordinates& v) const {
    Columns columns(static_cast<std::size_t>(nv()));
    Hdot_FM(any(), q.data(), v.data(), columns);
    return columns;
  }
  void zero(Coordinates& q) const { q_zero(any(), q.data()); }
  void step(const double* q, const double* dq, double* out) const { q_step(any(), q, dq, out); }
  void fit(const Transformd& pose, Coordinates& q) const { q_fit(any(), pose, q.data()); }

  std::pair<Motion<double>, Columns> rates(const Coordinates& q, const Coordinates& v, double s) const {
    const auto [V_wide, H_wide] = differences(q, v, s, 2e-3);
    const auto [V_near, H_near] = differences(q, v, s, 1e-3);
    Columns H_rate;
    for (std::size_t k = 0; k < H_near.size(); ++k) H_rate.push_back(H_near[k] * (4. / 3) - H_wide[k] * (1. / 3));
    return {V_near * (4. / 3) - V_wide * (1. / 3), H_rate};
  }

 private:
  AnyJoint any() const { return joint; }
  std::pair<Motion<double>, Columns> differences(const Coordinates& q, const Coordinates& v, double s, double h) const {
    const Coordinates middle = moved(q, v, s), ahead = moved(q, v, s + h), behind = moved(q, v, s - h);
    const Transformd back = inverse(X(middle));
    const double scale = 1 / (2 * h);
    Columns H_rate = H(ahead);
    const Columns H_behind = H(behind);
    for (std::size_t k = 0; k < H_rate.size(); ++k) H_rate[k] = (H_rate[k] - H_behind[k]) * scale;
    return {(log(back * X(ahead)) - log(back * X(behind))) * scale, H_rate};
  }
  Coordinates moved(const Coordinates& q, const Coordinates& v, double s) const {
    Coordinates delta = v, out(q.size());
    for (double& d : delta) d *= s;
    step(q.data(), delta.data(), out.data());
    return out;
  }
};

template <class J>
class JointLaws {
 public:
  JointLaws(const JointAccess<J>& joint, const JointLawOptions& options)
      : joint_(joint), options_(options), random_(options.seed) {}

  void check() {
    SCOPED_TRACE(joint_.name());
    zero_is_the_design_position();
    if constexpr (!std::is_same_v<J, Custom>) constant_H_is_constant();
    for (int i = 0; i < options_.states; ++i) {
      const Coordinates q = random_q(i);
      const Coordinates v = random_.normals(joint_.nv());
      H_is_the_velocity(q, v);
      steps_follow_the_velocity(q, v);
      steps_form_a_flow(q, v);
      fit_is_exact_within_reach(q);
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
    if (!J::constant_H) return;
    Coordinates q = zeros();
    joint_.zero(q);
    const Columns at_zero = joint_.H(q);
    for (int i = 0; i < options_.states; ++i) EXPECT_EQ(joint_.H(random_q(i)), at_zero);
  }

  void H_is_the_velocity(const Coordinates& q, const Coordinates& v) {
    const auto [V, H_rate] = joint_.rates(q, v, 0);
    const double tolerance = joint_.rate_tolerance * scale_of(joint_.X(q));
    EXPECT_LT(distance(velocity(q, v), V), tolerance) << "H_FM v is not the velocity of X_FM";
    const Columns Hdot = joint_.Hdot(q, v);
    ASSERT_EQ(Hdot.size(), H_rate.size());
    for (std::size_t k = 0; k < Hdot.size(); ++k) {
      EXPECT_LT(distance(Hdot[k], H_rate[k]), tolerance) << "Hdot_FM, column " << k;
    }
  }

  void steps_follow_the_velocity(const Coordinates& q, const Coordinates& delta) {
    const Coordinates end = stepped(q, delta);
    const Motion<double> V = joint_.rates(q, delta, 1).first;
    EXPECT_LT(distance(velocity(end, delta), V), joint_.rate_tolerance * scale_of(joint_.X(end)))
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

  JointAccess<J> joint_;
  JointLawOptions options_;
  Random random_;
};

// b is a walked from the second body to the first, with the same coordinates.
template <class A, class B>
void check_reversed(const A& a, const B& b, const JointLawOptions& options) {
  const JointAccess<A> there{a};
  const JointAccess<B> back{b};
  SCOPED_TRACE("reversed " + there.name());
  JointLaws<A> laws_there(there, options);
  const JointLaws<B> laws_back(back, options);
  for (int i = 0; i < options.states; ++i) {
    const Coordinates q = laws_there.random_q(i), v = laws_there.random_v();
    const Transformd X = there.X(q);
    const double tolerance = 1e-13 * (1 + norm(X.p));
    EXPECT_LT(distance(back.X(q), inverse(X)), tolerance);
    EXPECT_LT(distance(laws_back.velocity(q, v), -(X * laws_there.velocity(q, v))), tolerance);
  }
}

template <class A, class B>
void check_same_joint(const A& a, const B& b, const JointLawOptions& options) {
  const JointAccess<A> one{a};
  const JointAccess<B> other{b};
  SCOPED_TRACE("reversed twice: " + one.name());
  JointLaws<A> laws(one, options);
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

template <class J>
void check_joint_laws(const J& joint, const JointLawOptions& options = {}) {
  JointLaws<J>({joint}, options).check();
  JointLaws<J>({joint}, options).check_nearest();
  if constexpr (std::is_same_v<J, Custom>) {
    const Custom reversed{joint.joint, !joint.reversed};
    JointLaws<Custom>({reversed}, options).check();
    check_reversed(joint, reversed, options);
  } else {
    JointLaws<Reversed<J>>({Reversed<J>{joint}}, options).check();
    check_reversed(joint, Reversed<J>{joint}, options);
    check_same_joint(joint, Reversed<Reversed<J>>{{joint}}, options);
  }
}

}  // namespace trammel::test

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line of tests for a joint: check_joint_laws(Helical{.h = 0.3}). What every joint must obey:
//
//   at zero       X_FM(q_zero) = 1, and the columns of H_FM are independent
//   velocity      along q ⊕ s v, the velocity of X_FM in M is H_FM v, and the rate of H_FM's columns is Ḣ_FM
//   slope         along q ⊕ s u, the rate of Ḣ_FM(q, v) is Hdot_along
//   steps         q ⊕ 0 = q;  (q ⊕ δ) ⊕ −δ = q;  two half steps are one step;  q and the result may be one array;
//                 after a finite step the velocity is still H_FM δ
//   fitting       X_FM(q_fit(X_FM(q))) = X_FM(q); of a pose out of reach the nearest in rotation is taken, and of
//                 those the nearest in position (to first order in how far it is out of reach)
//   shortcuts     placed(X_WF, q) = X_WF X_FM,   columns_at(X_OM, q) = X_OM H_FM
//   reversed      X = X_FM⁻¹, velocity −X_FM·V_FM, all of the above again, and reversed twice it is itself
//
// Rates come from dual numbers; for Custom, which runs on double only, from differences extrapolated to fourth order.
// The laws themselves are compiled once, in joint_laws.cpp, on the run-time face that every joint is given here.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <trammel/core/counted.hpp>
#include <trammel/joints/all_joints.hpp>

#include "support/duals.hpp"

namespace trammel::test {

struct JointLawOptions {
  double spread = 1.0;  // deviation of the random steps that reach the states tried, in rad and m
  int states = 40;
  std::uint64_t seed = 1;
};

using Columns = std::vector<Motion<double>>;
using Coordinates = std::vector<double>;

// How the laws speak to a joint.
struct JointUnderTest {
  virtual ~JointUnderTest() = default;

  virtual std::string name() const = 0;
  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual std::vector<Freedom> freedoms() const = 0;
  virtual bool constant_H() const = 0;
  virtual Transformd X(const Coordinates& q) const = 0;
  virtual Columns H(const Coordinates& q) const = 0;
  virtual Columns Hdot(const Coordinates& q, const Coordinates& v) const = 0;
  virtual Columns Hdot_along(const Coordinates& q, const Coordinates& v, const Coordinates& u) const = 0;
  virtual void zero(Coordinates& q) const = 0;
  virtual void step(const double* q, const double* dq, double* out) const = 0;
  virtual void fit(const Transformd& pose, Coordinates& q) const = 0;
  // What the kernels take: the joint's shortcuts where it has them.
  virtual Transformd placed(const Transformd& X_WF, const Coordinates& q) const = 0;
  virtual Columns columns_at(const Transformd& X_OM, const Coordinates& q) const = 0;

  // Velocity of X(q ⊕ s v) at s, in M, and the rate of the columns of H there; and how well they are known.
  virtual std::pair<Motion<double>, Columns> rates(const Coordinates& q, const Coordinates& v, double s) const = 0;
  virtual double rate_tolerance() const = 0;
};

// The laws, each group by itself.
void check_laws_one_way(const JointUnderTest& joint, const JointLawOptions& options);
void check_fit_is_nearest(const JointUnderTest& joint, const JointLawOptions& options);
void check_is_reverse(const JointUnderTest& there, const JointUnderTest& back, const JointLawOptions& options);
void check_is_same(const JointUnderTest& one, const JointUnderTest& other, const JointLawOptions& options);

// A joint of the list, or one that is not on it (yet).
template <class J>
struct JointAccess final : JointUnderTest {
  static_assert(JointType<J>);
  static_assert(JointOver<J, Dual> && JointOver<J, Counted>);

  explicit JointAccess(const J& the_joint) : joint(the_joint) {}

  J joint;

  std::string name() const override { return std::string(J::keyword); }
  int nq() const override { return J::nq; }
  int nv() const override { return J::nv; }
  std::vector<Freedom> freedoms() const override { return {J::freedoms.begin(), J::freedoms.end()}; }
  bool constant_H() const override { return J::constant_H; }
  Transformd X(const Coordinates& q) const override { return joint.template X_FM<double>(q.data()); }
  Columns H(const Coordinates& q) const override { return list(joint.template H_FM<double>(q.data())); }
  Columns Hdot(const Coordinates& q, const Coordinates& v) const override {
    return list(joint.template Hdot_FM<double>(q.data(), v.data()));
  }
  Columns Hdot_along(const Coordinates& q, const Coordinates& v, const Coordinates& u) const override {
    if constexpr (J::constant_H) {
      return Columns(static_cast<std::size_t>(J::nv));
    } else {
      return list(joint.template Hdot_along<double>(q.data(), v.data(), u.data()));
    }
  }
  void zero(Coordinates& q) const override { joint.template q_zero<double>(q.data()); }
  void step(const double* q, const double* dq, double* out) const override {
    joint.template q_step<double>(q, dq, out);
  }
  void fit(const Transformd& pose, Coordinates& q) const override { joint.template q_fit<double>(pose, q.data()); }

  Transformd placed(const Transformd& X_WF, const Coordinates& q) const override {
    return place_joint<double>(joint, X_WF, q.data());
  }
  Columns columns_at(const Transformd& X_OM, const Coordinates& q) const override {
    return list(place_columns<double>(joint, X_OM, q.data()));
  }

  double rate_tolerance() const override { return 1e-12; }  // dual numbers: round-off only
  std::pair<Motion<double>, Columns> rates(const Coordinates& q, const Coordinates& v, double s) const override {
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
struct JointAccess<Custom> final : JointUnderTest {
  explicit JointAccess(const Custom& the_joint) : joint(the_joint) {}

  Custom joint;

  std::string name() const override { return std::string(keyword(any())) + (joint.reversed ? " (reversed)" : ""); }
  int nq() const override { return trammel::nq(any()); }
  int nv() const override { return trammel::nv(any()); }
  std::vector<Freedom> freedoms() const override { return trammel::freedoms(any()); }
  bool constant_H() const override { return false; }
  Transformd X(const Coordinates& q) const override { return X_FM(any(), q.data()); }
  Columns H(const Coordinates& q) const override {
    Columns columns(static_cast<std::size_t>(nv()));
    H_FM(any(), q.data(), columns);
    return columns;
  }
  Columns Hdot(const Coordinates& q, const Coordinates& v) const override {
    Columns columns(static_cast<std::size_t>(nv()));
    Hdot_FM(any(), q.data(), v.data(), columns);
    return columns;
  }
  Columns Hdot_along(const Coordinates& q, const Coordinates& v, const Coordinates& u) const override {
    Columns columns(static_cast<std::size_t>(nv()));
    trammel::Hdot_along(any(), q.data(), v.data(), u.data(), columns);
    return columns;
  }
  void zero(Coordinates& q) const override { q_zero(any(), q.data()); }
  void step(const double* q, const double* dq, double* out) const override { q_step(any(), q, dq, out); }
  void fit(const Transformd& pose, Coordinates& q) const override { q_fit(any(), pose, q.data()); }

  Transformd placed(const Transformd& X_WF, const Coordinates& q) const override { return X_WF * X(q); }
  Columns columns_at(const Transformd& X_OM, const Coordinates& q) const override {
    Columns columns = H(q);
    for (Motion<double>& column : columns) column = X_OM * column;
    return columns;
  }

  double rate_tolerance() const override { return 1e-9; }  // fourth-order differences of step 1e-3
  std::pair<Motion<double>, Columns> rates(const Coordinates& q, const Coordinates& v, double s) const override {
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
void check_joint_laws(const J& joint, const JointLawOptions& options = {}) {
  const JointAccess<J> there(joint);
  check_laws_one_way(there, options);
  check_fit_is_nearest(there, options);
  if constexpr (std::is_same_v<J, Custom>) {
    const JointAccess<Custom> back(Custom{joint.joint, !joint.reversed});
    check_laws_one_way(back, options);
    check_is_reverse(there, back, options);
  } else {
    const JointAccess<Reversed<J>> back(Reversed<J>{joint});
    check_laws_one_way(back, options);
    check_is_reverse(there, back, options);
    check_is_same(there, JointAccess<Reversed<Reversed<J>>>(Reversed<Reversed<J>>{{joint}}), options);
  }
}

}  // namespace trammel::test

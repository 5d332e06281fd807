// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/same_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <trammel/dynamics.hpp>

#include "support/dense.hpp"
#include "support/random_model.hpp"

namespace trammel::test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Motion spaces as 6×n matrices.
Eigen::MatrixXd columns(const AnyJoint& type, const double* q, const double* v = nullptr) {
  std::vector<Motion<double>> H(static_cast<std::size_t>(nv(type)));
  v == nullptr ? H_FM(type, q, H) : Hdot_FM(type, q, v, H);
  Eigen::MatrixXd m(6, nv(type));
  for (int i = 0; i < nv(type); ++i) m.col(i) = dense(H[static_cast<std::size_t>(i)]);
  return m;
}

// X_BB' of each body: its frame in the other model, in its frame here. Found where all coordinates are zero.
std::map<std::string, Transformd> moved_frames(const Mechanism& A, const Mechanism& B) {
  Workspace wa(A), wb(B);
  const State zero_a = design_state(A), zero_b = design_state(B);
  compute_positions(A, wa, zero_a.q);
  compute_positions(B, wb, zero_b.q);
  std::map<std::string, Transformd> frames{{std::string(ground_name), {}}};
  for (int b = 0; b < A.body_count(); ++b) {
    const std::string& name = A.bodies[static_cast<std::size_t>(b)].name;
    const int other = B.find_body(name);
    if (other < 0) {
      ADD_FAILURE() << "body " << name << " is lost";
      frames[name] = {};
    } else {
      frames[name] = inverse(pose_WB(A, wa, b)) * pose_WB(B, wb, other);
    }
  }
  return frames;
}

Eigen::VectorXd as_vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
std::vector<double> as_list(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

class Carrier {
 public:
  Carrier(const Model& from, const Mechanism& A, const Model& to, const Mechanism& B)
      : from_(from),
        A_(A),
        to_(to),
        B_(B),
        X_BB_(moved_frames(A, B)),
        c_{design_state(B).q, design_state(B).v, design_state(B).v, Eigen::MatrixXd::Zero(B.nv, A.nv)} {}

  Carried run(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
    for (const Joint& joint : from_.joints) {
      const JointInfo& one = A_.joints[static_cast<std::size_t>(A_.find_joint(joint.name))];
      if (one.role != JointRole::tree) continue;
      const double *qj = &q[static_cast<std::size_t>(one.q)], *vj = &v[static_cast<std::size_t>(one.v)],
                   *aj = &a[static_cast<std::size_t>(one.v)];
      if (const Joint* other = to_.find_joint(joint.name)) {
        carry_whole(joint, one, *other, qj, vj, aj);
      } else {
        carry_parts(joint, one, qj, vj, aj);
      }
    }
    return std::move(c_);
  }

 private:
  const JointInfo& info(const std::string& joint) const {
    return B_.joints[static_cast<std::size_t>(B_.find_joint(joint))];
  }

  void carry_whole(const Joint& joint, const JointInfo& one, const Joint& other, const double* q, const double* v,
                   const double* a) {
    const JointInfo& two = info(joint.name);
    const Transformd X_BB = X_BB_.at(joint.second);
    const Transformd X_AB =
        inverse(X_BB_.at(joint.first)) * joint.X_AF * X_FM(joint.type, q) * inverse(joint.X_BM) * X_BB;
    const bool turned = other.first == joint.second || other.second == joint.first;  // the ground may have a new name
    double* q2 = &c_.q[static_cast<std::size_t>(two.q)];
    q_fit(other.type, inverse(other.X_AF) * (turned ? inverse(X_AB) : X_AB) * other.X_BM, q2);
    // A body's velocity at its own origin, in its axes, then in the frame of the other joint.
    const Matrix6 turn = turned ? Matrix6(-motion_map(X_AB)) : Matrix6(Matrix6::Identity());
    const Matrix6 C = motion_map(inverse(other.X_BM)) * turn * motion_map(inverse(X_BB) * joint.X_BM);
    const Eigen::MatrixXd H = columns(joint.type, q), H2 = columns(other.type, q2);
    const auto solve = [&](const Eigen::MatrixXd& rhs) { return Eigen::MatrixXd(H2.colPivHouseholderQr().solve(rhs)); };
    const Eigen::MatrixXd T = solve(C * H);
    EXPECT_LT((H2 * T - C * H).cwiseAbs().maxCoeff(), 1e-12) << joint.name;
    if (same_coordinates(one, q, q2, T)) return copy(one, two, q, v, a);
    c_.T.block(two.v, one.v, two.nv, one.nv) = T;
    const Eigen::VectorXd v1 = Eigen::Map<const Eigen::VectorXd>(v, one.nv),
                          a1 = Eigen::Map<const Eigen::VectorXd>(a, one.nv), v2 = T * v1;
    Eigen::Map<Eigen::VectorXd>(&c_.v[static_cast<std::size_t>(two.v)], two.nv) = v2;
    // d/dt V in components; turning a motion round by its own pose adds nothing (V × V = 0).
    const Eigen::VectorXd rate = C * (H * a1 + columns(joint.type, q, v) * v1);
    const Eigen::VectorXd a2 = solve(rate - columns(other.type, q2, v2.data()) * v2);
    Eigen::Map<Eigen::VectorXd>(&c_.a[static_cast<std::size_t>(two.v)], two.nv) = a2;
  }

  // Then they get the same numbers to the last bit, so that only the models differ.
  static bool same_coordinates(const JointInfo& one, const double* q, const double* q2, const Eigen::MatrixXd& T) {
    double apart = (T - Eigen::MatrixXd::Identity(T.rows(), T.cols())).cwiseAbs().maxCoeff();
    const bool turns = one.nq > one.nv;  // a quaternion and its opposite are one turn
    const double sign = turns && q[0] * q2[0] + q[1] * q2[1] + q[2] * q2[2] + q[3] * q2[3] < 0 ? -1 : 1;
    for (int i = 0; i < one.nq; ++i) apart = std::max(apart, std::abs(q[i] - (i < 4 ? sign : 1) * q2[i]));
    return apart < 1e-12;
  }
  void copy(const JointInfo& one, const JointInfo& two, const double* q, const double* v, const double* a) {
    std::copy_n(q, one.nq, c_.q.begin() + two.q);
    std::copy_n(v, one.nv, c_.v.begin() + two.v);
    std::copy_n(a, one.nv, c_.a.begin() + two.v);
    c_.T.block(two.v, one.v, two.nv, one.nv).setIdentity();
  }

  void carry_parts(const Joint& joint, const JointInfo& one, const double* q, const double* v, const double* a) {
    for (int i = 0; i < one.nv; ++i) {
      const std::string part = fmt::format("{}_{}", joint.name, freedoms(joint.type)[static_cast<std::size_t>(i)].name);
      if (to_.find_joint(part) == nullptr) {
        ADD_FAILURE() << "neither joint " << joint.name << " nor its part " << part << " is there";
        return;
      }
      const JointInfo& two = info(part);
      c_.q[static_cast<std::size_t>(two.q)] = q[i];
      c_.v[static_cast<std::size_t>(two.v)] = v[i];
      c_.a[static_cast<std::size_t>(two.v)] = a[i];
      c_.T(two.v, one.v + i) = 1;
    }
  }

  const Model& from_;
  const Mechanism& A_;
  const Model& to_;
  const Mechanism& B_;
  std::map<std::string, Transformd> X_BB_;
  Carried c_;
};

RowMajor mass(const Mechanism& mechanism, Workspace& ws, const std::vector<double>& q) {
  RowMajor M(mechanism.nv, mechanism.nv);
  mass_matrix(mechanism, ws, q, {M.data(), static_cast<std::size_t>(M.size())});
  return M;
}

Eigen::VectorXd inverse_of(const Mechanism& mechanism, Workspace& ws, const std::vector<double>& q,
                           const std::vector<double>& v, const std::vector<double>& a) {
  std::vector<double> tau(v.size());
  inverse_dynamics(mechanism, ws, q, v, a, tau);
  return as_vector(tau);
}

Eigen::VectorXd forward_of(const Mechanism& mechanism, Workspace& ws, const std::vector<double>& q,
                           const std::vector<double>& v, const Eigen::VectorXd& tau) {
  std::vector<double> a(v.size());
  EXPECT_TRUE(forward_dynamics(mechanism, ws, q, v, as_list(tau), a).ok());
  return as_vector(a);
}

}  // namespace

Carried carry(const Model& from, const Mechanism& A, const std::vector<double>& q, const std::vector<double>& v,
              const std::vector<double>& a, const Model& to, const Mechanism& B) {
  return Carrier(from, A, to, B).run(q, v, a);
}

void MotionDifference::add(const std::string& quantity, const Eigen::MatrixXd& one, const Eigen::MatrixXd& other) {
  const double found = relative_error(other, one);
  double& worst = by_quantity_[quantity];
  worst = std::isnan(found) ? std::numeric_limits<double>::infinity() : std::max(worst, found);
}

void MotionDifference::merge(const MotionDifference& other) {
  for (const auto& [quantity, found] : other.by_quantity_)
    by_quantity_[quantity] = std::max(by_quantity_[quantity], found);
  condition_ = std::max(condition_, other.condition_);
}

void MotionDifference::add_condition(const Eigen::MatrixXd& mass) {
  if (mass.size() == 0) return;
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(mass).eigenvalues();
  condition_ = std::max(condition_, values[values.size() - 1] / values[0]);
}

double MotionDifference::without_forward() const {
  double worst = 0;
  for (const auto& [quantity, found] : by_quantity_)
    if (quantity != "forward") worst = std::max(worst, found);
  return worst;
}

double MotionDifference::round_off_of_forward() const { return std::numeric_limits<double>::epsilon() * condition_; }

std::string MotionDifference::to_string() const {
  std::string text;
  for (const auto& [quantity, found] : by_quantity_) text += fmt::format(" | {} {:.1e}", quantity, found);
  return text + fmt::format(" | round-off of forward {:.1e}", round_off_of_forward());
}

MotionDifference motion_difference(const Model& from, const Model& to, std::uint64_t seed) {
  MotionDifference difference;
  const Mechanism A = compiled(from), B = compiled(to);
  if (A.nv != B.nv) {
    ADD_FAILURE() << A.nv << " freedoms became " << B.nv;
    return difference;
  }
  const JointStates states = random_states(from, seed);
  const std::vector<double> q = pack_q(A, states.q), v = pack_v(A, states.v), a = pack_v(A, states.a),
                            still(v.size(), 0.0);
  const Carried c = carry(from, A, q, v, a, to, B), unforced = carry(from, A, q, v, still, to, B);
  Workspace wa(A), wb(B);
  difference.add("inverse", inverse_of(A, wa, q, v, a), c.T.transpose() * inverse_of(B, wb, c.q, c.v, c.a));
  difference.add("bias", inverse_of(A, wa, q, v, still), c.T.transpose() * inverse_of(B, wb, c.q, c.v, unforced.a));
  const RowMajor M = mass(A, wa, q);
  difference.add("mass", M, c.T.transpose() * mass(B, wb, c.q) * c.T);
  difference.add_condition(M);
  // Forces of about the size that moves the mechanism as wanted.
  const Eigen::VectorXd tau = inverse_of(A, wa, q, v, a);
  const Eigen::PartialPivLU<Eigen::MatrixXd> T(c.T);
  const Eigen::VectorXd a2 = forward_of(B, wb, c.q, c.v, T.transpose().solve(tau));
  const Eigen::VectorXd a2_here = T.solve(a2 - as_vector(unforced.a));
  difference.add("forward", forward_of(A, wa, q, v, tau), a2_here);
  difference.add("forces of forward", tau, inverse_of(A, wa, q, v, as_list(a2_here)));

  const std::map<std::string, Transformd> frames = moved_frames(A, B);
  compute_velocities(A, wa, q, v);
  compute_velocities(B, wb, c.q, c.v);
  for (const Body& body : from.bodies) {
    const int one = A.find_body(body.name), other = B.find_body(body.name);
    const Transformd X_BB = frames.at(body.name);
    if (other < 0) continue;
    const Transformd X = pose_WB(A, wa, one) * X_BB, X2 = pose_WB(B, wb, other);
    difference.add("poses", dense(X.p), dense(X2.p));
    difference.add("poses", dense(X.R), dense(X2.R));
    difference.add("velocities", dense(velocity_W(A, wa, one, X_BB.p)), dense(velocity_W(B, wb, other)));
  }
  return difference;
}

}  // namespace trammel::test

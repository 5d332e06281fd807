// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A joint defined at run time by a library user: derive from CustomJoint, give the same functions as any joint, and
// put a Custom holding it into the model. It runs on double only: a workspace of dual or
// counted numbers refuses a mechanism that has one. Laws: check_joint_laws(Custom{...}).

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <trammel/joints/joint.hpp>

namespace trammel {

class CustomJoint {
 public:
  virtual ~CustomJoint() = default;

  virtual std::string_view keyword() const = 0;
  virtual int nq() const = 0;                         // at most 7
  virtual std::vector<Freedom> freedoms() const = 0;  // nv of them, at most 6

  virtual Transform<double> X_FM(const double* q) const = 0;
  virtual void H_FM(const double* q, std::span<Motion<double>> columns) const = 0;
  // Rate of each column of H_FM while q moves with v.
  virtual void Hdot_FM(const double* q, const double* v, std::span<Motion<double>> columns) const = 0;
  // Rate of each column of Hdot_FM(q, v) while q moves with u and v is held; only derivatives of the dynamics ask for it. If not given, it is
  // found by differences along q_step, to some 1e-10.
  virtual void Hdot_along(const double* q, const double* v, const double* u, std::span<Motion<double>> columns) const;
  virtual void q_zero(double* q) const = 0;
  virtual void q_step(const double* q, const double* dq, double* out) const = 0;
  virtual void q_fit(const Transform<double>& X, double* q) const = 0;
};

struct Custom {
  std::shared_ptr<const CustomJoint> joint;
  bool reversed = false;  // walked from the second body to the first; set by compile() only
  int nv = 0;             // of the joint; asked once, because freedoms() allocates and kernels must not

  static constexpr int max_nq = 7, max_nv = 6;

  Custom() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a Custom is its joint
  Custom(std::shared_ptr<const CustomJoint> the_joint, bool is_reversed = false)
      : joint(std::move(the_joint)),
        reversed(is_reversed),
        nv(joint ? static_cast<int>(joint->freedoms().size()) : 0) {}
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A joint that closes a loop, as a constraint: P is its frame F, Q its frame M. The rows are the joint's own (joint.hpp).

#include <trammel/constraints/constraint.hpp>
#include <trammel/joints/all_joints.hpp>

namespace trammel {

struct JointClosure {
  AnyJoint joint;

  static constexpr std::string_view keyword = "joint";

  std::vector<Dimension> dimensions() const {
    return std::visit(
        []<class J>(const J&) -> std::vector<Dimension> {
          if constexpr (requires { J::closure_dimensions; }) {
            return {J::closure_dimensions.begin(), J::closure_dimensions.end()};
          } else {
            return {};
          }
        },
        joint);
  }
  template <class T>
  void residual(const Transform<T>& X_FM, T* out) const {
    std::visit(
        [&]<class J>([[maybe_unused]] const J& j) {
          if constexpr (requires { J::closure_dimensions; }) j.closure(X_FM, out);
        },
        joint);
  }
};

}  // namespace trammel

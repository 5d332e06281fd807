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
  // Only a screw counts turns.
  static constexpr int angles = 1;
  int counted_angles() const { return std::holds_alternative<Helical>(joint) ? 1 : 0; }
  template <class T>
  void read_angles(const Transform<T>& X_FM, T* out) const {
    out[0] = fit_angle_z(X_FM.R);
  }
  template <class T>
  void residual(const Transform<T>& X_FM, const double* full_turns, T* out) const {
    std::visit(
        [&]<class J>([[maybe_unused]] const J& j) {
          if constexpr (std::is_same_v<J, Helical>) {
            j.closure_at(X_FM, fit_angle_z(X_FM.R) + T(full_turns[0]), out);
          } else if constexpr (requires { J::closure_dimensions; }) {
            j.closure(X_FM, out);
          }
        },
        joint);
  }
};

}  // namespace trammel

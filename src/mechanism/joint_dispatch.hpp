// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a link's AnyJoint to code compiled for its joint type: f(joint, n), where n counts the freedoms, at compile time
// (an integral_constant) for all joints of the list, at run time for custom ones. So a hinge pays for one freedom.

#include <cassert>
#include <type_traits>
#include <utility>

#include <trammel/joints/all_joints.hpp>

namespace trammel {

// A custom joint with the face of the others. Only double runs it: entry points refuse other scalars.
struct CustomAsJoint {
  const AnyJoint& any;

  template <class T>
  Transform<T> X_FM(const T* q) const {
    if constexpr (std::is_same_v<T, double>) {
      return trammel::X_FM(any, q);
    } else {
      return {};
    }
  }
  template <class T>
  MotionColumns<T, Custom::max_nv> H_FM(const T* q) const {
    MotionColumns<T, Custom::max_nv> H{};
    if constexpr (std::is_same_v<T, double>) trammel::H_FM(any, q, H);
    return H;
  }
  template <class T>
  MotionColumns<T, Custom::max_nv> Hdot_FM(const T* q, const T* v) const {
    MotionColumns<T, Custom::max_nv> Hdot{};
    if constexpr (std::is_same_v<T, double>) trammel::Hdot_FM(any, q, v, Hdot);
    return Hdot;
  }
  static constexpr bool constant_H = false;
};

template <class F>
void visit_joint(const AnyJoint& any, int nv, F&& f) {
  const auto visit_one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    using J = std::variant_alternative_t<i, AnyJoint>;
    if (any.index() != i) return false;
    if constexpr (std::is_same_v<J, Custom>) {
      f(CustomAsJoint{any}, nv);
    } else {
      f(*std::get_if<i>(&any), std::integral_constant<int, J::nv>{});
    }
    return true;
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>((visit_one(std::integral_constant<std::size_t, i>{}) || ...));
  }
  (std::make_index_sequence<std::variant_size_v<AnyJoint>>{});
}

}  // namespace trammel

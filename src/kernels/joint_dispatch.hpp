// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a link to code compiled for its joint type: f(joint, n), where n counts the freedoms, at compile time (an
// integral_constant) for all joints of the list, at run time for custom ones. So a hinge pays for one freedom.

#include <type_traits>
#include <utility>

#include <trammel/joints/all_joints.hpp>

#include "kernels/link_state.hpp"

namespace trammel {

// A custom joint with the face of the others. Only a single state of doubles runs it: all else refuses it before.
struct CustomAsJoint {
  const CustomCalls& calls;
  int link;

  template <class T>
  Transform<T> X_FM(const T* q) const {
    if constexpr (runs<T>) return Transform<T>::from(calls.X_FM(calls.mechanism, link, numbers(q)));
    return {};
  }
  template <class T>
  MotionColumns<T, Custom::max_nv> H_FM(const T* q) const {
    MotionColumns<double, Custom::max_nv> H{};
    if constexpr (runs<T>) calls.H_FM(calls.mechanism, link, numbers(q), H.data());
    return columns<T>(H);
  }
  template <class T>
  MotionColumns<T, Custom::max_nv> Hdot_FM(const T* q, const T* v) const {
    MotionColumns<double, Custom::max_nv> Hdot{};
    if constexpr (runs<T>) calls.Hdot_FM(calls.mechanism, link, numbers(q), numbers(v), Hdot.data());
    return columns<T>(Hdot);
  }
  static constexpr bool constant_H = false;

 private:
  template <class T>
  static constexpr bool runs = sizeof(T) == sizeof(double);

  template <class T>
  static const double* numbers(const T* x) {
    return reinterpret_cast<const double*>(x);
  }
  template <class T>
  static MotionColumns<T, Custom::max_nv> columns(const MotionColumns<double, Custom::max_nv>& from) {
    MotionColumns<T, Custom::max_nv> to;
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = Motion<T>::from(from[k]);
    return to;
  }
};

template <class F>
void visit_joint(const Tree& tree, int l, F&& f) {
  const int kind = tree.links[l].kind;
  const auto visit_one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    using J = std::variant_alternative_t<i, AnyJoint>;
    if (kind != static_cast<int>(i)) return false;
    if constexpr (std::is_same_v<J, Custom>) {
      f(CustomAsJoint{tree.custom, l}, tree.links[l].nv);
    } else if constexpr (J::nv > 0) {  // a fixed joint makes no link
      f(tree.links[l].template get_joint<J>(), std::integral_constant<int, J::nv>{});
    }
    return true;
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>((visit_one(std::integral_constant<std::size_t, i>{}) || ...));
  }
  (std::make_index_sequence<std::variant_size_v<AnyJoint>>{});
}

// f(n) with the number of a link's freedoms as an integral_constant.
template <class F>
void visit_freedoms(int nv, F&& f) {
  const auto visit_one = [&]<int n>(std::integral_constant<int, n> count) { return nv == n && (f(count), true); };
  [&]<int... i>(std::integer_sequence<int, i...>) {
    static_cast<void>((visit_one(std::integral_constant<int, i + 1>{}) || ...));
  }
  (std::make_integer_sequence<int, Custom::max_nv>{});
}

}  // namespace trammel

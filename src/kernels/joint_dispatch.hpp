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
  template <class T>
  MotionColumns<T, Custom::max_nv> Hdot_along(const T* q, const T* v, const T* u) const {
    MotionColumns<double, Custom::max_nv> slope{};
    if constexpr (runs<T>) calls.Hdot_along(calls.mechanism, link, numbers(q), numbers(v), numbers(u), slope.data());
    return columns<T>(slope);
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

template <class J>
auto joint_of(const Tree& tree, int l) {
  if constexpr (std::is_same_v<J, Custom>) {
    return CustomAsJoint{tree.custom, l};
  } else {
    return tree.links[l].template get_joint<J>();
  }
}

// f.operator()<J>(n)
template <class F>
void visit_kind(const TreeLink& link, F&& f) {
  const auto visit_one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    using J = std::variant_alternative_t<i, AnyJoint>;
    if (link.kind != static_cast<int>(i)) return false;
    if constexpr (std::is_same_v<J, Custom>) {
      f.template operator()<J>(link.nv);
    } else if constexpr (J::nv > 0) {  // a fixed joint makes no link
      f.template operator()<J>(std::integral_constant<int, J::nv>{});
    }
    return true;
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_cast<void>((visit_one(std::integral_constant<std::size_t, i>{}) || ...));
  }
  (std::make_index_sequence<std::variant_size_v<AnyJoint>>{});
}

template <class F>
void visit_joint(const Tree& tree, int l, F&& f) {
  visit_kind(tree.links[l], [&]<class J>(auto n) { f(joint_of<J>(tree, l), n); });
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

// Passes over all links call step(l, joint, n), or step(l, n) where the joint's type does not matter. Links that are alike and follow
// one another are done in one loop of their own, so that a chain of hinges decides once what to do. The step holds what it needs by
// value, and __restrict says that no number stored changes it.

template <class J, class N, class Step>
TRAMMEL_KERNEL void run_outward(const Tree& __restrict tree, int first, int end, N n, const Step& __restrict step) {
  for (int l = first; l < end; ++l) step(l, joint_of<J>(tree, l), n);
}
template <class Step>
void each_joint_base_to_tip(const Tree& tree, int begin, int stop, const Step& step) {
  for (int first = begin, end = begin; first < stop; first = end) {
    const TreeLink& link = tree.links[first];
    do {
      ++end;
    } while (end < stop && tree.links[end].kind == link.kind && tree.links[end].nv == link.nv);
    visit_kind(link, [&]<class J>(auto n) { run_outward<J>(tree, first, end, n, step); });
  }
}
template <class Step>
void each_joint_base_to_tip(const Tree& tree, const Step& step) {
  each_joint_base_to_tip(tree, 0, tree.link_count, step);
}

template <class N, class Step>
TRAMMEL_KERNEL void run_outward(int first, int end, N n, const Step& __restrict step) {
  for (int l = first; l < end; ++l) step(l, n);
}
template <class Step>
void each_link_base_to_tip(const Tree& tree, const Step& step) {
  for (int first = 0, end = 0; first < tree.link_count; first = end) {
    const int nv = tree.links[first].nv;
    do {
      ++end;
    } while (end < tree.link_count && tree.links[end].nv == nv);
    visit_freedoms(nv, [&](auto n) { run_outward(first, end, n, step); });
  }
}

template <class N, class Step>
TRAMMEL_KERNEL void run_inward(int first, int end, N n, const Step& __restrict step) {
  for (int l = end - 1; l >= first; --l) step(l, n);
}
template <class Step>
void each_link_tip_to_base(const Tree& tree, const Step& step) {
  for (int end = tree.link_count, first = end; end > 0; end = first) {
    const int nv = tree.links[end - 1].nv;
    do {
      --first;
    } while (first > 0 && tree.links[first - 1].nv == nv);
    visit_freedoms(nv, [&](auto n) { run_inward(first, end, n, step); });
  }
}

}  // namespace trammel

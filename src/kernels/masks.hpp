// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What laws that switch need of a scalar: one source then serves a single state, whose conditions are bool, and states side by side in
// lanes, whose conditions are masks. `if (any_of(condition))` skips what no state wants; select() takes no side's NaN over to the other.

#include <trammel/spatial/vector.hpp>

namespace trammel {

template <class T>
using MaskOf = decltype(T{} < T{});

inline bool any_of(bool condition) { return condition; }

template <class T>
T larger(const T& a, const T& b) {
  return select(a < b, b, a);
}
template <class T>
T within(const T& x, const T& lower, const T& upper) {
  return select(x < lower, lower, select(upper < x, upper, x));
}
template <class T, class Mask>
Vec3<T> select(const Mask& condition, const Vec3<T>& if_true, const Vec3<T>& if_false) {
  return {select(condition, if_true.x, if_false.x), select(condition, if_true.y, if_false.y),
          select(condition, if_true.z, if_false.z)};
}

}  // namespace trammel

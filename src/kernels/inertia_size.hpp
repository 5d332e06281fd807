// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How large the numbers were that an articulated inertia was summed from: its round-off is some units in the last place of that, and a
// pivot D that is not above it is none. Where a body without inertia carries others, as the cross of a hinge on a ball joint, what
// remains of them may be round-off altogether, and must not be its own measure.
//
// A link that keeps at least `kept` of what it and its children bring is its own measure again; so the numbers do not grow with the
// length of a chain.

#include <trammel/spatial/inertia.hpp>

namespace trammel {

template <class T>
struct InertiaSize {
  T angular{}, linear{};  // traces of the blocks J and M

  static InertiaSize of(const RigidInertia<T>& I) { return {trace(I.I), I.mass}; }
  static InertiaSize of(const ArticulatedInertia<T>& I) { return {trace(I.J), trace(I.M)}; }

  InertiaSize& operator+=(const InertiaSize& b) {
    angular += b.angular, linear += b.linear;
    return *this;
  }
  // Of a sum of this size and what it came to.
  InertiaSize judged(const ArticulatedInertia<T>& sum) const {
    constexpr double kept = 1e-3;
    const InertiaSize own = of(sum);
    return {select(own.angular > angular * T(kept), own.angular, angular),
            select(own.linear > linear * T(kept), own.linear, linear)};
  }
  // Of a column of a joint's motion space: a bound on what HᵀIH is summed from.
  T along(const Motion<T>& H) const { return angular * dot(H.w, H.w) + linear * dot(H.v, H.v); }
};

// Taken at another point, p away: |√J + √(2m) p|² is at most this.
template <class T>
InertiaSize<T> shift(const InertiaSize<T>& size, const Vec3<T>& p) {
  return {T(2) * size.angular + T(4) * size.linear * dot(p, p), size.linear};
}

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A link of the tree as the kernels see it: plain numbers, so that it may cross into the kernel library.

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace trammel {

struct TreeLink {
  int parent = -1;    // −1: the ground
  int kind = 0;       // the joint's place in the list AnyJoint
  int q = 0, nq = 0;  // first coordinate, and how many
  int v = 0, nv = 0;  // first freedom, and how many
  int joint = 0;      // for verdicts
  int point = 0;      // the point O at which this link's 6-vectors are taken
  int line = 0;       // the farthest link towards the base until which freedoms have successive numbers, at the same O
  int end_v = 0;      // one past the last freedom of the links that it carries, directly or not
  bool opens_point = false;
  bool has_children = false;
  bool is_last_child = false;  // the first of its siblings on the way from the tips to the base
  alignas(double) std::byte type[sizeof(double)] = {};  // the joint itself, e.g. a Helical with its pitch

  template <class J>
  void set_joint(const J& j) {
    static_assert(std::is_trivially_copyable_v<J> && sizeof(J) <= sizeof(type) && alignof(J) <= alignof(double),
                  "a joint's parameters must be plain numbers and fit into TreeLink::type");
    std::memcpy(type, &j, sizeof(J));
  }
  template <class J>
  J get_joint() const {
    J j;
    std::memcpy(&j, type, sizeof(J));
    return j;
  }
};

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Callers' arrays have the lengths the mechanism says; checked in debug builds.

#include <cassert>

#include <trammel/mechanism.hpp>

namespace trammel {

template <class Span>
void assert_nq([[maybe_unused]] const Mechanism& mech, [[maybe_unused]] const Span& q) {
  assert(q.size() == static_cast<std::size_t>(mech.nq) && "one number per coordinate");
}
template <class... Spans>
void assert_nv([[maybe_unused]] const Mechanism& mech, [[maybe_unused]] const Spans&... spans) {
  assert(((spans.size() == static_cast<std::size_t>(mech.nv)) && ...) && "one number per freedom");
}

}  // namespace trammel

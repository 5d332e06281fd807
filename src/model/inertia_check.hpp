// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is a moment of inertia one that a real body can have? Its principal moments are not negative, and none exceeds the
// sum of the other two (the triangle rule). Readers and compile() ask the same question.

#include <string_view>

#include <trammel/model.hpp>

namespace trammel {

struct InertiaJudgement {
  Vec3d principal;        // ascending, kg m²
  bool finite = true;     // also the sum of its moments, which every rotation of it may need
  bool negative = false;  // beyond round-off of the largest
  bool triangle = false;  // the rule is violated beyond round-off
};

InertiaJudgement judge_inertia(const Sym3d& inertia_at_com);

// What of a body is beyond what a double holds: "mass", "centre of mass" or "inertia"; nothing where all is finite.
std::string_view find_overflow(double mass, const Vec3d& com, const Sym3d& inertia_at_com);

}  // namespace trammel

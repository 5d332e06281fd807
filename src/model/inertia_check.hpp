// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Is a moment of inertia one that a real body can have? Its principal moments are not negative, and none exceeds the
// sum of the other two (the triangle rule). Readers and compile() ask the same question.

#include <trammel/model.hpp>

namespace trammel {

struct InertiaJudgement {
  Vec3d principal;  // ascending, kg m²
  bool finite = true;
  bool negative = false;  // beyond round-off of the largest
  bool triangle = false;  // the rule is violated beyond round-off
};

InertiaJudgement judge_inertia(const Sym3d& inertia_at_com);

}  // namespace trammel

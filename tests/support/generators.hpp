// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// RapidCheck draws a ModelCase: it shrinks on the number of bodies and keeps the seed, so that a failing law is shown on
// the smallest tree that breaks it. The seed of RapidCheck itself comes from RC_PARAMS, set by ctest.

#include <rapidcheck.h>

#include "support/random_model.hpp"

namespace rc {

template <>
struct Arbitrary<trammel::test::ModelCase> {
  static Gen<trammel::test::ModelCase> arbitrary() {
    return gen::construct<trammel::test::ModelCase>(
        gen::inRange(1, 41), gen::noShrink(gen::cast<std::uint64_t>(gen::arbitrary<std::uint32_t>())));
  }
};

}  // namespace rc

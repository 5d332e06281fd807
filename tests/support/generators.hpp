// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// RapidCheck draws a ModelCase: it shrinks on the number of bodies and keeps the seed, so that a failing law is shown on
// the smallest tree that breaks it. The seed of RapidCheck itself comes from RC_PARAMS, set by ctest.

#include <rapidcheck.h>

#include "support/random_linkage.hpp"
#include "support/random_model.hpp"

namespace rc {

template <>
struct Arbitrary<trammel::test::ModelCase> {
  // At full size from the first case on: uniform over 1 … 40 bodies.
  static Gen<trammel::test::ModelCase> arbitrary() {
    const auto bodies = gen::resize(kNominalSize, gen::inRange(1, 41));
    const auto seed = gen::noShrink(gen::cast<std::uint64_t>(gen::arbitrary<std::uint32_t>()));
    return gen::construct<trammel::test::ModelCase>(bodies, gen::resize(kNominalSize, seed));
  }
};

template <>
struct Arbitrary<trammel::test::LinkageCase> {
  static Gen<trammel::test::LinkageCase> arbitrary() {
    const auto bodies = gen::resize(kNominalSize, gen::inRange(2, 9));
    const auto loops = gen::resize(kNominalSize, gen::inRange(1, 6));
    const auto seed = gen::noShrink(gen::cast<std::uint64_t>(gen::arbitrary<std::uint32_t>()));
    return gen::construct<trammel::test::LinkageCase>(bodies, loops, gen::resize(kNominalSize, seed));
  }
};

}  // namespace rc

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// The laws of laws_test.cpp that take long, over many random bodies.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "contact/thrown.hpp"

namespace trammel::test {
namespace {

RC_GTEST_PROP(ContactLawsRandom, nothing_pulls_friction_lies_in_its_cone_and_energy_is_only_lost, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  RC_ASSERT(what_breaks_the_law(seed) == "");
}

RC_GTEST_PROP(ContactLawsRandom, implicit_steps_approach_the_exact_motion, ()) {
  const auto seed = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>());
  expect_approach(seed);
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace trammel::test

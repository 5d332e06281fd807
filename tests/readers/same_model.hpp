// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Are two models one? Tells the first place where they are not, for a test's message.

#include <string>

#include <trammel/model.hpp>

namespace trammel::test {

// Empty when the models are the same apart from source locations and file names. With a tolerance, numbers may differ
// by that much relative to their size (positions: to the size of the vector, or one metre if that is larger).
std::string first_difference(const Model& a, const Model& b, double tolerance = 0);

}  // namespace trammel::test

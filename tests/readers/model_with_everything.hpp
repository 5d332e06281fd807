// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random models with everything a file can say: all joint types and shapes, couplings, friction, limits, odd names.

#include <cstdint>

#include <trammel/model.hpp>

namespace trammel::test {

Model model_with_everything(std::uint64_t seed);

}  // namespace trammel::test

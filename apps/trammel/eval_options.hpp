// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `eval --compute` knows.

#include <array>
#include <string_view>

namespace trammel::tool {

inline constexpr std::array<std::string_view, 11> eval_quantities{"forward",   "inverse",  "mass",       "poses",
                                                                  "jacobians", "energy",   "momentum",   "com",
                                                                  "reactions", "floating", "derivatives"};
inline constexpr std::array<std::string_view, 4> eval_solvers{"automatic", "lilly-orin", "elimination", "dense"};

}  // namespace trammel::tool

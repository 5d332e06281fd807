// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings are in SI and radians; people read degrees and millimetres.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <trammel/results.hpp>

namespace trammel::tool {

// What --units of `plot` takes.
inline constexpr std::array<const char*, 9> plot_units{"deg", "rev", "mm", "cm", "km", "in", "ft", "ms", "min"};

// Numbers and unit of a column in these units, where they occur in it: "rad/s^2" with deg is "deg/s^2", "kg m^2" with mm "kg mm^2".
void convert(Channel& column, const std::vector<std::string>& units);

// Two of them that would replace the same unit, "deg" and "rev"; empty where none do.
std::pair<std::string, std::string> units_of_one_kind(const std::vector<std::string>& units);

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all writers ask of columns.

#include <string>

#include <trammel/results.hpp>

namespace trammel::results {

// Throws std::invalid_argument, naming the first column whose length is not that of the first one.
void require_equal_lengths(const Channels& channels);
// Throws std::invalid_argument, naming the line.
void require_equal_lengths(const std::string& name, const std::vector<double>& x, const std::vector<double>& y);

// "" for pure numbers, which Units::name() calls "1".
std::string unit_of(const std::string& unit);
// "crank angle [deg]"; the name alone for pure numbers.
std::string name_with_unit(const std::string& name, const std::string& unit);

}  // namespace trammel::results

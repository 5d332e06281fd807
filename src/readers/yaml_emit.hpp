// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words and layout of YAML that is written: names quoted only where they must be, numbers with the fewest digits that
// read back to the same double, small mappings on one line, the lines of a section aligned.

#include <string>
#include <utility>
#include <vector>

#include <trammel/model.hpp>

namespace trammel::readers {

// Keys and values already as text, in order.
using Entries = std::vector<std::pair<std::string, std::string>>;

std::string name_text(const std::string& name);
std::string flow_list(const std::vector<std::string>& items);
std::string flow_map(const Entries& entries);

// A section of named mappings: one line each where that fits, else one line for each of its entries.
//   bodies:
//     crank:   {mass: 0.2, shape: {rod: [[0, 0, 0], [0, 0.04, 0]], radius: 0.004}}
//     coupler: {mass: 0.5}
std::string section_text(const std::string& title, const std::vector<std::pair<std::string, Entries>>& items);
// A section of named values.
std::string values_text(const std::string& title, const Entries& items);

// Numbers in the units of the file that is written.
class NumberText {
 public:
  explicit NumberText(Units units) : units_(std::move(units)) {}

  const Units& units() const { return units_; }
  std::string operator()(double si, const Dimension& dimension) const;
  std::string operator()(const Vec3d& si, const Dimension& dimension) const;

 private:
  Units units_;
};

}  // namespace trammel::readers

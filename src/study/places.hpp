// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers in a YAML text by their place: "bodies.crank.mass", "points.A[0]", "joints.'pin A'.friction.viscous". The text itself is changed,
// so that whatever the format's reader checks, it checks.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/yaml_tree.hpp"

namespace trammel::study {

struct PathStep {
  std::string key;
  std::optional<std::size_t> index;  // of a list; `key` is empty then
};
// Nothing, and in `wrong` what is, where the text is no path.
std::optional<std::vector<PathStep>> parse_path(std::string_view text, std::string& wrong);

// Where a number stands in a text.
struct Slot {
  std::size_t begin = 0, length = 0;  // bytes
};
struct SlotSearch {
  std::optional<Slot> slot;
  std::string what, fix;  // why there is none
};
// `whose` names the text in messages: "the model".
SlotSearch find_slot(std::string_view text, const readers::Node& root, std::string_view path, std::string_view whose);

// The text with other numbers in some slots, which come in their order and do not overlap. They are written to read back exactly.
std::string with_numbers(std::string_view text, const std::vector<Slot>& slots, const std::vector<double>& numbers);

}  // namespace trammel::study

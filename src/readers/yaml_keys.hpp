// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every key of the native format, section by section, as data: the reader accepts these and no others, and the schema
// and docs/formats/native.md are checked against them.

#include <string>
#include <string_view>
#include <vector>

namespace trammel::readers {

struct KeyList {
  std::string section;  // "file", "body", "joint revolute", "shape rod", "coupling gear", …
  std::vector<std::string> keys;
};

const std::vector<KeyList>& native_keys();
const std::vector<KeyList>& scenario_keys();  // of impacts
const std::vector<KeyList>& study_keys();     // of plans of studies
const std::vector<std::string>& keys_of(std::string_view section);

// Sections of the file that later versions will read. Without them answers would be wrong.
const std::vector<std::string>& coming_sections();

// The word of this format for one that other programs use ("hinge" → "revolute"), or an empty string.
std::string translate_joint_type(std::string_view word);
std::string translate_shape(std::string_view word);
// Of several meanings the first that is among the keys of the place: "body" is "bodies" at the top, "on" in an output.
std::string translate_key(std::string_view word, const std::vector<std::string>& keys);
std::string translate_unit(std::string_view word, std::string_view quantity);

}  // namespace trammel::readers

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options that say how a model file is read, the same for every verb that takes one: --from, --base,
// --package-path and --data.

#include <array>
#include <optional>
#include <string_view>

#include <trammel/readers.hpp>

#include "command_line.hpp"

namespace trammel::tool {

inline constexpr std::array<std::string_view, 2> base_words{"free", "fixed"};

// What --from and `convert --to` know.
struct FormatWord {
  Format format;
  std::string_view word, title;
  bool is_written = true;
};
inline constexpr std::array<FormatWord, 5> format_words{{{Format::native, "yaml", "native YAML"},
                                                         {Format::urdf, "urdf", "URDF"},
                                                         {Format::mjcf, "mjcf", "MJCF"},
                                                         {Format::kam, "kam", "KAM", false},
                                                         {Format::dynamechs, "dm", "DynaMechs", false}}};
std::optional<Format> format_of_word(const std::string& word);
std::vector<std::string> list_formats(bool to_be_written = false);

void add_read_options(Verb& verb, ReadOptions& options);

// Reads a model file, or standard input where the path is "-"; an option that changes nothing about this file is a warning.
ReadResult read_with(const std::string& path, const ReadOptions& options);

}  // namespace trammel::tool

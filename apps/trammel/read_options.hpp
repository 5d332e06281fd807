// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options that say how a model file is read, the same for every verb that takes one: --base and --package-path.

#include <array>
#include <string_view>

#include <CLI/CLI.hpp>

#include <trammel/readers.hpp>

namespace trammel::tool {

inline constexpr std::array<std::string_view, 2> base_words{"free", "fixed"};

void add_read_options(CLI::App& verb, ReadOptions& options);

// Reads a model file; an option that changes nothing about this file is a warning.
ReadResult read_with(const std::string& path, const ReadOptions& options);

}  // namespace trammel::tool

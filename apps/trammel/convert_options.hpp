// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `convert --to` knows.

#include <array>
#include <string_view>

#include <trammel/readers.hpp>

namespace trammel::tool {

struct FormatWord {
  Format format;
  std::string_view word, title;
};
inline constexpr std::array<FormatWord, 3> format_words{
    {{Format::native, "yaml", "native YAML"}, {Format::urdf, "urdf", "URDF"}, {Format::mjcf, "mjcf", "MJCF"}}};

}  // namespace trammel::tool

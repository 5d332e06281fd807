// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words that options of `trammel draw` know; completion offers them.

#include <array>
#include <string_view>

namespace trammel::tool {

inline constexpr std::array<std::string_view, 6> draw_views{"plane", "xy", "xz", "yz", "perspective", "all"};
inline constexpr std::array<std::string_view, 5> draw_names{"joints", "bodies", "points", "all", "none"};
inline constexpr std::array<std::string_view, 2> draw_formats{"svg", "dxf"};

}  // namespace trammel::tool

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which trammel this is.

#include <string_view>

namespace trammel {

std::string_view version();     // "0.1.0"
std::string_view git_commit();  // short hash of the sources, or "unknown"
std::string_view build_type();  // "Release"
std::string_view compiler();    // "g++ 12.2.0"

}  // namespace trammel

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Other programs: the desktop's viewer for a file or an address, and what is installed.

#include <string>
#include <vector>

namespace trammel::tool {

// False where there is no such viewer.
bool open_in_viewer(const std::string& path_or_url);
// The same, without waiting for what comes of it: some viewers end only when they are closed.
bool start_viewer(const std::string& path_or_url);
// The first of these programs that is on the PATH, by its full name; empty: none.
std::string find_program(const std::vector<std::string>& names);

}  // namespace trammel::tool

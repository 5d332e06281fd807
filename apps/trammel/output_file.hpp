// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that the tool writes: whole or not at all.

#include <string>
#include <string_view>

namespace trammel::tool {

// "-", or /dev/stdout: opened by its name, that would be the file behind it, to be replaced.
bool is_standard_output(const std::string& path);
// By whatever names; a file that is not there yet is the same as itself. Not of standard output, and not of empty names.
bool is_same_file(const std::string& a, const std::string& b);

// Writes the text beside the file and then puts it in its place, so that nobody ever sees half of it; an existing file
// keeps its permissions, a link stays a link. Devices and pipes are written to as they are. Returns what stands in the
// way ("No such file or directory"), or nothing.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace trammel::tool

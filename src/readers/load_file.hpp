// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole of a file as text, or a message why not.

#include <string>

#include "readers/messages.hpp"

namespace trammel::readers {

// False, with a message, if the file is not there, not a file, or larger than a reader takes.
bool load_file(const std::string& path, std::size_t max_bytes, std::string& text, Messages& messages);

}  // namespace trammel::readers

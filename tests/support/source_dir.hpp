// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace trammel::test {

// The project's folder, without a slash at the end. One file knows it, so that a compiler cache serves clones elsewhere.
std::string source_dir();

}  // namespace trammel::test

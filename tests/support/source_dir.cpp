// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "support/source_dir.hpp"

namespace trammel::test {

std::string source_dir() { return TRAMMEL_SOURCE_DIR; }

}  // namespace trammel::test

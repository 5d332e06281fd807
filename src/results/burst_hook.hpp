// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where tests break off a recording.

#include <functional>

namespace trammel::results {

// Called before each single write to the disk. Empty but in tests.
extern std::function<void()> before_burst_write;

}  // namespace trammel::results

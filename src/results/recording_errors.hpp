// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// How everything about recordings fails: with a name that docs/errors.md lists.

#include <string>

#include <trammel/recording.hpp>

namespace trammel::results {

[[noreturn]] inline void fail(const std::string& id, const std::string& what, const std::string& fix) {
  throw RecordingError(what, fix, id);
}

}  // namespace trammel::results

// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include <trammel/version.hpp>

// The build passes these three; see CMakeLists.txt.
#ifndef TRAMMEL_VERSION
#define TRAMMEL_VERSION "unknown"
#endif
#ifndef TRAMMEL_GIT_COMMIT
#define TRAMMEL_GIT_COMMIT "unknown"
#endif
#ifndef TRAMMEL_BUILD_TYPE
#define TRAMMEL_BUILD_TYPE "unknown"
#endif

namespace trammel {

std::string_view version() { return TRAMMEL_VERSION; }
std::string_view git_commit() { return TRAMMEL_GIT_COMMIT; }
std::string_view build_type() { return TRAMMEL_BUILD_TYPE; }

std::string_view compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace trammel

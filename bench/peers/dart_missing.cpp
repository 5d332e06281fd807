// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// In place of dart.cpp where DART is not installed.

#include "peers/implementation.hpp"

namespace trammel::bench {

ImplementationPtr make_dart(const Scene&) { return nullptr; }
std::string dart_version() { return "not there"; }

}  // namespace trammel::bench
